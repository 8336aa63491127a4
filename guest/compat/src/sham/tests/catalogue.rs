//! The catalogue, action by action.

use std::collections::BTreeSet;
use std::path::Path;

use crate::sham::catalogue::Audience::{self, Llm, User};
use crate::sham::catalogue::Display::{self, Always, Conditional, Never};
use crate::sham::catalogue::{ACTIONS, ActionEffect};

/// Name, type, accessibility, output display and primary parameter.
type Row = (&'static str, ActionEffect, &'static [Audience], Option<Display>, Option<&'static str>);

const ROWS: &[Row] = &[
    ("file_write", ActionEffect::Write, &[Llm], Some(Never), Some("path")),
    ("file_replace_text", ActionEffect::Write, &[Llm], Some(Never), Some("path")),
    ("file_replace_all_text", ActionEffect::Write, &[Llm], Some(Never), Some("path")),
    ("files_replace_all_text", ActionEffect::Write, &[Llm], None, None),
    ("file_append", ActionEffect::Write, &[Llm], None, None),
    ("file_delete", ActionEffect::Write, &[Llm], Some(Never), Some("path")),
    ("file_move", ActionEffect::Write, &[Llm], Some(Never), Some("old_path")),
    ("file_read", ActionEffect::Read, &[Llm], Some(Always), Some("path")),
    ("file_read_numbered", ActionEffect::Read, &[Llm], Some(Always), Some("path")),
    ("files_read", ActionEffect::Read, &[Llm], Some(Always), Some("paths")),
    ("files_read_numbered", ActionEffect::Read, &[Llm], Some(Always), Some("paths")),
    ("file_replace_lines", ActionEffect::Write, &[Llm], Some(Never), Some("path")),
    ("file_comment_lines", ActionEffect::Write, &[Llm], Some(Never), Some("path")),
    ("file_uncomment_lines", ActionEffect::Write, &[Llm], Some(Never), Some("path")),
    ("dir_create", ActionEffect::Write, &[Llm], Some(Never), Some("path")),
    ("dir_delete", ActionEffect::Write, &[Llm], Some(Never), Some("path")),
    ("ls", ActionEffect::Read, &[Llm], Some(Always), Some("path")),
    ("grep", ActionEffect::Read, &[Llm], Some(Always), Some("pattern")),
    ("glob", ActionEffect::Read, &[Llm], Some(Always), Some("pattern")),
    ("exec", ActionEffect::Dynamic, &[Llm], Some(Conditional), Some("lang")),
    ("context_add", ActionEffect::Meta, &[Llm, User], None, None),
    ("context_remove", ActionEffect::Meta, &[Llm, User], None, None),
    ("context_list", ActionEffect::Meta, &[Llm, User], None, None),
    ("context_prune", ActionEffect::Meta, &[Llm, User], None, None),
    ("context_clear", ActionEffect::Meta, &[Llm, User], None, None),
    ("git_squash", ActionEffect::Git, &[], None, None),
    ("undo", ActionEffect::Git, &[User], None, None),
    ("git_step_back", ActionEffect::Git, &[User], None, None),
    ("git_step_forward", ActionEffect::Git, &[User], None, None),
];

#[test]
fn each_action_is_what_its_system_says() {
    let rows: Vec<Row> = ACTIONS
        .iter()
        .map(|action| {
            let (who, shown) = (action.accessibility, action.output_display);
            (action.name, action.kind, who, shown, action.primary_param)
        })
        .collect();
    assert_eq!(rows, ROWS);
}

#[test]
fn each_action_has_a_file_of_cases() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/sham");
    let files = std::fs::read_dir(directory).unwrap();
    let files: BTreeSet<_> = files.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let expected: BTreeSet<_> = ACTIONS.iter().map(|action| format!("{}.cases.md", action.name)).collect();
    assert_eq!(files, expected);
}

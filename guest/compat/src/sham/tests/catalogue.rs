//! What the catalogue says of each action.

use std::collections::BTreeSet;
use std::path::Path;

use crate::sham::catalogue::Display::{self, Always, Conditional, Never};
use crate::sham::catalogue::Who::{self, Llm, User};
use crate::sham::catalogue::{ACTIONS, Effect};

/// Name, type, accessibility, output display and primary parameter.
type Row = (&'static str, Effect, &'static [Who], Option<Display>, Option<&'static str>);

const ROWS: &[Row] = &[
    ("file_write", Effect::Write, &[Llm], Some(Never), Some("path")),
    ("file_replace_text", Effect::Write, &[Llm], Some(Never), Some("path")),
    ("file_replace_all_text", Effect::Write, &[Llm], Some(Never), Some("path")),
    ("files_replace_all_text", Effect::Write, &[Llm], None, None),
    ("file_append", Effect::Write, &[Llm], None, None),
    ("file_delete", Effect::Write, &[Llm], Some(Never), Some("path")),
    ("file_move", Effect::Write, &[Llm], Some(Never), Some("old_path")),
    ("file_read", Effect::Read, &[Llm], Some(Always), Some("path")),
    ("file_read_numbered", Effect::Read, &[Llm], Some(Always), Some("path")),
    ("files_read", Effect::Read, &[Llm], Some(Always), Some("paths")),
    ("files_read_numbered", Effect::Read, &[Llm], Some(Always), Some("paths")),
    ("file_replace_lines", Effect::Write, &[Llm], Some(Never), Some("path")),
    ("file_comment_lines", Effect::Write, &[Llm], Some(Never), Some("path")),
    ("file_uncomment_lines", Effect::Write, &[Llm], Some(Never), Some("path")),
    ("dir_create", Effect::Write, &[Llm], Some(Never), Some("path")),
    ("dir_delete", Effect::Write, &[Llm], Some(Never), Some("path")),
    ("ls", Effect::Read, &[Llm], Some(Always), Some("path")),
    ("grep", Effect::Read, &[Llm], Some(Always), Some("pattern")),
    ("glob", Effect::Read, &[Llm], Some(Always), Some("pattern")),
    ("exec", Effect::Dynamic, &[Llm], Some(Conditional), Some("lang")),
    ("context_add", Effect::Meta, &[Llm, User], None, None),
    ("context_remove", Effect::Meta, &[Llm, User], None, None),
    ("context_list", Effect::Meta, &[Llm, User], None, None),
    ("context_prune", Effect::Meta, &[Llm, User], None, None),
    ("context_clear", Effect::Meta, &[Llm, User], None, None),
    ("git_squash", Effect::Git, &[], None, None),
    ("undo", Effect::Git, &[User], None, None),
    ("git_step_back", Effect::Git, &[User], None, None),
    ("git_step_forward", Effect::Git, &[User], None, None),
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

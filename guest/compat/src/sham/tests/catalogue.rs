//! The catalogue, action by action.

use std::collections::BTreeSet;
use std::path::Path;

use crate::sham::catalogue::ACTIONS;
use crate::sham::catalogue::Audience::{self, Llm, User};

/// Name and accessibility.
type Row = (&'static str, &'static [Audience]);

const ROWS: &[Row] = &[
    ("file_write", &[Llm]),
    ("file_replace_text", &[Llm]),
    ("file_replace_all_text", &[Llm]),
    ("files_replace_all_text", &[Llm]),
    ("file_append", &[Llm]),
    ("file_delete", &[Llm]),
    ("file_move", &[Llm]),
    ("file_read", &[Llm]),
    ("file_read_numbered", &[Llm]),
    ("files_read", &[Llm]),
    ("files_read_numbered", &[Llm]),
    ("file_replace_lines", &[Llm]),
    ("file_comment_lines", &[Llm]),
    ("file_uncomment_lines", &[Llm]),
    ("dir_create", &[Llm]),
    ("dir_delete", &[Llm]),
    ("ls", &[Llm]),
    ("grep", &[Llm]),
    ("glob", &[Llm]),
    ("exec", &[Llm]),
    ("context_add", &[Llm, User]),
    ("context_remove", &[Llm, User]),
    ("context_list", &[Llm, User]),
    ("context_prune", &[Llm, User]),
    ("context_clear", &[Llm, User]),
    ("git_squash", &[]),
    ("undo", &[User]),
    ("git_step_back", &[User]),
    ("git_step_forward", &[User]),
];

#[test]
fn each_action_is_what_its_system_says() {
    let rows: Vec<Row> = ACTIONS.iter().map(|action| (action.name, action.accessibility)).collect();
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

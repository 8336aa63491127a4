//! Names of other programs' commands and tools, and the tools that they mean here.

use crate::Operation;

/// The word, the intended tool, and the sentence for a shell.
pub const SYNONYMS: [(&str, &str, &str); 33] = [
    ("cat", "read", "`fsgate read PATH` shows a file, `fsgate read-many` several"),
    ("head", "read", "`fsgate read PATH --max-lines 10` shows the beginning of a file"),
    ("tail", "read", "`fsgate read PATH --last-lines 10` shows the end of a file"),
    ("view", "read", "`fsgate read PATH` shows a file"),
    ("ls", "list_directory", "`fsgate list-directory PATH` lists a directory"),
    ("list", "list_directory", "`fsgate list-directory PATH` lists a directory"),
    ("dir", "list_directory", "`fsgate list-directory PATH` lists a directory"),
    ("find", "glob", "`fsgate glob PATTERN` finds files by their paths"),
    ("search", "grep", "`fsgate grep PATTERN` searches files for a text"),
    ("rg", "grep", "`fsgate grep PATTERN` searches files for a text"),
    (
        "edit",
        "replace",
        "`fsgate replace PATH --old TEXT --new TEXT` replaces one text, `fsgate apply` makes many edits",
    ),
    ("sed", "replace_all", "`fsgate replace-all PATH --regex --old PATTERN --new TEXT` replaces every match"),
    ("patch", "apply", "`fsgate apply --patch @FILE` applies a patch"),
    ("touch", "create", "`fsgate create PATH --content ''` creates a file"),
    ("mkdir", "create_directory", "`fsgate create-directory PATH` creates a directory"),
    ("cp", "copy", "`fsgate copy SOURCE DESTINATION` copies"),
    ("mv", "move", "`fsgate move SOURCE DESTINATION` moves"),
    ("rename", "move", "`fsgate move SOURCE DESTINATION` renames"),
    ("rmdir", "delete_directory", "`fsgate delete-directory PATH` deletes a directory"),
    ("rm", "delete", "`fsgate delete PATH` deletes a file, `fsgate delete-directory PATH` a directory"),
    ("directory_tree", "tree", "`fsgate tree PATH` draws what is in a directory"),
    ("get_file_info", "stat", "`fsgate stat PATH` tells size, time and kind"),
    ("file_exists", "exists", "`fsgate exists PATH` tells whether something is there"),
    ("multi_edit", "apply", MANY_EDITS),
    ("multiedit", "apply", MANY_EDITS),
    ("str_replace", "replace", ONE_TEXT),
    ("str_replace_editor", "replace", ONE_TEXT),
    ("str_replace_based_edit_tool", "replace", ONE_TEXT),
    (
        "search_and_replace",
        "replace_in_files",
        "`fsgate replace-in-files --old TEXT --new TEXT` finds a text in files and replaces it",
    ),
    ("delete_lines", "replace_lines", "`fsgate replace-lines PATH --lines RANGE --content ''` deletes lines"),
    ("delete_text", "replace", "`fsgate replace PATH --old TEXT --new ''` deletes a text"),
    ("undo_edit", "undo", "`fsgate undo` takes back the last change"),
    ("history", "log", "`fsgate log` lists the changes"),
];

const MANY_EDITS: &str = "`fsgate apply --edits JSON` makes many edits";
const ONE_TEXT: &str = "`fsgate replace PATH --old TEXT --new TEXT` replaces one text";

/// The entry of a word in any case.
pub fn find(word: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    let word = word.to_ascii_lowercase().replace('-', "_");
    SYNONYMS.iter().find(|(synonym, ..)| *synonym == word)
}

/// The tool for a word in any case, or for its start or end.
pub fn tool(word: &str) -> Option<&'static str> {
    let changes = |part: &str| Operation::find(part).is_some_and(|operation| !operation.read_only);
    // In `create_dir`, the first part says more than the other.
    let parts = || word.split(['_', '-']).filter(|_| !word.split(['_', '-']).any(changes));
    find(word).or_else(|| parts().find_map(find)).map(|(_, tool, _)| *tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_means_a_tool() {
        for (word, expected, _) in SYNONYMS {
            assert!(Operation::find(expected).is_some() && Operation::find(word).is_none(), "{word}");
        }
        for (word, expected) in [
            ("Edit", Some("replace")),
            ("rm", Some("delete")),
            ("search_files", Some("grep")),
            ("view_file", Some("read")),
            ("directory-tree", Some("tree")),
            ("MultiEdit", Some("apply")),
            ("create_dir", None),
            ("undo_edits", None),
            ("raed", None),
        ] {
            assert_eq!(tool(word), expected, "{word}");
        }
    }
}

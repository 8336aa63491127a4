//! Names of other programs' commands and tools, and the tools that they mean here.

use crate::Operation;

/// The word, the intended tool, and the sentence for a shell.
pub const SYNONYMS: [(&str, &str, &str); 49] = [
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
    ("mkdir", "create_directory", NEW_DIRECTORY),
    ("cp", "copy", "`fsgate copy SOURCE DESTINATION` copies"),
    ("mv", "move", "`fsgate move SOURCE DESTINATION` moves"),
    ("rename", "move", "`fsgate move SOURCE DESTINATION` renames"),
    ("mkdirs", "create_directory", NEW_DIRECTORY),
    ("make_dir", "create_directory", NEW_DIRECTORY),
    ("make_directory", "create_directory", NEW_DIRECTORY),
    ("rmdir", "delete_directory", NO_DIRECTORY),
    ("remove_dir", "delete_directory", NO_DIRECTORY),
    ("remove_directory", "delete_directory", NO_DIRECTORY),
    ("delete_folder", "delete_directory", NO_DIRECTORY),
    ("rm", "delete", NO_FILE),
    ("remove", "delete", NO_FILE),
    ("remove_file", "delete", NO_FILE),
    ("unlink", "delete", NO_FILE),
    ("directory_tree", "tree", "`fsgate tree PATH` draws what is in a directory"),
    ("file_info", "stat", "`fsgate stat PATH` tells size, time and kind"),
    ("read_multiple_files", "read_many", "`fsgate read-many PATH...` shows several files"),
    ("read_lines", "read_numbered", "`fsgate read-numbered PATH --lines RANGE` shows some lines"),
    ("file_exists", "exists", "`fsgate exists PATH` tells whether something is there"),
    ("multi_edit", "apply", MANY_EDITS),
    ("multiedit", "apply", MANY_EDITS),
    ("str_replace", "replace", ONE_TEXT),
    ("str_replace_editor", "replace", ONE_TEXT),
    ("str_replace_based_edit_tool", "replace", ONE_TEXT),
    ("search_and_replace", "replace_in_files", IN_FILES),
    ("search_replace", "replace_in_files", IN_FILES),
    ("find_and_replace", "replace_in_files", IN_FILES),
    ("delete_lines", "replace_lines", "`fsgate replace-lines PATH --lines RANGE --content ''` deletes lines"),
    ("delete_text", "replace", "`fsgate replace PATH --old TEXT --new ''` deletes a text"),
    ("undo_edit", "undo", LAST_CHANGE),
    ("revert", "undo", LAST_CHANGE),
    ("rollback", "undo", LAST_CHANGE),
    ("roll_back", "undo", LAST_CHANGE),
    ("history", "log", "`fsgate log` lists the changes"),
];

const NEW_DIRECTORY: &str = "`fsgate create-directory PATH` creates a directory";
const NO_DIRECTORY: &str = "`fsgate delete-directory PATH` deletes a directory";
const NO_FILE: &str = "`fsgate delete PATH` deletes a file, `fsgate delete-directory PATH` a directory";
const IN_FILES: &str =
    "`fsgate replace-in-files --old TEXT --new TEXT` finds a text in files and replaces it";
const LAST_CHANGE: &str = "`fsgate undo` takes back the last change";
const MANY_EDITS: &str = "`fsgate apply --edits JSON` makes many edits";
const ONE_TEXT: &str = "`fsgate replace PATH --old TEXT --new TEXT` replaces one text";

/// A name in any case, such as `readFile`, the way in which tools are named: `read_file`.
pub fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 2);
    let mut follows_small = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && follows_small {
            snake.push('_');
        }
        follows_small = letter.is_ascii_lowercase();
        snake.push(if letter == '-' { '_' } else { letter.to_ascii_lowercase() });
    }
    snake
}

/// The entry of a word in any case, with or without `get_` before it.
pub fn find(word: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    let word = snake_case(word);
    let word = word.strip_prefix("get_").unwrap_or(&word);
    SYNONYMS.iter().find(|(synonym, ..)| *synonym == word)
}

/// The tool for a word in any case, or for its start or end.
pub fn tool(word: &str) -> Option<&'static str> {
    let word = snake_case(word);
    let changes = |part: &str| Operation::find(part).is_some_and(|operation| !operation.read_only);
    // In `create_dir`, the first part says more than the other.
    let parts = || word.split('_').filter(|_| !word.split('_').any(changes));
    // The rest of `remove_lines` says that no file is to be deleted.
    let part = |part| find(part).filter(|(_, tool, _)| !tool.starts_with("delete"));
    find(&word).or_else(|| parts().find_map(part)).map(|(_, tool, _)| *tool)
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
            ("get-directory-tree", Some("tree")),
            ("MultiEdit", Some("apply")),
            ("searchFiles", Some("grep")),
            ("removeDirectory", Some("delete_directory")),
            ("create_dir", None),
            ("remove_lines", None),
            ("undo_edits", None),
            ("raed", None),
        ] {
            assert_eq!(tool(word), expected, "{word}");
        }
    }
}

//! Names of other programs' commands and tools, and the tools that they mean here.

/// The word, the intended tool, and the sentence for a shell.
pub const SYNONYMS: [(&str, &str, &str); 20] = [
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
];

/// The tool for a word in any case, or for its start or end.
pub fn tool(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let named = |part: &str| SYNONYMS.iter().find(|(synonym, ..)| *synonym == part);
    let found = named(&word).or_else(|| word.split(['_', '-']).find_map(named));
    found.map(|(_, tool, _)| *tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;

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
            ("raed", None),
        ] {
            assert_eq!(tool(word), expected, "{word}");
        }
    }
}

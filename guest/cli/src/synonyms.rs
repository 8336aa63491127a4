//! Habitual command names and the tools to use instead.

const SYNONYMS: [(&str, &str); 16] = [
    ("cat", "`fsgate read PATH` shows a file, `fsgate read-many` several"),
    ("head", "`fsgate read PATH --max-lines 10` shows the beginning of a file"),
    ("tail", "`fsgate read PATH --last-lines 10` shows the end of a file"),
    ("ls", "`fsgate list-directory PATH` lists a directory"),
    ("dir", "`fsgate list-directory PATH` lists a directory"),
    ("find", "`fsgate glob PATTERN` finds files by their paths"),
    ("search", "`fsgate grep PATTERN` searches files for a text"),
    ("rg", "`fsgate grep PATTERN` searches files for a text"),
    (
        "edit",
        "`fsgate replace PATH --old TEXT --new TEXT` replaces one text, `fsgate apply` makes many edits",
    ),
    ("sed", "`fsgate replace-all PATH --regex --old PATTERN --new TEXT` replaces every match"),
    ("patch", "`fsgate apply --patch @FILE` applies a patch"),
    ("touch", "`fsgate create PATH --content ''` creates a file"),
    ("mkdir", "`fsgate create-directory PATH` creates a directory"),
    ("cp", "`fsgate copy SOURCE DESTINATION` copies"),
    ("mv", "`fsgate move SOURCE DESTINATION` moves"),
    ("rm", "`fsgate delete PATH` deletes a file, `fsgate delete-directory PATH` a directory"),
];

/// The sentence that points from a word to a tool of `program`.
pub fn meant(word: &str, program: &str) -> Option<String> {
    let (_, instead) = SYNONYMS.iter().find(|(synonym, _)| *synonym == word)?;
    Some(format!("there is no command `{word}`: {}", instead.replace("`fsgate ", &format!("`{program} "))))
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;
    use crate::flags::subcommands;

    #[test]
    fn every_word_points_at_a_command_and_is_none() {
        let root = Command::new("fsgate").subcommands(subcommands("a file", ""));
        for (word, instead) in SYNONYMS {
            assert!(root.find_subcommand(word).is_none(), "{word}");
            let named = instead.split("`fsgate ").skip(1);
            let named: Vec<_> = named.map(|rest| rest.split([' ', '`']).next().unwrap_or_default()).collect();
            assert!(
                !named.is_empty() && named.iter().all(|name| root.find_subcommand(name).is_some()),
                "{word}"
            );
        }
        assert_eq!(meant("read", "fsgate"), None);
        let told = meant("cat", "./fs").unwrap();
        assert!(told.contains("`./fs read PATH`") && !told.contains("fsgate"), "{told}");
    }
}

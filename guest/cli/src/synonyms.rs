//! The sentence for another program's command name.

use fsgate_contract::synonyms::find;

/// The sentence from a word to a tool of `program`.
pub fn meant(word: &str, program: &str) -> Option<String> {
    let (.., instead) = find(word)?;
    Some(format!("there is no command `{word}`: {}", instead.replace("`fsgate ", &format!("`{program} "))))
}

#[cfg(test)]
mod tests {
    use clap::Command;
    use fsgate_contract::synonyms::SYNONYMS;

    use super::*;
    use crate::flags::subcommands;

    #[test]
    fn every_word_points_at_a_command_and_names_no_other() {
        let root = Command::new("fsgate").subcommands(subcommands("a file", ""));
        for (word, tool, instead) in SYNONYMS {
            let kebab = tool.replace('_', "-");
            let named = root.find_subcommand(word).map(Command::get_name);
            assert!(named.is_none_or(|name| name == kebab), "{word}");
            assert!(instead.contains(&format!("`fsgate {kebab}")), "{word}");
            let named = instead.split("`fsgate ").skip(1);
            let named: Vec<_> = named.map(|rest| rest.split([' ', '`']).next().unwrap_or_default()).collect();
            assert!(
                !named.is_empty() && named.iter().all(|name| root.find_subcommand(name).is_some()),
                "{word}"
            );
        }
        assert_eq!(meant("read", "fsgate"), None);
        assert!(meant("directory-tree", "fsgate").unwrap().contains("`fsgate tree PATH`"));
        let told = meant("cat", "./fs").unwrap();
        assert!(told.contains("`./fs read PATH`") && !told.contains("fsgate"), "{told}");
    }
}

//! Flags of other programs named `grep`.

use clap::{Arg, ArgAction, ArgMatches, Command};
use fsgate_contract::{Field, Operation};
use serde_json::{Map, Value};

/// Short flags of the contract's arguments.
const LETTERS: [(&str, char); 6] =
    [("ignore_case", 'i'), ("word", 'w'), ("regex", 'E'), ("invert", 'v'), ("before", 'B'), ("after", 'A')];

/// Flags of a shell only.
const PATTERNS: &str = "patterns";
const FILES: &str = "files_with_matches";
const COUNT: &str = "count";
const USUAL: [(&str, char, &str); 3] = [
    ("line_number", 'n', "Show the numbers of lines, as it does in any case"),
    ("recursive", 'r', "Search everything below the path, as it does in any case"),
    ("fixed_strings", 'F', "Take the pattern letter for letter, as it does without -E"),
];

pub(crate) fn short(operation: &Operation, field: &Field) -> Option<char> {
    let letter = LETTERS.iter().find(|(name, _)| operation.name == "grep" && *name == field.name);
    letter.map(|(_, letter)| *letter)
}

/// `-e` makes the pattern optional.
pub(crate) fn or_patterns(operation: &Operation, field: &Field, arg: Arg) -> Arg {
    match (operation.name, field.name) {
        ("grep", "pattern") => arg.required(false).required_unless_present(PATTERNS),
        _ => arg,
    }
}

pub(crate) fn flags(command: Command) -> Command {
    let flag = |name: &'static str, letter, help: &'static str| {
        let long = name.replace('_', "-");
        Arg::new(name).short(letter).long(long).help(help).action(ArgAction::SetTrue)
    };
    command
        .arg(
            Arg::new(PATTERNS)
                .short('e')
                .long("regexp")
                .value_name("PATTERN")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .help("A pattern, in the place of PATTERN; of several, one has to match"),
        )
        .arg(
            flag(FILES, 'l', "Show the files with a match: --mode files").conflicts_with_all(["mode", COUNT]),
        )
        .arg(flag(COUNT, 'c', "Show how many lines match in each file: --mode count").conflicts_with("mode"))
        .args(USUAL.map(|(name, letter, help)| {
            let arg = flag(name, letter, help);
            if name == "fixed_strings" { arg.conflicts_with("regex") } else { arg }
        }))
}

pub(crate) fn complete(args: &ArgMatches, typed: &mut Map<String, Value>) -> Result<(), String> {
    if let Some(patterns) = args.get_many::<String>(PATTERNS) {
        // With `-e`, the first word is the path.
        if let Some(first) = typed.shift_remove("pattern")
            && typed.insert("path".to_owned(), first).is_some()
        {
            return Err("with -e there is one path and no other pattern".to_owned());
        }
        let patterns: Vec<_> = patterns.collect();
        let pattern = match &patterns[..] {
            [pattern] => (*pattern).clone(),
            several => {
                let regex = typed.insert("regex".to_owned(), true.into()) == Some(true.into());
                let one = |pattern: &&String| match regex {
                    true => format!("(?:{pattern})"),
                    false => regex_syntax::escape(pattern),
                };
                several.iter().map(one).collect::<Vec<_>>().join("|")
            }
        };
        typed.insert("pattern".to_owned(), pattern.into());
    }
    for (flag, mode) in [(FILES, "files"), (COUNT, "count")] {
        if args.get_flag(flag) {
            typed.insert("mode".to_owned(), mode.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::arguments::tests::typed;

    #[test]
    fn letters_say_what_they_say_elsewhere() {
        for (words, expected) in [
            (&["grep", "-inw", "x"][..], json!({"pattern": "x", "ignore_case": true, "word": true})),
            (&["grep", "-rn", "x", "src"], json!({"pattern": "x", "path": "src"})),
            (&["grep", "-l", "x"], json!({"pattern": "x", "mode": "files"})),
            (&["grep", "-c", "x"], json!({"pattern": "x", "mode": "count"})),
            (&["grep", "-vE", "a|b"], json!({"pattern": "a|b", "invert": true, "regex": true})),
            (&["grep", "-F", "a|b"], json!({"pattern": "a|b"})),
            (&["grep", "-A2", "-B", "1", "x"], json!({"pattern": "x", "after": 2, "before": 1})),
            (&["grep", "-e", "-x", "src"], json!({"pattern": "-x", "path": "src"})),
            (&["grep", "-e", "-x"], json!({"pattern": "-x"})),
            (&["grep", "-e", "a.b", "-e", "c"], json!({"pattern": "a\\.b|c", "regex": true})),
            (&["grep", "-Ee", "a.b", "-e", "c|d"], json!({"pattern": "(?:a.b)|(?:c|d)", "regex": true})),
        ] {
            assert_eq!(typed(words).unwrap(), expected, "{words:?}");
        }
        for words in [
            &["grep"][..],
            &["grep", "-EF", "x"],
            &["grep", "-lc", "x"],
            &["grep", "-l", "x", "--mode", "count"],
            &["grep", "-e", "x", "y", "z"],
        ] {
            assert!(typed(words).is_err(), "{words:?}");
        }
    }
}

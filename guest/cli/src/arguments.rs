//! Converts typed arguments to JSON.

use clap::ArgMatches;
use fsgate_contract::{Kind, Operation};
use serde_json::{Map, Value};

use crate::content;
use crate::environment::Streams;
use crate::flags::{is_on, kebab, takes_files};
use crate::grep_aliases;

/// The arguments as typed.
pub fn arguments(
    operation: &Operation,
    args: &ArgMatches,
    streams: &dyn Streams,
) -> Result<Map<String, Value>, String> {
    let text = |name: &str| args.get_one::<String>(name);
    let inputs = operation.fields.iter().filter(|field| {
        takes_files(field.kind) && text(field.name).is_some_and(|word| content::is_input(word))
    });
    let inputs: Vec<_> = inputs.map(|field| format!("`--{}`", kebab(field.name))).collect();
    if inputs.len() > 1 {
        return Err(format!("only one of {} can come from standard input", inputs.join(" and ")));
    }
    // A text from a file may be in the changed file's encoding, such as a diff.
    let takes_encoding = operation.fields.iter().any(|field| field.name == "encoding");
    let encoding = if takes_encoding { text("encoding").map(String::as_str) } else { None };
    let value = |word: &str, kind| content::value(word, kind, streams, takes_encoding, encoding);
    let mut object = Map::new();
    for field in operation.fields {
        let value = match field.kind {
            Kind::Text => text(field.name).cloned().map(Value::from),
            Kind::Choice => text(field.name).map(|word| Value::from(word.replace('-', "_"))),
            Kind::Content | Kind::Bytes => text(field.name)
                .map(|word| value(word, field.kind))
                .transpose()
                .map_err(|problem| format!("`--{}`: {problem}", kebab(field.name)))?
                .map(Value::from),
            Kind::Records => text(field.name)
                .map(|word| records(&value(word, field.kind)?))
                .transpose()
                .map_err(|problem| format!("`--{}`: {problem}", kebab(field.name)))?,
            Kind::Texts => {
                args.get_many::<String>(field.name).map(|texts| texts.cloned().map(Value::from).collect())
            }
            Kind::Integer => args.get_one::<u64>(field.name).copied().map(Value::from),
            Kind::Boolean => args.get_flag(field.name).then(|| Value::from(!is_on(field))),
        };
        if let Some(value) = value {
            object.insert(field.name.to_owned(), value);
        }
    }
    if operation.name == "grep" {
        grep_aliases::complete(args, &mut object)?;
    }
    Ok(object)
}

fn records(text: &str) -> Result<Value, String> {
    let list: Vec<Value> =
        serde_json::from_str(text).map_err(|error| format!("this is no list in JSON: {error}"))?;
    Ok(Value::Array(list))
}

#[cfg(test)]
pub(crate) mod tests {
    use clap::Command;
    use serde_json::json;

    use super::*;
    use crate::environment::Unwritten;
    use crate::flags::subcommands;

    /// Standard input holds `in`; each file holds its name decoded from base64.
    struct Fixed;

    impl Streams for Fixed {
        fn input(&self, _: usize) -> Result<Vec<u8>, String> {
            Ok(b"in".to_vec())
        }

        fn file(&self, path: &str, _: usize) -> Result<Vec<u8>, String> {
            match path {
                "bytes" => Ok(vec![b'a', 0xFF]),
                "latin" => Ok(b"-caf\xE9\n".to_vec()),
                "text" => Ok(b"-\r\n".to_vec()),
                "list" => Ok(b"[{\"path\": \"a\", \"delete\": true}]\n".to_vec()),
                _ => Err("no such file".to_owned()),
            }
        }

        fn answer(&self, _: &[u8]) -> Result<(), Unwritten> {
            Ok(())
        }

        fn complain(&self, _: &str) {}
    }

    pub(crate) fn typed(words: &[&str]) -> Result<Value, String> {
        let root = Command::new("fsgate").no_binary_name(true).subcommands(subcommands("a file", ""));
        let matches = root.try_get_matches_from(words).map_err(|error| error.to_string())?;
        let (name, args) = matches.subcommand().ok_or("no subcommand")?;
        arguments(Operation::find(name).ok_or("no tool")?, args, &Fixed).map(Value::Object)
    }

    #[test]
    fn flags_become_arguments() {
        for (words, expected) in [
            (&["read", "a.txt"][..], json!({"path": "a.txt"})),
            (
                &["replace", "a.txt", "--old=-x", "--new=", "--occurrence", "2", "--diff"],
                json!({"path": "a.txt", "old": "-x", "new": "", "occurrence": 2, "diff": true}),
            ),
            (
                &["create", "a.txt", "--content", "x", "--no-parents"],
                json!({"path": "a.txt", "content": "x", "parents": false}),
            ),
            (&["append", "a", "--content", "-"], json!({"path": "a", "content": "in"})),
            (&["append", "a", "--content", "@text"], json!({"path": "a", "content": "-\r\n"})),
            (&["append", "a", "--content", "@@text"], json!({"path": "a", "content": "text"})),
            (&["append", "a", "--content", "@@@text"], json!({"path": "a", "content": "@text"})),
            (&["append", "a", "--content", "--"], json!({"path": "a", "content": "--"})),
            (&["write-bytes", "a", "--bytes", "@bytes"], json!({"path": "a", "bytes": "Yf8="})),
            (&["write-bytes", "a", "--bytes", "-"], json!({"path": "a", "bytes": "aW4="})),
            (&["write-bytes", "a", "--bytes", "Yf8="], json!({"path": "a", "bytes": "Yf8="})),
            (&["read-many", "a", "b", "--joined"], json!({"paths": ["a", "b"], "joined": true})),
            (
                &["apply", "--edits", "@list", "--dry-run"],
                json!({"edits": [{"path": "a", "delete": true}], "dry_run": true}),
            ),
            (
                &["apply", "--patch", "@latin", "--encoding", "latin1"],
                json!({"patch": "-caf\u{e9}\n", "encoding": "latin1"}),
            ),
            (
                &["apply", "--patch", "@text", "--encoding", "latin1"],
                json!({"patch": "-\r\n", "encoding": "latin1"}),
            ),
            (&["apply", "--edits=[1]"], json!({"edits": [1]})),
            (&["apply"], json!({})),
            (
                &["read-bytes", "a", "--offset", "5000000000"],
                json!({"path": "a", "offset": 5_000_000_000_u64}),
            ),
        ] {
            assert_eq!(typed(words).unwrap(), expected, "{words:?}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (words, expected) in [
            (&["create", "a", "--content", "@bytes"][..], "`--content`: `bytes` is not UTF-8"),
            (&["create", "a", "--content", "@none"], "no such file"),
            (
                &["apply", "--edits", "-"],
                "`--edits`: this is no list in JSON: expected value at line 1 column 1",
            ),
            (&["apply", "--edits", "{}"], "`--edits`: this is no list in JSON: invalid type: map"),
            (&["apply", "--edits", "@bytes"], "`bytes` is not UTF-8"),
            (&["apply", "--patch", "@latin"], "name the encoding that it is in with `--encoding`"),
            (
                &["apply", "--patch", "@latin", "--encoding", "shift_jis"],
                "it is no text in `shift_jis` either",
            ),
            (&["apply", "--patch", "@latin", "--encoding", "latin"], "there is no encoding `latin`"),
            (&["replace", "a", "--old", "-", "--new", "-"], "only one of `--old` and `--new`"),
            (&["read", "a", "--max-bytes", "0"], "1..=1048576"),
            (&["read-many"], "PATH"),
            (&["raed", "a"], "'read'"),
            (&["read", "a", "--max-line", "3"], "--max-lines"),
        ] {
            let refused = typed(words).unwrap_err();
            assert!(refused.contains(expected), "{words:?}: {refused}");
        }
    }
}

//! Front ends at a shell: a text on standard input, an answer on standard output.

pub(crate) mod command;
pub(crate) mod file_action;
pub(crate) mod plugin;
pub(crate) mod sham;
#[cfg(test)]
mod testing;
pub(crate) mod workflow;

use clap::Command;
use fsgate_compat::InJson;
use fsgate_contract::limits::FRONT_END_TEXT_BYTES;
use serde::Serialize;
use serde_json::Value;

use crate::content::unmarked;
use crate::environment::{Shell, Streams};
use crate::exit::Exit;

/// Their subcommands; a changing one needs `change`.
pub(crate) fn commands(change: &str) -> [Command; 5] {
    [
        command::command(change),
        file_action::command(change),
        plugin::command(change),
        sham::command(change),
        workflow::command(),
    ]
}

fn text(shell: Shell) -> Result<String, Exit> {
    read(shell.streams).map_err(|problem| {
        shell.complain(&problem);
        Exit::Usage
    })
}

/// Runs a text. The audit gets one without calls.
fn spoken<A: Serialize, T: Serialize>(
    front_end: &str,
    args: &A,
    shell: Shell,
    run: impl FnOnce(&InJson) -> T,
) -> Result<T, Exit> {
    let call = |tool: &str, arguments: &str| shell.caller.call(tool, arguments);
    let (outcome, has_called) = InJson::heard(shell.caller.bounds(), call, run);
    if !has_called {
        // Such records always have a form in JSON.
        let arguments = serde_json::to_string(args).unwrap_or_default();
        let answer = serde_json::to_string(&outcome).map_err(|problem| problem.to_string());
        shell.caller.uncalled(front_end, &arguments, &answer).map_err(|problem| {
            shell.complain(&problem);
            Exit::Refused
        })?;
    }
    Ok(outcome)
}

fn ended(output: &str) -> Exit {
    let output: Value = serde_json::from_str(output).unwrap_or_default();
    if output["success"] == true { Exit::Done } else { Exit::Refused }
}

fn read(streams: &dyn Streams) -> Result<String, String> {
    let bytes = streams.input(FRONT_END_TEXT_BYTES + 1)?;
    if bytes.len() > FRONT_END_TEXT_BYTES {
        return Err(format!(
            "standard input has more than {FRONT_END_TEXT_BYTES} bytes, and a text has at most that many"
        ));
    }
    String::from_utf8(unmarked(bytes)).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        format!("standard input is not UTF-8 text: the byte at offset {offset} begins no character")
    })
}

#[cfg(test)]
mod tests {
    use fsgate_volume::memory::{Item, Memory};
    use serde_json::json;

    use super::*;
    use crate::front_ends::testing::ran;

    #[test]
    fn what_lasts_between_two_texts_is_handed_over_by_call() {
        let volume = Memory::default();
        volume.put("a", Item::File(Vec::new()));
        let call = |text: &str, state: &Value| {
            let block = format!("#!SHAM [@three-char-SHA-256: abc]\n{text}\n#!END_SHAM_abc");
            let arguments = json!({"text": block, "state": state}).to_string();
            let (exit, outside) = ran(&volume, "call", &["sham", &arguments], b"");
            assert_eq!(exit, Exit::Done);
            serde_json::from_slice::<Value>(&outside.shown.into_inner()).unwrap()
        };
        let first = call("action = \"context_add\"\npath = \"/tmp/a\"", &Value::Null);
        let second = call("action = \"context_list\"", &first["state"]);
        assert!(second["output"].as_str().unwrap().contains("/tmp/a"), "{second}");
        let (exit, outside) = ran(&volume, "call", &["sham", "{\"txt\": \"\"}"], b"");
        let told = outside.told.into_inner();
        assert!(exit == Exit::Usage && told[0].contains("unknown field `txt`"), "{told:?}");
    }

    #[test]
    fn a_byte_order_mark_belongs_to_no_text() {
        let block = "#!SHAM [@three-char-SHA-256: abc]\naction = \"context_list\"\n#!END_SHAM_abc";
        let action = json!({"action": "create", "path": "b", "content": "two"});
        let call = json!({"tool": "filesystem.read", "input": {"path": "a"}});
        for (command, words, text) in [
            ("call", &["read", "-"][..], json!({"path": "a"}).to_string()),
            ("command", &[], "readFile a".to_owned()),
            ("file-action", &[], action.to_string()),
            ("plugin", &[], call.to_string()),
            ("sham", &[], block.to_owned()),
            ("workflow", &[], "{{invoke_tool: read_file\n  file_path: \"a\"\n}}".to_owned()),
        ] {
            let output = |text: &str| {
                let volume = Memory::default();
                volume.put("a", Item::File(b"one".to_vec()));
                let (exit, outside) = ran(&volume, command, words, text.as_bytes());
                assert_eq!(exit, Exit::Done, "{command} {:?}", outside.told);
                outside.shown.into_inner()
            };
            assert_eq!(output(&text), output(&format!("\u{FEFF}{text}")), "{command}");
        }
    }

    #[test]
    fn what_is_no_text_is_wrong_usage() {
        for (input, sentence) in [
            (b"a\xFF".to_vec(), "the byte at offset 1 begins no character"),
            (vec![b'a'; FRONT_END_TEXT_BYTES + 1], "more than 16777216 bytes"),
        ] {
            let (exit, outside) = ran(&Memory::default(), "sham", &[], &input);
            assert_eq!((exit, &outside.shown.into_inner()[..]), (Exit::Usage, &b""[..]));
            let told = outside.told.into_inner();
            assert!(matches!(&told[..], [line] if line.contains(sentence)), "{told:?}");
        }
    }
}

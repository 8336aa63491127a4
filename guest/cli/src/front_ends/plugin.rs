//! `plugin`: JSON calls of `filesystem.*` on standard input.

use clap::{ArgMatches, Command};
use fsgate_compat::plugin;
use fsgate_contract::front_ends_types::PluginArgs;
use serde_json::Value;

use crate::environment::Shell;
use crate::exit::Exit;
use crate::flags::examples;
use crate::front_ends::{spoken, text};

pub(crate) fn command(change: &str) -> Command {
    Command::new("plugin")
        .about("Carries out calls of the tools `filesystem.*` in JSON, and prints their answers in JSON")
        .long_about(
            "Carries out one call, or a list of calls, in JSON on standard input: an object with `tool`, which is \
             `filesystem.write`, `read`, `list`, `glob`, `remove` or `output`, and `input`. Prints the answer, or a list of \
             them: an object with `output`, or with `error`. Every call is carried out, whatever becomes of the others; the \
             command fails if an answer has an `error`.",
        )
        .after_long_help(examples(&[
            "echo '{\"tool\": \"filesystem.list\", \"input\": {}}' | fsgate plugin",
            &format!("fsgate plugin{change} < calls.json"),
        ]))
}

pub(crate) fn run(_: &ArgMatches, shell: Shell) -> Result<Exit, Exit> {
    let args = PluginArgs { text: text(shell)?, now: shell.caller.now() };
    let outcome = spoken("plugin", &args, shell, |tools| plugin::run(tools, &args))?;
    shell.print(format!("{}\n", outcome.output).as_bytes())?;
    let output: Value = serde_json::from_str(&outcome.output).unwrap_or_default();
    let answers = output.as_array().map_or(std::slice::from_ref(&output), Vec::as_slice);
    let has_failed = answers.iter().any(|answer| answer.get("error").is_some());
    Ok(if has_failed { Exit::Refused } else { Exit::Done })
}

#[cfg(test)]
mod tests {
    use fsgate_volume::memory::{Item, Memory};

    use super::*;
    use crate::front_ends::testing::ran;

    const WRITE: &str = r#"{"tool": "filesystem.write", "input": {"path": "a.txt", "content": "one"}}"#;
    const READ: &str = r#"{"tool": "filesystem.read", "input": {"path": "a.txt"}}"#;
    const REMOVE: &str = r#"{"tool": "filesystem.remove", "input": {"path": "a.txt"}}"#;

    #[test]
    fn every_call_is_answered_and_the_exit_code_tells_success() {
        const WRITTEN: &str = r#"{"output":{"path":"a.txt","size":3}}"#;
        const CONTENT: &str =
            r#"{"output":{"path":"a.txt","content":"one","mimeType":"text/plain","size":3}}"#;
        const MISSING: &str =
            r#"{"error":{"code":"not_found","message":"no such file or directory","path":"a.txt"}}"#;
        for (input, exit, expected, is_left) in [
            (WRITE.to_owned(), Exit::Done, WRITTEN.to_owned(), true),
            (format!("[{WRITE}, {READ}]"), Exit::Done, format!("[{WRITTEN},{CONTENT}]"), true),
            (format!("[{READ}, {WRITE}]"), Exit::Refused, format!("[{MISSING},{WRITTEN}]"), true),
            (
                format!("[{WRITE}, {REMOVE}]"),
                Exit::Done,
                format!("[{WRITTEN},{}]", r#"{"output":{"removed":true}}"#),
                false,
            ),
            ("[]\n".to_owned(), Exit::Done, "[]".to_owned(), false),
            (
                "1".to_owned(),
                Exit::Refused,
                r#"{"error":{"code":"malformed","message":"the text is neither a call nor a list of calls"}}"#
                    .to_owned(),
                false,
            ),
        ] {
            let volume = Memory::default();
            let (ended, outside) = ran(&volume, "plugin", &[], input.as_bytes());
            assert_eq!(ended, exit, "{input}");
            assert_eq!(String::from_utf8(outside.shown.into_inner()).unwrap(), expected + "\n");
            assert_eq!(outside.told.into_inner(), [""; 0]);
            let left = is_left.then(|| Item::File(b"one".to_vec()));
            assert_eq!(volume.snapshot().get("a.txt"), left.as_ref(), "{input}");
        }
    }
}

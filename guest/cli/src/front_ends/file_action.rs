//! `file-action`: JSON actions on standard input.

use clap::{ArgMatches, Command};
use fsgate_compat::file_action;
use fsgate_contract::front_ends_types::FileActionArgs;

use crate::environment::Shell;
use crate::exit::Exit;
use crate::flags::examples;
use crate::front_ends::{ended, spoken, text};

pub(crate) fn command(change: &str) -> Command {
    Command::new("file-action")
        .about("Creates files and appends to them, as actions in JSON say, and prints what they come to in JSON")
        .long_about(
            "Carries out one action, or a list of actions, in JSON on standard input: an object with `action`, which is \
             `create` or `append`, `path` and `content`. Prints a JSON object with `success`, `results` and, where \
             nothing could be done at all, `error`. Every action is carried out, whatever becomes of the others; the \
             command fails if `success` is false.",
        )
        .after_long_help(examples(&[
            &format!(
                "echo '{{\"action\": \"create\", \"path\": \"docs/a.md\", \"content\": \"# A\"}}' | fsgate file-action{change}"
            ),
            &format!("fsgate file-action{change} < actions.json"),
        ]))
}

pub(crate) fn run(_: &ArgMatches, shell: Shell) -> Result<Exit, Exit> {
    let args = FileActionArgs { text: text(shell)? };
    let outcome = spoken("file_action", &args, shell, |tools| file_action::run(tools, &args))?;
    shell.print(format!("{}\n", outcome.output).as_bytes())?;
    Ok(ended(&outcome.output))
}

#[cfg(test)]
mod tests {
    use fsgate_volume::memory::{Item, Memory};

    use serde_json::Value;

    use super::*;
    use crate::front_ends::testing::ran;

    const CREATE: &str = "{\"action\": \"create\", \"path\": \"a.md\", \"content\": \"one\"}";
    const APPEND: &str = "{\"action\": \"append\", \"path\": \"a.md\", \"content\": \"two\"}";
    const UP: &str = "{\"action\": \"append\", \"path\": \"../a.md\", \"content\": \"two\"}";

    #[test]
    fn every_action_is_a_call_and_the_exit_code_tells_success() {
        for (input, exit, results, called, left) in [
            (CREATE.to_owned(), Exit::Done, &[true][..], &["create"][..], Some("one")),
            (
                format!("[{CREATE},{APPEND}]"),
                Exit::Done,
                &[true, true],
                &["create", "append"],
                Some("one\n\ntwo"),
            ),
            (
                format!("[{APPEND},{CREATE}]"),
                Exit::Refused,
                &[false, true],
                &["append", "create"],
                Some("one"),
            ),
            (format!("[{CREATE},{UP}]"), Exit::Refused, &[true, false], &["create"], Some("one")),
            ("[]\n".to_owned(), Exit::Done, &[], &[], None),
            ("create a.md".to_owned(), Exit::Refused, &[], &[], None),
            (String::new(), Exit::Refused, &[], &[], None),
        ] {
            let volume = Memory::default();
            let (ended, outside) = ran(&volume, "file-action", &[], input.as_bytes());
            assert_eq!(ended, exit, "{input}");
            let shown = String::from_utf8(outside.shown.into_inner()).unwrap();
            assert!(shown.ends_with("}\n"), "{shown}");
            let output: Value = serde_json::from_str(&shown).unwrap();
            let succeeded =
                output["results"].as_array().unwrap().iter().map(|result| result["success"] == true);
            assert_eq!(succeeded.collect::<Vec<_>>(), results, "{shown}");
            assert_eq!(outside.called.into_inner(), called);
            assert_eq!(outside.told.into_inner(), [""; 0]);
            let left = left.map(|content: &str| Item::File(content.as_bytes().to_vec()));
            assert_eq!(volume.snapshot().get("a.md"), left.as_ref(), "{shown}");
        }
    }
}

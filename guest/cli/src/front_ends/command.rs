//! `command`: a command on standard input, such as `writeFile a.txt options: content: hello`.

use clap::{Arg, ArgMatches, Command};
use fsgate_compat::command;
use fsgate_contract::front_ends_types::{CommandArgs, CommandOutcome};

use crate::environment::Shell;
use crate::exit::Exit;
use crate::flags::examples;
use crate::front_ends::{spoken, text};

pub(crate) fn command(change: &str) -> Command {
    let value = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("TEXT").allow_hyphen_values(true).help(help)
    };
    Command::new("command")
        .about("Carries out one command of text, such as `readFile a.txt`, and prints its answer")
        .long_about(
            "Carries out one command of text on standard input: an operation, a path, and behind `options:` what is needed \
             besides. The answer goes to standard output, the sentence of an error to standard error. If the options \
             cannot be read, nothing is done, and the question about them is printed in JSON: `raw`, `instruction` \
             and `keys`. The same command with `--content` or `--destination` answers it.",
        )
        .arg(value("content", "What the content is, if the options cannot be read"))
        .arg(value("destination", "What the destination is, if the options cannot be read"))
        .after_long_help(examples(&[
            "echo 'readFile a.txt' | fsgate command",
            &format!("echo 'writeFile a.txt options: content: hello' | fsgate command{change}"),
        ]))
}

pub(crate) fn run(args: &ArgMatches, shell: Shell) -> Result<Exit, Exit> {
    let given = |name: &str| args.get_one::<String>(name).cloned();
    let args = CommandArgs {
        text: text(shell)?,
        content: given("content"),
        destination: given("destination"),
        ask: None,
    };
    match spoken("command", &args, shell, |tools| command::run(tools, &args))? {
        CommandOutcome::Done(answer) => {
            shell.print(format!("{answer}\n").as_bytes())?;
            Ok(Exit::Done)
        }
        CommandOutcome::Failed(sentence) => {
            shell.complain(&sentence);
            Ok(Exit::Refused)
        }
        CommandOutcome::NeedsOptions(question) => {
            // Texts have a form in JSON.
            let question = serde_json::to_string(&question).unwrap_or_default();
            shell.print(format!("{question}\n").as_bytes())?;
            shell.complain(
                "the options cannot be read; give the same command with --content or --destination, or both",
            );
            Ok(Exit::Refused)
        }
    }
}

#[cfg(test)]
mod tests {
    use fsgate_volume::memory::{Item, Memory};

    use super::*;
    use crate::front_ends::testing::ran;

    #[test]
    fn answers_go_to_standard_output_and_errors_to_standard_error() {
        const QUESTION: &str = "{\"raw\":\"say -x\",\"instruction\":\"Extract file system operation options as key-value pairs.\",\"keys\":[\"content\",\"destination\"]}\n";
        const HOW: &str =
            "the options cannot be read; give the same command with --content or --destination, or both";
        const WROTE: &str = "Wrote file at /tmp/a successfully.\n";
        for (words, input, exit, shown, told, called, left) in [
            (&[][..], "readFile a\n", Exit::Done, "FILE_CONTENT:\nold\n", &[][..], &["read"][..], "old"),
            (&[], "writeFile a options: content: new\n\n", Exit::Done, WROTE, &[], &["write"], "new"),
            (
                &[],
                "readFile /tmp/b",
                Exit::Refused,
                "",
                &["ENOENT: no such file or directory, open '/tmp/b'"],
                &["read"],
                "old",
            ),
            (
                &[],
                "readFile b",
                Exit::Refused,
                "",
                &["ENOENT: no such file or directory, open '/tmp/b'"],
                &["read", "stat"],
                "old",
            ),
            (&[], "", Exit::Refused, "", &["No input provided for file-system operation"], &[], "old"),
            (&[], "writeFile a options: say -x", Exit::Refused, QUESTION, &[HOW], &[], "old"),
            (&["--content", "-x"], "writeFile a options: say -x", Exit::Done, WROTE, &[], &["write"], "-x"),
            (
                &["--destination=b c"],
                "copyFile a options: to b c",
                Exit::Done,
                "Copied file from /tmp/a to /tmp/b c successfully.\n",
                &[],
                &["copy"],
                "old",
            ),
        ] {
            let volume = Memory::default();
            volume.put("a", Item::File(b"old".to_vec()));
            let (ended, outside) = ran(&volume, "command", words, input.as_bytes());
            assert_eq!(ended, exit, "{input}");
            assert_eq!(String::from_utf8(outside.shown.into_inner()).unwrap(), shown);
            assert_eq!(outside.told.into_inner(), told);
            assert_eq!(outside.called.into_inner(), called);
            assert_eq!(volume.snapshot().get("a"), Some(&Item::File(left.as_bytes().to_vec())), "{input}");
        }
    }
}

//! `sham`: a text with SHAM blocks on standard input.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Command};
use fsgate_compat::sham;
use fsgate_contract::front_ends_types::ShamArgs;

use crate::environment::Shell;
use crate::exit::Exit;
use crate::flags::examples;
use crate::front_ends::{ended, spoken, text};

pub(crate) fn command(change: &str) -> Command {
    let whose = [
        PossibleValue::new("model").help("Its actions are those that a model may take"),
        PossibleValue::new("user")
            .help("Actions that only a person may take are open as well, such as `undo`"),
    ];
    Command::new("sham")
        .about("Carries out the SHAM blocks of a text, and prints what they come to in JSON")
        .long_about(
            "Carries out the SHAM blocks of a text, such as a model's whole answer on standard input, and prints what \
             they come to: a JSON object with `success`, `totalBlocks`, `executedActions`, `results`, `parseErrors` and, \
             where nothing could be done at all, `fatalError`. Every action is carried out, whatever becomes of the \
             others; the command fails if `success` is false.",
        )
        .arg(
            Arg::new("as")
                .long("as")
                .value_name("WHO")
                .value_parser(PossibleValuesParser::new(whose))
                .default_value("model")
                .help("Whose text it is"),
        )
        .arg(
            Arg::new("session")
                .long("session")
                .value_name("NAME")
                .value_parser(session)
                .default_value("default")
                .help("The session that the text goes on with: its working set, and the changes that `undo` takes back"),
        )
        .after_long_help(examples(&[
            &format!("fsgate sham{change} < answer.md"),
            &format!("fsgate sham --as user{change} < answer.md"),
        ]))
}

pub(crate) fn run(args: &ArgMatches, shell: Shell) -> Result<Exit, Exit> {
    let text = text(shell)?;
    let as_user = args.get_one::<String>("as").is_some_and(|who| who == "user");
    let session = args.get_one::<String>("session").map_or("default", String::as_str);
    let refused = |problem: String| {
        shell.complain(&problem);
        Exit::Refused
    };
    let state = shell.caller.kept(NAME, session).map_err(refused)?;
    let args = ShamArgs { text, state, as_user: Some(as_user) };
    let outcome = spoken(NAME, &args, shell, |tools| sham::run(tools, &args))?;
    let kept = match outcome.state == args.state {
        true => Ok(()),
        false => shell.caller.keep(NAME, session, outcome.state.as_deref()).map_err(refused),
    };
    shell.print(format!("{}\n", outcome.output).as_bytes())?;
    kept.map(|()| ended(&outcome.output))
}

const NAME: &str = "sham";

fn session(typed: &str) -> Result<String, String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    match (1..=64).contains(&typed.len()) && typed.bytes().all(is_plain) {
        true => Ok(typed.to_owned()),
        false => Err("a name has 1 to 64 letters, digits, `-` or `_`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use fsgate_volume::memory::{Item, Memory};

    use serde_json::Value;

    use super::*;
    use crate::front_ends::testing::{ran, succeeded};

    fn block(lines: &str) -> String {
        format!("#!SHAM [@three-char-SHA-256: abc]\n{lines}\n#!END_SHAM_abc\n")
    }

    const WRITE: &str = "action = \"file_write\"\npath = \"/tmp/a\"\ncontent = \"new\"";
    const READ: &str = "action = \"file_read\"\npath = \"/tmp/a\"";
    const MISSING: &str = "action = \"file_read\"\npath = \"/tmp/none\"";
    const UNDO: &str = "action = \"undo\"";

    #[test]
    fn every_action_is_a_call_and_the_exit_code_tells_success() {
        for (words, blocks, exit, results, called, left) in [
            (&[][..], &[][..], Exit::Done, &[][..], &[][..], None),
            (&[], &[WRITE, READ], Exit::Done, &[true, true], &["write", "read"], Some("new")),
            (
                &[],
                &[WRITE, MISSING, READ],
                Exit::Refused,
                &[true, false, true],
                &["write", "read", "read"],
                Some("new"),
            ),
            (&[], &[WRITE, UNDO], Exit::Refused, &[true, false], &["write"], Some("new")),
            (&["--as", "model"], &[WRITE, UNDO], Exit::Refused, &[true, false], &["write"], Some("new")),
            (&["--as", "user"], &[WRITE, UNDO], Exit::Done, &[true, true], &["write", "undo"], None),
            (&[], &["no assignment"], Exit::Refused, &[], &[], None),
        ] {
            let volume = Memory::default();
            let text =
                format!("Before.\n{}After.", blocks.iter().map(|lines| block(lines)).collect::<String>());
            let (ended, outside) = ran(&volume, "sham", words, text.as_bytes());
            assert_eq!(ended, exit, "{text}");
            let shown = String::from_utf8(outside.shown.into_inner()).unwrap();
            assert!(shown.ends_with("}\n"), "{shown}");
            let output: Value = serde_json::from_str(&shown).unwrap();
            assert_eq!(succeeded(&output), results, "{shown}");
            assert_eq!(outside.called.into_inner(), called);
            assert_eq!(outside.told.into_inner(), [""; 0]);
            let left = left.map(|content: &str| Item::File(content.as_bytes().to_vec()));
            assert_eq!(volume.snapshot().get("a"), left.as_ref(), "{shown}");
        }
    }
}

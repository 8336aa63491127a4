//! `sham`: the SHAM blocks of a text on standard input.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Command};
use fsgate_core::contract::front_ends_types::ShamArgs;
use fsgate_core::front_ends::{InJson, sham};
use fsgate_core::limits::SHAM_TEXT_BYTES;
use serde_json::Value;

use crate::exit::Exit;
use crate::outside::{Shell, Streams};

pub(crate) fn command() -> Command {
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
        .after_long_help("Examples:\n  fsgate sham < answer.md\n  fsgate sham --as user < answer.md")
}

pub(crate) fn run(args: &ArgMatches, shell: Shell) -> Result<Exit, Exit> {
    let refused = |problem: String| {
        shell.complain(&problem);
        Exit::Usage
    };
    let text = text(shell.streams).map_err(refused)?;
    let as_user = args.get_one::<String>("as").is_some_and(|who| who == "user");
    let call = |tool: &str, arguments: &str| shell.caller.call(tool, arguments);
    let outcome = sham::run(&InJson(&call), &ShamArgs { text, state: None, as_user: Some(as_user) });
    shell.print(format!("{}\n", outcome.output).as_bytes())?;
    let output: Value = serde_json::from_str(&outcome.output).unwrap_or_default();
    Ok(if output["success"] == true { Exit::Done } else { Exit::Refused })
}

/// Standard input to its end.
fn text(streams: &dyn Streams) -> Result<String, String> {
    let bytes = streams.input(SHAM_TEXT_BYTES + 1)?;
    if bytes.len() > SHAM_TEXT_BYTES {
        return Err(format!(
            "standard input has more than {SHAM_TEXT_BYTES} bytes, and a text has at most that many"
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        format!("standard input is not UTF-8 text: the byte at offset {offset} begins no character")
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use fsgate_core::agent;
    use fsgate_core::contract::agent_types::{CallArgs, Tool};
    use fsgate_core::namespace::Grant;
    use fsgate_core::session::Session;
    use fsgate_core::volume::Access;
    use fsgate_core::volume::memory::{Item, Memory};

    use super::*;
    use crate::outside::{Caller, Unwritten};

    /// A session over `/tmp`, what was called in it, and streams.
    struct Outside {
        session: Session<Memory>,
        called: RefCell<Vec<String>>,
        input: Vec<u8>,
        shown: RefCell<Vec<u8>>,
        told: RefCell<Vec<String>>,
    }

    impl Caller for Outside {
        fn call(&self, tool: &str, arguments: &str) -> Result<String, String> {
            self.called.borrow_mut().push(tool.to_owned());
            let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
            agent::call(&self.session, &args).map(|outcome| outcome.outcome).map_err(|refused| refused.error)
        }

        fn tools(&self) -> Result<Vec<Tool>, String> {
            Ok(agent::catalogue())
        }
    }

    impl Streams for Outside {
        fn input(&self, most: usize) -> Result<Vec<u8>, String> {
            Ok(self.input[..most.min(self.input.len())].to_vec())
        }

        fn file(&self, path: &str, _: usize) -> Result<Vec<u8>, String> {
            Err(format!("there is no file `{path}`"))
        }

        fn answer(&self, bytes: &[u8]) -> Result<(), Unwritten> {
            self.shown.borrow_mut().extend_from_slice(bytes);
            Ok(())
        }

        fn complain(&self, line: &str) {
            self.told.borrow_mut().push(line.to_owned());
        }
    }

    /// Runs a command over a volume.
    fn ran(volume: &Memory, words: &[&str], input: &[u8]) -> (Exit, Outside) {
        let grant =
            |name: &str, volume: Memory| Grant { name: name.to_owned(), volume, access: Access::Write };
        let grants = vec![grant("/tmp", volume.clone()), grant("/.fsgate", Memory::default())];
        let outside = Outside {
            session: Session::open_or_refuse(grants, [("FSGATE_LOCK", "host")]),
            called: RefCell::default(),
            input: input.to_vec(),
            shown: RefCell::default(),
            told: RefCell::default(),
        };
        let root = Command::new("fsgate").subcommands(crate::subcommands("a file"));
        let matches = root.try_get_matches_from(["fsgate", "sham"].iter().chain(words)).unwrap();
        let (name, args) = matches.subcommand().unwrap();
        let exit = crate::run(name, args, Shell { caller: &outside, streams: &outside }).unwrap();
        (exit, outside)
    }

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
            let (ended, outside) = ran(&volume, words, text.as_bytes());
            assert_eq!(ended, exit, "{text}");
            let shown = String::from_utf8(outside.shown.into_inner()).unwrap();
            assert!(shown.ends_with("}\n"), "{shown}");
            let output: Value = serde_json::from_str(&shown).unwrap();
            let succeeded: Vec<_> = output["results"]
                .as_array()
                .unwrap()
                .iter()
                .map(|result| result["success"] == true)
                .collect();
            assert_eq!(succeeded, results, "{shown}");
            assert_eq!(outside.called.into_inner(), called);
            assert_eq!(outside.told.into_inner(), [""; 0]);
            let left = left.map(|content: &str| Item::File(content.as_bytes().to_vec()));
            assert_eq!(volume.snapshot().get("a"), left.as_ref(), "{shown}");
        }
    }

    #[test]
    fn what_is_no_text_is_wrong_usage() {
        for (input, sentence) in [
            (b"a\xFF".to_vec(), "the byte at offset 1 begins no character"),
            (vec![b'a'; SHAM_TEXT_BYTES + 1], "more than 16777216 bytes"),
        ] {
            let (exit, outside) = ran(&Memory::default(), &[], &input);
            assert_eq!((exit, &outside.shown.into_inner()[..]), (Exit::Usage, &b""[..]));
            let told = outside.told.into_inner();
            assert!(matches!(&told[..], [line] if line.contains(sentence)), "{told:?}");
        }
    }
}

//! `workflow`: tool blocks of a workflow on standard input.

use clap::{Arg, ArgAction, ArgMatches, Command};
use fsgate_compat::workflow;
use fsgate_compat::workflow::front_matter::settings;
use fsgate_contract::front_ends_types::{WorkflowArgs, WorkflowVariable};
use serde_json::Value;

use crate::environment::Shell;
use crate::exit::Exit;
use crate::flags::examples;
use crate::front_ends::{spoken, text};

pub(crate) fn command() -> Command {
    Command::new("workflow")
        .about("Carries out the `{{invoke_tool: …}}` blocks of a workflow, and prints what they come to in JSON")
        .long_about(
            "Carries out the `{{invoke_tool: …}}` blocks of a text in Markdown on standard input, and prints what they come to: a \
             JSON object with `success`, `totalBlocks`, `results` and, where nothing could be done at all, `fatalError`. Every \
             block is carried out, whatever becomes of the others; the command fails if `success` is false.",
        )
        .arg(
            Arg::new("var")
                .long("var")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .value_parser(variable)
                .help("What `{{NAME}}` stands for in the values of blocks; for each variable once"),
        )
        .arg(
            Arg::new("render")
                .long("render")
                .action(ArgAction::SetTrue)
                .help("Print the text with results in the place of its blocks"),
        )
        .after_long_help(examples(&[
            "fsgate workflow < steps.md",
            "fsgate workflow --render --var class_name=Order < steps.md",
        ]))
}

fn variable(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) =
        text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(crate) fn run(args: &ArgMatches, shell: Shell) -> Result<Exit, Exit> {
    let text = text(shell)?;
    let variables = args.get_many::<(String, String)>("var").into_iter().flatten();
    let variables =
        variables.map(|(name, value)| WorkflowVariable { name: name.clone(), value: value.clone() });
    let variables = Some(variables.collect());
    let render = args.get_flag("render");
    // First: settings restrict all calls.
    let held = settings(&text).and_then(|settings| {
        let complained = |problem: String| shell.complain(&problem);
        shell.caller.hold_to(settings).map_err(complained).ok()
    });
    let args = WorkflowArgs {
        text,
        variables,
        render: Some(render),
        settings_hold: Some(held.is_some()),
        audited: held.map(|held| held.audited),
    };
    let outcome = spoken("workflow", &args, shell, |tools| workflow::run(tools, &args))?;
    let output: Value = serde_json::from_str(&outcome.output).unwrap_or_default();
    match outcome.rendered {
        // The rendered text has no results or reason.
        Some(_) if output["fatalError"].is_string() => {
            shell.complain(output["fatalError"].as_str().unwrap_or_default());
        }
        Some(rendered) => shell.print(rendered.as_bytes())?,
        None => shell.print(format!("{}\n", outcome.output).as_bytes())?,
    }
    Ok(if output["success"] == true { Exit::Done } else { Exit::Refused })
}

#[cfg(test)]
mod tests {
    use fsgate_volume::memory::{Item, Memory};

    use super::*;
    use crate::front_ends::testing::{ran, succeeded};

    const WRITE: &str = "{{invoke_tool: write_file\n  file_path: \"a\"\n  content: \"{{text}}\"\n}}";
    const READ: &str = "{{invoke_tool: read_file\n  file_path: \"a\"\n}}";
    const MISSING: &str = "{{invoke_tool: read_file\n  file_path: \"none\"\n}}";

    #[test]
    fn every_block_is_carried_out_and_the_exit_code_tells_success() {
        for (words, blocks, exit, results, left) in [
            (&["--var", "text=new"][..], &[WRITE, READ][..], Exit::Done, &[true, true][..], Some("new")),
            (&["--var", "text=a=b"], &[WRITE], Exit::Done, &[true], Some("a=b")),
            (&["--var", "text=new"], &[MISSING, WRITE], Exit::Refused, &[false, true], Some("new")),
            (&[], &[WRITE], Exit::Refused, &[false], None),
            (&[], &[], Exit::Done, &[], None),
        ] {
            let volume = Memory::default();
            let text = format!("Before.\n{}\nAfter.", blocks.join("\n"));
            let (ended, outside) = ran(&volume, "workflow", words, text.as_bytes());
            assert_eq!(ended, exit, "{text}");
            let shown = String::from_utf8(outside.shown.into_inner()).unwrap();
            let output: Value = serde_json::from_str(&shown).unwrap();
            assert_eq!(succeeded(&output), results, "{shown}");
            let left = left.map(|content: &str| Item::File(content.as_bytes().to_vec()));
            assert_eq!(volume.snapshot().get("a"), left.as_ref(), "{shown}");
        }
    }

    #[test]
    fn a_rendered_text_is_printed_as_it_is() {
        let volume = Memory::default();
        let text = format!("Before.\n{MISSING}\nAfter.");
        let (ended, outside) = ran(&volume, "workflow", &["--render"], text.as_bytes());
        let shown = String::from_utf8(outside.shown.into_inner()).unwrap();
        assert_eq!(ended, Exit::Refused);
        let lines: Vec<_> = shown.split('\n').collect();
        assert!(
            matches!(&lines[..], ["Before.", result, "After."] if result.starts_with("{\"success\":false,")),
            "{shown}"
        );
    }

    #[test]
    fn settings_that_nobody_holds_keep_everything_from_being_done() {
        for (words, shown_bytes) in
            [(&["--var", "text=x"][..], true), (&["--var", "text=x", "--render"], false)]
        {
            let volume = Memory::default();
            let text =
                format!("---\ntool_configuration:\n  file_system:\n    max_file_size: 1\n---\n{WRITE}\n");
            let (ended, outside) = ran(&volume, "workflow", words, text.as_bytes());
            assert_eq!((ended, volume.snapshot().len()), (Exit::Refused, 0));
            assert_eq!(!outside.shown.into_inner().is_empty(), shown_bytes);
            assert!(outside.told.into_inner()[0].contains("front matter"));
            assert!(outside.called.into_inner().is_empty());
        }
    }

    #[test]
    fn a_variable_has_a_name() {
        assert_eq!(variable("a=b=c"), Ok(("a".to_owned(), "b=c".to_owned())));
        assert_eq!(variable("a="), Ok(("a".to_owned(), String::new())));
        assert!(variable("a").is_err() && variable("=b").is_err());
    }
}

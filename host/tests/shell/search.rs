//! `grep` with the arguments of its namesakes, and its output on a terminal.

#![expect(clippy::print_stderr, reason = "a skipped test says why")]

use std::fs;
use std::process::Command;

use super::{Scratch, display};

#[test]
fn the_letters_of_grep_do_what_they_do_elsewhere() {
    let scratch = Scratch::new();
    fs::write(scratch.at("project/a.txt"), "One\none\nones\n\nt.o\ntwo\n").unwrap();
    fs::remove_file(scratch.at("project/sub/b.txt")).unwrap();
    for (words, code, out) in [
        (&["-i", "one"][..], 0, "1: One\n2: one\n3: ones\n"),
        (&["-w", "one"], 0, "2: one\n"),
        (&["-iw", "one"], 0, "1: One\n2: one\n"),
        (&["-n", "two"], 0, "6: two\n"),
        (&["-v", "o"], 0, "1: One\n4: \n"),
        (&["-vi", "o"], 0, "4: \n"),
        (&["-E", "t.o"], 0, "5: t.o\n6: two\n"),
        (&["-F", "t.o"], 0, "5: t.o\n"),
        (&["t.o"], 0, "5: t.o\n"),
        (&["-e", "two", "-e", "t.o"], 0, "5: t.o\n6: two\n"),
        (&["-e", "two", "."], 0, "6: two\n"),
        (&["-A1", "t.o"], 0, "5: t.o\n6- two\n"),
        (&["none"], 1, ""),
    ] {
        let ended = scratch.run("project", &[&["grep"], words].concat());
        let out = if out.is_empty() { String::new() } else { format!("a.txt\n{out}") };
        assert_eq!((ended.code, &ended.out), (code, &out), "{words:?}: {ended:?}");
    }
    assert_eq!(scratch.done("project", &["grep", "-l", "one"]).out, "a.txt\n");
    assert_eq!(scratch.done("project", &["grep", "-c", "one"]).out, "a.txt: 2\n");
    assert_eq!(scratch.done("project", &["grep", "-cv", "one"]).out, "a.txt: 4\n");
    let refused = scratch.run("project", &["grep", "-EF", "x"]);
    assert_eq!(refused.code, 2, "{refused:?}");
}

#[test]
fn colors_are_there_where_they_are_wanted() {
    let scratch = Scratch::new();
    let colored = "\x1b[35ma.txt\x1b[0m\n\x1b[32m2\x1b[0m: \x1b[1;31mtw\x1b[0mo\n";
    for (words, no_color, out) in [
        (&["grep", "tw", "--color=always"][..], false, colored),
        (&["grep", "tw", "--color=always"], true, colored),
        (&["grep", "tw", "--color=auto"], false, "a.txt\n2: two\n"),
        (&["grep", "tw", "--color=never"], false, "a.txt\n2: two\n"),
        (&["grep", "tw"], false, "a.txt\n2: two\n"),
        (&["grep", "--color", "tw"], false, "a.txt\n2: two\n"),
    ] {
        let mut command = scratch.command("project");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let output = command.args(words).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), out, "{words:?}");
    }
}

/// The screen of a terminal after a command, or `None` without a terminal program.
fn on_a_terminal(scratch: &Scratch, words: &str, terminal: &str, no_color: bool) -> Option<String> {
    let mut command = scratch.command("project");
    let mut script = Command::new("script");
    script.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if no_color {
        script.env("NO_COLOR", "1");
    }
    let line = format!("{} {words}", env!("CARGO_BIN_EXE_fsgate"));
    script.current_dir(command.current_dir(scratch.at("project")).get_current_dir()?).env("TERM", terminal);
    let output =
        script.args(["-qec", &line, "/dev/null"]).stdin(std::process::Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

#[test]
fn a_terminal_shows_colors_and_all_pages_of_a_search() {
    let scratch = Scratch::new();
    // More than a search covers between two pages.
    let many = 400;
    for number in 0..many {
        fs::write(
            scratch.at(&format!("project/sub/{number:03}.txt")),
            format!("{}needle\n", "x\n".repeat(2000)),
        )
        .unwrap();
    }
    let words = "grep needle --include '*.txt' sub 2>/dev/null";
    let Some(shown) = on_a_terminal(&scratch, words, "xterm", false) else {
        eprintln!("skipped: there is no program `script`");
        return;
    };
    assert_eq!(shown.matches("\x1b[1;31mneedle\x1b[0m").count(), many, "{shown:.500}");
    let piped = scratch.done("project", &["grep", "needle", "--include", "*.txt", "sub"]);
    for (terminal, no_color) in [("xterm", true), ("dumb", false)] {
        assert_eq!(on_a_terminal(&scratch, words, terminal, no_color).unwrap(), piped.out, "{terminal}");
    }
}

#[test]
fn the_server_says_at_a_terminal_how_a_client_is_set_up() {
    let scratch = Scratch::new();
    let project = display(&scratch.at("project"));
    let program = env!("CARGO_BIN_EXE_fsgate");
    for (words, waits) in [(format!(" --dir {project}"), true), (String::new(), false)] {
        let Some(shown) = on_a_terminal(&scratch, &format!("mcp{words}"), "xterm", false) else {
            eprintln!("skipped: there is no program `script`");
            return;
        };
        assert_eq!(shown.contains("waiting for a client of the Model Context Protocol"), waits, "{shown}");
        let directories = if waits { words } else { " --dir .".to_owned() };
        let reported = format!("run: {program} mcp{directories} --print-config CLIENT");
        assert!(shown.contains(&reported) && shown.contains("claude-code, "), "{shown}");
    }
}

#[test]
fn hints_call_the_program_as_it_was_called() {
    let scratch = Scratch::new();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fsgate"), scratch.at("agentfs")).unwrap();
    let run = |words: &[&str]| {
        let command = scratch.command("project");
        let mut shell = Command::new(scratch.at("agentfs"));
        std::os::unix::process::CommandExt::arg0(&mut shell, "../agentfs");
        shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        super::Ended::from(shell.current_dir(scratch.at("project")).args(words).output().unwrap())
    };
    let refused = run(&["write", "b.txt", "--content", "x"]);
    assert!(refused.err.contains("run: ../agentfs write --dir "), "{refused:?}");
    let refused = run(&["cat", "a.txt"]);
    assert!(
        refused.err.contains("`../agentfs read PATH`") && !refused.err.contains("`fsgate "),
        "{refused:?}"
    );
    // The link stays when an upgrade replaces its target.
    let config = run(&["mcp", "--dir", ".", "--print-config", "json"]);
    assert!(config.out.contains("/../agentfs\""), "{config:?}");
}

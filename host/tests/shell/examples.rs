//! Every example in the help of a command, unchanged.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use fsgate_tests::program::Ended;

use super::Scratch;

/// Lines 23 to 43 are comments.
fn main_rs() -> String {
    let mut lines = vec![
        "fn main() {",
        "    one();",
        "}",
        "",
        "struct Server;",
        "",
        "impl Server {",
        "    fn run(&self) {",
    ];
    lines.extend([
        "        let limit = 10;",
        "        let spare = 1;",
        "    }",
        "}",
        "",
        "fn old_name() {}",
        "",
    ]);
    lines.extend([
        "const A: &str = \"colour\";",
        "const B: &str = \"colour\";",
        "const C: &str = \"colour\";",
        "",
    ]);
    lines.extend(["fn calls() { get_a(); get_b(); get_c(); get_d(); get_e(); get_f(); }", "", ""]);
    lines.extend(["// a comment"; 21]);
    lines.extend(["", "// TODO: nothing", ""]);
    lines.join("\n")
}

/// A project with everything that the examples name.
fn project(at: &Path) {
    let log: String = (1..=1200).map(|number| format!("line {number}\n")).collect();
    let main = main_rs();
    for (path, text) in [
        ("src/main.rs", &main[..]),
        (
            "src/lib.rs",
            "fn old() { old_name(); }\nfn all() { get_g(); get_h(); get_i(); get_j(); get_k(); get_l(); }\n",
        ),
        ("src/include/a.h", "int a;\n"),
        ("crates/core/src/deep/mod.rs", "// DEPRECATED\n"),
        ("lib/x.txt", "x\n"),
        ("build/a.o", "o"),
        ("docs/index.md", "the colour\n"),
        ("Cargo.toml", "[package]\n"),
        ("Makefile", "a:\n\tb\nc:\n\td\n"),
        ("CHANGES", "## 1\n- one\n- two\n- three\n## 2\n"),
        ("settings", "[one]\na = 1\n[two]\n; b = 2\n"),
        ("state.json", "[]\n"),
        ("config.json", "{}\n"),
        ("notes.md", "one\n"),
        ("notes.txt", "a draft\na draft\nthree\nfour\n"),
        ("draft.md", "draft\n"),
        ("a.md", "a\n"),
        ("a.txt", "a\n"),
        ("b.md", "b\n"),
        ("log.txt", "begun\n"),
        ("server.log", &log),
        (".env", "A=1\n"),
        ("logo.png", "png"),
        ("actions.json", r#"{"action": "create", "path": "new.md", "content": "new"}"#),
        ("calls.json", r#"{"tool": "filesystem.write", "input": {"path": "new.md", "content": "new"}}"#),
        ("steps.md", "{{invoke_tool: write_file\n  file_path: \"new.md\"\n  content: \"new\"\n}}\n"),
        ("release.tar.gz", "tar"),
    ] {
        fs::create_dir_all(at.join(path).parent().unwrap()).unwrap();
        fs::write(at.join(path), text).unwrap();
    }
    fs::write(at.join("disk.img"), [0; 512]).unwrap();
    let block = format!("action = \"file_write\"\npath = \"{}/new.md\"\ncontent = \"new\"", at.display());
    let answer = format!("#!SHAM [@three-char-SHA-256: abc]\n{block}\n#!END_SHAM_abc\n");
    fs::write(at.join("answer.md"), answer).unwrap();
}

fn commands(scratch: &Scratch) -> Vec<String> {
    let help = scratch.done(".", &["--help"]).out;
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Continued descriptions are indented further.
    let named = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    named
        .filter_map(|line| line.split(' ').next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

fn examples(scratch: &Scratch, command: &str) -> Vec<String> {
    let help = scratch.done(".", &[command, "--help"]).out;
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.map_while(|line| line.strip_prefix("  ").map(str::to_owned)).collect()
}

#[test]
fn every_example_runs_as_it_stands() {
    let mut run = 0;
    let scratch = Scratch::new();
    let commands = commands(&scratch);
    assert!(commands.iter().any(|command| command == "mcp"), "{commands:?}");
    let tools = fsgate::OPERATIONS.iter().map(|operation| operation.name.replace('_', "-"));
    let front_ends = ["command", "file-action", "plugin", "sham", "workflow"].map(str::to_owned);
    let needed: Vec<_> = tools.chain(front_ends).collect();
    assert!(needed.iter().all(|command| commands.contains(command)), "{commands:?}");
    for command in commands {
        let examples = examples(&scratch, &command);
        assert!(!examples.is_empty() || !needed.contains(&command), "{command}");
        for example in examples {
            let scratch = Scratch::new();
            fs::create_dir(scratch.at("bin")).unwrap();
            symlink(env!("CARGO_BIN_EXE_fsgate"), scratch.at("bin/fsgate")).unwrap();
            fs::remove_dir_all(scratch.at("project")).unwrap();
            project(&scratch.at("project"));
            // A history, and files that single examples need.
            if command != "checkpoint" {
                scratch.done("project", &["checkpoint", "before the refactoring", "--dir", "."]);
                let edit =
                    ["replace", "src/main.rs", "--old", "spare = 1", "--new", "spare = 2", "--dir", "."];
                scratch.done("project", &edit);
            }
            match &example[..] {
                "fsgate redo" => drop(scratch.done("project", &["undo"])),
                "fsgate delete-directory build --dir ." => {
                    fs::remove_file(scratch.at("project/build/a.o")).unwrap();
                }
                _ => {}
            }
            let mut called = scratch.command("project");
            let path = format!("{}:/usr/bin:/bin", scratch.at("bin").display());
            let mut shell = Command::new("bash");
            shell.envs(called.get_envs().filter_map(|(name, value)| Some((name, value?))));
            let output =
                shell.current_dir(called.current_dir(scratch.at("project")).get_current_dir().unwrap());
            let ended = Ended::from(output.env("PATH", path).args(["-c", &example]).output().unwrap());
            assert_eq!(ended.code, 0, "{example}: {ended:?}");
            run += 1;
        }
    }
    assert!(run > 70, "{run}");
}

#[test]
fn words_by_habit_point_at_the_tool() {
    let scratch = Scratch::new();
    for (word, tool) in [
        ("cat", "`fsgate read "),
        ("edit", "`fsgate replace "),
        ("rm", "`fsgate delete "),
        ("ls", "`fsgate list-directory "),
        ("mv", "`fsgate move "),
        ("mkdir", "`fsgate create-directory "),
        ("cp", "`fsgate copy "),
        ("find", "`fsgate glob "),
        ("sed", "`fsgate replace-all "),
        ("rename", "`fsgate move "),
    ] {
        let refused = scratch.run("project", &[word, "a.txt"]);
        assert_eq!((refused.code, &refused.out[..]), (2, ""), "{refused:?}");
        let tool = tool.replace("`fsgate ", &format!("`{} ", env!("CARGO_BIN_EXE_fsgate")));
        assert!(refused.err.contains(&tool), "{word}: {refused:?}");
    }
    // A tool's name in the spelling of JSON is the same command.
    assert_eq!(scratch.done("project", &["read_numbered", "a.txt", "--lines", "1"]).out, "1: one\n");
    // A terminal would obey the name of this file.
    let refused = scratch.run("project", &["read", "a.txt", "a\u{202E}txt.\u{1B}]0;title\u{7}"]);
    assert_eq!((refused.code, refused.err.contains(['\u{1B}', '\u{202E}'])), (2, false), "{refused:?}");
    assert!(refused.err.starts_with("fsgate: ") && refused.err.contains(r"a\u{202E}txt."), "{refused:?}");
    let refused = scratch.run("project", &["raed", "a.txt"]);
    assert!(refused.code == 2 && refused.err.contains("'read'"), "{refused:?}");
}

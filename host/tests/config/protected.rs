//! Paths that no tool changes or reaches under any policy, and rules about paths of the machine.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use fsgate_tests::program::Ended;
use serde_json::{Value, json};

use super::scratch::Scratch;

#[test]
fn what_is_protected_in_any_case_is_in_the_policy() {
    let scratch = Scratch::new();
    scratch.write("w/c.toml", "policy.profile = 'open'\n");
    fs::create_dir(scratch.at.join("w/bin")).unwrap();
    // A copy of the program inside of a grant.
    let program = scratch.at.join("w/bin/fsgate");
    // Copied by another process: a child of a parallel test would inherit a file that is open for
    // writing.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_fsgate")).arg(&program).status().unwrap();
    assert!(copied.success());
    let mut command = Command::new(&program);
    command.current_dir(&scratch.at).env_clear().env("HOME", scratch.at.join("home"));
    let policy = |command: &mut Command, words: &str| {
        let ended = Ended::from(command.args(words.split(' ')).output().unwrap());
        assert_eq!(ended.code, 0, "{ended:?}");
        serde_json::from_str::<Value>(&ended.out).unwrap()
    };
    let reported = policy(&mut command, "config policy --dir w::x --config w/c.toml");
    assert_eq!(reported[0], json!({"profile": "open"}));
    assert_eq!(reported[1]["rules"][0]["name"], "project_file");
    assert_eq!(
        reported[2]["rules"],
        json!([
            {"name": "own_configuration", "paths": ["/x/c.toml"], "effect": "read_only"},
            {"name": "own_program", "paths": ["/x/bin/fsgate"], "effect": "read_only"},
        ])
    );
    // Paths outside of the grants need no rule.
    let reported = policy(&mut scratch.command(), "config policy --dir w::x");
    assert_eq!(reported.as_array().unwrap().len(), 2, "{reported}");
}

#[test]
fn no_tool_changes_what_is_protected() {
    let scratch = Scratch::new();
    scratch.project("limits.deadline_seconds = 20\n");
    scratch.write("w/own.toml", "policy.profile = 'open'\n");
    fs::create_dir_all(scratch.at.join("w/deep")).unwrap();
    // The name that was used, and the one that it leads to.
    symlink("own.toml", scratch.at.join("w/alias.toml")).unwrap();
    for (words, rule) in [
        ("write fsgate.toml --content=x", "project_file"),
        ("append FSGATE.toml --content=x", "project_file"),
        ("create deep/.fsgate.toml --content=x", "project_file"),
        ("create dotnet-prompt.yaml --content=x", "project_file"),
        ("delete fsgate.toml", "project_file"),
        ("move fsgate.toml x", "project_file"),
        ("copy a.txt fsgate.yaml", "project_file"),
        ("write own.toml --content=x", "own_configuration"),
        ("delete own.toml", "own_configuration"),
        ("write alias.toml --content=x", "own_configuration"),
        ("delete alias.toml", "own_configuration"),
    ] {
        let args: Vec<_> = words.split(' ').chain(["--dir", "w", "--config", "w/alias.toml"]).collect();
        let ended = scratch.run(&args);
        let refused = ended.err.contains("[denied_by_policy]") && ended.err.contains(rule);
        assert!(ended.code == 1 && refused, "{words}: {ended:?}");
    }
    assert_eq!(scratch.run(&["read", "fsgate.toml", "--dir", "w"]).out, "limits.deadline_seconds = 20\n");
}

#[test]
fn no_tool_changes_what_leads_to_what_is_protected() {
    let scratch = Scratch::new();
    for directory in ["w/v1", "w/bin", "w/v1/granted", "kept"] {
        fs::create_dir_all(scratch.at.join(directory)).unwrap();
    }
    scratch.write("w/v1/own.toml", "policy.profile = 'open'\n").write("w/v1/keep.txt", "k");
    // The operator's file through two links in `w`, the program through one.
    for (target, name) in [
        ("v1", "w/cur"),
        ("w/cur/own.toml", "own.toml"),
        ("w/mid.toml", "chain.toml"),
        ("v1/own.toml", "w/mid.toml"),
        (env!("CARGO_BIN_EXE_fsgate"), "w/bin/fsgate"),
        ("../kept", "w/out"),
    ] {
        symlink(target, scratch.at.join(name)).unwrap();
    }
    let about = scratch.at.join("w/cur/keep.txt").display().to_string();
    let rule = format!("[[policy.rules]]\nname = 'r'\neffect = 'denied'\npaths = ['{about}']\n");
    let allowed = format!("policy.allowed_paths = ['{}']\n", scratch.at.join("w/cur").display());
    scratch.write("rule.toml", &rule).write("allowed.toml", &allowed);
    let program_by_link = scratch.at.join("w/bin/fsgate");
    let [plain, linked] = [None, Some(&program_by_link)];
    let own = ["--config", "own.toml"];
    let chain = ["--config", "chain.toml"];
    let nested = ["--dir", "w/v1/granted::/s"];
    let cases: [(_, &[&str], &str, Option<&str>); 18] = [
        (plain, &own, "move cur old", Some("own_configuration")),
        (plain, &own, "delete cur", Some("own_configuration")),
        (plain, &own, "write v1/own.toml --content=x", Some("own_configuration")),
        (plain, &own, "move v1 v2 --recursive", Some("own_configuration")),
        (plain, &chain, "move mid.toml x", Some("own_configuration")),
        (plain, &chain, "delete mid.toml", Some("own_configuration")),
        (plain, &chain, "move v1/keep.txt mid.toml", Some("own_configuration")),
        (plain, &chain, "write mid.toml --content=x", Some("own_configuration")),
        (linked, &[], "move bin/fsgate f2", Some("own_program")),
        (linked, &[], "move bin b2 --recursive", Some("own_program")),
        (plain, &nested, "move v1 v2 --recursive", Some("granted_directory")),
        (plain, &nested, "delete-directory v1 --recursive", Some("there is a granted directory in this one")),
        (plain, &["--state-dir", "w/out/state"], "move out x", Some("own_directory")),
        (plain, &["--config", "rule.toml"], "delete cur", Some("policy_path")),
        (plain, &["--config", "rule.toml"], "append v1/keep.txt --content=x", Some("`r`")),
        (plain, &["--config", "allowed.toml"], "delete cur", Some("policy_path")),
        // The rule does not cover the content behind a link.
        (plain, &own, "append cur/keep.txt --content=x", None),
        (plain, &own, "delete cur/keep.txt", None),
    ];
    for (program, more, words, reported) in cases {
        let mut command = scratch.command();
        if let Some(program) = program {
            command = fsgate_tests::program::program(program.to_str().unwrap(), &scratch.at);
        }
        let args: Vec<_> = words.split(' ').chain(["--dir", "w::/w"]).chain(more.iter().copied()).collect();
        let ended = Ended::from(command.args(&args).output().unwrap());
        match reported {
            Some(reported) => assert!(ended.code == 1 && ended.err.contains(reported), "{words}: {ended:?}"),
            None => assert_eq!(ended.code, 0, "{words}: {ended:?}"),
        }
    }
}

/// An agent can make links at allowed names: the targets stay closed.
#[test]
fn what_is_allowed_is_led_nowhere_else() {
    let allowed = "policy.allowed_paths = ['W/w/open', 'W/w/free', 'W/w/other']\n";
    let unless = "[[policy.rules]]\nname = 'r'\neffect = 'hidden'\npaths = ['W/w/*']\nunless = ['W/w/open', 'W/w/other']\n";
    for (config, name) in [(allowed, "open"), (allowed, "free"), (unless, "open")] {
        let scratch = Scratch::new();
        for directory in ["w/open", "w/other", "w/secret"] {
            fs::create_dir_all(scratch.at.join(directory)).unwrap();
        }
        symlink("secret", scratch.at.join("w/other/link")).unwrap();
        scratch
            .write("w/secret/s.txt", "top")
            .write("c.toml", &config.replace('W', scratch.at.to_str().unwrap()));
        let run = |words: &str| {
            let own = ["--dir", "w::/w", "--config", "c.toml"];
            scratch.run(&words.split(' ').chain(own).collect::<Vec<_>>())
        };
        if name == "open" {
            assert_eq!(run("move /w/open /w/other/open --recursive").code, 0, "{config}");
        }
        assert_eq!(run(&format!("move /w/other/link /w/{name}")).code, 0, "{config}");
        // A later read-only start follows them as little.
        for more in ["", " --read-only"] {
            for path in ["/w/secret/s.txt".to_owned(), format!("/w/{name}/s.txt")] {
                let ended = run(&format!("read {path}{more}"));
                assert!(ended.code == 1 && ended.out.is_empty(), "{config}: {path}{more}: {ended:?}");
            }
        }
    }
}

/// A later start follows no link that an agent could have made to a grant. A link between grants
/// would also decide where patterns begin.
#[test]
fn what_is_granted_is_led_nowhere_else() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.at.join("out/in")).unwrap();
    for (target, link) in
        [("../out", "led"), ("../out/in", "by"), ("sub", "own"), ("own", "twice"), ("sub/../own", "back")]
    {
        symlink(target, scratch.at.join("w").join(link)).unwrap();
    }
    for (grant, more, is_refused) in [
        ("w/led", &["--dir", "w::/w"][..], true),
        ("w/led/in", &["--dir", "w::/w"], true),
        ("w/by/..", &["--dir", "w::/w"], true),
        ("w/own", &["--dir", "w"], true),
        ("w/own", &["--read-only-dir", "w"], true),
        ("w/twice", &["--dir", "w"], true),
        ("w/back", &["--dir", "w"], true),
        ("w/sub/../sub", &["--dir", "w"], true),
        ("w/sub", &["--dir", "w"], false),
        ("w/./sub/", &["--dir", "w"], false),
        ("w/led", &["--dir", "out::/out"], false),
        ("w/led", &["--dir", "w", "--read-only-dir", "out/in"], true),
        ("w/own", &["--dir", "w::/w"], true),
        ("w/own::/own", &["--dir", "w"], true),
        ("w/own::/w/sub", &["--dir", "w::/w/"], true),
        ("w/led::/out", &["--dir", "w", "--dir", "out"], true),
        // Two paths, one through a link: each leads to the same directory.
        ("w/led", &["--dir", "w::/w", "--dir", "w/by/..::/by"], true),
    ] {
        let ended = scratch.run(&[&["exists", ".", "--dir", grant], more].concat());
        let reported = ended.err.contains("by its own path");
        assert_eq!((ended.code == 0, reported), (!is_refused, is_refused), "{grant} {more:?}: {ended:?}");
    }
}

/// The shell's name of the current directory can go through such a link, and is ignored then.
#[test]
fn where_a_shell_has_come_from_is_no_name_if_a_link_in_a_grant_leads_there() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.at.join("out")).unwrap();
    scratch.write("out/secret", "s").user(
        "[[policy.rules]]\nname = 'mine'\neffect = 'denied'\npaths = ['secret']\nunless = ['**/pub/secret', '**/around/secret']\n",
    );
    symlink("../out", scratch.at.join("w/pub")).unwrap();
    symlink("out", scratch.at.join("around")).unwrap();
    for (came_by, grant, is_open) in [
        ("w/pub", ".", false),
        ("w/pub", ".::/n", false),
        ("around", ".", true),
        ("out", ".", false),
        // A `..` can leave the target of a link.
        ("home/../around", ".", false),
    ] {
        let mut command = scratch.command();
        command.current_dir(scratch.at.join("out")).env("PWD", scratch.at.join(came_by));
        let around = scratch.at.join("w").display().to_string();
        command.args(["read", "secret", "--dir", grant, "--dir", &around]);
        let ended = Ended::from(command.output().unwrap());
        assert_eq!(
            (ended.code == 0, ended.err.contains("`mine`")),
            (is_open, !is_open),
            "{came_by} {grant}: {ended:?}"
        );
    }
}

/// A rule about a path holds under every name of the file.
#[test]
fn a_directory_that_a_link_leads_to_is_under_the_rules_of_both_names() {
    let scratch = Scratch::new();
    for directory in ["aws", "claude", "x"] {
        fs::create_dir_all(scratch.at.join("w/dot").join(directory)).unwrap();
    }
    scratch
        .write("w/dot/aws/credentials", "key = secret")
        .write("w/dot/claude/settings.json", "{}")
        .user("[[policy.rules]]\nname = 'mine'\neffect = 'hidden'\nregex = ['.*/linked/secret.*', '.*/w/dot/x/.*']\n");
    scratch.write("w/dot/x/secret.txt", "s").write("w/dot/aws/secret.txt", "s");
    for (target, link) in
        [("dot/aws", ".aws"), ("dot/claude", ".claude"), ("dot/x", "x"), ("dot/aws", "linked")]
    {
        symlink(target, scratch.at.join("w").join(link)).unwrap();
    }
    for (grant, words, reported) in [
        ("w/.aws", &["read", "credentials"][..], "`credentials`"),
        ("w/.aws", &["copy", "credentials", "x"], "`credentials`"),
        ("w/.claude", &["write", "settings.json", "--content=x"], "`agent_settings`"),
        ("w/x", &["read", "secret.txt"], "[not_found]"),
        ("w/x", &["read", "W/w/x/secret.txt"], "[not_found]"),
        ("w/linked", &["read", "secret.txt"], "[not_found]"),
    ] {
        let words: Vec<_> =
            words.iter().map(|word| word.replace('W', scratch.at.to_str().unwrap())).collect();
        let mut all: Vec<_> = words.iter().map(String::as_str).collect();
        all.extend(["--dir", grant]);
        let ended = scratch.run(&all);
        assert!(ended.code == 1 && ended.err.contains(reported), "{grant} {words:?}: {ended:?}");
    }
}

/// An inside name does not lift a rule about the path.
#[test]
fn a_directory_under_a_name_of_its_own_is_under_the_rules_of_its_place() {
    let scratch = Scratch::new();
    for directory in ["h/.aws", "h/.claude", "h/real", "w/in", "w/sub/in"] {
        fs::create_dir_all(scratch.at.join(directory)).unwrap();
    }
    scratch
        .write("h/.aws/credentials", "key = secret")
        .write("h/.claude/settings.json", "{}")
        .write("h/real/secret.txt", "s")
        .write("w/sub/hid", "s")
        .write("w/sub/in/hid", "s")
        .write("w/in/hid", "s")
        .user(
            "[[policy.rules]]\nname = 'mine'\neffect = 'hidden'\npaths = ['./hid', '**/h/ln/secret.txt']\n",
        );
    symlink("real", scratch.at.join("h/ln")).unwrap();
    let nested = ["--dir", "w::/w", "--dir", "w/sub::/n"];
    for (words, grants, reported) in [
        (&["read", "credentials"][..], &["--dir", "h/.aws::/n"][..], Some("`credentials`")),
        (
            &["read", "/n/credentials"],
            &["--dir", "w", "--read-only-dir", "h/.aws::/n"],
            Some("`credentials`"),
        ),
        (&["write", "settings.json", "--content=x"], &["--dir", "h/.claude::/n"], Some("`agent_settings`")),
        (&["read", "secret.txt"], &["--dir", "h/ln::/n"], Some("[not_found]")),
        (&["read", "secret.txt"], &["--dir", "h/real::/n"], None),
        (&["read", "/n/hid"], &nested, Some("[not_found]")),
        (&["read", "/w/sub/hid"], &nested, Some("[not_found]")),
        (&["write", "/w/sub/hid", "--content=x"], &nested, Some("`mine`")),
        (&["read", "/w/sub/in/hid"], &nested, None),
        (&["read", "/w/in/hid"], &nested, None),
        (&["create-directory", "/n/hid/x"], &nested, Some("`mine`")),
        (&["move", "/n/hid", "/n/seen"], &nested, Some("[not_found]")),
        (&["move", "/w/sub/in/hid", "/w/sub/hid"], &nested, Some("`mine`")),
        (&["delete", "/w/sub/hid"], &nested, Some("[not_found]")),
        (&["copy", "/w/sub", "/w/out", "--recursive"], &nested, Some("`mine`")),
        (&["move", "/w/sub", "/w/out", "--recursive"], &nested, Some("[invalid_path]")),
    ] {
        let ended = scratch.run(&[words, grants].concat());
        let is_as_told = match reported {
            Some(reported) => ended.code == 1 && ended.err.contains(reported),
            None => ended.code == 0,
        };
        assert!(is_as_told, "{words:?} {grants:?}: {ended:?}");
    }
}

/// A grant inside of another one has the paths of all names of the outer one.
#[test]
fn a_grant_in_a_directory_that_a_link_leads_to_is_one_by_both_names() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.at.join("w/real/a")).unwrap();
    scratch
        .write("w/real/a/kept", "k")
        .write("w/real/a/open", "o")
        .user("[[policy.rules]]\nname = 'mine'\neffect = 'denied'\npaths = ['./kept']\n");
    symlink("real", scratch.at.join("w/link")).unwrap();
    for (path, is_open) in
        [("w/real/a/kept", false), ("w/link/a/kept", false), ("w/link/a/open", true), ("w/real/a/open", true)]
    {
        let path = scratch.at.join(path);
        let ended = scratch.run(&["read", path.to_str().unwrap(), "--dir", "w/link", "--dir", "w/real/a"]);
        assert_eq!(
            (ended.code == 0, ended.err.contains("`mine`")),
            (is_open, !is_open),
            "{path:?}: {ended:?}"
        );
    }
}

/// The usual state root is hidden too when another one is named.
#[test]
fn no_history_is_there_to_be_read() {
    let scratch = Scratch::new();
    assert_eq!(scratch.run(&["write", "a.txt", "--content=new", "--dir", "w"]).code, 0);
    let usual = scratch.at.join("home/.local/state/fsgate");
    assert!(usual.join("states").is_dir() && usual.join("roots").is_dir());
    for more in [&["--state-dir", "kept"][..], &[]] {
        let tree = ["tree", "/r", "--include-hidden", "--read-only-dir", "home/.local/state::/r"];
        let ended = scratch.run(&[&tree[..], more].concat());
        let is_there = |name: &str| ended.out.contains(name);
        assert_eq!(["fsgate", "states", "roots"].map(is_there), [true, false, false], "{more:?}: {ended:?}");
    }
    for kept in ["states", "roots"] {
        let ended =
            scratch.run(&["tree", ".", "--read-only-dir", &format!("home/.local/state/fsgate/{kept}")]);
        assert!(ended.code == 2 && ended.err.contains("cannot grant"), "{kept}: {ended:?}");
    }
}

/// The same for directories that a project's file narrows to.
#[test]
fn what_is_left_is_led_nowhere_else() {
    let scratch = Scratch::new();
    for directory in ["w/open/in", "w/secret"] {
        fs::create_dir_all(scratch.at.join(directory)).unwrap();
    }
    scratch.write("w/secret/s.txt", "top").write(
        "w/fsgate.yaml",
        "tool_configuration:\n  file_system:\n    allowed_directories: [open, open/in]\n",
    );
    let run = |words: &str| {
        let mut command = scratch.command();
        command.current_dir(scratch.at.join("w")).args(words.split(' ')).args(["--dir", "."]);
        Ended::from(command.output().unwrap())
    };
    assert_eq!(run("list-directory in").code, 0);
    fs::remove_dir(scratch.at.join("w/open/in")).unwrap();
    symlink("../secret", scratch.at.join("w/open/in")).unwrap();
    let ended = run("read secret/s.txt");
    assert!(ended.code == 2 && ended.err.contains("name the directory itself"), "{ended:?}");
}

/// An undo does not restore a state from before the operator's file.
#[test]
fn the_history_does_not_bring_back_another_configuration() {
    for (before, config, words) in [
        (&["write v1/own.toml --content=policy.profile='open'"][..], "w/v1/own.toml", "undo"),
        (&["move v1 v2 --recursive"], "w/v2/own.toml", "undo"),
        (&["move v1/own.toml x.toml", "undo"], "w/v1/own.toml", "redo"),
        (&["delete v1/own.toml", "undo"], "w/v1/own.toml", "redo"),
        (&["move v1 ... --recursive"], "w/.../own.toml", "undo"),
        (&["move v1 ... --recursive"], "w/.../own.toml", "move ... v1 --recursive"),
        (&["move v1 ... --recursive"], "w/.../own.toml", "write .../own.toml --content=x"),
    ] {
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.at.join("w/v1")).unwrap();
        scratch.write("w/v1/own.toml", "policy.profile = 'strict'\n");
        for words in before {
            let ended = scratch.run(&words.split(' ').chain(["--dir", "w::/w"]).collect::<Vec<_>>());
            assert_eq!(ended.code, 0, "{words}: {ended:?}");
        }
        let text = fs::read(scratch.at.join(config)).unwrap();
        let ended =
            scratch.run(&words.split(' ').chain(["--dir", "w::/w", "--config", config]).collect::<Vec<_>>());
        assert!(ended.code == 1 && ended.err.contains("own_configuration"), "{before:?} {words}: {ended:?}");
        assert_eq!(fs::read(scratch.at.join(config)).unwrap(), text, "{before:?} {words}");
    }
}

/// Names with special characters of patterns, and trailing characters that comparisons ignore.
#[test]
fn what_is_protected_may_have_any_name() {
    for name in ["a*.", "a[1] ", "x{y}.. ", "a\\.", "?. "] {
        let scratch = Scratch::new();
        let at = scratch.at.join("w").join(name);
        fs::create_dir_all(at.join("in")).unwrap();
        fs::write(at.join("own.toml"), "policy.profile = 'open'\n").unwrap();
        fs::create_dir_all(at.join("v1")).unwrap();
        fs::write(at.join("v1/secret"), "s").unwrap();
        symlink("v1", at.join("cur")).unwrap();
        let escaped: String = name
            .chars()
            .flat_map(|c| "*?[]{}\\".contains(c).then_some('\\').into_iter().chain([c]))
            .collect();
        let rule = format!("{}/w/{escaped}/cur/secret", scratch.at.display());
        scratch.write(
            "c.toml",
            &format!("[[policy.rules]]\nname = 'r'\neffect = 'denied'\npaths = ['{rule}']\n"),
        );
        let own = format!("w/{name}/own.toml");
        let nested = format!("w/{name}/in::/s");
        for (args, rule) in [
            (
                &["write", &format!("/w/{name}/own.toml"), "--content=x", "--config", &own][..],
                "own_configuration",
            ),
            (
                &["move", &format!("/w/{name}"), "/w/gone", "--recursive", "--dir", &nested],
                "granted_directory",
            ),
            (&["read", &format!("/w/{name}/v1/secret"), "--config", "c.toml"], "`r`"),
            (&["move", &format!("/w/{name}/cur"), "/w/gone", "--config", "c.toml"], "policy_path"),
        ] {
            let ended = scratch.run(&[args, &["--dir", "w::/w"]].concat());
            assert!(ended.code == 1 && ended.err.contains(rule), "{name}: {args:?}: {ended:?}");
        }
    }
}

#[test]
fn a_name_with_dots_is_one_that_can_be_used() {
    let scratch = Scratch::new();
    scratch.write("own.toml", "policy.profile = 'open'\n");
    for more in [["--dir", "w/../w::/w"], ["--config", "w/../own.toml"]] {
        let ended = scratch.run(&[&["exists", "a.txt", "--dir", "w"][..], &more].concat());
        assert_eq!(ended.code, 0, "{more:?}: {ended:?}");
    }
}

/// A file at a dangling link's target would become the operator's file.
#[test]
fn a_link_to_nothing_leads_into_what_is_granted() {
    let scratch = Scratch::new();
    let own = scratch.at.join("home/.config/fsgate");
    fs::remove_dir(&own).unwrap();
    symlink("../../w/dot/fsgate", own).unwrap();
    let ended = scratch.run(&["exists", "a.txt", "--dir", "w"]);
    assert!(ended.code != 0 && ended.err.contains("contain one another"), "{ended:?}");
}

#[test]
fn the_directory_that_a_start_begins_in_is_found_again() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.at.join("project")).unwrap();
    let begins = scratch.at.join("w/lnk");
    symlink("../project", &begins).unwrap();
    let mut command = scratch.command();
    command
        .current_dir(&begins)
        .env("PWD", &begins)
        .args(["move", "/w/lnk", "/w/old", "--dir", ".::/p", "--dir"]);
    command.arg(format!("{}::/w", scratch.at.join("w").display()));
    let ended = Ended::from(command.output().unwrap());
    assert!(ended.code == 1 && ended.err.contains("granted_directory"), "{ended:?}");
}

#[test]
fn a_hidden_directory_in_another_one_is_missing_there() {
    let scratch = Scratch::new();
    scratch
        .write("w/sub/s.txt", "s")
        .user("[[policy.rules]]\nname = 'r'\neffect = 'hidden'\npaths = ['./sub']\n");
    let codes = |name: &str| scratch.run(&["read", name, "--dir", "w", "--dir", "w/sub"]).err;
    let hidden = codes("sub/s.txt").replace("sub", "none");
    assert_eq!(hidden, codes("none/s.txt"));
    assert!(hidden.contains("[not_found]"), "{hidden}");
}

#[test]
fn a_rule_about_a_path_of_the_machine_holds_inside() {
    let scratch = Scratch::new();
    fs::write(scratch.at.join("w/sub/k.key"), "k").unwrap();
    let path = scratch.at.join("w/sub/*.key").display().to_string();
    scratch.user(&format!("[[policy.rules]]\nname = 'mine'\neffect = 'denied'\npaths = ['{path}']\n"));
    for (grant, file) in [("w", "sub/k.key"), ("w::x", "/x/sub/k.key"), ("w/sub::/", "/k.key")] {
        let ended = scratch.run(&["read", file, "--dir", grant]);
        assert!(ended.code == 1 && ended.err.contains("`mine`"), "{grant}: {ended:?}");
    }
}

#[test]
fn host_paths_in_rules_are_names_inside() {
    let scratch = Scratch::new();
    scratch.user("[[policy.rules]]\nname = 'r'\neffect = 'hidden'\npaths = ['~/../w/a.txt', '/elsewhere']\n");
    // A pattern has no `..`.
    assert!(
        scratch
            .refused(&["read", "a.txt", "--dir", "w"])
            .contains("`policy.rules[0].paths[0]` of the rule `r`")
    );
    let path = scratch.at.join("w/sub").display().to_string();
    scratch.user(&format!(
        "[[policy.rules]]\nname = 'r'\neffect = 'hidden'\npaths = ['{path}/*.key', '/elsewhere']\n"
    ));
    symlink("w", scratch.at.join("link")).unwrap();
    for (grant, expected) in [
        ("w::x", json!(["/x/sub/*.key"])),
        ("w", json!([format!("{path}/*.key")])),
        ("link", json!([format!("{path}/*.key"), format!("{}/link/sub/*.key", scratch.at.display())])),
        ("w/sub::/", json!(["/*.key"])),
    ] {
        let ended = scratch.run(&["config", "policy", "--dir", grant]);
        let reported: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(reported[0]["rules"][0]["paths"], expected, "{grant}");
    }
    let reported: Value =
        serde_json::from_str(&scratch.run(&["config", "policy", "--dir", "other"]).out).unwrap();
    assert_eq!(reported[0], json!({}));
}

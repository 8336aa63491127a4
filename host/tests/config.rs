//! The configuration of the program: levels, limits of a project's file, refused starts.

mod protected;
mod scratch;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::{env, fs};

use fsgate_tests::program::Ended;
use scratch::Scratch;
use serde_json::{Value, json};

#[test]
fn the_highest_level_that_sets_a_key_holds() {
    let scratch = Scratch::new();
    let deadline = "limits.deadline_seconds";
    assert_eq!(scratch.held(deadline, &[]), (json!(30), "built in".to_owned()));
    scratch.user("\n[limits]\ndeadline_seconds = 25\n");
    let user = "W/home/.config/fsgate/config.toml:3".to_owned();
    assert_eq!(scratch.held(deadline, &[]), (json!(25), user.clone()));
    scratch.project("limits.deadline_seconds = 20\n");
    // Only the first directory's file counts.
    assert_eq!(scratch.held(deadline, &[]), (json!(25), user.clone()));
    assert_eq!(scratch.held(deadline, &["--dir", "other", "--dir", "w"]), (json!(25), user.clone()));
    assert_eq!(scratch.held(deadline, &["--dir", "w"]), (json!(20), "W/w/fsgate.toml:1".to_owned()));
    assert_eq!(scratch.held(deadline, &["--dir", "w", "--no-project-file"]), (json!(25), user));
    let mut command = scratch.command();
    command.env("FSGATE_LIMITS_DEADLINE_SECONDS", "15").args(["config", "show", "--origin", "--dir", "w"]);
    let shown = Ended::from(command.output().unwrap()).out;
    assert!(shown.contains("limits.deadline_seconds = 15  # $FSGATE_LIMITS_DEADLINE_SECONDS\n"), "{shown}");
    let typed = scratch.held(deadline, &["--dir", "w", "--deadline", "10"]);
    assert_eq!(typed, (json!(10), "--deadline".to_owned()));
    // A file in place of the user's.
    scratch.write("c.yaml", "limits:\n  deadline_seconds: 5\n");
    assert_eq!(scratch.held(deadline, &["--config", "c.yaml"]), (json!(5), "c.yaml:2".to_owned()));
}

#[test]
fn nothing_in_a_projects_file_is_obeyed_by_a_terminal() {
    let scratch = Scratch::new();
    for text in [
        "\"\\u001b[2J\\u009b1m\\u202ekey\" = 1\n",
        "[policy]\nprofile = \"\\u001b[2J\"\n",
        "[[policy.rules]]\nname = \"\\u001b[2J\"\npaths = [\"a\"]\neffect = \"denied\"\n",
        "[[policy.rules]]\nname = \"a\"\npaths = [\"\\u009b2J[\"]\neffect = \"denied\"\n",
        "[[policy.rules]]\nname = \"${\\u001b[2J}\"\npaths = [\"a\"]\neffect = \"denied\"\n",
    ] {
        scratch.project(text);
        let refused = scratch.refused(&["config", "policy", "--dir", "w"]);
        let bad = |c: char| c != '\n' && (c.is_control() || c == '\u{202E}');
        assert!(!refused.contains(bad), "{refused:?}");
    }
    // Accepted values are displayed escaped as well.
    scratch.project("[[policy.rules]]\nname = \"a\"\npaths = [\"\\u009b2J\\u202e\"]\neffect = \"denied\"\n");
    let shown = scratch.run(&["config", "show", "--origin", "--dir", "w"]);
    assert!(shown.code == 0 && shown.out.contains("\\u{9B}2J\\u{202E}"), "{shown:?}");
    assert!(!shown.out.contains(['\u{9B}', '\u{202E}']), "{shown:?}");
}

#[test]
fn a_policy_that_is_too_long_refuses_the_start() {
    let scratch = Scratch::new();
    let patterns: Vec<_> = (0..15_000).map(|number| format!("'pattern{number}'")).collect();
    scratch.project(&format!("[policy]\nallowed_paths = [{}]\n", patterns.join(", ")));
    for args in [&["config", "policy", "--dir", "w"][..], &["read", "a.txt", "--dir", "w"]] {
        let refused = scratch.refused(args);
        assert!(refused.contains("`policy`: it has more than 131072 bytes"), "{refused}");
    }
}

#[test]
fn what_holds_does_something() {
    let scratch = Scratch::new();
    let w = scratch.at.join("w");
    scratch.user(&format!("dirs = [{{ path = '{}', name = 'mine', access = 'read_write' }}]\n", w.display()));
    let ended = scratch.run(&["create", "new.txt", "--content", "x"]);
    assert_eq!((ended.code, ended.out.as_str()), (0, "created /mine/new.txt (1 bytes)\n"), "{ended:?}");
    // Flags replace the file's values; a project's file narrows them.
    let ended = scratch.run(&["read", "a.txt", "--dir", "other"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    scratch.project("read_only = true\n");
    let ended = scratch.run(&["create", "more.txt", "--content", "x"]);
    assert!(ended.code == 1 && ended.err.contains("[read_only]"), "{ended:?}");
    assert!(scratch.run(&["read", "new.txt"]).out == "x");
    // A path in a file is relative to its directory.
    scratch.write("c.toml", "state_dir = 'kept'\nhistory.days = 1\n");
    let ended = scratch.run(&["create", "s.txt", "--content", "x", "--dir", "other", "--config", "c.toml"]);
    assert!(ended.code == 0 && scratch.at.join("kept/states").is_dir(), "{ended:?}");
}

#[test]
fn what_means_nothing_refuses_the_start_and_says_what_was_meant() {
    for (user, project, variable, refused) in [
        (
            "statedir = 'x'",
            "",
            ("A", ""),
            "W/home/.config/fsgate/config.toml:1: there is no key `statedir`; did you mean `state_dir`?",
        ),
        ("", "[limit]\ndeadline_seconds = 1", ("A", ""), "W/w/fsgate.toml:1: there is no key `limit`"),
        (
            "",
            "",
            ("FSGATE_DURABLITY", "power"),
            "`FSGATE_DURABLITY` means nothing to fsgate; did you mean `FSGATE_DURABILITY`?",
        ),
        (
            "durability = 'pover'",
            "",
            ("A", ""),
            "config.toml:1: `durability` has to be one of `process`, `power`, `none`; did you mean `power`?",
        ),
        (
            "",
            "",
            ("FSGATE_HISTORY_DAYS", "x"),
            "$FSGATE_HISTORY_DAYS: `history.days` has to be a whole number",
        ),
        ("a = ", "", ("A", ""), "config.toml:1: "),
        ("a = 1\na = 2", "", ("A", ""), "config.toml:2: "),
        ("state_dir = '${NO_SUCH_VARIABLE}'", "", ("A", ""), "the variable `NO_SUCH_VARIABLE` is not set"),
        ("mcp.tools = 'core,reed'", "", ("A", ""), "`mcp.tools` has to be"),
        // The error of a broken policy names the rule and the field.
        (
            "[[policy.rules]]\nname = 'keys'\neffect = 'denied'\npaths = ['a', 'b[']",
            "",
            ("A", ""),
            "config.toml:1: `policy.rules[0].paths[1]` of the rule `keys`: ",
        ),
        (
            "",
            "[[policy.rules]]\nname = 'none'\neffect = 'denied'",
            ("A", ""),
            "fsgate.toml:1: `policy.rules[0]` of the rule `none`: ",
        ),
        ("policy.except = ['gti']", "", ("A", ""), "`policy.except`: the profile has no rule `gti`"),
        (
            "",
            "",
            ("FSGATE_POLICY", "{\"rules\": [{\"name\": \"x\"}]}"),
            "$FSGATE_POLICY: `policy.rules[0]` has to be a table with `effect`",
        ),
    ] {
        let scratch = Scratch::new();
        scratch.user(user).project(project);
        let mut command = scratch.command();
        command.env(variable.0, variable.1).args(["read", "a.txt", "--dir", "w"]);
        let ended = Ended::from(command.output().unwrap());
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{refused}: {ended:?}");
        assert!(scratch.short(&ended.err).contains(refused), "{refused}: {ended:?}");
    }
}

#[test]
fn a_project_can_only_take_away() {
    for (project, refused) in [
        ("dirs = [{ path = '..', access = 'read_write' }]", "`dirs` would grant"),
        ("allow_wide_grant = true", "`allow_wide_grant` would grant"),
        ("allow_secrets = true", "`allow_secrets` would lift a rule"),
        ("state_dir = 'x'", "`state_dir` belongs to whoever starts fsgate"),
        ("durability = 'none'", "`durability` belongs to"),
        ("history.entries = 0", "`history.entries` belongs to"),
        (
            "limits.deadline_seconds = 31",
            "`limits.deadline_seconds` is 31, which is more than the 30 that holds",
        ),
        ("mcp.ignore_roots = true", "`mcp.ignore_roots` is `true`, where `false` holds"),
        ("audit.file = 'x'", "`audit.file` belongs to whoever starts fsgate"),
        ("policy.except = ['git']", "`policy.except` would lift rules"),
        ("policy.profile = 'open'", "`policy.profile` is `open`, which takes away less than the `default`"),
        ("policy.private_keys = 'allowed'", "`policy.private_keys` is `allowed`, which takes away less"),
        (
            "policy.max_file_size = 100\n[[policy.rules]]\nname = '${PATH}'\npaths = ['x']\neffect = 'hidden'",
            "cannot use the variable `PATH`",
        ),
    ] {
        let scratch = Scratch::new();
        scratch.project(project);
        let sentence = scratch.refused(&["read", "a.txt", "--dir", "w"]);
        assert!(sentence.contains(refused) && sentence.contains("W/w/fsgate.toml:"), "{project}: {sentence}");
        // A check reports the same error, and a refused file does not block other commands.
        let sentence = scratch.refused(&["config", "check", "--project", "w/fsgate.toml"]);
        assert!(sentence.contains(refused), "{project}: {sentence}");
        assert_eq!(scratch.run(&["read", "a.txt", "--dir", "w", "--no-project-file"]).code, 0, "{project}");
    }
}

#[test]
fn environment_files_are_open_where_secrets_are_allowed() {
    let scratch = Scratch::new();
    scratch.write("w/.env", "KEY=1").write("w/id_rsa", "key").write("w/.netrc", "machine");
    let closed = "`environment_files`";
    for (words, reported) in [
        (&[][..], Some(closed)),
        (&["--allow-secrets"], None),
        (&["--allow-secrets", "--profile", "open"], None),
        (&["--allow-secrets", "--profile", "strict"], None),
    ] {
        let read = scratch.run(&[&["read", ".env", "--dir", "w"], words].concat());
        assert_eq!(read.code, i32::from(reported.is_some()), "{words:?}: {read:?}");
        assert!(read.err.contains(reported.unwrap_or_default()), "{words:?}: {read:?}");
    }
    scratch.user("allow_secrets = true\n");
    assert_eq!(scratch.run(&["read", ".env", "--dir", "w"]).out, "KEY=1");
    // No other rule is lifted with it.
    for file in ["id_rsa", ".netrc"] {
        let refused = scratch.run(&["read", file, "--dir", "w", "--allow-secrets"]);
        assert!(refused.code == 1 && refused.err.contains("denies access"), "{refused:?}");
    }
    // A project still narrows.
    scratch.project("policy.profile = 'strict'\n");
    assert_eq!(scratch.run(&["read", ".env", "--dir", "w"]).code, 1);
}

#[test]
fn a_project_does_not_end_an_audit() {
    let scratch = Scratch::new();
    scratch.project("audit.enabled = false\n");
    assert_eq!(scratch.held("audit.enabled", &["--dir", "w"]).0, false);
    assert_eq!(scratch.held("audit.enabled", &["--dir", "w", "--audit", "auto"]).0, true);
    assert_eq!(scratch.run(&["read", "a.txt", "--dir", "w", "--audit", "log/calls.jsonl"]).code, 0);
    assert!(scratch.at.join("log/calls.jsonl").exists());
    scratch.user("audit.keep = 3\n");
    let sentence = scratch.refused(&["read", "a.txt", "--dir", "w"]);
    assert!(sentence.contains("`audit.enabled` is `false`, where `true` holds"), "{sentence}");
    scratch.project("audit.enabled = true\n").user("");
    assert_eq!(scratch.run(&["read", "a.txt", "--dir", "w"]).code, 0);
    assert!(scratch.at.join("home/.local/state/fsgate/audit/audit.jsonl").exists());
}

#[test]
fn every_project_file_in_the_first_directory_takes_away() {
    let scratch = Scratch::new();
    scratch.project("limits.deadline_seconds = 20\n");
    scratch.write("w/.fsgate.toml", "limits.deadline_seconds = 25\n");
    scratch.write("w/fsgate.yaml", "policy:\n  max_files: 7\n");
    // Only `fsgate workflow` reads the file of a workflow program.
    scratch.write("w/dotnet-prompt.yaml", "tool_configuration:\n  file_system:\n    max_file_size: 1\n");
    assert_eq!(scratch.held("limits.deadline_seconds", &["--dir", "w"]).0, 20);
    let policy: Value = serde_json::from_str(&scratch.run(&["config", "policy", "--dir", "w"]).out).unwrap();
    assert_eq!(policy[1], json!({"max_files": 7}));
    assert_eq!(scratch.run(&["read", "a.txt", "--dir", "w"]).out, "one\n");
    // It has to be a regular file, or the start is refused.
    fs::remove_file(scratch.at.join("w/.fsgate.toml")).unwrap();
    symlink("/etc/hostname", scratch.at.join("w/.fsgate.toml")).unwrap();
    assert!(scratch.refused(&["read", "a.txt", "--dir", "w"]).contains("it is not a plain file"));
}

#[test]
fn the_settings_of_a_workflow_program_grant_or_narrow() {
    let scratch = Scratch::new();
    let settings = "tool_configuration:\n  file_system:\n    allowed_directories:\n      - 'sub'\n      - '${HOME}/none/..'\n    \
                    blocked_directories: ['./bin', 'obj']\n    max_file_size: 10485760\n    \
                    require_confirmation_for_delete: true\n";
    // As an operator's file it grants, relative to the current directory.
    fs::create_dir_all(scratch.at.join("sub")).unwrap();
    fs::create_dir_all(scratch.at.join("home/none")).unwrap();
    scratch.write("c.yaml", &settings.replace("${HOME}/none/..", "./other"));
    let (dirs, origin) = scratch.held("dirs", &["--config", "c.yaml"]);
    let names: Vec<_> = dirs.as_array().unwrap().iter().map(|dir| dir["path"].as_str().unwrap()).collect();
    assert_eq!((names, origin.as_str()), (vec!["sub", "./other"], "c.yaml:4"));
    assert_eq!(scratch.run(&["create", "x", "--content", "x", "--config", "c.yaml"]).code, 0);
    assert!(scratch.at.join("sub/x").exists());
    let policy: Value =
        serde_json::from_str(&scratch.run(&["config", "policy", "--config", "c.yaml"]).out).unwrap();
    assert_eq!(policy[0]["rules"][0]["paths"], json!(["./bin", "obj"]));
    assert_eq!(policy[0]["confirm_delete"], true);
    // As a project's file it narrows the grants to the intersection.
    scratch.write("w/fsgate.yaml", &settings.replace("      - '${HOME}/none/..'\n    ", "    "));
    fs::write(scratch.at.join("w/sub/in.txt"), "in").unwrap();
    assert_eq!(scratch.run(&["read", "in.txt", "--dir", "w"]).out, "in");
    let outside = scratch.at.join("w/a.txt");
    let ended = scratch.run(&["read", outside.to_str().unwrap(), "--dir", "w"]);
    assert!(ended.code == 1 && ended.err.contains("[not_granted]"), "{ended:?}");
    // The error names the directory that is not granted.
    scratch.write(
        "w/fsgate.yaml",
        "tool_configuration:\n  file_system:\n    allowed_directories: ['.', '../other']\n",
    );
    let sentence = scratch.refused(&["read", "a.txt", "--dir", "w"]);
    assert!(
        sentence.contains("the allowed directory `W/w/../other` lies in no granted directory"),
        "{sentence}"
    );
    assert_eq!(scratch.run(&["read", "a.txt", "--dir", "w", "--dir", "other"]).out, "one\n");
}

#[test]
fn a_file_is_checked_before_it_counts() {
    let scratch = Scratch::new();
    scratch.write("good.toml", "state_dir = 'x'\n[policy]\nprofile = 'strict'\n");
    scratch.write("bad.yaml", "policy:\n  profile: strickt\n");
    let ended = scratch.run(&["config", "check", "good.toml"]);
    assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (0, "", ""));
    assert!(
        scratch
            .refused(&["config", "check", "bad.yaml"])
            .contains("bad.yaml:2: `policy.profile` has to be one of")
    );
    assert!(scratch.refused(&["config", "check", "none.toml"]).contains("No such file"));
    assert!(
        scratch.refused(&["config", "check", "--project", "good.toml"]).contains("`state_dir` belongs to")
    );
}

#[test]
fn files_that_cannot_be_trusted_or_told_apart_refuse_the_start() {
    let scratch = Scratch::new();
    scratch.user("");
    let user = scratch.at.join("home/.config/fsgate/config.toml");
    fs::set_permissions(&user, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(scratch.refused(&["read", "a.txt", "--dir", "w"]).contains("everybody can write to it"));
    fs::set_permissions(&user, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(user.with_extension("yaml"), "").unwrap();
    assert!(scratch.refused(&["read", "a.txt", "--dir", "w"]).contains("there is another one beside it"));
    let sentence = scratch.refused(&["read", "a.txt", "--dir", "w", "--config", "none.toml"]);
    assert!(sentence.contains("cannot read the configuration `none.toml`: No such file"), "{sentence}");
}

#[test]
fn what_is_shown_can_be_a_file_again() {
    let scratch = Scratch::new();
    scratch.user("history.days = 3\n[[policy.rules]]\nname = 'r'\neffect = 'denied'\npaths = ['x']\n");
    let shown = scratch.run(&["config", "show", "--json", "--dir", "w", "--profile", "strict"]).out;
    scratch.write("shown.yaml", &shown);
    assert_eq!(scratch.run(&["config", "check", "shown.yaml"]).err, "");
    let again = scratch.run(&["config", "show", "--json", "--config", "shown.yaml"]).out;
    let (shown, again): (Value, Value) =
        (serde_json::from_str(&shown).unwrap(), serde_json::from_str(&again).unwrap());
    assert_eq!(shown["policy"], again["policy"]);
    assert_eq!(shown["history"], again["history"]);
}

#[test]
fn docs_are_made_from_the_table() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let schema = format!("{:#}\n", fsgate::config::schema());
    let page = fs::read_to_string(docs.join("configuration.md")).unwrap();
    let (before, rest) =
        page.split_once("<!-- keys: made from the table, kept true by a test -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end of keys -->").unwrap();
    let mark = "<!-- keys: made from the table, kept true by a test -->\n";
    let made = format!("{before}{mark}{}<!-- end of keys -->{after}", fsgate::config::reference());
    if env::var_os("FSGATE_UPDATE").is_some() {
        fs::write(docs.join("configuration.md"), made).unwrap();
        fs::write(docs.join("config.schema.json"), schema).unwrap();
        return;
    }
    assert!(page == made, "docs/configuration.md is not what the table says; `make reference` writes it");
    let published = fs::read_to_string(docs.join("config.schema.json")).unwrap();
    assert!(
        published == schema,
        "docs/config.schema.json is not what the table says; `make reference` writes it"
    );
}

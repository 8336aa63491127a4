//! Rulings of paths. A path is walked name by name; `|` marks the start of the grant.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::*;

/// The ruling for the last name of `top/of/grant|name/name`. A final `/` marks a directory.
fn ruling(policy: &Policy, path: &str) -> Ruling {
    let (at, name, is_directory) = walked(policy, path);
    at.ruling(policy, name, is_directory)
}

fn walked<'a>(policy: &Policy, path: &'a str) -> (PathState, &'a str, bool) {
    let (above, below) = path.split_once('|').unwrap_or(("w", path));
    let names = |path: &'a str| path.split('/').filter(|name| !name.is_empty()).collect::<Vec<_>>();
    let grant = names(above).into_iter().fold(policy.start(), |at, name| at.below(policy, name)).at_grant();
    let mut names = names(below);
    let last = names.pop().unwrap();
    let at = names.into_iter().fold(grant, |at, name| at.below(policy, name));
    (at, last, below.ends_with('/'))
}

fn compiled(text: &str) -> Policy {
    Policy::compile(&Documents::parse(text).unwrap()).unwrap()
}

/// A policy of `examples/policies`.
fn example(name: &str) -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/policies").join(name);
    Documents::parse(&fs::read_to_string(path).unwrap()).unwrap().0.remove(0)
}

fn denying(patterns: &[&str]) -> Policy {
    let patterns = serde_json::to_string(patterns).unwrap();
    compiled(&format!(
        r#"{{"profile": "open", "rules": [{{"name": "r", "paths": {patterns}, "effect": "denied"}}]}}"#
    ))
}

#[test]
fn a_pattern_begins_at_every_grant_that_a_name_lies_in() {
    for (pattern, denies) in [
        ("./inner/secret", true),
        ("inner/secr?t", true),
        ("./secret", true),
        ("s?cret", true),
        ("./other/secret", false),
        ("/w/inner/secret", true),
    ] {
        let policy = denying(&[pattern]);
        let outer = policy.start().below(&policy, "w").at_grant();
        let inner = outer.below(&policy, "inner").at_grant();
        assert_eq!(inner.ruling(&policy, "secret", false).denied.is_some(), denies, "{pattern}");
    }
}

#[test]
fn patterns_name_what_they_say() {
    for (pattern, named, other) in [
        (
            "secret",
            &["secret", "a/secret", "secret/b/c", "SECRET", "a/Secret./b"][..],
            &["secrets", "a-secret"][..],
        ),
        ("secret/", &["secret/", "secret/a"], &["secret", "a/secret"]),
        ("./secret", &["secret", "secret/a"], &["a/secret"]),
        ("a/secret", &["a/secret", "a/secret/b", "A/SECRET"], &["secret", "b/a/secret", "a"]),
        ("**/a/secret", &["a/secret", "x/a/secret/b"], &["xa/secret", "secret", "a"]),
        ("/w/a", &["a", "w|a/b", "|w/a"], &["b/w/a", "x|w/a", "w"]),
        ("/x", &["x|a", "x/y|a/b"], &["a", "x", "w|x"]),
        ("*.pem", &["a.pem", "d/.pem", "a.PEM", "x.pem/in/it"], &["pem", "a.pem.txt"]),
        ("id_*", &["id_", "ID_rsa", "d/id_x"], &["xid_", "id"]),
        ("a*b", &["ab", "axb"], &["a", "b", "xab", "aXbc"]),
        ("*", &["a", "a/b", ".x"], &[]),
        ("s?cret", &["secret", "a/s1cret"], &["scret"]),
        ("docs/*.md", &["docs/a.md", "DOCS/A.MD"], &["a.md", "docs/a/b.md", "x/docs/a.md"]),
        ("docs/*", &["docs/a", "docs/a/b", "DOCS/.x/y"], &["docs", "docs/", "x/docs/a", "a"]),
        ("**/a/b/*", &["a/b/c", "x/a/b/c/d", "x/a|b/c", "x/a/b|c"], &["a/b", "b/c", "a/c"]),
        ("/w/*", &["a", "a/b", "|w/a"], &["x|w/a", "x|a"]),
        ("**/docs/*.md", &["docs/a.md", "x/docs/a.md"], &["a.md"]),
        (
            "**/.aws/cred*",
            &[".aws/credentials", "x/.aws|credentials", "|.aws/credits/a"],
            &["credentials", "x|aws/cred"],
        ),
        ("**/.aws/**", &["x/.aws|a", "x/.aws/y|a/b"], &["x|a", ".aws"]),
        ("docs/**", &["docs/a", "docs/a/b"], &["docs", "docs/", "x/docs/a"]),
        ("{a,b}/c", &["a/c", "b/c/d"], &["c", "c/c"]),
        ("caf\u{E9}", &["cafe\u{301}", "CAF\u{C9}"], &["cafe"]),
        ("\u{1F511}*", &["\u{1F511}ring"], &["ring"]),
        ("Acme*Inc.", &["Acme EU Inc.", "acme inc", "x/Acme Inc. ./y"], &["Acme Inc.x"]),
        ("/w/a[1].", &["a1.", "w|a1/b"], &["a"]),
        ("/w/a\\[1\\]. /own", &["a[1]. /own", "w|a[1]/own"], &["a1/own"]),
        ("{Inc.,Ltd. }", &["Inc.", "inc", "LTD"], &["in"]),
        ("[A-z]x", &["_x", "ax", "Ax"], &["1x"]),
        ("[E\u{301}\u{C0}-\u{178}]y", &["e\u{301}y", "\u{C9}y", "\u{101}y"], &["ey"]),
        ("a[[.]", &["a["], &["a", "b"]),
        ("{secret,...}", &["secret", "..."], &["a"]),
    ] {
        let policy = denying(&[pattern]);
        for path in named {
            assert!(ruling(&policy, path).denied.is_some(), "`{pattern}` is to name `{path}`");
        }
        for path in other {
            assert!(ruling(&policy, path).is_free(), "`{pattern}` is not to name `{path}`");
        }
    }
}

#[test]
fn a_name_of_a_grant_is_what_its_owner_meant() {
    // A grant named like that is deliberate; its content is judged by the full path.
    let policy = denying(&[".ssh", "**/.config/gcloud"]);
    assert!(ruling(&policy, "home/.ssh|config").is_free());
    assert!(ruling(&policy, "home/.config|gcloud/x").denied.is_some());
    assert!(ruling(&policy, "w|gcloud/x").is_free());
}

#[test]
fn what_is_said_about_a_directory_holds_below_it() {
    let policy = compiled(
        r#"{"profile": "open", "rules": [
            {"name": "logs", "paths": ["logs/"], "effect": "append_only"},
            {"name": "keep", "paths": ["*.log"], "effect": "no_delete"},
            {"name": "old", "paths": ["logs/old"], "effect": "read_only"},
            {"name": "gone", "paths": ["logs/old/x"], "effect": "hidden"},
            {"name": "here", "paths": ["stays"], "effect": "keeps_name"}
        ]}"#,
    );
    let name = |rule: Option<RuleId>| rule.map_or("", |rule| policy.rule(rule));
    for (path, reading, adding, changing, deleting) in [
        ("a", "", "", "", ""),
        ("a.log", "", "", "", "keep"),
        ("stays", "", "", "", "here"),
        ("stays/a", "", "", "", ""),
        ("stays/stays/a.log", "", "", "", "keep"),
        ("logs/a", "", "", "logs", "logs"),
        ("logs/old/a", "", "old", "old", "old"),
        ("logs/old/x/y", "gone", "gone", "gone", "gone"),
    ] {
        let ruling = ruling(&policy, path);
        let told = [
            ruling.against_reading(),
            ruling.against_adding(),
            ruling.against_changing(),
            ruling.against_deleting(),
        ];
        assert_eq!(told.map(name), [reading, adding, changing, deleting], "{path}");
    }
}

#[test]
fn what_a_rule_is_not_about() {
    let policy = compiled(
        r#"{"profile": "open", "rules": [
            {"name": "env", "paths": [".env*"], "unless": [".env.example", "docs/**"], "effect": "hidden"}
        ]}"#,
    );
    for (path, hidden) in [
        (".env", true),
        ("a/.env.local", true),
        (".env.example", false),
        ("a/.env.EXAMPLE", false),
        ("docs/.env", false),
    ] {
        assert_eq!(ruling(&policy, path).hidden.is_some(), hidden, "{path}");
    }
}

#[test]
fn only_what_is_allowed() {
    let policy = compiled(
        r#"[{"profile": "open", "allowed_paths": ["src/**", "./docs/", "*.md", "/w/x/y"]},
            {"allowed_extensions": [".rs", ".md"]}]"#,
    );
    for (path, denied) in [
        ("src/", false),
        ("src", true),
        ("src/a.rs", false),
        ("src/a/b.RS", false),
        ("src/a.txt", true),
        ("docs/", false),
        ("docs/a.md", false),
        ("docs/a.exe", true),
        ("a/b/c.md", false),
        ("a/", false),
        ("a/b.rs", true),
        ("x/", false),
        ("x/y/z.rs", false),
        ("x/z.rs", true),
        ("Makefile", true),
    ] {
        assert_eq!(ruling(&policy, path).denied.is_some(), denied, "{path}");
    }
}

#[test]
fn expressions_are_about_whole_paths() {
    let policy = Policy::compile(&Documents(vec![Document {
        allowed_paths: vec!["**".to_owned()],
        ..example("clada.json")
    }]))
    .unwrap();
    for (path, denied) in [
        ("home/me|.ssh/id", true),
        ("home/me|a.ssh.b", true),
        ("home/me|p/.git/config", true),
        ("home/me|p/.git/config.bak", false),
        ("home/me|p/.GIT/CONFIG", true),
        ("etc|passwd", true),
        ("|etc/passwd", true),
        ("sys|kernel/debug", true),
        ("|sys/kernel", true),
        ("proc|1/environ", true),
        ("|PROC/self/mem", true),
        ("home/me|etc/passwd", false),
        ("home/me|sys/kernel", false),
        ("home/me|proc/1", false),
        ("|system/a", false),
    ] {
        assert_eq!(ruling(&policy, path).denied.is_some(), denied, "{path}");
    }
}

#[test]
fn an_example_policy_has_roots_and_a_limit() {
    let policy = Policy::compile(&example("clada.json").into()).unwrap();
    let name = |path| ruling(&policy, path).denied.map(|rule| policy.rule(rule));
    for (path, rule) in [
        ("home/user/projects|a/b.rs", None),
        ("home/user|projects/a", None),
        ("tmp|ai-coder/a/b", None),
        ("|tmp/ai-coder/a", None),
        ("home/user|other/a", Some("allowed_paths")),
        ("home/user|projects-2/a", Some("allowed_paths")),
        ("tmp|a", Some("allowed_paths")),
        ("w|tmp/ai-coder/a", Some("allowed_paths")),
        ("home/user/projects|a/.ssh/id", Some("blacklist")),
    ] {
        assert_eq!(name(path), rule, "{path}");
    }
    assert_eq!(policy.limits().max_file_size, Some(10 << 20));
    // The lists of several policies hold together.
    let narrower = Document { allowed_paths: vec!["/tmp".to_owned()], ..Document::default() };
    let both = Policy::compile(&Documents(vec![example("clada.json"), narrower])).unwrap();
    assert!(ruling(&both, "tmp|ai-coder/a").is_free());
    assert!(ruling(&both, "tmp|a").denied.is_some());
    assert!(ruling(&both, "home/user/projects|a").denied.is_some());
}

#[test]
fn what_leads_to_a_protected_path_is_known() {
    let policy = compiled(
        r#"{"rules": [{"name": "own", "paths": ["conf/live/*.toml", "/w/run/now"], "effect": "read_only"}]}"#,
    );
    for (path, rule) in [
        (".vscode", Some("editor_settings")),
        ("x/.claude", Some("agent_settings")),
        ("x/claude", None),
        ("a/.VSCode", Some("editor_settings")),
        ("a/.aws", Some("agent_settings")),
        ("a/.kube", Some("credentials")),
        ("home|.local", Some("shell_startup")),
        (".local/share", Some("shell_startup")),
        ("conf", Some("own")),
        ("conf/live", Some("own")),
        ("run", Some("own")),
        ("x/conf", None),
        ("x/run", None),
        ("share", None),
        ("src", None),
        // Protected itself, so no way to something protected.
        (".git", None),
    ] {
        let (at, name, _) = walked(&policy, path);
        assert_eq!(policy.passage(&at, name).map(|rule| policy.rule(rule)), rule, "{path}");
    }
}

#[test]
fn a_link_is_a_directory_where_it_is_put() {
    let rules = |rule: &str| {
        let text =
            format!(r#"{{"profile": "open", "rules": [{{"name": "own", "effect": "read_only", {rule}}}]}}"#);
        Policy::compile(&Documents::parse(&text).unwrap()).unwrap()
    };
    for (rule, refused, free) in [
        (r#""paths": ["./deploy/"]"#, &["deploy", "DEPLOY"][..], &["x/deploy", "dep"][..]),
        (r#""paths": ["deploy/"]"#, &["deploy", "x/deploy"], &["dep"]),
        (r#""paths": ["./d*y/"], "unless": ["./dry/"]"#, &["deploy"], &["dry", "dep"]),
        (r#""regex": ["/w/deploy/.*"]"#, &["deploy"], &["x/deploy", "dep"]),
        (r#""regex": [".*\\.git/config"]"#, &[".git", "x/.git"], &["git", ".git/x", "x"]),
        (r#""regex": [".*\\.pem"]"#, &[], &["x", "x/y"]),
        (r#""regex": ["/etc/.*"]"#, &[], &["etc", "x"]),
    ] {
        let policy = rules(rule);
        for (paths, expected) in [(refused, Some("own")), (free, None)] {
            for path in paths {
                let (at, name, _) = walked(&policy, path);
                let found = policy.passage(&at, name).map(|rule| policy.rule(rule));
                assert_eq!(found, expected, "{rule} {path}");
            }
        }
    }
}

#[test]
fn the_usual_policy() {
    let policy = Policy::compile(&Documents::default()).unwrap();
    let name = |rule: Option<RuleId>| rule.map(|rule| policy.rule(rule));
    for (path, reading, adding) in [
        (".git/hooks/pre-commit", None, Some("git")),
        ("a/.git/config", None, Some("git")),
        (".GIT\u{200C}/x", None, Some("git")),
        ("git~1/config", None, Some("git")),
        (".gitignore", None, None),
        ("docs/HEAD", None, None),
        ("src/lefthook.yml", None, Some("git")),
        (".vscode/settings.json", None, Some("editor_settings")),
        (".vscode/snippets.json", None, None),
        ("x/.claude/settings.local.json", None, Some("agent_settings")),
        ("x/.claude/skills/a/SKILL.md", None, Some("agent_settings")),
        (".claude/", None, None),
        (".claude/rules/a.md", None, None),
        ("home/.claude|settings.json", None, Some("agent_settings")),
        ("CLAUDE.md", None, None),
        (".bashrc", None, Some("shell_startup")),
        ("id_rsa", Some("key_files"), Some("key_files")),
        ("id_rsa.pub", None, None),
        ("x/.ssh/known_hosts", Some("credentials"), Some("credentials")),
        ("x/.\u{17F}sh/config", Some("credentials"), Some("credentials")),
        ("home/me/.aws|credentials", Some("credentials"), Some("credentials")),
        ("a/.env", Some("environment_files"), Some("environment_files")),
        ("a/prod.env", Some("environment_files"), Some("environment_files")),
        (".env.example", None, None),
        (".envrc", None, None),
        (".npmrc", None, None),
        ("src/main.rs", None, None),
    ] {
        let ruling = ruling(&policy, path);
        assert_eq!(
            (name(ruling.against_reading()), name(ruling.against_adding())),
            (reading, adding),
            "{path}"
        );
    }
    assert!(policy.judges_content());
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n", "A".repeat(64));
    assert_eq!(name(policy.content(key.as_bytes())), Some("private_keys"));
}

#[test]
fn policies_behind_one_another_only_take_away() {
    let strict = compiled(
        r#"[{"profile": "strict", "max_files": 10}, {"max_files": 20, "max_file_size": 5, "confirm_delete": false}]"#,
    );
    let limits = strict.limits();
    assert_eq!((limits.max_files.map(|(files, _)| files), limits.max_file_size), (Some(10), Some(5)));
    assert!(limits.confirm_delete && limits.linked_files.is_some());
    assert!(ruling(&strict, ".env").hidden.is_some());
    // Only the policy that names a profile can leave out its rules.
    let except = compiled(r#"[{"except": ["git"]}, {"profile": "default", "except": ["credentials"]}]"#);
    assert!(ruling(&except, ".git").read_only.is_some());
    assert!(ruling(&except, ".ssh").denied.is_some());
    assert!(ruling(&compiled(r#"{"except": ["git"]}"#), ".git").is_free());
}

#[test]
fn rules_against_reading_are_told_from_others() {
    let named = |effect: &str| json!([{"name": "r", "paths": ["never"], "effect": effect}]);
    for (says, is_against) in [
        (json!({}), false),
        (json!({"max_files": 5}), false),
        (json!({"max_file_size": 5}), false),
        (json!({"confirm_delete": true}), false),
        (json!({"linked_files": "read_only"}), false),
        (json!({"rules": named("read_only")}), false),
        (json!({"rules": named("keeps_name")}), false),
        (json!({"rules": named("no_delete")}), false),
        (json!({"rules": named("denied")}), true),
        (json!({"rules": named("hidden")}), true),
        (json!({"private_keys": "denied"}), true),
        (json!({"executables": "denied"}), true),
        (json!({"allowed_paths": ["src"]}), true),
        (json!({"allowed_extensions": [".txt"]}), true),
    ] {
        let policy = compiled(&json!([{"profile": "open"}, says]).to_string());
        assert_eq!(!policy.reading().is_empty(), is_against, "{says}");
    }
}

#[test]
fn an_open_policy_says_nothing() {
    let policy = Policy::open();
    assert!(policy.rules_no_name() && !policy.judges_content());
    assert!(ruling(&policy, ".git/config").is_free());
    assert!(ruling(&compiled(r#"{"profile": "open"}"#), ".ssh/id_rsa").is_free());
}

#[test]
fn what_is_wrong_is_told_by_its_place() {
    for (text, field, problem) in [
        (r#"{"except": ["gti"]}"#, "except", "the profile has no rule `gti`"),
        (r#"{"rules": [{"name": "", "paths": ["a"], "effect": "denied"}]}"#, "rules[0].name", "needs a name"),
        (r#"{"rules": [{"name": "a", "effect": "denied"}]}"#, "rules[0]", "is about nothing"),
        (
            r#"{"rules": [{"name": "a", "paths": ["b", "c["], "effect": "denied"}]}"#,
            "rules[0].paths[1]",
            "is not closed",
        ),
        (
            r#"{"rules": [{"name": "a", "paths": ["../b"], "effect": "denied"}]}"#,
            "rules[0].paths[0]",
            "leads out",
        ),
        (
            r#"{"rules": [{"name": "a", "extensions": ["exe"], "effect": "denied"}]}"#,
            "rules[0].extensions[0]",
            "with its dot",
        ),
        (
            r#"{"rules": [{"name": "a", "regex": ["("], "effect": "denied"}]}"#,
            "rules[0].regex[0]",
            "unclosed group",
        ),
        (r#"[{}, {"allowed_paths": [""]}]"#, "[1].allowed_paths[0]", "names nothing"),
    ] {
        let invalid = Documents::parse(text).and_then(|documents| Policy::compile(&documents)).unwrap_err();
        assert_eq!(invalid.field, field, "{text}");
        assert!(invalid.problem.contains(problem), "{text}: {}", invalid.problem);
    }
    // A foreign file must not make the start slow or large.
    let patterns = |patterns: Vec<String>| {
        let text = json!([{}, {"rules": [{"name": "a", "paths": patterns, "effect": "denied"}]}]).to_string();
        Documents::parse(&text).and_then(|documents| Policy::compile(&documents)).map(drop)
    };
    for (pattern, most) in [("**/{a,b,c}*9*[x-z]", 390), ("**/*a*b*9*", 481), ("?", 655)] {
        let many = |count: usize| vec![pattern.to_owned(); count];
        assert_eq!(patterns(many(most)), Ok(()), "{pattern}");
        let refused = patterns(many(4_000)).unwrap_err();
        assert_eq!(refused.field, format!("[1].rules[0].paths[{most}]"), "{pattern}");
        assert!(refused.problem.contains("take too long to start with"), "{refused}");
    }
    for pattern in ["*.a", "**/a/b", "a/*", "./a/b/", "a*b"] {
        assert_eq!(patterns(vec![pattern.to_owned(); 4_000]), Ok(()), "{pattern}");
    }
    let rules = |regex: Vec<String>| json!({"rules": [{"name": "a", "regex": regex, "effect": "denied"}]});
    for (regex, field, problem) in [
        (vec![r"(0\w{10}){20}".to_owned()], "rules[0].regex[0]", "size limit"),
        (vec!["a".to_owned(); 65], "rules[0].regex", "more than 64 regular expressions"),
    ] {
        let text = rules(regex).to_string();
        let invalid = Documents::parse(&text).and_then(|documents| Policy::compile(&documents)).unwrap_err();
        assert_eq!(invalid.field, field);
        assert!(invalid.problem.contains(problem), "{}", invalid.problem);
    }
}

#[test]
fn every_profile_is_sound() {
    for profile in Profile::ALL {
        let document = Document { profile: Some(profile), ..Document::default() };
        assert_eq!(serde_json::to_value(profile).unwrap(), profile.name());
        let policy = Policy::compile(&document.into()).unwrap();
        assert_eq!(policy.rules_no_name(), profile == Profile::Open);
    }
}

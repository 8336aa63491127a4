use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::{Value, json};

use super::{Fact, Machine, check_json, wideness};

/// A tree: directories; links, `NAME -> TARGET`; second names by mounts, `NAME == DIRECTORY`.
#[derive(Clone)]
struct Tree(Vec<(PathBuf, Option<(&'static str, PathBuf)>)>);

impl Tree {
    fn new(text: &'static str) -> Self {
        let line = |line: &'static str| {
            let mut words = line.split_whitespace();
            let name = PathBuf::from(words.next().unwrap());
            (name, words.next().map(|kind| (kind, PathBuf::from(words.next().unwrap()))))
        };
        Self(text.split(',').map(str::trim).filter(|line| !line.is_empty()).map(line).collect())
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        let found = self.0.iter().find(|(name, _)| name == path)?.1.clone();
        found.filter(|(kind, _)| *kind == "->").map(|(_, target)| target)
    }

    /// The path without links, if it is there.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        let mut end = PathBuf::from("/");
        let mut names: Vec<_> = path.components().rev().map(|name| name.as_os_str().to_owned()).collect();
        let mut links = 0;
        while let Some(name) = names.pop() {
            if name == ".." {
                end.pop();
                continue;
            }
            let next = end.join(&name);
            match self.link(&next) {
                Some(target) if links < 40 => {
                    links += 1;
                    names.extend(target.components().rev().map(|name| name.as_os_str().to_owned()));
                }
                Some(_) => return None,
                None => end = next,
            }
        }
        self.is_there(&end).then_some(end)
    }

    fn is_there(&self, path: &Path) -> bool {
        self.0.iter().any(|(name, _)| name.starts_with(path))
    }

    fn fact(&self, path: &Path) -> Value {
        let real = self.real(path);
        let identity = real.clone().map(|real| {
            let mounts = self.0.iter().filter(|(_, of)| of.as_ref().is_some_and(|(kind, _)| *kind == "=="));
            let of =
                mounts.clone().find_map(|(name, of)| Some(of.clone()?.1.join(real.strip_prefix(name).ok()?)));
            of.unwrap_or(real).components().collect::<PathBuf>()
        });
        let all = [("link", self.link(path)), ("real", real), ("identity", identity)];
        json!(all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect::<BTreeMap<_, _>>())
    }
}

/// Asks until the answer is a verdict, and returns the whole start with it.
fn asked(tree: &Tree, mut start: Value) -> (Value, Value) {
    loop {
        let answer: Value = serde_json::from_str(&check_json(&start.to_string())).unwrap();
        let Some(look) = answer["look"].as_array() else { return (start, answer) };
        for path in look {
            let path = path.as_str().unwrap();
            let facts = start["machine"]["facts"].as_object_mut().unwrap();
            assert!(facts.insert(path.to_owned(), tree.fact(Path::new(path))).is_none(), "{path} again");
        }
    }
}

/// A start of `/here`, over grants that are written as `PATH`, `PATH as NAME`, `read PATH`.
fn start(grants: &[&str], terms: &Value, guarded: &Value) -> Value {
    let grant = |text: &&str| {
        let (access, text) = text.strip_prefix("read ").map_or(("write", *text), |text| ("read", text));
        let (path, name) = text.split_once(" as ").map_or((text, None), |(path, name)| (path, Some(name)));
        json!({"path": path, "name": name, "access": access})
    };
    let variables = json!({"HOME": "/home/me"});
    json!({
        "grants": grants.iter().map(grant).collect::<Vec<_>>(),
        "terms": terms,
        "guarded": guarded,
        "machine": {"here": "/here", "shells": [], "variables": variables, "is_exact": true, "facts": {}},
    })
}

/// Directories in others, and links to and fro.
const TREE: &str = "/here, /w/v1/inner, /w/d[1]/*, /ref, /home/me/.local/state/fsgate/states/1, /home/me/project, \
    /usr/bin, /data/x, /again == /w, /w/lnk -> ../ref, /w/near -> v1/inner, /w/self -> ., /w/cur -> v1, \
    /w/v1/back -> ../.., /by -> w/v1/back/ref, /far -> w/lnk, /around -> ref, /w/odd\u{0}dcff, /loop -> loop";

/// Grants, further words of the start, and the verdict: a reason, or names with the paths of rules.
type Case = (&'static [&'static str], &'static str, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    (&[], "", "no_grant"),
    (&["/w"], "", "/w"),
    (&["/w as w", "read /ref as /r"], "", "w /r"),
    // Names.
    (&["/w as w", "/ref as /w/"], "", "duplicate_name"),
    (&["/w as /.fsgate"], "", "reserved_name"),
    (&["/w as .fsgate/w"], "", "reserved_name"),
    (&["/w as /x/../.fsgate"], "", "reserved_name"),
    (&["/w as /.Fsgate-settings"], "", "reserved_name"),
    (&["/w as /w/.fsgate"], "", "/w/.fsgate"),
    (&["/w/odd\u{0}dcff"], "", "not_utf8"),
    // Directories that hold far more than a project.
    (&["read /"], "", "wide"),
    (&["/"], "", "own_directory"),
    (&["read /usr"], "", "wide"),
    (&["read /usr"], "wide", "/usr"),
    (&["read /home/me"], "", "wide"),
    (&["/home/me"], "", "own_directory"),
    (&["/home/me"], "wide", "own_directory"),
    // Rights that another grant makes void.
    (&["/w", "read /w/v1"], "", "narrower"),
    (&["/w", "read /w as /r"], "", "twice_differently"),
    (&["/w", "read /again/v1"], "", "narrower"),
    (&["read /w", "/w/v1"], "", "/w /w/v1"),
    // Links in another grant, and `..` in it, also where they lead to something granted.
    (&["/w as /w", "/w/lnk as /x"], "", "led_out"),
    (&["/w as /w", "/w/near as /w/v1/inner"], "", "led_out"),
    (&["read /w as /w", "/w/lnk as /x"], "", "led_out"),
    (&["/w as /w", "/far as /x"], "", "led_out"),
    (&["/w as /w", "/by as /x"], "", "led_out"),
    (&["/w as /w", "/w/v1/../../ref as /x"], "", "led_out"),
    (&["/again as /w", "/w/lnk as /x"], "", "led_out"),
    (&["/w as /w", "/around as /x"], "", "/w /x"),
    (&["/w/lnk as /x"], "", "/x"),
    // fsgate's own directories, and histories.
    (&["/home/me/.local/state"], "", "own_directory"),
    (&["/home/me/.local/state/fsgate/states/1"], "", "own_directory"),
    (&["read /home/me/.local/state/fsgate/states/1"], "", "own_directory"),
    (&["read /home/me/.local/state as /s"], "", "/s own_state:hidden:/s/fsgate/python,/s/fsgate/states,/s/fsgate/roots"),
    (&["read /home/me/.local/state as /s"], "program", "/s own_state:hidden:/s/fsgate/python,/s/fsgate/states,/s/fsgate/roots"),
    (&["/w as /w"], "state=/w/s", "own_directory"),
    (&["read /w as /w"], "state=/w/s", "/w own_state:hidden:/w/s/states,/w/s/roots"),
    (&["read /w as /w"], "program state=/w/s", "/w own_state:hidden:/w/s/states,/w/s/roots"),
    (&["read /w as /w"], "javascript state=/w/s", "state_in_grant"),
    (&["/ref as /r"], "javascript state=/around/s", "state_in_grant"),
    (&["/ref as /r"], "javascript state=/data/s", "/r"),
    // Names that the next start follows.
    (&["/w as /w", "/w/v1 as /v", "/w/v1/inner as /i"], "", "/w /v /i granted_directory:keeps_name:/w/v1,/w/v1/inner,/v/inner"),
    (&["/w as /w", "/w as /b", "/w/v1 as /v"], "", "/w /b /v granted_directory:keeps_name:/w/v1,/b/v1"),
    (&["/w as /", "/w/v1 as /v"], "", "/ /v granted_directory:keeps_name:/v1"),
    (&["/w as a/../b//c/", "/w/v1 as /v"], "", "a/../b//c/ /v granted_directory:keeps_name:/b/c/v1"),
    (&["/w as /a[1]", "/w/d[1]/* as /v"], "", r"/a[1] /v granted_directory:keeps_name:/a\[1\]/d\[1\]/\*"),
    (&["/w/self as /w"], "", "/w granted_directory:keeps_name:/w/self"),
    (&["read /w as /w", "/w/v1 as /v"], "", "/w /v"),
    (&["/w as /w", "/w/odd\u{0}dcff as /o"], "", "unnameable"),
    (&["/w as /w"], "state=/w/lnk/s", "/w own_directory:keeps_name:/w/lnk own_state:hidden:/w/lnk/s/states,/w/lnk/s/roots"),
    // Files that run, by the names that were used and those that these lead to.
    (&["/w as /w"], "runs=/w/cur/bin", "/w own_program:read_only:/w/v1/bin,/w/cur/bin own_program:keeps_name:/w/cur"),
    (&["/w/v1/inner as /"], "runs=/w/v1", "/ own_program:read_only:/**"),
    (&["/again as /w"], "runs=/w/v1", "/w own_program:read_only:/w/v1"),
    (&["read /w as /w"], "runs=/w/v1", "/w"),
    (&["/ref as /r"], "runs=/w/v1", "/r"),
    (&["/ref as /r"], "apart=**/x", "/r own_program:read_only:**/x"),
    (&["read /ref as /r"], "apart=**/x", "/r"),
];

/// Reads the further words of a case.
fn made(grants: &[&str], words: &str) -> Value {
    let mut terms = json!({"host": "python"});
    let mut guarded = json!({});
    for word in words.split_whitespace() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("wide", _) => terms["wide"] = json!(true),
            ("state", path) => terms["state"] = json!(path),
            ("runs", path) => guarded["read_only"] = json!([["own_program", [path]]]),
            ("apart", pattern) => guarded["apart"] = json!([pattern]),
            (host, _) => terms["host"] = json!(host),
        }
    }
    start(grants, &terms, &guarded)
}

/// An answer in a line.
fn shown(answer: &Value) -> String {
    if let Some(reason) = answer["refused"]["reason"].as_str() {
        return reason.to_owned();
    }
    let texts = |list: &Value, key: &str| -> Vec<String> {
        list.as_array().unwrap().iter().map(|each| each[key].as_str().unwrap().to_owned()).collect()
    };
    let mut words = texts(&answer["granted"]["grants"], "name");
    for rule in answer["granted"]["rules"].as_array().unwrap() {
        let paths: Vec<_> =
            rule["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
        words.push(format!(
            "{}:{}:{}",
            rule["name"].as_str().unwrap(),
            rule["effect"].as_str().unwrap(),
            paths.join(",")
        ));
    }
    words.join(" ")
}

/// The packages' tests try the same starts on the component: `tests/starts.jsonl` has each with all
/// facts and its answer. `FSGATE_UPDATE=1` writes it.
#[test]
fn each_start_has_its_verdict() {
    let tree = Tree::new(TREE);
    let mut lines = String::new();
    for (grants, words, expected) in CASES {
        let (start, answer) = asked(&tree, made(grants, words));
        assert_eq!(shown(&answer), *expected, "{grants:?} {words}: {answer}");
        lines.push_str(&format!("{}\n", json!({"start": start, "answer": answer})));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/starts.jsonl");
    if env::var_os("FSGATE_UPDATE").is_some() {
        fs::write(&file, &lines).unwrap();
    }
    assert!(fs::read_to_string(&file).is_ok_and(|found| found == lines), "write it with `FSGATE_UPDATE=1`");
}

#[test]
fn a_request_that_makes_no_sense_is_refused() {
    for text in ["", "{}", r#"{"grants": [], "terms": {}, "machine": {}}"#] {
        assert!(check_json(text).contains(r#"{"refused":{"reason":"malformed""#), "{text}");
    }
}

#[test]
fn a_directory_that_cannot_be_listed_is_refused() {
    for (problem, reason) in
        [(json!("not_directory"), "not_directory"), (json!({"error": "gone"}), "unusable")]
    {
        let mut start = made(&["/w"], "");
        start["grants"][0]["problem"] = problem;
        assert_eq!(shown(&asked(&Tree::new(TREE), start).1), reason);
    }
}

/// The machine of the tests below.
fn machine() -> Machine {
    fn look(path: &Path) -> Fact {
        serde_json::from_value(Tree::new(WAYS).fact(path)).unwrap()
    }
    let mut machine = Machine::new(look);
    machine.here = "/w/v1".into();
    machine.variables.insert("HOME".to_owned(), "/data/me".into());
    machine
}

const WAYS: &str = "/w/v1/deep, /w/v1/file, /w/cur -> v1, /one -> w/cur/file, /w/v1/up -> deep/../file, /data/me, \
    /w/dangling -> none/such, /loop -> loop, /absolute -> /w/cur, /here == /w/v1, /second == /w, /ab";

#[test]
fn a_path_goes_through_links_and_back() {
    for (path, through, end) in [
        ("/w/v1/file", &[][..], "/w/v1/file"),
        ("/w/cur", &["/w/cur"], "/w/v1"),
        ("/w/cur/deep/../file", &["/w/cur", "/w/v1/deep"], "/w/v1/file"),
        ("/w/v1/deep/../../cur", &["/w/v1/deep", "/w/v1", "/w/cur"], "/w/v1"),
        ("/one", &["/one", "/w/cur"], "/w/v1/file"),
        ("/absolute/file", &["/absolute", "/w/cur"], "/w/v1/file"),
        ("/w/cur/up", &["/w/cur", "/w/v1/up", "/w/v1/deep"], "/w/v1/file"),
        ("/w/dangling/x", &["/w/dangling"], "/w/none/such/x"),
        ("/none/such", &[], "/none/such"),
        ("/../..", &[], "/"),
    ] {
        let trace = machine().trace(Path::new(path));
        let through: Vec<_> = through.iter().map(PathBuf::from).collect();
        assert_eq!((trace.through, trace.end), (through, PathBuf::from(end)), "{path}");
    }
    assert_eq!(machine().trace(Path::new("/loop")).through.len(), 40);
}

#[test]
fn a_path_that_does_not_exist_is_canonical_as_far_as_it_does() {
    for (path, expected) in [
        ("none/such", "/w/v1/none/such"),
        ("none/../such", "/w/v1/such"),
        ("/w/cur/none", "/w/v1/none"),
        ("/w/dangling/x", "/w/none/such/x"),
    ] {
        assert_eq!(machine().canonical(Path::new(path)), Path::new(expected), "{path}");
    }
}

#[test]
fn the_directory_above_the_current_one_is_above_it_whatever_leads_there() {
    for (path, expected) in [
        ("x", "/w/v1/x"),
        ("..", "/w"),
        ("./../.", "/w"),
        (".././x/../y", "/w/x/../y"),
        ("/x/../y", "/x/../y"),
        (&*"../".repeat(99), "/"),
    ] {
        assert_eq!(machine().joined_to_current(Path::new(path)), Path::new(expected), "{path}");
    }
}

#[test]
fn one_directory_contains_another_by_any_name() {
    for (outer, inner, expected) in [
        ("/w", "/w", true),
        ("/w", "/w/v1", true),
        ("/w", "/w/v1/none/such", true),
        ("/w", "/wx", false),
        ("/w/v1", "/w", false),
        ("/w", "/second", true),
        ("/w", "/second/v1", true),
        ("/second", "/w/v1", true),
        ("/w/v1", "/second", false),
        ("/none", "/none/such", true),
        ("/none", "/w", false),
    ] {
        assert_eq!(machine().contains(Path::new(outer), Path::new(inner)), expected, "{outer} {inner}");
    }
}

#[test]
fn a_typed_path_needs_a_name_of_the_current_directory_and_no_parents() {
    for (shells, path, expected) in [
        (&["/w/cur"][..], "deep", Some("/w/cur/deep")),
        (&["/w/cur"], "./deep/", Some("/w/cur/deep")),
        (&["/w/cur"], "../v1", None),
        (&["/w/v1/.."], "deep", None),
        (&["/w", "/none", "cur", "/w/v1"], "deep", Some("/w/v1/deep")),
        (&["/w"], "deep", None),
        (&[], "deep", None),
        (&[], "/a/../b", None),
        (&[], "/a/./b", Some("/a/b")),
    ] {
        let mut machine = machine();
        machine.shells = shells.iter().map(PathBuf::from).collect();
        assert_eq!(machine.typed(Path::new(path)).as_deref(), expected.map(Path::new), "{shells:?} {path}");
    }
}

#[test]
fn a_directory_that_holds_far_more_than_a_project_is_wide() {
    for (path, expected) in [
        ("/", Some("all of this machine")),
        ("/home", Some("the directory of all home directories")),
        ("/home/me", Some("a home directory")),
        ("/home/me/project", None),
        ("/Users/me", Some("a home directory")),
        ("/root", Some("a home directory")),
        ("/data/me", Some("a home directory")),
        ("/data", Some("a directory with a home directory in it")),
        ("/data/me/project", None),
        ("/data/other", None),
        ("/etc", Some("a directory of the system")),
        ("/etc/fsgate", None),
        ("/usr", Some("a directory of the system")),
        ("/usr/share/doc", None),
        ("/tmp", Some("a directory of the system")),
        ("/tmp/x", None),
        ("/mnt", Some("a directory of the system")),
        ("/mnt/c", Some("a whole drive")),
        ("/mnt/é", Some("a whole drive")),
        ("/mnt/c/x", None),
        ("/mnt/project", None),
        ("/media/x", Some("a whole drive")),
        ("/media/me/stick", Some("a whole drive")),
        ("/media/me/stick/x", None),
        ("/Volumes/stick", Some("a whole drive")),
        ("/run/media/me", Some("a whole drive")),
        ("/run/media/me/stick", Some("a whole drive")),
        ("/run/user", None),
        ("/workspace", None),
        ("/repo", None),
    ] {
        assert_eq!(wideness(Path::new(path), &machine()), expected, "{path}");
    }
}

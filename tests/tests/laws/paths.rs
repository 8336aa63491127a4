//! Where a path leads, three ways: the engine in memory, the component on a disk, and the rules of the
//! resolution taken literally over a map of the tree.

use std::collections::{BTreeMap, VecDeque};

use fsgate_contract::agent_types::CallArgs;
use fsgate_engine::agent;
use fsgate_tests::disk::Disk;
use fsgate_tests::memory;
use fsgate_tests::snapshot::{Snapshot, What};
use fsgate_tests::tree::{Grant, Item, Tree};
use fsgate_volume::Access;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::config;

/// No answer may ever hold it.
const CANARY: &str = "content from outside of every grant";

/// The directories that random trees begin with. Granted are all but the last.
const DIRECTORIES: &[&str] = &["w", "w/n", "o", "outside"];

fn grants() -> Vec<Grant> {
    [("w", "/w", Access::Write), ("w/n", "/w/n", Access::Write), ("o", "/x/o", Access::Read)]
        .map(|(directory, name, access)| Grant { directory: directory.into(), name: name.into(), access })
        .into()
}

/// Trees with few names, so that paths meet something, and links of every kind.
fn trees() -> impl Strategy<Value = Tree> {
    let names = select(&["a", "b", "l", "m"][..]);
    let targets = select(
        &[
            "a",
            "b",
            "l",
            "m",
            ".",
            "..",
            "../a",
            "../..",
            "a/b",
            "a/",
            "l/..",
            "b/../a",
            "n",
            "n/a",
            "../n",
            "../w/a",
            "../outside/a",
            "../../outside/a",
            "../x/o/a",
            "../o",
            "/w/a",
            "/",
            "none/..",
            "none/a",
        ][..],
    );
    let thing = (any::<Index>(), names, 0..10_u8, targets);
    vec(thing, 4..30).prop_map(|things| {
        let mut tree = Tree { grants: grants(), items: BTreeMap::new(), moved: BTreeMap::new() };
        let mut directories: Vec<String> = DIRECTORIES.iter().map(|name| (*name).to_owned()).collect();
        for directory in &directories {
            tree.items.insert(directory.clone(), Item::Directory);
        }
        for (number, (directory, name, kind, target)) in things.into_iter().enumerate() {
            let parent = directory.get(&directories).clone();
            let path = format!("{parent}/{name}");
            if tree.items.contains_key(&path) {
                continue;
            }
            let item = match kind {
                0..=2 => Item::Directory,
                3..=5 => Item::Link(target.to_owned()),
                6 => Item::Fifo,
                _ if parent.starts_with("outside") => Item::file(CANARY, None),
                _ => Item::file(format!("file {number}\n"), None),
            };
            if item == Item::Directory {
                directories.push(path.clone());
            }
            tree.items.insert(path, item);
        }
        tree
    })
}

/// A path in the making: something of the tree to go to, whether from the root, and segments that get in between.
#[derive(Debug, Clone)]
struct Plan {
    to: Option<Index>,
    absolute: bool,
    between: Vec<(Index, &'static str)>,
}

fn plans() -> impl Strategy<Value = Plan> {
    let segment =
        select(&["a", "b", "l", "l", "m", "n", "w", "x", "o", "outside", ".", "..", "..", ".."][..]);
    let to = prop::option::weighted(0.8, any::<Index>());
    (to, any::<bool>(), vec((any::<Index>(), prop_oneof![segment, Just("")]), 0..6))
        .prop_map(|(to, absolute, between)| Plan { to, absolute, between })
}

impl Plan {
    fn path(&self, tree: &Tree) -> String {
        let to = self.to.map(|to| to.get(&tree.items.keys().collect::<Vec<_>>()).as_str());
        let to = to.map(|path| if path.starts_with('o') { format!("x/{path}") } else { path.to_owned() });
        let mut segments: Vec<&str> = to.iter().flat_map(|path| path.split('/')).collect();
        // Relative paths begin in `w`.
        match segments.first() {
            Some(_) if self.absolute => segments.insert(0, ""),
            Some(&"w") => drop(segments.remove(0)),
            Some(_) => segments.insert(0, ".."),
            None => {}
        }
        for (at, segment) in &self.between {
            segments.insert(at.index(segments.len() + 1), segment);
        }
        segments.join("/")
    }
}

/// Where the model has got to.
enum At {
    /// Above the grants: names of the namespace.
    Above(Vec<String>),
    /// In a grant: its number, and the directories below its root.
    Inside(usize, Vec<String>),
}

/// What the model finds.
enum Target {
    /// A place above the grants.
    Above,
    Directory,
    Entry(String),
    /// The path in the tree, the grant's access, and whether only a directory can be meant.
    Absent(String, Access, bool),
}

struct Model<'a> {
    tree: &'a Tree,
    at: At,
    crossed: bool,
}

fn names(path: &str) -> Vec<String> {
    path.split('/').filter(|name| !matches!(*name, "" | ".")).map(str::to_owned).collect()
}

/// The path in the tree of names below a grant, and what is there.
fn item<'a>(tree: &'a Tree, grant: usize, below: &[String]) -> (String, Option<&'a Item>) {
    let directory = tree.grants[grant].directory.clone();
    let path = below.iter().fold(directory, |path, name| format!("{path}/{name}"));
    let item = tree.items.get(&path);
    (path, item)
}

impl Model<'_> {
    /// Goes to a place of the namespace: into the grant that contains it, if one does.
    fn enter(&mut self, place: Vec<String>) {
        let inside = self.tree.grants.iter().enumerate().filter_map(|(number, grant)| {
            let name = names(&grant.name);
            Some((name.len(), number, place.strip_prefix(&name[..])?.to_vec()))
        });
        self.at = match inside.max_by_key(|(depth, _, _)| *depth) {
            Some((_, number, below)) => At::Inside(number, below),
            None => At::Above(place),
        };
    }

    fn up(&mut self) -> Result<(), &'static str> {
        match &mut self.at {
            At::Above(place) => {
                let mut place = std::mem::take(place);
                place.pop();
                self.enter(place);
            }
            At::Inside(_, below) if !below.is_empty() => drop(below.pop()),
            At::Inside(..) if self.crossed => return Err("path_escape"),
            At::Inside(grant, _) => {
                let mut place = names(&self.tree.grants[*grant].name);
                place.pop();
                self.enter(place);
            }
        }
        Ok(())
    }

    fn resolve(tree: &Tree, path: &str, follow_last: bool) -> Result<Target, &'static str> {
        if path.is_empty() {
            return Err("invalid_path");
        }
        let mut model = Model { tree, at: At::Above(Vec::new()), crossed: false };
        model.enter(if path.starts_with('/') { Vec::new() } else { names(&tree.grants[0].name) });
        let only_directory = |path: &str| matches!(path.rsplit('/').next(), Some("" | "." | ".."));
        let mut directory = only_directory(path);
        let mut ahead: VecDeque<String> = names(path).into();
        let mut links = 0;
        while let Some(name) = ahead.pop_front() {
            if name == ".." {
                model.up()?;
                continue;
            }
            let (grant, below) = match &model.at {
                At::Above(place) => {
                    let place = [&place[..], &[name]].concat();
                    if !tree.grants.iter().any(|grant| names(&grant.name).starts_with(&place)) {
                        return Err("not_granted");
                    }
                    model.enter(place);
                    continue;
                }
                At::Inside(grant, below) => (*grant, [&below[..], &[name]].concat()),
            };
            let place = [&names(&tree.grants[grant].name)[..], &below].concat();
            if tree.grants.iter().any(|other| names(&other.name) == place) {
                if model.crossed {
                    return Err("path_escape");
                }
                model.enter(place);
                continue;
            }
            let last = ahead.is_empty();
            match item(tree, grant, &below) {
                (path, None) => {
                    if ahead.iter().any(|name| name == "..") {
                        return Err("not_found");
                    }
                    let path = ahead.iter().fold(path, |path, name| format!("{path}/{name}"));
                    return Ok(Target::Absent(path, tree.grants[grant].access, directory));
                }
                (_, Some(Item::Link(target))) if !last || directory || follow_last => {
                    links += 1;
                    if links > 40 {
                        return Err("link_loop");
                    }
                    if target.starts_with('/') {
                        return Err("path_escape");
                    }
                    model.crossed = true;
                    directory |= last && only_directory(target);
                    for name in names(target).into_iter().rev() {
                        ahead.push_front(name);
                    }
                }
                (_, Some(Item::Directory)) => model.at = At::Inside(grant, below),
                (_, Some(_)) if !last || directory => return Err("not_directory"),
                (path, Some(_)) => return Ok(Target::Entry(path)),
            }
        }
        Ok(match model.at {
            At::Above(_) => Target::Above,
            At::Inside(..) => Target::Directory,
        })
    }
}

/// What `read` answers: the content, or a code.
fn read(tree: &Tree, path: &str) -> Result<String, &'static str> {
    match Model::resolve(tree, path, true)? {
        Target::Above => Err("not_granted"),
        Target::Directory => Err("is_directory"),
        Target::Absent(..) => Err("not_found"),
        Target::Entry(path) => match tree.bytes(&path) {
            Some(bytes) => Ok(String::from_utf8(bytes.to_vec()).unwrap()),
            None => Err("special_file"),
        },
    }
}

/// What `create` answers: the path in the tree that it makes, or a code.
fn create(tree: &Tree, path: &str) -> Result<String, &'static str> {
    match Model::resolve(tree, path, false)? {
        Target::Above => Err("not_granted"),
        Target::Directory | Target::Entry(_) => Err("exists"),
        Target::Absent(_, _, true) => Err("invalid_path"),
        Target::Absent(_, Access::Read, _) => Err("read_only"),
        Target::Absent(path, Access::Write, _) => Ok(path),
    }
}

/// What looking at a path answers: what is there, if anything, or a code.
fn look(tree: &Tree, path: &str) -> Result<Option<&'static str>, &'static str> {
    match Model::resolve(tree, path, true)? {
        Target::Above | Target::Directory => Ok(Some("directory")),
        Target::Absent(..) => Ok(None),
        Target::Entry(path) => Ok(Some(if tree.bytes(&path).is_some() { "file" } else { "special" })),
    }
}

/// What `write` and `append` answer: whether they make a new file, or a code.
fn write(tree: &Tree, path: &str) -> Result<bool, &'static str> {
    match Model::resolve(tree, path, true)? {
        Target::Above => Err("not_granted"),
        Target::Directory => Err("is_directory"),
        Target::Absent(_, _, true) => Err("invalid_path"),
        Target::Absent(_, Access::Read, _) => Err("read_only"),
        Target::Absent(_, Access::Write, _) => Ok(true),
        // Only this grant is for reading.
        Target::Entry(path) if path.starts_with("o/") => Err("read_only"),
        Target::Entry(path) if tree.bytes(&path).is_some() => Ok(false),
        Target::Entry(_) => Err("special_file"),
    }
}

/// Content and kinds, without what only a disk has.
fn plain(snapshot: Snapshot) -> BTreeMap<String, What> {
    snapshot.into_iter().map(|(path, seen)| (path, seen.what)).collect()
}

const NEW: &str = "new content";

/// The path of an outcome is absolute, has no `..`, and leads to the same file.
fn leads_to(
    path: &Value,
    content: &str,
    call: impl Fn(&str, &str) -> Result<String, String>,
) -> Result<(), TestCaseError> {
    let path = path.as_str().unwrap();
    let plain = path.split('/').skip(1).all(|name| !matches!(name, "" | "." | ".."));
    prop_assert!(path.starts_with('/') && plain, "{} is shown", path);
    let answer = call("read", &json!({"path": path}).to_string());
    let value: Value = serde_json::from_str(&answer.unwrap_or_default()).unwrap_or_default();
    prop_assert_eq!(&value["content"], content, "reading {} again", path);
    Ok(())
}

/// One call of each kind on a tree, and everything that has to be true of it.
fn check(
    tree: &Tree,
    path: &str,
    call: impl Fn(&str, &str) -> Result<String, String>,
    snapshot: impl Fn() -> BTreeMap<String, What>,
) -> Result<(), TestCaseError> {
    let before = snapshot();
    let answer = call("read", &json!({"path": path}).to_string());
    let (Ok(text) | Err(text)) = &answer;
    prop_assert!(!text.contains(CANARY), "{} tells what is outside", text);
    let value: Value = serde_json::from_str(text).unwrap();
    match read(tree, path) {
        Ok(content) => {
            prop_assert_eq!(&value["content"], &content, "reading {}", value);
            leads_to(&value["path"], &content, &call)?;
        }
        Err(code) => prop_assert_eq!(&value["code"], code, "reading {}", value),
    }

    for (tool, found) in [
        // Where nothing can be, nothing is.
        (
            "exists",
            match look(tree, path) {
                Err("not_directory" | "not_found") => Ok(None),
                found => found,
            },
        ),
        ("stat", look(tree, path).and_then(|found| found.ok_or("not_found").map(Some))),
        (
            "list_directory",
            match look(tree, path) {
                Ok(None) => Err("not_found"),
                Ok(Some("file" | "special")) => Err("not_directory"),
                found => found,
            },
        ),
    ] {
        let answer = call(tool, &json!({"path": path}).to_string());
        let (Ok(text) | Err(text)) = &answer;
        prop_assert!(!text.contains(CANARY), "{} tells what is outside", text);
        let value: Value = serde_json::from_str(text).unwrap();
        match found {
            Ok(kind) if tool == "exists" => {
                prop_assert_eq!((&value["exists"], value["kind"].as_str()), (&json!(kind.is_some()), kind));
            }
            Ok(kind) if tool == "stat" => prop_assert_eq!(value["entry"]["kind"].as_str(), kind),
            Ok(_) => prop_assert!(value["entries"].is_array(), "listing {}", value),
            Err(code) => prop_assert_eq!(&value["code"], code, "{} {}", tool, value),
        }
    }
    for tool in ["write", "append"] {
        let arguments = json!({"path": path, "content": NEW, "dry_run": true}).to_string();
        let (Ok(text) | Err(text)) = call(tool, &arguments);
        prop_assert!(!text.contains(CANARY), "{} tells what is outside", text);
        let value: Value = serde_json::from_str(&text).unwrap();
        match write(tree, path) {
            Ok(created) => prop_assert_eq!(&value["created"], created, "{} {}", tool, value),
            Err(code) => prop_assert_eq!(&value["code"], code, "{} {}", tool, value),
        }
    }
    prop_assert_eq!(&snapshot(), &before);

    let answer = call("create", &json!({"path": path, "content": NEW}).to_string());
    let (Ok(text) | Err(text)) = &answer;
    let value: Value = serde_json::from_str(text).unwrap();
    let mut expected = before;
    match create(tree, path) {
        Ok(made) => {
            prop_assert_eq!(&value["created"], true, "creating {}", value);
            for (end, _) in made.match_indices('/') {
                expected.entry(made[..end].to_owned()).or_insert(What::Directory);
            }
            prop_assert_eq!(expected.insert(made, What::File(NEW.into())), None);
            leads_to(&value["path"], NEW, &call)?;
        }
        Err(code) => prop_assert_eq!(&value["code"], code, "creating {}", value),
    }
    prop_assert_eq!(&snapshot(), &expected);
    Ok(())
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn the_core_resolves_as_the_rules_say(tree in trees(), plans in vec(plans(), 8)) {
        for plan in &plans {
            let path = &plan.path(&tree);
            let volume = memory::volume(&tree).unwrap();
            let session = memory::session(&tree, &volume, |volume| volume).unwrap();
            let call = |tool: &str, arguments: &str| {
                let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
                agent::call(&session, &args).map(|ok| ok.outcome).map_err(|refused| refused.error)
            };
            check(&tree, path, call, || plain(memory::snapshot(&volume)))?;
        }
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn the_component_resolves_as_the_rules_say(tree in trees(), plan in plans()) {
        let path = plan.path(&tree);
        let disk = Disk::new(&tree).unwrap();
        let gate = disk.gate(&tree).unwrap();
        check(&tree, &path, |tool, arguments| gate.call(tool, arguments), || plain(disk.snapshot().unwrap()))?;
    }
}

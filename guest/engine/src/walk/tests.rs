//! The walk on a tree in memory, compared with a model that sees the whole tree.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::view::View;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};

fn namespace(volume: &Memory) -> Namespace<Memory> {
    let grant = Grant { name: "/w".to_owned(), volume: volume.clone(), access: Access::Read };
    Namespace::new(vec![grant]).unwrap()
}

fn tree(paths: &[&str]) -> Memory {
    let volume = Memory::default();
    for path in paths {
        match path.split_once(" -> ") {
            Some((path, target)) => volume.put(path, Item::Link(target.to_owned())),
            None if path.ends_with('/') => volume.put(path.trim_end_matches('/'), Item::Directory),
            None => match path.split_once('=') {
                Some((path, content)) => volume.put(path, Item::File(content.as_bytes().to_vec())),
                None => volume.put(path, Item::File(Vec::new())),
            },
        }
    }
    volume
}

/// The visited entries in order, and the skipped ones, in one call and in calls of so many entries.
fn walked(volume: &Memory, start: &str, scope: impl Fn() -> Scope, at_once: usize) -> (Vec<String>, Skipped) {
    let namespace = namespace(volume);
    let view = View::new(&namespace);
    let (mut paths, mut total, mut from) = (Vec::new(), Skipped::default(), None);
    loop {
        let mut walk = view.walk(start, scope(), from.as_ref()).unwrap();
        let mut here = 0;
        let finished = loop {
            let Some(visit) = walk.next() else { break !walk.timed_out() };
            if here == at_once {
                break false;
            }
            here += 1;
            let mark = if visit.kind == Kind::Directory { "/" } else { "" };
            assert_eq!(visit.depth as usize, visit.path.split('/').count());
            assert_eq!(visit.place().unwrap().shown(), visit.shown());
            paths.push(format!("{}{mark}", visit.path));
        };
        sum(&mut total, walk.skipped());
        if finished {
            return (paths, total);
        }
        let position = walk.position();
        assert_ne!(position, from, "it has to move on");
        from = position.map(|position| WalkPosition::parse(&position.to_string()).unwrap());
    }
}

fn sum(total: &mut Skipped, more: &Skipped) {
    total.hidden += more.hidden;
    total.not_utf8 += more.not_utf8;
    total.ignored += more.ignored;
    total.excluded += more.excluded;
    total.too_deep += more.too_deep;
    total.unreadable += more.unreadable;
}

#[test]
fn a_directory_comes_before_what_is_in_it() {
    let volume = tree(&["b", "a/z", "a/b/c", "a.b", "a-b/", "l -> a", "d/.h/x", "d/i", ".g"]);
    volume.put_undecodable("a/b");
    let scope = Scope::default;
    let (paths, skipped) = walked(&volume, ".", scope, usize::MAX);
    assert_eq!(paths, ["a/", "a/b/", "a/b/c", "a/z", "a-b/", "a.b", "b", "d/", "d/i", "l"]);
    assert_eq!(skipped, Skipped { hidden: 2, not_utf8: 1, ..Skipped::default() });
    for at_once in 1..12 {
        assert_eq!(walked(&volume, ".", scope, at_once), (paths.clone(), skipped.clone()), "{at_once}");
    }
    assert_eq!(walked(&volume, "l", scope, 1).0, ["b/", "b/c", "z"]);
}

#[test]
fn a_directory_that_leads_to_grants_is_walked_into_them() {
    let grant = |name: &str, paths: &[&str]| Grant {
        name: name.to_owned(),
        volume: tree(paths),
        access: Access::Read,
    };
    let namespace = Namespace::new(vec![grant("/a/x", &["f"]), grant("/a/y", &["d/g"])]).unwrap();
    let view = View::new(&namespace);
    let mut from = None;
    for expected in ["a", "a/x", "a/x/f", "a/y", "a/y/d", "a/y/d/g"] {
        let mut walk = view.walk("/", Scope::default(), from.as_ref()).unwrap();
        assert_eq!(walk.next().unwrap().path, expected);
        walk.pass();
        from = walk.position();
    }
    assert!(view.walk("/", Scope::default(), from.as_ref()).unwrap().next().is_none());
}

#[test]
fn rules_of_ignore_files_hold_where_they_stand() {
    let volume = tree(&[
        ".gitignore=*.log\nbuild/\n/only-here\n",
        "a.log",
        "build/x",
        "only-here",
        "d/only-here",
        "d/.gitignore=!keep.log\n",
        "d/keep.log",
        "d/other.log",
        "e/.ignore=!a.log\n",
        "e/.gitignore=a.log\n",
        "e/a.log",
        "r/.git/info/exclude=secret\n",
        "r/secret",
        "r/b.log",
    ]);
    let scope = || Scope { respect_ignore: true, ..Scope::default() };
    for at_once in [usize::MAX, 1, 2] {
        let (paths, skipped) = walked(&volume, ".", scope, at_once);
        assert_eq!(paths, ["d/", "d/keep.log", "d/only-here", "e/", "e/a.log", "r/", "r/b.log"]);
        assert_eq!((skipped.ignored, skipped.hidden), (5, 5));
    }
    assert_eq!(walked(&volume, "d", scope, 1).0, ["keep.log", "only-here"]);
    assert_eq!(walked(&volume, "r", scope, 1).0, ["b.log"]);
}

/// Nested directories, each with these rules and a file `x` that they name.
fn nested(depth: usize, rules: &str) -> Memory {
    let paths = (1..=depth).flat_map(|depth| {
        let directory = "d/".repeat(depth);
        [format!("{directory}.gitignore={rules}"), format!("{directory}x")]
    });
    let paths: Vec<_> = paths.collect();
    tree(&paths.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn ignore_files_inside_one_another_have_a_budget_together() {
    let scope = || Scope { respect_ignore: true, ..Scope::default() };
    let large: String = (0..1_000).map(|number| format!("**/*a*b{number}*\n")).collect();
    let volume = nested(60, &format!("x\n{large}"));
    let namespace = namespace(&volume);
    let view = View::new(&namespace);
    let mut walk = view.walk(".", scope(), None).unwrap();
    let mut visited = 0;
    while walk.next().is_some() {
        visited += 1;
    }
    // The outer rules apply to everything below.
    assert_eq!((visited, walk.skipped().ignored), (60, 60));
    let [note] = &walk.notes()[..] else { panic!("{:?}", walk.notes()) };
    assert_eq!(note.kind, "ignore_file");
    assert!(note.text.starts_with("`/w/d/d/d/d/d/.gitignore` and others were left out"), "{}", note.text);
}

#[test]
fn small_ignore_files_hold_however_deep_they_are() {
    let scope = || Scope { respect_ignore: true, ..Scope::default() };
    let volume = nested(100, "*x\n");
    let (paths, skipped) = walked(&volume, ".", scope, usize::MAX);
    assert_eq!((paths.len(), skipped.ignored), (100, 100));
}

#[test]
fn depth_ends_where_no_path_can_name_what_is_there() {
    let volume = tree(&[&format!("{}f", "d/".repeat(300)), &format!("{}g", "d/".repeat(255))]);
    let (paths, skipped) = walked(&volume, ".", Scope::default, usize::MAX);
    // `/w` is one of the 256.
    assert_eq!((paths.len(), skipped.too_deep), (255, 2));
    assert_eq!(walked(&volume, ".", Scope::default, 50), (paths, skipped));
    let scope = || Scope { max_depth: Some(3), ..Scope::default() };
    assert_eq!(
        walked(&volume, ".", scope, 1),
        (vec!["d/".into(), "d/d/".into(), "d/d/d/".into()], Skipped::default())
    );
}

#[test]
fn the_end_is_the_end_however_late_it_is() {
    // At each step at which the clock is read, also when the last directory is left.
    for depth in 1..=80 {
        let volume = tree(&[&format!("{}f", "d/".repeat(depth))]);
        volume.set_clock_step(Duration::from_millis(1));
        let scope = || Scope { max_time: Some(Duration::ZERO), ..Scope::default() };
        assert_eq!(walked(&volume, ".", scope, usize::MAX).0.len(), depth + 1);
    }
}

#[test]
fn handles_that_were_let_go_are_opened_again() {
    let paths: Vec<String> = (0..200).map(|depth| format!("{}z", "d/".repeat(depth))).collect();
    let volume = tree(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    // Every entry has a position, also one after the deepest; `walked` checks it.
    let (visited, skipped) = walked(&volume, ".", Scope::default, usize::MAX);
    assert_eq!((visited.len(), skipped), (399, Skipped::default()));
    assert_eq!(visited[200..202], [format!("{}z", "d/".repeat(198)), format!("{}z", "d/".repeat(197))]);
}

#[test]
fn patterns_prune_what_they_do_not_lead_through() {
    let volume = tree(&["src/a.rs", "src/b/c.rs", "src/b/d.c", "doc/a.rs", "target/x.rs"]);
    let floating =
        |glob: &str| Glob::of([(glob, fsgate_text::glob::is_by_name(glob))].into_iter(), false).unwrap();
    let globs = |patterns: &[&str]| patterns.iter().map(|glob| floating(glob)).collect();
    let included = |include: &[&str], exclude: &[&str], visits| {
        walked(
            &volume,
            ".",
            || Scope {
                include: globs(include),
                exclude: globs(exclude),
                counts_excluded: true,
                visits,
                ..Scope::default()
            },
            1,
        )
    };
    let (paths, skipped) = included(&["src/**/*.rs"], &[], Visits::Everything);
    assert_eq!((paths, skipped.excluded), (vec!["src/a.rs".into(), "src/b/c.rs".into()], 3));
    let (paths, skipped) = included(&["*.rs"], &["target/", "/doc/*"], Visits::Others);
    assert_eq!((paths, skipped.excluded), (vec!["src/a.rs".into(), "src/b/c.rs".into()], 3));
    let (paths, _) = included(&[], &[], Visits::Directories);
    assert_eq!(paths, ["doc/", "src/", "src/b/", "target/"]);
}

/// Trees with names that are prefixes of one another, hidden names and rules.
fn trees() -> impl Strategy<Value = Vec<(String, Option<&'static str>)>> {
    let name = prop_oneof![Just("a"), Just("a.b"), Just("a-"), Just("b"), Just(".h"), Just("ä")];
    let path = proptest::collection::vec(name, 1..5).prop_map(|names| names.join("/"));
    let content = prop_oneof![Just(None), Just(Some("")), Just(Some("/a\n")), Just(Some("b\n!a/b\n"))];
    proptest::collection::vec((path, content), 0..30)
}

fn model(volume: &Memory, scope: &Scope) -> (Vec<String>, u32) {
    let items = volume.snapshot();
    let segments = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
    let ordered: BTreeMap<Vec<String>, &Item> =
        items.iter().map(|(path, item)| (segments(path), item)).collect();
    let (mut paths, mut hidden, mut deep): (Vec<String>, u32, Vec<String>) = (Vec::new(), 0, Vec::new());
    for (names, item) in ordered {
        if names.starts_with(&deep) && !deep.is_empty()
            || scope.max_depth.is_some_and(|most| names.len() > most as usize)
        {
            continue;
        }
        if !scope.include_hidden && names.last().is_some_and(|name| name.starts_with('.')) {
            hidden += 1;
            deep = names;
            continue;
        }
        let mark = if *item == Item::Directory { "/" } else { "" };
        paths.push(format!("{}{mark}", names.join("/")));
    }
    (paths, hidden)
}

proptest! {
    #[test]
    fn cuts_anywhere_change_nothing(
        tree in trees(),
        undecodable in proptest::collection::vec(0..30_usize, 0..3),
        include_hidden: bool,
        respect_ignore: bool,
        max_depth in proptest::option::of(1..4_u32),
        at_once in 1..5_usize,
        millis in 0..40_u64,
    ) {
        let volume = Memory::default();
        volume.set_clock_step(Duration::from_millis(1));
        for (path, content) in &tree {
            match content {
                None => drop(volume.at(path)),
                Some(text) => volume.put(path, Item::File(text.as_bytes().to_vec())),
            }
            if content.is_some_and(|text| !text.is_empty()) {
                let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
                volume.put(&format!("{directory}/.gitignore"), Item::File(content.unwrap_or_default().into()));
            }
        }
        for at in undecodable {
            volume.put_undecodable(tree.get(at).filter(|(_, content)| content.is_none()).map_or("", |(path, _)| path));
        }
        let scope = || Scope { include_hidden, respect_ignore, max_depth, ..Scope::default() };
        let timed = || Scope { max_time: Some(Duration::from_millis(millis)), ..scope() };
        let whole = walked(&volume, ".", scope, usize::MAX);
        prop_assert_eq!(&walked(&volume, ".", scope, at_once), &whole);
        prop_assert_eq!(&walked(&volume, ".", timed, usize::MAX), &whole);
        if !respect_ignore {
            let (paths, hidden) = model(&volume, &scope());
            prop_assert_eq!((&whole.0, whole.1.hidden), (&paths, hidden));
        }
    }
}

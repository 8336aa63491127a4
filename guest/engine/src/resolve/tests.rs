//! Resolution with closed handles, and hosts that split names elsewhere.

use std::rc::Rc;

use super::*;
use fsgate_policy::{Documents, Policy};
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::policy_guard::PolicyGuard;
use fsgate_volume::policy_guard::volume::Guarded;
use fsgate_volume::{Abilities, Access};

fn namespace(volume: Memory) -> Namespace<Memory> {
    Namespace::new(vec![Grant { name: "/w".to_owned(), volume, access: Access::Write }]).unwrap()
}

#[test]
fn directories_that_were_let_go_are_opened_again() {
    let memory = Memory::default();
    let deep = vec!["d"; 200].join("/");
    memory.put(&format!("{deep}/x"), Item::Directory);
    memory.put(&format!("{}/file", vec!["d"; 40].join("/")), Item::File(b"found".to_vec()));
    memory.put(
        "d/back",
        Item::Link(format!("{}/{}/file", vec!["d"; 140].join("/"), vec![".."; 101].join("/"))),
    );
    let namespace = namespace(memory);
    for path in ["d/back", "/w/d/back"] {
        let Ok(Target::Entry(place, _)) = resolve(&namespace, path, LastLink::Follow) else {
            panic!("{path} was not found");
        };
        assert_eq!(place.resolved(), format!("/w/{}/file", vec!["d"; 40].join("/")));
        assert_eq!(place.shown(), "/w/d/back");
    }
}

#[test]
fn a_backslash_is_an_ordinary_character_unless_the_host_splits_names_there() {
    let memory = Memory::default();
    memory.put("a\\b", Item::File(Vec::new()));
    let ordinary = namespace(memory.clone());
    assert!(matches!(resolve(&ordinary, "a\\b", LastLink::Follow), Ok(Target::Entry(..))));
    let splitting =
        namespace(memory.with_abilities(Abilities { backslash_separates: true, ..Memory::ABILITIES }));
    for path in ["a\\b", "a\\b/c", "new/..\\..\\.git", "new/x/y\\z/w"] {
        let refused = resolve(&splitting, path, LastLink::Keep).err().unwrap();
        assert_eq!(refused.reason, Reason::InvalidPath(PathProblem::Backslash), "{path}");
    }
}

#[test]
fn no_link_leads_into_another_grant() {
    let (outer, inner, beside) = (Memory::default(), Memory::default(), Memory::default());
    inner.put("secret", Item::File(Vec::new()));
    beside.put("secret", Item::File(Vec::new()));
    for (link, target) in [("l", "p/q"), ("m", "p"), ("n", "r"), ("o", "../v"), ("k", "p/none")] {
        outer.put(link, Item::Link(target.to_owned()));
    }
    let grant = |name: &str, volume| Grant { name: name.to_owned(), volume, access: Access::Write };
    // `p` is only the prefix of a name; `r` is a grant directly below.
    let namespace = Namespace::new(vec![
        grant("/w", outer),
        grant("/w/p/q", inner),
        grant("/w/r", beside.clone()),
        grant("/v", beside),
    ])
    .unwrap();
    for path in ["l/secret", "m/q/secret", "n/secret", "o/secret", "l", "m", "n", "o", "k/x", "m/../r/secret"]
    {
        for last in [LastLink::Follow, LastLink::Keep] {
            if last == LastLink::Keep && path.len() == 1 {
                continue;
            }
            let refused = resolve(&namespace, path, last).err();
            assert_eq!(refused.map(|failure| failure.reason), Some(Reason::PathEscape), "{path}");
        }
    }
    for path in ["p/q/secret", "r/secret", "../v/secret", "p/../r/secret", "/w/p/q/../../r/secret"] {
        assert!(matches!(resolve(&namespace, path, LastLink::Follow), Ok(Target::Entry(..))), "{path}");
    }
}

#[test]
fn a_prefix_of_a_grants_name_is_a_directory_without_a_disk() {
    let (outer, inner) = (Memory::default(), Memory::default());
    inner.put("file", Item::File(Vec::new()));
    let grant = |name: &str, volume, access| Grant { name: name.to_owned(), volume, access };
    let namespace =
        Namespace::new(vec![grant("/a", outer, Access::Read), grant("/a/none/b", inner, Access::Write)])
            .unwrap();
    for (path, found) in [
        ("/a/none", "virtual"),
        ("/a/none/b", "directory"),
        ("/a/none/b/file", "/a/none/b/file"),
        ("none/b/../b/file", "/a/none/b/file"),
        ("/a/none/../none/b/file", "/a/none/b/file"),
        ("/a/none/c", "not_granted"),
        ("/a/nothing", "absent"),
        ("/a/none/b/../../file", "absent"),
        ("/", "virtual"),
        ("/..", "virtual"),
        ("/b", "not_granted"),
    ] {
        let target = match resolve(&namespace, path, LastLink::Follow) {
            Ok(Target::Directory(_)) => "directory".to_owned(),
            Ok(Target::Virtual(..)) => "virtual".to_owned(),
            Ok(Target::Entry(place, _)) => place.resolved().to_owned(),
            Ok(Target::Absent(_)) => "absent".to_owned(),
            Err(failure) => failure.into_error("read").code.name().to_owned(),
        };
        assert_eq!(target, found, "{path}");
    }
}

#[test]
fn a_hidden_directory_is_as_good_as_none() {
    let (outer, inner) = (Memory::default(), Memory::default());
    inner.put("in.txt", Item::File(Vec::new()));
    for path in ["on-disk/in.txt", "d/behind/in.txt", "d/open.txt"] {
        outer.put(path, Item::File(Vec::new()));
    }
    for (link, target) in [("l", "d"), ("to-grant", "granted")] {
        outer.put(link, Item::Link(target.to_owned()));
    }
    let policy = r#"{"profile": "open", "rules": [
        {"name": "guarded", "paths": ["on-disk/", "granted/", "nothing/", "./l/behind", "./l/nothing"], "effect": "hidden"}]}"#;
    let policy = Policy::compile(&Documents::parse(policy).unwrap()).unwrap();
    let names = ["w", "w/granted", "w/prefix/granted"].map(|name| name.split('/').collect::<Vec<_>>());
    let owned: Vec<_> =
        names.iter().map(|names| names.iter().map(|&name| name.to_owned()).collect()).collect();
    let guard = Rc::new(PolicyGuard::new(policy, &owned, &[]));
    let grants = names.into_iter().zip([outer, inner.clone(), inner]).map(|(names, volume)| Grant {
        name: format!("/{}", names.join("/")),
        volume: Guarded::new(volume, guard.clone(), names),
        access: Access::Write,
    });
    let namespace = Namespace::new(grants.collect()).unwrap().under_guard(guard);

    // Existing and missing names under one rule.
    for path in [
        "nothing",
        "on-disk",
        "granted",
        "to-grant",
        "nothing/in.txt",
        "on-disk/in.txt",
        "granted/in.txt",
        "prefix/granted",
        "l/nothing",
        "l/behind",
    ] {
        let Ok(Target::Absent(place)) = resolve(&namespace, path, LastLink::Follow) else { panic!("{path}") };
        assert!(place.is_hidden(&namespace), "{path}");
    }
    // A prefix without a visible grant is missing, and can be created.
    let Ok(Target::Absent(prefix)) = resolve(&namespace, "prefix", LastLink::Follow) else {
        panic!("a prefix of what is hidden")
    };
    assert!(!prefix.is_hidden(&namespace));
    let Ok(Target::Directory(outer)) = resolve(&namespace, "/w", LastLink::Follow) else { panic!("/w") };
    assert_eq!(outer.nodes(&namespace), Vec::<String>::new());
}

/// An absolute link leads into its grant if the host has said that the grant is there, and nowhere
/// else.
#[test]
fn an_absolute_link_leads_into_its_own_grant() {
    let (memory, beside) = (Memory::default(), Memory::default());
    memory.put("items/foo", Item::File(Vec::new()));
    memory.put("deep/er/x", Item::File(Vec::new()));
    beside.put("file", Item::File(Vec::new()));
    for (link, target) in [
        ("same", "/machine/p/items/foo"),
        ("by-a-link", "/other/name/items"),
        ("root", "/machine/p/"),
        ("deep/back", "/machine/p/items"),
        ("dots", "/machine/p/deep/../items/foo"),
        ("chain", "/machine/p/same"),
        ("itself", "/machine/p/itself"),
        ("dangling", "/machine/p/nothing"),
        ("up", "/machine/p/../v/file"),
        ("out", "/etc/passwd"),
        ("prefix", "/machine/pp/x"),
        ("above", "/machine"),
        ("inside-name", "/w/items/foo"),
        ("another", "/machine/v/file"),
        ("nested", "/machine/p/n/file"),
    ] {
        memory.put(link, Item::Link(target.to_owned()));
    }
    let names = ["w", "v", "w/n"].map(|name| name.split('/').map(str::to_owned).collect::<Vec<_>>());
    let places = [
        ("/w".to_owned(), vec!["/machine/p".to_owned(), "/other/name".to_owned()]),
        ("/v".to_owned(), vec!["/machine/v".to_owned()]),
        ("/w/n".to_owned(), vec!["/machine/p/n".to_owned()]),
    ];
    let guarded = |places: &[(String, Vec<String>)]| {
        let policy = Policy::compile(&Documents::parse(r#"{"profile": "open"}"#).unwrap()).unwrap();
        let guard = Rc::new(PolicyGuard::over(policy, &names, &[], &places.iter().cloned().collect()));
        let grant = |names: &Vec<String>, volume: &Memory| Grant {
            name: format!("/{}", names.join("/")),
            volume: Guarded::new(volume.clone(), guard.clone(), names.iter().map(String::as_str)),
            access: Access::Write,
        };
        let grants =
            names.iter().zip([&memory, &beside, &beside]).map(|(names, volume)| grant(names, volume));
        Namespace::new(grants.collect()).unwrap().under_guard(guard.clone())
    };
    let (known, unknown) = (guarded(&places), guarded(&[]));
    for (path, expected) in [
        ("same", "/w/items/foo"),
        ("by-a-link/foo", "/w/items/foo"),
        ("root", "/w"),
        ("root/items/foo", "/w/items/foo"),
        ("deep/back/foo", "/w/items/foo"),
        ("dots", "/w/items/foo"),
        ("chain", "/w/items/foo"),
        ("itself", "link_loop"),
        ("dangling", "absent /w/nothing"),
        ("up", "path_escape"),
        ("out", "path_escape"),
        ("prefix", "path_escape"),
        ("above", "path_escape"),
        ("inside-name", "path_escape"),
        ("another", "path_escape"),
        ("nested", "path_escape"),
    ] {
        let found = |namespace| match resolve(namespace, path, LastLink::Follow) {
            Ok(Target::Directory(folder)) => folder.resolved().to_owned(),
            Ok(Target::Virtual(path, _)) => path,
            Ok(Target::Entry(place, _)) => place.resolved().to_owned(),
            Ok(Target::Absent(place)) => format!("absent {}", place.resolved()),
            Err(failure) => failure.into_error("read").code.name().to_owned(),
        };
        assert_eq!(found(&known), expected, "{path}");
        assert_eq!(found(&unknown), "path_escape", "{path}, where nothing is known");
    }
}

//! The protected names of the profiles, on a volume with a guard.

use std::rc::Rc;

use fsgate_policy::{
    AGENTS_WORK, Document, Documents, ENVIRONMENT_FILES, PatternSource, Policy, Profile, SOURCES,
};
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::policy_guard::PolicyGuard;
use fsgate_volume::policy_guard::volume::Guarded;
use fsgate_volume::{Access, Fault, Volume};

fn example(pattern: &str) -> String {
    let path = pattern.strip_prefix("**/").unwrap_or(pattern);
    let path = path.strip_suffix("/*").map_or(path.to_owned(), |above| format!("{above}/anything"));
    path.replace('*', "x")
}

fn alone(profile: Profile, rule: &str) -> Policy {
    let rules = profile.document().rules;
    let except: Vec<_> =
        rules.iter().filter(|other| other.name != rule).map(|rule| rule.name.clone()).collect();
    let document = Document { profile: Some(profile), except, ..Document::default() };
    Policy::compile(&document.into()).unwrap()
}

/// Reads and writes a file, then creates another one. Returns the faults of the rule.
fn tried(policy: Policy, path: &str) -> [Result<(), Fault>; 3] {
    let guard = Rc::new(PolicyGuard::new(policy, &[vec!["w".to_owned()]], &[]));
    let memory = Memory::default();
    memory.put(path, Item::File(b"content".to_vec()));
    let at = |memory: &Memory, access: Option<Access>| {
        let volume = Guarded::new(memory.clone(), guard.clone(), ["w"]);
        let mut names: Vec<_> = path.split('/').collect();
        let last = names.pop().unwrap();
        let opened = names.iter().try_fold(volume.root(), |at, name| volume.open_directory(&at, name))?;
        match access {
            Some(access) => volume.open_file(&opened, last, access).map(drop),
            None => volume.create_file(&opened, last).map(drop),
        }
    };
    let empty = Memory::default();
    if let Some((above, _)) = path.rsplit_once('/') {
        empty.put(above, Item::Directory);
    }
    [at(&memory, Some(Access::Read)), at(&memory, Some(Access::Write)), at(&empty, None)]
}

#[test]
fn every_pattern_protects_at_the_top_and_below() {
    for PatternSource { rule, patterns, .. } in SOURCES {
        for pattern in *patterns {
            let in_default = *rule != "pipelines" && *pattern != ".npmrc";
            let profile = if in_default { Profile::Default } else { Profile::Strict };
            let secret = ["key_files", "credentials", ENVIRONMENT_FILES].contains(rule);
            for path in
                [example(pattern), format!("a/b/{}", example(pattern)), example(pattern).to_uppercase()]
            {
                let [read, write, create] = tried(alone(profile, rule), &path);
                let denied = Err(Fault::Denied((*rule).to_owned()));
                let hidden = profile == Profile::Strict && secret;
                let unseen = if hidden { Err(Fault::NotFound) } else { denied.clone() };
                assert_eq!(read, if secret { unseen.clone() } else { Ok(()) }, "{rule}: {path}");
                assert_eq!(write, unseen, "{rule}: {path}");
                // A denied or hidden directory cannot be entered.
                assert!(create == denied || create == unseen, "{rule}: {path}: {create:?}");
            }
        }
    }
}

#[test]
fn agents_work_where_only_text_is() {
    for pattern in AGENTS_WORK {
        for path in
            [example(pattern), format!("a/{}", example(pattern)), format!("{}/a/b.md", example(pattern))]
        {
            let policy = Policy::compile(&Documents::default()).unwrap();
            assert_eq!(tried(policy, &path), [Ok(()), Ok(()), Ok(())], "{path}");
        }
    }
    // A checkout is a directory like any other.
    let policy = Policy::compile(&Documents::default()).unwrap();
    let [_, write, _] = tried(policy, ".claude/worktrees/a/.git/config");
    assert_eq!(write, Err(Fault::Denied("git".to_owned())));
}

#[test]
fn a_repository_is_never_completed() {
    for (there, name, is_refused) in [
        (&["src"][..], "head", false),
        (&["src"], "HEAD", false),
        (&[], "HEAD", false),
        (&["HEAD"], "src", false),
        (&["objects"], "HEAD", true),
        (&["refs"], "head", true),
        (&["commondir"], "HEAD", true),
        (&["HEAD"], "objects", true),
        (&["HEAD"], "refs", true),
        (&["HEAD"], "Commondir", true),
        (&["objects"], "refs", false),
    ] {
        let memory = Memory::default();
        for name in there {
            memory.put(&format!("d/{name}"), Item::File(Vec::new()));
        }
        memory.put("d/other", Item::File(Vec::new()));
        memory.put("e", Item::Directory);
        let policy = Policy::compile(&Documents::default()).unwrap();
        let guard = Rc::new(PolicyGuard::new(policy, &[vec!["w".to_owned()]], &[]));
        let volume = Guarded::new(memory, guard, ["w"]);
        let (d, e) = (
            volume.open_directory(&volume.root(), "d").unwrap(),
            volume.open_directory(&volume.root(), "e").unwrap(),
        );
        let expected = if is_refused { Err(Fault::Denied("bare_repository".to_owned())) } else { Ok(()) };
        assert_eq!(volume.create_directory(&d, name).map(drop), expected, "{there:?} {name}");
        volume.create_file(&e, "made").unwrap();
        if is_refused {
            assert_eq!(volume.create_file(&d, name).map(drop), expected, "{there:?} {name}");
            assert_eq!(volume.rename(&e, "made", &d, name), expected, "{there:?} {name}");
            assert_eq!(volume.rename(&d, "other", &d, name), expected, "{there:?} {name}");
            assert_eq!(volume.link_file(&e, "made", &d, name), expected, "{there:?} {name}");
        }
    }
}

//! Real histories and files: replayed commits have to give git's trees, and random edits have to
//! agree with a model of bytes. `FSGATE_REPOSITORIES` names git directories, separated by `:`;
//! without it, a crate's sources become a repository.

mod edits;
mod git;
mod made;
mod replay;

use std::env;

use git::{Repository, Workshop};
use replay::Replayed;

/// The work in each repository.
struct Amount {
    commits: usize,
    edits: usize,
}

/// The repositories, and the work in each.
fn repositories() -> (Vec<Repository>, Amount) {
    match env::var_os("FSGATE_REPOSITORIES") {
        Some(paths) => {
            let all = env::split_paths(&paths).map(|path| Repository::new(&path)).collect();
            (all, Amount { commits: 40, edits: 1_000 })
        }
        None => (made::repository().into_iter().collect(), Amount { commits: 20, edits: 200 }),
    }
}

#[expect(clippy::print_stderr, reason = "what was tried, and what was left out, is part of a run's result")]
fn tell(what: &str) {
    eprintln!("{what}");
}

#[test]
fn commits_replayed_as_patches_give_the_trees_of_git() {
    let (repositories, amount) = repositories();
    for repository in &repositories {
        let Replayed { commits, left_out } = replay::replayed(repository, amount.commits);
        tell(&format!("{}: {commits} commits replayed; left out: {left_out:?}", repository.name()));
        assert!(commits > 0, "{}: none could be tried", repository.name());
    }
}

#[test]
fn random_edits_give_what_a_model_of_bytes_gives() {
    let (repositories, amount) = repositories();
    for repository in &repositories {
        let done = edits::compared(&Workshop::new(repository), amount.edits);
        tell(&format!("{}: {done:?}", repository.name()));
        assert_eq!(done.edits, amount.edits, "{}", repository.name());
    }
}

//! Commits as patches: `apply` with git's diff turns the parent's files into the commit's.

use std::collections::BTreeMap;

use fsgate::policy::Documents;
use fsgate::{Access, ApplyArgs, Gate};
use fsgate_tests::open::Opened;

use super::git::{Repository, Workshop};

/// The counts of a replay.
pub(super) struct Replayed {
    pub(super) commits: usize,
    /// Number of skipped commits by reason.
    pub(super) left_out: BTreeMap<&'static str, usize>,
}

/// Replays the newest commits.
pub(super) fn replayed(repository: &Repository, most: usize) -> Replayed {
    let workshop = Workshop::new(repository);
    let mut done = Replayed { commits: 0, left_out: BTreeMap::new() };
    let open = Documents::parse(r#"{"profile": "open"}"#).unwrap();
    let gate = Gate::builder().dir_as(workshop.files(), "/w", Access::Write).policy(open);
    let gate = Opened::new(gate).unwrap();
    for (parent, commit) in workshop.commits() {
        if done.commits == most {
            break;
        }
        let diff = match patch(&workshop, &parent, &commit) {
            Ok(diff) => diff,
            Err(why) => {
                *done.left_out.entry(why).or_default() += 1;
                continue;
            }
        };
        workshop.put(&parent);
        let args = ApplyArgs { patch: Some(diff), exact_line_ends: Some(true), ..ApplyArgs::default() };
        if let Err(error) = gate.apply(&args) {
            panic!("{}: {commit}: {error:?}", repository.name());
        }
        let differences = workshop.differences(&commit);
        assert!(differences.is_empty(), "{}: {commit}: {differences:#?}", repository.name());
        done.commits += 1;
    }
    done
}

/// The diff of a commit, or the reason why no patch can express it.
fn patch(workshop: &Workshop, parent: &str, commit: &str) -> Result<String, &'static str> {
    let raw = workshop.raw(parent, commit);
    if raw.is_empty() {
        return Err("nothing changes");
    }
    if raw.iter().any(|line| line.contains("120000") || line.contains("160000")) {
        return Err("a link or a submodule");
    }
    let diff = workshop.diff(parent, commit);
    if diff.windows(13).any(|bytes| bytes == b"Binary files ") {
        return Err("a file that is no text");
    }
    if diff.len() > 4 << 20 {
        return Err("more than 4 MiB");
    }
    String::from_utf8(diff).map_err(|_| "text that is not UTF-8")
}

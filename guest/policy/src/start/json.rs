//! The checks in JSON, for hosts that call the component.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Grant, GrantProblem, GrantReason, Guarded, Machine, Request, Terms};
use super::{check, grant_paths, machine_paths, rules};
use crate::Rule;

/// A start. A path has a NUL for each byte that is not UTF-8.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    grants: Vec<Request>,
    /// Whether a session without directories is wanted.
    #[serde(default)]
    nothing: bool,
    terms: Terms,
    #[serde(default)]
    guarded: Guarded,
    machine: Machine,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    /// Paths that the host looks at before it asks again.
    Look(BTreeSet<PathBuf>),
    Refused {
        reason: GrantReason,
        message: String,
    },
    Granted {
        /// The requested directories of the machine, in order.
        grants: Vec<Grant>,
        /// The real path of the directory for state, if one is named.
        state: Option<PathBuf>,
        /// The paths of each inside name, for `FSGATE_POLICY_PATHS`.
        paths: BTreeMap<String, Vec<String>>,
        rules: Vec<Rule>,
    },
}

/// Checks a start. The answer is `look`, `refused` or `granted`.
pub fn check_json(start: &str) -> String {
    // An answer always has a form in JSON.
    serde_json::to_string(&answer(start)).unwrap_or_default()
}

fn answer(start: &str) -> Answer {
    let start: Start = match serde_json::from_str(start) {
        Ok(start) => start,
        Err(error) => return refused(&GrantProblem::new(GrantReason::Malformed, [&error])),
    };
    let verdict = verdict(&start);
    let missing = start.machine.missing();
    match verdict {
        _ if !missing.is_empty() => Answer::Look(missing),
        Ok(granted) => granted,
        Err(problem) => refused(&problem),
    }
}

fn refused(problem: &GrantProblem) -> Answer {
    // A NUL cannot be shown.
    Answer::Refused { reason: problem.reason, message: problem.to_string().replace('\0', "\u{FFFD}") }
}

fn verdict(Start { grants, nothing, terms, guarded, machine }: &Start) -> Result<Answer, GrantProblem> {
    if grants.is_empty() && !nothing {
        return Err(GrantProblem::no_grant(terms.host));
    }
    let granted = check(grants, terms, machine)?;
    let asked: Vec<_> = grants.iter().filter_map(|request| request.path.clone()).collect();
    Ok(Answer::Granted {
        state: terms.state.as_deref().map(|state| machine.canonical(state)),
        paths: machine_paths(&grant_paths(grants, &granted, machine)),
        rules: rules(&asked, &granted, guarded, terms, machine)?,
        grants: granted,
    })
}

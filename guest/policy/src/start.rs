//! The checks of a start: directories to grant, and rules under every policy.
//!
//! A host names the requested directories and answers questions about paths of its machine
//! ([`Fact`]). The program calls this as a library. Other hosts call it in the component, with the
//! request in JSON ([`check_json`]).

mod json;
mod machine;
mod refusal;
mod rules;
#[cfg(test)]
mod tests;
mod wide;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::MachinePaths;
use fsgate_contract::path::{grant_name, is_reserved};

pub use json::check_json;
pub use machine::{Fact, Machine};
pub use refusal::{GrantProblem, GrantReason, Host};
pub use rules::{Guarded, literal, rules};
pub use wide::wideness;

/// The rights that a grant gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Reading only.
    Read,
    /// Reading and changing.
    Write,
}

/// A requested directory.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Its path as given. A directory in a host's memory has none.
    pub path: Option<PathBuf>,
    /// Its inside name; by default its path.
    pub name: Option<String>,
    /// The requested rights.
    pub access: Access,
    /// The reason why it cannot be listed.
    #[serde(default)]
    pub problem: Option<Unlisted>,
}

/// The reason why a host cannot list a path.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unlisted {
    /// It is something else than a directory.
    NotDirectory,
    /// An error of the system.
    Error(String),
}

/// The terms of a start, besides the directories.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Terms {
    /// The host, whose options sentences name.
    pub host: Host,
    /// The person allows directories that hold far more than a project.
    pub wide: bool,
    /// The directory for state that the person names.
    pub state: Option<PathBuf>,
}

/// A checked directory, as the component receives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Grant {
    /// Its real path.
    pub host: PathBuf,
    /// Its inside name.
    pub name: String,
    /// Its rights.
    pub access: Access,
}

/// Checks all requests in order; the first problem refuses the start. The program also gets the
/// directories by their typed paths, where these differ and are free.
pub fn check(requests: &[Request], terms: &Terms, machine: &Machine) -> Result<Vec<Grant>, GrantProblem> {
    let mut grants: Vec<Grant> = Vec::new();
    let mut aliases: Vec<Grant> = Vec::new();
    let mut taken: Vec<Vec<String>> = Vec::new();
    for Request { path, name, access, problem } in requests {
        let given = path.as_deref().unwrap_or(Path::new(""));
        match problem {
            Some(Unlisted::NotDirectory) => return Err(GrantProblem::not_directory(given)),
            Some(Unlisted::Error(error)) => return Err(GrantProblem::unusable(given, error)),
            None => {}
        }
        let host = path.as_deref().map(|path| machine.canonical(path));
        let main = name.clone().or_else(|| utf8(host.as_deref()?)).filter(|name| !name.contains('\0'));
        let main = main.ok_or_else(|| GrantProblem::new(GrantReason::NotUtf8, [&given.display()]))?;
        let names = grant_name(&main);
        if is_reserved(&names) {
            return Err(GrantProblem::new(GrantReason::ReservedName, [&main]));
        }
        if taken.contains(&names) {
            return Err(GrantProblem::duplicate_name(&main));
        }
        taken.push(names);
        let (Some(path), Some(host)) = (path, host) else { continue };
        if (terms.host, name) == (Host::Program, &None)
            && let Some(alias) = machine.typed(path).and_then(|typed| utf8(&typed))
            && alias != main
            && !is_reserved(&grant_name(&alias))
        {
            aliases.push(Grant { host: host.clone(), name: alias, access: *access });
        }
        grants.push(Grant { host, name: main, access: *access });
    }
    let paths: Vec<&Path> = requests.iter().filter_map(|request| request.path.as_deref()).collect();
    refuse_led_out(&paths, &grants, machine)?;
    for grant in &grants {
        refuse_narrower(grant, &grants, machine)?;
        refuse_own(grant, terms, machine)?;
        // Last: the option for it lifts no other refusal.
        if let Some(what) = wideness(&grant.host, machine).filter(|_| !terms.wide) {
            let option = terms.host.wide_option();
            return Err(GrantProblem::new(GrantReason::Wide, [&grant.host.display(), &what, &option]));
        }
    }
    // Other names are optional: requested names win.
    for alias in aliases {
        let is_taken = taken.contains(&grant_name(&alias.name));
        if !is_taken && !machine.is_led(Path::new(&alias.name), &alias.host, &grants) {
            taken.push(grant_name(&alias.name));
            grants.push(alias);
        }
    }
    Ok(grants)
}

/// A granted directory's paths and inside names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantPaths {
    /// Its paths, the real one first. A path that is not UTF-8 fits no pattern and is left out.
    pub paths: Vec<String>,
    /// Its inside names.
    pub names: Vec<String>,
}

/// The granted directories with all known paths. A typed path counts unless an agent in another
/// grant could have made it.
pub fn grant_paths(requests: &[Request], grants: &[Grant], machine: &Machine) -> Vec<GrantPaths> {
    let asked: Vec<&Path> = requests.iter().filter_map(|request| request.path.as_deref()).collect();
    let mut places: Vec<GrantPaths> = Vec::new();
    for (number, grant) in grants.iter().enumerate() {
        // Grants with other names follow the requested ones.
        let typed = asked.get(number).and_then(|path| machine.typed(path));
        let typed = typed.filter(|typed| !machine.is_led(typed, &grant.host, grants));
        let mut paths: Vec<_> = utf8(&grant.host).into_iter().collect();
        paths.extend(typed.and_then(|typed| utf8(&typed)).filter(|typed| !paths.contains(typed)));
        let is_same = |place: &&mut GrantPaths| !paths.is_empty() && place.paths.first() == paths.first();
        match places.iter_mut().find(is_same) {
            Some(place) => {
                place.names.push(grant.name.clone());
                place
                    .paths
                    .extend(paths.into_iter().filter(|path| !place.paths.contains(path)).collect::<Vec<_>>());
            }
            None => places.push(GrantPaths { paths, names: vec![grant.name.clone()] }),
        }
    }
    places
}

/// The paths of each inside name, for the component.
pub fn machine_paths(places: &[GrantPaths]) -> MachinePaths {
    let of = |place: &GrantPaths| {
        let paths = place.paths.clone();
        place.names.clone().into_iter().map(move |name| (name, paths.clone()))
    };
    places.iter().flat_map(of).collect()
}

/// The path as a text. Other hosts write a NUL for bytes that are not UTF-8.
fn utf8(path: &Path) -> Option<String> {
    path.to_str().filter(|path| !path.contains('\0')).map(str::to_owned)
}

/// Refuses grants whose path a tool could have redirected in any session. Such a path decides
/// nothing.
fn refuse_led_out(paths: &[&Path], grants: &[Grant], machine: &Machine) -> Result<(), GrantProblem> {
    for (path, grant) in paths.iter().zip(grants) {
        let leads =
            |by: &&Grant| by.name != grant.name && machine.firm(path, std::slice::from_ref(by)).is_none();
        if let Some(by) = grants.iter().find(leads) {
            return Err(GrantProblem::new(GrantReason::LedOut, [&path.display(), &by.host.display()]));
        }
    }
    Ok(())
}

fn refuse_narrower(inner: &Grant, grants: &[Grant], machine: &Machine) -> Result<(), GrantProblem> {
    let wider = |outer: &&Grant| outer.access == Access::Write && machine.contains(&outer.host, &inner.host);
    match grants.iter().find(wider) {
        Some(outer) if inner.access == Access::Read => {
            let is_one = machine.contains(&inner.host, &outer.host);
            let reason = if is_one { GrantReason::TwiceDifferently } else { GrantReason::Narrower };
            Err(GrantProblem::new(reason, [&inner.host.display(), &outer.host.display()]))
        }
        _ => Ok(()),
    }
}

fn refuse_own(grant: &Grant, terms: &Terms, machine: &Machine) -> Result<(), GrantProblem> {
    let is_near = |own: &Path| machine.contains(&grant.host, own) || machine.contains(own, &grant.host);
    let state = || terms.state.iter().map(|state| (terms.host.state_option(), state.clone()));
    // The npm package does not hide a named directory from a grant around it.
    let apart =
        state().filter(|_| terms.host == Host::JavaScript).map(|own| (GrantReason::StateInGrant, own));
    let written = state().chain(machine.own_directories()).map(|own| (GrantReason::OwnDirectory, own));
    let written = written.filter(|_| grant.access == Access::Write);
    for (reason, (option, own)) in apart.chain(written) {
        let own = machine.canonical(&own);
        if is_near(&own) {
            return Err(GrantProblem::new(reason, [&grant.host.display(), &own.display(), &option]));
        }
    }
    // A rule hides a history from a grant around it.
    for history in machine.histories(terms) {
        let own = machine.canonical(&history);
        if machine.contains(&own, &grant.host) {
            return Err(GrantProblem::new(GrantReason::History, [&grant.host.display(), &own.display()]));
        }
    }
    Ok(())
}

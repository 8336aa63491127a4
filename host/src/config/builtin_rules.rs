//! Rules under every operator's policy: an agent changes neither its own limits nor the programs
//! that enforce them.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::file::PROJECT;
use super::tree::Origin;
use super::workflow;
use crate::GateBuilder;
use crate::policy::{Document, Documents, Policy, Profile, Rule, RuleEffect};

/// Makes project files read-only, also those of workflow programs. The rule holds at any depth: a
/// subdirectory can be the first grant tomorrow.
pub(crate) fn project_file() -> Document {
    let rule = Rule {
        name: "project_file".to_owned(),
        paths: PROJECT.into_iter().chain([workflow::FILE]).map(str::to_owned).collect(),
        effect: RuleEffect::ReadOnly,
        ..Rule::default()
    };
    Document { profile: Some(Profile::Open), rules: vec![rule], ..Document::default() }
}

pub(crate) fn protect(builder: GateBuilder, files: &[PathBuf]) -> GateBuilder {
    let program = env::current_exe().ok();
    builder
        .protect("own_configuration", files.iter().cloned())
        .protect("own_program", program.into_iter().chain(called()))
}

/// The program under the name that it was called by, which may be a link. A file of that name in an
/// earlier directory of `PATH` would be called instead.
fn called() -> Vec<PathBuf> {
    let Some(name) = env::args_os().next().map(PathBuf::from) else { return Vec::new() };
    if name.components().count() > 1 {
        return vec![name];
    }
    let path = env::var_os("PATH").unwrap_or_default();
    looked_for(&name, &path)
}

fn looked_for(name: &Path, path: &OsStr) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for directory in env::split_paths(path) {
        found.push(directory.join(name));
        if found.last().is_some_and(|path| is_program(path)) {
            return found;
        }
    }
    Vec::new()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

pub(crate) fn check(document: &Document, place: impl Fn(&str) -> Origin) -> Result<(), ConfigError> {
    Policy::compile(&Documents(vec![document.clone()])).map(drop).map_err(|invalid| {
        let rule = invalid
            .field
            .strip_prefix("rules[")
            .and_then(|rest| rest.split_once(']')?.0.parse::<usize>().ok());
        let rule = rule.and_then(|number| document.rules.get(number));
        let field = match rule {
            Some(rule) => format!("policy.{}` of the rule `{}", invalid.field, rule.name),
            None if invalid.field == "." => "policy".to_owned(),
            None => format!("policy.{}", invalid.field),
        };
        ConfigError::Policy { at: place(&invalid.field), field, problem: invalid.problem }
    })
}

pub(crate) fn besides(document: &Document) -> Document {
    Document { profile: Some(document.profile.unwrap_or(Profile::Open)), ..document.clone() }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_program_is_protected_where_it_would_be_looked_for() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        for (path, mode) in [("text/p", 0o644), ("own/p", 0o755), ("behind/p", 0o755)] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), "").unwrap();
            fs::set_permissions(at(path), Permissions::from_mode(mode)).unwrap();
        }
        for (path, expected) in [
            (&["own", "behind"][..], &["own/p"][..]),
            (&["none", "text", "own", "behind"], &["none/p", "text/p", "own/p"]),
            (&["text"], &[]),
        ] {
            let path = env::join_paths(path.iter().map(|directory| at(directory))).unwrap();
            let expected: Vec<_> = expected.iter().map(|name| at(name)).collect();
            assert_eq!(looked_for(Path::new("p"), &path), expected, "{path:?}");
        }
    }
}

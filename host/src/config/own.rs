//! What always holds, whatever an operator says: an agent changes neither what is taken away from it nor what runs.

use std::env;
use std::path::PathBuf;

use super::error::ConfigError;
use super::file::PROJECT;
use super::tree::Origin;
use crate::GateBuilder;
use crate::policy::{Document, Documents, Effect, Policy, Profile, Rule};

/// Nobody writes a project's file. Its name is protected at any depth: what is a part of the first directory today is the first
/// directory tomorrow.
pub(crate) fn project_file() -> Document {
    let rule = Rule {
        name: "project_file".to_owned(),
        paths: PROJECT.map(str::to_owned).into(),
        effect: Effect::ReadOnly,
        ..Rule::default()
    };
    Document { profile: Some(Profile::Open), rules: vec![rule], ..Document::default() }
}

/// Nor the operator's files, nor this program, where they lie in what is granted.
pub(crate) fn protect(builder: GateBuilder, files: &[PathBuf]) -> GateBuilder {
    // A program that does not know where it is cannot be found by what it grants either.
    let program = env::current_exe().ok();
    builder
        .protect("own_configuration", files.iter().cloned())
        .protect("own_program", program.into_iter().chain(called()))
}

/// The program by the name that it was called by, which may be a link.
fn called() -> Option<PathBuf> {
    let name = PathBuf::from(env::args_os().next()?);
    if name.components().count() > 1 {
        return Some(name);
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(&name)).find(|path| path.is_file())
}

/// Refuses a policy that cannot hold, with the place of what is wrong.
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

/// A policy behind another one: without a profile it begins with nothing.
pub(crate) fn besides(document: &Document) -> Document {
    Document { profile: Some(document.profile.unwrap_or(Profile::Open)), ..document.clone() }
}

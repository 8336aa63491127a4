//! Rules under every policy: fsgate's own files, histories, and names that the next start follows.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::{Access, Grant, GrantProblem, GrantReason, Machine, Terms, utf8};
use crate::{Rule, RuleEffect};
use fsgate_contract::path::{absolute, grant_name};

/// Paths that a session must not touch.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Guarded {
    /// Paths that only a person changes, by the name of their rule.
    pub read_only: Vec<(String, Vec<PathBuf>)>,
    /// Patterns over inside names without writing, if anything is granted for writing.
    pub apart: Vec<String>,
    /// Histories and locks besides those that the terms name.
    pub hidden: Vec<PathBuf>,
    /// Files that the next start finds by their path.
    pub found: Vec<PathBuf>,
    /// The beginnings of a policy's patterns.
    pub policy: Vec<PathBuf>,
}

/// The rules for these grants. A path in no grant needs none.
pub fn rules(
    asked: &[PathBuf],
    grants: &[Grant],
    guarded: &Guarded,
    terms: &Terms,
    machine: &Machine,
) -> Result<Vec<Rule>, GrantProblem> {
    let writable: Vec<Grant> = grants.iter().filter(|grant| grant.access == Access::Write).cloned().collect();
    let inside = Inside { grants, writable: &writable, machine };
    let mut all = Rules::default();
    for (name, paths) in &guarded.read_only {
        all.add(name, RuleEffect::ReadOnly, inside.named(&writable, paths, RUNS)?);
        all.add(name, RuleEffect::KeepsName, inside.kept(&inside.through(paths))?);
    }
    if !writable.is_empty() {
        all.add("own_program", RuleEffect::ReadOnly, guarded.apart.clone());
    }
    let hosts = grants.iter().map(|grant| grant.host.clone());
    let granted: Vec<_> = hosts.chain(inside.through(asked)).collect();
    all.add("granted_directory", RuleEffect::KeepsName, inside.kept(&granted)?);
    let mut hidden = machine.histories(terms);
    hidden.extend(guarded.hidden.iter().cloned());
    let own = machine.own_directories().into_iter().map(|(_, path)| path).chain(machine.packages());
    let own: Vec<_> =
        own.chain(terms.state.clone()).chain(guarded.found.clone()).chain(hidden.clone()).collect();
    all.add("own_directory", RuleEffect::KeepsName, inside.kept(&inside.through(&own))?);
    all.add("policy_path", RuleEffect::KeepsName, inside.kept(&inside.through(&guarded.policy))?);
    all.add("own_state", RuleEffect::Hidden, inside.named(grants, &hidden, HISTORY)?);
    Ok(all.0)
}

const RUNS: &str = "a file in it that runs, or that fsgate reads at its start,";
const HISTORY: &str = "fsgate's own directory in it";
const STAYS: &str = "a directory or a link in it that has to stay where it is";

#[derive(Default)]
struct Rules(Vec<Rule>);

impl Rules {
    fn add(&mut self, name: &str, effect: RuleEffect, paths: Vec<String>) {
        if paths.is_empty() {
            return;
        }
        match self.0.last_mut().filter(|last| last.name == name && last.effect == effect) {
            Some(last) => last.paths.extend(paths),
            None => self.0.push(Rule { name: name.to_owned(), paths, effect, ..Rule::default() }),
        }
    }
}

struct Inside<'a> {
    grants: &'a [Grant],
    writable: &'a [Grant],
    machine: &'a Machine,
}

impl Inside<'_> {
    /// Patterns for paths in or around grants, by used and resolved names.
    fn named(&self, grants: &[Grant], paths: &[PathBuf], what: &str) -> Result<Vec<String>, GrantProblem> {
        let mut found = Vec::new();
        for path in paths.iter().flat_map(|path| self.spellings(path)) {
            let real = self.machine.canonical(&path);
            for grant in grants {
                if self.machine.contains(&real, &grant.host) {
                    add(&mut found, pattern(grant, Path::new(""), what)?);
                }
                for path in [&real, &path] {
                    let rest = self.machine.below(&grant.host, path);
                    let is_plain = |rest: &PathBuf| {
                        rest.components().all(|part| matches!(part, Component::Normal(_)))
                            && rest != Path::new("")
                    };
                    if let Some(rest) = rest.filter(is_plain) {
                        add(&mut found, pattern(grant, &rest, what)?);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Patterns for directories and links that keep their names where tools can change them.
    fn kept(&self, paths: &[PathBuf]) -> Result<Vec<String>, GrantProblem> {
        let mut found = Vec::new();
        for path in paths {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { continue };
            for grant in self.writable {
                // From the directory of the name: a link's target is another thing.
                if let Some(rest) = self.machine.below(&grant.host, parent) {
                    add(&mut found, pattern(grant, &rest.join(name), STAYS)?);
                }
            }
        }
        Ok(found)
    }

    /// The places that these paths go through: another target there changes the next start.
    fn through(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        if self.grants.is_empty() {
            return Vec::new();
        }
        let spelled = paths.iter().flat_map(|path| self.spellings(path));
        spelled.flat_map(|path| self.machine.trace(&path).through).collect()
    }

    /// The absolute forms of a path.
    fn spellings(&self, path: &Path) -> Vec<PathBuf> {
        let own = self.machine.absolute(path);
        let typed = self.machine.typed(path).filter(|typed| *typed != own);
        [Some(own), typed].into_iter().flatten().collect()
    }
}

fn add(found: &mut Vec<String>, pattern: String) {
    if !found.contains(&pattern) {
        found.push(pattern);
    }
}

/// The pattern that matches a path in a grant only.
fn pattern(grant: &Grant, rest: &Path, what: &str) -> Result<String, GrantProblem> {
    let rest = utf8(rest)
        .ok_or_else(|| GrantProblem::new(GrantReason::Unnameable, [&grant.host.display(), &what]))?;
    let mut names = grant_name(&grant.name);
    names.extend(rest.split('/').filter(|name| !name.is_empty()).map(str::to_owned));
    if names.is_empty() {
        return Ok("/**".to_owned());
    }
    Ok(literal(&absolute(names.iter().map(String::as_str))))
}

/// The pattern that matches a text only.
pub fn literal(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

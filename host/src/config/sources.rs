//! The sources of a configuration.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::GrantValue;
use super::error::ConfigError;
use super::file;
use super::keys::Key;
use super::layer::Layer;
use super::text::Syntax;
use super::tree::Origin;

/// The sources of a configuration: variables, an operator's file, flags and defaults.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    variables: Vec<(String, OsString)>,
    file: Option<PathBuf>,
    users: bool,
    flags: Layer,
    granted: Vec<(GrantValue, Origin)>,
    default: Option<GrantValue>,
    context: Option<PathBuf>,
    profile: Option<&'static str>,
    policy_file: Option<PathBuf>,
    audited: bool,
    workflow_file: bool,
    front_matter: Option<String>,
}

impl Sources {
    /// No sources, for programs with a configuration of their own.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// The variables of this process and the user's file: `$XDG_CONFIG_HOME/fsgate/config.toml`,
    /// else `~/.config/fsgate/config.toml`, or `.yaml` or `.yml`.
    pub fn of_this_process() -> Self {
        // Known names are UTF-8.
        let variables = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self { variables: variables.collect(), users: true, ..Self::default() }
    }

    /// Reads this file instead of the user's.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Adds or replaces a variable.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.variables.retain(|(known, _)| *known != name);
        self.variables.push((name, value.into()));
        self
    }

    /// Sets a key as a flag does, over all other levels.
    pub fn set(&mut self, key: &'static Key, value: &str) -> Result<(), ConfigError> {
        let flag = key.flag.map_or_else(|| key.name.to_owned(), |flag| format!("--{}", flag.name));
        self.flags.set(key, value, &Origin::Flag(flag))
    }

    /// Sets the keys of the policy in a file, as a flag does, over all other levels.
    pub fn policy_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let tree = Syntax::of(path).read(&file::read(path)?, &Origin::file(path))?;
        let home = self.variable("HOME");
        self.flags.take_policy(tree, home.as_deref())?;
        self.policy_file = Some(path.to_owned());
        Ok(())
    }

    /// Adds a grant as a flag does. Such grants replace those of files and variables.
    pub fn grant(&mut self, granted: GrantValue, flag: &str) {
        self.granted.push((granted, Origin::Flag(flag.to_owned())));
    }

    /// Grants the working directory of a workflow, before all others. The directories of a workflow
    /// program's file are relative to it, and stay granted.
    #[must_use]
    pub fn context(mut self, path: impl Into<PathBuf>) -> Self {
        self.context = Some(path.into());
        self
    }

    /// Enables the audit unless a key of the audit is set.
    #[must_use]
    pub fn or_audit(mut self) -> Self {
        self.audited = true;
        self
    }

    /// Also reads the project's file of a workflow program, if it has a table for fsgate.
    #[must_use]
    pub fn workflow_file(mut self) -> Self {
        self.workflow_file = true;
        self
    }

    /// Grants a directory if no source grants one.
    #[must_use]
    pub fn or_directory(mut self, granted: GrantValue) -> Self {
        self.default = Some(granted);
        self
    }

    /// Uses this profile if no source names one.
    #[must_use]
    pub fn or_profile(mut self, name: &'static str) -> Self {
        self.profile = Some(name);
        self
    }

    /// Reads the YAML head of a text like a project's file: it can only narrow.
    #[must_use]
    pub fn front_matter(mut self, yaml: impl Into<String>) -> Self {
        self.front_matter = Some(yaml.into());
        self
    }

    pub(super) fn profile(&self) -> Option<&'static str> {
        self.profile
    }

    pub(super) fn named_policy(&self) -> Option<&Path> {
        self.policy_file.as_deref()
    }

    pub(super) fn working_directory(&self) -> Option<&Path> {
        self.context.as_deref()
    }

    pub(super) fn is_audited(&self) -> bool {
        self.audited
    }

    pub(super) fn reads_workflow_file(&self) -> bool {
        self.workflow_file
    }

    pub(super) fn head_of_text(&self) -> Option<&str> {
        self.front_matter.as_deref()
    }

    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let value = self.variables.iter().find(|(known, _)| known == name)?.1.to_str()?;
        Some(value.to_owned())
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.to_str()))
    }

    pub(super) fn flags(&self) -> &Layer {
        &self.flags
    }

    pub(super) fn granted(&self) -> &[(GrantValue, Origin)] {
        &self.granted
    }

    pub(super) fn fallback(&self) -> Option<(GrantValue, Origin)> {
        Some((self.default.clone()?, Origin::BuiltIn))
    }

    /// The operator's file: the named one, else the user's if it exists.
    pub(super) fn operator_file(&self) -> Result<Option<PathBuf>, ConfigError> {
        if let Some(file) = &self.file {
            return Ok(Some(file.clone()));
        }
        let path = |variable| self.variable(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = path("XDG_CONFIG_HOME").or_else(|| path("HOME").map(|home| home.join(".config")));
        match base.filter(|_| self.users) {
            Some(base) => file::of_user(&base.join("fsgate")),
            None => Ok(None),
        }
    }
}

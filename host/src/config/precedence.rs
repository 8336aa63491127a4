//! Joins the levels: higher ones replace the operator's values, project files narrow the result.

use std::path::{Component, Path};

use serde_json::Value as Json;

use super::expand::Variables;
use super::layer::Layer;
use super::text::Syntax;
use super::tree::{self, FRONT_MATTER, Tree, Value as Said};
use super::{
    Config, ConfigError, DIRS, GrantValue, KEYS, Key, Origin, Sources, builtin_rules, file, project, workflow,
};
use crate::grant::{Access, canonical};
use crate::policy::{Document, ENVIRONMENT_FILES, Profile};

impl Config {
    /// Reads all sources. A source is refused if it is unreadable, has unknown names, or widens
    /// where it must not.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        if let Some(profile) = sources.profile() {
            config.set.insert("policy.profile", Tree::from_json(profile.into(), &Origin::BuiltIn));
        }
        let home = sources.variable("HOME");
        let mut allowed = Vec::new();
        if let Some(path) = sources.operator_file()? {
            let operator = read_operator(&path, sources)?;
            allowed = operator.granted;
            config.replaced = operator.replaced;
            config.granted = allowed.clone();
            config.put(operator.layer)?;
            config.files.push(path);
        }
        // Project files are compared with the levels below variables and flags.
        let lower = config.clone();
        let variables = Layer::of_variables(sources.variables(), home.as_deref())?;
        let higher: Vec<_> = [&variables, sources.flags()]
            .into_iter()
            .flat_map(|layer| layer.set.iter().map(|(key, _)| key.name))
            .collect();
        config.put(variables)?;
        config.put(sources.flags().clone())?;
        config.files.extend(sources.named_policy().map(Path::to_owned));
        config.check_policies()?;
        config.grant(allowed, sources);
        if sources.is_audited() && !config.set.keys().any(|key| key.starts_with("audit.")) {
            config.set.insert("audit.enabled", Tree::from_json(true.into(), &Origin::BuiltIn));
        }
        let root = config.directories().first().and_then(|first| first.path.canonicalize().ok());
        // Without a grant there is nothing to narrow.
        if let Some(root) = root {
            config.put_project(&root, &lower, &higher, sources)?;
        }
        Ok(config)
    }

    /// Decides the grants: flags, else variables and files, else the default. `allowed` has the
    /// directories of a workflow program's file; missing ones are not granted.
    fn grant(&mut self, mut allowed: Vec<(GrantValue, Origin)>, sources: &Sources) {
        let context = sources.working_directory();
        let is_theirs = self.granted == allowed;
        if let Some(context) = context {
            for (granted, _) in &mut allowed {
                granted.path = context.join(&granted.path);
            }
        }
        let (there, missing): (Vec<_>, Vec<_>) =
            allowed.into_iter().partition(|(granted, _)| granted.path.try_exists().unwrap_or(true));
        let says_nothing = self.granted.is_empty();
        self.granted = match context {
            Some(path) => {
                let own = GrantValue { path: path.to_owned(), name: None, access: Access::Write };
                let typed = sources.granted();
                let besides = if typed.is_empty() && is_theirs { there } else { typed.to_vec() };
                let is_other = |(granted, _): &(GrantValue, Origin)| {
                    granted.name.is_some() || canonical(&granted.path) != canonical(path)
                };
                let own = (own, Origin::Flag("--context".to_owned()));
                std::iter::once(own).chain(besides.into_iter().filter(is_other)).collect()
            }
            None if !sources.granted().is_empty() => sources.granted().to_vec(),
            None if says_nothing => sources.fallback().into_iter().collect(),
            None if is_theirs => there,
            None => return,
        };
        if is_theirs && sources.granted().is_empty() {
            self.missing = missing.into_iter().map(|(granted, origin)| (granted.path, origin)).collect();
        }
    }

    /// Checks a single file, as an operator's or as a project's.
    pub fn check(path: &Path, is_project: bool, sources: &Sources) -> Result<(), ConfigError> {
        if !is_project {
            let mut alone = Self::default();
            alone.put(read_operator(path, sources)?.layer)?;
            return alone.check_policies();
        }
        let text = file::read_project(path)?;
        let text = text.ok_or_else(|| ConfigError::Unreadable {
            path: path.to_owned(),
            error: std::io::ErrorKind::NotFound.into(),
        })?;
        let base = Self::default();
        base.clone().take_project(path, &text, &base, &[], sources)
    }

    fn put(&mut self, layer: Layer) -> Result<(), ConfigError> {
        for (key, mut tree) in layer.set {
            if key.name == DIRS {
                self.granted = tree.list().iter().map(|dir| (GrantValue::of(dir), dir.at.clone())).collect();
                continue;
            }
            if key.name == "policy.rules"
                && let Said::List(rules) = &mut tree.value
                && let Some(below) = self.set.get(key.name)
            {
                rules.splice(0..0, below.list().iter().cloned());
            }
            self.set.insert(key.name, tree);
        }
        for policy in layer.policies {
            self.policies.push((policy.at.clone(), document(&policy)?));
        }
        Ok(())
    }

    fn check_policies(&self) -> Result<(), ConfigError> {
        for (at, document) in &self.policies {
            builtin_rules::check(&builtin_rules::besides(document), |_| at.clone())?;
        }
        let policy = self.operator_policy();
        // Do not compile the empty policy.
        if policy == Document::default() {
            return Ok(());
        }
        builtin_rules::check(&policy, |field| self.place(field))
    }

    fn put_project(
        &mut self,
        root: &Path,
        lower: &Self,
        higher: &[&str],
        sources: &Sources,
    ) -> Result<(), ConfigError> {
        if self.truth("project_file") {
            let workflow = sources.reads_workflow_file().then_some(workflow::FILE);
            for name in file::PROJECT.into_iter().chain(workflow) {
                let path = root.join(name);
                if let Some(text) = file::read_project(&path)? {
                    self.take_project(&path, &text, lower, higher, sources)?;
                }
            }
        }
        if let Some(text) = sources.head_of_text() {
            // The directories of a front matter are relative to the first grant, as in a project's
            // file. A line of dashes precedes its text.
            self.take_project(&root.join(FRONT_MATTER), &format!("\n{text}"), lower, higher, sources)?;
        }
        for (key, tree) in &self.project {
            if !higher.contains(key) {
                self.set.insert(key, tree.clone());
            }
        }
        Ok(())
    }

    /// Applies a project's file. Higher levels keep their values, except lists of a policy.
    fn take_project(
        &mut self,
        path: &Path,
        text: &str,
        lower: &Self,
        higher: &[&str],
        sources: &Sources,
    ) -> Result<(), ConfigError> {
        let Some(FileValues { layer, allowed, .. }) = read(path, text, false, sources)? else {
            return Ok(());
        };
        let mut policy = Vec::new();
        for (key, tree) in layer.set {
            project::judge(key, &tree, &lower.tree(key))?;
            if !project::takes(key, &tree) {
                continue;
            }
            if let Some(field) = key.name.strip_prefix("policy.") {
                let is_list = matches!(tree.value, Said::List(_));
                if is_list || !higher.contains(&key.name) {
                    let name = tree::Name { text: field.to_owned(), at: tree.at.clone() };
                    if key.name == "policy.rules" {
                        self.rules.extend(tree.list().iter().cloned());
                    }
                    policy.push((name, tree));
                }
            } else {
                let tree = match self.project.remove(key.name) {
                    Some(other) => project::narrower(key, other, tree),
                    None => tree,
                };
                self.project.insert(key.name, tree);
            }
        }
        if !policy.is_empty() {
            let tree = Tree::new(Said::Table(policy), Origin::file(path));
            let document = document(&tree)?;
            builtin_rules::check(&builtin_rules::besides(&document), |field| place(&tree, field))?;
            self.policies.push((tree.at, document));
        }
        if let Some(allowed) = allowed {
            let base = path.parent().unwrap_or(Path::new("/"));
            let places: Vec<_> =
                allowed.list().iter().filter_map(Tree::text).map(|path| base.join(path)).collect();
            if path.file_name().is_some_and(|name| name == FRONT_MATTER) {
                self.check_granted(&allowed, base)?;
                // A text keeps its grants, and so the start of its relative paths; a policy narrows
                // them.
                let allowed_paths: Option<Vec<_>> = places.iter().map(|place| pattern(place)).collect();
                let allowed_paths = allowed_paths.filter(|paths| !paths.is_empty());
                // An empty list would restrict nothing.
                let Some(allowed_paths) = allowed_paths else {
                    let (at, key) =
                        (allowed.at.clone(), "tool_configuration.file_system.allowed_directories".to_owned());
                    let wanted = "a list of at least one directory, below one whose name is UTF-8".to_owned();
                    return Err(ConfigError::Wrong { at, key, wanted });
                };
                self.policies.push((Origin::file(path), Document { allowed_paths, ..Document::default() }));
            } else {
                self.allowed.push(places);
            }
        }
        Ok(())
    }

    fn check_granted(&self, allowed: &Tree, base: &Path) -> Result<(), ConfigError> {
        let granted: Vec<_> = self.directories().iter().map(|granted| canonical(&granted.path)).collect();
        for item in allowed.list() {
            let Some(text) = item.text() else { continue };
            let place = canonical(&base.join(text));
            if !granted.iter().any(|granted| place.starts_with(granted)) {
                let key = "tool_configuration.file_system.allowed_directories".to_owned();
                let wanted = format!("a list of directories that are granted, and `{text}` is not");
                return Err(ConfigError::Wrong { at: item.at.clone(), key, wanted });
            }
        }
        Ok(())
    }

    fn tree(&self, key: &Key) -> Tree {
        let default = || Tree::from_json(self.json(key.name), &Origin::BuiltIn);
        self.set.get(key.name).cloned().unwrap_or_else(default)
    }

    pub(super) fn operator_policy(&self) -> Document {
        let entries = KEYS.iter().filter_map(|key| {
            let field = key.name.strip_prefix("policy.")?;
            Some((field.to_owned(), self.set.get(key.name)?.to_json()))
        });
        // Each value passed the table; a test compares the table with the document's fields.
        let mut policy: Document =
            serde_json::from_value(Json::Object(entries.collect())).unwrap_or_default();
        let rules = policy.profile.unwrap_or(Profile::Default).document().rules;
        let has_rule = |name: &str| rules.iter().any(|rule| rule.name == name);
        if self.truth("allow_secrets")
            && has_rule(ENVIRONMENT_FILES)
            && !policy.except.iter().any(|name| name == ENVIRONMENT_FILES)
        {
            policy.except.push(ENVIRONMENT_FILES.to_owned());
        }
        let replaced = self.replaced.iter().filter(|name| has_rule(name));
        policy.except.extend(replaced.map(|name| (*name).to_owned()));
        policy
    }

    fn place(&self, field: &str) -> Origin {
        let name = field.split(['.', '[']).next().unwrap_or_default();
        let Some(tree) = self.set.get(format!("policy.{name}").as_str()) else { return Origin::BuiltIn };
        item(tree, field).unwrap_or(tree).at.clone()
    }
}

/// The pattern for one path of this machine, or none if it is not UTF-8.
fn pattern(path: &Path) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name.to_str()?),
            Component::ParentDir => drop(names.pop()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    let mut pattern = String::new();
    for character in names.iter().flat_map(|name| ["/", name]).flat_map(str::chars) {
        if matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | '!' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    Some(pattern)
}

fn place(policy: &Tree, field: &str) -> Origin {
    let name = field.split(['.', '[']).next().unwrap_or_default();
    let tree = policy.get(name);
    tree.and_then(|tree| item(tree, field)).or(tree).unwrap_or(policy).at.clone()
}

/// The item that a field such as `rules[2].paths[0]` names.
fn item<'a>(list: &'a Tree, field: &str) -> Option<&'a Tree> {
    let number = field.split_once('[')?.1.split_once(']')?.0;
    list.list().get(number.parse::<usize>().ok()?)
}

fn document(policy: &Tree) -> Result<Document, ConfigError> {
    serde_json::from_value(policy.to_json()).map_err(|error| ConfigError::Policy {
        at: policy.at.clone(),
        field: "policy".to_owned(),
        problem: error.to_string(),
    })
}

struct FileValues {
    layer: Layer,
    allowed: Option<Tree>,
    /// The names of rules from another program's file.
    lists: Vec<&'static str>,
}

struct OperatorFile {
    layer: Layer,
    granted: Vec<(GrantValue, Origin)>,
    replaced: Vec<&'static str>,
}

/// Reads an operator's file. Another program's file grants the directories that it allows, relative
/// to the current directory as in that program.
fn read_operator(path: &Path, sources: &Sources) -> Result<OperatorFile, ConfigError> {
    let text = file::read(path)?;
    let Some(FileValues { layer, allowed, lists }) = read(path, &text, true, sources)? else {
        return Ok(OperatorFile { layer: Layer::default(), granted: Vec::new(), replaced: Vec::new() });
    };
    let dir = |dir: &Tree| {
        let granted = GrantValue { path: dir.text()?.into(), name: None, access: Access::Write };
        Some((granted, dir.at.clone()))
    };
    let granted = allowed.iter().flat_map(tree::Tree::list).filter_map(dir).collect();
    Ok(OperatorFile { layer, granted, replaced: lists })
}

/// Returns `None` for another program's file without a table for fsgate.
fn read(
    path: &Path,
    text: &str,
    is_operator: bool,
    sources: &Sources,
) -> Result<Option<FileValues>, ConfigError> {
    let mut tree = Syntax::of(path).read(text, &Origin::file(path))?;
    let home = sources.variable("HOME");
    let find = |name: &str| sources.variable(name);
    let variables = Variables { find: &find, all: is_operator };
    let is_theirs = path.file_name().is_some_and(|name| name == workflow::FILE || name == FRONT_MATTER);
    match workflow::table(&tree)? {
        Some(table) => {
            let mut table = table.clone();
            variables.expand(&mut table)?;
            let workflow::Workflow { tree, allowed, lists } = workflow::read(&table)?;
            Ok(Some(FileValues { layer: Layer::of(tree, home.as_deref())?, allowed, lists }))
        }
        None if is_theirs => Ok(None),
        None => {
            variables.expand(&mut tree)?;
            let layer = Layer::of(tree, home.as_deref())?;
            Ok(Some(FileValues { layer, allowed: None, lists: Vec::new() }))
        }
    }
}

//! The gate of a command line.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::{env, fs};

use clap::ArgMatches;
use fsgate::config::{Config, GrantValue, Origin};
use fsgate::policy::ENVIRONMENT_FILES;
use fsgate::{Access, Confined, Confinement, Gate, GateBuilder, Operation, Tool, nearest_root};
use fsgate_cli::quote::shell_word;
use fsgate_cli::{Exit, HeldSettings, PathContext, ToolCaller, settings};
use fsgate_compat::bounds::Bounds;

use crate::called;
use crate::cli::{OWN_PROFILE, component, granted, sources};
use crate::streams::complain;

#[derive(Clone, Copy)]
pub(crate) enum DefaultGrant<'a> {
    Nothing,
    /// The current directory, read-only.
    Reading,
    /// The nearest directory with a history, in place of the configured ones, for writing too.
    History,
    /// The current directory under the workflow profile, narrowed by the workflow's front matter.
    Workflow(Option<&'a str>),
}

/// Returns the configuration, and a builder with its directories, component and state.
pub(crate) fn asked_for(
    args: &ArgMatches,
    default_grant: DefaultGrant,
) -> Result<(Config, GateBuilder), Exit> {
    let refused = |problem: String| {
        complain(&problem);
        Exit::Usage
    };
    let mut sources = sources(args).map_err(|error| refused(error.to_string()))?;
    let here = |access| GrantValue { path: ".".into(), name: None, access };
    match default_grant {
        DefaultGrant::Nothing => {}
        DefaultGrant::Reading => sources = sources.or_directory(here(Access::Read)),
        DefaultGrant::History if !granted(args).is_empty() => {}
        DefaultGrant::History => {
            let config = Config::load(&sources).map_err(|error| refused(error.to_string()))?;
            if let Some(nearest) = with_history(&config)? {
                sources.grant(nearest, "the history");
            }
        }
        DefaultGrant::Workflow(front_matter) => {
            sources =
                sources.or_directory(here(Access::Write)).or_profile(OWN_PROFILE).or_audit().workflow_file();
            if let Some(front_matter) = front_matter {
                sources = sources.front_matter(front_matter);
            }
        }
    }
    let config = Config::load(&sources).map_err(|error| refused(error.to_string()))?;
    for (path, origin) in config.missing() {
        complain(&format!("{origin}: `{}` does not exist and is not granted", path.display()));
    }
    let mut builder = config.builder().front_end("command-line").tell(complain);
    if let Some(path) = component(args) {
        let bytes = fs::read(path)
            .map_err(|error| refused(format!("cannot read the component `{}`: {error}", path.display())))?;
        builder = builder.component(bytes).protect("own_program", [path.clone()]);
    }
    Ok((config, builder))
}

/// The nearest directory with a history, for a command without `--dir`. `None` means the configured
/// directories.
fn with_history(config: &Config) -> Result<Option<GrantValue>, Exit> {
    let here = env::current_dir().unwrap_or_else(|_| Path::new(".").to_owned());
    let state_root = config.text("state_dir").map(PathBuf::from);
    let meant = |path: &Path| complain(&format!("no --dir given: the history of `{}`", path.display()));
    let configured = config.directories();
    let Some(path) = nearest_root(&here, state_root.as_deref()) else {
        configured.iter().for_each(|granted| meant(&granted.path));
        if configured.is_empty() {
            complain(&format!(
                "neither `{}` nor a directory around it has a history; name the directory with `--dir PATH`",
                here.display()
            ));
            return Err(Exit::Usage);
        }
        return Ok(None);
    };
    meant(&path);
    // A configured directory around it decides the access; a read-only one inside makes it
    // read-only.
    let at = |granted: &GrantValue| granted.path.canonicalize().ok();
    let around = configured.iter().filter_map(|granted| {
        let around = at(granted).filter(|around| path.starts_with(around))?;
        Some((around.components().count(), granted.access))
    });
    let is_read_only_inside = configured.iter().any(|granted| {
        granted.access == Access::Read && at(granted).is_some_and(|inside| inside.starts_with(&path))
    });
    let access = around.max_by_key(|(depth, _)| *depth).map_or(Access::Write, |(_, access)| access);
    let access = if is_read_only_inside { Access::Read } else { access };
    Ok(Some(GrantValue { path, name: None, access }))
}

/// Opens a gate. Enters the confinement first, while the program has one thread.
pub(crate) fn open(builder: GateBuilder, config: &Config, args: &ArgMatches) -> Result<Gate, Exit> {
    let refused = |refused: &dyn std::error::Error| {
        complain(&refused.to_string());
        Exit::Usage
    };
    if config.truth("landlock") {
        // The gate reports a missing grant.
        let confinement = builder.confinement().map_err(|error| refused(&error))?;
        let entered = named_files(args).fold(confinement, Confinement::read).enter();
        // Only Linux has Landlock; other systems get no message.
        if let Confined::Not(reason) = entered.map_err(|error| refused(&error))?
            && cfg!(target_os = "linux")
        {
            complain(&format!(
                "not shut in with what is granted: {reason}; `--no-landlock` says that this is known"
            ));
        }
    }
    builder.build().map_err(|error| refused(&error))
}

/// The files typed as `@FILE`, read after the confinement. Values that only look so were typed too.
fn named_files(args: &ArgMatches) -> impl Iterator<Item = PathBuf> {
    let values = args.ids().filter_map(|id| args.try_get_raw(id.as_str()).ok().flatten()).flatten();
    values.filter_map(|value| Some(value.to_str()?.strip_prefix('@')?.into()))
}

/// The variable with the users' directories in the plug-in's original system.
const FILES_LOCATION: &str = "FILES_LOCATION";

pub(crate) struct CliGate {
    gate: Gate,
    by_default: bool,
    read_only: Cell<bool>,
    /// Whether the command empties the trash: its failures are printed.
    empties: bool,
    bounds: Box<dyn Bounds>,
    held: Option<(String, HeldSettings)>,
}

/// True for an operation on the history in a person's own words. JSON, servers and front ends bring
/// words from elsewhere.
fn is_of_operator(subcommand: &str) -> bool {
    Operation::find(subcommand).is_some_and(|operation| operation.interface == "history")
}

impl CliGate {
    pub(crate) fn open(subcommand: &str, args: &ArgMatches) -> Result<Self, Exit> {
        if subcommand == "tools" {
            let (config, builder) = asked_for(args, DefaultGrant::Nothing)?;
            return Self::new(open(builder.nothing(), &config, args)?, false, None);
        }
        if subcommand == "plugin" && env::var_os(FILES_LOCATION).is_some_and(|place| !place.is_empty()) {
            complain(&format!(
                "`{FILES_LOCATION}` is set and has no meaning here: grant the directory of a user with `--dir PATH::/`"
            ));
            return Err(Exit::Usage);
        }
        let operation = Operation::find(subcommand);
        // Only typed paths start at the current directory.
        let at_hand = |builder: GateBuilder| match (operation, env::current_dir()) {
            (Some(_), Ok(here)) => builder.start_at(here),
            _ => builder,
        };
        let called = match subcommand {
            "call" => args.get_one::<String>("tool").and_then(|name| Operation::find(name)),
            _ => operation,
        };
        if let Some(called) = called.filter(|called| called.interface == "history") {
            let (config, builder) = asked_for(args, DefaultGrant::History)?;
            // A person at the shell may read every history of this user.
            let builder = if called.read_only { builder.history_only() } else { builder };
            let builder = if is_of_operator(subcommand) { builder.operator() } else { builder };
            let opened = Self::new(open(at_hand(builder), &config, args)?, false, None)?;
            return Ok(Self { empties: matches!(subcommand, "forget" | "recover"), ..opened });
        }
        let (config, builder) = asked_for(args, DefaultGrant::Reading)?;
        let builder = at_hand(builder);
        let by_default = !config.directories().is_empty() && config.origin("dirs") == Origin::BuiltIn;
        if by_default {
            complain("no --dir given: the current directory is granted for reading only");
        }
        Self::new(open(builder, &config, args)?, by_default, None)
    }

    pub(crate) fn open_for(workflow: &str, args: &ArgMatches) -> Result<Self, Exit> {
        let settings = settings(workflow);
        let (config, builder) = asked_for(args, DefaultGrant::Workflow(settings))?;
        let held =
            settings.map(|text| (text.to_owned(), HeldSettings { audited: config.truth("audit.enabled") }));
        Self::new(open(builder, &config, args)?, false, held)
    }

    fn new(gate: Gate, by_default: bool, held: Option<(String, HeldSettings)>) -> Result<Self, Exit> {
        let bounds = gate.bounds_of_text();
        Ok(Self { gate, bounds, by_default, read_only: Cell::new(false), empties: false, held })
    }

    pub(crate) fn hint(&self) {
        if !self.by_default || !self.read_only.get() {
            return;
        }
        let mut words = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        let subcommand = words.next().unwrap_or_default();
        let directory = env::current_dir().unwrap_or_else(|_| Path::new(".").to_owned());
        let rest: String = words.map(|word| format!(" {}", shell_word(&word))).collect();
        let directory = shell_word(&directory.to_string_lossy());
        complain(&format!(
            "to allow writing, run: {} {subcommand} --dir {directory}{rest}",
            called::command()
        ));
    }
}

impl ToolCaller for CliGate {
    fn flag_for(&self, rule: &str) -> Option<&str> {
        (rule == ENVIRONMENT_FILES).then_some("--allow-secrets")
    }

    fn now(&self) -> Option<String> {
        Some(fsgate::now())
    }

    fn kept(&self, front_end: &str, session: &str) -> Result<Option<String>, String> {
        self.gate.load_session(front_end, session).map_err(|error| error.to_string())
    }

    fn keep(&self, front_end: &str, session: &str, state: Option<&str>) -> Result<(), String> {
        self.gate.save_session(front_end, session, state).map_err(|error| error.to_string())
    }

    fn call(&self, tool: &str, arguments: &str) -> Result<String, String> {
        let answer = self.gate.call(tool, arguments);
        if let Err(error) = &answer {
            let error: serde_json::Value = serde_json::from_str(error).unwrap_or_default();
            self.read_only.set(error["code"] == "read_only");
        }
        if self.empties {
            for place in self.gate.pending() {
                complain(&format!("still in the trash: `{}`", place.display()));
            }
        }
        answer
    }

    fn places(&self) -> PathContext {
        PathContext {
            start: self.gate.start().map(str::to_owned),
            grants: self.gate.directories().iter().map(|directory| directory.name.clone()).collect(),
        }
    }

    fn bounds(&self) -> &dyn Bounds {
        &*self.bounds
    }

    fn uncalled(
        &self,
        front_end: &str,
        arguments: &str,
        answer: &Result<String, String>,
    ) -> Result<(), String> {
        self.gate.uncalled(front_end, arguments, answer).map_err(|error| error.message)
    }

    fn hold_to(&self, settings: &str) -> Result<HeldSettings, String> {
        match &self.held {
            Some((text, held)) if text == settings => Ok(*held),
            _ => Err("the front matter is another one than the tools were opened for".to_owned()),
        }
    }

    fn tools(&self) -> Result<Vec<Tool>, String> {
        self.gate.tools().map_err(|error| error.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;

    #[test]
    fn seven_commands_are_of_the_operator() {
        let command = cli::command();
        let names = command.get_subcommands().map(clap::Command::get_name);
        let mut of_operator: Vec<_> = names.filter(|name| is_of_operator(name)).collect();
        of_operator.sort_unstable();
        assert_eq!(of_operator, ["checkpoint", "forget", "log", "recover", "redo", "restore", "undo"]);
        for name in ["call", "mcp", "sham", "command", "workflow", "plugin", "file-action"] {
            assert!(command.find_subcommand(name).is_some() && !is_of_operator(name), "{name}");
        }
    }
}

//! The environment of the command line.

use std::time::Duration;

use fsgate_compat::bounds::{Bounds, Unbounded};
use fsgate_contract::agent_types::Tool;

use crate::exit::Exit;

/// Carries out calls.
pub trait ToolCaller {
    /// Calls a tool in JSON.
    fn call(&self, tool: &str, arguments: &str) -> Result<String, String>;

    /// The limits of a front end's text.
    fn bounds(&self) -> &dyn Bounds {
        &Unbounded
    }

    /// Audits a text without calls or with refused arguments. An error withholds the answer.
    fn uncalled(
        &self,
        _front_end: &str,
        _arguments: &str,
        _answer: &Result<String, String>,
    ) -> Result<(), String> {
        Ok(())
    }

    /// The context of a person's paths. Without one, paths are unchanged.
    fn places(&self) -> PathContext {
        PathContext::default()
    }

    /// The command line's flag that lifts a rule.
    fn flag_for(&self, _rule: &str) -> Option<&str> {
        None
    }

    /// The time of day in RFC 3339, if known.
    fn now(&self) -> Option<String> {
        None
    }

    /// The state of a session's last text.
    fn kept(&self, _front_end: &str, _session: &str) -> Result<Option<String>, String> {
        Ok(None)
    }

    /// Stores the state for a session's next text.
    fn keep(&self, _front_end: &str, _session: &str, _state: Option<&str>) -> Result<(), String> {
        Ok(())
    }

    /// Every callable tool.
    fn tools(&self) -> Result<Vec<Tool>, String>;

    /// Restricts further calls to a workflow's settings, from its front matter's table
    /// `tool_configuration`.
    fn hold_to(&self, _settings: &str) -> Result<HeldSettings, String> {
        Err("the front matter has settings for the tools, and nothing here can hold calls to them".to_owned())
    }
}

/// The directories of a person's paths, by namespace path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathContext {
    /// The start of relative paths, if the current directory.
    pub start: Option<String>,
    /// The granted directories.
    pub grants: Vec<String>,
}

/// The effects of a workflow's settings besides the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldSettings {
    /// Calls are audited.
    pub audited: bool,
}

/// Standard streams and files. An error is one sentence.
pub trait Streams {
    /// Standard input, up to `most` bytes.
    fn input(&self, most: usize) -> Result<Vec<u8>, String>;

    /// A file named as `@FILE`, up to `most` bytes.
    fn file(&self, path: &str, most: usize) -> Result<Vec<u8>, String>;

    /// Writes to standard output and flushes.
    fn answer(&self, bytes: &[u8]) -> Result<(), Unwritten>;

    /// Writes styled parts of an answer.
    fn styled(&self, parts: &[(Style, String)]) -> Result<(), Unwritten> {
        let text: String = parts.iter().map(|(_, text)| text.as_str()).collect();
        self.answer(text.as_bytes())
    }

    /// Whether answers have colours.
    fn has_colors(&self) -> bool {
        false
    }

    /// The interval of progress reports; none without a person.
    fn pace(&self) -> Option<Duration> {
        None
    }

    /// Shows the progress of a search.
    fn progress(&self, _done: &str) {}

    /// Writes a line to standard error.
    fn complain(&self, line: &str);
}

/// The style of a part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Unstyled text.
    Plain,
    /// The path of a file.
    Path,
    /// The number of a line.
    Number,
    /// A match of a pattern.
    Match,
}

/// The reason why standard output refused an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwritten {
    /// The reader has closed it.
    ReaderGone,
    /// It failed.
    Failed(String),
}

/// The environment of a command.
#[derive(Clone, Copy)]
pub struct Shell<'a> {
    /// Carries out calls.
    pub caller: &'a dyn ToolCaller,
    /// Standard streams and files.
    pub streams: &'a dyn Streams,
}

impl Shell<'_> {
    /// Prints an answer. A closed output ends the command with success.
    pub fn print(&self, bytes: &[u8]) -> Result<(), Exit> {
        self.written(self.streams.answer(bytes))
    }

    fn written(&self, written: Result<(), Unwritten>) -> Result<(), Exit> {
        written.map_err(|unwritten| match unwritten {
            Unwritten::ReaderGone => Exit::Done,
            Unwritten::Failed(error) => {
                self.complain(&format!("cannot write to standard output: {error}"));
                Exit::Internal
            }
        })
    }

    /// Prints a styled answer.
    pub fn print_styled(&self, parts: &[(Style, String)]) -> Result<(), Exit> {
        self.written(self.streams.styled(parts))
    }

    /// Prints a line to standard error.
    pub fn complain(&self, line: &str) {
        self.streams.complain(line);
    }
}

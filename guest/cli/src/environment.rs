//! What lies outside of the command line: who carries out calls, and where bytes come from and go to.

use std::time::Duration;

use fsgate_compat::bounds::{Bounds, Unbounded};
use fsgate_contract::agent_types::Tool;

use crate::exit::Exit;

/// Carries out calls.
pub trait ToolCaller {
    /// Calls a tool: arguments, outcome and error are JSON objects.
    fn call(&self, tool: &str, arguments: &str) -> Result<String, String>;

    /// What a text for a front end may use, beside what each of its calls may.
    fn bounds(&self) -> &dyn Bounds {
        &Unbounded
    }

    /// A text for a front end was answered without a call, or its arguments were refused: whoever writes calls down writes it down itself.
    /// The error is a sentence, why the text is not answered.
    fn uncalled(
        &self,
        _front_end: &str,
        _arguments: &str,
        _answer: &Result<String, String>,
    ) -> Result<(), String> {
        Ok(())
    }

    /// The directories that a person's paths are about. By default none is known, and paths are
    /// shown as they come.
    fn places(&self) -> PathContext {
        PathContext::default()
    }

    /// The time of day in the form of RFC 3339, where something knows it.
    fn now(&self) -> Option<String> {
        None
    }

    /// The state that the last text of a session left for the next one; none where nothing keeps
    /// it. The error is a sentence.
    fn kept(&self, _front_end: &str, _session: &str) -> Result<Option<String>, String> {
        Ok(None)
    }

    /// Keeps the state that the next text of a session begins with. The error is a sentence.
    fn keep(&self, _front_end: &str, _session: &str, _state: Option<&str>) -> Result<(), String> {
        Ok(())
    }

    /// Every tool that can be called.
    fn tools(&self) -> Result<Vec<Tool>, String>;

    /// Holds all calls from now on to the settings of a workflow, which stand in its front matter: YAML with a table
    /// `tool_configuration`. They only take away. What cannot be done is told in one sentence.
    fn hold_to(&self, _settings: &str) -> Result<HeldSettings, String> {
        Err("the front matter has settings for the tools, and nothing here can hold calls to them".to_owned())
    }
}

/// The directories that a person's paths are about, by their names in the namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathContext {
    /// Where relative paths start, if that is the person's current directory.
    pub start: Option<String>,
    /// The granted directories.
    pub grants: Vec<String>,
}

/// What holds besides, of a caller who is held to a workflow's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldSettings {
    /// Calls are written down in an audit.
    pub audited: bool,
}

/// Standard streams and files. A failure is one sentence.
pub trait Streams {
    /// Standard input to its end, or its first `most` bytes.
    fn input(&self, most: usize) -> Result<Vec<u8>, String>;

    /// A file that was named as `@FILE`, or its first `most` bytes.
    fn file(&self, path: &str, most: usize) -> Result<Vec<u8>, String>;

    /// Writes to standard output, at once.
    fn answer(&self, bytes: &[u8]) -> Result<(), Unwritten>;

    /// Writes parts of an answer to standard output, each in its style where there are colours.
    fn styled(&self, parts: &[(Style, String)]) -> Result<(), Unwritten> {
        let text: String = parts.iter().map(|(_, text)| text.as_str()).collect();
        self.answer(text.as_bytes())
    }

    /// True if answers have colours.
    fn has_colors(&self) -> bool {
        false
    }

    /// The time after which a person wants to see how far a search is, and what it has found; none
    /// if no person waits.
    fn pace(&self) -> Option<Duration> {
        None
    }

    /// Shows a person how far a search is.
    fn progress(&self, _done: &str) {}

    /// Writes a line for the person at the terminal to standard error.
    fn complain(&self, line: &str);
}

/// The style of a part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As everything else.
    Plain,
    /// The path of a file.
    Path,
    /// The number of a line.
    Number,
    /// A match of a pattern.
    Match,
}

/// Why standard output did not take an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwritten {
    /// Nobody reads it any more.
    ReaderGone,
    /// It failed.
    Failed(String),
}

/// Both sides of the outside together.
#[derive(Clone, Copy)]
pub struct Shell<'a> {
    /// Carries out calls.
    pub caller: &'a dyn ToolCaller,
    /// Standard streams and files.
    pub streams: &'a dyn Streams,
}

impl Shell<'_> {
    /// Prints an answer. Where nobody reads it, the program has to end, and ends well.
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

    /// Prints an answer in its styles.
    pub fn print_styled(&self, parts: &[(Style, String)]) -> Result<(), Exit> {
        self.written(self.streams.styled(parts))
    }

    /// Prints a line for the person at the terminal.
    pub fn complain(&self, line: &str) {
        self.streams.complain(line);
    }
}

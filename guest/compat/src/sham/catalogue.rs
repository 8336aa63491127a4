//! Every action, with its parameters: what the system's own catalogue says of them.

use self::Format::{Path, Paths};
use self::Kind::{Boolean, Enum, Integer, Text};
use self::Who::{Llm, User};

/// An action.
#[derive(Debug, Clone, Copy)]
pub struct Action {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub kind: Effect,
    /// Who may take it; anybody, if nobody is named.
    pub accessibility: &'static [Who],
    /// When its output is shown to a model.
    pub output_display: Option<Display>,
    /// The parameter that stands for it in a summary.
    pub primary_param: Option<&'static str>,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// What an action is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the catalogue")]
pub enum Effect {
    Read,
    Write,
    Meta,
    Git,
    Dynamic,
}

/// Who takes an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// A model, in its answer.
    Llm,
    /// A person.
    User,
}

/// When the output of an action is shown to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the catalogue")]
pub enum Display {
    Always,
    Never,
    /// As its parameter `return_output` says.
    Conditional,
}

/// A parameter of an action.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// It has to be there.
    pub required: bool,
    /// Its value where it is not, as it would be written.
    pub default: Option<&'static str>,
}

/// What a parameter holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text, or one of a certain form.
    Text(Option<Format>),
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// One of these.
    Enum(&'static [&'static str]),
}

impl Kind {
    /// What the catalogue calls it: its format, if it has one, else its type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text(None) => "string",
            Self::Text(Some(Path)) => "absolute_path",
            Self::Text(Some(Paths)) => "multiline_absolute_paths",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Enum(_) => "enum",
        }
    }
}

/// The form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An absolute path.
    Path,
    /// An absolute path on each line.
    Paths,
}

impl Action {
    /// The action of exactly this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        ACTIONS.iter().find(|action| action.name == name)
    }

    /// It is not for a model.
    pub fn is_for_people(&self) -> bool {
        !self.accessibility.is_empty() && !self.accessibility.contains(&Llm)
    }
}

const fn needed(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind, required: true, default: None }
}

const fn optional(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind, required: false, default: None }
}

const fn default(name: &'static str, kind: Kind, default: &'static str) -> Parameter {
    Parameter { name, kind, required: false, default: Some(default) }
}

const fn action(name: &'static str, kind: Effect, parameters: &'static [Parameter]) -> Action {
    Action { name, kind, accessibility: &[Llm], output_display: None, primary_param: None, parameters }
}

impl Action {
    const fn shown(mut self, display: Display, primary: &'static str) -> Self {
        self.output_display = Some(display);
        self.primary_param = Some(primary);
        self
    }

    const fn by(mut self, who: &'static [Who]) -> Self {
        self.accessibility = who;
        self
    }
}

const PATH: Parameter = needed("path", Text(Some(Path)));
const PATHS: Parameter = needed("paths", Text(Some(Paths)));
const OLD_TEXT: Parameter = needed("old_text", Text(None));
const NEW_TEXT: Parameter = needed("new_text", Text(None));
const CONTENT: Parameter = needed("content", Text(None));
const LINES: Parameter = needed("lines", Text(None));
const ANY_LINES: Parameter = optional("lines", Text(None));
const DELIMITER: Parameter = default("delimiter", Text(None), ": ");
const SQUASHES: Kind =
    Enum(&["auto_ai", "ai_messages", "hours", "days", "contiguous_only=true", "msg_contains"]);

/// Every action, in the order of the catalogue.
pub static ACTIONS: &[Action] = &[
    action("file_write", Effect::Write, &[PATH, CONTENT]).shown(Display::Never, "path"),
    action("file_replace_text", Effect::Write, &[PATH, OLD_TEXT, NEW_TEXT]).shown(Display::Never, "path"),
    action("file_replace_all_text", Effect::Write, &[PATH, OLD_TEXT, NEW_TEXT, optional("count", Integer)])
        .shown(Display::Never, "path"),
    action(
        "files_replace_all_text",
        Effect::Write,
        &[optional("paths", Text(Some(Paths))), OLD_TEXT, NEW_TEXT],
    ),
    action("file_append", Effect::Write, &[PATH, CONTENT]),
    action("file_delete", Effect::Write, &[PATH]).shown(Display::Never, "path"),
    action(
        "file_move",
        Effect::Write,
        &[needed("old_path", Text(Some(Path))), needed("new_path", Text(Some(Path)))],
    )
    .shown(Display::Never, "old_path"),
    action("file_read", Effect::Read, &[PATH]).shown(Display::Always, "path"),
    action("file_read_numbered", Effect::Read, &[PATH, ANY_LINES, DELIMITER]).shown(Display::Always, "path"),
    action("files_read", Effect::Read, &[PATHS]).shown(Display::Always, "paths"),
    action("files_read_numbered", Effect::Read, &[PATHS, ANY_LINES, DELIMITER])
        .shown(Display::Always, "paths"),
    action("file_replace_lines", Effect::Write, &[PATH, LINES, needed("new_content", Text(None))])
        .shown(Display::Never, "path"),
    action("file_comment_lines", Effect::Write, &[PATH, LINES]).shown(Display::Never, "path"),
    action("file_uncomment_lines", Effect::Write, &[PATH, LINES]).shown(Display::Never, "path"),
    action("dir_create", Effect::Write, &[PATH]).shown(Display::Never, "path"),
    action("dir_delete", Effect::Write, &[PATH]).shown(Display::Never, "path"),
    action("ls", Effect::Read, &[PATH]).shown(Display::Always, "path"),
    action("grep", Effect::Read, &[needed("pattern", Text(None)), PATH, optional("include", Text(None))])
        .shown(Display::Always, "pattern"),
    action("glob", Effect::Read, &[needed("pattern", Text(None)), needed("base_path", Text(Some(Path)))])
        .shown(Display::Always, "pattern"),
    action(
        "exec",
        Effect::Dynamic,
        &[
            needed("code", Text(None)),
            needed("lang", Enum(&["python", "javascript", "bash"])),
            optional("version", Text(None)),
            optional("cwd", Text(Some(Path))),
            default("return_output", Boolean, "true"),
        ],
    )
    .shown(Display::Conditional, "lang"),
    action("context_add", Effect::Meta, &[PATH]).by(&[Llm, User]),
    action("context_remove", Effect::Meta, &[PATH]).by(&[Llm, User]),
    action("context_list", Effect::Meta, &[]).by(&[Llm, User]),
    action("context_prune", Effect::Meta, &[]).by(&[Llm, User]),
    action("context_clear", Effect::Meta, &[]).by(&[Llm, User]),
    action(
        "git_squash",
        Effect::Git,
        &[
            needed("mode", SQUASHES),
            optional("message", Text(None)),
            optional("hours", Integer),
            optional("days", Integer),
            optional("msg_target", Text(None)),
        ],
    )
    .by(&[]),
    action("undo", Effect::Git, &[]).by(&[User]),
    action("git_step_back", Effect::Git, &[]).by(&[User]),
    action("git_step_forward", Effect::Git, &[]).by(&[User]),
];

//! The system's catalogue of actions.

use self::Audience::{Llm, User};
use self::ParameterKind::{Boolean, Enum, Integer, Text};
use self::PathFormat::{Path, Paths};

/// An action.
#[derive(Debug, Clone, Copy)]
pub struct ActionSpec {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: ActionEffect,
    /// The allowed callers; all if empty.
    pub accessibility: &'static [Audience],
    /// When a model sees its output.
    pub output_display: Option<Display>,
    /// The parameter that stands for it in a summary.
    pub primary_param: Option<&'static str>,
    /// Its parameters.
    pub parameters: &'static [ActionParameter],
}

/// The kind of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the catalogue")]
pub enum ActionEffect {
    Read,
    Write,
    Meta,
    Git,
    Dynamic,
}

/// A caller of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A model, in its answer.
    Llm,
    /// A person.
    User,
}

/// When a model sees the output of an action.
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
pub struct ActionParameter {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ParameterKind,
    /// It is required.
    pub required: bool,
    /// Its default, as written.
    pub default: Option<&'static str>,
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// Any text, or one of this form.
    Text(Option<PathFormat>),
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// One of these.
    Enum(&'static [&'static str]),
}

impl ParameterKind {
    /// Its name in the catalogue: its format, else its type.
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
pub enum PathFormat {
    /// An absolute path.
    Path,
    /// An absolute path on each line.
    Paths,
}

impl ActionSpec {
    /// The action with exactly this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        ACTIONS.iter().find(|action| action.name == name)
    }

    /// Whether a model may not use it.
    pub fn is_for_people(&self) -> bool {
        !self.accessibility.is_empty() && !self.accessibility.contains(&Llm)
    }
}

const fn needed(name: &'static str, kind: ParameterKind) -> ActionParameter {
    ActionParameter { name, kind, required: true, default: None }
}

const fn optional(name: &'static str, kind: ParameterKind) -> ActionParameter {
    ActionParameter { name, kind, required: false, default: None }
}

const fn default(name: &'static str, kind: ParameterKind, default: &'static str) -> ActionParameter {
    ActionParameter { name, kind, required: false, default: Some(default) }
}

const fn action(
    name: &'static str,
    kind: ActionEffect,
    parameters: &'static [ActionParameter],
) -> ActionSpec {
    ActionSpec { name, kind, accessibility: &[Llm], output_display: None, primary_param: None, parameters }
}

impl ActionSpec {
    const fn shown(mut self, display: Display, primary: &'static str) -> Self {
        self.output_display = Some(display);
        self.primary_param = Some(primary);
        self
    }

    const fn by(mut self, who: &'static [Audience]) -> Self {
        self.accessibility = who;
        self
    }
}

const PATH: ActionParameter = needed("path", Text(Some(Path)));
const PATHS: ActionParameter = needed("paths", Text(Some(Paths)));
const OLD_TEXT: ActionParameter = needed("old_text", Text(None));
const NEW_TEXT: ActionParameter = needed("new_text", Text(None));
const CONTENT: ActionParameter = needed("content", Text(None));
const LINES: ActionParameter = needed("lines", Text(None));
const ANY_LINES: ActionParameter = optional("lines", Text(None));
const DELIMITER: ActionParameter = default("delimiter", Text(None), ": ");
const SQUASHES: ParameterKind =
    Enum(&["auto_ai", "ai_messages", "hours", "days", "contiguous_only=true", "msg_contains"]);

/// Every action, in the order of the catalogue.
pub static ACTIONS: &[ActionSpec] = &[
    action("file_write", ActionEffect::Write, &[PATH, CONTENT]).shown(Display::Never, "path"),
    action("file_replace_text", ActionEffect::Write, &[PATH, OLD_TEXT, NEW_TEXT])
        .shown(Display::Never, "path"),
    action(
        "file_replace_all_text",
        ActionEffect::Write,
        &[PATH, OLD_TEXT, NEW_TEXT, optional("count", Integer)],
    )
    .shown(Display::Never, "path"),
    action(
        "files_replace_all_text",
        ActionEffect::Write,
        &[optional("paths", Text(Some(Paths))), OLD_TEXT, NEW_TEXT],
    ),
    action("file_append", ActionEffect::Write, &[PATH, CONTENT]),
    action("file_delete", ActionEffect::Write, &[PATH]).shown(Display::Never, "path"),
    action(
        "file_move",
        ActionEffect::Write,
        &[needed("old_path", Text(Some(Path))), needed("new_path", Text(Some(Path)))],
    )
    .shown(Display::Never, "old_path"),
    action("file_read", ActionEffect::Read, &[PATH]).shown(Display::Always, "path"),
    action("file_read_numbered", ActionEffect::Read, &[PATH, ANY_LINES, DELIMITER])
        .shown(Display::Always, "path"),
    action("files_read", ActionEffect::Read, &[PATHS]).shown(Display::Always, "paths"),
    action("files_read_numbered", ActionEffect::Read, &[PATHS, ANY_LINES, DELIMITER])
        .shown(Display::Always, "paths"),
    action("file_replace_lines", ActionEffect::Write, &[PATH, LINES, needed("new_content", Text(None))])
        .shown(Display::Never, "path"),
    action("file_comment_lines", ActionEffect::Write, &[PATH, LINES]).shown(Display::Never, "path"),
    action("file_uncomment_lines", ActionEffect::Write, &[PATH, LINES]).shown(Display::Never, "path"),
    action("dir_create", ActionEffect::Write, &[PATH]).shown(Display::Never, "path"),
    action("dir_delete", ActionEffect::Write, &[PATH]).shown(Display::Never, "path"),
    action("ls", ActionEffect::Read, &[PATH]).shown(Display::Always, "path"),
    action(
        "grep",
        ActionEffect::Read,
        &[needed("pattern", Text(None)), PATH, optional("include", Text(None))],
    )
    .shown(Display::Always, "pattern"),
    action(
        "glob",
        ActionEffect::Read,
        &[needed("pattern", Text(None)), needed("base_path", Text(Some(Path)))],
    )
    .shown(Display::Always, "pattern"),
    action(
        "exec",
        ActionEffect::Dynamic,
        &[
            needed("code", Text(None)),
            needed("lang", Enum(&["python", "javascript", "bash"])),
            optional("version", Text(None)),
            optional("cwd", Text(Some(Path))),
            default("return_output", Boolean, "true"),
        ],
    )
    .shown(Display::Conditional, "lang"),
    action("context_add", ActionEffect::Meta, &[PATH]).by(&[Llm, User]),
    action("context_remove", ActionEffect::Meta, &[PATH]).by(&[Llm, User]),
    action("context_list", ActionEffect::Meta, &[]).by(&[Llm, User]),
    action("context_prune", ActionEffect::Meta, &[]).by(&[Llm, User]),
    action("context_clear", ActionEffect::Meta, &[]).by(&[Llm, User]),
    action(
        "git_squash",
        ActionEffect::Git,
        &[
            needed("mode", SQUASHES),
            optional("message", Text(None)),
            optional("hours", Integer),
            optional("days", Integer),
            optional("msg_target", Text(None)),
        ],
    )
    .by(&[]),
    action("undo", ActionEffect::Git, &[]).by(&[User]),
    action("git_step_back", ActionEffect::Git, &[]).by(&[User]),
    action("git_step_forward", ActionEffect::Git, &[]).by(&[User]),
];

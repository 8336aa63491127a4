//! The system's catalogue of actions.

use self::Audience::{Llm, User};
use self::ParameterKind::{Boolean, Enum, Integer, Text};
use self::PathFormat::{Path, Paths};

/// An action.
#[derive(Debug, Clone, Copy)]
pub struct ActionSpec {
    /// Its name.
    pub name: &'static str,
    /// The allowed callers; all if empty.
    pub accessibility: &'static [Audience],
    /// Its parameters.
    pub parameters: &'static [ActionParameter],
}

/// A caller of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A model, in its answer.
    Llm,
    /// A person.
    User,
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

const fn action(name: &'static str, parameters: &'static [ActionParameter]) -> ActionSpec {
    ActionSpec { name, accessibility: &[Llm], parameters }
}

impl ActionSpec {
    const fn by(self, accessibility: &'static [Audience]) -> Self {
        Self { accessibility, ..self }
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
    action("file_write", &[PATH, CONTENT]),
    action("file_replace_text", &[PATH, OLD_TEXT, NEW_TEXT]),
    action("file_replace_all_text", &[PATH, OLD_TEXT, NEW_TEXT, optional("count", Integer)]),
    action("files_replace_all_text", &[optional("paths", Text(Some(Paths))), OLD_TEXT, NEW_TEXT]),
    action("file_append", &[PATH, CONTENT]),
    action("file_delete", &[PATH]),
    action("file_move", &[needed("old_path", Text(Some(Path))), needed("new_path", Text(Some(Path)))]),
    action("file_read", &[PATH]),
    action("file_read_numbered", &[PATH, ANY_LINES, DELIMITER]),
    action("files_read", &[PATHS]),
    action("files_read_numbered", &[PATHS, ANY_LINES, DELIMITER]),
    action("file_replace_lines", &[PATH, LINES, needed("new_content", Text(None))]),
    action("file_comment_lines", &[PATH, LINES]),
    action("file_uncomment_lines", &[PATH, LINES]),
    action("dir_create", &[PATH]),
    action("dir_delete", &[PATH]),
    action("ls", &[PATH]),
    action("grep", &[needed("pattern", Text(None)), PATH, optional("include", Text(None))]),
    action("glob", &[needed("pattern", Text(None)), needed("base_path", Text(Some(Path)))]),
    action(
        "exec",
        &[
            needed("code", Text(None)),
            needed("lang", Enum(&["python", "javascript", "bash"])),
            optional("version", Text(None)),
            optional("cwd", Text(Some(Path))),
            default("return_output", Boolean, "true"),
        ],
    ),
    action("context_add", &[PATH]).by(&[Llm, User]),
    action("context_remove", &[PATH]).by(&[Llm, User]),
    action("context_list", &[]).by(&[Llm, User]),
    action("context_prune", &[]).by(&[Llm, User]),
    action("context_clear", &[]).by(&[Llm, User]),
    action(
        "git_squash",
        &[
            needed("mode", SQUASHES),
            optional("message", Text(None)),
            optional("hours", Integer),
            optional("days", Integer),
            optional("msg_target", Text(None)),
        ],
    )
    .by(&[]),
    action("undo", &[]).by(&[User]),
    action("git_step_back", &[]).by(&[User]),
    action("git_step_forward", &[]).by(&[User]),
];

//! Refused configurations. The person who starts the program reads these sentences, not an agent.

use std::io;
use std::path::PathBuf;

use super::tree::Origin;

/// A refused configuration: the program does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("cannot read the configuration `{}`: {error}; mend or remove it", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A file cannot be trusted.
    #[error("the configuration `{}` is not taken: {problem}", path.display())]
    Untrusted {
        /// The file.
        path: PathBuf,
        /// The reason, and the remedy.
        problem: &'static str,
    },
    /// A text in a wrong syntax.
    #[error("{at}: {problem}")]
    Broken {
        /// The place.
        at: Origin,
        /// The parser's message.
        problem: String,
    },
    /// A name that is set twice in a table.
    #[error("{at}: `{key}` is set a second time; keep one of the two")]
    Twice {
        /// The place of the second one.
        at: Origin,
        /// The name.
        key: String,
    },
    /// An unknown key.
    #[error("{at}: there is no key `{key}`{}", suggested(nearest.as_deref()))]
    UnknownKey {
        /// The place.
        at: Origin,
        /// The full key.
        key: String,
        /// The most similar known key.
        nearest: Option<String>,
    },
    /// An unknown variable.
    #[error("the variable `{name}` means nothing to fsgate{}; unset it", suggested(nearest.as_deref()))]
    UnknownVariable {
        /// The variable.
        name: String,
        /// The most similar known variable.
        nearest: Option<String>,
    },
    /// A value of the wrong type.
    #[error("{at}: `{key}` has to be {wanted}")]
    Wrong {
        /// The place.
        at: Origin,
        /// The full key.
        key: String,
        /// The expected type.
        wanted: String,
    },
    /// A setting in a project's file that would widen.
    #[error(
        "{at}: `{key}` {problem}; a project's file can only take away: set it in your own configuration, or remove it here"
    )]
    Widens {
        /// The place.
        at: Origin,
        /// The full key.
        key: String,
        /// Its effect.
        problem: String,
    },
    /// A variable in a text that is not set.
    #[error("{at}: the variable `{name}` is not set; set it, or write `${{{name}:-DEFAULT}}`")]
    Unset {
        /// The place.
        at: Origin,
        /// The variable.
        name: String,
    },
    /// A `${…}` with a syntax error.
    #[error(
        "{at}: `{text}` is no variable: write `${{NAME}}` or `${{NAME:-DEFAULT}}`, and `$${{` for the characters"
    )]
    NoVariable {
        /// The place.
        at: Origin,
        /// The text from there on.
        text: String,
    },
    /// A variable that project files may not use.
    #[error(
        "{at}: a project's file cannot use the variable `{name}`, only {allowed}: it may come from somebody else"
    )]
    Private {
        /// The place.
        at: Origin,
        /// The variable.
        name: String,
        /// The variables that they may use.
        allowed: String,
    },
    /// A directory in a project's file that is in no grant.
    #[error(
        "{at}: the allowed directory `{}` lies in no granted directory; grant it with `--dir`, or remove it here",
        path.display()
    )]
    NotGranted {
        /// The place.
        at: Origin,
        /// The directory.
        path: PathBuf,
    },
    /// An invalid policy.
    #[error("{at}: `{field}`: {problem}")]
    Policy {
        /// The place.
        at: Origin,
        /// The field, and its rule.
        field: String,
        /// The fault.
        problem: String,
    },
}

fn suggested(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
}

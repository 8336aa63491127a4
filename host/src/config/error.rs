//! Configurations that are refused. Whoever started the program reads these sentences; no agent does.

use std::io;
use std::path::PathBuf;

use super::tree::Origin;

/// A configuration that is refused, and with it the start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("cannot read the configuration `{}`: {error}; mend or remove it", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file cannot be trusted.
    #[error("the configuration `{}` is not taken: {problem}", path.display())]
    Untrusted {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        problem: &'static str,
    },
    /// A text that is not in its form.
    #[error("{at}: {problem}")]
    Broken {
        /// Where.
        at: Origin,
        /// What its reader says.
        problem: String,
    },
    /// One name twice in a table.
    #[error("{at}: `{key}` is set a second time; keep one of the two")]
    Twice {
        /// Where it stands the second time.
        at: Origin,
        /// The name.
        key: String,
    },
    /// A key that means nothing.
    #[error("{at}: there is no key `{key}`{}", suggested(nearest.as_deref()))]
    UnknownKey {
        /// Where.
        at: Origin,
        /// The key, as a whole.
        key: String,
        /// The one that is most like it.
        nearest: Option<String>,
    },
    /// A variable that means nothing.
    #[error("the variable `{name}` means nothing to fsgate{}; unset it", suggested(nearest.as_deref()))]
    UnknownVariable {
        /// Its name.
        name: String,
        /// The one that is most like it.
        nearest: Option<String>,
    },
    /// A value that its key does not take.
    #[error("{at}: `{key}` has to be {wanted}")]
    Wrong {
        /// Where.
        at: Origin,
        /// The key, as a whole.
        key: String,
        /// What it takes.
        wanted: String,
    },
    /// Something in a project's file that takes nothing away.
    #[error(
        "{at}: `{key}` {problem}; a project's file can only take away: set it in your own configuration, or remove it here"
    )]
    Widens {
        /// Where.
        at: Origin,
        /// The key, as a whole.
        key: String,
        /// What it would do.
        problem: String,
    },
    /// A variable that a text stands for is not set.
    #[error("{at}: the variable `{name}` is not set; set it, or write `${{{name}:-DEFAULT}}`")]
    Unset {
        /// Where.
        at: Origin,
        /// The variable.
        name: String,
    },
    /// A `${…}` that cannot be read.
    #[error(
        "{at}: `{text}` is no variable: write `${{NAME}}` or `${{NAME:-DEFAULT}}`, and `$${{` for the characters"
    )]
    NoVariable {
        /// Where.
        at: Origin,
        /// The text from there on.
        text: String,
    },
    /// A variable that a project's file may not look at.
    #[error(
        "{at}: a project's file cannot use the variable `{name}`, only {allowed}: it may come from somebody else"
    )]
    Private {
        /// Where.
        at: Origin,
        /// The variable.
        name: String,
        /// Those that it may use.
        allowed: String,
    },
    /// A directory that a project's file allows lies in none that is granted.
    #[error(
        "{at}: the allowed directory `{}` lies in no granted directory; grant it with `--dir`, or remove it here",
        path.display()
    )]
    NotGranted {
        /// Where.
        at: Origin,
        /// The directory.
        path: PathBuf,
    },
    /// A policy that cannot hold.
    #[error("{at}: `{field}`: {problem}")]
    Policy {
        /// Where.
        at: Origin,
        /// The field, and the rule that it belongs to.
        field: String,
        /// What is wrong.
        problem: String,
    },
}

fn suggested(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
}

//! Refused grants with their sentences.

use std::fmt::{self, Display};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A host, whose options sentences name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Host {
    /// The program `fsgate`, and its crate.
    #[default]
    Program,
    /// The Python package.
    Python,
    /// The npm package.
    JavaScript,
}

impl Host {
    fn options(self) -> [&'static str; 3] {
        match self {
            Self::Program => ["`--dir PATH` or `--read-only-dir PATH`", "--allow-wide-grant", "--state-dir"],
            Self::Python => ["`dirs` or `read_only`", "allow_wide_grant=True", "state_dir"],
            Self::JavaScript => ["`dirs` or `readOnly`", "allowWideGrant", "state"],
        }
    }

    pub(super) fn wide_option(self) -> &'static str {
        self.options()[1]
    }

    pub(super) fn state_option(self) -> &'static str {
        self.options()[2]
    }
}

/// The reason of a refusal, as a word that programs can compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "each case has its sentence below")]
pub enum GrantReason {
    NoGrant,
    Unusable,
    NotDirectory,
    NotUtf8,
    ReservedName,
    DuplicateName,
    Wide,
    LedOut,
    Narrower,
    TwiceDifferently,
    OwnDirectory,
    #[serde(rename = "own_directory")]
    History,
    StateInGrant,
    Unnameable,
    Malformed,
}

/// A refused grant, with the paths and words of its sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantProblem {
    /// The reason.
    pub reason: GrantReason,
    about: [String; 3],
}

impl GrantProblem {
    pub(super) fn new<const N: usize>(reason: GrantReason, about: [&dyn Display; N]) -> Self {
        let mut texts = about.into_iter().map(ToString::to_string);
        Self { reason, about: [(); 3].map(|()| texts.next().unwrap_or_default()) }
    }

    /// No directory is granted.
    pub fn no_grant(host: Host) -> Self {
        Self::new(GrantReason::NoGrant, [&host.options()[0]])
    }

    /// A system error makes a granted directory unusable.
    pub fn unusable(path: &Path, error: &dyn Display) -> Self {
        Self::new(GrantReason::Unusable, [&path.display(), error])
    }

    /// A granted path is not a directory.
    pub fn not_directory(path: &Path) -> Self {
        Self::new(GrantReason::NotDirectory, [&path.display()])
    }

    /// Two grants have one name.
    pub fn duplicate_name(name: &str) -> Self {
        Self::new(GrantReason::DuplicateName, [&name])
    }
}

impl Display for GrantProblem {
    #[rustfmt::skip]
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [a, b, c] = &self.about;
        match self.reason {
            GrantReason::NoGrant => write!(f, "no directory is granted; give one with {a}"),
            GrantReason::Unusable => write!(f, "cannot grant `{a}`: {b}; grant a directory that exists and can be read"),
            GrantReason::NotDirectory => write!(f, "cannot grant `{a}`: it is not a directory; grant the directory that contains it"),
            GrantReason::NotUtf8 => write!(f, "cannot grant `{a}`: its name is not UTF-8; grant it under a name of your choice"),
            GrantReason::ReservedName => write!(f, "cannot grant a directory as `{a}`: names that begin with `/.fsgate` are fsgate's \
                own; grant it under another name"),
            GrantReason::DuplicateName => write!(f, "the name `{a}` is granted twice; grant each directory once, and different ones \
                under different names"),
            GrantReason::Wide => write!(f, "cannot grant `{a}`: it is {b}, and everything in it would be open; grant the directory \
                that you work in, or say `{c}`"),
            GrantReason::LedOut => write!(f, "cannot grant `{a}`: it is found through a link, or by `..`, in the granted directory \
                `{b}`, and whoever writes there can have it lead anywhere; grant the directory that is meant by its own path"),
            GrantReason::Narrower => write!(f, "cannot grant `{a}` for reading only: `{b}` around it is granted for writing; grant \
                directories beside each other instead"),
            GrantReason::TwiceDifferently => write!(f, "`{a}` is granted for reading only and, as `{b}`, for writing; keep one of the \
                two"),
            GrantReason::OwnDirectory => write!(f, "cannot grant `{a}`: it and fsgate's own directory `{b}` contain one another; \
                grant a directory apart from it, or move the other by setting `{c}`"),
            GrantReason::History => write!(f, "cannot grant `{a}`: it is in fsgate's own directory `{b}`, and no tool sees a history; \
                grant another directory"),
            GrantReason::StateInGrant => write!(f, "cannot keep state in `{b}`: it and the granted directory `{a}` contain one \
                another; name a directory apart from what is granted"),
            GrantReason::Unnameable => write!(f, "cannot grant `{a}`: {b} has a name that is not UTF-8, so no rule can name it; give \
                it another name"),
            GrantReason::Malformed => write!(f, "the host asks for grants in a form that the component does not know: {a}"),
        }
    }
}

impl std::error::Error for GrantProblem {}

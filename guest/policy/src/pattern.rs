//! A pattern of a rule, sorted by how it is looked up: most are names, and those cost next to nothing.

use super::casefold::folded;
use fsgate_text::fold::fold;
use fsgate_text::glob::{Glob, InvalidGlob};

/// A pattern.
#[derive(Debug)]
pub(super) enum RulePattern {
    /// Names one below the other, the last one last.
    Names {
        /// Folded.
        names: Vec<String>,
        from: PatternStart,
        directories_only: bool,
        /// It stands for every name in the last of them, not for that one itself.
        within: bool,
    },
    /// One name at any depth with any text between its ends.
    Affix {
        /// Folded.
        prefix: String,
        suffix: String,
        files_only: bool,
    },
    /// Anything else.
    Glob { glob: Glob, from: PatternStart },
}

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternStart {
    /// Anywhere.
    Anywhere,
    /// At the root of a grant.
    Grant,
    /// At the root of the namespace.
    Top,
}

impl RulePattern {
    /// Reads a pattern. Without a `/` before its end it is about names at any depth; with one it begins at the root of
    /// every grant; with one at its beginning it is an absolute path.
    pub(super) fn parse(pattern: &str) -> Result<Self, InvalidGlob> {
        // What is wrong is told of the pattern as it was written.
        Glob::check(pattern)?;
        let pattern = folded(pattern);
        match Self::simple(&pattern) {
            Ok(simple) => Ok(simple),
            Err((from, body)) => {
                let glob = match from {
                    PatternStart::Anywhere => Glob::anchored(&format!("**/{body}"), true)?,
                    PatternStart::Grant | PatternStart::Top => Glob::anchored(body, true)?,
                };
                Ok(Self::Glob { glob, from })
            }
        }
    }

    /// True for a pattern that costs time and memory before it is held against anything.
    pub(super) fn has_to_be_compiled(pattern: &str) -> bool {
        Self::simple(&folded(pattern)).is_err()
    }

    /// A folded pattern without wildcards inside its names. Any other one gives where it begins, and
    /// the pattern from there on.
    fn simple(pattern: &str) -> Result<Self, (PatternStart, &str)> {
        let inner = pattern.trim_end_matches('/');
        let directories_only = inner.len() < pattern.len();
        let (from, begin) = match inner {
            _ if inner.starts_with('/') => {
                (PatternStart::Top, inner.len() - inner.trim_start_matches('/').len())
            }
            _ if inner.starts_with("./") => (PatternStart::Grant, 2),
            _ if inner.starts_with("**/") => {
                (PatternStart::Anywhere, inner.len() - inner.trim_start_matches("**/").len())
            }
            _ if inner.contains('/') => (PatternStart::Grant, 0),
            _ => (PatternStart::Anywhere, 0),
        };
        let names: Vec<_> = inner[begin..].split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        let (above, within) = match &names[..] {
            [above @ .., "*"] if !directories_only => (above, true),
            names => (names, false),
        };
        if !above.is_empty() && above.iter().all(|name| is_literal(name)) {
            let names = above.iter().map(|name| fold(name).into_owned()).collect();
            return Ok(Self::Names { names, from, directories_only, within });
        }
        if let [name] = names[..]
            && from == PatternStart::Anywhere
            && !directories_only
            && let Some((prefix, suffix)) = name.split_once('*')
            && is_literal(prefix)
            && is_literal(suffix)
        {
            let (prefix, suffix) = (prefix.to_owned(), suffix.to_owned());
            return Ok(Self::Affix { prefix, suffix, files_only: false });
        }
        let body = &pattern[begin..inner.len() + usize::from(directories_only)];
        Err((from, body))
    }

    /// The end of a file's name, such as `.exe`. None if it is none.
    pub(super) fn extension(extension: &str) -> Option<Self> {
        let is_one = extension.len() > 1
            && extension.starts_with('.')
            && is_literal(extension)
            && !extension.contains('/');
        let suffix = fold(extension).into_owned();
        is_one.then_some(Self::Affix { prefix: String::new(), suffix, files_only: true })
    }
}

fn is_literal(name: &str) -> bool {
    !name.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

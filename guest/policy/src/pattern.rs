//! Parses rule patterns and sorts them by cost. Most are names, which are nearly free.

use std::borrow::Cow;

use super::casefold::folded;
use fsgate_text::fold::fold;
use fsgate_text::glob::{Glob, InvalidGlob};

#[derive(Debug)]
pub(super) enum RulePattern {
    Names {
        names: Vec<String>,
        from: PatternStart,
        directories_only: bool,
        /// It matches the last name's content, not the name.
        within: bool,
    },
    Affix {
        prefix: String,
        suffix: String,
        files_only: bool,
    },
    Glob {
        glob: Glob,
        from: PatternStart,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternStart {
    Anywhere,
    /// At the root of a grant.
    Grant,
    /// At the root of the namespace.
    Top,
}

impl RulePattern {
    /// Parses a pattern. Without an inner `/` it matches at any depth; with one, from every grant's
    /// root; with a leading one, absolutely. Compilation is costly, so `admit` comes first.
    pub(super) fn parse(pattern: &str, admit: impl FnOnce() -> Result<(), String>) -> Result<Self, String> {
        let invalid = |invalid: InvalidGlob| invalid.message_about(pattern);
        Glob::check(pattern).map_err(invalid)?;
        let folded = folded(pattern);
        Self::simple(&folded).or_else(|(from, body)| {
            admit()?;
            let body = match from {
                PatternStart::Anywhere => Cow::Owned(format!("**/{body}")),
                PatternStart::Grant | PatternStart::Top => Cow::Borrowed(body),
            };
            Ok(Self::Glob { glob: Glob::anchored(&body, true).map_err(invalid)?, from })
        })
    }

    /// A folded pattern without wildcards inside names; else its start and rest.
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

    /// A file extension such as `.exe`; none if invalid.
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

//! picomatch's patterns with default options.
//!
//! [`parse`] builds an expression; [`machine`] matches paths. Patterns that picomatch reads unlike
//! their intent, or passes to JavaScript's regular expressions, are refused: no pattern changes its
//! meaning here.

mod class;
mod machine;
mod node;
mod parse;
#[cfg(test)]
mod tests;

use self::machine::PatternMachine;
use self::node::{Condition, PatternNode};
use self::parse::Parser;
use fsgate_contract::limits::PLUGIN_PATTERN_BYTES;

/// A compiled pattern.
#[derive(Debug)]
pub struct PicomatchPattern {
    text: String,
    machine: PatternMachine,
    negated: bool,
}

/// The reason to refuse a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsupportedPattern {
    /// Its place in UTF-16 units.
    pub position: usize,
    /// The problem.
    pub problem: &'static str,
}

impl UnsupportedPattern {
    fn at(position: usize, problem: &'static str) -> Self {
        Self { position, problem }
    }
}

impl PicomatchPattern {
    /// Parses a pattern.
    pub fn new(text: &str) -> Result<Self, UnsupportedPattern> {
        if text.is_empty() {
            return Err(UnsupportedPattern::at(0, "it is empty"));
        }
        if text.len() > PLUGIN_PATTERN_BYTES {
            return Err(UnsupportedPattern::at(0, "it is too long"));
        }
        // Only three stars alone are one star.
        let body = if text == "***" { "*" } else { text };
        let body = body.strip_prefix("./").unwrap_or(body);
        let negations = body.bytes().take_while(|byte| *byte == b'!').count();
        // The last one may begin `!(…)`.
        let negations = negations - usize::from(negations > 0 && body[negations..].starts_with('('));
        if negations > 0 && negations % 2 == 0 {
            return Err(UnsupportedPattern::at(0, "an even number of `!` at its beginning"));
        }
        let mut rest = &body[negations..];
        while let Some(inner) = rest.strip_prefix("./") {
            rest = inner;
        }
        let is_short = text.starts_with(['.', '*']) && negations == 0;
        let node = match short(body).filter(|_| is_short) {
            Some(node) => node,
            None => Parser::read(rest, text.encode_utf16().count() - rest.encode_utf16().count())?,
        };
        Ok(Self { text: text.to_owned(), machine: PatternMachine::new(&node), negated: negations > 0 })
    }

    /// The approximate steps for a path of so many bytes.
    pub fn steps(&self, bytes: usize) -> u64 {
        self.machine.size() as u64 * (bytes as u64 + 1)
    }

    /// Whether it matches this path.
    pub fn matches(&self, path: &str) -> bool {
        if path.is_empty() {
            return false;
        }
        let units: Vec<u16> = path.encode_utf16().collect();
        let is_line = || !units.iter().any(|unit| node::LINE_ENDS.contains(unit));
        self.text == path
            || if self.negated {
                !self.machine.matches(&units) && is_line()
            } else {
                self.machine.matches(&units)
            }
    }
}

/// Patterns with a picomatch shortcut, whose meaning differs inside longer ones.
fn short(pattern: &str) -> Option<PatternNode> {
    let literal = |text: &str| PatternNode::Sequence(text.encode_utf16().map(PatternNode::literal).collect());
    let below = || {
        PatternNode::Optional(Box::new(PatternNode::Sequence(vec![
            PatternNode::Only(Condition::NoDot),
            PatternNode::globstar(),
            PatternNode::literal(b'/'.into()),
        ])))
    };
    let dotted = || {
        PatternNode::Sequence(vec![
            PatternNode::Only(Condition::NoDot),
            PatternNode::star(),
            PatternNode::literal(b'.'.into()),
            PatternNode::Only(Condition::More),
            PatternNode::star(),
        ])
    };
    match pattern {
        "*.*" => return Some(dotted()),
        "**/*.*" => return Some(PatternNode::Sequence(vec![below(), dotted()])),
        _ => {}
    }
    let suffix = pattern.strip_prefix("**").filter(|suffix| suffix.starts_with('.'))?;
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    suffix[1..].split('.').all(is_word).then(|| {
        PatternNode::Sequence(vec![
            PatternNode::Only(Condition::NoDot),
            PatternNode::globstar(),
            literal(suffix),
        ])
    })
}

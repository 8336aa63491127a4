//! Parses a pattern into an expression.

use super::UnsupportedPattern;
use super::class::{Class, class};
use super::node::{Condition, LINE_ENDS, PatternNode, Units};
use fsgate_contract::limits::GLOB_NESTING;

/// The last part, which decides about the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PrecedingPart {
    Start,
    Slash,
    /// A dot that may begin a name.
    Dot,
    Text,
    Star,
    Class,
    Open,
    Close,
    /// `{` or `}`.
    Brace,
    Comma,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupKind {
    Brace,
    Any,
    Repeated,
    Negated,
}

pub(super) struct Parser<'p> {
    pattern: &'p [u16],
    at: usize,
    before: PrecedingPart,
    groups: Vec<GroupKind>,
    /// The negated part has a `*` or `/`.
    has_star: bool,
    has_slash: bool,
    /// picomatch has to rebuild its expression.
    is_rebuilt: bool,
    /// It is known to be rebuilt.
    rebuilds: bool,
}

type ParsedPart<T = ()> = Result<T, UnsupportedPattern>;

impl<'p> Parser<'p> {
    pub(super) fn read(pattern: &str, offset: usize) -> ParsedPart<PatternNode> {
        let units: Vec<u16> = pattern.encode_utf16().collect();
        let moved = |invalid: UnsupportedPattern| UnsupportedPattern {
            position: invalid.position + offset,
            ..invalid
        };
        if units.contains(&0) {
            return Err(UnsupportedPattern::at(0, "a NUL"));
        }
        let mut parser = Parser::new(&units, false);
        let node = parser.all().map_err(moved)?;
        if parser.is_rebuilt { Parser::new(&units, true).all().map_err(moved) } else { Ok(node) }
    }

    fn new(pattern: &'p [u16], rebuilds: bool) -> Self {
        Self {
            pattern,
            at: 0,
            before: PrecedingPart::Start,
            groups: Vec::new(),
            has_star: false,
            has_slash: false,
            is_rebuilt: false,
            rebuilds,
        }
    }

    fn all(&mut self) -> ParsedPart<PatternNode> {
        let node = self.choices()?;
        if self.at < self.pattern.len() {
            return self.invalid("a bracket that was not opened");
        }
        Ok(node)
    }

    fn is(&self, at: usize, unit: u8) -> bool {
        self.pattern.get(at) == Some(&unit.into())
    }

    fn next_is(&self, unit: u8) -> bool {
        self.is(self.at, unit)
    }

    fn invalid<T>(&self, problem: &'static str) -> ParsedPart<T> {
        Err(UnsupportedPattern::at(self.at, problem))
    }

    fn is_in_parentheses(&self) -> bool {
        self.groups.iter().any(|group| *group != GroupKind::Brace)
    }

    fn choices(&mut self) -> ParsedPart<PatternNode> {
        let (mut choices, mut nodes) = (Vec::new(), Vec::new());
        let group = self.groups.last().copied();
        let in_brace = group == Some(GroupKind::Brace);
        while let Some(unit) = self.pattern.get(self.at).copied() {
            let Ok(byte) = u8::try_from(unit) else {
                self.text(unit, &mut nodes);
                continue;
            };
            match byte {
                b'}' | b')' => break,
                b',' if in_brace => {
                    choices.push(PatternNode::Sequence(std::mem::take(&mut nodes)));
                    (self.at, self.before) = (self.at + 1, PrecedingPart::Comma);
                }
                b'|' if group.is_some() && !in_brace => {
                    choices.push(PatternNode::Sequence(std::mem::take(&mut nodes)));
                    (self.at, self.before) = (self.at + 1, PrecedingPart::Text);
                }
                b'"' => return self.invalid("a quotation mark"),
                b'|' => return self.invalid("`|` outside of `@(…)` and the like"),
                b']' => return self.invalid("`]` without `[`"),
                b'(' => return self.invalid("`(` without `@`, `?`, `+`, `*` or `!`"),
                b'+' | b'$' | b'^' if self.is(self.at + 1, byte) => {
                    return self.invalid("a sign of expressions twice");
                }
                b'[' => self.class(&mut nodes)?,
                b'{' => self.brace(&mut nodes)?,
                b'/' => self.slash(&mut nodes)?,
                b'.' => self.dot(&mut nodes)?,
                b'*' => self.stars(&mut nodes)?,
                b'@' | b'?' | b'+' | b'!' if self.is(self.at + 1, b'(') => self.group(byte, &mut nodes)?,
                b'?' => self.question(&mut nodes)?,
                b'+' => self.plus(&mut nodes)?,
                b'\\' => self.escaped(&mut nodes)?,
                _ => {
                    self.text(unit, &mut nodes);
                    if byte == b',' {
                        self.before = PrecedingPart::Comma;
                    }
                }
            }
        }
        if choices.is_empty() {
            return Ok(PatternNode::Sequence(nodes));
        }
        choices.push(PatternNode::Sequence(nodes));
        Ok(PatternNode::Choice(choices))
    }

    fn text(&mut self, unit: u16, nodes: &mut Vec<PatternNode>) {
        nodes.push(PatternNode::literal(unit));
        (self.at, self.before) = (self.at + 1, PrecedingPart::Text);
    }

    fn escaped(&mut self, nodes: &mut Vec<PatternNode>) -> ParsedPart {
        // A backslash has no effect before these.
        if self.is(self.at + 1, b'.') || self.is(self.at + 1, b';') {
            self.at += 1;
            return Ok(());
        }
        let (unit, _) = unit(self.pattern, &mut self.at)?;
        self.has_star |= unit == u16::from(b'*');
        nodes.push(PatternNode::literal(unit));
        self.before = PrecedingPart::Text;
        Ok(())
    }

    fn class(&mut self, nodes: &mut Vec<PatternNode>) -> ParsedPart {
        let Class { node, end, is_named } = class(self.pattern, self.at + 1)?;
        self.is_rebuilt |= is_named;
        nodes.push(node);
        (self.at, self.before) = (end, PrecedingPart::Class);
        Ok(())
    }

    fn plus(&mut self, nodes: &mut Vec<PatternNode>) -> ParsedPart {
        use PrecedingPart::{Brace, Class, Close, Open};
        if matches!(self.before, Class | Open | Close | Brace) || self.is_in_parentheses() {
            return self.invalid("`+` where it repeats what is before it");
        }
        self.text(b'+'.into(), nodes);
        self.before = PrecedingPart::Other;
        Ok(())
    }

    fn question(&mut self, nodes: &mut Vec<PatternNode>) -> ParsedPart {
        let node = match self.before {
            PrecedingPart::Open | PrecedingPart::Close => return self.invalid("`?` behind a parenthesis"),
            PrecedingPart::Start | PrecedingPart::Slash => PatternNode::except(&[b'.'.into(), b'/'.into()]),
            _ => PatternNode::except(&[b'/'.into()]),
        };
        nodes.push(node);
        (self.at, self.before) = (self.at + 1, PrecedingPart::Other);
        Ok(())
    }

    fn dot(&mut self, nodes: &mut Vec<PatternNode>) -> ParsedPart {
        if self.before == PrecedingPart::Dot && self.groups.contains(&GroupKind::Brace) {
            return self.invalid("`..` in braces between something else than letters, digits and `-`");
        }
        let begins_name = matches!(self.before, PrecedingPart::Start | PrecedingPart::Slash);
        // A rebuilt expression forgets a literal dot after text.
        if self.rebuilds && self.before == PrecedingPart::Text && self.groups.is_empty() {
            nodes.push(PatternNode::except(&LINE_ENDS));
        } else {
            nodes.push(PatternNode::literal(b'.'.into()));
        }
        self.before =
            if begins_name || !self.groups.is_empty() { PrecedingPart::Dot } else { PrecedingPart::Text };
        self.at += 1;
        Ok(())
    }

    fn brace(&mut self, nodes: &mut Vec<PatternNode>) -> ParsedPart {
        let begin = self.at;
        if let Some(Range { node, length }) = range(&self.pattern[begin + 1..]) {
            self.is_rebuilt = true;
            nodes.push(node);
            (self.at, self.before) = (begin + 1 + length, PrecedingPart::Brace);
            return Ok(());
        }
        match self.inside(GroupKind::Brace, 1, b'}')? {
            choice @ PatternNode::Choice(_) => nodes.push(choice),
            _ => return Err(UnsupportedPattern::at(begin, "braces without a choice in them")),
        }
        self.before = PrecedingPart::Brace;
        Ok(())
    }

    fn inside(&mut self, group: GroupKind, length: usize, end: u8) -> ParsedPart<PatternNode> {
        if self.groups.len() == GLOB_NESTING {
            return self.invalid("too many brackets in each other");
        }
        let begin = self.at;
        self.groups.push(group);
        self.at += length;
        self.before = if group == GroupKind::Brace { PrecedingPart::Brace } else { PrecedingPart::Open };
        let node = self.choices()?;
        self.groups.pop();
        if !self.next_is(end) {
            return Err(UnsupportedPattern::at(begin, "a bracket that is not closed"));
        }
        self.at += 1;
        Ok(node)
    }

    /// `@(…)` and alike.
    fn group(&mut self, kind: u8, nodes: &mut Vec<PatternNode>) -> ParsedPart {
        let begin = self.at;
        let invalid = |problem| Err(UnsupportedPattern::at(begin, problem));
        if self.is(begin + 2, b'?') || kind == b'?' && self.before == PrecedingPart::Open {
            return invalid("`?` behind a parenthesis");
        }
        if self.groups.iter().any(|group| matches!(group, GroupKind::Repeated | GroupKind::Negated)) {
            return invalid("parentheses in what is repeated or negated");
        }
        if self.before == PrecedingPart::Start && kind != b'@' {
            nodes.push(PatternNode::Only(Condition::More));
        }
        match kind {
            b'!' => self.negated(nodes)?,
            b'+' | b'*' => {
                let node = self.inside(GroupKind::Repeated, 2, b')')?;
                if is_risky(&self.pattern[begin + 2..self.at - 1]) {
                    return invalid("a repeated choice that picomatch takes for text");
                }
                if kind == b'+' {
                    nodes.push(node.clone());
                }
                nodes.push(PatternNode::Repeated(Box::new(node)));
            }
            b'?' => {
                let node = self.inside(GroupKind::Any, 2, b')')?;
                nodes.push(PatternNode::Optional(Box::new(node)));
            }
            _ => {
                let node = self.inside(GroupKind::Any, 2, b')')?;
                nodes.push(node);
            }
        }
        self.before = PrecedingPart::Close;
        Ok(())
    }

    /// `!(…)`.
    fn negated(&mut self, nodes: &mut Vec<PatternNode>) -> ParsedPart {
        let begin = self.at;
        if !self.groups.is_empty() {
            return self.invalid("`!(…)` in other brackets");
        }
        (self.has_star, self.has_slash) = (false, false);
        let mut inner = self.inside(GroupKind::Negated, 2, b')')?;
        let rest = &self.pattern[self.at..];
        let crosses = self.has_slash && self.at - begin > 4;
        let mut to_end = crosses || rest.is_empty();
        if self.has_star && is_extension(rest) {
            if rest.windows(2).any(|two| two == [u16::from(b'!'), u16::from(b'(')]) {
                return self.invalid("`!(…)` behind another one");
            }
            let mut parser = Parser::new(rest, false);
            let extension = parser.all()?;
            if parser.is_rebuilt {
                return self.invalid("a range or a named class behind `!(…)`");
            }
            (inner, to_end) = (PatternNode::Sequence(vec![inner, extension]), false);
        }
        nodes.push(PatternNode::Unless { node: Box::new(inner), to_end });
        nodes.push(if crosses { PatternNode::globstar() } else { PatternNode::star() });
        Ok(())
    }

    /// The end of the `**` segments at `at`, and their continuation.
    fn globstars(&self, at: usize) -> Option<usize> {
        let is_two = |at: usize| self.is(at, b'*') && self.is(at + 1, b'*');
        let ends = |at: usize| at == self.pattern.len() || self.is(at, b'/');
        if !is_two(at) || !ends(at + 2) {
            return None;
        }
        let mut end = at + 2;
        while self.is(end, b'/') && is_two(end + 1) && ends(end + 3) {
            end += 3;
        }
        Some(end)
    }

    fn slash(&mut self, nodes: &mut Vec<PatternNode>) -> ParsedPart {
        let slash = || PatternNode::literal(b'/'.into());
        self.has_slash = true;
        let end = self.globstars(self.at + 1).filter(|_| self.before != PrecedingPart::Start);
        let Some(end) = end else {
            nodes.push(slash());
            (self.at, self.before) = (self.at + 1, PrecedingPart::Slash);
            return Ok(());
        };
        if self.is_in_parentheses() {
            return self.invalid("`**` in parentheses");
        }
        let below = PatternNode::Sequence(vec![
            slash(),
            PatternNode::Only(Condition::NoDot),
            PatternNode::globstar(),
        ]);
        if end == self.pattern.len() {
            // The directory itself matches too, unless its name ends in a star.
            nodes.push(match self.before {
                PrecedingPart::Star => below,
                _ => PatternNode::Choice(vec![below, PatternNode::Only(Condition::End)]),
            });
            (self.at, self.before) = (end, PrecedingPart::Star);
        } else {
            let mut choices = vec![PatternNode::Sequence(vec![below, slash()]), slash()];
            if end + 1 < self.pattern.len() {
                choices.push(PatternNode::Only(Condition::End));
            }
            nodes.push(PatternNode::Choice(choices));
            (self.at, self.before) = (end + 1, PrecedingPart::Slash);
        }
        Ok(())
    }

    fn stars(&mut self, nodes: &mut Vec<PatternNode>) -> ParsedPart {
        let count = self.pattern[self.at..].iter().take_while(|unit| **unit == u16::from(b'*')).count();
        let behind = self.at + count;
        self.has_star = true;
        if self.is(behind, b'(') {
            return if count == 1 {
                self.group(b'*', nodes)
            } else {
                self.invalid("`**` before a parenthesis")
            };
        }
        if count > 1 && self.is_in_parentheses() {
            return self.invalid("`**` in parentheses");
        }
        let is_group = self.is(behind, b'{') || self.is(behind + 1, b'(');
        if count > 1 && (is_group || self.before == PrecedingPart::Close) {
            return self.invalid("`**` next to a bracket");
        }
        if count > 2 && !self.groups.is_empty() {
            return self.invalid("three stars in braces");
        }
        if count == 2 && self.globstar(nodes) {
            return Ok(());
        }
        match self.before {
            PrecedingPart::Start | PrecedingPart::Slash => {
                self.is_rebuilt |= count > 2;
                nodes.push(PatternNode::Only(Condition::NoDot));
            }
            PrecedingPart::Dot => nodes.push(PatternNode::Only(Condition::NoDotEnd)),
            _ => {}
        }
        if count == 1
            && matches!(self.before, PrecedingPart::Start | PrecedingPart::Slash | PrecedingPart::Dot)
        {
            nodes.push(PatternNode::Only(Condition::More));
        }
        nodes.push(PatternNode::star());
        (self.at, self.before) = (behind, PrecedingPart::Star);
        Ok(())
    }

    fn globstar(&mut self, nodes: &mut Vec<PatternNode>) -> bool {
        let behind = self.at + 2;
        if self.before == PrecedingPart::Start {
            let Some(end) = self.globstars(self.at) else { return false };
            if end == self.pattern.len() {
                nodes.push(PatternNode::globstar());
                (self.at, self.before) = (end, PrecedingPart::Star);
                return true;
            }
            let slash = || PatternNode::literal(b'/'.into());
            if self.rebuilds {
                nodes.push(PatternNode::Only(Condition::NoDot));
            }
            let below = PatternNode::Sequence(vec![PatternNode::globstar(), slash()]);
            nodes.push(PatternNode::Choice(vec![PatternNode::Only(Condition::Start), slash(), below]));
            (self.at, self.before) = (end + 1, PrecedingPart::Slash);
            return true;
        }
        let in_brace = self.groups.contains(&GroupKind::Brace);
        let ends_choice = in_brace && (self.is(behind, b',') || self.is(behind, b'}'));
        let is_segment = match self.before {
            PrecedingPart::Slash => behind == self.pattern.len() || self.is(behind, b'/') || ends_choice,
            PrecedingPart::Brace | PrecedingPart::Comma if in_brace => self.is(behind, b'/') || ends_choice,
            _ => false,
        };
        if is_segment {
            if self.before == PrecedingPart::Slash {
                nodes.push(PatternNode::Only(Condition::NoDot));
            }
            nodes.push(PatternNode::globstar());
            (self.at, self.before) = (behind, PrecedingPart::Star);
        }
        is_segment
    }
}

/// The unit at `at`, and whether it is escaped.
pub(super) fn unit(pattern: &[u16], at: &mut usize) -> ParsedPart<(u16, bool)> {
    let begin = *at;
    let invalid = |problem| Err(UnsupportedPattern::at(begin, problem));
    let Some(first) = pattern.get(begin).copied() else { return invalid("a bracket that is not closed") };
    *at += 1;
    if first != u16::from(b'\\') {
        return Ok((first, false));
    }
    let Some(second) = pattern.get(*at).copied() else { return invalid("a backslash before nothing") };
    *at += 1;
    match u8::try_from(second) {
        // JavaScript gives these a meaning.
        Ok(byte) if byte.is_ascii_alphanumeric() => invalid("a backslash before a letter or digit"),
        Ok(b'/') => invalid("a backslash before `/`"),
        // Their number and successor change the meaning.
        Ok(b'\\') => invalid("a backslash before another one"),
        _ => Ok((second, true)),
    }
}

/// A range in braces, and its length after `{`.
struct Range {
    node: PatternNode,
    length: usize,
}

/// Parses `1..10}`. picomatch sorts the ends as texts and makes a class: `[1-10]` is `1` or `0`. An
/// invalid class becomes the ends joined by `..`, where each dot is any unit.
fn range(rest: &[u16]) -> Option<Range> {
    let end = rest.iter().position(|unit| *unit == u16::from(b'}'))?;
    let text = String::from_utf16(&rest[..end]).ok()?;
    let is_plain = |end: &&str| end.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let mut ends: Vec<_> = text.split("..").filter(|end| !end.is_empty()).collect();
    if !text.contains("..") || ends.is_empty() || !ends.iter().all(is_plain) {
        return None;
    }
    ends.sort_unstable();
    let node = match members(ends.join("-").as_bytes()) {
        Some(members) => PatternNode::Unit(Units::new(members, false)),
        None => joined(&ends),
    };
    Some(Range { node, length: end + 1 })
}

fn members(mut class: &[u8]) -> Option<Vec<(u16, u16)>> {
    let mut members = Vec::new();
    while let [low, rest @ ..] = class {
        let (high, rest) = match rest {
            [b'-', high, rest @ ..] => (high, rest),
            _ => (low, rest),
        };
        if high < low {
            return None;
        }
        members.push(((*low).into(), (*high).into()));
        class = rest;
    }
    Some(members)
}

/// Texts with any two units between them.
fn joined(texts: &[&str]) -> PatternNode {
    let mut nodes = Vec::new();
    for text in texts {
        if !nodes.is_empty() {
            nodes.extend([PatternNode::except(&LINE_ENDS), PatternNode::except(&LINE_ENDS)]);
        }
        nodes.extend(text.encode_utf16().map(PatternNode::literal));
    }
    PatternNode::Sequence(nodes)
}

fn is_extension(rest: &[u16]) -> bool {
    let others = rest.strip_prefix(&[u16::from(b'.')]);
    let is_other = |unit: &u16| ![b'\\', b'/', b'.'].map(u16::from).contains(unit);
    others.is_some_and(|others| !others.is_empty() && others.iter().all(is_other))
}

/// Expressions that picomatch does not repeat, because of backtracking.
fn is_risky(body: &[u16]) -> bool {
    let text = String::from_utf16_lossy(body);
    let branches: Vec<_> = text.split('|').map(str::trim).collect();
    let repeats = |branch: &str| {
        let plain: Vec<_> = branch.chars().filter(|character| *character != '\\').collect();
        let first = plain.first().copied()?;
        plain.iter().all(|character| *character == first).then_some(first)
    };
    let mut repeated: Vec<_> = branches.iter().filter_map(|branch| repeats(branch)).collect();
    let count = repeated.len();
    repeated.sort_unstable();
    repeated.dedup();
    let is_wild = |branch: &&str| branch.chars().all(|character| matches!(character, '*' | '?'));
    branches.len() > 1 && (branches.iter().any(is_wild) || repeated.len() < count)
}

//! Path patterns as in shells: `*`, `?`, `**`, `[a-z]`, `{a,b}`.
//!
//! A pattern compiles to regular expressions, so characters are complete and time is linear. `*`,
//! `?` and `[...]` never match `/`.

use regex::{Regex, RegexBuilder};

pub use invalid::{GlobProblem, InvalidGlob};

use fsgate_contract::limits::{
    GLOB_ALTERNATIVES, GLOB_BYTES, GLOB_COMPILED_BYTES, GLOB_NESTING, GLOB_STATES_BYTES,
};

mod invalid;
#[cfg(test)]
mod tests;
pub mod url;

/// A compiled path pattern.
#[derive(Debug, Clone)]
pub struct Glob {
    alternatives: Vec<Alternative>,
}

/// A pattern whose braces stay within single names.
#[derive(Debug, Clone)]
struct Alternative {
    whole: Regex,
    names: Vec<Option<Regex>>,
    directories_only: bool,
    by_name: bool,
    dotted: Vec<Regex>,
}

impl Glob {
    /// A pattern for whole paths, with or without a leading `/`.
    pub fn anchored(pattern: &str, ignore_case: bool) -> Result<Self, InvalidGlob> {
        Self::of(alternatives(pattern)?.iter().map(|alternative| (&**alternative, false)), ignore_case)
    }

    /// The union of these [`alternatives`]. Each flag selects names at any depth.
    pub fn of<'a>(
        alternatives: impl ExactSizeIterator<Item = (&'a str, bool)>,
        ignore_case: bool,
    ) -> Result<Self, InvalidGlob> {
        let states = GLOB_STATES_BYTES / alternatives.len().max(1);
        let compiled = |(alternative, by_name)| {
            let (segments, directories_only) = parsed(alternative)?;
            let compiled = Alternative::new(&segments, ignore_case, states)?;
            Ok(Alternative { directories_only, by_name, ..compiled })
        };
        alternatives.map(compiled).collect::<Result<_, _>>().map(|alternatives| Self { alternatives })
    }

    /// Validates a pattern cheaply, without its memory.
    pub fn check(pattern: &str) -> Result<(), InvalidGlob> {
        alternatives(pattern).map(|_| ())
    }

    /// Whether the pattern matches this path.
    pub fn matches(&self, path: &str, is_directory: bool) -> bool {
        self.alternatives.iter().any(|alternative| alternative.matches(path, is_directory))
    }

    /// Whether each dot name matches a segment with a dot, as in shells.
    pub fn names_dots(&self, path: &str) -> bool {
        let mut dotted = path.split('/').filter(|name| name.starts_with('.'));
        dotted.all(|name| {
            let mut segments = self.alternatives.iter().flat_map(|alternative| &alternative.dotted);
            segments.any(|segment| segment.is_match(name))
        })
    }

    /// Whether a path below this directory may match.
    pub fn leads_through(&self, directory: &str) -> bool {
        self.alternatives
            .iter()
            .any(|alternative| alternative.by_name || alternative.behind(directory).is_some())
    }

    /// Whether it may match a linked directory or a path through it: a named segment matches the
    /// last name.
    pub fn leads_into(&self, link: &str) -> bool {
        let mut alternatives =
            self.alternatives.iter().filter(|alternative| !alternative.matches(link, false));
        alternatives.any(|alternative| match alternative.by_name {
            true => alternative.matches(link, true),
            false => alternative.matches(link, true) || alternative.behind(link) == Some(GlobStep::Named),
        })
    }
}

/// Whether a floating pattern matches names at any depth.
pub fn is_by_name(pattern: &str) -> bool {
    !pattern.trim_end_matches('/').contains('/')
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum GlobStep {
    Any,
    Named,
}

impl Alternative {
    fn new(segments: &[GlobSegment], ignore_case: bool, states: usize) -> Result<Self, InvalidGlob> {
        let compiled = |expression: &str| {
            RegexBuilder::new(&format!("^(?:{expression})$"))
                .case_insensitive(ignore_case)
                .dot_matches_new_line(true)
                .size_limit(GLOB_COMPILED_BYTES)
                .dfa_size_limit(states)
                .build()
                // Only its size can be refused.
                .map_err(|_| TOO_LONG)
        };
        let whole = compiled(&expression(segments))?;
        let names = segments.iter().map(|segment| segment.single().map(compiled).transpose());
        let names = names.collect::<Result<_, _>>()?;
        let dotted = segments.iter().filter_map(GlobSegment::dotted);
        let dotted = dotted.map(|expression| compiled(&expression)).collect::<Result<_, _>>()?;
        Ok(Self { whole, names, directories_only: false, by_name: false, dotted })
    }

    fn matches(&self, path: &str, is_directory: bool) -> bool {
        let matched = if self.by_name { path.rsplit('/').next().unwrap_or(path) } else { path };
        (is_directory || !self.directories_only) && self.whole.is_match(matched)
    }

    fn behind(&self, path: &str) -> Option<GlobStep> {
        let mut places = vec![None; self.names.len()];
        let mut begin = vec![None; self.names.len()];
        reach(&mut begin, &self.names, 0, GlobStep::Any);
        for name in path.split('/') {
            places.fill(None);
            for (at, _) in begin.iter().enumerate().filter(|(_, step)| step.is_some()) {
                match &self.names[at] {
                    None => reach(&mut places, &self.names, at, GlobStep::Any),
                    Some(expected) if expected.is_match(name) => {
                        reach(&mut places, &self.names, at + 1, GlobStep::Named);
                    }
                    Some(_) => {}
                }
            }
            std::mem::swap(&mut places, &mut begin);
        }
        begin.into_iter().flatten().max()
    }
}

/// Marks a position, and later ones across optional segments.
fn reach(places: &mut [Option<GlobStep>], names: &[Option<Regex>], begin: usize, step: GlobStep) {
    for (place, name) in places.iter_mut().zip(names).skip(begin) {
        *place = (*place).max(Some(step));
        if name.is_some() {
            break;
        }
    }
}

const TOO_LONG: InvalidGlob = InvalidGlob { position: 0, problem: GlobProblem::TooLong };

/// The expansion of a pattern: one per choice if any holds `/`, `**` or nothing.
pub fn alternatives(pattern: &str) -> Result<Vec<String>, InvalidGlob> {
    let body = parse(pattern)?;
    if !body.expands {
        return Ok(vec![pattern.to_owned()]);
    }
    let mut alternatives = choices(pattern).ok_or(TOO_LONG)?;
    let mut problem = None;
    alternatives.retain(|alternative| match parsed(alternative) {
        Ok(_) => true,
        // An empty alternative adds nothing.
        Err(InvalidGlob { problem: GlobProblem::Empty, .. }) => false,
        Err(invalid) => {
            problem.get_or_insert(invalid.problem);
            false
        }
    });
    match problem {
        // Only `..` can arise from joining choices.
        Some(problem) => Err(InvalidGlob { position: pattern.find("..").unwrap_or_default(), problem }),
        None if alternatives.is_empty() => Err(InvalidGlob { position: 0, problem: GlobProblem::Empty }),
        None => Ok(alternatives),
    }
}

/// A valid pattern for each brace choice; none above the limit.
fn choices(pattern: &str) -> Option<Vec<String>> {
    let mut open = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(next) = open.pop() {
        match first_braces(&next) {
            None => done.push(next),
            Some((before, choices, behind)) => {
                open.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{behind}")));
            }
        }
        if done.len() + open.len() > GLOB_ALTERNATIVES {
            return None;
        }
    }
    Some(done)
}

fn first_braces(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut scan = GlobParser::new(pattern);
    let (mut depth, mut open, mut begin, mut choices) = (0_usize, 0, 0, Vec::new());
    while let Some(next) = scan.next() {
        let at = scan.at - next.len_utf8();
        match next {
            '\\' => drop(scan.next()),
            '[' => scan.class(at).ok()?,
            '{' => {
                if depth == 0 {
                    (open, begin) = (at, scan.at);
                }
                depth += 1;
            }
            ',' if depth == 1 => {
                choices.push(&pattern[begin..at]);
                begin = scan.at;
            }
            '}' if depth == 1 => {
                choices.push(&pattern[begin..at]);
                return Some((&pattern[..open], choices, &pattern[scan.at..]));
            }
            '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

struct ParsedGlob {
    segments: Vec<GlobSegment>,
    directories_only: bool,
    expands: bool,
}

fn parsed(pattern: &str) -> Result<(Vec<GlobSegment>, bool), InvalidGlob> {
    parse(pattern).map(|body| (body.segments, body.directories_only))
}

fn parse(pattern: &str) -> Result<ParsedGlob, InvalidGlob> {
    if pattern.is_empty() {
        return Err(InvalidGlob { position: 0, problem: GlobProblem::Empty });
    }
    if pattern.len() > GLOB_BYTES {
        return Err(InvalidGlob { position: GLOB_BYTES, problem: GlobProblem::TooLong });
    }
    let skipped = pattern.len() - pattern.trim_start_matches('/').len();
    let body = &pattern[skipped..];
    let body = body.strip_prefix("./").unwrap_or(body);
    let offset = pattern.len() - body.len();
    let directories_only = body.ends_with('/') && !body.ends_with("\\/");
    let body = body.trim_end_matches('/');
    let invalid = |InvalidGlob { position, problem }| InvalidGlob { position: position + offset, problem };
    let mut scan = GlobParser::new(body);
    let segments = scan.segments().map_err(invalid)?;
    if segments.is_empty() || body.is_empty() {
        return Err(InvalidGlob { position: 0, problem: GlobProblem::Empty });
    }
    Ok(ParsedGlob { segments, directories_only, expands: scan.expands })
}

enum GlobSegment {
    Any,
    One(String, String),
    /// An expression across segments: it holds a `\/`.
    Several(String),
}

impl GlobSegment {
    fn dotted(&self) -> Option<String> {
        let Self::One(expression, text) = self else { return None };
        if !text.contains('{') {
            return Some(expression.clone()).filter(|expression| begins_with_a_dot(expression));
        }
        let expression = |choice: &String| {
            let mut scan = GlobParser::new(choice);
            scan.segment().ok()?;
            Some(scan.out).filter(|expression| begins_with_a_dot(expression))
        };
        let dotted: Vec<_> = choices(text)?.iter().filter_map(expression).collect();
        (!dotted.is_empty()).then(|| dotted.join("|"))
    }

    fn single(&self) -> Option<&str> {
        match self {
            Self::One(expression, _) => Some(expression),
            Self::Any | Self::Several(_) => None,
        }
    }
}

fn begins_with_a_dot(expression: &str) -> bool {
    expression.starts_with("\\.")
}

fn expression(segments: &[GlobSegment]) -> String {
    let mut out = String::new();
    let last = segments.len().saturating_sub(1);
    for (at, segment) in segments.iter().enumerate() {
        match segment {
            // A final `**` matches all below, not the directory itself.
            GlobSegment::Any if at == last => out.push_str(".+"),
            GlobSegment::Any => out.push_str("(?:.+/)?"),
            GlobSegment::One(expression, _) | GlobSegment::Several(expression) => {
                out.push_str(expression);
                if at < last {
                    out.push('/');
                }
            }
        }
    }
    out
}

struct GlobParser<'a> {
    pattern: &'a str,
    at: usize,
    out: String,
    braces: Vec<usize>,
    several: bool,
    expands: bool,
}

impl<'a> GlobParser<'a> {
    fn new(pattern: &'a str) -> Self {
        Self { pattern, at: 0, out: String::new(), braces: Vec::new(), several: false, expands: false }
    }

    fn segments(&mut self) -> Result<Vec<GlobSegment>, InvalidGlob> {
        let mut segments = Vec::new();
        loop {
            let begin = self.at;
            let slash = self.segment()?;
            let text = &self.pattern[begin..self.at - usize::from(slash)];
            let expression = std::mem::take(&mut self.out);
            let several = std::mem::take(&mut self.several);
            match text {
                ".." => return Err(InvalidGlob { position: begin, problem: GlobProblem::Parent }),
                "" | "." if !self.pattern.is_empty() => {}
                "**" if matches!(segments.last(), Some(GlobSegment::Any)) => {}
                "**" => segments.push(GlobSegment::Any),
                _ if several => segments.push(GlobSegment::Several(expression)),
                _ => segments.push(GlobSegment::One(expression, text.to_owned())),
            }
            if !slash {
                return Ok(segments);
            }
        }
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn peek(&self) -> Option<char> {
        self.pattern[self.at..].chars().next()
    }

    fn is_at_choice_end(&self) -> bool {
        matches!(self.peek(), Some(',' | '}'))
    }

    fn segment(&mut self) -> Result<bool, InvalidGlob> {
        while let Some(next) = self.next() {
            let begin = self.at - next.len_utf8();
            let invalid = |problem| Err(InvalidGlob { position: begin, problem });
            match next {
                '/' if self.braces.is_empty() => return Ok(true),
                '/' => self.expands = true,
                '*' => {
                    let stars =
                        self.pattern[begin..].len() - self.pattern[begin..].trim_start_matches('*').len();
                    self.at = begin + stars;
                    // `**` is special only as a complete segment, perhaps from braces.
                    self.expands |= stars > 1 && (!self.braces.is_empty() || self.peek() == Some('{'));
                    self.out.push_str("[^/]*");
                }
                '?' => self.out.push_str("[^/]"),
                '[' => self.class(begin)?,
                '{' if self.braces.len() == GLOB_NESTING => return invalid(GlobProblem::NestedTooDeep),
                '{' => {
                    self.braces.push(begin);
                    self.expands |= self.is_at_choice_end();
                    self.out.push_str("(?:");
                }
                '}' if self.braces.pop().is_none() => return invalid(GlobProblem::UnopenedBraces),
                '}' => {
                    self.expands |= self.pattern[self.at..].starts_with("**");
                    self.out.push(')');
                }
                ',' if !self.braces.is_empty() => {
                    self.expands |= self.is_at_choice_end();
                    self.out.push('|');
                }
                '\\' => match self.next() {
                    Some(escaped) => {
                        self.several |= escaped == '/';
                        self.expands |= escaped == '/' && !self.braces.is_empty();
                        self.literal(escaped);
                    }
                    None => return invalid(GlobProblem::DanglingEscape),
                },
                '\0' => return invalid(GlobProblem::Nul),
                other => self.literal(other),
            }
        }
        match self.braces.first() {
            Some(begin) => Err(InvalidGlob { position: *begin, problem: GlobProblem::UnclosedBraces }),
            None => Ok(false),
        }
    }

    fn literal(&mut self, literal: char) {
        regex_syntax::escape_into(literal.encode_utf8(&mut [0; 4]), &mut self.out);
    }

    /// Parses a class after its `[`; it never matches `/`.
    fn class(&mut self, begin: usize) -> Result<(), InvalidGlob> {
        let unclosed = InvalidGlob { position: begin, problem: GlobProblem::UnclosedClass };
        let negated = matches!(self.peek(), Some('!' | '^'));
        if negated {
            self.next();
        }
        let mut members = String::new();
        let mut first = true;
        loop {
            let at = self.at;
            let low = match self.next().ok_or(unclosed.clone())? {
                ']' if !first => break,
                '\\' => self.next().ok_or(unclosed.clone())?,
                other => other,
            };
            first = false;
            let mut high = low;
            let rest = &self.pattern[self.at..];
            if rest.starts_with('-') && !rest.starts_with("-]") {
                self.next();
                high = match self.next().ok_or(unclosed.clone())? {
                    '\\' => self.next().ok_or(unclosed.clone())?,
                    other => other,
                };
                if high < low {
                    return Err(InvalidGlob { position: at, problem: GlobProblem::BackwardsRange });
                }
            }
            for (bound, joint) in [(low, "-"), (high, "")] {
                members += &format!("\\x{{{:X}}}{joint}", u32::from(bound));
            }
        }
        // A class loses `/`; a negated one excludes it.
        self.out += &if negated { format!("[^{members}/]") } else { format!("[{members}&&[^/]]") };
        Ok(())
    }
}

/// Characters that make a pattern of a name.
pub const WILD: [char; 5] = ['*', '?', '[', '{', '\\'];

/// Patterns for all below the named directories. A last name with a `*` counts as files unless `/`
/// follows.
pub fn all_below(pattern: &str) -> Vec<String> {
    let below = |choice: String| {
        let name = choice.trim_end_matches('/');
        let anywhere = if is_by_name(name) { "**/" } else { "" };
        let last = name.rsplit('/').next().unwrap_or_default();
        let is_files = matches!(last, "" | "**") || last.contains('*') && name == choice;
        (!is_files).then(|| format!("{anywhere}{name}/**"))
    };
    choices(pattern).unwrap_or_default().into_iter().filter_map(below).collect()
}

/// The literal directories before the first wildcard: the common parent of all matches.
pub fn literal_lead(pattern: &str) -> &str {
    let lead = pattern.find(WILD).map_or(pattern, |wild| &pattern[..wild]);
    lead.rfind('/').map_or("", |end| &lead[..end])
}

/// The pattern that matches this path only.
pub fn escaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for character in path.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | ',') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

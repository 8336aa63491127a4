//! Patterns over paths, as shells and ignore files write them: `*`, `?`, `**`, `[a-z]`, `{a,b}`.
//!
//! A pattern becomes a regular expression, and the engine that searches texts does the matching: characters are whole
//! ones, and time follows the length of the path, whatever the pattern is. `*`, `?` and `[...]` never match `/`.

use regex::{Regex, RegexBuilder};

pub use invalid::{GlobProblem, InvalidGlob};

use fsgate_contract::limits::{
    GLOB_ALTERNATIVES, GLOB_BYTES, GLOB_COMPILED_BYTES, GLOB_NESTING, GLOB_STATES_BYTES,
};

mod invalid;
#[cfg(test)]
mod tests;
pub mod url;

/// A pattern that paths can be held against.
#[derive(Debug, Clone)]
pub struct Glob {
    /// A path matches if it matches one of these.
    alternatives: Vec<Alternative>,
}

/// A pattern whose braces stand in a single name each.
#[derive(Debug, Clone)]
struct Alternative {
    whole: Regex,
    /// Its names, each by itself; none is any number of names.
    names: Vec<Option<Regex>>,
    /// It ends in `/`: only directories match.
    directories_only: bool,
    /// It is about names, wherever they are.
    by_name: bool,
    /// Its names that begin with a dot, each by itself.
    dotted: Vec<Regex>,
}

impl Glob {
    /// A pattern over whole paths, relative to where the search starts. A `/` at its beginning says the same as none.
    pub fn anchored(pattern: &str, ignore_case: bool) -> Result<Self, InvalidGlob> {
        Self::new(pattern, ignore_case, |_| false)
    }

    /// A pattern that, without a `/` before its end, is about names at any depth; else like
    /// [`Glob::anchored`].
    pub fn floating(pattern: &str, ignore_case: bool) -> Result<Self, InvalidGlob> {
        Self::new(pattern, ignore_case, is_by_name)
    }

    fn new(pattern: &str, ignore_case: bool, by_name: impl Fn(&str) -> bool) -> Result<Self, InvalidGlob> {
        Self::of(
            alternatives(pattern)?.iter().map(|alternative| (&**alternative, by_name(alternative))),
            ignore_case,
        )
    }

    /// The pattern that matches where one of these [`alternatives`] does. The flag of each says
    /// that it is about names at any depth.
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

    /// Looks whether a pattern says something, which costs next to nothing; but for how much memory it takes.
    pub fn check(pattern: &str) -> Result<(), InvalidGlob> {
        alternatives(pattern).map(|_| ())
    }

    /// True if it stands for this path.
    pub fn matches(&self, path: &str, is_directory: bool) -> bool {
        self.alternatives.iter().any(|alternative| alternative.matches(path, is_directory))
    }

    /// True if each name of the path that begins with a dot is named by a segment that begins with
    /// one, as shells have it.
    pub fn names_dots(&self, path: &str) -> bool {
        let mut dotted = path.split('/').filter(|name| name.starts_with('.'));
        dotted.all(|name| {
            let mut segments = self.alternatives.iter().flat_map(|alternative| &alternative.dotted);
            segments.any(|segment| segment.is_match(name))
        })
    }

    /// True if it may stand for something below this directory.
    pub fn leads_through(&self, directory: &str) -> bool {
        self.alternatives
            .iter()
            .any(|alternative| alternative.by_name || alternative.behind(directory).is_some())
    }

    /// True if it could match a linked directory, or a path through it: the last name of the path
    /// is one of the pattern's own names, and no `**`.
    pub fn leads_into(&self, link: &str) -> bool {
        let mut alternatives =
            self.alternatives.iter().filter(|alternative| !alternative.matches(link, false));
        alternatives.any(|alternative| match alternative.by_name {
            true => alternative.matches(link, true),
            false => alternative.matches(link, true) || alternative.behind(link) == Some(GlobStep::Named),
        })
    }
}

/// True for a pattern that is about names, where such patterns are about names at any depth.
pub fn is_by_name(pattern: &str) -> bool {
    !pattern.trim_end_matches('/').contains('/')
}

/// The step that led to a place among the names of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum GlobStep {
    /// `**`.
    Any,
    /// A name of the pattern.
    Named,
}

impl Alternative {
    /// `states` is the memory that matching may take.
    fn new(segments: &[GlobSegment], ignore_case: bool, states: usize) -> Result<Self, InvalidGlob> {
        let compiled = |expression: &str| {
            RegexBuilder::new(&format!("^(?:{expression})$"))
                .case_insensitive(ignore_case)
                .dot_matches_new_line(true)
                .size_limit(GLOB_COMPILED_BYTES)
                .dfa_size_limit(states)
                .build()
                // It is well-formed: only its size can be refused.
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

    /// How a path leads to a place before the end of the pattern; none if it leads to none.
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

/// Marks a place, and those behind it as far as every name between may be missing.
fn reach(places: &mut [Option<GlobStep>], names: &[Option<Regex>], begin: usize, step: GlobStep) {
    for (place, name) in places.iter_mut().zip(names).skip(begin) {
        *place = (*place).max(Some(step));
        if name.is_some() {
            break;
        }
    }
}

const TOO_LONG: InvalidGlob = InvalidGlob { position: 0, problem: GlobProblem::TooLong };

/// The patterns that a pattern stands for: itself, or one for each choice in its braces where `/`,
/// `**` or an empty text in these says how they go together with the text around them.
pub fn alternatives(pattern: &str) -> Result<Vec<String>, InvalidGlob> {
    let body = parse(pattern)?;
    if !body.expands {
        return Ok(vec![pattern.to_owned()]);
    }
    let mut alternatives = choices(pattern).ok_or(TOO_LONG)?;
    let mut problem = None;
    alternatives.retain(|alternative| match parsed(alternative) {
        Ok(_) => true,
        // An alternative that names nothing adds nothing.
        Err(InvalidGlob { problem: GlobProblem::Empty, .. }) => false,
        Err(invalid) => {
            problem.get_or_insert(invalid.problem);
            false
        }
    });
    match problem {
        // Only `..` can be between braces and what is beside them.
        Some(problem) => Err(InvalidGlob { position: pattern.find("..").unwrap_or_default(), problem }),
        None if alternatives.is_empty() => Err(InvalidGlob { position: 0, problem: GlobProblem::Empty }),
        None => Ok(alternatives),
    }
}

/// A valid pattern once for each choice in its braces; none for more choices than fit.
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

/// The text before the first braces of a valid pattern, their choices, and the text behind them.
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

/// A pattern taken apart.
struct ParsedGlob {
    segments: Vec<GlobSegment>,
    /// It is about directories only.
    directories_only: bool,
    /// Its braces stand for more than a choice within one name.
    expands: bool,
}

/// The segments of a pattern, and whether it is about directories only.
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

/// A segment of a pattern.
enum GlobSegment {
    /// `**`: any number of segments.
    Any,
    /// An expression for one segment, and its text.
    One(String, String),
    /// An expression for several segments: there is a `\/` in it.
    Several(String),
}

impl GlobSegment {
    /// The expression of those choices of a segment that begin with a dot themselves.
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

/// All segments as one expression.
fn expression(segments: &[GlobSegment]) -> String {
    let mut out = String::new();
    let last = segments.len().saturating_sub(1);
    for (at, segment) in segments.iter().enumerate() {
        match segment {
            // At the end it is everything below, not the directory itself.
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
    /// The expression of this segment so far.
    out: String,
    /// Where the open braces began.
    braces: Vec<usize>,
    /// There was a `\/` in this segment.
    several: bool,
    /// Braces were there that stand for more than a choice within one name.
    expands: bool,
}

impl<'a> GlobParser<'a> {
    fn new(pattern: &'a str) -> Self {
        Self { pattern, at: 0, out: String::new(), braces: Vec::new(), several: false, expands: false }
    }

    /// Takes the pattern apart at the `/` that stand in no braces and no class.
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

    /// True where a choice in braces ends.
    fn is_at_choice_end(&self) -> bool {
        matches!(self.peek(), Some(',' | '}'))
    }

    /// Goes behind the next `/`, or to the end of the pattern; true if there was a `/`.
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
                    // Two say more than one only as a whole segment, which braces can be a part of.
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

    /// A class of characters, whose `[` has been read. None of them is ever `/`.
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
        // `/` is taken out of a class, and put into what a negated one excludes.
        self.out += &if negated { format!("[^{members}/]") } else { format!("[{members}&&[^/]]") };
        Ok(())
    }
}

/// Characters that stand for others in a pattern.
const WILD: [char; 5] = ['*', '?', '[', '{', '\\'];

/// The patterns for all below the directories that a pattern names, one for each choice in its
/// braces. A last name with a `*` counts as one of files, unless a `/` follows it.
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

/// The names of a pattern before its last segment, as far as none has a wildcard: a path that leads
/// to everything it stands for.
pub fn literal_lead(pattern: &str) -> &str {
    let lead = pattern.find(WILD).map_or(pattern, |wild| &pattern[..wild]);
    lead.rfind('/').map_or("", |end| &lead[..end])
}

/// The pattern that stands for this path alone.
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

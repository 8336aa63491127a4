//! A policy's rules, indexed by name, for every entry of a walk.

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};
use rustc_hash::FxHashMap;
use unicode_normalization::UnicodeNormalization;

use super::document::{InvalidPolicy, Rule, RuleEffect};
use super::path_state::PathState;
use super::pattern::{PatternStart, RulePattern};
use super::regex_reach::leads_through;
use super::{RuleId, Ruling};
use fsgate_contract::id::UNFINISHED_CHANGES;
use fsgate_contract::limits::{
    POLICY_COMPILED_BYTES, POLICY_LISTS, POLICY_PATTERN_BYTES, POLICY_REGEX_BYTES, POLICY_REGEXES,
    POLICY_RULES, RULE_NAME_CHARS,
};
use fsgate_text::fold::fold;
use fsgate_text::glob::Glob;

#[derive(Debug, Default)]
pub(super) struct RuleTable {
    all: Vec<Known>,
    hides: bool,
    names: FxHashMap<String, Vec<NameTable>>,
    /// Rules for a directory's content, by its name.
    within: FxHashMap<String, Vec<NameTable>>,
    /// Rules of several names, by each name but the last.
    passages: FxHashMap<String, Vec<NameTable>>,
    /// Folded names, and the ones that exclude them.
    apart: Vec<(String, String, RuleId)>,
    prefixes: FxHashMap<u8, Vec<Affix>>,
    suffixes: FxHashMap<u8, Vec<Affix>>,
    any: Vec<Affix>,
    globs: Vec<(Glob, PatternStart, RuleId)>,
    regexes: Vec<Expression>,
    compiled: usize,
    allowed_paths: Vec<(Vec<RulePattern>, RuleId)>,
    allowed_extensions: Vec<(Vec<RulePattern>, RuleId)>,
    unfinished: Option<RuleId>,
}

#[derive(Debug)]
struct Known {
    name: String,
    /// The effect on its paths; none for a rule without paths.
    effect: Option<RuleEffect>,
    unless: Vec<RulePattern>,
}

#[derive(Debug)]
struct Expression {
    text: String,
    regex: Regex,
    rule: RuleId,
}

#[derive(Debug)]
struct NameTable {
    before: String,
    from: PatternStart,
    directories_only: bool,
    rule: RuleId,
}

#[derive(Debug)]
struct Affix {
    prefix: String,
    suffix: String,
    files_only: bool,
    rule: RuleId,
}

impl RuleTable {
    pub(super) fn add(&mut self, rule: &Rule, field: &str) -> Result<(), InvalidPolicy> {
        let invalid = |at: &str, problem: String| InvalidPolicy { field: format!("{field}{at}"), problem };
        let length = rule.name.chars().count();
        if !(1..=RULE_NAME_CHARS).contains(&length) || rule.name.chars().any(char::is_control) {
            return Err(invalid(
                ".name",
                format!("a rule needs a name of at most {RULE_NAME_CHARS} characters"),
            ));
        }
        if rule.paths.is_empty() && rule.extensions.is_empty() && rule.regex.is_empty() {
            let problem = format!(
                "the rule `{}` is about nothing: give it `paths`, `extensions` or `regex`",
                rule.name
            );
            return Err(invalid("", problem));
        }
        if self.all.len() >= POLICY_RULES {
            return Err(invalid("", format!("there are more than {POLICY_RULES} rules")));
        }
        if !rule.apart.is_empty() {
            let id = self.named(&rule.name);
            for (name, other) in
                rule.paths.iter().flat_map(|name| rule.apart.iter().map(move |other| (name, other)))
            {
                self.apart.push((fold(name).into_owned(), other.clone(), id));
                self.apart.push((fold(other).into_owned(), name.clone(), id));
            }
            return Ok(());
        }
        let unless = self.parsed(&rule.unless, &format!("{field}.unless"))?;
        let id = self.push(Known { name: rule.name.clone(), effect: Some(rule.effect), unless });
        for pattern in self.parsed(&rule.paths, &format!("{field}.paths"))? {
            self.sort(pattern, id);
        }
        for pattern in extensions(&rule.extensions, &format!("{field}.extensions"))? {
            self.sort(pattern, id);
        }
        if self.regexes.len() + rule.regex.len() > POLICY_REGEXES {
            return Err(invalid(
                ".regex",
                format!("there are more than {POLICY_REGEXES} regular expressions"),
            ));
        }
        for (number, expression) in rule.regex.iter().enumerate() {
            let text = format!("^(?:{})$", letters_folded(expression));
            let regex = RegexBuilder::new(&text)
                .case_insensitive(true)
                .dot_matches_new_line(true)
                .size_limit(POLICY_REGEX_BYTES)
                .build()
                .map_err(|error| invalid(&format!(".regex[{number}]"), error.to_string()))?;
            self.regexes.push(Expression { text, regex, rule: id });
        }
        Ok(())
    }

    pub(super) fn allow_paths(&mut self, patterns: &[String], field: &str) -> Result<(), InvalidPolicy> {
        if patterns.is_empty() {
            return Ok(());
        }
        if self.allowed_paths.len() == POLICY_LISTS {
            let problem = format!("more than {POLICY_LISTS} policies have allowed paths");
            return Err(InvalidPolicy { field: field.to_owned(), problem });
        }
        let rule = self.named("allowed_paths");
        let patterns = self.parsed(patterns, field)?;
        self.allowed_paths.push((patterns, rule));
        Ok(())
    }

    pub(super) fn allow_extensions(&mut self, list: &[String], field: &str) -> Result<(), InvalidPolicy> {
        if !list.is_empty() {
            let rule = self.named("allowed_extensions");
            self.allowed_extensions.push((extensions(list, field)?, rule));
        }
        Ok(())
    }

    /// Hides temporary names: another session's unfinished change has content below them whose
    /// final name a rule may protect.
    pub(super) fn hide_unfinished(&mut self) {
        self.unfinished = Some(self.named(UNFINISHED_CHANGES));
    }

    pub(super) fn unfinished(&self) -> Option<RuleId> {
        self.unfinished
    }

    /// Adds a rule without paths, even beside a rule of that name with paths.
    pub(super) fn named(&mut self, name: &str) -> RuleId {
        let known = self.all.iter().position(|known| known.effect.is_none() && known.name == name);
        known.map_or_else(
            || self.push(Known { name: name.to_owned(), effect: None, unless: Vec::new() }),
            |index| RuleId(index as u16),
        )
    }

    pub(super) fn name(&self, id: RuleId) -> &str {
        self.all.get(usize::from(id.0)).map_or("", |known| &known.name)
    }

    pub(super) fn hides(&self) -> bool {
        self.hides
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
            && self.within.is_empty()
            && self.prefixes.is_empty()
            && self.suffixes.is_empty()
            && self.any.is_empty()
            && self.globs.is_empty()
            && self.regexes.is_empty()
            && self.allowed_paths.is_empty()
            && self.allowed_extensions.is_empty()
    }

    /// Parses patterns while the compiled ones stay within the limit.
    fn parsed(&mut self, patterns: &[String], field: &str) -> Result<Vec<RulePattern>, InvalidPolicy> {
        let parsed = |(number, pattern): (usize, &String)| {
            let admit = || {
                self.compiled += pattern.len() + POLICY_PATTERN_BYTES;
                if self.compiled <= POLICY_COMPILED_BYTES {
                    return Ok(());
                }
                Err("the patterns with `?`, `[` or `{`, or with several `*`, take too long to start \
                     with: give fewer of them, or names such as `**/a/b`, `a/*` and `*.a`"
                    .to_owned())
            };
            RulePattern::parse(pattern, admit)
                .map_err(|problem| InvalidPolicy { field: format!("{field}[{number}]"), problem })
        };
        patterns.iter().enumerate().map(parsed).collect()
    }

    fn push(&mut self, known: Known) -> RuleId {
        self.hides |= known.effect == Some(RuleEffect::Hidden);
        self.all.push(known);
        // Far fewer rules are accepted.
        RuleId(u16::try_from(self.all.len() - 1).unwrap_or(u16::MAX))
    }

    fn sort(&mut self, pattern: RulePattern, rule: RuleId) {
        match pattern {
            RulePattern::Names { names, from, directories_only, within } => {
                for (at, name) in names.iter().enumerate() {
                    let before = names[..at].join("/");
                    let is_named = at + 1 == names.len() && !within;
                    let map = if is_named { &mut self.names } else { &mut self.passages };
                    let directories_only = directories_only && is_named;
                    map.entry(name.clone()).or_default().push(NameTable {
                        before,
                        from,
                        directories_only,
                        rule,
                    });
                }
                if let Some(last) = names.last().filter(|_| within) {
                    let all = NameTable { before: names.join("/"), from, directories_only: false, rule };
                    self.within.entry(last.clone()).or_default().push(all);
                }
            }
            RulePattern::Affix { prefix, suffix, files_only } => {
                let alike = match (prefix.bytes().next(), suffix.bytes().last()) {
                    (Some(first), _) => self.prefixes.entry(first).or_default(),
                    (None, Some(last)) => self.suffixes.entry(last).or_default(),
                    (None, None) => &mut self.any,
                };
                alike.push(Affix { prefix, suffix, files_only, rule });
            }
            RulePattern::Glob { glob, from } => self.globs.push((glob, from, rule)),
        }
    }

    /// The ruling for a folded name, and the lists of allowed paths that match it.
    pub(super) fn judge(&self, at: &PathState, name: &str, is_directory: bool) -> (Ruling, u64) {
        let mut ruling = at.own().within();
        let mut hit = |rule: RuleId| {
            let Some(known) = self.all.get(usize::from(rule.0)) else { return };
            let Some(effect) = known.effect else { return };
            if !known.unless.iter().any(|pattern| pattern.names(at, name, is_directory)) {
                ruling.apply(effect, rule);
            }
        };
        if let Some(all) = self.names.get(name) {
            let named = |names: &&NameTable| (is_directory || !names.directories_only) && names.follow(at);
            all.iter().filter(named).for_each(|names| hit(names.rule));
        }
        if !self.within.is_empty() {
            for path in at.paths() {
                let all = self.within.get(path.rsplit('/').next().unwrap_or(path)).into_iter().flatten();
                all.filter(|names| names.follow(at)).for_each(|names| hit(names.rule));
            }
        }
        if at.is_in_grant() {
            let ends = [(name.bytes().next(), &self.prefixes), (name.bytes().last(), &self.suffixes)];
            let alike = ends.into_iter().filter_map(|(byte, map)| map.get(&byte?));
            let named = |affix: &&Affix| affix.names(name, is_directory);
            alike.chain([&self.any]).flatten().filter(named).for_each(|affix| hit(affix.rule));
        }
        for (glob, from, rule) in &self.globs {
            if around(at, name, *from).iter().any(|path| glob.matches(path, is_directory)) {
                hit(*rule);
            }
        }
        if !self.regexes.is_empty() {
            let path = format!("/{}", at.path_of(name));
            self.regexes.iter().filter(|known| known.regex.is_match(&path)).for_each(|known| hit(known.rule));
        }
        let mut allowed = at.allowed();
        for (number, (patterns, rule)) in self.allowed_paths.iter().enumerate() {
            let bit = 1 << number;
            if allowed & bit != 0 {
                continue;
            }
            if patterns.iter().any(|pattern| pattern.names(at, name, is_directory)) {
                allowed |= bit;
            } else if at.is_in_grant()
                && !(is_directory && patterns.iter().any(|pattern| pattern.leads_through(at, name)))
            {
                ruling.apply(RuleEffect::Denied, *rule);
            }
        }
        if !is_directory && at.is_in_grant() {
            for (list, rule) in &self.allowed_extensions {
                if !list.iter().any(|extension| extension.names(at, name, false)) {
                    ruling.apply(RuleEffect::Denied, *rule);
                }
            }
        }
        (ruling, allowed)
    }

    pub(super) fn passage(&self, at: &PathState, name: &str) -> Option<RuleId> {
        let folded = fold(name);
        let leads = |(glob, from, _): &&(Glob, PatternStart, RuleId)| {
            around(at, &folded, *from).iter().any(|path| glob.leads_through(path))
        };
        let led = || self.globs.iter().find(leads).map(|(_, _, rule)| *rule);
        self.named_passage(at, name).or_else(led).or_else(|| self.expressed(at, &folded))
    }

    /// The rule whose paths contain this name. `**/a/*.b` leads through every name and does not
    /// count.
    pub(super) fn named_passage(&self, at: &PathState, name: &str) -> Option<RuleId> {
        let folded = fold(name);
        let named = self.passages.get(&*folded).into_iter().flatten().find(|names| names.follow(at));
        named.map(|names| names.rule).or_else(|| self.as_directory(at, &folded))
    }

    pub(super) fn apart(&self, name: &str) -> impl Iterator<Item = (RuleId, &str)> {
        let folded = if self.apart.is_empty() { Cow::Borrowed(name) } else { fold(name) };
        let all = self.apart.iter().filter(move |(known, ..)| *known == folded);
        all.map(|(_, other, rule)| (*rule, &other[..]))
    }

    fn as_directory(&self, at: &PathState, name: &str) -> Option<RuleId> {
        let (file, _) = self.judge(at, name, false);
        let (directory, _) = self.judge(at, name, true);
        [
            (directory.hidden, file.hidden),
            (directory.denied, file.denied),
            (directory.read_only, file.read_only),
            (directory.append_only, file.append_only),
            (directory.no_delete, file.no_delete),
            (directory.keeps_name, file.keeps_name),
        ]
        .into_iter()
        .find_map(|(directory, file)| directory.filter(|_| file.is_none()))
    }

    fn expressed(&self, at: &PathState, name: &str) -> Option<RuleId> {
        if self.regexes.is_empty() {
            return None;
        }
        let path = at.path_of(name);
        let above = at.above_grants().first().and_then(|begin| path.get(..*begin)).unwrap_or_default();
        let (grant, directory) = (format!("/{above}"), format!("/{path}/"));
        let leads = |known: &&Expression| leads_through(&known.text, &grant, &directory);
        self.regexes.iter().find(leads).map(|known| known.rule)
    }
}

impl NameTable {
    fn follow(&self, at: &PathState) -> bool {
        match self.from {
            PatternStart::Top => at.path() == self.before,
            PatternStart::Grant => at.in_grants().any(|inside| inside == self.before),
            PatternStart::Anywhere => at.is_in_grant() && at.paths().any(|path| ends_in(path, &self.before)),
        }
    }
}

impl Affix {
    fn names(&self, name: &str, is_directory: bool) -> bool {
        !(self.files_only && is_directory) && has_ends(name, &self.prefix, &self.suffix)
    }
}

impl RulePattern {
    fn names(&self, at: &PathState, name: &str, is_directory: bool) -> bool {
        match self {
            Self::Names { names, from, directories_only, within } => {
                let Some((last, before)) = names.split_last() else { return false };
                let before = if *within { names.join("/") } else { before.join("/") };
                let names = NameTable { before, from: *from, directories_only: false, rule: RuleId(0) };
                (*within || last == name) && (is_directory || !directories_only) && names.follow(at)
            }
            Self::Affix { prefix, suffix, files_only } => {
                at.is_in_grant() && !(*files_only && is_directory) && has_ends(name, prefix, suffix)
            }
            Self::Glob { glob, from } => {
                below(at, name, *from).iter().any(|path| glob.matches(path, is_directory))
            }
        }
    }

    fn leads_through(&self, at: &PathState, name: &str) -> bool {
        match self {
            Self::Names { from: PatternStart::Anywhere, .. } | Self::Affix { .. } => true,
            Self::Names { names, from, within, .. } => below(at, name, *from).iter().any(|path| {
                let rest = names.join("/").strip_prefix(&path[..]).map(str::to_owned);
                rest.is_some_and(|rest| rest.starts_with('/') || (*within && rest.is_empty()))
            }),
            Self::Glob { glob, from } => below(at, name, *from).iter().any(|path| glob.leads_through(path)),
        }
    }
}

/// The paths of a name from a pattern's start, perhaps above the grant.
fn around(at: &PathState, name: &str, from: PatternStart) -> Vec<String> {
    match from {
        PatternStart::Anywhere if at.is_in_grant() => at.paths_of(name),
        _ => below(at, name, from),
    }
}

/// The paths of a name from an open pattern's start, for each grant.
fn below(at: &PathState, name: &str, from: PatternStart) -> Vec<String> {
    let path = at.path_of(name);
    let begins = at.above_grants();
    match from {
        PatternStart::Top => vec![path],
        PatternStart::Anywhere => {
            begins.first().and_then(|begin| path.get(*begin..)).map(str::to_owned).into_iter().collect()
        }
        PatternStart::Grant => {
            begins.iter().filter_map(|begin| path.get(*begin..)).map(str::to_owned).collect()
        }
    }
}

/// An expression folded like paths. ASCII stays: it may be syntax.
fn letters_folded(expression: &str) -> String {
    let mut folded = String::with_capacity(expression.len());
    for character in expression.nfc() {
        if character.is_ascii() {
            folded.push(character);
        } else {
            folded.push_str(&fold(character.encode_utf8(&mut [0; 4])));
        }
    }
    folded
}

fn has_ends(name: &str, prefix: &str, suffix: &str) -> bool {
    name.len() >= prefix.len() + suffix.len() && name.starts_with(prefix) && name.ends_with(suffix)
}

fn ends_in(path: &str, names: &str) -> bool {
    names.is_empty() || path.strip_suffix(names).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

fn extensions(list: &[String], field: &str) -> Result<Vec<RulePattern>, InvalidPolicy> {
    let parsed = |(number, extension): (usize, &String)| {
        RulePattern::extension(extension).ok_or_else(|| InvalidPolicy {
            field: format!("{field}[{number}]"),
            problem: format!("`{extension}` is no end of a name; write it with its dot, as in `.exe`"),
        })
    };
    list.iter().enumerate().map(parsed).collect()
}

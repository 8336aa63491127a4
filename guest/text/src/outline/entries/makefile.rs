//! Targets of Makefiles.
//!
//! A target goes from the line of its rule to the last line of the recipe. Each target of a rule
//! has a name of its own. Variables, also those of one target, directives and the text between
//! `define` and `endef` are in none. A recipe with `ifdef … endif` goes to `endif`.

use std::ops::Range;

use super::{EntryName, Scan};
use crate::lines::{content, end_of_line};

pub(super) fn scan(scan: &mut Scan) {
    let (text, mut from) = (scan.text, scan.content_end);
    let mut rules = RuleWalk {
        text,
        scan,
        prefix: b'\t',
        defines: 0,
        define: 0,
        conditionals: 0,
        conditional: 0,
        split_rule: None,
        rule: None,
    };
    while from < text.len() {
        let to = end_of_logical_line(text, from);
        rules.line(from..to);
        from = to;
    }
    rules.end_rule();
    if rules.defines > 0 {
        let define = rules.define;
        rules.scan.lose(define);
    }
}

struct RuleWalk<'a, 'b, 'c> {
    text: &'a [u8],
    scan: &'c mut Scan<'b>,
    /// The first byte of the lines of a recipe.
    prefix: u8,
    /// Open `define`s, and the first of them.
    defines: usize,
    define: usize,
    /// Conditionals opened since the rule began, and the first of them.
    conditionals: usize,
    conditional: usize,
    /// The start of a rule that a branch of a conditional around it ended.
    split_rule: Option<usize>,
    /// The start of the open rule.
    rule: Option<usize>,
}

impl RuleWalk<'_, '_, '_> {
    fn line(&mut self, place: Range<usize>) {
        let line = content(&self.text[place.clone()]);
        let bare = line.trim_ascii();
        if self.defines > 0 {
            match first_word(bare) {
                b"define" => self.defines += 1,
                b"endef" => self.defines -= 1,
                _ => {}
            }
            self.scan.content(place.end);
            return;
        }
        if line.first() == Some(&self.prefix) {
            return self.recipe_line(bare, &place);
        }
        if bare.is_empty() || bare.starts_with(b"#") {
            return;
        }
        match first_word(bare) {
            b"ifeq" | b"ifneq" | b"ifdef" | b"ifndef" => {
                if self.conditionals == 0 {
                    self.conditional = place.start;
                }
                self.conditionals += 1;
            }
            b"else" if self.conditionals == 0 => self.split(place.end),
            b"else" => {}
            b"endif" if self.conditionals == 0 => self.split(place.end),
            b"endif" => {
                self.conditionals -= 1;
                if self.conditionals == 0 && self.scan.content_end > self.conditional {
                    self.scan.content(place.end);
                }
            }
            _ => self.statement(line, place),
        }
    }

    fn recipe_line(&mut self, bare: &[u8], place: &Range<usize>) {
        if bare.is_empty() {
            return;
        }
        if self.rule.is_some() {
            self.scan.content(place.end);
        } else if let Some(start) = self.split_rule {
            // The recipe is of a rule whose lines are not together.
            self.scan.doubt(start);
        }
    }

    /// Ends a rule at a branch of a conditional around it.
    fn split(&mut self, end: usize) {
        self.split_rule = self.rule.or(self.split_rule);
        self.end_rule();
        self.scan.content(end);
    }

    fn end_rule(&mut self) {
        if self.rule.is_some() && self.conditionals > 0 && self.scan.content_end > self.conditional {
            self.scan.doubt(self.conditional);
        }
        self.scan.close_at_content();
        (self.rule, self.conditionals) = (None, 0);
    }

    /// Reads a rule, a variable or a directive.
    fn statement(&mut self, line: &[u8], place: Range<usize>) {
        self.end_rule();
        self.split_rule = None;
        if is_define(line) {
            (self.defines, self.define) = (1, place.start);
        } else if let Some(names) = targets(line) {
            self.scan.begin(names, place.clone());
            self.rule = Some(place.start);
        } else if let Some(value) = line.strip_prefix(b".RECIPEPREFIX") {
            let value = value.trim_ascii_start();
            let value = value.strip_prefix(b":").unwrap_or(value).strip_prefix(b"=");
            self.prefix = value.and_then(|value| value.trim_ascii().first()).copied().unwrap_or(b'\t');
        }
        self.scan.content(place.end);
    }
}

/// The end of a line with those that a backslash joins to it.
fn end_of_logical_line(text: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        let to = end_of_line(text, at);
        let line = content(&text[at..to]);
        let marks = line.iter().rev().take_while(|byte| **byte == b'\\').count();
        if marks % 2 == 0 || to == text.len() {
            return to;
        }
        at = to;
    }
}

fn first_word(line: &[u8]) -> &[u8] {
    &line[..line.iter().take_while(|byte| !byte.is_ascii_whitespace() && **byte != b'(').count()]
}

/// Whether a line is `define name`, perhaps after `export` or `override`, and no variable of that
/// name.
fn is_define(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_define = words.find(|word| !matches!(*word, b"export" | b"override" | b"private"));
    let name = words.next().and_then(|name| name.first());
    is_define == Some(b"define") && !matches!(name, None | Some(b'=' | b':' | b'?' | b'+' | b'!'))
}

const DIRECTIVES: &[&[u8]] =
    &[b"include", b"-include", b"sinclude", b"vpath", b"export", b"unexport", b"undefine", b"load", b"-load"];

/// The targets of a rule; none if a line is a variable or a directive.
fn targets(line: &[u8]) -> Option<Vec<EntryName>> {
    let (colon, b':') = operator(line)? else { return None };
    let behind = line[colon..].strip_prefix(b"::").unwrap_or(&line[colon + 1..]);
    // `a: b = c` is a variable of the target.
    if is_assignment(&line[colon..])
        || operator(behind).is_some_and(|(at, mark)| mark == b'=' || is_assignment(&behind[at..]))
    {
        return None;
    }
    let names = &line[..colon];
    let names = names.strip_suffix(b"&").unwrap_or(names);
    let words = words(names);
    let is_directive = words.len() > 1 && DIRECTIVES.contains(&words[0]);
    let names: Vec<_> = words
        .into_iter()
        .map(|word| {
            let name = String::from_utf8_lossy(word).into_owned();
            let with_colon = format!("{name}:");
            EntryName::new(&name, vec![with_colon])
        })
        .collect();
    (!names.is_empty() && !is_directive).then_some(names)
}

/// Whether a text begins with `:=`, `::=` or `:::=`.
fn is_assignment(text: &[u8]) -> bool {
    let colons = text.iter().take_while(|byte| **byte == b':').count();
    (1..=3).contains(&colons) && text.get(colons) == Some(&b'=')
}

/// The first `:`, `=`, `#` or `;` outside of references.
fn operator(text: &[u8]) -> Option<(usize, u8)> {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'$' => at = end_of_reference(text, at),
            b':' | b'=' | b'#' | b';' => return Some((at, *byte)),
            _ => at += 1,
        }
    }
    None
}

/// The end of `$(name)`, `${name}` or `$x`.
fn end_of_reference(text: &[u8], at: usize) -> usize {
    let Some(close) = text.get(at + 1).and_then(|open| match open {
        b'(' => Some(b')'),
        b'{' => Some(b'}'),
        _ => None,
    }) else {
        return at + 2;
    };
    let (open, mut depth) = (text[at + 1], 0_usize);
    for (length, byte) in text[at + 1..].iter().enumerate() {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth -= 1;
            if depth == 0 {
                return at + 1 + length + 1;
            }
        }
    }
    text.len()
}

/// Words between blanks and joined line ends, with references as a whole.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let (mut words, mut start, mut at) = (Vec::new(), None, 0);
    while let Some(byte) = text.get(at) {
        let is_joint = *byte == b'\\' && text.get(at + 1).is_none_or(|next| matches!(next, b'\n' | b'\r'));
        if byte.is_ascii_whitespace() || is_joint {
            words.extend(start.take().map(|start| &text[start..at]));
            at += 1;
            continue;
        }
        start.get_or_insert(at);
        at = match byte {
            b'\\' => at + 2,
            b'$' => end_of_reference(text, at),
            _ => at + 1,
        };
    }
    words.extend(start.map(|start| &text[start..]));
    words
}

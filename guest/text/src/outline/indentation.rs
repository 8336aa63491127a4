//! Definitions whose blocks are indented deeper.

use super::lexer_rules::{DefinitionForm, LexerRules};
use super::name_path::{DefinedName, Enclosing, NameSearch, Rank};
use super::strip_literals::{STRING, is_word, masked};
use crate::lines::{content, end_of_line};

/// Tab stops, as in Python.
const TAB: usize = 8;

/// The deepest tracked nesting; deeper definitions belong to the last one.
const NESTED: usize = 500;

struct OpenDefinition {
    indent: usize,
    inside: Enclosing,
    start: usize,
    end: usize,
    rank: Option<Rank>,
    /// Its assignments define members.
    is_class: bool,
}

pub(super) fn look(text: &[u8], lexis: &LexerRules, names: &mut NameSearch) {
    let masked = masked(text, lexis);
    let mask = &masked.code;
    let mut open: Vec<OpenDefinition> = Vec::new();
    let (mut depth, mut goes_on) = (0_usize, false);
    let (mut lost, mut bracket) = (masked.lost, None);
    let mut from = 0;
    while from < mask.len() {
        let to = end_of_line(mask, from);
        let line = content(&mask[from..to]);
        let end = from + line.trim_ascii_end().len();
        if end == from || line.trim_ascii().is_empty() {
            // A comment belongs to the block of its indentation.
            let comment = content(&text[from..to]);
            if !comment.trim_ascii().is_empty() && depth == 0 && !goes_on {
                let inside = open.partition_point(|open| open.indent < column(comment));
                if let Some(open) = inside.checked_sub(1).and_then(|at| open.get_mut(at)) {
                    open.end = from + comment.len();
                }
            }
            goes_on = false;
            from = to;
            continue;
        }
        if depth == 0 && !goes_on {
            let indent = column(line);
            close(&mut open, names, |open| open.indent >= indent);
            let may_assign = lexis.forms.contains(&DefinitionForm::Assignment)
                && open.last().is_none_or(|open| open.is_class);
            let assigned = || if may_assign { assigned(line, lexis) } else { None };
            if let Some(named) = defined(line, lexis).or_else(assigned).filter(|_| open.len() < NESTED) {
                let around = open.last().map_or_else(Enclosing::default, |open| open.inside);
                let (inside, rank) = names.enter(around, &named);
                let is_class = named.names.iter().any(|name| name.starts_with("class "));
                open.push(OpenDefinition { indent, inside, start: from, end, rank, is_class });
            }
        }
        if let Some(open) = open.last_mut() {
            open.end = end;
        }
        for (at, byte) in line.iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => {
                    if depth == 0 {
                        bracket = Some(from + at);
                    }
                    depth += 1;
                }
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        goes_on = line.ends_with(b"\\");
        from = to;
    }
    // Unclosed brackets extend to the end.
    if depth > 0 {
        lost = lost.or(bracket);
    }
    close(&mut open, names, |_| true);
    names.doubt(masked.doubts, lost);
}

fn close(
    open: &mut Vec<OpenDefinition>,
    names: &mut NameSearch,
    mut is_over: impl FnMut(&OpenDefinition) -> bool,
) {
    while let Some(OpenDefinition { start, end, rank, .. }) = open.pop_if(|open| is_over(open)) {
        if let Some(around) = open.last_mut() {
            around.end = around.end.max(end);
        }
        if let Some(rank) = rank {
            names.leave(rank, start..end);
        }
    }
}

fn column(line: &[u8]) -> usize {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.fold(0, |column, byte| if *byte == b'\t' { (column / TAB + 1) * TAB } else { column + 1 })
}

/// `name = value` and `name: type`, except words such as `else`. A function or class of that name
/// goes first.
fn assigned(line: &[u8], lexis: &LexerRules) -> Option<DefinedName> {
    const OTHERS: &[&[u8]] = &[b"else", b"try", b"finally", b"lambda"];
    let line = line.trim_ascii_start();
    let length = line.iter().take_while(|byte| is_word(**byte, lexis) && **byte != STRING).count();
    let (name, after) = line.split_at(length);
    let is_value = match after.trim_ascii_start() {
        [b'=', rest @ ..] => rest.first() != Some(&b'='),
        [b':', rest @ ..] => !rest.trim_ascii().is_empty() && rest.first() != Some(&b'='),
        _ => false,
    };
    let is_name = !name.is_empty() && !name[0].is_ascii_digit() && !OTHERS.contains(&name);
    let names = vec![String::from_utf8_lossy(name).into_owned()];
    (is_name && is_value).then_some(DefinedName { names, adds: true, of: None })
}

/// The definition in a line: `def name`, after words such as `async`.
fn defined(line: &[u8], lexis: &LexerRules) -> Option<DefinedName> {
    let mut rest = line.trim_ascii_start();
    for _ in 0..4 {
        let length = rest.iter().take_while(|byte| is_word(**byte, lexis) && **byte != STRING).count();
        let (word, after) = rest.split_at(length);
        let after = after.trim_ascii_start();
        if word.is_empty() {
            return None;
        }
        if let Some(keyword) = lexis.keywords.iter().find(|keyword| keyword.as_bytes() == word) {
            let length = after.iter().take_while(|byte| is_word(**byte, lexis)).count();
            let name = String::from_utf8_lossy(&after[..length]).into_owned();
            let phrase = format!("{keyword} {name}");
            return (!name.is_empty())
                .then(|| DefinedName { names: vec![name, phrase], ..DefinedName::default() });
        }
        rest = after;
    }
    None
}

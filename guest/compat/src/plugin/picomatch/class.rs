//! Character classes: `[…]`.

use super::node::{PatternNode, Units};
use super::{UnsupportedPattern, parse};

/// Regular expressions' own characters. Without them a class also matches its literal text.
const SPECIAL: &[u8] = b"-*+?.^${}(|)[]";

const NAMED: &[(&str, &[(u8, u8)])] = &[
    ("alnum", &[(b'a', b'z'), (b'A', b'Z'), (b'0', b'9')]),
    ("alpha", &[(b'a', b'z'), (b'A', b'Z')]),
    ("digit", &[(b'0', b'9')]),
    ("lower", &[(b'a', b'z')]),
    ("upper", &[(b'A', b'Z')]),
    ("word", &[(b'A', b'Z'), (b'a', b'z'), (b'0', b'9'), (b'_', b'_')]),
    ("xdigit", &[(b'A', b'F'), (b'a', b'f'), (b'0', b'9')]),
];

/// A class, its end, and whether it has a name.
pub(super) struct Class {
    pub(super) node: PatternNode,
    pub(super) end: usize,
    pub(super) is_named: bool,
}

pub(super) fn class(pattern: &[u16], mut at: usize) -> Result<Class, UnsupportedPattern> {
    let begin = at - 1;
    let invalid = |problem| UnsupportedPattern::at(begin, problem);
    let is = |at: usize, unit: u8| pattern.get(at) == Some(&unit.into());
    let negated = is(at, b'^');
    at += usize::from(negated);
    let first = at;
    let (mut ranges, mut text, mut is_named) = (Vec::new(), Vec::new(), false);
    let (mut has_special, mut has_bracket, mut has_colon) = (negated, false, false);
    loop {
        if is(at, b']') && at > first {
            break;
        }
        if is(at, b'[') && is(at + 1, b':') {
            let (members, end) =
                named(pattern, at + 2).ok_or(invalid("a class with an unknown name in it"))?;
            ranges.extend(members.iter().map(|(low, high)| (u16::from(*low), u16::from(*high))));
            (at, is_named, has_special) = (end, true, true);
            continue;
        }
        let mut unit = |at: &mut usize| {
            let (unit, is_escaped) = parse::unit(pattern, at)?;
            let special = u8::try_from(unit).is_ok_and(|byte| SPECIAL.contains(&byte));
            has_special |= special && !(is_escaped && unit == u16::from(b'.'));
            has_bracket |= unit == u16::from(b'[');
            has_colon |= unit == u16::from(b':');
            text.push(unit);
            Ok(unit)
        };
        let low = unit(&mut at)?;
        let mut high = low;
        if is(at, b'-') && !is(at + 1, b']') && at + 1 < pattern.len() {
            unit(&mut at)?;
            if is(at, b'[') && is(at + 1, b':') {
                return Err(invalid("a range that ends in a name"));
            }
            high = unit(&mut at)?;
        }
        if high < low {
            return Err(invalid("a range that goes backwards"));
        }
        ranges.push((low, high));
    }
    if has_bracket && has_colon || is_named && negated {
        return Err(invalid("a class that cannot be told from one with a name in it"));
    }
    if negated {
        ranges.push((b'/'.into(), b'/'.into()));
    }
    let mut node = PatternNode::Unit(Units::new(ranges, negated));
    if !has_special {
        let mut literal = vec![PatternNode::literal(b'['.into())];
        literal.extend(text.into_iter().map(PatternNode::literal));
        literal.push(PatternNode::literal(b']'.into()));
        node = PatternNode::Choice(vec![PatternNode::Sequence(literal), node]);
    }
    Ok(Class { node, end: at + 1, is_named })
}

fn named(pattern: &[u16], at: usize) -> Option<(&'static [(u8, u8)], usize)> {
    NAMED.iter().find_map(|(name, members)| {
        let whole: Vec<u16> = format!("{name}:]").encode_utf16().collect();
        pattern[at..].starts_with(&whole).then_some((*members, at + whole.len()))
    })
}

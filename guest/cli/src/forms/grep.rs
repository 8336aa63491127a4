//! `grep`: numbered lines under the path of their file.

use std::ops::Range;

use fsgate_contract::search_types::{GrepMatch, GrepOutcome, Skipped};
use fsgate_text::line_pattern::{LinePattern, LineQuery};

use crate::answers::ToolAnswers;
use crate::environment::{PathContext, Style};
use crate::exit::Exit;
use crate::quote::shown;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let mut form =
        GrepForm { places: answers.places().clone(), marked: marked(&answers), ..GrepForm::default() };
    let mut skipped = Unsearched::default();
    let (mut found, mut searched) = (false, 0_u64);
    loop {
        let outcome: GrepOutcome = answers.ask()?;
        found |= outcome.count > 0;
        searched += u64::from(outcome.searched);
        skipped.add(&outcome.skipped);
        answers.print_styled(&form.page(&outcome))?;
        answers.notes(&outcome.notes);
        if answers.next(outcome.next_cursor)? {
            answers.shell.streams.progress(&format!("{searched} files searched"));
            continue;
        }
        if let Some(sentence) = skipped.sentence() {
            answers.shell.complain(&sentence);
        }
        return Ok(if found { Exit::Done } else { Exit::Refused });
    }
}

/// The pattern to highlight, with colours only.
fn marked(answers: &ToolAnswers) -> Option<LinePattern> {
    let wanted = LineQuery {
        pattern: answers.text("pattern")?,
        regex: answers.is_set("regex"),
        ignore_case: answers.is_set("ignore_case"),
        word: answers.is_set("word"),
        multi_line: false,
        invert: answers.is_set("invert"),
    };
    answers.shell.streams.has_colors().then(|| LinePattern::compile(&wanted).ok()).flatten()
}

/// The output so far, as pages continue each other.
#[derive(Default)]
struct GrepForm {
    places: PathContext,
    marked: Option<LinePattern>,
    path: Option<String>,
    last: u32,
    /// Context lines are shown: gaps are marked.
    context: bool,
}

impl GrepForm {
    /// One page: a path per file, in the mode `count` with a count; `12: ` before a match, `13- `
    /// before context, `--` at gaps.
    fn page(&mut self, outcome: &GrepOutcome) -> Vec<(Style, String)> {
        let mut out = Vec::new();
        for file in &outcome.files {
            let count = file.count.map(|count| format!(": {count}")).unwrap_or_default();
            out.push((Style::Path, shown(&self.places.relative(&file.path))));
            out.push((Style::Plain, format!("{count}\n")));
        }
        self.context |= outcome.matches.iter().any(|hit| !hit.before.is_empty() || !hit.after.is_empty());
        for hit in &outcome.matches {
            self.hit(&mut out, hit);
        }
        out
    }

    fn hit(&mut self, out: &mut Vec<(Style, String)>, hit: &GrepMatch) {
        let first = hit.line.saturating_sub(hit.before.len() as u32);
        if self.path.as_ref() != Some(&hit.path) {
            if self.path.is_some() {
                out.push((Style::Plain, "\n".to_owned()));
            }
            out.push((Style::Path, shown(&self.places.relative(&hit.path))));
            out.push((Style::Plain, "\n".to_owned()));
            self.path = Some(hit.path.clone());
        } else if self.context && first > self.last + 1 {
            out.push((Style::Plain, "--\n".to_owned()));
        }
        let mut number = first;
        let mut line = |mark: char, parts: Vec<(Style, String)>| {
            out.push((Style::Number, number.to_string()));
            out.push((Style::Plain, format!("{mark} ")));
            out.extend(parts);
            out.push((Style::Plain, "\n".to_owned()));
            number += 1;
        };
        let plain = |text: &str| vec![(Style::Plain, text.to_owned())];
        hit.before.iter().for_each(|text| line('-', plain(text)));
        // A match may contain line ends.
        let unified = hit.text.replace("\r\n", "\n").replace('\r', "\n");
        unified.split('\n').for_each(|text| line(':', parts(self.marked.as_ref(), text)));
        hit.after.iter().for_each(|text| line('-', plain(text)));
        self.last = number - 1;
    }
}

fn parts(pattern: Option<&LinePattern>, text: &str) -> Vec<(Style, String)> {
    let found = pattern.map_or_else(Vec::new, |pattern| pattern.all_in(text.as_bytes()));
    let mut parts = Vec::new();
    let mut from = 0;
    for Range { start, end } in found {
        // A byte match may end inside a character.
        if let (Some(before), Some(matched)) = (text.get(from..start), text.get(start..end)) {
            parts.extend([(Style::Plain, before.to_owned()), (Style::Match, matched.to_owned())]);
            from = end;
        }
    }
    parts.push((Style::Plain, text[from..].to_owned()));
    parts
}

/// Omissions other than hidden and ignored files, which are expected.
#[derive(Debug, Default)]
pub(super) struct Unsearched([(u64, &'static str); 5]);

impl Unsearched {
    pub(super) fn add(&mut self, skipped: &Skipped) {
        let Skipped { binary, too_large, unreadable, too_deep, not_utf8, .. } = *skipped;
        let counted = [
            (binary, "binary"),
            (too_large, "too large"),
            (unreadable, "unreadable"),
            (too_deep, "too deep"),
            (not_utf8, "with a name that is not UTF-8"),
        ];
        for (sum, (count, kind)) in self.0.iter_mut().zip(counted) {
            *sum = (sum.0 + u64::from(count), kind);
        }
    }

    pub(super) fn sentence(&self) -> Option<String> {
        let told: Vec<_> = self.0.iter().filter(|(count, _)| *count > 0).collect();
        let told: Vec<_> = told.iter().map(|(count, kind)| format!("{count} {kind}")).collect();
        (!told.is_empty()).then(|| format!("not searched: {}", told.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(path: &str, line: u32, text: &str, before: &[&str], after: &[&str]) -> GrepMatch {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        GrepMatch {
            path: path.to_owned(),
            line,
            column: 1,
            text: text.to_owned(),
            before: owned(before),
            after: owned(after),
            escaped: false,
            encoding: None,
            cut: false,
            etag: None,
        }
    }

    fn pages(pages: &[&[GrepMatch]]) -> String {
        let mut form = GrepForm::default();
        let outcome = |hits: &[GrepMatch]| GrepOutcome {
            path: "/w".to_owned(),
            matches: hits.to_vec(),
            files: Vec::new(),
            count: 0,
            searched: 0,
            skipped: Skipped::default(),
            next_cursor: None,
            stopped: None,
            notes: Vec::new(),
        };
        pages.iter().flat_map(|page| form.page(&outcome(page))).map(|(_, text)| text).collect()
    }

    #[test]
    fn matches_are_told_from_the_rest_of_a_line() {
        let wanted = LineQuery { pattern: "a+", regex: true, ..LineQuery::default() };
        let pattern = LinePattern::compile(&wanted).unwrap();
        for (text, expected) in [
            ("baab a", &["b", "*aa", "b ", "*a", ""][..]),
            ("a", &["", "*a", ""]),
            ("b", &["b"]),
            ("", &[""]),
        ] {
            let parts: Vec<_> = parts(Some(&pattern), text)
                .into_iter()
                .map(|(style, text)| if style == Style::Match { format!("*{text}") } else { text })
                .collect();
            assert_eq!(parts, expected, "{text}");
        }
    }

    #[test]
    fn lines_stand_under_their_file() {
        let one =
            [hit("/w/a", 3, "x", &[], &[]), hit("/w/a", 9, "y", &[], &[]), hit("/w/b\nc", 1, "z", &[], &[])];
        assert_eq!(pages(&[&one]), "/w/a\n3: x\n9: y\n\n/w/b\\nc\n1: z\n");
        assert_eq!(pages(&[&one[..1], &one[1..]]), pages(&[&one]));
        let around = [
            hit("/w/a", 3, "x", &["w"], &["y"]),
            hit("/w/a", 5, "x", &[], &["y"]),
            hit("/w/a", 9, "u\r\nv", &["w"], &[]),
        ];
        assert_eq!(pages(&[&around]), "/w/a\n2- w\n3: x\n4- y\n5: x\n6- y\n--\n8- w\n9: u\n10: v\n");
        assert_eq!(pages(&[&around[..2], &around[2..]]), pages(&[&around]));
    }

    #[test]
    fn what_was_not_searched_is_told() {
        let mut unsearched = Unsearched::default();
        unsearched.add(&Skipped { hidden: 3, binary: 1, ..Skipped::default() });
        assert_eq!(unsearched.sentence().unwrap(), "not searched: 1 binary");
        unsearched.add(&Skipped { binary: 1, unreadable: 2, ..Skipped::default() });
        assert_eq!(unsearched.sentence().unwrap(), "not searched: 2 binary, 2 unreadable");
        assert_eq!(Unsearched::default().sentence(), None);
    }
}

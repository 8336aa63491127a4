//! The lines of a patch.

use super::{InvalidPatch, PatchSyntaxProblem};

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct PatchLine<'a> {
    pub(super) number: u32,
    pub(super) at: usize,
    /// Its text without LF. A CR may be content.
    pub(super) text: &'a str,
}

impl<'a> PatchLine<'a> {
    /// The line as an instruction, without its line end.
    pub(super) fn header(&self) -> &'a str {
        self.text.strip_suffix('\r').unwrap_or(self.text)
    }

    pub(super) fn invalid(&self, problem: PatchSyntaxProblem) -> InvalidPatch {
        InvalidPatch { position: self.at as u64, line: self.number, problem }
    }

    pub(super) fn expected(&self, what: &str) -> InvalidPatch {
        self.invalid(PatchSyntaxProblem::Expected(what.to_owned()))
    }

    pub(super) fn unsupported(&self, what: &'static str) -> InvalidPatch {
        self.invalid(PatchSyntaxProblem::Unsupported(what))
    }
}

/// The last line may lack its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatchReader<'a> {
    whole: &'a str,
    at: usize,
    number: u32,
}

impl<'a> PatchReader<'a> {
    /// Skips a byte order mark, which some shells' pipes add.
    pub(super) fn new(whole: &'a str) -> Self {
        let at = whole.len() - whole.trim_start_matches('\u{FEFF}').len();
        Self { whole, at, number: 1 }
    }

    pub(super) fn peek(&self) -> Option<PatchLine<'a>> {
        let rest = &self.whole[self.at..];
        let text = rest.split('\n').next().filter(|_| !rest.is_empty())?;
        Some(PatchLine { number: self.number, at: self.at, text })
    }

    pub(super) fn next(&mut self) -> Option<PatchLine<'a>> {
        let line = self.peek()?;
        self.at = (line.at + line.text.len() + 1).min(self.whole.len());
        self.number += 1;
        Some(line)
    }

    pub(super) fn end(&self) -> PatchLine<'a> {
        let unended = self.at == self.whole.len() && !self.whole.is_empty() && !self.whole.ends_with('\n');
        match unended {
            // No line follows an open one.
            true => {
                let at = self.whole.rfind('\n').map_or(0, |end| end + 1);
                PatchLine { number: self.number - 1, at, text: &self.whole[at..] }
            }
            false => PatchLine { number: self.number, at: self.at, text: "" },
        }
    }

    pub(super) fn between(&self, from: PatchLine, to: PatchLine) -> &'a str {
        &self.whole[from.at..to.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_with_their_places() {
        for (text, expected) in [
            ("", &[][..]),
            ("\n", &[(1, 0, "")]),
            ("a\r\nb", &[(1, 0, "a\r"), (2, 3, "b")]),
            ("a\n\nb\n", &[(1, 0, "a"), (2, 2, ""), (3, 3, "b")]),
        ] {
            let mut reader = PatchReader::new(text);
            let lines: Vec<_> = std::iter::from_fn(|| reader.next()).collect();
            let lines: Vec<_> = lines.iter().map(|line| (line.number, line.at, line.text)).collect();
            assert_eq!(lines, expected, "{text:?}");
        }
    }
}

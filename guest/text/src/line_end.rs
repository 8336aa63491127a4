//! Line ends, and their adaptation to a file.

use memchr::{memchr, memchr_iter, memchr2_iter, memmem};

use fsgate_contract::types;

/// One of three line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

impl LineEnd {
    /// Its bytes.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::Cr => b"\r",
        }
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lf => "LF",
            Self::CrLf => "CRLF",
            Self::Cr => "CR",
        }
    }

    /// Every line end in `bytes`, in order.
    pub fn all(bytes: &[u8]) -> impl Iterator<Item = Self> {
        memchr2_iter(b'\n', b'\r', bytes).filter_map(|at| match bytes[at] {
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => Some(Self::CrLf),
            b'\r' => Some(Self::Cr),
            _ if at > 0 && bytes[at - 1] == b'\r' => None,
            _ => Some(Self::Lf),
        })
    }
}

/// The text with LF for each CRLF; none without a CRLF.
pub fn as_lf(text: &[u8]) -> Option<Vec<u8>> {
    let mut crlf = memmem::find_iter(text, b"\r\n").peekable();
    crlf.peek()?;
    let (mut out, mut done) = (Vec::with_capacity(text.len()), 0);
    for at in crlf {
        out.extend_from_slice(&text[done..at]);
        done = at + 1;
    }
    out.extend_from_slice(&text[done..]);
    Some(out)
}

/// Counts of each line end, fed in chunks cut anywhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    newlines: u64,
    returns: u64,
    pairs: u64,
    after_return: bool,
    open: bool,
}

impl Tally {
    /// Counts the next chunk.
    pub fn feed(&mut self, chunk: &[u8]) {
        let Some(last) = chunk.last() else { return };
        self.newlines += memchr_iter(b'\n', chunk).count() as u64;
        if self.after_return && chunk[0] == b'\n' {
            self.pairs += 1;
        }
        if let Some(first) = memchr(b'\r', chunk) {
            for at in memchr_iter(b'\r', &chunk[first..]) {
                self.returns += 1;
                self.pairs += u64::from(chunk.get(first + at + 1) == Some(&b'\n'));
            }
        }
        self.after_return = *last == b'\r';
        self.open = !matches!(last, b'\r' | b'\n');
    }

    /// Skips the next chunk, but for its last byte.
    pub fn pass(&mut self, chunk: &[u8]) {
        if let Some(last) = chunk.last() {
            self.after_return = *last == b'\r';
            self.open = !matches!(last, b'\r' | b'\n');
        }
    }

    /// The number of ended lines.
    pub fn lines(&self) -> u64 {
        self.newlines + self.returns - self.pairs
    }

    /// The number of lines, an open last line included.
    pub fn total(&self) -> u64 {
        self.lines() + u64::from(self.open)
    }

    /// The line end of all lines, or `mixed`.
    pub fn kind(&self) -> Option<types::LineEnd> {
        let [lf, crlf, cr] =
            [self.newlines - self.pairs, self.pairs, self.returns - self.pairs].map(|count| count > 0);
        match (lf, crlf, cr) {
            (false, false, false) => None,
            (true, false, false) => Some(types::LineEnd::Lf),
            (false, true, false) => Some(types::LineEnd::Crlf),
            (false, false, true) => Some(types::LineEnd::Cr),
            _ => Some(types::LineEnd::Mixed),
        }
    }

    /// The line end that all ended lines share.
    pub fn only(&self) -> Option<LineEnd> {
        match self.kind()? {
            types::LineEnd::Lf => Some(LineEnd::Lf),
            types::LineEnd::Crlf => Some(LineEnd::CrLf),
            types::LineEnd::Cr => Some(LineEnd::Cr),
            types::LineEnd::Mixed => None,
        }
    }

    /// The line in which `next` begins after the counted text. The LF of a CRLF belongs to its
    /// line.
    pub fn line_of(&self, next: &[u8]) -> u64 {
        self.lines() + 1 - u64::from(self.is_inside_crlf(next))
    }

    /// Whether `next` begins with the LF of a counted CR.
    pub fn is_inside_crlf(&self, next: &[u8]) -> bool {
        self.after_return && next.first() == Some(&b'\n')
    }

    /// LF bytes, those of CRLF included: lines for `diff` and `patch`.
    pub fn newlines(&self) -> u64 {
        self.newlines
    }

    /// The most frequent line end; ties go to LF, then CRLF.
    pub fn majority(&self) -> Option<LineEnd> {
        let counts = [
            (self.newlines - self.pairs, LineEnd::Lf),
            (self.pairs, LineEnd::CrLf),
            (self.returns - self.pairs, LineEnd::Cr),
        ];
        let most = counts.iter().map(|(count, _)| *count).max()?;
        counts.into_iter().find(|(count, _)| *count == most && most > 0).map(|(_, end)| end)
    }
}

/// The number of lines, an open last one included.
pub fn count_lines(text: &[u8]) -> u64 {
    let mut tally = Tally::default();
    tally.feed(text);
    tally.total()
}

/// The text with LF for every line end.
pub fn normalised(text: &[u8]) -> Vec<u8> {
    with_line_ends(text, std::iter::repeat(LineEnd::Lf))
}

/// `new` with the line ends of `replaced`: the one at its position, else the first, else the file's
/// majority, else its own.
pub fn adapted(new: &[u8], replaced: &[u8], majority: Option<LineEnd>) -> Vec<u8> {
    let ends: Vec<_> = LineEnd::all(replaced).collect();
    let Some(fallback) = ends.first().copied().or(majority) else { return new.to_vec() };
    with_line_ends(new, ends.into_iter().chain(std::iter::repeat(fallback)))
}

/// The replacement of an occurrence.
#[derive(Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Its bytes.
    pub new: Vec<u8>,
    /// Line ends were adapted to the file.
    pub adapted: bool,
}

/// The text that replaces `replaced`. `any`: `old` matched other line ends.
pub fn replacement(
    old: &[u8],
    new: &[u8],
    replaced: &[u8],
    exact: bool,
    any: bool,
    tally: &Tally,
) -> Replacement {
    // `old` without a line end matches in any file, so `new` adapts.
    let adapt = !exact && (any || memchr::memchr2(b'\n', b'\r', old).is_none());
    let bytes = if adapt { adapted(new, replaced, tally.majority()) } else { new.to_vec() };
    Replacement { adapted: any || bytes != new, new: bytes }
}

/// The text with line ends replaced in order; LF once `ends` is exhausted.
pub fn with_line_ends(text: &[u8], mut ends: impl Iterator<Item = LineEnd>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut from = 0;
    for at in memchr2_iter(b'\n', b'\r', text) {
        if text[at] == b'\n' && at > 0 && text[at - 1] == b'\r' {
            from = at + 1;
            continue;
        }
        out.extend_from_slice(&text[from..at]);
        out.extend_from_slice(ends.next().unwrap_or(LineEnd::Lf).bytes());
        from = at + 1;
    }
    out.extend_from_slice(&text[from..]);
    out
}

/// The number of first lines of `old` that `new` keeps. `any`: line ends do not count.
pub fn kept_lines(old: &[u8], new: &[u8], any: bool) -> u32 {
    let alike = |text: &[u8]| match any {
        true => with_line_ends(text, std::iter::repeat(LineEnd::Lf)),
        false => text.to_vec(),
    };
    let (old, new) = (&alike(old)[..], &alike(new)[..]);
    if old == new {
        return 0;
    }
    let same = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    // A final CR may be half of a CRLF.
    let same = if same == old.len() && old.ends_with(b"\r") { same - 1 } else { same };
    let mut tally = Tally::default();
    tally.feed(&old[..same]);
    u32::try_from(tally.line_of(&old[same..]) - 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_that_stay_are_counted() {
        assert_eq!(super::kept_lines(b"a\nb", b"a\r\nc", false), 0);
        assert_eq!(super::kept_lines(b"a\nb", b"a\r\nc", true), 1);
        assert_eq!(super::kept_lines(b"a\nb", b"a\r\nb", true), 0);
        for (old, new, expected) in [
            ("a", "b", 0),
            ("a\nb", "a\nc", 1),
            ("a\nb\n", "a\nb\n", 0),
            ("a\n", "a\nb\n", 1),
            ("a\r\nb", "a\r\nc", 1),
            ("a\r\n", "a\rb", 0),
            ("a\nb\nc", "a\nb", 1),
            ("a\rb", "a\rc", 1),
        ] {
            assert_eq!(super::kept_lines(old.as_bytes(), new.as_bytes(), false), expected, "{old:?} {new:?}");
        }
    }

    use super::*;

    fn tally(text: &[u8]) -> Tally {
        let mut tally = Tally::default();
        tally.feed(text);
        tally
    }

    #[test]
    fn counts_every_kind_wherever_the_text_is_cut() {
        use types::LineEnd::{Cr, Crlf, Lf, Mixed};
        for (text, lines, total, newlines, majority, kind) in [
            (&b""[..], 0, 0, 0, None, None),
            (b"a", 0, 1, 0, None, None),
            (b"a\nb\n", 2, 2, 2, Some(LineEnd::Lf), Some(Lf)),
            (b"a\r\nb\r\nc", 2, 3, 2, Some(LineEnd::CrLf), Some(Crlf)),
            (b"a\rb\r", 2, 2, 0, Some(LineEnd::Cr), Some(Cr)),
            (b"a\r\nb\nc\rd\r\n", 4, 4, 3, Some(LineEnd::CrLf), Some(Mixed)),
            (b"\r\r\n\n", 3, 3, 2, Some(LineEnd::Lf), Some(Mixed)),
            (b"a\x0bb\x0cc\xc2\x85d\xe2\x80\xa8e", 0, 1, 0, None, None),
        ] {
            let whole = tally(text);
            assert_eq!((whole.total(), whole.kind()), (total, kind), "{text:?}");
            assert_eq!(
                (whole.lines(), whole.newlines(), whole.majority()),
                (lines, newlines, majority),
                "{text:?}"
            );
            assert_eq!(LineEnd::all(text).count() as u64, lines);
            for cut in 0..=text.len() {
                let mut tally = tally(&text[..cut]);
                tally.feed(&text[cut..]);
                assert_eq!(tally.lines(), lines, "{text:?} cut at {cut}");
                assert_eq!(tally.majority(), majority, "{text:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn takes_the_line_ends_of_what_is_replaced() {
        let crlf = Some(LineEnd::CrLf);
        for (new, replaced, majority, expected) in [
            ("a\nb\n", "x\r\ny\r\n", None, "a\r\nb\r\n"),
            ("a\nb\nc\n", "x\r\ny\n", None, "a\r\nb\nc\r\n"),
            ("a\r\nb\r\n", "x\ny\n", crlf, "a\nb\n"),
            ("a\nb", "x", crlf, "a\r\nb"),
            ("a\nb", "x", None, "a\nb"),
            ("a\rb\n\n", "x\r\n", None, "a\r\nb\r\n\r\n"),
            ("", "x\r\n", None, ""),
        ] {
            let adapted = adapted(new.as_bytes(), replaced.as_bytes(), majority);
            assert_eq!(String::from_utf8(adapted).unwrap(), expected, "{new:?} for {replaced:?}");
        }
    }

    #[test]
    fn normalised_text_has_only_lf() {
        assert_eq!(normalised(b"a\r\nb\rc\nd\r\r\n"), b"a\nb\nc\nd\n\n");
    }
}

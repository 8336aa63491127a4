//! Several replacements in one text, one after the other.

use std::ops::Range;

use super::encoding::{Edit, Spelling};
use super::find::{LineEnds, OccurrenceScan, ScanEvent};
use super::line_end::{Replacement, Tally, kept_lines, replacement};
use super::match_count::MatchCount;
use super::nearest::{self, Probe, Traces};
use super::patch::hunk::{Hunk, LineMark};
use super::patch::locate::{self, HunkProblem, MisplacedHunk, MovedHunk};
use super::provenance::Provenance;
use super::utf8::{NotEncodable, Validator};
use fsgate_contract::limits::{
    AMBIGUOUS_LINES, CHUNK_BYTES, COMPOSED_BYTES, EDITS_LOOK_BYTES, LINES_LISTED, NEAREST_BYTES,
    OCCURRENCE_LOOK_BYTES,
};

/// The occurrences to replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OccurrenceChoice {
    /// The only one.
    Only,
    /// One of them, counted from 1.
    Nth(u32),
    /// Every one.
    All,
}

/// The reason to refuse an edit.
#[derive(Debug, Clone, PartialEq)]
pub enum EditError {
    /// The old text does not occur; its traces.
    NoMatch(Traces),
    /// An occurrence that does not exist.
    NoSuchOccurrence {
        /// The requested number, from 1.
        asked: u32,
        /// The number of occurrences.
        count: u64,
    },
    /// Several occurrences instead of one.
    Ambiguous {
        /// The number of occurrences.
        count: u64,
        /// The lines of the first ones.
        lines: Vec<u32>,
    },
    /// The edits scan too much text.
    Laborious,
    /// The text would become too large.
    GrowsTooLarge,
    /// The text's encoding may lack a character.
    NotEncodable(NotEncodable),
    /// A hunk that does not fit.
    Hunk(HunkProblem),
}

impl From<NotEncodable> for EditError {
    fn from(error: NotEncodable) -> Self {
        Self::NotEncodable(error)
    }
}

/// One replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditRequest<'a> {
    /// The text to find; not empty.
    pub old: &'a str,
    /// The new text.
    pub new: &'a str,
    /// The occurrences to replace.
    pub which: OccurrenceChoice,
    /// Line ends match byte for byte.
    pub exact_line_ends: bool,
}

/// A text and its edits so far.
#[derive(Default)]
pub struct EditedText {
    bytes: Vec<u8>,
    start: usize,
    /// The number of replaced occurrences.
    pub replacements: u64,
    /// The lines of the first ones.
    pub lines: Vec<u32>,
    /// Line ends were adapted to the text.
    pub adapted: bool,
    /// A match follows a byte that is not ASCII, perhaps inside a character.
    pub follows_high_byte: bool,
    /// The parts of the original left, if the file's bytes differ from the text's.
    origins: Option<Provenance>,
    is_known: bool,
    spelling: Spelling,
    looked: u64,
}

struct DecodedRequest<'a> {
    old: &'a [u8],
    new: &'a [u8],
    which: OccurrenceChoice,
    exact_line_ends: bool,
}

struct ScanResult {
    survey: MatchCount,
    line_ends: LineEnds,
    /// The occurrence to remember, and the line ends before it.
    chosen: Option<(Range<usize>, Tally)>,
    tally: Tally,
}

impl EditedText {
    /// A text that begins at `start`.
    pub fn new(bytes: Vec<u8>, start: usize) -> Self {
        Self { bytes, start, ..Self::default() }
    }

    /// The decoded text of a file that is not UTF-8.
    pub fn inside(text: Vec<u8>, start: usize) -> Self {
        Self { origins: Some(Provenance::new(text.len())), ..Self::new(text, start) }.known()
    }

    /// Marks the encoding as known.
    pub fn known(self) -> Self {
        Self { is_known: true, ..self }
    }

    /// Sets the spelling of the texts of requests.
    pub fn spelled(self, spelling: Spelling) -> Self {
        Self { spelling, ..self }
    }

    /// The edits that turn the original decoded text into the result.
    pub fn edits(&self) -> Vec<Edit> {
        self.origins.as_ref().map_or_else(Vec::new, |origins| origins.edits(&self.bytes))
    }

    /// The resulting bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Replaces; a refusal changes nothing.
    pub fn replace(&mut self, request: &EditRequest) -> Result<(), EditError> {
        let (old, new) = (self.spelling.inside(request.old), self.spelling.inside(request.new));
        let wanted = request.inside(&old, &new);
        let ScanResult { survey, line_ends, chosen, tally } = self.find(&wanted)?;
        let count = survey.count;
        self.follows_high_byte |= survey.follows_high_byte;
        let kept = kept_lines(wanted.old, wanted.new, line_ends == LineEnds::Any);
        let changed = |lines: Vec<u32>| -> Vec<u32> {
            lines.into_iter().map(|line| line.saturating_add(kept)).collect()
        };
        match (request.which, chosen) {
            _ if count == 0 => Err(EditError::NoMatch(self.traces(&wanted))),
            (OccurrenceChoice::Nth(asked), None) => Err(EditError::NoSuchOccurrence { asked, count }),
            (OccurrenceChoice::Only, _) if count > 1 => {
                Err(EditError::Ambiguous { count, lines: survey.lines })
            }
            (OccurrenceChoice::Only | OccurrenceChoice::Nth(_), Some((range, before))) => {
                survey.require_encodable(request.new)?;
                let replaced = &self.bytes[range.clone()];
                let put = wanted.put(replaced, line_ends, &tally);
                require_room(self.bytes.len() - replaced.len() + put.new.len())?;
                let lines = u32::try_from(before.line_of(replaced)).into_iter().collect();
                self.put(range, put.new);
                self.note(1, changed(lines), put.adapted);
                Ok(())
            }
            _ => {
                survey.require_encodable(request.new)?;
                let ReplacedText { bytes, parts, adapted } = self.with_all(&wanted, line_ends, &tally)?;
                self.bytes = bytes;
                self.moved(&parts);
                self.note(count, changed(survey.lines), adapted);
                Ok(())
            }
        }
    }

    /// Replaces a block of whole lines. At the end of a text without a final line end, those of
    /// `old` and `new` do not count.
    pub fn replace_block(&mut self, request: &EditRequest) -> Result<(), EditError> {
        let refused = match self.replace(request) {
            Err(refused @ EditError::NoMatch(_)) => refused,
            done => return done,
        };
        let bare =
            |text: &'_ str| text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text).len());
        let (Some(old), new) = (bare(request.old), bare(request.new).unwrap_or(request.new.len())) else {
            return Err(refused);
        };
        let request = EditRequest { old: &request.old[..old], new: &request.new[..new], ..*request };
        let (old, new) = (self.spelling.inside(request.old), self.spelling.inside(request.new));
        let wanted = request.inside(&old, &new);
        let from = self.bytes.len().checked_sub(old.len());
        let Some(from) = from.filter(|from| *from >= self.start && !old.is_empty()) else {
            return Err(refused);
        };
        if !self.bytes.ends_with(&old) {
            return Err(refused);
        }
        self.follows_high_byte |= self.bytes[..from].last().is_some_and(|byte| !byte.is_ascii());
        if let Some(character) = request.new.chars().find(|c| !c.is_ascii()) {
            self.require_utf_8(character)?;
        }
        let mut tally = Tally::default();
        tally.feed(&self.bytes[self.start..from]);
        let line = u32::try_from(tally.line_of(&self.bytes[from..])).into_iter().collect();
        let put = wanted.put(&self.bytes[from..], LineEnds::Exact, &tally);
        require_room(from + put.new.len())?;
        self.put(from..self.bytes.len(), put.new);
        self.note(1, line, put.adapted);
        Ok(())
    }

    fn require_utf_8(&self, character: char) -> Result<(), NotEncodable> {
        // The writer checks a known encoding.
        if self.is_known {
            return Ok(());
        }
        let mut validator = Validator::default();
        validator.feed(&self.bytes);
        validator.finish().map_or(Ok(()), |offset| Err(NotEncodable { character, offset }))
    }

    /// Applies hunks. Returns those found elsewhere. An error counts its hunk from 0.
    pub fn patch(
        &mut self,
        hunks: &[Hunk],
        exact_line_ends: bool,
    ) -> Result<Vec<MovedHunk>, (Option<usize>, EditError)> {
        let looked = &mut self.looked;
        let done = locate::apply(&self.bytes, hunks, self.spelling, exact_line_ends, looked).map_err(
            |MisplacedHunk { hunk, why }| {
                let error = match why {
                    HunkProblem::Laborious => EditError::Laborious,
                    why => EditError::Hunk(why),
                };
                (Some(hunk), error)
            },
        )?;
        let foreign = |hunk: &Hunk| {
            let mut added = hunk.lines.iter().filter(|line| line.mark == LineMark::Add);
            added.find_map(|line| line.text.chars().find(|c| !c.is_ascii()))
        };
        let foreign = hunks.iter().enumerate().find_map(|(hunk, lines)| Some((hunk, foreign(lines)?)));
        if let Some((hunk, character)) = foreign {
            self.require_utf_8(character).map_err(|error| (Some(hunk), error.into()))?;
        }
        require_room(done.text.len()).map_err(|reason| (None, reason))?;
        self.bytes = done.text;
        self.moved(&done.parts);
        let lines = done.lines.iter().filter_map(|line| u32::try_from(*line).ok()).collect();
        self.note(hunks.len() as u64, lines, done.adapted);
        Ok(done.moved)
    }

    fn put(&mut self, range: Range<usize>, new: Vec<u8>) {
        self.moved(&[(range.clone(), new.len())]);
        self.bytes.splice(range, new);
    }

    fn moved(&mut self, parts: &[(Range<usize>, usize)]) {
        if let Some(origins) = &mut self.origins {
            origins.replaced(parts);
        }
    }

    fn note(&mut self, count: u64, lines: Vec<u32>, adapted: bool) {
        self.replacements += count;
        let room = LINES_LISTED - self.lines.len();
        self.lines.extend(lines.into_iter().take(room));
        self.adapted |= adapted;
    }

    /// Finds `old` exactly. If it is missing or ends inside a CRLF, any line end matches.
    fn find(&mut self, request: &DecodedRequest) -> Result<ScanResult, EditError> {
        let pass = self.pass(request, LineEnds::Exact)?;
        if !request.exact_line_ends && pass.survey.calls_for_any_line_end(request.old) {
            self.pass(request, LineEnds::Any)
        } else {
            Ok(pass)
        }
    }

    fn pass(&mut self, request: &DecodedRequest, line_ends: LineEnds) -> Result<ScanResult, EditError> {
        if self.looked > EDITS_LOOK_BYTES {
            return Err(EditError::Laborious);
        }
        let wanted = match request.which {
            OccurrenceChoice::Only => 1,
            OccurrenceChoice::Nth(number) => u64::from(number),
            OccurrenceChoice::All => 0,
        };
        let new = if self.is_known { b"" } else { request.new };
        let mut survey = MatchCount::new(new, AMBIGUOUS_LINES);
        let mut chosen = None;
        let tally = self.scan(request, line_ends, |event| {
            survey.see(&event);
            if let ScanEvent::Match { bytes, offset, before } = event
                && survey.count == wanted
            {
                // The text is in memory, so an offset fits.
                let from = self.start + offset as usize;
                chosen = Some((from..from + bytes.len(), before));
            }
        });
        self.looked += self.bytes.len() as u64 + survey.count * OCCURRENCE_LOOK_BYTES;
        Ok(ScanResult { survey, line_ends, chosen, tally })
    }

    /// Scans in pieces, because a scan copies each chunk.
    fn scan(&self, request: &DecodedRequest, line_ends: LineEnds, mut sink: impl FnMut(ScanEvent)) -> Tally {
        let mut scan = OccurrenceScan::new(request.old, line_ends);
        for chunk in self.bytes[self.start..].chunks(CHUNK_BYTES) {
            scan.feed(chunk, &mut sink);
        }
        scan.finish(&mut sink)
    }

    fn with_all(
        &self,
        request: &DecodedRequest,
        line_ends: LineEnds,
        tally: &Tally,
    ) -> Result<ReplacedText, EditError> {
        let (mut out, mut any_adapted, mut room) = (self.bytes[..self.start].to_vec(), false, Ok(()));
        let mut parts = Vec::new();
        self.scan(request, line_ends, |event| {
            let put = match event {
                _ if room.is_err() => return,
                ScanEvent::Text(bytes) => bytes,
                ScanEvent::Match { bytes, offset, .. } => {
                    let put = request.put(bytes, line_ends, tally);
                    any_adapted |= put.adapted;
                    if self.origins.is_some() {
                        let from = self.start + offset as usize;
                        parts.push((from..from + bytes.len(), put.new.len()));
                    }
                    room = require_room(out.len() + put.new.len());
                    if room.is_ok() {
                        out.extend_from_slice(&put.new);
                    }
                    return;
                }
            };
            room = require_room(out.len() + put.len());
            if room.is_ok() {
                out.extend_from_slice(put);
            }
        });
        room.map(|()| ReplacedText { bytes: out, parts, adapted: any_adapted })
    }

    fn traces(&self, request: &DecodedRequest) -> Traces {
        let text = &self.bytes[self.start..];
        let searched = text.len().min(usize::try_from(NEAREST_BYTES).unwrap_or(usize::MAX));
        let probe = Probe { text: &text[..searched], first_line: 1, ends_file: searched == text.len() };
        let line_ends = if request.exact_line_ends { LineEnds::Exact } else { LineEnds::Any };
        nearest::traces(request.old, request.new, probe, line_ends)
    }
}

struct ReplacedText {
    bytes: Vec<u8>,
    parts: Vec<(Range<usize>, usize)>,
    adapted: bool,
}

impl EditRequest<'_> {
    fn inside<'w>(&self, old: &'w [u8], new: &'w [u8]) -> DecodedRequest<'w> {
        DecodedRequest { old, new, which: self.which, exact_line_ends: self.exact_line_ends }
    }
}

impl DecodedRequest<'_> {
    fn put(&self, replaced: &[u8], line_ends: LineEnds, tally: &Tally) -> Replacement {
        let any = line_ends == LineEnds::Any;
        replacement(self.old, self.new, replaced, self.exact_line_ends, any, tally)
    }
}

fn require_room(size: usize) -> Result<(), EditError> {
    if size as u64 > COMPOSED_BYTES { Err(EditError::GrowsTooLarge) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(
        text: &str,
        edits: &[(&str, &str, OccurrenceChoice)],
    ) -> Result<(String, Vec<u32>), EditError> {
        let start = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
        let mut composed = EditedText::new(text.as_bytes().to_vec(), start);
        for (old, new, which) in edits {
            composed.replace(&EditRequest { old, new, which: *which, exact_line_ends: false })?;
        }
        let lines = composed.lines.clone();
        assert_eq!(composed.replacements, lines.len() as u64);
        Ok((String::from_utf8(composed.into_bytes()).unwrap(), lines))
    }

    #[test]
    fn edits_that_look_through_too_much_are_refused() {
        let mut composed = EditedText::new(b"a b a".to_vec(), 0);
        let request =
            EditRequest { old: "a", new: "c", which: OccurrenceChoice::Nth(2), exact_line_ends: false };
        composed.replace(&request).unwrap();
        assert_eq!(composed.looked, 5 + 2 * OCCURRENCE_LOOK_BYTES);
        composed.looked = EDITS_LOOK_BYTES;
        let request = EditRequest { old: "b", which: OccurrenceChoice::Only, ..request };
        composed.replace(&request).unwrap();
        let refused = composed.replace(&EditRequest { old: "c", ..request });
        assert_eq!(refused, Err(EditError::Laborious));
        assert_eq!(composed.into_bytes(), b"a c c");
    }

    #[test]
    fn each_replacement_sees_what_the_one_before_has_left() {
        use OccurrenceChoice::{All, Nth, Only};
        for (text, edits, expected, lines) in [
            ("one two", &[("one", "1", Only), ("two", "2", Only)][..], "1 2", &[1, 1][..]),
            ("one two", &[("two", "2", Only), ("one", "1", Only)], "1 2", &[1, 1]),
            ("a", &[("a", "b", Only), ("b", "c", Only), ("c", "a", Only)], "a", &[1, 1, 1]),
            ("a a a", &[("a", "b", Nth(2)), ("a", "c", Nth(2)), ("a", "d", Only)], "d b c", &[1, 1, 1]),
            ("aaa", &[("a", "aa", All), ("aa", "b", All)], "bbb", &[1, 1, 1, 1, 1, 1]),
            ("x\ny\n", &[("x", "x\nx", Only), ("y", "z", Only)], "x\nx\nz\n", &[1, 3]),
            ("x\r\ny\r\n", &[("x\n", "a\nb\n", Only), ("b\ny", "c", Only)], "a\r\nc\r\n", &[1, 2]),
            ("\u{FEFF}x", &[("x", "", Only)], "\u{FEFF}", &[1]),
            ("\u{FEFF}x\r\nx", &[("x", "y\n", All)], "\u{FEFF}y\r\n\r\ny\r\n", &[1, 2]),
        ] {
            let expected = Ok((expected.to_owned(), lines.to_vec()));
            assert_eq!(replaced(text, edits), expected, "{text:?} {edits:?}");
        }
    }

    #[test]
    fn what_cannot_be_replaced_is_refused_by_the_rules_of_one_replacement() {
        use OccurrenceChoice::{All, Nth, Only};
        for (edits, expected) in [
            (&[("c", "x", Only)][..], EditError::NoMatch(Traces::default())),
            (&[("c", "x", All)], EditError::NoMatch(Traces::default())),
            (
                &[("a", "x", Only), ("a", "x", Only), ("a", "x", Only)],
                EditError::Ambiguous { count: 2, lines: vec![1, 2] },
            ),
            (&[("a", "b", All), ("a", "x", Nth(1))], EditError::NoMatch(Traces::default())),
            (&[("a", "x", Nth(3))], EditError::NoSuchOccurrence { asked: 3, count: 2 }),
        ] {
            assert_eq!(replaced("a\na", edits).unwrap_err(), expected, "{edits:?}");
        }
    }

    #[test]
    fn no_text_becomes_larger_than_it_may_be() {
        let mut composed = EditedText::new(vec![b'a'; 8 << 20], 0);
        let request = |which, old, new| EditRequest { old, new, which, exact_line_ends: true };
        composed.replace(&request(OccurrenceChoice::All, "a", "aaaa")).unwrap();
        let grown = EditError::GrowsTooLarge;
        assert_eq!(composed.replace(&request(OccurrenceChoice::All, "a", "aa")).unwrap_err(), grown);
        assert_eq!(composed.replace(&request(OccurrenceChoice::Nth(1), "a", "aa")).unwrap_err(), grown);
        assert_eq!(composed.into_bytes().len(), 32 << 20, "a refused one changes nothing");
    }

    #[test]
    fn a_text_that_is_not_utf_8_takes_ascii_only() {
        let mut composed = EditedText::new(b"caf\xE9 a".to_vec(), 0);
        let mut replace = |new| {
            composed.replace(&EditRequest {
                old: "a",
                new,
                which: OccurrenceChoice::Nth(2),
                exact_line_ends: false,
            })
        };
        assert_eq!(
            replace("é").unwrap_err(),
            EditError::NotEncodable(NotEncodable { character: 'é', offset: 3 })
        );
        replace("b").unwrap();
        assert_eq!(composed.into_bytes(), b"caf\xE9 b");
    }
}

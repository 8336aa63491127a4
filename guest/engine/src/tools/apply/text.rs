//! A file in memory, while edits change it.

use std::ops::Range;

use super::request::{Form, Requested};
use crate::changes::{Change, New, Old, Tags, splice_bytes_written};
use crate::file::encoding::{self, TextFormat};
use crate::file::{BOM, OpenFile};
use crate::resolve::Place;
use crate::tools::count;
use fsgate_contract::edit_types::AppliedFile;
use fsgate_contract::limits::COMPOSED_BYTES;
use fsgate_error::{EditProblem, EncodingProblem, Failure, Reason};
use fsgate_text::edit_sequence::EditedText;
use fsgate_text::encoding::Edit;
use fsgate_text::patch::locate::MovedHunk;
use fsgate_text::splice::difference;
use fsgate_volume::etag::{self, Subtrees};
use fsgate_volume::{Stat, Volume};

pub(super) struct Text {
    before: Vec<u8>,
    subtrees: Subtrees,
    pub(super) etag: String,
    pub(super) composed: EditedText,
}

pub(super) struct Spliced {
    pub(super) before: Vec<u8>,
    pub(super) after: Vec<u8>,
    /// The edits of decoded content.
    pub(super) in_text: Vec<Edit>,
    pub(super) from: Range<usize>,
    pub(super) to: Range<usize>,
    etag_before: String,
    pub(super) etag: String,
    pub(super) bytes_written: u64,
}

impl Text {
    pub(super) fn read<V: Volume>(
        source: &OpenFile<V>,
        format: &TextFormat,
        one: &Requested,
    ) -> Result<Self, Failure> {
        if source.size() > COMPOSED_BYTES {
            return Err(one.refuse(EditProblem::FileTooLarge(source.size())));
        }
        let text = source.bytes(0..source.size()).map_err(|failure| one.refused(failure))?;
        let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let (before, composed) = match source.decoded() {
            Some(decoded) => (decoded.raw().to_vec(), EditedText::inside(text, start)),
            None if source.is_named_utf_8() => (text.clone(), EditedText::new(text, start).known()),
            None => (text.clone(), EditedText::new(text, start)),
        };
        let mut subtrees = Subtrees::default();
        subtrees.update(&before);
        let etag = etag::from(&subtrees.hash());
        Ok(Self { before, subtrees, etag, composed: composed.spelled(format.spelled(source.reader())) })
    }

    pub(super) fn make(
        &mut self,
        edits: &[Requested],
        exact_line_ends: bool,
    ) -> Result<Vec<MovedHunk>, Failure> {
        make(&mut self.composed, edits, exact_line_ends)
    }

    pub(super) fn file(&mut self, path: &str) -> AppliedFile {
        AppliedFile {
            path: path.to_owned(),
            etag_before: Some(self.etag.clone()),
            replacements: count(self.composed.replacements).unwrap_or(u32::MAX),
            lines: std::mem::take(&mut self.composed.lines),
            line_ends_adapted: self.composed.adapted,
            ..AppliedFile::default()
        }
    }

    pub(super) fn after<V: Volume>(
        self,
        source: &OpenFile<V>,
        edits: &[Requested],
    ) -> Result<Vec<u8>, Failure> {
        self.spliced(source, edits).map(|spliced| spliced.after)
    }

    pub(super) fn spliced<V: Volume>(
        self,
        source: &OpenFile<V>,
        edits: &[Requested],
    ) -> Result<Spliced, Failure> {
        let Self { before, subtrees, etag: etag_before, composed } = self;
        let in_text = composed.edits();
        let after = match source.decoded() {
            Some(decoded) => {
                encoding::edited(decoded, &in_text).map_err(|reason| source.guessed(blamed(edits, reason)))?
            }
            None => composed.into_bytes(),
        };
        let (from, to) = difference(&before, &after);
        let offset = from.start as u64;
        let hash = subtrees.spliced_in(&[&before], offset, from.len() as u64, &after[to.clone()]);
        let bytes_written =
            splice_bytes_written(before.len() as u64, offset, from.len() as u64, to.len() as u64);
        Ok(Spliced { before, after, in_text, from, to, etag_before, etag: etag::from(&hash), bytes_written })
    }
}

pub(super) fn make(
    composed: &mut EditedText,
    edits: &[Requested],
    exact_line_ends: bool,
) -> Result<Vec<MovedHunk>, Failure> {
    let mut moved = Vec::new();
    for one in edits {
        match &one.form {
            Form::Replace(request) => composed.replace(request).map_err(|error| one.refuse(error))?,
            Form::Block(request) => {
                composed.replace_block(request).map_err(|error| one.refuse(error))?;
            }
            Form::Hunks(hunks) | Form::DeleteLines(hunks) | Form::Move(_, hunks) | Form::Copy(_, hunks) => {
                let done = composed.patch(hunks, exact_line_ends);
                moved.extend(done.map_err(|(hunk, error)| one.refuse_in(hunk, error.into()))?);
            }
            Form::Content(_) | Form::Create(_) | Form::Delete => {}
        }
    }
    Ok(moved)
}

/// The failure of an unwritable result, at the edit that caused it.
fn blamed(edits: &[Requested], reason: Reason) -> Failure {
    let character = match reason {
        Reason::Encoding(EncodingProblem::NotInEncoding { character, .. }) => Some(character),
        _ => None,
    };
    let culprit = edits.iter().find_map(|one| Some((one, one.form.puts(character?)?)));
    match (culprit, edits.first()) {
        (Some((one, hunk)), _) => one.refuse_in(hunk, reason),
        (None, Some(first)) => first.refuse(reason),
        (None, None) => reason.into(),
    }
}

impl Spliced {
    pub(super) fn change<V: Volume>(self, place: Place<V>, seen: Stat) -> Change<V> {
        let Self { before, after, from, to, etag_before, etag, .. } = self;
        let offset = from.start as u64;
        // Hold no more old bytes than new ones.
        let old = if from.len() <= to.len() {
            Old::Bytes(part(before, from))
        } else {
            let old = &before[from];
            Old::Digest { length: old.len() as u64, hash: blake3::hash(old) }
        };
        let new = New::Bytes(part(after, to));
        let tags = Tags { before: Some(etag_before), after: Some(etag), whole: false };
        Change::Splice { place, seen, offset, old, new, tags }
    }
}

fn part(mut bytes: Vec<u8>, range: Range<usize>) -> Vec<u8> {
    bytes.truncate(range.end);
    bytes.drain(..range.start);
    bytes.shrink_to_fit();
    bytes
}

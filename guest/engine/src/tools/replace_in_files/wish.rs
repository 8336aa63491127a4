//! The search of a call, and files in memory with their occurrences.

use memchr::memchr;

use super::ids::{Id, Sought};
use crate::file::OpenFile;
use crate::file::encoding::{self, TextFormat};
use crate::notes;
use fsgate_contract::edit_types::ReplaceInFilesArgs;
use fsgate_contract::limits::COMPOSED_BYTES;
use fsgate_contract::search_types::Skipped;
use fsgate_contract::types::Note;
use fsgate_error::{Failure, Reason};
use fsgate_text::escape;
use fsgate_text::haystack::Haystack;
use fsgate_text::line_end::as_lf;
use fsgate_text::pattern::Pattern;
use fsgate_text::select_matches::{CountedMatches, SearchTarget, SelectionRequest};
use fsgate_volume::Volume;
use fsgate_volume::etag::Subtrees;

pub(super) struct Wish<'s> {
    args: &'s ReplaceInFilesArgs,
    pattern: Option<Pattern>,
    pub(super) sought: Sought,
}

pub(super) struct HeldFile<'a, V: Volume> {
    pub(super) source: OpenFile<'a, V>,
    bytes: Vec<u8>,
    start: usize,
    pub(super) found: CountedMatches,
}

/// The counter of a skipped file.
pub(super) type Kept = fn(&mut Skipped) -> &mut u32;

impl<'s> Wish<'s> {
    pub(super) fn new(args: &'s ReplaceInFilesArgs) -> Result<Self, Reason> {
        let encoding = args.encoding.as_deref().map(encoding::named).transpose()?;
        let pattern = if args.regex() { Some(Pattern::parse(&args.old)?) } else { None };
        if let Some(pattern) = &pattern {
            // Group names are ASCII, which is the same in every file.
            let new =
                if args.escaped() { escape::unescaped(&args.new) } else { args.new.clone().into_bytes() };
            pattern.admit(&new)?;
        }
        Ok(Self { args, pattern, sought: Sought::of(args, encoding) })
    }

    /// Finds all occurrences in a file, or returns the counter of skipped files.
    pub(super) fn hold<'a, V: Volume>(
        &self,
        source: OpenFile<'a, V>,
    ) -> Result<Result<HeldFile<'a, V>, Kept>, Failure> {
        if source.size() > COMPOSED_BYTES {
            return Ok(Err(|skipped| &mut skipped.too_large));
        }
        let format = self.format();
        // Its zeros may be parts of characters.
        let is_told = format.encoding.is_some() || encoding::utf_16(source.reader()).is_some();
        if !is_told && encoding::admit(source.reader()).is_err() {
            return Ok(Err(|skipped| &mut skipped.binary));
        }
        let source = match &self.pattern {
            Some(_) => source.as_whole_text(&format)?,
            None => source.as_text(&format, &[&self.args.old, &self.args.new])?,
        };
        let mut held = self.look(source)?;
        // An occurrence after a byte outside of ASCII may be a part of a character.
        if let Some(known) = held.take_if(|held| held.found.survey.follows_high_byte) {
            let (source, is_other) = known.source.reconsidered()?;
            held = if is_other { self.look(source)? } else { Some(HeldFile { source, ..known }) };
        }
        Ok(held.ok_or(|skipped| &mut skipped.binary))
    }

    /// True if an expression with line ends matches only with LF for each CRLF.
    pub(super) fn wants_lf<V: Volume>(&self, held: &HeldFile<V>) -> bool {
        let Some(pattern) = self.pattern.as_ref().filter(|pattern| pattern.names_line_ends()) else {
            return false;
        };
        let is_found = |text: Vec<u8>| pattern.matches(Haystack::whole(&text)).next().is_some();
        held.found.survey.count == 0 && as_lf(held.text()).is_some_and(is_found)
    }

    pub(super) fn note(&self) -> Option<Note> {
        notes::foreign_replacement(self.pattern.as_ref()?, &self.args.new, self.args.escaped())
    }

    fn format(&self) -> TextFormat<'_> {
        TextFormat { encoding: self.args.encoding.as_deref(), escaped: self.args.escaped() }
    }

    /// Returns none if it has a NUL byte.
    fn look<'a, V: Volume>(&self, source: OpenFile<'a, V>) -> Result<Option<HeldFile<'a, V>>, Failure> {
        let bytes = source.bytes(0..source.size())?;
        if memchr(0, &bytes).is_some() {
            return Ok(None);
        }
        let start = usize::try_from(source.text_start()?).unwrap_or(bytes.len()).min(bytes.len());
        let found = self.with_request(&source, |request| request.survey(&bytes[start..]));
        let found = found.map_err(|reason| source.refuse(reason))?;
        Ok(Some(HeldFile { source, bytes, start, found }))
    }

    pub(super) fn with_request<V: Volume, T>(
        &self,
        source: &OpenFile<V>,
        ask: impl FnOnce(&SelectionRequest) -> T,
    ) -> T {
        let (args, format) = (self.args, self.format());
        let (old, new) = (format.bytes(source.reader(), &args.old), format.bytes(source.reader(), &args.new));
        ask(&SelectionRequest {
            wanted: self.pattern.as_ref().map_or(SearchTarget::Text(&old), SearchTarget::Pattern),
            new: &args.new,
            new_bytes: &new,
            exact_line_ends: args.exact_line_ends(),
            is_decoded: source.decoded().is_some(),
            is_known: source.has_known_encoding(),
        })
    }
}

impl<V: Volume> HeldFile<'_, V> {
    pub(super) fn text(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// The id, with the offset in the bytes: another `new` may change the decoding.
    pub(super) fn id(&self, tag: &str, sought: &Sought, place: usize) -> Id {
        let at = self.start + place;
        let offset = self.source.decoded().map_or(at, |decoded| decoded.raw_offset(at));
        Id::new(self.source.path(), tag, sought, offset)
    }

    /// The place of an id in the text, if a character begins there.
    pub(super) fn place(&self, id: &Id) -> Option<usize> {
        let Some(decoded) = self.source.decoded() else { return id.offset.checked_sub(self.start) };
        let at = decoded.text_offset(id.offset);
        at.checked_sub(self.start).filter(|_| decoded.raw_offset(at) == id.offset)
    }

    pub(super) fn tag(&self) -> Result<(Subtrees, String), Failure> {
        let mut subtrees = Subtrees::default();
        subtrees.update(&self.bytes);
        let tag = self.source.tag(&subtrees)?;
        Ok((subtrees, tag))
    }
}

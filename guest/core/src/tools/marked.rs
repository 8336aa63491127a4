//! What `comment-lines` and `uncomment-lines` have in common.

use std::ops::{ControlFlow, Range};

use crate::coding::{self, Wanted};
use crate::error::{Failure, LineProblem, Reason};
use crate::limits::{PLACED_BYTES, SECTION_BYTES};
use crate::lined::{self, Made};
use crate::text::blocks::{Block, Blocks, Dialect};
use crate::text::comment::Marked;
use crate::text::languages::{self, Language, Mark};
use crate::text::markup::{self, Mixture, Place};
use crate::text::number::parse_lines;
use crate::text::similar::Suggestions;
use crate::view::{Source, View};
use crate::volume::Volume;

/// Which lines, of what kind of file.
pub(super) struct Request<'a> {
    pub(super) path: &'a str,
    pub(super) lines: &'a str,
    pub(super) syntax: Option<&'a str>,
    pub(super) encoding: Option<&'a str>,
    pub(super) if_match: Option<&'a str>,
    pub(super) diff: bool,
}

/// What was done to them.
pub(super) struct Marks<V: Volume> {
    pub(super) path: String,
    pub(super) syntax: String,
    pub(super) changed: u32,
    pub(super) lines: Vec<u32>,
    pub(super) made: Made<V>,
}

/// Puts in the place of the lines what becomes of them. The number of the first one goes with them.
pub(super) fn make<V: Volume>(
    view: &View<V>,
    request: &Request,
    mark: impl FnOnce(&[u8], Mark, u64) -> Result<Marked, Reason>,
) -> Result<Marks<V>, Failure> {
    let lines = parse_lines(request.lines).map_err(|reason| reason.at(request.path))?;
    let source = view.open_for_change(request.path)?;
    // Marks are ASCII, so it matters in UTF-16 only, unless somebody knows better.
    let source = coding::as_text(source, &Wanted { label: request.encoding, escaped: false }, &[])?;
    let language = language(&source, request.syntax).map_err(|reason| source.refuse(reason))?;
    let first = *lines.start();
    let found = lined::find(
        &source,
        &lined::Request { lines, content: b"", foreign: None, if_match: request.if_match },
    )?;
    let range = found.region.start..found.region.end;
    let too_large = |bytes| source.refuse(Reason::Lines(LineProblem::TooLarge(bytes)));
    if range.end - range.start > PLACED_BYTES as u64 {
        return Err(too_large(range.end - range.start));
    }
    let text = source.bytes(range.clone())?;
    let language = match (language.blocks, language.mixture) {
        (Some(dialect), _) => inside(&source, language, dialect, range.start, &text)?,
        (None, Some(mixture)) => beside_markup(&source, language, mixture, &range)?,
        (None, None) => language,
    };
    let Marked { text, changed, lines } =
        mark(&text, language.mark, first).map_err(|reason| source.refuse(reason))?;
    if text.len() > PLACED_BYTES {
        return Err(too_large(text.len() as u64));
    }
    Ok(Marks {
        path: source.path().to_owned(),
        syntax: language.name.to_owned(),
        changed: super::count(changed).unwrap_or(u32::MAX),
        lines: lines.into_iter().filter_map(|line| super::count(first + line)).collect(),
        made: lined::make(source, &found, range, text, request.diff)?,
    })
}

/// What lines are written in that begin at this offset of a file with blocks of other languages.
fn inside<V: Volume>(
    source: &Source<V>,
    language: &'static Language,
    dialect: Dialect,
    start: u64,
    lines: &[u8],
) -> Result<&'static Language, Failure> {
    let mut blocks = Blocks::new(dialect);
    source.each_chunk(source.text_start()?..start, |chunk| {
        blocks.feed(chunk);
        ControlFlow::Continue(())
    })?;
    match blocks.around(lines) {
        Block::Markup => Ok(language),
        Block::Of(language) => Ok(language),
        Block::Data => Err(source.refuse(Reason::Lines(LineProblem::NoComments("JSON")))),
    }
}

/// The language of lines of a file with markup in its code; that of the code in a file which is too
/// large.
fn beside_markup<V: Volume>(
    source: &Source<V>,
    language: &'static Language,
    mixture: Mixture,
    range: &Range<u64>,
) -> Result<&'static Language, Failure> {
    if source.size() > SECTION_BYTES {
        return Ok(language);
    }
    let start = source.text_start()?;
    let text = source.bytes(start..source.size())?;
    // Offsets in a text that is in memory.
    let lines = (range.start - start) as usize..(range.end - start) as usize;
    match markup::place(&text, language, mixture, lines) {
        Place::Code => Ok(language),
        Place::Markup(language) => Ok(language),
        Place::Data => Err(source.refuse(Reason::Lines(LineProblem::NoComments("JSON")))),
        Place::Across => Err(source.refuse(Reason::Lines(LineProblem::AcrossMarkup))),
    }
}

/// The kind of file that is named, or that the file is.
fn language<V: Volume>(source: &Source<V>, syntax: Option<&str>) -> Result<&'static Language, Reason> {
    match syntax {
        None => languages::of_file(source.name(), source.content().head())
            .ok_or(Reason::Lines(LineProblem::UnknownFile)),
        Some(syntax) => languages::named(syntax).ok_or_else(|| {
            let mut near = Suggestions::new(syntax);
            languages::words().for_each(|word| near.consider(word));
            Reason::Lines(LineProblem::UnknownSyntax { syntax: syntax.to_owned(), near: near.finish() })
        }),
    }
}

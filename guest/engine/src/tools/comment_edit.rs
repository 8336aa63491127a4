//! The code that `comment-lines` and `uncomment-lines` share.

use std::ops::Range;

use crate::changes::Change;
use crate::edit::lines;
use crate::edit::splice::Edited;
use crate::file::OpenFile;
use crate::file::encoding::TextFormat;
use crate::notes;
use crate::view::View;
use fsgate_contract::edit_types::CommentLinesArgs;
use fsgate_contract::limits::{CHUNK_BYTES, PLACED_BYTES, SECTION_BYTES};
use fsgate_error::{Failure, LineProblem, Reason};
use fsgate_text::blocks::{Block, Blocks, Dialect};
use fsgate_text::comment::MarkedLines;
use fsgate_text::languages::{self, CommentMark, Language};
use fsgate_text::lines::end_of_line;
use fsgate_text::markup::{self, MarkupPlace, Mixture};
use fsgate_text::number::parse_lines;
use fsgate_text::outline::{Code, ContentRegions, UnreadComment};
use fsgate_text::similar::Suggestions;
use fsgate_volume::Volume;

pub(super) struct Marks<V: Volume> {
    pub(super) syntax: String,
    pub(super) changed: u32,
    pub(super) lines: Vec<u32>,
    pub(super) edited: Edited,
    pub(super) change: Change<V>,
}

pub(super) struct Lines<'a> {
    pub(super) text: &'a [u8],
    pub(super) marks: &'a [CommentMark],
    pub(super) first: u64,
    surroundings: &'a Surroundings,
}

impl Lines<'_> {
    /// The content in which a line at this offset begins.
    pub(super) fn content_at(&self, begin: usize) -> Option<&'static str> {
        self.surroundings.contents.at(self.surroundings.start + begin)
    }

    /// The problem of a line in content, counted from 0.
    pub(super) fn content(&self, line: u64) -> LineProblem {
        let begin = (0..line).fold(0, |at, _| end_of_line(self.text, at));
        let what = self.content_at(begin).unwrap_or_default();
        LineProblem::Content { line: self.first + line, what }
    }
}

/// Decides about comments.
struct Surroundings {
    language: &'static Language,
    place: MarkupPlace,
    contents: ContentRegions,
    /// The text of the contents, if its code is known.
    text: Vec<u8>,
    /// The offset of the lines among the contents.
    start: usize,
}

impl Surroundings {
    fn all(language: &'static Language, place: MarkupPlace) -> Self {
        Self { language, place, contents: ContentRegions::default(), text: Vec::new(), start: 0 }
    }

    /// Its code, unless nothing tells it from strings.
    fn code(&self) -> Option<Code> {
        let rules = self.language.lexer_rules().filter(|_| !self.text.is_empty())?;
        Some(Code::of(&self.text, rules))
    }

    /// The problem of lines that `marked` has as comments, if some of it is code or the text after
    /// them is read otherwise.
    fn unread(
        &self,
        code: &Code,
        lines: usize,
        marked: &[u8],
        (first, last): (u64, u64),
    ) -> Option<LineProblem> {
        let lines = self.start..self.start + lines;
        let text = [&self.text[..lines.start], marked, &self.text[lines.end..]].concat();
        let rules = self.language.lexer_rules()?;
        let end = lines.start + marked.len();
        match code.check(lines, &Code::of(&text, rules), end) {
            Ok(()) => None,
            Err(UnreadComment::Opens) => {
                Some(LineProblem::Opens { line: last, what: "a string or a comment" })
            }
            Err(UnreadComment::StaysCode) => Some(LineProblem::StaysCode(first)),
        }
    }
}

/// The line whose end joins the lines to the one before or after them.
fn continued(
    language: &Language,
    head: &[u8],
    (before, lines): (&[u8], &[u8]),
    (first, last): (u64, u64),
) -> Option<LineProblem> {
    let (into, out) = (language.continues(before, head), language.continues(lines, head));
    if language.joins_over_comments() && into.is_some() == out.is_some() {
        return None;
    }
    let problem = |line, end| LineProblem::Continued { line, end };
    into.map(|end| problem(first - 1, end)).or_else(|| out.map(|end| problem(last, end)))
}

pub(super) fn make<V: Volume>(
    view: &View<V>,
    args: &CommentLinesArgs,
    comments: bool,
    mark: impl FnOnce(&Lines) -> Result<MarkedLines, LineProblem>,
) -> Result<Marks<V>, Failure> {
    let numbers = parse_lines(&args.lines).map_err(|error| Reason::from(error).at(&*args.path))?;
    let file = view.open_for_change(&args.path, args.if_match.as_deref())?;
    // Marks are ASCII, so only UTF-16 or a named encoding matters.
    let format = TextFormat { encoding: args.encoding.as_deref(), escaped: false };
    let file = file.as_text(&format, &[])?;
    let language = language(&file, args.syntax.as_deref()).map_err(|reason| file.refuse(reason))?;
    let (first, last) = (*numbers.start(), *numbers.end());
    let found = lines::find(file, numbers, b"", None)?;
    let file = &found.tagged.file;
    let range = found.region.start..found.region.end;
    let too_large = |bytes| file.refuse(LineProblem::TooLarge(bytes));
    if range.end - range.start > PLACED_BYTES as u64 {
        return Err(too_large(range.end - range.start));
    }
    let text = file.bytes(range.clone())?;
    let surroundings = match languages::of_file(file.name(), file.reader().head()) {
        Some(own) if own.name != language.name => Surroundings::all(language, MarkupPlace::Code),
        _ => match language.blocks {
            Some(dialect) => inside(file, language, dialect, &range, &text)?,
            None => around(file, language, file.text_start()?, &range)?,
        },
    };
    let Surroundings { mut language, place, .. } = surroundings;
    let is_code = comments && matches!(place, MarkupPlace::Code);
    let code = if is_code { surroundings.code() } else { None };
    let before = file.bytes(range.start.saturating_sub(CHUNK_BYTES as u64)..range.start)?;
    let joined = if is_code && range.end < file.size() {
        let (start, end) = (surroundings.start, surroundings.start + text.len());
        let known = code.as_ref().and_then(|code| Some((code.before(start)?, code.before(end)?)));
        let around = known.unwrap_or((&before, &text));
        continued(language, file.reader().head(), around, (first, last))
    } else {
        None
    };
    let own = [language.mark, markup::CHILDREN.mark];
    let after = file.size().min(range.end + CHUNK_BYTES as u64);
    let problem = match place {
        MarkupPlace::Data => Some(LineProblem::NoComments("JSON")),
        // Comments that leave a block, such as those of another program, go.
        MarkupPlace::Across if !comments && language.blocks.is_some() => None,
        MarkupPlace::Across => Some(LineProblem::AcrossMarkup),
        MarkupPlace::Content(what) => Some(LineProblem::Content { line: first, what }),
        MarkupPlace::Code if comments && range.end < file.size() && language.joins(&text) => {
            Some(LineProblem::Joined(last))
        }
        MarkupPlace::Opens(what) if comments => Some(LineProblem::Opens { line: last, what }),
        MarkupPlace::Opens(_) => None,
        MarkupPlace::Code if joined.is_some() => joined,
        MarkupPlace::Code if comments && language.holds(&text, &file.bytes(range.end..after)?) => {
            Some(LineProblem::Deeper(last))
        }
        MarkupPlace::Code | MarkupPlace::Markup(_) => None,
    };
    if let Some(problem) = problem {
        return Err(file.refuse(problem));
    }
    if let MarkupPlace::Markup(markup) = place {
        language = markup;
    }
    // Elements that lack a tag look like code.
    let marks = match (place, language.mixture) {
        (MarkupPlace::Code, Some(Mixture::Elements)) => &own[..],
        _ => &[language.mark],
    };
    let given = Lines { text: &text, marks, first, surroundings: &surroundings };
    let MarkedLines { text, changed, lines } = mark(&given).map_err(|problem| file.refuse(problem))?;
    if text.len() > PLACED_BYTES {
        return Err(too_large(text.len() as u64));
    }
    let lines_bytes = (range.end - range.start) as usize;
    if let Some(code) = &code
        && let Some(problem) = surroundings.unread(code, lines_bytes, &text, (first, last))
    {
        return Err(file.refuse(problem));
    }
    let (mut edited, change) = lines::plan(found, range, text, args.diff())?;
    if changed == 0 && !comments {
        edited.notes.push(notes::no_comment(language.name, marks));
    }
    Ok(Marks {
        syntax: language.name.to_owned(),
        changed: super::count(changed).unwrap_or(u32::MAX),
        lines: lines.into_iter().filter_map(|line| super::count(first + line)).collect(),
        edited,
        change,
    })
}

/// The surroundings in a file with blocks of other languages.
fn inside<V: Volume>(
    file: &OpenFile<V>,
    language: &'static Language,
    dialect: Dialect,
    range: &Range<u64>,
    lines: &[u8],
) -> Result<Surroundings, Failure> {
    let (mut blocks, start) = (Blocks::new(dialect), file.text_start()?);
    file.feed(start..range.start, |chunk| blocks.feed(chunk))?;
    let begun = start + blocks.begun() as u64;
    Ok(match blocks.around(lines) {
        Block::Markup => Surroundings::all(language, MarkupPlace::Code),
        Block::Of(language) => around(file, language, begun, range)?,
        Block::Data => Surroundings::all(language, MarkupPlace::Data),
        Block::Across => Surroundings::all(language, MarkupPlace::Across),
        Block::Opens(what) => Surroundings::all(language, MarkupPlace::Opens(what)),
        Block::Content(what) => Surroundings::all(language, MarkupPlace::Content(what)),
    })
}

/// The surroundings in the text from `start` on; code in a large file.
fn around<V: Volume>(
    file: &OpenFile<V>,
    language: &'static Language,
    start: u64,
    lines: &Range<u64>,
) -> Result<Surroundings, Failure> {
    let is_all_code = language.mixture.is_none() && language.lexer_rules().is_none();
    if is_all_code || file.size() > SECTION_BYTES {
        return Ok(Surroundings::all(language, MarkupPlace::Code));
    }
    let text = file.bytes(start..file.size())?;
    let lines = (lines.start - start) as usize..(lines.end - start) as usize;
    let contents = markup::contents(&text, language);
    let start = lines.start;
    let place = markup::place(&text, language, &contents, lines);
    Ok(Surroundings { language, place, contents, text, start })
}

fn language<V: Volume>(file: &OpenFile<V>, syntax: Option<&str>) -> Result<&'static Language, LineProblem> {
    match syntax {
        None => languages::of_file(file.name(), file.reader().head()).ok_or(LineProblem::UnknownFile),
        Some(syntax) => languages::named(syntax).ok_or_else(|| {
            let mut near = Suggestions::new(syntax);
            languages::words().for_each(|word| near.consider(word));
            LineProblem::UnknownSyntax { syntax: syntax.to_owned(), near: near.finish() }
        }),
    }
}

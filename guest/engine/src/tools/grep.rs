//! `grep`: lines that match a pattern.

mod answer;
mod file;
mod search;

use std::time::Duration;

use answer::Answer;
use file::{End, Taker};
use search::{Detail, Hit, Scan, Verdict};

use super::count;
use crate::edit::section;
use crate::file::{ChunkReader, encoding};
use crate::notes;
use crate::pager::cursor::{FileCursor, WalkPosition};
use crate::resolve::LastLink;
use crate::view::{PathObject, Reach, View};
use crate::walk::{Scope, Visits, Walk};
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_contract::search_types::{GrepArgs, GrepMode, GrepOutcome, Skipped};
use fsgate_contract::types::{Note, Stop};
use fsgate_error::{Failure, Reason, SectionProblem};
use fsgate_text::encoding::{Certainty, Decoded, Detected, Encoding};
use fsgate_text::line_end::Tally;
use fsgate_text::line_pattern::{LinePattern, LineQuery};
use fsgate_text::pattern::{PatternError, names_line_ends};
use fsgate_text::window::Position;
use fsgate_volume::{Fault, Kind, Volume};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &GrepArgs) -> Result<GrepOutcome, Failure> {
    let pattern = LinePattern::compile(&LineQuery {
        pattern: &args.pattern,
        regex: args.regex(),
        ignore_case: args.ignore_case(),
        word: args.word(),
        multi_line: args.multi_line(),
        invert: args.invert(),
    })?;
    let encoding = args.encoding.as_deref().map(encoding::named).transpose()?;
    let from = match args.cursor.as_deref().map(WalkPosition::parse) {
        Some(None) => return Err(Reason::InvalidCursor.at(args.path())),
        from => from.flatten(),
    };
    let max_time = args.max_millis.map(|millis| Duration::from_millis(millis.into()));
    let end = max_time.map(|time| view.now() + time);
    let mut search = LineSearch {
        pattern: &pattern,
        encoding,
        section: args.section.as_deref(),
        detail: detail(args),
        include_binary: args.include_binary(),
        clock: &|| end.is_some_and(|end| view.now() >= end),
        answer: Answer::new(args),
        searched: 0,
        cut: None,
        wants_lf: None,
        notes: Vec::new(),
    };
    let over = match view.look(args.path(), LastLink::Follow)? {
        PathObject::Nothing(_) => return Err(view.missing(args.path())),
        PathObject::Named(..) => search.named(view, args.path(), from.as_ref())?,
        PathObject::Directory(_) | PathObject::Virtual(_) if args.section.is_some() => {
            return Err(Reason::Section(SectionProblem::OfDirectory).at(args.path()));
        }
        PathObject::Directory(_) | PathObject::Virtual(_) => {
            let scope = Scope { max_time, ..scope(view, args)? };
            search.below(view, view.walk(args.path(), scope, from.as_ref())?, from.as_ref())?
        }
    };
    let Over { path, skipped, next, notes } = over;
    search.notes.extend(notes);
    if args.cursor.is_none() && next.is_none() && search.answer.count == 0 {
        let literal = (!args.regex()).then_some(("pattern", &args.pattern[..]));
        search.notes.extend(nothing_found(search.searched, &skipped, true, literal));
        if args.regex() && search.wants_lf.is_none() {
            search.notes.extend(misread(&args.pattern, args.multi_line()));
        }
        let patterns = args.include.iter().chain(&args.exclude).flatten();
        search.notes.extend(view.taken_literally(args.path(), patterns.map(String::as_str)));
    } else if skipped.excluded == 0 {
        let patterns = args.exclude.iter().flatten().map(String::as_str);
        search.notes.extend(view.taken_literally(args.path(), patterns));
    }
    search.notes.extend(search.cut.take().map(cut_short));
    search.notes.extend(search.wants_lf.take().map(takes_lf));
    let LineSearch { answer, searched, notes, .. } = search;
    Ok(GrepOutcome {
        path,
        matches: answer.matches,
        files: answer.files,
        count: count(answer.count).unwrap_or(u32::MAX),
        searched,
        skipped,
        stopped: next.as_ref().map(|_| answer.budget.stopped.unwrap_or(Stop::Time)),
        next_cursor: next.map(|position| position.to_string()),
        notes,
    })
}

fn scope<V: Volume>(view: &View<V>, args: &GrepArgs) -> Result<Scope, Failure> {
    let exclude = |pattern: &String| view.glob(args.path(), "exclude", pattern, Reach::Anywhere, false);
    Ok(Scope {
        include_hidden: args.include_hidden(),
        respect_ignore: args.respect_ignore(),
        max_depth: args.max_depth,
        include: view.globs_with_below(
            args.path(),
            "include",
            args.include.as_deref().unwrap_or_default(),
        )?,
        exclude: args.exclude.iter().flatten().map(exclude).collect::<Result<_, _>>()?,
        counts_excluded: true,
        visits: Visits::Others,
        ..Scope::default()
    })
}

fn detail(args: &GrepArgs) -> Detail {
    match args.mode() {
        GrepMode::Content => Detail::Lines {
            before: args.before() as usize,
            after: args.after() as usize,
            with_etag: args.with_etag(),
        },
        GrepMode::Files => Detail::Any,
        GrepMode::Count => Detail::Count,
    }
}

const TOO_LARGE: Ended = Ended::Skipped(|skipped| &mut skipped.too_large);

struct LineSearch<'a> {
    pattern: &'a LinePattern,
    encoding: Option<Encoding>,
    section: Option<&'a [String]>,
    detail: Detail,
    /// Searches past NUL bytes.
    include_binary: bool,
    clock: &'a dyn Fn() -> bool,
    answer: Answer<'a>,
    searched: u32,
    /// The first file with a NUL byte, and the number of others.
    cut: Option<(String, u32)>,
    /// The same for files in CRLF where the pattern needs LF.
    wants_lf: Option<(String, u32)>,
    notes: Vec<Note>,
}

struct Over {
    path: String,
    skipped: Skipped,
    next: Option<WalkPosition>,
    notes: Vec<Note>,
}

enum Ended {
    Searched,
    /// A NUL byte is near its beginning.
    Binary,
    /// Searched up to a later NUL byte.
    Cut,
    Laborious,
    Skipped(fn(&mut Skipped) -> &mut u32),
    /// It does not fit the page and has to be searched again.
    Refused,
    /// A cursor resumes the search.
    Stopped(String),
}

impl LineSearch<'_> {
    fn named<V: Volume>(
        &mut self,
        view: &View<V>,
        path: &str,
        from: Option<&WalkPosition>,
    ) -> Result<Over, Failure> {
        let source = view.open(path)?;
        let shown = source.path().to_owned();
        let name = shown.rsplit('/').next().unwrap_or_default().to_owned();
        let resume = match from {
            None => None,
            Some(WalkPosition::At(at, extra)) if *at == name => Some(extra.as_str()),
            Some(_) => return Err(source.refuse(Reason::InvalidCursor)),
        };
        let resume = Resume::parse(resume).ok_or_else(|| source.refuse(Reason::InvalidCursor))?;
        let (reader, shown_path) = (source.into_reader(), || shown.clone());
        let ended = match self.section {
            Some(section) => self.section(reader, (&name, section), &shown_path, resume.as_ref()),
            None => self.file(reader, &shown_path, resume.as_ref()).map_err(Reason::reading),
        };
        let mut skipped = Skipped::default();
        let mut next = None;
        match ended.map_err(|reason| reason.at(path))? {
            Ended::Searched => self.searched = 1,
            Ended::Binary | Ended::Cut => skipped.binary = 1,
            Ended::Laborious => return Err(Reason::Pattern(PatternError::TooLaborious("pattern")).at(path)),
            Ended::Skipped(kind) => *kind(&mut skipped) = 1,
            Ended::Refused => next = Some(WalkPosition::At(name, String::new())),
            Ended::Stopped(extra) => {
                // As below a directory, the answer that goes on counts it if the time is over.
                self.searched = u32::from(self.answer.budget.stopped.is_some());
                next = Some(WalkPosition::At(name, extra));
            }
        }
        Ok(Over { path: shown, skipped, next, notes: Vec::new() })
    }

    fn below<V: Volume>(
        &mut self,
        view: &View<V>,
        mut walk: Walk<V>,
        from: Option<&WalkPosition>,
    ) -> Result<Over, Failure> {
        let next = loop {
            let Some(visit) = walk.next() else {
                break if walk.timed_out() { walk.position() } else { None };
            };
            match visit.kind {
                Kind::File => {}
                Kind::Link => {
                    skip(&mut walk, |skipped| &mut skipped.links);
                    continue;
                }
                Kind::Directory | Kind::Special(_) => {
                    skip(&mut walk, |skipped| &mut skipped.special);
                    continue;
                }
            }
            let extra = match from {
                Some(WalkPosition::At(path, extra)) if path == visit.path => Some(extra.as_str()),
                _ => None,
            };
            let Some(resume) = Resume::parse(extra) else {
                return Err(Reason::InvalidCursor.at(walk.start()));
            };
            let mut takes_long = false;
            let ended = opened(&walk).and_then(|reader| {
                takes_long = is_large(&reader);
                let shown = || walk.current().map(|visit| visit.shown()).unwrap_or_default();
                self.file(reader, &shown, resume.as_ref())
            });
            match ended {
                Ok(Ended::Searched) => self.searched = self.searched.saturating_add(1),
                Ok(Ended::Binary | Ended::Cut) => skip(&mut walk, |skipped| &mut skipped.binary),
                Ok(Ended::Laborious) => {
                    let shown = walk.current().map(|visit| visit.shown()).unwrap_or_default();
                    return Err(Reason::Pattern(PatternError::TooLaborious("pattern")).at(&shown));
                }
                Ok(Ended::Skipped(kind)) => skip(&mut walk, kind),
                Ok(Ended::Refused) => break walk.position_at(String::new()),
                Ok(Ended::Stopped(extra)) => {
                    // Without a full budget the time is over: the answer that goes on counts it.
                    if self.answer.budget.stopped.is_some() {
                        self.searched = self.searched.saturating_add(1);
                    }
                    break walk.position_at(extra);
                }
                // It was removed or replaced since its directory was read.
                Err(Fault::NotFound | Fault::IsDirectory | Fault::Loop) => {}
                Err(Fault::Denied(_)) => skip(&mut walk, |skipped| &mut skipped.denied),
                Err(Fault::OverLimit(_)) => skip(&mut walk, |skipped| &mut skipped.too_large),
                Err(_) => skip(&mut walk, |skipped| &mut skipped.unreadable),
            }
            // The walk checks the clock rarely.
            if takes_long && (self.clock)() {
                walk.pass();
                break walk.position();
            }
        };
        Ok(Over {
            path: walk.start().to_owned(),
            skipped: walk.skipped().clone(),
            next,
            notes: view.notes(&walk),
        })
    }

    /// Searches one section. Its lines keep their numbers in the file.
    fn section<V: Volume>(
        &mut self,
        reader: ChunkReader<V>,
        (name, section): (&str, &[String]),
        shown: &dyn Fn() -> String,
        resume: Option<&Resume>,
    ) -> Result<Ended, Reason> {
        let found = match self.named_encoding().or_else(|| encoding::utf_16(&reader)) {
            Some(found) => Some(found),
            None => encoding::suspected(&reader).map_err(Reason::reading)?,
        };
        let reader = match found {
            Some(found) => encoding::searchable(reader, found).map_err(Reason::reading)?,
            None => Some(reader),
        };
        let Some(reader) = reader else { return Ok(TOO_LARGE) };
        let range = section::find(name, &reader, section)?;
        let mut before = Tally::default();
        let start = reader.text_start().map_err(Reason::reading)?;
        before.feed(&reader.bytes(start..range.start).map_err(Reason::reading)?);
        let begin = Position { offset: range.start, line: before.total() + 1, column: 0 };
        self.from(&reader.ending_at(range.end), begin, shown, resume).map_err(Reason::reading)
    }

    fn named_encoding(&self) -> Option<Detected> {
        self.encoding.map(|encoding| Detected { encoding, certainty: Certainty::Named })
    }

    fn file<V: Volume>(
        &mut self,
        reader: ChunkReader<V>,
        shown: &dyn Fn() -> String,
        resume: Option<&Resume>,
    ) -> Result<Ended, Fault> {
        let named = self.named_encoding();
        let is_told = named.is_some() || self.pattern.asks_for_bytes();
        // A cursor in decoded text does not fit bytes.
        let utf_16 = || resume.filter(|_| !is_told).and_then(|_| encoding::utf_16(&reader));
        let found = match named.or_else(utf_16) {
            None if !is_told => encoding::suspected(&reader)?,
            found => found,
        };
        let reader = match found {
            Some(found) => encoding::searchable(reader, found)?,
            None => Some(reader),
        };
        let Some(reader) = reader else { return Ok(TOO_LARGE) };
        let ended = self.all(&reader, shown, resume)?;
        if !matches!(ended, Ended::Binary | Ended::Cut) {
            return Ok(ended);
        }
        // Checking this late saves a second search for zeros.
        let utf_16 = || {
            (!is_told && resume.is_none() && reader.decoded().is_none())
                .then(|| encoding::utf_16(&reader))
                .flatten()
        };
        match utf_16() {
            Some(found) => match encoding::searchable(reader, found)? {
                Some(reader) => self.all(&reader, shown, None),
                None => Ok(TOO_LARGE),
            },
            None if matches!(ended, Ended::Binary) => Ok(ended),
            None => {
                count_one(&mut self.cut, shown);
                Ok(Ended::Searched)
            }
        }
    }

    fn all<V: Volume>(
        &mut self,
        reader: &ChunkReader<V>,
        shown: &dyn Fn() -> String,
        resume: Option<&Resume>,
    ) -> Result<Ended, Fault> {
        let begin = Position { offset: reader.text_start()?, line: 1, column: 0 };
        self.from(reader, begin, shown, resume)
    }

    fn from<V: Volume>(
        &mut self,
        reader: &ChunkReader<V>,
        begin: Position,
        shown: &dyn Fn() -> String,
        resume: Option<&Resume>,
    ) -> Result<Ended, Fault> {
        let (start, count) = match resume {
            Some(resume) if resume.holds(reader, begin)? => (resume.cursor.position, resume.count),
            Some(_) => {
                let text = format!(
                    "`{}` has changed since the answer before, and is searched from its beginning again",
                    shown()
                );
                self.notes.push(Note { kind: "changed".to_owned(), text });
                (begin, 0)
            }
            None => (begin, 0),
        };
        let decoded = reader.decoded().map(|(decoded, _)| decoded);
        let scan = Scan::new(self.pattern, self.detail, start, count).of(decoded);
        let mut scan = scan.through_nul(self.include_binary);
        let encoding = decoded.map(Decoded::encoding);
        let mut room = Room { answer: &mut self.answer, clock: self.clock, shown, encoding, path: None };
        let end = file::search(reader, &mut scan, start, &mut room)?;
        let found = scan.count();
        if scan.wants_lf() {
            count_one(&mut self.wants_lf, shown);
        }
        let cursor = |position| Resume::at(reader, position, found).map(Ended::Stopped);
        Ok(match (end, self.detail) {
            (End::Stopped(_), Detail::Any) if found > 0 => {
                self.listed(shown, found, || Ok(Ended::Refused))?
            }
            (End::Stopped(position), _) if position == begin => Ended::Refused,
            (End::Stopped(position), _) => cursor(position)?,
            (End::Cut, Detail::Count) if found > 0 => {
                match self.listed(shown, found, || Ok(Ended::Refused))? {
                    Ended::Searched => Ended::Cut,
                    ended => ended,
                }
            }
            (End::Cut, _) => Ended::Cut,
            (End::Binary, _) => Ended::Binary,
            (End::Laborious, _) => Ended::Laborious,
            (End::TooLarge, _) => Ended::Skipped(|skipped| &mut skipped.too_large),
            (End::Done, Detail::Count) if found > 0 => self.listed(shown, found, || {
                // A slow count is not repeated: the cursor is at the end.
                let end = Position { offset: reader.size(), line: 1, column: 0 };
                if is_large(reader) { cursor(end) } else { Ok(Ended::Refused) }
            })?,
            (End::Done, _) => Ended::Searched,
        })
    }

    /// Adds a file with this many matching lines, or ends the page.
    fn listed(
        &mut self,
        shown: &dyn Fn() -> String,
        lines: u64,
        refused: impl FnOnce() -> Result<Ended, Fault>,
    ) -> Result<Ended, Fault> {
        if self.answer.file(&shown(), lines) { Ok(Ended::Searched) } else { refused() }
    }
}

fn opened<'a, V: Volume>(walk: &Walk<'a, V>) -> Result<ChunkReader<'a, V>, Fault> {
    let (volume, file) = walk.open()?;
    let size = volume.stat_file(&file)?.size;
    ChunkReader::new(volume, file, size)
}

fn is_large<V: Volume>(reader: &ChunkReader<V>) -> bool {
    reader.size() > CHUNK_BYTES as u64
}

fn skip<V: Volume>(walk: &mut Walk<V>, kind: impl FnOnce(&mut Skipped) -> &mut u32) {
    let count = kind(walk.skipped_mut());
    *count = count.saturating_add(1);
}

/// Adds the hits of one file while budget and time last.
struct Room<'r, 'a> {
    answer: &'r mut Answer<'a>,
    clock: &'r dyn Fn() -> bool,
    shown: &'r dyn Fn() -> String,
    encoding: Option<Encoding>,
    path: Option<String>,
}

impl Taker for Room<'_, '_> {
    fn take(&mut self, hit: Hit) -> Verdict {
        let path = self.path.get_or_insert_with(self.shown);
        match self.answer.hit(path, self.encoding, hit) {
            Verdict::Taken if (self.clock)() => Verdict::Last,
            verdict => verdict,
        }
    }

    fn goes_on(&mut self) -> bool {
        !(self.clock)()
    }
}

/// A position in a file, and the number of lines found before it.
struct Resume {
    cursor: FileCursor,
    count: u64,
}

impl Resume {
    /// Parses a cursor's extra part, which may be empty. None if it is forged.
    fn parse(extra: Option<&str>) -> Option<Option<Self>> {
        let Some(extra) = extra.filter(|extra| !extra.is_empty()) else { return Some(None) };
        let (cursor, count) = extra.rsplit_once('.')?;
        let plain = count.bytes().all(|byte| byte.is_ascii_digit());
        let count = plain.then(|| count.parse().ok()).flatten()?;
        let cursor = FileCursor::parse(cursor).filter(|cursor| cursor.position.line > 0)?;
        Some(Some(Self { cursor, count }))
    }

    fn at<V: Volume>(reader: &ChunkReader<V>, position: Position, count: u64) -> Result<String, Fault> {
        let before = reader.bytes(FileCursor::bound(position.offset))?;
        Ok(format!("{}.{count}", FileCursor::new(position, &before)))
    }

    /// True if the bytes before the position are unchanged.
    fn holds<V: Volume>(&self, reader: &ChunkReader<V>, begin: Position) -> Result<bool, Fault> {
        let position = self.cursor.position;
        let bound = FileCursor::bound(position.offset);
        let before = reader.bytes(bound.start..bound.end.min(reader.size()))?;
        let reaches = before.len() as u64 == bound.end - bound.start;
        Ok(reaches && position.offset >= begin.offset && FileCursor::new(position, &before) == self.cursor)
    }
}

/// Counts a file, and keeps the first path.
pub(super) fn count_one(files: &mut Option<(String, u32)>, shown: &dyn Fn() -> String) {
    *files = Some(match files.take() {
        Some((first, others)) => (first, others.saturating_add(1)),
        None => (shown(), 0),
    });
}

fn first_of((first, others): (String, u32)) -> String {
    let others = if others > 0 { format!(" (and {others} more)") } else { String::new() };
    format!("`{first}`{others}")
}

fn cut_short(files: (String, u32)) -> Note {
    let text = format!(
        "{} has a NUL byte and was searched up to there: `include_binary` searches all of it",
        first_of(files)
    );
    Note { kind: "binary".to_owned(), text }
}

/// The note about files in CRLF that would match with LF.
pub(super) fn takes_lf(files: (String, u32)) -> Note {
    let text = format!(
        "{} has a match only if a line end is LF, and ends lines in CRLF: `\\r?\\n` is both",
        first_of(files)
    );
    Note { kind: "line_ends".to_owned(), text }
}

/// The note of an empty answer; `literal` is an argument taken literally.
pub(super) fn nothing_found(
    searched: u32,
    skipped: &Skipped,
    reads_binary: bool,
    literal: Option<(&str, &str)>,
) -> Option<Note> {
    if searched == 0 {
        let arguments = notes::unskipping(skipped, reads_binary);
        let with =
            arguments.map_or_else(String::new, |arguments| format!("; give {arguments} to search more"));
        let text = format!("no file was searched: {}{with}", reasons(skipped));
        return Some(Note { kind: "nothing_searched".to_owned(), text });
    }
    let (field, _) = literal.filter(|(_, text)| may_be_expression(text))?;
    let text = format!(
        "nothing was found, and `{field}` was taken letter for letter: set `regex` if it is a regular expression"
    );
    Some(Note { kind: "regex_off".to_owned(), text })
}

/// The note about an expression without a match that has another meaning elsewhere.
pub(super) fn misread(expression: &str, multi_line: bool) -> Option<Note> {
    let text = if expression.contains("\\|") {
        "nothing was found, and `\\|` stands for the character `|`: alternatives are written `a|b`"
    } else if multi_line && expression.contains("\\z") {
        "nothing was found, and `\\z` is the end of the text, after its last line end: `$` is the end of a line"
    } else if multi_line && names_line_ends(expression) && !expression.contains("\\r?") {
        "nothing was found, and an expression takes a line end as it is: `(\\r\\n|\\n|\\r)` is any line end"
    } else {
        return None;
    };
    Some(Note { kind: "no_match".to_owned(), text: text.to_owned() })
}

pub(super) fn may_be_expression(text: &str) -> bool {
    const SIGNS: &[&str] = &["|", ".*", ".+", "\\", "^", "$", "[", "(?"];
    SIGNS.iter().any(|sign| text.contains(sign))
}

fn reasons(skipped: &Skipped) -> String {
    let Skipped {
        hidden,
        not_utf8,
        ignored,
        excluded,
        too_deep,
        unreadable,
        links,
        special,
        binary,
        too_large,
        denied,
    } = *skipped;
    let counted: Vec<_> = [
        (hidden, "hidden", "hidden"),
        (ignored, "ignored", "ignored"),
        (excluded, "excluded", "excluded"),
        (binary, "binary", "binary"),
        (too_large, "too large", "too large"),
        (unreadable, "unreadable", "unreadable"),
        (denied, "denied by the policy", "denied by the policy"),
        (links, "a link", "links"),
        (special, "special", "special"),
        (too_deep, "too deep", "too deep"),
        (not_utf8, "not to be named", "not to be named"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| if count == 1 { format!("1 is {one}") } else { format!("{count} are {many}") })
    .collect();
    if counted.is_empty() { "there is none".to_owned() } else { counted.join(", ") }
}

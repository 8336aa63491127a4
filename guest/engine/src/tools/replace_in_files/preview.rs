//! The occurrences of a preview.

use std::borrow::Cow;

use memchr::memchr2;

use super::ids::Id;
use super::wish::HeldFile;
use crate::tools::count;
use fsgate_contract::edit_types::Occurrence;
use fsgate_contract::limits::SHOWN_LINE_CHARS;
use fsgate_text::encoding::plain_bytes;
use fsgate_text::escape;
use fsgate_text::excerpt::around;
use fsgate_text::select_matches::MatchPlace;
use fsgate_volume::Volume;

/// The occurrence for the outcome. Reads a bounded part of its line.
pub(super) fn occurrence<V: Volume>(held: &HeldFile<V>, id: &Id, place: &MatchPlace) -> Occurrence {
    /// Enough bytes for the shown characters.
    const REACH: usize = 4 * SHOWN_LINE_CHARS + 16;
    let (text, at) = (held.text(), place.range.start);
    let from = place.line_start.max(at.saturating_sub(REACH));
    let reach = text.len().min(at + REACH);
    // An occurrence that begins with the LF of a CRLF begins after the shown line.
    let near = at.saturating_sub(1).max(place.line_start);
    let end = memchr2(b'\n', b'\r', &text[near..reach]).map(|end| near + end);
    let is_whole = from == place.line_start && (end.is_some() || reach == text.len());
    let line = &text[from..end.unwrap_or(reach)];
    let range = around(line, (at - from).min(line.len()), SHOWN_LINE_CHARS);
    let cut = !is_whole || range.len() < line.len();
    let piece = match held.source.decoded() {
        Some(_) => Cow::Owned(plain_bytes(&line[range])),
        None => Cow::Borrowed(&line[range]),
    };
    let plain = escape::plain(&piece);
    Occurrence {
        id: id.to_string(),
        path: held.source.path().to_owned(),
        line: count(place.line).unwrap_or(u32::MAX),
        column: count(place.column).unwrap_or(u32::MAX),
        escaped: plain.is_none(),
        text: plain.map_or_else(|| escape::escaped(&piece), str::to_owned),
        cut,
    }
}

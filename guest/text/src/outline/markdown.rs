//! Markdown headings and their content.

use std::ops::Range;

use super::name_path::{DefinedName, Enclosing, NameSearch, Rank, spaced};
use crate::blocks::{Blocks, Dialect};
use crate::lines::{content, end_of_line};

/// An open heading: its level, the names under it, and its start if it matches.
struct OpenHeading {
    level: usize,
    inside: Enclosing,
    found: Option<(Rank, usize)>,
}

/// A block with blocks inside. A heading in it begins no section.
#[derive(Debug, Clone, Copy)]
enum Container {
    Quote,
    /// A list item: its indentation, and whether it is still empty.
    Item {
        indent: usize,
        is_empty: bool,
    },
}

/// The block that takes the next line.
#[derive(Debug, Clone)]
enum Leaf {
    Between,
    /// Lines of a possible setext heading.
    Paragraph(Range<usize>),
    /// Fenced code: the character and its count.
    Fence(u8, usize),
    /// HTML up to one of these, or up to a blank line without any.
    Html(&'static [&'static [u8]]),
}

/// Visits every heading. Blocks follow CommonMark.
pub(super) fn look(text: &[u8], names: &mut NameSearch) {
    let walk = HeadingWalk { names, open: Vec::new() };
    let mut blocks = MarkdownBlocks { text, walk, containers: Vec::new(), leaf: Leaf::Between };
    let mut from = end_of_front_matter(text);
    while from < text.len() {
        let to = end_of_line(text, from);
        blocks.line(from..to);
        from = to;
    }
    blocks.walk.close(0, text.len());
}

/// Lines that begin in front matter, in fenced code, or in a tag or a comment of an HTML block.
pub(super) fn raw(text: &[u8]) -> Vec<(Range<usize>, &'static str)> {
    const CODE: &str = "the settings or the code of a Markdown text";
    let nothing = [String::new()];
    let walk = HeadingWalk { names: &mut NameSearch::new(&nothing), open: Vec::new() };
    let mut blocks = MarkdownBlocks { text, walk, containers: Vec::new(), leaf: Leaf::Between };
    let mut from = end_of_front_matter(text);
    let mut raw = vec![(0..from, CODE)];
    let mut html = Blocks::new(Dialect::Html);
    while from < text.len() {
        let to = end_of_line(text, from);
        if matches!(blocks.leaf, Leaf::Fence(..)) {
            let mut line = LineCursor { bytes: content(&text[from..to]), at: 0, column: 0, spare: 0 };
            if blocks.containers.clone().iter_mut().all(|own| line.is_in(own)) {
                raw.push((from..to, CODE));
            }
        }
        match (&blocks.leaf, html.content()) {
            (Leaf::Html(_), Some(what)) => raw.push((from..to, what)),
            (Leaf::Html(_), None) => {}
            _ => html = Blocks::new(Dialect::Html),
        }
        html.feed(&text[from..to]);
        blocks.line(from..to);
        from = to;
    }
    raw
}

struct MarkdownBlocks<'a, 'b> {
    text: &'a [u8],
    walk: HeadingWalk<'a, 'b>,
    containers: Vec<Container>,
    leaf: Leaf,
}

impl MarkdownBlocks<'_, '_> {
    fn line(&mut self, place: Range<usize>) {
        let mut line = LineCursor { bytes: content(&self.text[place.clone()]), at: 0, column: 0, spare: 0 };
        let all = self.containers.iter_mut();
        let mut kept = all.map_while(|container| line.is_in(container).then_some(())).count();
        let mut is_inside = kept == self.containers.len();
        match self.leaf {
            Leaf::Fence(..) | Leaf::Html(_) if is_inside => return self.in_raw(&line),
            Leaf::Fence(..) | Leaf::Html(_) => self.leaf = Leaf::Between,
            _ => {}
        }
        while let Some(container) = line.begins_container(is_inside && self.paragraph().is_some()) {
            self.containers.truncate(kept);
            self.leaf = Leaf::Between;
            self.containers.push(container);
            kept += 1;
            is_inside = true;
        }
        let bare = line.rest().trim_ascii();
        let is_code = line.indent() > 3;
        if let Some(paragraph) = self.paragraph()
            && !bare.is_empty()
            && (is_code || !(is_inside || begins_leaf(bare)))
        {
            // The paragraph continues at any indentation, in any container.
            self.leaf = Leaf::Paragraph(paragraph.start..place.end);
            return;
        }
        self.close(kept);
        let paragraph = self.paragraph().filter(|_| !bare.is_empty());
        self.leaf = Leaf::Between;
        if bare.is_empty() || is_code {
            return;
        }
        if let Some((mark, count)) = fence(bare) {
            self.leaf = Leaf::Fence(mark, count);
        } else if let Some((level, title)) = atx(bare) {
            if self.containers.is_empty() {
                self.walk.heading(level, &title, place.start);
            }
        } else if let Some((level, lines)) = underline(bare).zip(paragraph.clone()) {
            let lines = behind_definitions(self.text, lines);
            if self.containers.is_empty() && !lines.is_empty() {
                let title = String::from_utf8_lossy(&self.text[lines.clone()]).into_owned();
                self.walk.heading(level, &title, lines.start);
            }
        } else if is_rule(bare) || bare[0] == b'|' {
            // A rule or table row, which no underline makes a heading.
        } else if let Some(ends) = html(bare, paragraph.is_some()) {
            if ends.is_empty() || !holds(bare, ends) {
                self.leaf = Leaf::Html(ends);
            }
        } else {
            self.leaf = Leaf::Paragraph(paragraph.map_or(place.start, |lines| lines.start)..place.end);
        }
    }

    fn in_raw(&mut self, line: &LineCursor) {
        let bare = line.rest().trim_ascii();
        let is_over = match &self.leaf {
            Leaf::Fence(mark, count) => {
                bare.len() >= *count && bare.iter().all(|byte| byte == mark) && line.indent() <= 3
            }
            Leaf::Html([]) => bare.is_empty(),
            Leaf::Html(ends) => holds(bare, ends),
            _ => false,
        };
        if is_over {
            self.leaf = Leaf::Between;
        }
    }

    fn paragraph(&self) -> Option<Range<usize>> {
        if let Leaf::Paragraph(lines) = &self.leaf { Some(lines.clone()) } else { None }
    }

    fn close(&mut self, kept: usize) {
        if kept < self.containers.len() {
            self.containers.truncate(kept);
            self.leaf = Leaf::Between;
        }
    }
}

/// The rest of a line. Tab stops are multiples of four.
struct LineCursor<'a> {
    bytes: &'a [u8],
    at: usize,
    column: usize,
    /// Columns left of a tab.
    spare: usize,
}

impl<'a> LineCursor<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    fn indent(&self) -> usize {
        let (mut columns, start) = (self.spare, self.column + self.spare);
        for byte in self.rest() {
            match byte {
                b' ' => columns += 1,
                b'\t' => columns += 4 - (start + columns - self.spare) % 4,
                _ => break,
            }
        }
        columns
    }

    fn skip(&mut self, columns: usize) {
        for _ in 0..columns {
            if self.spare > 0 {
                self.spare -= 1;
            } else {
                match self.rest().first() {
                    Some(b' ') => {}
                    Some(b'\t') => self.spare = 3 - self.column % 4,
                    _ => return,
                }
                self.at += 1;
            }
            self.column += 1;
        }
    }

    fn pass(&mut self, count: usize) {
        self.at += count;
        self.column += count;
    }

    /// Whether the line continues this container. Skips its mark.
    fn is_in(&mut self, container: &mut Container) -> bool {
        let (indent, is_blank) = (self.indent(), self.rest().trim_ascii().is_empty());
        match container {
            Container::Quote => self.begins_quote(),
            Container::Item { is_empty, .. } if is_blank => !*is_empty,
            Container::Item { indent: wanted, is_empty } => {
                let is_in = indent >= *wanted;
                if is_in {
                    *is_empty = false;
                    self.skip(*wanted);
                }
                is_in
            }
        }
    }

    fn begins_quote(&mut self) -> bool {
        let indent = self.indent();
        let is_it = indent <= 3 && self.rest().trim_ascii_start().first() == Some(&b'>');
        if is_it {
            self.skip(indent);
            self.pass(1);
            self.skip(1);
        }
        is_it
    }

    /// The container that begins here. Skips its mark.
    fn begins_container(&mut self, is_paragraph: bool) -> Option<Container> {
        if self.begins_quote() {
            return Some(Container::Quote);
        }
        let indent = self.indent();
        let bare = self.rest().trim_ascii();
        if indent > 3 || is_rule(bare) || is_paragraph && underline(bare).is_some() {
            return None;
        }
        let digits = bare.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mark = match bare.get(digits)? {
            b'-' | b'*' | b'+' if digits == 0 => 1,
            b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
            _ => return None,
        };
        let text = &bare[mark..];
        let is_apart = matches!(text.first(), None | Some(b' ' | b'\t'));
        // Other items do not end a paragraph.
        let may_begin = !is_paragraph || !text.is_empty() && matches!(&bare[..digits], b"" | b"1");
        if !is_apart || !may_begin {
            return None;
        }
        self.skip(indent);
        self.pass(mark);
        let blanks = self.indent();
        let blanks = if text.is_empty() || blanks > 4 { 1 } else { blanks };
        self.skip(blanks);
        Some(Container::Item { indent: indent + mark + blanks, is_empty: text.is_empty() })
    }
}

/// Whether a line ends a paragraph of another container. Containers are not checked.
fn begins_leaf(bare: &[u8]) -> bool {
    fence(bare).is_some() || atx(bare).is_some() || is_rule(bare) || html(bare, true).is_some()
}

/// A thematic break.
fn is_rule(bare: &[u8]) -> bool {
    let mark = bare.first().copied().unwrap_or_default();
    let count = bare.iter().filter(|byte| **byte == mark).count();
    matches!(mark, b'-' | b'*' | b'_')
        && count >= 3
        && bare.iter().all(|byte| *byte == mark || matches!(byte, b' ' | b'\t'))
}

/// Tags with raw content.
const RAW: &[&[u8]] = &[b"pre", b"script", b"style", b"textarea"];

const RAW_ENDS: &[&[u8]] = &[b"</pre>", b"</script>", b"</style>", b"</textarea>"];

/// Tags of HTML blocks that end at a blank line.
const BLOCKS: &str = " address article aside base basefont blockquote body caption center col colgroup dd \
    details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head \
    header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search \
    section source summary table tbody td tfoot th thead title tr track ul ";

/// The end marks of an HTML block: an empty list for a blank line, none for no HTML.
fn html(bare: &[u8], is_paragraph: bool) -> Option<&'static [&'static [u8]]> {
    const SPECIAL: &[(&[u8], &[&[u8]])] =
        &[(b"<!--", &[b"-->"]), (b"<?", &[b"?>"]), (b"<![CDATA[", &[b"]]>"])];
    if let Some((_, ends)) = SPECIAL.iter().find(|(begin, _)| bare.starts_with(begin)) {
        return Some(ends);
    }
    let rest = bare.strip_prefix(b"<")?;
    if rest.first() == Some(&b'!') && rest.get(1).is_some_and(u8::is_ascii_alphabetic) {
        return Some(&[b">"]);
    }
    let (rest, closes) = rest.strip_prefix(b"/").map_or((rest, false), |rest| (rest, true));
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let name = rest[..length].to_ascii_lowercase();
    if !name.first().is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let behind = &rest[length..];
    let is_apart = matches!(behind.first(), None | Some(b' ' | b'\t' | b'>'));
    if !closes && is_apart && RAW.contains(&&name[..]) {
        return Some(RAW_ENDS);
    }
    let word = format!(" {} ", String::from_utf8_lossy(&name));
    if (is_apart || behind.starts_with(b"/>")) && BLOCKS.contains(&word) {
        return Some(&[]);
    }
    let is_alone = is_tag(behind, closes) && !is_paragraph;
    is_alone.then_some(&[])
}

/// Whether the rest of a tag fills the line.
fn is_tag(behind: &[u8], closes: bool) -> bool {
    let Some(inside) = behind.strip_suffix(b">") else { return false };
    let inside = if closes { inside } else { inside.strip_suffix(b"/").unwrap_or(inside) };
    if closes || inside.is_empty() {
        return inside.trim_ascii().is_empty();
    }
    let mut quote = None;
    for byte in inside {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'<' | b'>' | b'`') => return false,
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    quote.is_none() && matches!(inside[0], b' ' | b'\t')
}

fn holds(bare: &[u8], ends: &[&[u8]]) -> bool {
    let bare = bare.to_ascii_lowercase();
    ends.iter().any(|end| memchr::memmem::find(&bare, &end.to_ascii_lowercase()).is_some())
}

/// A paragraph's lines after its link definitions.
fn behind_definitions(text: &[u8], mut lines: Range<usize>) -> Range<usize> {
    while let Some(length) = definition(&text[lines.clone()]) {
        lines.start += length;
    }
    lines
}

/// The bytes of a link definition: `[label]: destination "title"`, with optional line ends between.
fn definition(text: &[u8]) -> Option<usize> {
    let open = blanks(text, 0);
    text.get(open).filter(|byte| **byte == b'[')?;
    let close = unescaped(text, open + 1, |byte| matches!(byte, b'[' | b']'))?;
    let label = &text[open + 1..close];
    if text[close] != b']' || label.trim_ascii().is_empty() || text.get(close + 1) != Some(&b':') {
        return None;
    }
    let to = destination(text, gap(text, close + 2))?;
    let behind = gap(text, to);
    let titled = title(text, behind).filter(|_| behind > to).and_then(|end| rest_of_line(text, end));
    // An invalid title on its own line begins the text.
    titled.or_else(|| rest_of_line(text, to))
}

fn destination(text: &[u8], from: usize) -> Option<usize> {
    if *text.get(from)? == b'<' {
        let end = unescaped(text, from + 1, |byte| matches!(byte, b'<' | b'>' | b'\n' | b'\r'))?;
        return (text[end] == b'>').then_some(end + 1);
    }
    let is_over = |byte: u8| byte.is_ascii_control() || byte == b' ';
    let (mut at, mut depth) = (from, 0_usize);
    loop {
        at = unescaped(text, at, |byte| is_over(byte) || matches!(byte, b'(' | b')')).unwrap_or(text.len());
        match text.get(at) {
            Some(b'(') => depth += 1,
            Some(b')') if depth > 0 => depth -= 1,
            _ => return (at > from && depth == 0).then_some(at),
        }
        at += 1;
    }
}

fn title(text: &[u8], from: usize) -> Option<usize> {
    let open = *text.get(from)?;
    let close = match open {
        b'"' | b'\'' => open,
        b'(' => b')',
        _ => return None,
    };
    let end = unescaped(text, from + 1, |byte| byte == close || byte == b'(' && open == b'(')?;
    (text[end] == close).then_some(end + 1)
}

/// The first unescaped byte that ends something.
fn unescaped(text: &[u8], from: usize, ends: impl Fn(u8) -> bool) -> Option<usize> {
    let mut at = from;
    while let Some(byte) = text.get(at) {
        if *byte == b'\\' && text.get(at + 1).is_some_and(u8::is_ascii_punctuation) {
            at += 2;
        } else if ends(*byte) {
            return Some(at);
        } else {
            at += 1;
        }
    }
    None
}

fn blanks(text: &[u8], from: usize) -> usize {
    from + text[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The place after blanks and at most one line end.
fn gap(text: &[u8], from: usize) -> usize {
    let at = blanks(text, from);
    rest_of_line(text, at).map_or(at, |next| blanks(text, next))
}

/// The end of a line that holds only blanks from here on.
fn rest_of_line(text: &[u8], from: usize) -> Option<usize> {
    let end = end_of_line(text, from);
    content(&text[from..end]).trim_ascii().is_empty().then_some(end)
}

/// The end of front matter between lines of `---` or `+++`.
fn end_of_front_matter(text: &[u8]) -> usize {
    let mut from = end_of_line(text, 0);
    let mark = content(&text[..from]);
    if mark != b"---" && mark != b"+++" {
        return 0;
    }
    while from < text.len() {
        let to = end_of_line(text, from);
        if content(&text[from..to]).trim_ascii_end() == mark {
            return to;
        }
        from = to;
    }
    0
}

struct HeadingWalk<'a, 'b> {
    names: &'a mut NameSearch<'b>,
    open: Vec<OpenHeading>,
}

impl HeadingWalk<'_, '_> {
    fn heading(&mut self, level: usize, title: &str, at: usize) {
        self.close(level, at);
        let around = self.open.last().map_or_else(Enclosing::default, |open| open.inside);
        let title = spaced(title);
        let names = vec![title.clone(), format!("{} {title}", "#".repeat(level))];
        let (inside, rank) = self.names.enter(around, &DefinedName { names, ..DefinedName::default() });
        self.open.push(OpenHeading { level, inside, found: rank.map(|rank| (rank, at)) });
    }

    /// Ends headings of this level and deeper.
    fn close(&mut self, level: usize, at: usize) {
        while let Some(open) = self.open.pop_if(|open| open.level >= level) {
            if let Some((rank, start)) = open.found {
                self.names.leave(rank, start..at);
            }
        }
    }
}

fn fence(bare: &[u8]) -> Option<(u8, usize)> {
    let mark = *bare.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let count = bare.iter().take_while(|byte| **byte == mark).count();
    // Otherwise it is inline code.
    let opens = count >= 3 && (mark == b'~' || !bare[count..].contains(&b'`'));
    opens.then_some((mark, count))
}

/// `## Title`, perhaps with closing marks.
fn atx(bare: &[u8]) -> Option<(usize, String)> {
    let level = bare.iter().take_while(|byte| **byte == b'#').count();
    if !(1..=6).contains(&level) || !matches!(bare.get(level), None | Some(b' ' | b'\t')) {
        return None;
    }
    let title = bare[level..].trim_ascii();
    let marks = title.iter().rev().take_while(|byte| **byte == b'#').count();
    let plain = &title[..title.len() - marks];
    let title =
        if plain.is_empty() || plain.ends_with(b" ") || plain.ends_with(b"\t") { plain } else { title };
    Some((level, String::from_utf8_lossy(title.trim_ascii()).into_owned()))
}

/// The heading level of an underline.
fn underline(bare: &[u8]) -> Option<usize> {
    match bare.first()? {
        mark @ (b'=' | b'-') if bare.iter().all(|byte| byte == mark) => {
            Some(if *mark == b'=' { 1 } else { 2 })
        }
        _ => None,
    }
}

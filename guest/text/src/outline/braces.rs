//! Definitions with blocks in braces.

mod introducer;

use std::ops::Range;

use super::lexer_rules::{DefinitionForm, LexerRules, StatementEnd};
use super::name_path::{DefinedName, Enclosing, NameSearch, Rank};
use super::strip_literals::{STRING, is_word, masked};

/// The deepest tracked nesting; deeper brackets are skipped.
const NESTED: usize = 500;

/// The tokens kept of a statement. A definition's words come first.
const TOKENS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
enum BraceToken {
    Word(Range<usize>),
    Mark(u8),
    Group(u8),
}

#[derive(Debug, Default)]
struct Statement {
    tokens: Vec<BraceToken>,
    start: usize,
    end: usize,
    indent: usize,
    angles: usize,
    last: u8,
    is_begun: bool,
    /// A definition continues after its block: the names of its next block, and a match's rank and
    /// start.
    going_on: Option<(Enclosing, Option<(Rank, usize)>)>,
}

/// An open bracket, or the whole text.
#[derive(Default)]
struct BraceFrame {
    bracket: u8,
    statement: Statement,
    around: Enclosing,
    found: Option<(Rank, usize)>,
    is_block: bool,
    /// The keyword of a list in which each statement defines a name: `type (`.
    list: Option<&'static str>,
    /// A C function whose parameter declarations precede its block.
    declared: Option<(DefinedName, usize)>,
    new_line: bool,
    /// Open `{`, `(` and `[`, with this frame.
    open: [u16; 3],
}

fn kind(bracket: u8) -> usize {
    match bracket {
        b'{' | b'}' => 0,
        b'(' | b')' => 1,
        _ => 2,
    }
}

/// Words that continue a definition after one of its blocks.
const BRANCHES_OFF: &[&[u8]] = &[b"else", b"catch", b"finally"];

/// Words that continue a value after its block on the same line.
const CONVERTS: &[&[u8]] = &[b"as", b"satisfies"];

const GOES_ON: &[&[u8]] = &[b"where", b"extends", b"implements", b"throws", b"with", b"derives"];

pub(super) fn look(text: &[u8], lexis: &LexerRules, names: &mut NameSearch) {
    let masked = masked(text, lexis);
    let root = BraceFrame { is_block: true, ..BraceFrame::default() };
    let mut walk = BraceWalk {
        text,
        mask: &masked.code,
        lexis,
        names,
        doubts: masked.doubts,
        frames: vec![root],
        deeper: 0,
        line: 0,
        indent: None,
    };
    walk.run();
    let mut doubts = walk.doubts;
    doubts.sort_unstable();
    names.doubt(doubts, masked.lost);
}

struct BraceWalk<'a, 'b> {
    text: &'a [u8],
    mask: &'a [u8],
    lexis: &'a LexerRules,
    names: &'a mut NameSearch<'b>,
    doubts: Vec<usize>,
    frames: Vec<BraceFrame>,
    deeper: usize,
    line: usize,
    indent: Option<usize>,
}

impl BraceWalk<'_, '_> {
    fn has(&self, form: DefinitionForm) -> bool {
        self.lexis.forms.contains(&form)
    }

    fn top(&mut self) -> &mut BraceFrame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn run(&mut self) {
        let commas = self.has(DefinitionForm::Commas);
        let mut at = 0;
        while let Some(byte) = self.mask.get(at).copied() {
            match byte {
                b' ' | b'\t' | 0x0B | 0x0C => at += 1,
                b'\n' | b'\r' => {
                    at += 1;
                    self.line = at;
                    self.indent = None;
                    self.top().new_line = true;
                }
                _ if is_word(byte, self.lexis) => {
                    let end = self.end_of_word(at);
                    self.token(BraceToken::Word(at..end), at..end);
                    at = end;
                }
                b'{' | b'(' | b'[' => {
                    self.open(byte, at);
                    at += 1;
                }
                b'}' | b')' | b']' => {
                    at += 1;
                    self.close(byte, at);
                }
                b';' => {
                    at += 1;
                    self.end_arrow(at);
                    self.end_statement(at);
                }
                b',' if commas && self.is_between_items() => {
                    self.end_statement(at);
                    at += 1;
                }
                STRING => {
                    let end = at + self.mask[at..].iter().take_while(|byte| **byte == STRING).count();
                    self.token(BraceToken::Mark(STRING), at..end);
                    at = end;
                }
                _ => {
                    self.token(BraceToken::Mark(byte), at..at + 1);
                    at += 1;
                }
            }
        }
        let end = self.mask.len();
        while self.frames.len() > 1 {
            let last = self.top().statement.end;
            self.end_statement(last);
            if let Some(frame) = self.frames.pop() {
                self.leave_open(&frame, end);
                // The bracket's group includes the tokens before it.
                self.top().statement = Statement::default();
            }
        }
        let last = self.top().statement.end;
        self.end_statement(last);
    }

    /// Whether a comma separates entries rather than type arguments.
    fn is_between_items(&mut self) -> bool {
        let frame = self.top();
        frame.bracket == b'{' && frame.statement.angles == 0
    }

    /// The end of a word, with parts joined by `::`.
    fn end_of_word(&self, from: usize) -> usize {
        let mut end = from;
        loop {
            end += self.mask[end..].iter().take_while(|byte| is_word(**byte, self.lexis)).count();
            let joined = self.mask[end..].strip_prefix(b"::").and_then(|rest| rest.first());
            if !joined.is_some_and(|byte| is_word(*byte, self.lexis)) {
                return end;
            }
            end += 2;
        }
    }

    fn column(&mut self, at: usize) -> usize {
        let line = self.line;
        *self.indent.get_or_insert(at - line)
    }

    fn token(&mut self, token: BraceToken, place: Range<usize>) {
        if self.deeper > 0 {
            return;
        }
        let indent = self.column(place.start);
        self.next_line(&token, indent);
        let mask = self.mask;
        let is_arrow = token == BraceToken::Mark(b'>')
            && place.start > 0
            && matches!(mask[place.start - 1], b'=' | b'-');
        let statement = &mut self.top().statement;
        if !statement.is_begun {
            *statement = Statement { start: place.start, indent, is_begun: true, ..Statement::default() };
        }
        match token {
            BraceToken::Mark(b'<') => statement.angles += 1,
            BraceToken::Mark(b'>') if !is_arrow => statement.angles = statement.angles.saturating_sub(1),
            _ => {}
        }
        statement.last = match token {
            BraceToken::Mark(mark) => mark,
            BraceToken::Word(_) | BraceToken::Group(_) => b'a',
        };
        statement.end = place.end;
        if statement.tokens.len() < TOKENS {
            statement.tokens.push(token);
        }
    }

    fn next_line(&mut self, token: &BraceToken, indent: usize) {
        let (ends, mask) = (self.lexis.ends, self.mask);
        let frame = self.top();
        let is_new = std::mem::take(&mut frame.new_line);
        let is_open = frame.statement.is_begun && (matches!(frame.bracket, 0 | b'{') || frame.list.is_some());
        if !is_new || !is_open || ends == StatementEnd::Semicolon {
            return;
        }
        let before = matches!(
            frame.statement.last,
            b',' | b'=' | b'+' | b'-' | b'*' | b'/' | b'|' | b'&' | b'<' | b':' | b'?' | b'.' | b'@' | b'\\'
        );
        let behind = match token {
            BraceToken::Word(word) => {
                let (word, is_going_on) = (&mask[word.clone()], frame.statement.going_on.is_some());
                GOES_ON.contains(&word) || is_going_on && BRANCHES_OFF.contains(&word)
            }
            BraceToken::Mark(mark) => {
                matches!(mark, b'.' | b',' | b'=' | b'+' | b'*' | b'/' | b'|' | b'&' | b'?' | b':' | b'>')
            }
            BraceToken::Group(bracket) => *bracket == b'{',
        };
        let deeper = ends == StatementEnd::Indented && indent > frame.statement.indent;
        if !(before || behind || deeper) {
            let end = frame.statement.end;
            self.end_statement(end);
        }
    }

    fn open(&mut self, bracket: u8, at: usize) {
        if self.frames.len() > NESTED || self.deeper > 0 {
            self.deeper += 1;
            return;
        }
        // `${name}`, `#{name}`, `Promise<{ … }>` and `B<int{3}>` hold no blocks.
        let is_type = self.top().statement.angles > 0
            && (self.has(DefinitionForm::Commas) || self.is_argument(bracket, at));
        let is_block = bracket == b'{'
            && !is_type
            && !self.is_arrowed()
            && !self.is_initializer()
            && (at == 0 || !matches!(self.mask[at - 1], b'$' | b'#'));
        let indent = self.column(at);
        self.next_line(&BraceToken::Group(bracket), indent);
        let around = self.top().around;
        let going_on = if is_block { self.top().statement.going_on.take() } else { None };
        let (around, found) = match going_on {
            Some(going_on) => going_on,
            None => match if is_block { self.introduced(at) } else { None } {
                Some((named, start)) => {
                    let (inside, rank) = self.names.enter(around, &named);
                    (inside, rank.map(|rank| (rank, start)))
                }
                None => (around, None),
            },
        };
        let list = if bracket == b'(' { self.begins_list() } else { None };
        self.token(BraceToken::Group(bracket), at..at + 1);
        let mut open = self.top().open;
        open[kind(bracket)] += 1;
        let frame = BraceFrame { bracket, around, found, is_block, list, open, ..BraceFrame::default() };
        self.frames.push(frame);
    }

    /// Whether a brace is inside angle brackets, which open right before it or close right after a
    /// short value. In `if a < b {` it begins a block.
    fn is_argument(&self, bracket: u8, at: usize) -> bool {
        const VALUE: usize = 200;
        let is_blank = |byte: &&u8| **byte == b' ';
        let before = self.mask[..at].iter().rev().find(|byte| !is_blank(byte));
        let value = self.mask[at..].iter().skip(1).take(VALUE);
        let length = value.take_while(|byte| !matches!(byte, b'{' | b'}' | b';' | b'\n' | b'\r')).count();
        let mut rest = self.mask[at + 1 + length..].iter();
        let is_closed = rest.next() == Some(&b'}');
        let behind = rest.find(|byte| !is_blank(byte));
        bracket == b'{' && is_closed && (before == Some(&b'<') || behind == Some(&b'>'))
    }

    fn close(&mut self, bracket: u8, end: usize) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let opening = match bracket {
            b'}' => b'{',
            b')' => b'(',
            _ => b'[',
        };
        // An unmatched closing bracket is skipped; an unclosed one ends with its parent.
        if self.top().open[kind(bracket)] == 0 {
            self.doubts.push(end - 1);
            return;
        }
        loop {
            let last = self.top().statement.end;
            self.end_statement(last);
            let Some(frame) = self.frames.pop() else { return };
            if frame.bracket != opening {
                self.doubts.push(end - 1);
                self.leave_open(&frame, end - 1);
                continue;
            }
            let around = self.top().around;
            self.top().statement.end = end;
            if frame.is_block && frame.around != around && self.goes_on(end) {
                self.top().statement.going_on = Some((frame.around, frame.found));
                return;
            }
            self.leave(&frame, end);
            if frame.is_block && !self.is_typedef() {
                self.top().statement = Statement::default();
            }
            return;
        }
    }

    /// Whether a definition continues after its block: `func f() interface{} {`, `val x = if (a) {
    /// … } else { … }`, `type T = { … } & { … }`.
    fn goes_on(&self, end: usize) -> bool {
        if self.has(DefinitionForm::Selector) || self.has(DefinitionForm::Commands) {
            return false;
        }
        let rest = &self.mask[end..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_same_line = !rest[..blanks].iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        let next = &rest[blanks..];
        let word = &next[..next.iter().take_while(|byte| is_word(**byte, self.lexis)).count()];
        if !word.is_empty() {
            let converts = is_same_line && CONVERTS.contains(&word);
            return converts || BRANCHES_OFF.contains(&word);
        }
        match next.first() {
            Some(b'{' | b'!' | b'=' | b'[') => is_same_line,
            Some(b'.' | b'|' | b'&' | b'?' | b':' | b'+') => is_same_line || self.is_value(),
            _ => false,
        }
    }

    fn leave(&mut self, frame: &BraceFrame, end: usize) {
        if let Some((rank, start)) = frame.found {
            self.names.leave(rank, start..end.max(start));
        }
    }

    fn leave_open(&mut self, frame: &BraceFrame, end: usize) {
        if let Some((rank, start)) = frame.found {
            self.names.leave_open(rank, start..end.max(start));
        }
    }

    fn end_arrow(&mut self, end: usize) {
        let is_member = self.deeper == 0 && matches!(self.top().bracket, 0 | b'{');
        if let Some((named, start)) = is_member.then(|| self.arrowed()).flatten() {
            let around = self.top().around;
            if let (_, Some(rank)) = self.names.enter(around, &named) {
                self.names.leave(rank, start..end.max(start));
            }
        }
    }

    fn end_statement(&mut self, end: usize) {
        if self.deeper > 0 {
            return;
        }
        if let Some((_, found)) = self.top().statement.going_on.take() {
            if let Some((rank, start)) = found {
                self.names.leave(rank, start..end.max(start));
            }
            self.top().statement = Statement::default();
            self.top().new_line = false;
            return;
        }
        let declared = self.declared();
        self.top().declared = declared;
        let is_list = self.top().list.is_some();
        let introduced = if !self.top().statement.is_begun {
            None
        } else if self.is_typedef() {
            self.typedef()
        } else if is_list {
            self.listed()
        } else if self.has(DefinitionForm::Bodyless) && matches!(self.top().bracket, 0 | b'{') {
            self.by_keyword(false)
        } else {
            None
        };
        if let Some((named, start)) = introduced {
            let around = self.top().around;
            if let (_, Some(rank)) = self.names.enter(around, &named) {
                self.names.leave(rank, start..end.max(start));
            }
        }
        let frame = self.top();
        frame.statement = Statement::default();
        frame.new_line = false;
    }
}

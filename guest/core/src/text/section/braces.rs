//! Names whose blocks stand in braces.

use std::ops::Range;

use super::lexis::{Ends, Form, Lexis};
use super::mask::{STRING, is_word, masked};
use super::names::{Around, Named, Names, Rank, spaced};

/// Brackets in one another that are told apart. Nobody writes as many, and what lies deeper is passed over.
const NESTED: usize = 500;

/// Tokens of a statement that are looked at: what introduces a name stands at its beginning.
const TOKENS: usize = 200;

/// Bytes of what stands before a block, up to which it is a name itself.
const SELECTOR: usize = 4096;

/// A piece of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(Range<usize>),
    Mark(u8),
    /// Brackets, and what is in them.
    Group(u8),
}

/// What has been read since the last thing ended.
#[derive(Debug, Default)]
struct Statement {
    tokens: Vec<Token>,
    start: usize,
    end: usize,
    /// Columns before the line that it begins in.
    indent: usize,
    /// `<` that are not closed.
    angles: usize,
    last: u8,
    is_begun: bool,
}

/// Something in brackets; the first one is the whole text.
struct Frame {
    bracket: u8,
    statement: Statement,
    around: Around,
    /// A definition that is looked for, and where it begins.
    found: Option<(Rank, usize)>,
    /// A block of its own: what comes behind it is something new.
    is_block: bool,
    /// A line has ended.
    new_line: bool,
    /// How many of `{`, `(` and `[` are open, this one among them.
    open: [u16; 3],
}

/// The place of a bracket in a list of all kinds.
fn kind(bracket: u8) -> usize {
    match bracket {
        b'{' | b'}' => 0,
        b'(' | b')' => 1,
        _ => 2,
    }
}

/// Words that come before brackets and a block, and name nothing.
const CONTROL: &[&[u8]] = &[
    b"if",
    b"for",
    b"while",
    b"switch",
    b"catch",
    b"do",
    b"else",
    b"try",
    b"return",
    b"synchronized",
    b"using",
    b"lock",
    b"foreach",
    b"when",
    b"with",
    b"fixed",
    b"unless",
    b"until",
    b"elif",
    b"elseif",
    b"then",
    b"case",
    b"new",
    b"throw",
    b"sizeof",
    b"await",
    b"yield",
    b"finally",
    b"unchecked",
    b"checked",
];

/// Words that begin what may bring in a name, but is no definition.
const BRANCHES: &[&[u8]] =
    &[b"if", b"guard", b"while", b"for", b"else", b"switch", b"catch", b"return", b"import"];

/// More words that are no names where brackets stand behind them.
const NO_NAMES: &[&[u8]] = &[b"async", b"super", b"this", b"function"];

/// Words that come before brackets in front of a name.
const PREFIX: &[&[u8]] =
    &[b"__attribute__", b"__declspec", b"alignas", b"noexcept", b"decltype", b"requires", b"extern"];

/// Words that a line goes on with.
const GOES_ON: &[&[u8]] = &[b"where", b"extends", b"implements", b"throws", b"with", b"derives"];

/// Looks at every definition.
pub(super) fn look(text: &[u8], lexis: &Lexis, names: &mut Names) {
    let masked = masked(text, lexis);
    let root = Frame {
        bracket: 0,
        statement: Statement::default(),
        around: Around::default(),
        found: None,
        is_block: true,
        new_line: false,
        open: [0; 3],
    };
    let mut walk = Walk {
        text,
        mask: &masked.code,
        lexis,
        names,
        doubts: masked.doubts,
        frames: vec![root],
        deeper: 0,
        carried: None,
        line: 0,
        indent: None,
    };
    walk.run();
    let mut doubts = walk.doubts;
    doubts.sort_unstable();
    names.doubt(doubts, masked.lost);
}

struct Walk<'a, 'b> {
    text: &'a [u8],
    mask: &'a [u8],
    lexis: &'a Lexis,
    names: &'a mut Names<'b>,
    /// Where the text may be read in another way.
    doubts: Vec<usize>,
    frames: Vec<Frame>,
    /// Brackets that are passed over.
    deeper: usize,
    /// What the next block goes on with.
    carried: Option<(Around, Option<(Rank, usize)>)>,
    /// Where the line begins.
    line: usize,
    /// Columns before its first token, once that is known.
    indent: Option<usize>,
}

impl Walk<'_, '_> {
    fn has(&self, form: Form) -> bool {
        self.lexis.forms.contains(&form)
    }

    fn top(&mut self) -> &mut Frame {
        // The whole text is never closed.
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn run(&mut self) {
        let commas = self.has(Form::Commas);
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
                    self.token(Token::Word(at..end), at..end);
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
                    self.end_statement(at);
                }
                b',' if commas && self.is_between_items() => {
                    self.end_statement(at);
                    at += 1;
                }
                STRING => {
                    let end = at + self.mask[at..].iter().take_while(|byte| **byte == STRING).count();
                    self.token(Token::Mark(STRING), at..end);
                    at = end;
                }
                _ => {
                    self.token(Token::Mark(byte), at..at + 1);
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
                // What stands before the bracket has been told with it.
                self.top().statement = Statement::default();
            }
        }
        let last = self.top().statement.end;
        self.end_statement(last);
    }

    /// A comma between entries of an object, not one in brackets of types.
    fn is_between_items(&mut self) -> bool {
        let frame = self.top();
        frame.bracket == b'{' && frame.statement.angles == 0
    }

    /// A word, with those that `::` joins to it.
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

    fn token(&mut self, token: Token, place: Range<usize>) {
        if self.deeper > 0 {
            return;
        }
        let indent = self.column(place.start);
        self.next_line(&token, indent);
        let mask = self.mask;
        let is_arrow =
            token == Token::Mark(b'>') && place.start > 0 && matches!(mask[place.start - 1], b'=' | b'-');
        let statement = &mut self.top().statement;
        if !statement.is_begun {
            *statement = Statement { start: place.start, indent, is_begun: true, ..Statement::default() };
        }
        match token {
            Token::Mark(b'<') => statement.angles += 1,
            Token::Mark(b'>') if !is_arrow => statement.angles = statement.angles.saturating_sub(1),
            _ => {}
        }
        statement.last = match token {
            Token::Mark(mark) => mark,
            Token::Word(_) | Token::Group(_) => b'a',
        };
        statement.end = place.end;
        if statement.tokens.len() < TOKENS {
            statement.tokens.push(token);
        }
    }

    /// Ends the statement if the next line begins another one.
    fn next_line(&mut self, token: &Token, indent: usize) {
        let (ends, mask) = (self.lexis.ends, self.mask);
        let frame = self.top();
        let is_new = std::mem::take(&mut frame.new_line);
        let is_open = frame.statement.is_begun && matches!(frame.bracket, 0 | b'{');
        if !is_new || !is_open || ends == Ends::Semicolon {
            return;
        }
        let before = matches!(
            frame.statement.last,
            b',' | b'=' | b'+' | b'-' | b'*' | b'/' | b'|' | b'&' | b'<' | b':' | b'?' | b'.' | b'@' | b'\\'
        );
        let behind = match token {
            Token::Word(word) => GOES_ON.contains(&&mask[word.clone()]),
            Token::Mark(mark) => {
                matches!(mark, b'.' | b',' | b'=' | b'+' | b'*' | b'/' | b'|' | b'&' | b'?' | b':' | b'>')
            }
            Token::Group(bracket) => *bracket == b'{',
        };
        let deeper = ends == Ends::Indented && indent > frame.statement.indent;
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
        // `${name}` and `#{name}` are no blocks, nor is what stands in `Promise<{ … }>`.
        let is_type = self.has(Form::Commas) && self.top().statement.angles > 0;
        let is_block = bracket == b'{' && !is_type && (at == 0 || !matches!(self.mask[at - 1], b'$' | b'#'));
        let indent = self.column(at);
        self.next_line(&Token::Group(bracket), indent);
        let around = self.top().around;
        let (around, found) = match self.carried.take() {
            Some(carried) => carried,
            None => match if is_block { self.introduced(at) } else { None } {
                Some((named, start)) => {
                    let (inside, rank) = self.names.enter(around, &named);
                    (inside, rank.map(|rank| (rank, start)))
                }
                None => (around, None),
            },
        };
        self.token(Token::Group(bracket), at..at + 1);
        let mut open = self.top().open;
        open[kind(bracket)] += 1;
        let statement = Statement::default();
        self.frames.push(Frame { bracket, statement, around, found, is_block, new_line: false, open });
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
        // What closes nothing is passed over; what is not closed ends with what it is in.
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
            if frame.is_block && frame.around != around && self.opens_again(end) {
                // `func f() interface{} {`: the block is still to come.
                self.carried = Some((frame.around, frame.found));
                return;
            }
            self.leave(&frame, end);
            if frame.is_block {
                self.top().statement = Statement::default();
            }
            return;
        }
    }

    /// Another block begins behind this one, in the same line.
    fn opens_again(&self, end: usize) -> bool {
        let blanks = self.mask[end..].iter().take(8).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.mask.get(end + blanks) == Some(&b'{')
    }

    fn leave(&mut self, frame: &Frame, end: usize) {
        if let Some((rank, start)) = frame.found {
            self.names.leave(rank, start..end.max(start));
        }
    }

    /// What is not closed itself ends with what it is in, or with the text.
    fn leave_open(&mut self, frame: &Frame, end: usize) {
        if let Some((rank, start)) = frame.found {
            self.names.leave_open(rank, start..end.max(start));
        }
    }

    /// Something ends that had no block.
    fn end_statement(&mut self, end: usize) {
        if self.deeper > 0 {
            return;
        }
        if self.has(Form::Bodyless)
            && matches!(self.top().bracket, 0 | b'{')
            && self.top().statement.is_begun
            && let Some((named, start)) = self.by_keyword(false)
        {
            let around = self.top().around;
            if let (_, Some(rank)) = self.names.enter(around, &named) {
                self.names.leave(rank, start..end.max(start));
            }
        }
        let frame = self.top();
        frame.statement = Statement::default();
        frame.new_line = false;
    }

    /// The name that the statement before a block introduces, and where.
    fn introduced(&mut self, at: usize) -> Option<(Named, usize)> {
        if self.has(Form::Selector) {
            return self.selector(at);
        }
        if !self.top().statement.is_begun {
            return None;
        }
        let added = self.added();
        added
            .or_else(|| self.by_keyword(self.has(Form::Tight)))
            .or_else(|| self.has(Form::Function).then(|| self.function())?)
            .or_else(|| self.has(Form::Assignment).then(|| self.assigned())?)
    }

    /// A rule of a style sheet: all of its selector, or one of several.
    fn selector(&mut self, at: usize) -> Option<(Named, usize)> {
        let start = self.top().statement.start;
        if !self.top().statement.is_begun || at - start > SELECTOR {
            return None;
        }
        let whole = spaced(&String::from_utf8_lossy(&self.text[start..at]));
        let parts = whole.split(',').map(|part| part.trim().to_owned()).filter(|part| *part != whole);
        let names = std::iter::once(whole.clone()).chain(parts).collect();
        Some((Named { names, adds: false }, start))
    }

    fn word(&self, token: Option<&Token>) -> Option<&str> {
        match token {
            Some(Token::Word(place)) => std::str::from_utf8(&self.mask[place.clone()]).ok(),
            _ => None,
        }
    }

    /// `impl Trait for Type {`, `extension Type {`.
    fn added(&self) -> Option<(Named, usize)> {
        let tokens = &self.frames.last()?.statement.tokens;
        let (at, keyword) = tokens.iter().take(4).enumerate().find_map(|(at, token)| {
            let word = self.word(Some(token))?;
            self.lexis.adding.contains(&word).then_some((at, word))
        })?;
        let Token::Word(place) = &tokens[at] else { return None };
        // Names outside of angle brackets, up to where conditions begin.
        let (mut angles, mut words, mut path) = (0_usize, vec![keyword.to_owned()], false);
        for (number, token) in tokens.iter().enumerate().skip(at + 1) {
            match token {
                Token::Mark(b'<') => angles += 1,
                Token::Mark(b'>') if tokens.get(number - 1) != Some(&Token::Mark(b'-')) => {
                    angles = angles.saturating_sub(1);
                }
                Token::Mark(b':') if angles == 0 => break,
                Token::Mark(b'.') if angles == 0 => path = true,
                Token::Word(_) if angles == 0 => {
                    let word = self.word(Some(token))?;
                    match words.last_mut().filter(|_| std::mem::take(&mut path)) {
                        _ if word == "where" => break,
                        Some(last) => *last = format!("{last}.{word}"),
                        None => words.push(word.to_owned()),
                    }
                }
                _ => {}
            }
        }
        let name = words.last().filter(|_| words.len() > 1)?;
        let simple = last_segment(name).to_owned();
        Some((Named { names: vec![simple, words.join(" ")], adds: true }, place.start))
    }

    /// `fn name`, `class Name`.
    fn by_keyword(&self, tight: bool) -> Option<(Named, usize)> {
        let tokens = &self.frames.last()?.statement.tokens;
        if self.word(tokens.first()).is_some_and(|word| BRANCHES.contains(&word.as_bytes())) {
            return None;
        }
        for (at, token) in tokens.iter().enumerate() {
            let Some(keyword) = self.word(Some(token)).filter(|word| self.lexis.keywords.contains(word))
            else {
                continue;
            };
            let Token::Word(place) = token else { continue };
            // A member that is called like a keyword; a pointer such as `*const T`.
            if at > 0 && matches!(tokens[at - 1], Token::Mark(b'.' | b'*' | b'&')) {
                continue;
            }
            let Some((name, next)) = self.name(tokens, at + 1, keyword) else { continue };
            let (name, next) = if tight { self.last_of_row(tokens, name, next) } else { (name, next) };
            let follows = tokens.get(behind_angles(tokens, next));
            let is_last = matches!(follows, None | Some(Token::Mark(b':')));
            if tight && !is_last && self.word(follows) != Some("final") {
                continue;
            }
            return Some((called(&name, Some(keyword)), place.start));
        }
        None
    }

    /// The name behind a keyword, and the token behind that.
    fn name(&self, tokens: &[Token], from: usize, keyword: &str) -> Option<(String, usize)> {
        let mut at = from;
        match tokens.get(at)? {
            // `macro_rules! name`, `function* name`.
            Token::Mark(b'!' | b'*') => at += 1,
            // `func (r *T) name(`
            Token::Group(b'(') if keyword == "func" => {
                at += 1;
                matches!(tokens.get(at + 1)?, Token::Group(_)).then_some(())?;
            }
            // `fun <T> name`
            Token::Mark(b'<') => at = behind_angles(tokens, at),
            _ => {}
        }
        let mut name = String::new();
        loop {
            let word = self.word(tokens.get(at)).filter(|word| !self.lexis.keywords.contains(word))?;
            // A number or a word such as `extends` is no name.
            let is_name = !word.as_bytes()[0].is_ascii_digit() && !GOES_ON.contains(&word.as_bytes());
            if !is_name {
                return None;
            }
            name.push_str(word);
            at += 1;
            let after = behind_angles(tokens, at);
            // `List<T>.name`
            if tokens.get(after) != Some(&Token::Mark(b'.')) || self.word(tokens.get(after + 1)).is_none() {
                return Some((name, at));
            }
            name.push('.');
            at = after + 1;
        }
    }

    /// The last of several words in a row: those before it are macros.
    fn last_of_row(&self, tokens: &[Token], name: String, next: usize) -> (String, usize) {
        let (mut name, mut next) = (name, next);
        while let Some(word) = self.word(tokens.get(next)).filter(|word| *word != "final") {
            name = word.to_owned();
            next += 1;
        }
        (name, next)
    }

    /// `name(…)`
    fn function(&self) -> Option<(Named, usize)> {
        let tokens = &self.frames.last()?.statement.tokens;
        if self.word(tokens.first()).is_some_and(|word| CONTROL.contains(&word.as_bytes())) {
            return None;
        }
        for (at, token) in tokens.iter().enumerate() {
            if *token == Token::Mark(b'=') {
                return None;
            }
            let Token::Word(place) = token else { continue };
            let Some(word) = self.word(Some(token)) else { continue };
            if tokens.get(behind_angles(tokens, at + 1)) != Some(&Token::Group(b'(')) {
                continue;
            }
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let is_other = matches!(before, Some(Token::Mark(b'@' | b'.' | b'$')))
                || CONTROL.contains(&word.as_bytes())
                || NO_NAMES.contains(&word.as_bytes())
                || PREFIX.contains(&word.as_bytes())
                || self.lexis.keywords.contains(&word)
                || word.as_bytes()[0].is_ascii_digit();
            if !is_other {
                return Some((called(word, None), place.start));
            }
        }
        None
    }

    /// `name = function (…) {`, `name: (…) => {`, `name = {`.
    fn assigned(&self) -> Option<(Named, usize)> {
        let tokens = &self.frames.last()?.statement.tokens;
        let is_arrow =
            |at: usize| tokens.get(at + 1) == Some(&Token::Mark(b'>')) && tokens[at] == Token::Mark(b'=');
        let sign = tokens.iter().position(|token| matches!(token, Token::Mark(b'=' | b':')))?;
        let name = sign.checked_sub(1).map(|before| &tokens[before])?;
        let last = tokens.len() - 1;
        let is_function = (sign..last).any(is_arrow)
            || tokens.iter().any(|token| matches!(self.word(Some(token)), Some("function" | "class")));
        let is_object = matches!(tokens[last], Token::Mark(b'=' | b':'));
        if is_arrow(sign) || !(is_function || is_object) {
            return None;
        }
        let Token::Word(place) = name else { return None };
        let word = self.word(Some(name)).filter(|word| !CONTROL.contains(&word.as_bytes()))?;
        Some((called(word, None), place.start))
    }
}

/// What something may be called by that is introduced like this.
fn called(name: &str, keyword: Option<&str>) -> Named {
    let simple = last_segment(name);
    let mut names = vec![simple.to_owned()];
    if simple != name {
        names.push(name.to_owned());
    }
    if let Some(keyword) = keyword {
        let phrases: Vec<_> = names.iter().map(|name| format!("{keyword} {name}")).collect();
        names.extend(phrases);
    }
    Named { names, adds: false }
}

/// `bar` of `Foo::bar` and of `Foo.bar`.
fn last_segment(name: &str) -> &str {
    let behind = name.rsplit("::").next().unwrap_or(name);
    behind.rsplit('.').next().unwrap_or(behind)
}

/// Behind `<…>`, if it begins here.
fn behind_angles(tokens: &[Token], from: usize) -> usize {
    if tokens.get(from) != Some(&Token::Mark(b'<')) {
        return from;
    }
    let mut angles = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token {
            Token::Mark(b'<') => angles += 1,
            Token::Mark(b'>') => angles -= 1,
            _ => {}
        }
        if angles == 0 {
            return at + 1;
        }
    }
    from
}

//! The name that a statement defines, with or without a block.

use std::ops::Range;

use super::{BraceToken, BraceWalk, DefinitionForm, GOES_ON, STRING, TOKENS};
use crate::outline::lexer_rules::Oddity;
use crate::outline::name_path::{DefinedName, spaced};

/// The longest text before a block that is a name itself.
const SELECTOR: usize = 4096;

/// Keywords before brackets and a block that define nothing.
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

const BRANCHES: &[&[u8]] =
    &[b"if", b"guard", b"while", b"for", b"else", b"switch", b"catch", b"return", b"import"];

/// Other words that name nothing before brackets.
const NO_NAMES: &[&[u8]] = &[b"async", b"super", b"this", b"function"];

/// Words with brackets in front of a name.
const PREFIX: &[&[u8]] =
    &[b"__attribute__", b"__declspec", b"alignas", b"noexcept", b"decltype", b"requires", b"extern"];

impl BraceWalk<'_, '_> {
    pub(super) fn introduced(&mut self, at: usize) -> Option<(DefinedName, usize)> {
        if self.has(DefinitionForm::Selector) {
            return self.selector(at);
        }
        let declared = self.top().declared.take();
        if !self.top().statement.is_begun {
            return declared;
        }
        // The names of a `typedef` follow its block.
        let is_full = self.tokens().len() >= TOKENS;
        if self.is_typedef() && (is_full || self.tokens().contains(&BraceToken::Group(b'{'))) {
            return None;
        }
        if self.top().list.is_some() {
            return self.listed();
        }
        let added = self.added(at);
        added
            .or_else(|| self.by_keyword(self.has(DefinitionForm::Tight)))
            .or_else(|| self.has(DefinitionForm::Function).then(|| self.function(self.tokens()))?)
            .or_else(|| self.has(DefinitionForm::Variables).then(|| self.variable())?)
            .or_else(|| self.has(DefinitionForm::Initializer).then(|| self.initializer())?)
            .or_else(|| self.has(DefinitionForm::Property).then(|| self.property(self.tokens()))?)
            .or_else(|| self.has(DefinitionForm::Assignment).then(|| self.assigned())?)
    }

    fn selector(&mut self, at: usize) -> Option<(DefinedName, usize)> {
        let start = self.top().statement.start;
        if !self.top().statement.is_begun || at - start > SELECTOR {
            return None;
        }
        let whole = spaced(&String::from_utf8_lossy(&self.text[start..at]));
        let parts = whole.split(',').map(|part| part.trim().to_owned()).filter(|part| *part != whole);
        let names = std::iter::once(whole.clone()).chain(parts).collect();
        Some((DefinedName { names, ..DefinedName::default() }, start))
    }

    /// The text without its comments. The mask has lifetimes as strings.
    fn code(&self, place: Range<usize>) -> String {
        let both = self.mask[place.clone()].iter().zip(&self.text[place]);
        let bytes: Vec<u8> = both.map(|(mask, byte)| if *mask == STRING { *byte } else { *mask }).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn tokens(&self) -> &[BraceToken] {
        self.frames.last().map_or(&[], |frame| &frame.statement.tokens)
    }

    fn word(&self, token: Option<&BraceToken>) -> Option<&str> {
        match token {
            Some(BraceToken::Word(place)) => std::str::from_utf8(&self.mask[place.clone()]).ok(),
            _ => None,
        }
    }

    /// `impl Trait for Type {`, `extension Type {`, with type arguments or not.
    fn added(&self, block: usize) -> Option<(DefinedName, usize)> {
        let tokens = &self.frames.last()?.statement.tokens;
        let (at, keyword) = tokens.iter().take(4).enumerate().find_map(|(at, token)| {
            let word = self.word(Some(token))?;
            self.lexis.adding.contains(&word).then_some((at, word))
        })?;
        let BraceToken::Word(place) = &tokens[at] else { return None };
        // Names outside of angle brackets, before conditions.
        let (mut angles, mut words, mut path) = (0_usize, vec![keyword.to_owned()], false);
        for (number, token) in tokens.iter().enumerate().skip(at + 1) {
            match token {
                BraceToken::Mark(b'<') => angles += 1,
                BraceToken::Mark(b'>') if tokens.get(number - 1) != Some(&BraceToken::Mark(b'-')) => {
                    angles = angles.saturating_sub(1);
                }
                BraceToken::Mark(b':') if angles == 0 => break,
                BraceToken::Mark(b'.') if angles == 0 => path = true,
                BraceToken::Word(_) if angles == 0 => {
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
        let mut names = vec![last_segment(name).to_owned(), words.join(" ")];
        if block - place.start <= SELECTOR {
            let whole = spaced(&self.code(place.start..block));
            names.extend(whole.split(" where ").next().map(str::to_owned));
        }
        Some((DefinedName { names, adds: true, of: None }, place.start))
    }

    /// `fn name`, `class Name`.
    pub(super) fn by_keyword(&self, tight: bool) -> Option<(DefinedName, usize)> {
        let tokens = &self.frames.last()?.statement.tokens;
        if self.word(tokens.first()).is_some_and(|word| BRANCHES.contains(&word.as_bytes())) {
            return None;
        }
        for (at, token) in tokens.iter().enumerate() {
            let Some(keyword) = self.word(Some(token)).filter(|word| self.lexis.keywords.contains(word))
            else {
                continue;
            };
            let BraceToken::Word(place) = token else { continue };
            // A member named like a keyword; a pointer such as `*const T`.
            if at > 0 && matches!(tokens[at - 1], BraceToken::Mark(b'.' | b'*' | b'&')) {
                continue;
            }
            let Some((name, next)) = self.name(tokens, at + 1, keyword) else { continue };
            let (name, next) = if tight { self.last_of_row(tokens, name, next) } else { (name, next) };
            let follows = tokens.get(behind_angles(tokens, next));
            let is_last = matches!(follows, None | Some(BraceToken::Mark(b':')));
            if tight && !is_last && self.word(follows) != Some("final") {
                continue;
            }
            let mut named = called(&name, Some(keyword));
            if at > 0 && self.word(tokens.get(at - 1)) == Some("extend") {
                named.adds = true;
                named.names.push(format!("extend {keyword} {name}"));
            }
            if keyword == "func"
                && let Some(BraceToken::Word(behind)) = tokens.get(next - 1)
            {
                self.receive(&mut named, place.end..behind.start);
            }
            return Some((named, place.start));
        }
        None
    }

    /// Adds the names of a method's receiver, `(a *A)`.
    fn receive(&self, named: &mut DefinedName, place: Range<usize>) {
        let receiver = spaced(&String::from_utf8_lossy(&self.mask[place]));
        let Some(inside) = receiver.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return };
        let plain = inside.split('[').next().unwrap_or(inside).trim();
        let owner = plain.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(plain);
        if let Some(name) = named.names.first().cloned().filter(|_| !owner.is_empty()) {
            named.names.extend([format!("{owner}.{name}"), format!("{receiver} {name}")]);
            named.of = Some(owner.to_owned());
        }
    }

    fn name(&self, tokens: &[BraceToken], from: usize, keyword: &str) -> Option<(String, usize)> {
        let mut at = from;
        match tokens.get(at)? {
            // `macro_rules! name`, `function* name`.
            BraceToken::Mark(b'!' | b'*') => at += 1,
            // `func (r *T) name(`
            BraceToken::Group(b'(') if keyword == "func" => {
                at += 1;
                matches!(tokens.get(at + 1)?, BraceToken::Group(_)).then_some(())?;
            }
            // `fun <T> name`
            BraceToken::Mark(b'<') => at = behind_angles(tokens, at),
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
            if tokens.get(after) != Some(&BraceToken::Mark(b'.'))
                || self.word(tokens.get(after + 1)).is_none()
            {
                return Some((name, at));
            }
            name.push('.');
            at = after + 1;
        }
    }

    fn last_of_row(&self, tokens: &[BraceToken], name: String, next: usize) -> (String, usize) {
        let (mut name, mut next) = (name, next);
        while let Some(word) = self.word(tokens.get(next)).filter(|word| *word != "final") {
            name = word.to_owned();
            next += 1;
        }
        (name, next)
    }

    /// `name(…)`
    fn function(&self, tokens: &[BraceToken]) -> Option<(DefinedName, usize)> {
        if self.word(tokens.first()).is_some_and(|word| CONTROL.contains(&word.as_bytes())) {
            return None;
        }
        // The name, its place, and the token after a macro's possible brackets.
        let mut chosen: Option<(&str, usize)> = None;
        let mut behind = 0;
        for (at, token) in tokens.iter().enumerate() {
            if chosen.is_some() && self.begins_initializers(tokens, at) {
                break;
            }
            if *token == BraceToken::Mark(b'=') && (chosen.is_none() || at >= behind) {
                // A value, not a body: `DEFINE_MUTEX(x) static int numbers[] = {`. A type may have
                // an arrow.
                let is_arrow =
                    tokens.get(at + 1) == Some(&BraceToken::Mark(b'>')) && !self.has(DefinitionForm::Arrows);
                if is_arrow && chosen.is_some() {
                    break;
                }
                return None;
            }
            let BraceToken::Word(place) = token else { continue };
            let Some(word) = self.word(Some(token)) else { continue };
            if chosen.is_none()
                && let Some(named) = self.operator(word, &tokens[at + 1..])
            {
                return Some((named, place.start));
            }
            let group = behind_angles(tokens, at + 1);
            if tokens.get(group) != Some(&BraceToken::Group(b'(')) {
                continue;
            }
            if at < behind {
                // Inside the candidate's angle brackets: `pick<decltype(a) b>(c)`.
                continue;
            }
            if chosen.is_some() && PREFIX.contains(&word.as_bytes()) {
                behind = group + 1;
                continue;
            }
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let is_other = matches!(before, Some(BraceToken::Mark(b'@' | b'.' | b'$')))
                || CONTROL.contains(&word.as_bytes())
                || NO_NAMES.contains(&word.as_bytes())
                || PREFIX.contains(&word.as_bytes())
                || self.lexis.keywords.contains(&word)
                || word.as_bytes()[0].is_ascii_digit();
            if is_other {
                continue;
            }
            let is_name = match chosen {
                None => true,
                Some((macro_name, _)) => match self.words(&tokens[behind..at]) {
                    None => break,
                    Some(between) => is_behind_macro(macro_name, &between, word),
                },
            };
            if is_name {
                chosen = Some((word, place.start));
            }
            behind = group + 1;
        }
        chosen.map(|(word, start)| (called(word, None), self.head(start)))
    }

    /// The start of a function of C: its type and `template <…>` may stand on lines above the name.
    /// A macro with brackets there may be a statement of its own, and `public:` is a label.
    fn head(&self, start: usize) -> usize {
        let is_c = self.lexis.oddities.contains(&Oddity::Preprocessor)
            && !self.lexis.oddities.contains(&Oddity::CSharpStrings);
        let Some(frame) = self.frames.last().filter(|_| is_c) else { return start };
        let mut before = frame.statement.tokens.iter().take_while(|token| match token {
            BraceToken::Word(place) => place.start < start,
            _ => true,
        });
        if before.any(|token| matches!(token, BraceToken::Group(_) | BraceToken::Mark(b':'))) {
            start
        } else {
            frame.statement.start
        }
    }

    fn words(&self, tokens: &[BraceToken]) -> Option<Vec<&str>> {
        let mut words = Vec::new();
        for token in tokens {
            match token {
                BraceToken::Word(_) => words.push(self.word(Some(token))?),
                BraceToken::Mark(b'*' | b'&' | b'<' | b'>' | b',') => {}
                _ => return None,
            }
        }
        Some(words)
    }

    pub(super) fn is_value(&self) -> bool {
        let mut angles = 0_usize;
        self.tokens().iter().any(|token| {
            match token {
                BraceToken::Mark(b'<') => angles += 1,
                BraceToken::Mark(b'>') => angles = angles.saturating_sub(1),
                _ => {}
            }
            angles == 0 && *token == BraceToken::Mark(b'=')
        })
    }

    /// Whether the next brace initialises a member: `Foo() : a{1}, b{2} {` in C++, `Foo() : a = {},
    /// b = 1 {` in Dart.
    pub(super) fn is_initializer(&self) -> bool {
        let tokens = self.tokens();
        let Some(colon) = (0..tokens.len()).find(|at| self.begins_initializers(tokens, *at)) else {
            return false;
        };
        let last = tokens.len() - 1;
        match tokens[last] {
            BraceToken::Group(_) | BraceToken::Mark(b'.') => false,
            BraceToken::Mark(_) => last > colon,
            BraceToken::Word(_) => matches!(tokens[last - 1], BraceToken::Mark(b',' | b':')),
        }
    }

    fn begins_initializers(&self, tokens: &[BraceToken], at: usize) -> bool {
        let before = tokens.get(at.wrapping_sub(1));
        let is_behind =
            before == Some(&BraceToken::Group(b'(')) || matches!(self.word(before), Some("noexcept" | "try"));
        self.has(DefinitionForm::Initializers)
            && tokens[at] == BraceToken::Mark(b':')
            && is_behind
            && tokens[..at].contains(&BraceToken::Group(b'('))
    }

    pub(super) fn is_arrowed(&self) -> bool {
        self.has(DefinitionForm::Arrows)
            && self.frames.last().is_some_and(|frame| arrow(&frame.statement.tokens).is_some())
    }

    /// `Type name(…) => value`, `Type name => value`
    pub(super) fn arrowed(&self) -> Option<(DefinedName, usize)> {
        let statement = &self.frames.last()?.statement;
        let tokens =
            &statement.tokens[..arrow(&statement.tokens).filter(|_| self.has(DefinitionForm::Arrows))?];
        // Not an assignment of a function.
        if tokens.contains(&BraceToken::Mark(b'=')) {
            return None;
        }
        self.function(tokens).or_else(|| self.property(tokens))
    }

    /// `operator==(`, `Type::operator[](`: the word and the tokens after it.
    fn operator(&self, word: &str, behind: &[BraceToken]) -> Option<DefinedName> {
        let is_it =
            self.has(DefinitionForm::Operators) && (word == "operator" || word.ends_with("::operator"));
        if is_it && behind.starts_with(&[BraceToken::Group(b'['), BraceToken::Group(b'(')]) {
            return Some(called(&format!("{word}[]"), None));
        }
        let marks: String = behind
            .iter()
            .filter(|_| is_it)
            .take_while(|token| matches!(token, BraceToken::Mark(mark) if mark.is_ascii_punctuation()))
            .filter_map(
                |token| if let BraceToken::Mark(mark) = token { Some(char::from(*mark)) } else { None },
            )
            .collect();
        let is_called = behind.get(marks.len()) == Some(&BraceToken::Group(b'('));
        (!marks.is_empty() && is_called).then(|| called(&format!("{word}{marks}"), None))
    }

    /// The keyword before a list: `type (`, `var (`.
    pub(super) fn begins_list(&self) -> Option<&'static str> {
        let [only] = self.tokens() else { return None };
        let word = self.word(Some(only)).filter(|_| self.has(DefinitionForm::Lists))?;
        ["type", "var", "const"].into_iter().find(|keyword| *keyword == word)
    }

    /// `static const struct x name = {`
    fn variable(&self) -> Option<(DefinedName, usize)> {
        let statement = &self.frames.last()?.statement;
        let (last, before) = statement.tokens.split_last()?;
        let is_begin = matches!(before.first(), Some(BraceToken::Word(_)));
        let is_plain = before.iter().all(|token| {
            matches!(
                token,
                BraceToken::Word(_)
                    | BraceToken::Group(b'[' | b'(')
                    | BraceToken::Mark(b'*' | b'&' | b'<' | b'>' | b',')
            )
        });
        if *last != BraceToken::Mark(b'=') || !is_begin || !is_plain {
            return None;
        }
        let words = before.iter().filter(|token| matches!(token, BraceToken::Word(_))).count();
        let name = before.iter().rfind(|token| **token != BraceToken::Group(b'['))?;
        let BraceToken::Word(place) = name else { return None };
        let name = self.word(Some(name)).filter(|_| words > 1)?;
        Some((called(name, None), place.start))
    }

    /// `int f(a, b) int a;`: the function of these parameter declarations.
    pub(super) fn declared(&self) -> Option<(DefinedName, usize)> {
        let frame =
            self.frames.last().filter(|frame| frame.bracket == 0 && self.has(DefinitionForm::Parameters))?;
        let tokens = &frame.statement.tokens[..];
        let is_declaration = |tokens: &[BraceToken]| {
            let is_part = |token: &BraceToken| {
                matches!(token, BraceToken::Word(_) | BraceToken::Group(b'[') | BraceToken::Mark(b'*' | b','))
            };
            matches!(tokens, [BraceToken::Word(_), _, ..]) && tokens.iter().all(is_part)
        };
        let group = tokens.iter().position(|token| *token == BraceToken::Group(b'('));
        match group.filter(|group| is_declaration(&tokens[group + 1..])) {
            Some(group) => self.function(&tokens[..=group]),
            None => frame.declared.clone().filter(|_| is_declaration(tokens)),
        }
    }

    /// `Name struct {` in a list.
    pub(super) fn listed(&self) -> Option<(DefinedName, usize)> {
        let frame = self.frames.last()?;
        let first = frame.statement.tokens.first()?;
        let BraceToken::Word(place) = first else { return None };
        Some((called(self.word(Some(first))?, frame.list), place.start))
    }

    /// `typedef struct { … }`, before its name.
    pub(super) fn is_typedef(&self) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        self.has(DefinitionForm::Tight) && self.word(frame.statement.tokens.first()) == Some("typedef")
    }

    /// `typedef struct { … } name;`, unless the block itself is `name`.
    pub(super) fn typedef(&self) -> Option<(DefinedName, usize)> {
        let statement = &self.frames.last()?.statement;
        let block = statement.tokens.iter().position(|token| *token == BraceToken::Group(b'{'))?;
        let name = self.word(statement.tokens.get(block + 1))?;
        let own = block.checked_sub(1).and_then(|before| self.word(statement.tokens.get(before)));
        let is_last = statement.tokens.len() == block + 2;
        (is_last && own != Some(name)).then(|| (called(name, None), statement.start))
    }

    /// `init(…) {`, `deinit {`
    fn initializer(&self) -> Option<(DefinedName, usize)> {
        let tokens = &self.frames.last()?.statement.tokens;
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1);
            let place = match token {
                BraceToken::Word(place) => place,
                BraceToken::Mark(b'@') | BraceToken::Group(b'(') => continue,
                _ => return None,
            };
            let name = self.word(Some(token))?;
            let is_it = match name {
                "init" => {
                    matches!(next, Some(BraceToken::Group(b'(') | BraceToken::Mark(b'?' | b'!' | b'<')))
                }
                "subscript" => matches!(next, Some(BraceToken::Group(b'(') | BraceToken::Mark(b'<'))),
                "deinit" => next.is_none(),
                _ => false,
            };
            if is_it {
                return Some((called(name, None), place.start));
            }
        }
        None
    }

    /// `public int Name {`
    fn property(&self, tokens: &[BraceToken]) -> Option<(DefinedName, usize)> {
        const OTHERS: &[&str] = &["is", "and", "or", "not", "in", "goto", "where", "stackalloc", "default"];
        let mut words = 0;
        for (at, token) in tokens.iter().enumerate() {
            match token {
                BraceToken::Word(_) => {
                    let word = self.word(Some(token))?;
                    if CONTROL.contains(&word.as_bytes()) || OTHERS.contains(&word) {
                        return None;
                    }
                    words += 1;
                }
                BraceToken::Mark(b'<' | b'>' | b',' | b'.' | b'?') if at > 0 => {}
                BraceToken::Group(b'[') => {}
                _ => return None,
            }
        }
        let Some(BraceToken::Word(place)) = tokens.last() else { return None };
        let name = self.word(tokens.last()).filter(|_| words > 1)?;
        Some((called(name, None), place.start))
    }

    /// `name = function (…) {`, `name: (…) => {`, `name = {`.
    fn assigned(&self) -> Option<(DefinedName, usize)> {
        let tokens = &self.frames.last()?.statement.tokens;
        let is_arrow = |at: usize| {
            tokens.get(at + 1) == Some(&BraceToken::Mark(b'>')) && tokens[at] == BraceToken::Mark(b'=')
        };
        let sign = tokens.iter().position(|token| matches!(token, BraceToken::Mark(b'=' | b':')))?;
        let name = sign.checked_sub(1).map(|before| &tokens[before])?;
        let last = tokens.len() - 1;
        let is_function = (sign..last).any(is_arrow)
            || tokens.iter().any(|token| matches!(self.word(Some(token)), Some("function" | "class")));
        let is_object = matches!(tokens[last], BraceToken::Mark(b'=' | b':'));
        if is_arrow(sign) || !(is_function || is_object) {
            return None;
        }
        let BraceToken::Word(place) = name else { return None };
        let word = self.word(Some(name)).filter(|word| !CONTROL.contains(&word.as_bytes()))?;
        Some((called(word, None), place.start))
    }
}

fn arrow(tokens: &[BraceToken]) -> Option<usize> {
    tokens.windows(2).position(|pair| *pair == [BraceToken::Mark(b'='), BraceToken::Mark(b'>')])
}

/// Words before a type and a name with brackets: `public (int, int) Name(`.
const MODIFIERS: &[&str] =
    &["public", "private", "protected", "internal", "static", "virtual", "override", "abstract", "readonly"];

/// Words after a function's brackets.
const SPECIFIERS: &[&str] =
    &["const", "volatile", "override", "final", "mutable", "throws", "async", "where"];

/// Whether a function name follows a macro and type words: `EXPORT_SYMBOL(x) int name(`, also
/// before `int name() __acquires(x) {`.
fn is_behind_macro(before: &str, between: &[&str], name: &str) -> bool {
    let is_loud = |word: &str| {
        word.starts_with("__") || !word.bytes().any(|byte| byte.is_ascii_lowercase() || byte >= 0x80)
    };
    if between.iter().any(|word| SPECIFIERS.contains(word)) {
        false
    } else if between.is_empty() {
        !is_loud(name) && (is_loud(before) || MODIFIERS.contains(&before))
    } else {
        !(is_loud(name) && between.iter().all(|word| is_loud(word)))
    }
}

fn called(name: &str, keyword: Option<&str>) -> DefinedName {
    let simple = last_segment(name);
    let mut names = vec![simple.to_owned()];
    let owner = name.strip_suffix(simple).map(|owner| owner.trim_end_matches([':', '.']));
    let of = owner.filter(|owner| !owner.is_empty()).map(str::to_owned);
    if simple != name {
        names.push(name.to_owned());
    }
    if let Some(keyword) = keyword {
        let phrases: Vec<_> = names.iter().map(|name| format!("{keyword} {name}")).collect();
        names.extend(phrases);
    }
    DefinedName { names, adds: false, of }
}

fn last_segment(name: &str) -> &str {
    let behind = name.rsplit("::").next().unwrap_or(name);
    behind.rsplit('.').next().unwrap_or(behind)
}

/// The token after `<…>`, if it begins here.
fn behind_angles(tokens: &[BraceToken], from: usize) -> usize {
    if tokens.get(from) != Some(&BraceToken::Mark(b'<')) {
        return from;
    }
    let mut angles = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token {
            BraceToken::Mark(b'<') => angles += 1,
            BraceToken::Mark(b'>') => angles -= 1,
            _ => {}
        }
        if angles == 0 {
            return at + 1;
        }
    }
    from
}

//! Embedded languages in HTML and its relatives.
//!
//! Lines inside one block hold no tag that ends it, and all others take HTML's mark. The result is
//! the same before and after lines become comments, so commenting can be reversed.

use super::languages::{self, Language};

/// The tags of a kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `<script/>` begins a block.
    Html,
    /// Any tag can close itself, `<script/>` too.
    Svelte,
    /// Like Svelte, and templates may be in other languages.
    Vue,
    /// No element has a text of its own kind.
    Xml,
}

/// The language around lines.
#[derive(Debug, Clone, Copy)]
pub enum Block {
    /// No block, or several.
    Markup,
    /// A block in this language.
    Of(&'static Language),
    /// A block without comments.
    Data,
    /// The lines enter or leave a block.
    Across,
    /// The lines leave this open.
    Opens(&'static str),
    /// Another place, where a comment is content.
    Content(&'static str),
}

/// Elements without markup in them.
const TEXT: &str = "`<textarea>` or `<title>`";
const RAW: &str = "the raw text of an element";
const TAG: &str = "a tag";
const COMMENT: &str = "a comment";
const CDATA: &str = "a CDATA section";
const INSTRUCTION: &str = "a processing instruction";

/// The closing tags of elements in which a comment is content.
const TEXTS: &[(&[u8], &str)] = &[
    (b"</textarea", TEXT),
    (b"</title", TEXT),
    (b"</xmp", RAW),
    (b"</iframe", RAW),
    (b"</noembed", RAW),
    (b"</noframes", RAW),
    (b"</plaintext", RAW),
];

/// The closing tags of known blocks of Vue in another language.
const VUE_BLOCKS: &[(&[u8], &str)] = &[(b"</i18n", RAW), (b"</docs", RAW), (b"</route", RAW)];

/// A scanner for blocks, fed chunk by chunk.
#[derive(Debug)]
pub struct Blocks {
    dialect: Dialect,
    state: TagState,
    name: Vec<u8>,
    attributes: Vec<u8>,
    ended: u64,
    passed: usize,
    begun: usize,
}

#[derive(Debug, Clone, Copy)]
enum TagState {
    Text,
    Name,
    Tag {
        quote: Option<u8>,
        last: u8,
    },
    Comment {
        hyphens: u8,
        is_called: bool,
    },
    /// Code in braces, in text or in a tag.
    Code {
        depth: u32,
        quote: Option<u8>,
        last: u8,
        around: CodeAround,
    },
    /// Up to its closing tag, or to another text before a `>`; `agree` of its bytes match so far.
    Raw {
        close: &'static [u8],
        agree: usize,
        block: Block,
    },
}

#[derive(Debug, Clone, Copy)]
enum CodeAround {
    Text,
    /// A tag, and its open quote.
    Tag(Option<u8>),
}

/// Bytes kept of a name or attributes. Longer ones have no meaning here.
const NAME_BYTES: usize = 16;
const ATTRIBUTES_BYTES: usize = 1024;

impl Blocks {
    /// A scanner at the start of a text.
    pub fn new(dialect: Dialect) -> Self {
        let (name, attributes) = (Vec::new(), Vec::new());
        Self { dialect, state: TagState::Text, name, attributes, ended: 0, passed: 0, begun: 0 }
    }

    /// Scans the next chunk.
    pub fn feed(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        loop {
            if matches!(self.state, TagState::Text) {
                let brace = if self.dialect == Dialect::Svelte { b'{' } else { b'<' };
                let tag = memchr::memchr2(b'<', brace, rest).unwrap_or(rest.len());
                self.passed += tag;
                rest = &rest[tag..];
            }
            let Some((byte, after)) = rest.split_first() else { return };
            if self.takes(*byte) {
                self.passed += 1;
                rest = after;
            }
        }
    }

    /// The start of the open block, in bytes since the first chunk.
    pub fn begun(&self) -> usize {
        self.begun
    }

    /// The block around the next lines.
    pub fn around(mut self, lines: &[u8]) -> Block {
        let block = match (self.state, self.content()) {
            (TagState::Raw { block: block @ Block::Content(_), .. }, _) => return block,
            (TagState::Raw { block, .. }, _) => Some(block),
            (_, Some(what)) => return Block::Content(what),
            (_, None) => None,
        };
        let ended = self.ended;
        self.feed(lines);
        let is_raw = matches!(self.state, TagState::Raw { .. });
        match block {
            None if !is_raw => self.content().map_or(Block::Markup, Block::Opens),
            Some(block) if self.ended == ended => block,
            _ => Block::Across,
        }
    }

    /// The comment that a text leaves open.
    pub(crate) fn opened_comment(mut self, text: &[u8]) -> Option<&'static str> {
        self.feed(text);
        matches!(self.state, TagState::Comment { .. }).then_some(COMMENT)
    }

    /// The place of the next byte, if it is none for a comment.
    pub(crate) fn content(&self) -> Option<&'static str> {
        match self.state {
            TagState::Text | TagState::Name => None,
            TagState::Tag { .. } | TagState::Code { .. } => Some(TAG),
            TagState::Comment { .. } => Some(COMMENT),
            TagState::Raw { block: Block::Content(what), .. } => Some(what),
            TagState::Raw { .. } => Some(RAW),
        }
    }

    /// Takes the next byte; false asks for the same byte again.
    fn takes(&mut self, byte: u8) -> bool {
        if byte == b'{' && self.dialect == Dialect::Svelte {
            let around = match self.state {
                TagState::Text => Some(CodeAround::Text),
                TagState::Tag { quote, .. } => Some(CodeAround::Tag(quote)),
                _ => None,
            };
            if let Some(around) = around {
                // `{/if}` is no regular expression.
                let last = if matches!(around, CodeAround::Text) { b')' } else { byte };
                self.state = TagState::Code { depth: 1, quote: None, last, around };
                return true;
            }
        }
        match &mut self.state {
            TagState::Text => {
                self.name.clear();
                self.attributes.clear();
                self.state = TagState::Name;
                true
            }
            TagState::Name => self.name(byte),
            TagState::Tag { quote: Some(quote), last } => {
                if byte == *quote {
                    self.state = TagState::Tag { quote: None, last: byte };
                } else {
                    *last = byte;
                }
                keep(&mut self.attributes, byte, ATTRIBUTES_BYTES)
            }
            // Declarations between the brackets of `<!DOCTYPE a [ … ]>`.
            TagState::Tag { quote: None, .. }
                if byte == b'[' && self.name == b"!" && self.dialect == Dialect::Xml =>
            {
                self.state = TagState::Text;
                true
            }
            TagState::Tag { quote: None, last: b'/' } if byte == b'>' => {
                let is_closed = self.dialect != Dialect::Html;
                self.state = if is_closed { TagState::Text } else { self.behind_tag() };
                self.begun = self.passed + 1;
                true
            }
            TagState::Tag { quote: None, .. } if byte == b'>' => {
                self.state = self.behind_tag();
                self.begun = self.passed + 1;
                true
            }
            TagState::Tag { quote, last } => {
                if matches!(byte, b'"' | b'\'') && *last == b'=' {
                    *quote = Some(byte);
                }
                if !byte.is_ascii_whitespace() {
                    *last = byte;
                }
                keep(&mut self.attributes, byte, ATTRIBUTES_BYTES)
            }
            TagState::Comment { hyphens, is_called } => {
                self.state = match byte {
                    b'>' if *hyphens == 2 => TagState::Text,
                    b'!' if *hyphens == 2 && !*is_called => TagState::Comment { hyphens: 2, is_called: true },
                    b'-' if *is_called => TagState::Comment { hyphens: 1, is_called: false },
                    b'-' => TagState::Comment { hyphens: (*hyphens + 1).min(2), is_called: false },
                    _ => TagState::Comment { hyphens: 0, is_called: false },
                };
                true
            }
            TagState::Code { depth, quote, last, around } => {
                if let Some(around) = in_code(byte, depth, quote, last).then_some(*around) {
                    self.state = match around {
                        CodeAround::Text => TagState::Text,
                        CodeAround::Tag(quote) => TagState::Tag { quote, last: byte },
                    };
                }
                true
            }
            TagState::Raw { close, agree, .. } => {
                let is_end = byte == b'>' || close[0] == b'<' && (byte.is_ascii_whitespace() || byte == b'/');
                if *agree == close.len() && is_end {
                    self.ended += 1;
                    self.name = close.to_vec();
                    self.state = TagState::Tag { quote: None, last: 0 };
                    return false;
                }
                let agrees = close.get(*agree).is_some_and(|wanted| wanted.eq_ignore_ascii_case(&byte));
                let is_again = *agree > 0 && close[..*agree].iter().all(|known| *known == byte);
                if agrees {
                    *agree += 1;
                } else if !is_again {
                    *agree = usize::from(byte == close[0]);
                }
                true
            }
        }
    }

    fn name(&mut self, byte: u8) -> bool {
        let is_xml = self.dialect == Dialect::Xml;
        let raw = |close, what| TagState::Raw { close, agree: 0, block: Block::Content(what) };
        let goes_on = match &self.name[..] {
            [] if is_xml && (byte == b'_' || byte >= 0x80) => true,
            [] => byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'/' | b'?'),
            b"?" if is_xml => {
                self.state = raw(b"?", INSTRUCTION);
                return false;
            }
            b"![CDATA" if byte == b'[' => {
                self.state = raw(b"]]", CDATA);
                return true;
            }
            b"!" if is_xml && byte == b'[' => true,
            [b'!', b'[', known @ ..] => b"CDATA".get(known.len()) == Some(&byte),
            b"!-" if byte == b'-' => {
                self.state = TagState::Comment { hyphens: 2, is_called: false };
                return true;
            }
            b"!" => byte == b'-',
            [b'!', ..] => false,
            _ => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.'),
        };
        if goes_on {
            return keep(&mut self.name, byte, NAME_BYTES);
        }
        self.state =
            if self.name.is_empty() { TagState::Text } else { TagState::Tag { quote: None, last: 0 } };
        false
    }

    fn behind_tag(&self) -> TagState {
        let raw = |close, block| TagState::Raw { close, agree: 0, block };
        match &self.name.to_ascii_lowercase()[..] {
            _ if self.dialect == Dialect::Xml => TagState::Text,
            b"script" => raw(b"</script", self.script()),
            b"style" => raw(b"</style", self.style()),
            b"template" if self.dialect == Dialect::Vue => match self
                .attribute(b"lang")
                .map(|lang| named(&lang))
            {
                Some(Some(language)) if language.blocks.is_none() => raw(b"</template", Block::Of(language)),
                _ => TagState::Text,
            },
            name => {
                let others = if self.dialect == Dialect::Vue { VUE_BLOCKS } else { &[] };
                match TEXTS.iter().chain(others).find(|(close, _)| close[2..] == *name) {
                    Some((close, what)) => raw(close, Block::Content(what)),
                    None => TagState::Text,
                }
            }
        }
    }

    fn script(&self) -> Block {
        let kind = self.kind();
        match &kind[..] {
            "" | "module" | "ecmascript" | "babel" => named("javascript").map_or(Block::Markup, Block::Of),
            "json" | "importmap" | "speculationrules" => Block::Data,
            kind if kind.ends_with("+json") => Block::Data,
            kind => named(kind).map_or(Block::Markup, Block::Of),
        }
    }

    fn style(&self) -> Block {
        named(&self.kind()).or_else(|| named("css")).map_or(Block::Markup, Block::Of)
    }

    /// The language of a block: `ts` of `lang="ts"`, `coffeescript` of
    /// `type="text/x-coffeescript"`.
    fn kind(&self) -> String {
        let value = self.attribute(b"lang").or_else(|| self.attribute(b"type")).unwrap_or_default();
        let last = value.rsplit('/').next().unwrap_or_default();
        last.strip_prefix("x-").unwrap_or(last).to_owned()
    }

    fn attribute(&self, wanted: &[u8]) -> Option<String> {
        let mut rest = &self.attributes[..];
        loop {
            rest = rest.trim_ascii_start();
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'=';
            let (name, after) = rest.split_at(rest.iter().position(is_end).unwrap_or(rest.len()));
            if name.is_empty() && after.is_empty() {
                return None;
            }
            let Some(value) = after.trim_ascii_start().strip_prefix(b"=") else {
                rest = after;
                continue;
            };
            let value = value.trim_ascii_start();
            let (value, after) = match value.split_first() {
                Some((quote @ (b'"' | b'\''), value)) => {
                    let end = memchr::memchr(*quote, value).unwrap_or(value.len());
                    (&value[..end], value.get(end + 1..).unwrap_or_default())
                }
                _ => value.split_at(value.iter().position(u8::is_ascii_whitespace).unwrap_or(value.len())),
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(String::from_utf8_lossy(value).trim().to_ascii_lowercase());
            }
            rest = after;
        }
    }
}

/// Reads a byte of code in braces; true for the last one.
fn in_code(byte: u8, depth: &mut u32, quote: &mut Option<u8>, last: &mut u8) -> bool {
    let before = *last;
    if quote.is_some() || !byte.is_ascii_whitespace() {
        *last = byte;
    }
    match (*quote, byte) {
        // A comment, not an expression.
        (Some(b'/'), b'*') if before == b'/' => (*quote, *last) = (Some(byte), 0),
        (Some(b'/'), b'/') if before == b'/' => *quote = Some(b'\n'),
        (Some(b'*'), b'/') if before == b'*' => *quote = None,
        (Some(b'*'), _) => {}
        (Some(_), _) if before == b'\\' => *last = 0,
        (Some(open), _) if byte == open || matches!(byte, b'\n' | b'\r') && open != b'`' => *quote = None,
        (Some(_), _) => {}
        (None, b'"' | b'\'' | b'`') => *quote = Some(byte),
        (None, b'/') if !before.is_ascii_alphanumeric() && !matches!(before, b')' | b']' | b'_' | b'$') => {
            *quote = Some(byte);
        }
        (None, b'*') if before == b'/' => (*quote, *last) = (Some(byte), 0),
        (None, b'{') => *depth += 1,
        (None, b'}') => *depth -= 1,
        (None, _) => {}
    }
    *depth == 0
}

fn named(name: &str) -> Option<&'static Language> {
    languages::named(name)
}

fn keep(bytes: &mut Vec<u8>, byte: u8, most: usize) -> bool {
    if bytes.len() < most {
        bytes.push(byte);
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::comment::{commented, uncommented};
    use crate::languages::CommentMark;

    fn block(dialect: Dialect, before: &[u8], lines: &[u8]) -> Block {
        let mut blocks = Blocks::new(dialect);
        blocks.feed(before);
        blocks.around(lines)
    }

    fn shown(block: Block) -> &'static str {
        match block {
            Block::Markup => "markup",
            Block::Of(language) => language.name,
            Block::Data => "data",
            Block::Across => "across",
            Block::Opens(TAG) => "opens a tag",
            Block::Opens(_) => "opens",
            Block::Content(TEXT) => "text",
            Block::Content(what) => what,
        }
    }

    #[test]
    fn lines_stand_in_a_block_or_in_none() {
        use Dialect::{Html, Svelte, Vue, Xml};
        for (dialect, before, lines, expected) in [
            (Html, "", "<p>\n", "markup"),
            (Html, "<script>\n", "x\n", "javascript"),
            (Html, "<SCRIPT\n  async>\n", "x\n", "javascript"),
            (Html, "<script>\n", "x\n</script>\n", "across"),
            (Html, "<script>\n", "x\n</script\n", "across"),
            (Html, "<style>\n", "x\n</style>\n<style>\n", "across"),
            (Html, "", "<style>\nx\n", "across"),
            (Html, "", "<style>\nx\n</style>\n", "markup"),
            (Html, "", "<p>\n<xmp></xmp>\n", "markup"),
            (Html, "<xmp>\n", "x\n", RAW),
            (Html, "<iframe>\n", "x\n", RAW),
            (Html, "<noscript>\n", "x\n", "markup"),
            (Html, "<a b={c > d}\n", "e\n", "markup"),
            (Svelte, "<a b={c > d}\n", "e\n", TAG),
            (Svelte, "<a b={{c: '}'}}>\n", "e\n", "markup"),
            (Svelte, "<a on:b={() => c}\n", "e\n", TAG),
            (Svelte, "<a b=\"{c ? \"d\" : '>'}\"\n", "e\n", TAG),
            (Svelte, "<a b={/* it's } */ c // }\n}>\n", "e\n", "markup"),
            (Svelte, "<a b={c.d(/['\"}]/g, `\n}\\``)} e={f / g}>\n", "h\n", "markup"),
            (Svelte, "{#each a\n", "as b}\n", TAG),
            (Svelte, "{#if a}\n{:else if b}\n{/if}\n", "c\n", "markup"),
            (Svelte, "{/* it's */ a}\n", "c\n", "markup"),
            (Html, "<xmp>\n</xxmp><//xmp>\n", "a\n", RAW),
            (Html, "<xmp>\n<</xmp>\n", "a\n", "markup"),
            (Svelte, "{#if a < b}\n", "c\n", "markup"),
            (Svelte, "{a}'s <b>{c}</b>\n", "d\n", "markup"),
            (Xml, "<a\n", "b=\"c\">\n", TAG),
            (Xml, "<_a\n", "b=\"c\">\n", TAG),
            (Xml, "<?a\n", "b?>\n", INSTRUCTION),
            (Xml, "<?a b > c??>\n", "d\n", "markup"),
            (Xml, "<![CDATA[\n", "a\n", CDATA),
            (Xml, "<![CDATA[<!-- ]] > ]>\n", "a\n", CDATA),
            (Xml, "<![CDATA[a[b[0]]]>\n", "a\n", "markup"),
            (Xml, "<a>\n", "<![CDATA[\n", "across"),
            (Xml, "<a>\n", "<![CDATA[\nb\n]]>\n", "markup"),
            (Xml, "<!DOCTYPE a [\n", "<!ENTITY b \"c\">\n", "markup"),
            (Xml, "<!DOCTYPE a [\n<!ENTITY b\n", "\"c\">\n", TAG),
            (Xml, "<!DOCTYPE a\n", "[]>\n", TAG),
            (Xml, "<script>\n", "a < b\n", "markup"),
            (Xml, "<!--\n", "a\n", COMMENT),
            (Html, "<svg><![CDATA[ a > b ]]>\n", "c\n", "markup"),
            (Html, "<script>\n", "x\n</scripted>\n", "javascript"),
            (Html, "<script>\nif (a < b) '<</script'\n", "x\n", "javascript"),
            (Html, "<script></script>\n", "x\n", "markup"),
            (Html, "<script>\n</Script >\n<p>\n", "x\n", "markup"),
            (Html, "<scripts>\n", "x\n", "markup"),
            (Html, "<script/>\n", "x\n", "javascript"),
            (Svelte, "<script/>\n", "x\n", "markup"),
            (Svelte, "<script lang=ts>\n", "x\n", "typescript"),
            (Svelte, "<script context=\"module\" lang=\"ts\">\n", "x\n", "typescript"),
            (Html, "<script type=\"module\">\n", "x\n", "javascript"),
            (Html, "<script type = 'text/coffeescript'>\n", "x\n", "coffeescript"),
            (Html, "<script type=\"application/ld+json\">\n", "x\n", "data"),
            (Html, "<script type=\"importmap\">\n", "x\n", "data"),
            (Html, "<script type=\"text/x-template\">\n", "x\n", "markup"),
            (Html, "<script type=\"text/x-handlebars\">\n", "x\n", "handlebars"),
            (Html, "<script data-x=\"a > b\">\n", "x\n", "javascript"),
            (Html, "<style>\n", "a {}\n", "css"),
            (Vue, "<style lang=\"scss\" scoped>\n", "a {}\n", "scss"),
            (Vue, "<style lang=\"postcss\">\n", "a {}\n", "css"),
            (Vue, "<script setup lang=\"ts\">\n", "x\n", "typescript"),
            (Vue, "<script src=\"x\" />\n", "x\n", "markup"),
            (Vue, "<template>\n", "x\n", "markup"),
            (Vue, "<template lang=\"pug\">\n", "x\n", "pug"),
            (Vue, "<template lang=\"html\">\n<script>\n", "x\n", "javascript"),
            (Html, "<template lang=\"pug\">\n", "x\n", "markup"),
            (Html, "<!-- <script> -->\n", "x\n", "markup"),
            (Html, "<!--> <script>\n", "x\n", "javascript"),
            (Html, "<!-- a --!> <script>\n", "x\n", "javascript"),
            (Html, "<!-- a -- > <script>\n", "x\n", "a comment"),
            (Html, "<!doctype html>\n<script>\n", "x\n", "javascript"),
            (Html, "<textarea><script></textarea>\n", "x\n", "markup"),
            (Html, "<textarea>\n", "x\n", "text"),
            (Html, "<title>\n", "x</title>\n", "text"),
            (Html, "a < b <<script>\n", "x\n", "javascript"),
            (Html, "<a title='<script>'>\n", "x\n", "markup"),
            (Html, "<a\n", "b=c\n", "a tag"),
            (Html, "<a title='\n>\n", "b\n", "a tag"),
            (Html, "<a\n", "b>\n", "a tag"),
            (Html, "<script\n", "async>\n", "a tag"),
            (Vue, "<a\n  :b=\"c > d\"\n", "e\n", "a tag"),
            (Html, "</a\n", ">\n", "a tag"),
            (Html, "a < b\n", "c\n", "markup"),
            (Html, "<!--\n", "a\n-->\n", "a comment"),
            (Html, "<!-- a --\n", "b\n", "a comment"),
            (Html, "<!-- a -->\n", "<!-- b -->\n", "markup"),
            (Html, "", "<p>a</p> <!-- b\n", "opens"),
            (Html, "", "<p\n", "opens a tag"),
            (Html, "", "<p\nclass='b'>\n", "markup"),
            (Svelte, "", "{#if a\n", "opens a tag"),
            (Html, "<?xml version=\"1.0\"\n", "encoding=\"x\"?>\n", TAG),
            (Html, "<?xml version=\"1.0\"?>\n", "<p>\n", "markup"),
            (Html, "a <? b\n", "c\n", TAG),
            (Html, "<plaintext>\n", "a\n", RAW),
            (Vue, "<i18n lang=\"yaml\">\n", "a: 1\n", RAW),
            (Vue, "<i18n>\n</i18n>\n", "<p>\n", "markup"),
            (Html, "<i18n>\n", "<p>\n", "markup"),
        ] {
            for cut in 0..=before.len() {
                let mut blocks = Blocks::new(dialect);
                let (one, other) = before.as_bytes().split_at(cut);
                blocks.feed(one);
                blocks.feed(other);
                assert_eq!(
                    shown(blocks.around(lines.as_bytes())),
                    expected,
                    "{before:?} {lines:?} cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn a_block_begins_behind_its_tag() {
        for (before, expected) in [("<p>\n<script lang=\"tsx\">\nx\n", 23), ("<script></script><style>a", 24)]
        {
            for cut in 0..=before.len() {
                let mut blocks = Blocks::new(Dialect::Html);
                let (one, other) = before.as_bytes().split_at(cut);
                blocks.feed(one);
                blocks.feed(other);
                assert_eq!(blocks.begun(), expected, "{before} cut at {cut}");
            }
        }
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop::sample::select(vec![
            "<script>",
            "<script lang=\"ts\">",
            "</script>",
            "<style>",
            "</style>",
            "<script",
            "</script",
            "<template lang=\"pug\">",
            "</template>",
            "<!--",
            "-->",
            "<",
            ">",
            "\n",
            "\n",
            "\n",
            " ",
            "//",
            "/*",
            "*/",
            "a",
            "=",
            "\"",
            "'",
            "-",
            "!",
            "<p>",
            "<textarea>",
            "</textarea>",
            "//-",
            "<script type=\"text/x-handlebars\">",
            "{{!--",
            "--}}",
            "<![CDATA[",
            "]]>",
            "<?",
            "?>",
            "{",
            "}",
        ]);
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat().into_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn lines_become_lines_again_wherever_they_stand(
            before in text(), lines in text(), dialect in prop::sample::select(vec![Dialect::Html, Dialect::Svelte, Dialect::Vue, Dialect::Xml]),
        ) {
            let before = [before, b"\n".to_vec()].concat();
            let lines = [lines, b"\n".to_vec()].concat();
            let mark = |lines: &[u8]| -> Option<CommentMark> {
                match block(dialect, &before, lines) {
                    Block::Markup => {
                        let own = if dialect == Dialect::Xml { "xml" } else { "html" };
                        languages::named(own).map(|language| language.mark)
                    }
                    Block::Of(language) => Some(language.mark),
                    Block::Data | Block::Across | Block::Opens(_) | Block::Content(_) => None,
                }
            };
            if let Some(own) = mark(&lines) && let Ok(marked) = commented(&lines, own, 100) {
                prop_assert_eq!(mark(&marked.text), Some(own));
                let back = uncommented(&marked.text, &[own], 100, |_| false).unwrap();
                prop_assert_eq!(back.text, lines);
            }
        }
    }
}

//! Markup inside code: elements in JavaScript and TypeScript, HTML around PHP. Content inside code:
//! strings, and code blocks in Markdown.
//!
//! Lines that begin and end within the same element do so as comments too, so commenting can be
//! reversed.

use std::ops::Range;

use super::blocks::{self, Block, Blocks, Dialect};
use super::languages::{self, CommentDelimiters, CommentMark, Language};
use super::outline::ContentRegions;

/// A kind of file in which the place of lines decides about their comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mixture {
    /// Elements: `<p>{x}</p>`.
    Elements,
    /// HTML around `<?php … ?>`.
    Html,
    /// Front matter and fenced code in Markdown.
    Fences,
}

/// The place of some lines.
#[derive(Debug, Clone, Copy)]
pub enum MarkupPlace {
    /// They begin and end in code.
    Code,
    /// They begin and end in markup, with the comments of this language.
    Markup(&'static Language),
    /// They are in a block of HTML without comments.
    Data,
    /// They cross a border between code and markup, or between elements.
    Across,
    /// They begin in this content, where a comment mark is content.
    Content(&'static str),
}

/// Text between the tags of elements.
pub const CHILDREN: Language = languages::plain(
    "jsx",
    CommentMark::Around(CommentDelimiters { open: "{/*", close: "*/}", not_inside: &["*/"], nests: false }),
    &[],
    &[],
    &[],
);

/// HTML around PHP, whose code would run in a comment, too.
const OUTSIDE: Language = languages::plain(
    "html",
    CommentMark::Around(CommentDelimiters {
        open: "<!--",
        close: "-->",
        not_inside: &["-->", "--!>", "<?"],
        nests: false,
    }),
    &[],
    &[],
    &[],
);

/// The content regions of a text in this language, and their name.
pub fn contents(text: &[u8], language: &Language) -> (ContentRegions, &'static str) {
    match language.mixture {
        Some(Mixture::Fences) => {
            (ContentRegions::of_markdown(text), "the settings or the code of a Markdown text")
        }
        _ => (ContentRegions::of(text, language.sections), "a string"),
    }
}

/// The place of these whole lines.
pub fn place(
    text: &[u8],
    language: &Language,
    (contents, what): &(ContentRegions, &'static str),
    lines: Range<usize>,
) -> MarkupPlace {
    let markup = &contents.markup;
    let part = |at: usize| {
        let before = markup.partition_point(|part| part.range.start <= at);
        markup[..before].last().filter(|part| at <= part.range.end)
    };
    let end = lines.start + text[lines.clone()].trim_ascii_end().len();
    match (part(lines.start), part(end), language.mixture) {
        (None, None, _) if contents.has(lines.start) => MarkupPlace::Content(what),
        (None, None, _) => MarkupPlace::Code,
        (Some(one), Some(other), Some(Mixture::Elements)) if one.element == other.element => {
            MarkupPlace::Markup(&CHILDREN)
        }
        (Some(_), Some(_), Some(Mixture::Html)) => {
            let mut blocks = Blocks::new(Dialect::Html);
            for part in markup.iter().take_while(|part| part.range.start < lines.start) {
                blocks.feed(&text[part.range.start..part.range.end.min(lines.start)]);
            }
            match blocks.around(&text[lines]) {
                Block::Markup => MarkupPlace::Markup(&OUTSIDE),
                Block::Of(language) => MarkupPlace::Markup(language),
                Block::Data => MarkupPlace::Data,
                Block::Text => MarkupPlace::Content(blocks::TEXT),
            }
        }
        _ => MarkupPlace::Across,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(language: &str, marked: &str) -> &'static str {
        let text = marked.replace(['»', '«'], "");
        let start = marked.find('»').unwrap();
        let end = marked.find('«').unwrap() - '»'.len_utf8();
        let language = languages::named(language).unwrap();
        let contents = contents(text.as_bytes(), language);
        match place(text.as_bytes(), language, &contents, start..end) {
            MarkupPlace::Code => "code",
            MarkupPlace::Markup(language) => language.name,
            MarkupPlace::Data => "data",
            MarkupPlace::Across => "across",
            MarkupPlace::Content(_) => "content",
        }
    }

    #[test]
    fn lines_are_in_code_or_in_markup() {
        for (language, text, expected) in [
            ("jsx", "x = (\n  <div>\n»    <p>hi</p>\n«  </div>\n);\n", "jsx"),
            ("tsx", "x = (\n  <>\n»    hi\n\n«  </>\n);\n", "jsx"),
            ("jsx", "x = (\n  <div>\n»    {/* <p>hi</p> */}\n«  </div>\n);\n", "jsx"),
            ("jsx", "x = (\n  <div>\n»    {y}\n    <b>\n    </b>\n«  </div>\n);\n", "jsx"),
            ("jsx", "x = (\n»  <div>\n    <p>hi</p>\n  </div>\n«);\n", "code"),
            ("jsx", "x = <p>\n  {y.map(z => {\n»    f(z)\n«  })}\n</p>\n", "code"),
            ("jsx", "x = <p>\n  {y.map(z => (\n    <b>\n»      {z}\n«    </b>\n  ))}\n</p>\n", "jsx"),
            ("jsx", "x = <p\n»  a=\"b\"\n«>\n</p>\n", "code"),
            ("jsx", "x = (\n»  <div>\n«    <p>hi</p>\n  </div>\n);\n", "across"),
            ("jsx", "»x = a < b\n«y = c > d\n", "code"),
            ("jsx", "x = (\n  <div>\n»    <p>\n«      a\n    </p>\n  </div>\n);\n", "across"),
            ("jsx", "x = (\n  <div>\n    <p>\n      a\n»    </p>\n«  </div>\n);\n", "across"),
            ("jsx", "x = (\n  <div>\n    <p>\n»      a\n«    </p>\n  </div>\n);\n", "jsx"),
            ("jsx", "x = (\n  <div>\n»    <p>\n      a\n    </p>\n«  </div>\n);\n", "jsx"),
            ("jsx", "x = `\n»a\n«`;\n", "content"),
            ("jsx", "x = `\na\n»`;\n«", "content"),
            ("jsx", "»x = `\na\n`;\n«", "code"),
            ("jsx", "x = `\n${\n»a\n«}\n`;\n", "code"),
            ("jsx", "x = `\n${\na\n}\n»b\n«`;\n", "content"),
            ("jsx", "x = `\n»${\na\n}\n`;\n«", "content"),
            ("jsx", "x = <p a=\"b\n»c\n«d\">\n</p>\n", "content"),
            ("python", "x = \"\"\"\n»a\n«\"\"\"\n", "content"),
            ("python", "x = f'''\n»a\n«{b}'''\n", "content"),
            ("python", "x = (\n»a\n«)\n", "code"),
            ("rust", "x = r#\"\n»a\n«\"#;\n", "content"),
            ("php", "<?php\n$x = <<<EOT\n»a\n«EOT;\n", "content"),
            ("php", "<?php\n$x = <<<EOT\na\nEOT;\n»f();\n«", "code"),
            ("shell", "cat <<EOF\n»a\n«EOF\n", "content"),
            ("shell", "cat <<EOF\na\nEOF\n»f\n«", "code"),
            ("shell", "x='a\n»b\n«'\n", "content"),
            ("shell", "x=\"$(\n»f\n«)\"\n", "code"),
            ("jsx", "x = `\n»a\n«", "code"),
            ("markdown", "---\n»a: 1\n«---\nb\n", "content"),
            ("markdown", "a\n```js\n»f()\n«```\n", "content"),
            ("markdown", "a\n»```js\nf()\n```\n«", "code"),
            ("markdown", "- ```\n  a\n»b\n«", "code"),
            ("mdx", "a\n```js\nf()\n```\n»b\n«", "code"),
            ("mdx", "a\n~~~~\n»b\n«~~~~\n", "content"),
            ("php", "<textarea>\n»a\n«</textarea>\n", "content"),
            ("php", "»<p>hi</p>\n«<?php\nf();\n", "html"),
            ("php", "<?php\n»f();\n«?>\n", "code"),
            ("php", "<?php f() ?>\n»<p><?= $x ?>\n«</p>\n", "html"),
            ("php", "»<?php\nf();\n«?>\n", "across"),
            ("php", "<script>\n<?php f() ?>\n»x()\n«</script>\n", "javascript"),
            ("php", "<script type=\"application/json\">\n»1\n«</script>\n", "data"),
        ] {
            assert_eq!(marked(language, text), expected, "{text}");
        }
    }
}

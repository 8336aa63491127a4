//! Markup in code: elements in JavaScript and TypeScript, and HTML around the code of PHP.
//!
//! Lines that begin and end between the tags of elements do so before and after they become
//! comments, so that they become lines again.

use std::ops::Range;

use super::blocks::{Block, Blocks, Dialect};
use super::languages::{self, Around, Language, Mark};
use super::section::markup;

/// A kind of file with markup in its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mixture {
    /// Elements: `<p>{x}</p>`.
    Elements,
    /// HTML around `<?php … ?>`.
    Html,
}

/// Some lines of such a file.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// They begin and end in code.
    Code,
    /// They begin and end in markup, and are commented out as lines of this are.
    Markup(&'static Language),
    /// They begin and end in a block of HTML in which there are no comments.
    Data,
    /// They begin in one and end in the other.
    Across,
}

/// Text between the tags of elements.
const CHILDREN: Language = languages::plain(
    "jsx",
    Mark::Around(Around { open: "{/*", close: "*/}", not_inside: &["*/"], nests: false }),
    &[],
    &[],
    &[],
);

/// HTML around PHP, whose code would run in a comment, too.
const OUTSIDE: Language = languages::plain(
    "html",
    Mark::Around(Around { open: "<!--", close: "-->", not_inside: &["-->", "--!>", "<?"], nests: false }),
    &[],
    &[],
    &[],
);

/// The place of these whole lines of a text.
pub fn place(text: &[u8], language: &Language, mixture: Mixture, lines: Range<usize>) -> Place {
    let markup = markup(text, language.sections);
    let is_markup = |at: usize| {
        let before = markup.partition_point(|part| part.start <= at);
        before > 0 && at <= markup[before - 1].end
    };
    let end = lines.start + text[lines.clone()].trim_ascii_end().len();
    match (is_markup(lines.start), is_markup(end), mixture) {
        (false, false, _) => Place::Code,
        (true, true, Mixture::Elements) => Place::Markup(&CHILDREN),
        (true, true, Mixture::Html) => {
            let mut blocks = Blocks::new(Dialect::Html);
            for part in markup.iter().take_while(|part| part.start < lines.start) {
                blocks.feed(&text[part.start..part.end.min(lines.start)]);
            }
            match blocks.around(&text[lines]) {
                Block::Markup => Place::Markup(&OUTSIDE),
                Block::Of(language) => Place::Markup(language),
                Block::Data => Place::Data,
            }
        }
        _ => Place::Across,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The marks for lines of a text: those between `»` and `«`.
    fn marked(language: &str, marked: &str) -> &'static str {
        let text = marked.replace(['»', '«'], "");
        let start = marked.find('»').unwrap();
        let end = marked.find('«').unwrap() - '»'.len_utf8();
        let language = languages::named(language).unwrap();
        match place(text.as_bytes(), language, language.mixture.unwrap(), start..end) {
            Place::Code => "code",
            Place::Markup(language) => language.name,
            Place::Data => "data",
            Place::Across => "across",
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

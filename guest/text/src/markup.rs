//! Code and markup in one file: elements in JavaScript and TypeScript, HTML around PHP, fenced code
//! in Markdown.
//!
//! Lines that begin and end in one element do so as comments too, so commenting can be reversed.

use std::ops::Range;

use super::blocks::{Block, Blocks, Dialect};
use super::languages::{self, CommentDelimiters, CommentMark, Language};
use super::outline::ContentRegions;

/// A kind of file in which a line's place decides about its comment.
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
    /// They begin and end in markup with this language's comments.
    Markup(&'static Language),
    /// They are in an HTML block without comments.
    Data,
    /// They cross code and markup, or elements.
    Across,
    /// They leave this open.
    Opens(&'static str),
    /// They begin in content, where a mark is content.
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

/// HTML around PHP, whose code would run in a comment too.
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

/// The content regions of a text.
pub fn contents(text: &[u8], language: &Language) -> ContentRegions {
    let regions = language.lexer_rules().map(|rules| ContentRegions::of(text, rules)).unwrap_or_default();
    match language.mixture {
        Some(Mixture::Fences) => regions.in_markdown(text),
        _ => regions,
    }
}

/// The place of these whole lines.
pub fn place(
    text: &[u8],
    language: &Language,
    contents: &ContentRegions,
    lines: Range<usize>,
) -> MarkupPlace {
    let markup = &contents.markup;
    let part = |at: usize| {
        let before = markup.partition_point(|part| part.range.start <= at);
        markup[..before].last().filter(|part| at <= part.range.end)
    };
    let end = lines.start + text[lines.clone()].trim_ascii_end().len();
    // Fenced code, or a comment of HTML.
    let opens = || {
        if language.mixture != Some(Mixture::Fences) {
            return None;
        }
        let comment = || Blocks::new(Dialect::Html).opened_comment(&without_code(&text[lines.clone()]));
        contents.at(lines.end).or_else(comment)
    };
    match (part(lines.start), part(end), language.mixture) {
        (None, None, _) => match (contents.at(lines.start), opens()) {
            (Some(what), _) => MarkupPlace::Content(what),
            (None, Some(what)) => MarkupPlace::Opens(what),
            (None, None) => MarkupPlace::Code,
        },
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
                Block::Across => MarkupPlace::Across,
                Block::Opens(what) => MarkupPlace::Opens(what),
                Block::Content(what) => MarkupPlace::Content(what),
            }
        }
        _ => MarkupPlace::Across,
    }
}

/// Lines of Markdown without their code in backticks.
fn without_code(lines: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::new(), lines);
    while let Some(tick) = memchr::memchr(b'`', rest) {
        plain.extend_from_slice(&rest[..tick]);
        let marks = rest[tick..].iter().take_while(|byte| **byte == b'`').count();
        let (mark, after) = rest[tick..].split_at(marks);
        // Backticks without others of their number are text.
        let close = memchr::memmem::find_iter(after, mark).find(|at| after.get(at + marks) != Some(&b'`'));
        rest = close.map_or(after, |close| &after[close + marks..]);
    }
    plain.extend_from_slice(rest);
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::comment::{commented, uncommented};

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
            MarkupPlace::Opens(_) => "opens",
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
            ("toml", "a = \"\"\"\n»# b\n«\"\"\"\n", "content"),
            ("toml", "a = '''\n# \"\"\"\n»# b\n«'''", "content"),
            ("toml", "a = \"\"\"\n\\\"\"\"\n»b\n«\"\"\"\n", "content"),
            ("toml", "a = \"\"\"\n b\"\"\"\"\"\n»c = '\\'\n«d = 1\n", "code"),
            ("toml", "a = \"it's '''\" # '''\n»b = [\n«]\n", "code"),
            ("toml", "»a = '''\nb\n'''\n«", "code"),
            ("toml", "a = '''\n»b\n«", "code"),
            ("yaml", "a: |\n»  # b\n«", "content"),
            ("yaml", "a: |\n  b\n»\n  c\n«d: 1", "content"),
            ("yaml", "a: |\n  b\n\n»d: 1\n«", "code"),
            ("yaml", "a: |\n    b\n»  # c\n«d: 1\n", "code"),
            ("yaml", "a: |\n»b: 1\n«", "code"),
            ("yaml", "a: >-2 # c\n»   b\n«", "content"),
            ("yaml", "- - |+\n»   b\n«", "content"),
            ("yaml", "- b: |\n»  c: 1\n«", "code"),
            ("yaml", "- b: |\n»   c: 1\n«", "content"),
            ("yaml", "- |\n    b\n»- c\n«", "code"),
            ("yaml", "a:\n  !!str &b |\n» c\n«", "content"),
            ("yaml", "--- !<tag:a,b:c>\nd: |\n» e\n«", "content"),
            ("yaml", "? |\n»  a\n«: b", "content"),
            ("yaml", "--- |\n»a\n«---\nb\n", "content"),
            ("yaml", "--- |\na\n---\n»b\n«", "code"),
            ("yaml", "--- |\na\n»---\n«b\n", "content"),
            ("yaml", "--- |\n  a\n»---\n«b\n", "code"),
            ("yaml", "a: b | c\n»  d\n«", "code"),
            ("yaml", "a: b\n  |\n»  d\n«", "code"),
            ("yaml", "a: \"b\n»  # c\n«  \\\" d\"\n", "content"),
            ("yaml", "a: 'b''\n»  # c\n«  d'\n", "content"),
            ("yaml", "a: it's\n»b: c\n«d: it's\n", "code"),
            ("yaml", "a: b\n  'tis\n»c: d\n«e: it's\n", "code"),
            ("yaml", "# it's\n»a: b\n«c: 'd'\n", "code"),
            ("yaml", "a: [b, \"c\n»  # d\n«  \", it's]\n", "content"),
            ("yaml", "a: [b, # it's\n»  'c', \n«  d]\n", "code"),
            ("yaml", "a: {b: c'd}\n»e: 'f'\n«", "code"),
            ("yaml", "a:\n  {{- if b }}\n  c: |\n»    d\n«  {{- end }}\n", "content"),
            ("yaml", "a: ${{ b == 'c' }}\n»d: 1\n«", "code"),
            ("yaml", "»a: |\n  b\n«c: 1\n", "code"),
            ("yaml", "a: 'b\n»c: 1\n«", "code"),
            ("sql", "select 'a\n»-- b\n«';\n", "content"),
            ("sql", "select 'a''\n»-- b\n«';", "content"),
            ("sql", "-- it's\n»select 1;\n«-- it's\n", "code"),
            ("sql", "/* it's /* */ \n it's */\n»select 1;\n«select '\n';\n", "code"),
            ("sql", "select \"a\n»b\n«\";\n", "content"),
            ("sql", "select E'a\\'\n»-- b\n«';\n", "content"),
            ("sql", "select '\\';\n»select 1;\n«select '';\n", "code"),
            ("sql", "select 'it\\'s';\n»select 1;\n«select 'b';\n", "code"),
            ("sql", "select q'[it's\n»-- b\n«]';\n", "content"),
            ("sql", "select q'!it's!';\n»select 1;\n«select '\n';\n", "code"),
            ("sql", "select $$it's\n»-- a\n«$$;\n", "content"),
            ("sql", "select $a$ $$ $b$\n»-- a\n«$a$;\n", "content"),
            ("sql", "select $1, a$b$, c$b$;\n»select 2;\n«select '\n';\n", "code"),
            ("sql", "create function f() returns int as $$\n»  select 1;\n«$$ language sql;\n", "code"),
            ("sql", "DO $a$ BEGIN\n»  f();\n«END $a$;\n", "code"),
            ("sql", "do language plpgsql $$\n»f();\n«$$;\n", "code"),
            ("sql", "do $$ begin\nf('a\n»-- b\n«'); end $$;\n", "content"),
            ("sql", "do $a$ begin\nexecute $$\n»-- b\n«$$; end $a$;\n", "content"),
            ("sql", "do $$ it's $$;\n»f();\n«select '';\n", "code"),
            ("sql", "create function f() as $$\n»x = 1\n«$$ language plpython3u;\n", "content"),
            ("sql", "create function f() language 'plpython3u' as $$\n»x = 1\n«$$;\n", "content"),
            ("sql", "-- a language of b\ndo $$\n»f();\n«$$;\n", "code"),
            ("sql", "delimiter $$\ncreate procedure f()\n»begin\n«end $$\ndelimiter ;\n", "code"),
            ("sql", "COPY a (b) FROM stdin;\n»-- it's\n«\\.\n", "content"),
            ("sql", "COPY a FROM stdin WITH (FORMAT csv);\nit's\n\\.\n»select 1;\n«select '';\n", "code"),
            ("sql", "\\echo it's\n»select 1;\n«select '\n';\n", "code"),
            ("sql", "# it's\n»select 1;\n«select '';\n", "code"),
            ("sql", "»select 'a\nb';\n«", "code"),
            ("sql", "select 'a\n»b\n«", "code"),
            ("ruby", "a = <<~A\n»# b\n«A\n", "content"),
            ("ruby", "a = <<-'A b'.strip\n»# b\n«  A b\n", "content"),
            ("ruby", "a <<A\n»  A\n«A\n", "content"),
            ("ruby", "a = <<~A\nit's\n  A\n»b\n«c '\n'\n", "code"),
            ("ruby", "f(<<~A, <<~B)\na\nA\n»# b\n«B\n", "content"),
            ("ruby", "f(<<~A, <<~B)\nit's\nA\nit's\nB\n»b\n«c '\n'\n", "code"),
            ("ruby", "a << B\n»b\n«B\n", "code"),
            ("ruby", "a<<B\n»b\n«B\n", "code"),
            ("ruby", "class << self\n»b\n«self\n", "code"),
            ("ruby", "a = 1 <<B\n»b\n«B\n", "code"),
            ("ruby", "a = <<~A\n»b\n«", "code"),
            ("ruby", "a = \"b\n»# c\n«\"\n", "content"),
            ("ruby", "a = 'b\\'\n»# c\n«'\n", "content"),
            ("ruby", "a = \"#{b(\n»c\n«)}\"\n", "code"),
            ("ruby", "a = \"#{b \"\\\"\"} \"\n»c\n«d '\n'\n", "code"),
            ("ruby", "=begin\nit's\n=end\n»b\n«c '\n'\n", "code"),
            ("ruby", "=begin\n»a <<~A\n«=end\n", "code"),
            ("ruby", "# it's\n»b\n«c '\n'\n", "code"),
            ("ruby", "a(/it's \"/, ?', $')\n»b\n«c '\n'\n", "code"),
            ("ruby", "a /it's/\nb / c; d if /it's/\n»e\n«f '\n'\n", "code"),
            ("ruby", "a = x ? \"y\" : 'z'\n»b\n«c '\n'\n", "code"),
            ("ruby", "a = %w[it's [b] c]\nd %(it's)\ne % f\n»b\n«c '\n'\n", "code"),
            ("ruby", "a = %q(\n»# b\n«)\n", "content"),
            ("ruby", "a = %r{\n  (it's)\n»  b\n«}x\n", "code"),
            ("ruby", "a = %r{\n  (it's)\n»  b\n«}\n", "content"),
            ("ruby", "a = /\n  it's #{b '/'}\n»  c\n«/\n", "content"),
            ("ruby", "if /\n  it's\n»  b # c\n«/mx\nd '\n'\n", "code"),
            ("ruby", "def /(a)\n»b\n«c /it's/, :/, a[1] / 2\n", "code"),
            ("ruby", "class <<self\n»b\n«self\n", "code"),
            ("ruby", "a\n__END__\n»# it's\n«", "content"),
            ("ruby", "»a = <<~A\nb\nA\n«", "code"),
            ("markdown", "---\n»a: 1\n«---\nb\n", "content"),
            ("markdown", "»a <!-- b\n«c -->\n", "opens"),
            ("markdown", "»a `<!-- b` `` ` <!-- ``\n«c\n", "code"),
            ("markdown", "a\n»```\n«b\n```\n", "opens"),
            ("markdown", "a\n```js\n»f()\n«```\n", "content"),
            ("markdown", "a\n»```js\nf()\n```\n«", "code"),
            ("markdown", "- ```\n  a\n»b\n«", "code"),
            ("mdx", "a\n```js\nf()\n```\n»b\n«", "code"),
            ("mdx", "a\n~~~~\n»b\n«~~~~\n", "content"),
            ("mdx", "{/*\n»b\n«*/}\n", "content"),
            ("mdx", "{/* `b` */}\n»c\n«{/*", "code"),
            ("mdx", "`{/*`\n```\n»b\n«```\n", "content"),
            ("markdown", "a\n\n<!--\n\n»b\n«-->\n", "content"),
            ("markdown", "<p\n» b>\n«c\n", "content"),
            ("markdown", "<p>\n»b\n«</p>\n", "code"),
            ("markdown", "<style>\n»b{}\n«</style>\n", "content"),
            ("markdown", "<!-- a -->\n»b\n«", "code"),
            ("markdown", "a <b\n»c `<!--`\n«d\n", "code"),
            ("markdown", "a `<!--`\n»c\n«-->\n", "code"),
            ("markdown", "```\n<p\n```\n»c\n«", "code"),
            ("css", "a{}\n/*\n»b\n«*/\n", "content"),
            ("css", "/* a\n */\n»b{}\n«/*", "code"),
            ("css", "»/*\nb\n*/\n«", "code"),
            ("scss", "/*\n»b\n«*/\n", "code"),
            ("handlebars", "{{!--\n»b }}\n«--}}\n", "content"),
            ("handlebars", "{{!\n»b\n«}}\n", "content"),
            ("handlebars", "{{#if\n»b\n«}}\n{{/if}}\n", "content"),
            ("handlebars", "{{#if b}}\n»c {{{d}}}\n«{{/if}}\n", "code"),
            ("handlebars", "<p\n»c\n«>\n", "code"),
            ("jinja", "{#\n»b\n«#}\n", "content"),
            ("jinja", "{{ a(\n»b\n«) }}\n", "content"),
            ("jinja", "{%- set a = [\n»b\n«] %}\n", "content"),
            ("jinja", "{% if a %}\n»{{ b }} {# c #}'s\n«{% endif %}\n", "code"),
            ("php", "<textarea>\n»a\n«</textarea>\n", "content"),
            ("php", "»<p>hi</p>\n«<?php\nf();\n", "html"),
            ("php", "<?php\n»f();\n«?>\n", "code"),
            ("php", "<?php f() ?>\n»<p><?= $x ?>\n«</p>\n", "html"),
            ("php", "»<?php\nf();\n«?>\n", "across"),
            ("php", "<script>\n<?php f() ?>\n»x()\n«</script>\n", "javascript"),
            ("php", "<script type=\"application/json\">\n»1\n«</script>\n", "data"),
        ] {
            for text in [text.to_owned(), text.replace('\n', "\r\n"), text.replace('\n', "\r")] {
                assert_eq!(marked(language, &text), expected, "{language} {text:?}");
            }
        }
    }

    fn text() -> impl Strategy<Value = Vec<String>> {
        let piece = prop::sample::select(vec![
            "\"",
            "\"",
            "'",
            "'",
            "\"\"\"",
            "'''",
            "`",
            "$$",
            "$a$",
            "language x",
            ";",
            "\\",
            "--",
            "#",
            "a",
            "a",
            " ",
            " ",
            "  ",
            "a:",
            "a: ",
            "- ",
            "? ",
            "|",
            "|2",
            ">-",
            "[",
            "]",
            "{",
            "}",
            "(",
            ")",
            ",",
            "&a ",
            "<<~A",
            "<<A",
            "<<'A'",
            "A",
            "=begin",
            "=end",
            "__END__",
            "%w(",
            "?",
            "$",
            "/",
            "q'",
            "e'",
            "delimiter $$",
            "copy a from stdin;",
            "\\.",
            "---",
            "\t",
            "=",
            "\r",
        ]);
        let line = prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat() + "\n");
        prop::collection::vec(line, 1..12)
    }

    // Constructs that end inside of a comment, such as `*/` and `#{…}`, would break the law.
    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn lines_of_code_become_lines_again(
            text in text(), first in 0..12_usize, count in 1..6_usize,
            name in prop::sample::select(vec!["python", "ruby", "sql", "toml", "yaml"]),
        ) {
            let language = languages::named(name).unwrap();
            let first = first.min(text.len() - 1);
            let (before, rest) = text.split_at(first);
            let (lines, after) = rest.split_at(count.min(rest.len()));
            let [before, lines, after] = [before, lines, after].map(|lines| lines.concat().into_bytes());
            let place = |lines: &[u8]| {
                let text = [&before, lines, &after].concat();
                let contents = contents(&text, language);
                let place = place(&text, language, &contents, before.len()..before.len() + lines.len());
                (matches!(place, MarkupPlace::Code), contents)
            };
            if place(&lines).0 && let Ok(marked) = commented(&lines, language.mark, 100) {
                let (is_code, contents) = place(&marked.text);
                prop_assert!(is_code, "{} {:?}", name, String::from_utf8_lossy(&marked.text));
                let back = uncommented(&marked.text, &[language.mark], 100, |at| {
                    contents.at(before.len() + at).is_some()
                });
                prop_assert_eq!(back.map(|back| back.text), Ok(lines), "{}", name);
            }
        }
    }
}

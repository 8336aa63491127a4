//! Laws of all sections.

use std::ops::Range;

use proptest::prelude::*;

use super::{find, list, sections};
use crate::languages::with_sections;
use crate::lines::{end_of_line, start_of_line};

fn code() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ab]",
        prop::sample::select(vec![
            "fn a",
            "class b",
            "def a",
            "impl a",
            "# a",
            "## b",
            "a = ",
            "const b = ",
            "func (a) b",
            "type a ",
            "\n",
            "\n",
            "\r\n",
            "\r",
            "    ",
            "\t",
            "{",
            "}",
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            "\"",
            "'",
            "`",
            "\"\"\"",
            "//",
            "/*",
            "*/",
            "#",
            "<",
            ">",
            ";",
            ",",
            ":",
            "=",
            "=>",
            "\\",
            "```",
            "---",
            "===",
            "<!--",
            "-->",
            "<<EOF",
            "<<<E",
            "EOF",
            "<?php",
            "?>",
            "r#\"",
            "R\"(",
            ")\"",
            "é",
            "\u{feff}",
            "${",
            "::",
            ".",
            "/",
            "$",
            "@",
            "()",
            "() {",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn whatever_the_text_is_a_section_is_whole_lines_and_lies_in_what_is_around_it(
        text in code(), cut in any::<prop::sample::Index>(), byte in any::<u8>(),
        language in prop::sample::select(with_sections().collect::<Vec<_>>()),
    ) {
        let mut text = text.into_bytes();
        if let Some(place) = (!text.is_empty()).then(|| cut.index(text.len())) {
            text[place] = byte;
        }
        for wanted in [&["a"][..], &["b"], &["a", "b"], &["a", "a"], &["# a"]] {
            if let Ok(range) = find(&text, sections(language), &list(wanted)) {
                prop_assert!(range.start < range.end && range.end <= text.len(), "{language} {wanted:?}");
                prop_assert_eq!(start_of_line(&text, range.start), range.start);
                prop_assert_eq!(end_of_line(&text, range.end - 1), range.end);
            }
        }
    }

    #[test]
    fn every_definition_is_found_where_it_was_written_and_lies_in_what_is_around_it(
        shape in proptest::collection::vec((0..4_usize, 0..4_usize), 1..12),
        dialect in prop::sample::select(DIALECTS),
    ) {
        let written = written(&shape, &dialect);
        let find = |path: &[String]| find(written.text.as_bytes(), sections(dialect.language), path);
        for (at, node) in written.nodes.iter().enumerate() {
            let path: Vec<_> = node.path.iter().map(|at| (dialect.name)(*at)).collect();
            for path in [&path[path.len() - 1..], &path] {
                let found = find(path);
                prop_assert_eq!(found.as_ref(), Ok(&node.place), "{} {:?} {}", dialect.language, path, written.text);
            }
            prop_assert_eq!(node.path.last(), Some(&at));
            if let Some(around) = node.path.iter().rev().nth(1) {
                let around = &written.nodes[*around].place;
                prop_assert!(around.start <= node.place.start && node.place.end <= around.end);
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Notation {
    language: &'static str,
    before: &'static str,
    name: fn(usize) -> String,
    open: fn(usize) -> String,
    close: &'static str,
    lines: [&'static str; 4],
}

const DIALECTS: &[Notation] = &[
    Notation {
        language: "rust",
        before: "",
        name: |at| format!("n{at}"),
        open: |at| format!("pub fn n{at}<'a>(x: &'a str) -> [u8; 1] {{"),
        close: "}",
        lines: [
            "// fn n0() {",
            "let s = \"fn n1() { \\\" \";",
            "let c = ['{', '\\''];",
            "/* } /* fn n2() { */ } */",
        ],
    },
    Notation {
        language: "c++",
        before: "#define X {\n",
        name: |at| format!("n{at}"),
        open: |at| format!("namespace n{at}\n{{"),
        close: "}",
        lines: [
            "// namespace n0 {",
            "auto s = \"}\" R\"(namespace n1 {)\";",
            "int x = 1'000; char c = '}';",
            "/* } */",
        ],
    },
    Notation {
        language: "typescript",
        before: "",
        name: |at| format!("n{at}"),
        open: |at| format!("function n{at}<T>(a: {{ b: T }}, c = {{}}): T {{"),
        close: "}",
        lines: [
            "// function n0() {",
            "x = `}${'function n1() {'}`",
            "y = /[/}{]\\/}/.test(z) ? '{' : \"}\"",
            "/* } */",
        ],
    },
    Notation {
        language: "kotlin",
        before: "",
        name: |at| format!("fun n{at}"),
        open: |at| format!("private fun n{at}(a: Int = 1,\n  b: Int): Int {{"),
        close: "}",
        lines: ["// fun n0() {", "val s = \"\"\" } fun n1() { \"\"\"", "list.map { it }", "/* } /* } */ */"],
    },
    Notation {
        language: "go",
        before: "package x\n",
        name: |at| format!("n{at}"),
        open: |at| format!("var n{at} = func(a interface{{}}) int {{"),
        close: "}",
        lines: ["// var n0 = {", "s := `}` + \"{\"", "if a { b() } else { c() }", "/* } */"],
    },
    Notation {
        language: "css",
        before: "",
        name: |at| format!(".n{at} > a"),
        open: |at| format!(".n{at}\n> a {{"),
        close: "}",
        lines: ["/* .n0 > a { */", "content: \"}\";", "b: 'x{';", "a: url(x);"],
    },
    Notation {
        language: "shell",
        before: "#!/bin/sh\n",
        name: |at| format!("n{at}"),
        open: |at| format!("n{at}() {{"),
        close: "}",
        lines: ["# n0() {", "echo \"${x#n1() } }\" '{'", "cat <<E\nn2() {\nE", "case $x in y) z;; esac"],
    },
    Notation {
        language: "python",
        before: "",
        name: |at| format!("n{at}"),
        open: |at| format!("def n{at}(a, b={{}}):"),
        close: "pass",
        lines: ["x = 1 # def n0():", "s = '''\ndef n1():\n'''", "y = [\n1,\n]", "z = \"def n2(): \\\" \""],
    },
];

struct NestedSection {
    place: Range<usize>,
    path: Vec<usize>,
}

struct Written {
    text: String,
    nodes: Vec<NestedSection>,
}

/// Nested definitions of these depths, as far as a parent exists, with a line in each.
fn written(shape: &[(usize, usize)], dialect: &Notation) -> Written {
    let mut out = Written { text: dialect.before.to_owned(), nodes: Vec::new() };
    let mut open: Vec<usize> = Vec::new();
    let indented = |depth: usize, text: &str| format!("{}{text}\n", "    ".repeat(depth));
    let close = |out: &mut Written, open: &mut Vec<usize>, depth: usize| {
        while open.len() > depth {
            let at = open.pop().unwrap();
            // A closing brace is as deep as its opening line.
            let inside = usize::from(dialect.close == "pass");
            out.text += &indented(open.len() + inside, dialect.close);
            out.nodes[at].place.end = out.text.len();
        }
    };
    for (at, (depth, line)) in shape.iter().enumerate() {
        close(&mut out, &mut open, *depth);
        let start = out.text.len();
        out.text += &indented(open.len(), &(dialect.open)(at));
        let path = open.iter().copied().chain([at]).collect();
        out.nodes.push(NestedSection { place: start..start, path });
        open.push(at);
        out.text += &indented(open.len(), dialect.lines[*line]);
    }
    close(&mut out, &mut open, 0);
    out
}

//! Entries of configuration files.

use proptest::prelude::*;

use super::{check, find, lead, list, outline, outlined, sections, stands_alone};
use crate::outline::OutlineProblem;

#[test]
fn tables_of_toml_end_at_the_next_header() {
    for (wanted, text) in [
        ("package", "# top\nx = 1\n\n»[package]\nname = \"a\"\n«\n# b = 1\n\n[dependencies]\n"),
        ("a", "»[a]\nx = 1\n«[a.b]\ny = 2\n"),
        ("a.b", "[a]\n»[a.b]\ny = 2\n«\n# about c\n[c]\n"),
        ("[a.b]", "»[ a . b ] # c\n«[c]\n"),
        ("a.b", "»[ a . b ] # c\n«[c]\n"),
        ("[ a . b ]", "»[ a . b ] # c\n«[c]\n"),
        ("tool.\"x.y\".z", "»[tool.\"x.y\".z]\na = 1\n«"),
        ("tool.x.y.z", "»[tool.\"x.y\".z]\na = 1\n«"),
        ("a]b", "[a]\n»['a]b']\n«[b]\n"),
        ("bin#2", "[[bin]]\nname = \"a\"\n\n»[[bin]]\nname = \"b\"\n«\n[x]\n"),
        ("[[bin]]#1", "»[[bin]]\nname = \"a\"\n«\n[[bin]]\n"),
        ("b", "[a]\nx = \"\"\"\n[b]\n\\\"\"\"\n[b]\n\"\"\"\"\"\ny = '''\n[b]\n\\'''\n»[b]\n«"),
        ("b", "[a]\nx = [ # ]\n  \"]\",\n[b],\n[\"c\"],\n]\ny = { z = [\n] }\n»[b]\n«[c]\n"),
        ("b", "[a]\nx = 'it''s # [' # ]\ny = \"[\\\"[\"\n\"a#b\" = 1\n»[b]\n«"),
        ("b", "[a]\n# [b]\n»[b]\nx = 1\n«"),
        ("b", "  [a]\n    x = 1\n»  [b]\n    # y\n    y = 2\n«  # about c\n  [c]\n"),
        ("é", "»[é]\n«"),
        ("a", "»[a]\nx = 1"),
    ] {
        let text = if text.contains('«') { text.to_owned() } else { format!("{text}«") };
        check("toml", &[wanted], &text);
    }
}

#[test]
fn sections_of_ini_files_end_at_the_next_header() {
    for (language, wanted, text) in [
        ("ini", "a", "; top\nx = 1\n»[a]\ny = 2\n; [b]\n# z\n«\n; about b\n[b]\n"),
        ("ini", "[a b]", "»[a b] ; c ]\nx\n«[b]\n"),
        ("gitconfig", "a", "»[a]\nx = 1\n«   [b]\n[c]\n"),
        ("gitconfig", "b", "[a]\nx = 1\n»   [b]\ny = 1\n«[c]\n"),
        ("ini", "c", "[a]\nx = 1\n   [b]\n»[c]\n«"),
        ("ini", "b", "[a]\ndir = C:\\x\\\n»[b]\n«"),
        ("editorconfig", "*.{js,py}", "root = true\n\n»[*.{js,py}]\nindent_size = 2\n«\n[*]\n"),
        ("editorconfig", "[ab].c", "[*]\n»[[ab].c]\nx = 1\n«"),
        (
            "gitconfig",
            "remote \"origin\"",
            "[core]\n\tbare = true\n»[remote \"origin\"]\n\turl = x\n«[remote \"b\"]\n",
        ),
        ("gitconfig", "a \"b]\\\"c\"", "»[a \"b]\\\"c\"] x = 1\n\ty = 2\n«[c]\n"),
        ("gitconfig", "b", "[a]\n\tx = y \\\n[b]\n; [b]\n»[b]\n«"),
        ("desktop", "Install", "[Unit]\nA=b\\\n# c\n[ -f x ]\n\n»[Install]\nWantedBy=x\n«"),
        ("conf", "mysqld", "»[mysqld]\nport = 1\n«[mysql]\n"),
    ] {
        check(language, &[wanted], text);
    }
}

#[test]
fn keys_of_yaml_end_before_the_next_one() {
    for (wanted, text) in [
        ("b", "a: 1\n\n# about b\n»b:\n  c: 2\n\n  # inside\n«\n# about d\nd: 3\n"),
        ("a", "»a: |\n  b: 1\n  # text\n\n    c\n«\nb: 2\n"),
        ("a", "»a: |+\n  text\n\n«b: 2\n"),
        ("a", "»a: >-2 # note\n  b: \"\n   [\n«b: 2\n"),
        ("b", "a:\n  - |\n    it's [\n   {\n  - x: >\n      '\n    y: \"z\"\n»b: 1\n«"),
        ("b", "a: \"x\n  b: 1\n\n  \\\" y\"\n»b: 'it''s\n  # text\n  c'\n«c: 1\n"),
        ("a", "»a: [\n  b, # ]\n  \"]\", c's,\n]\n«b: {\n}\n"),
        ("b", "a: [\n]\n»b: {\n  c: \"}\", 'd': {\n}, e: f }\n«c:\n"),
        ("a", "»a:\n- b: 1\n  c: 2\n-\n  - d\n# in the list\n- e\n«f: 1\n"),
        ("a", "»a:\n- b\n«# about f\nf: 1\n"),
        ("a b", "»\"a b\": 1\n«'c': 2\n"),
        ("it's", "»'it''s' : 1\n«c: 2\n"),
        ("\"a\"", "»\"a\": 1\n«c: 2\n"),
        ("a:", "»a: 1\n«c: 2\n"),
        ("<<", "»<<: *b\n«c: 2\n"),
        ("c", "»&x !!str c: 2\n«d: 1\n"),
        ("http://x", "»http://x: 1\n«c: 2\n"),
        ("kind#2", "%YAML 1.2\n---\nkind: a\n\n# second\n---\n»kind: b\n«x: 1\n...\n---\nkind: c\n"),
        ("x", "kind: a\n--- # c\n»x: |\n  ---\n«---\n"),
        ("b", "--- |\na: 1\n b\n---\n»b: 1\n«"),
        ("b", "a: text\n  \"more [\n  text\n»b: 1\n«"),
        ("b", "a:\n  text \"[\n  'more\n»b: 1\n«"),
        ("b", "- a: [1]\n- b: 1\n---\n»b: 1\n«"),
        ("b", "a: {{ .Values.x | default \"y\" }}-{\n»b: \"{{ it's }}\"\n«c: it's\n"),
        ("b", "  a: 1\n»  b:\n    c: 1\n«  # about d\n  d: 1\n"),
        ("b", "a: # c's\n»b: x#y [\n«c: 1\n"),
        ("b", "a: &x\n  - *y\n  - !z [1,\n  2]\n»b: !t |\n  c: 1\n«c: 1\n"),
        ("b", "a: - x\n»b: \"y\" # '\n«c: 1\n"),
        ("b", "{\n  \"a\": [1],\n»  \"b\": {\n    \"c\": 2\n  }\n«}\n---\nd: 1\n"),
        ("d", "{ a: 1 }\n---\n»d: 1\n«"),
        ("on", "name: x\n»on:\n  push:\n«\njobs:\n  a:\n    run: |\n      echo \"on: {\n"),
    ] {
        check("yaml", &[wanted], text);
    }
}

#[test]
fn keys_of_json_are_found_with_their_values() {
    for (language, wanted, text) in [
        (
            "json",
            "b",
            "{\n  \"a\": { \"b\": 1 },\n»  \"b\": [\n    \"}\\\"\", { \"c\": null }\n  ],\n«  \"c\": 1\n}\n",
        ),
        ("json", "a", "{\n»  \"a\": -1.5e3\n«}\n"),
        ("json", "a b\"c", "{\n»  \"a b\\\"c\": \"\\u0022\"\n«}\n"),
        ("json", "é", "{\n»  \"\\u00e9\": true\n«}"),
        ("json", "\"a\"", "{\n»  \"a\": 1\n«}\n"),
        ("json", "\"\"", "{\n»  \"\": 1\n«}\n"),
        ("json", "a#2", "{\n  \"a\": 1,\n»  \"a\": 2\n«}\n"),
        ("json", "b", "{\n  \"a\": 1\n»  , \"b\": 2\n«  , \"c\": 3\n}\n"),
        (
            "jsonc",
            "b",
            "// { \"b\": 1 }\n{\n  /* \"b\": */ \"a\": 1, // b\n»  \"b\" /* x */ : /* { */ {\n    // }\n  },\n«}\n",
        ),
        ("json5", "b", "{\n  a: 'it\\'s\\\n }',\n»  b: +.5,\n«  'c': 0x1, }\n"),
        ("json5", "$c", "{\n»  $c: Infinity\n«}\n"),
        ("json", "b", "{ \"a\": 1,\n»  \"b\": 2,\n«  \"c\": 3 }\n"),
        ("json", "b", "»{\"a\": 1, \"b\": 2}\n«"),
    ] {
        check(language, &[wanted], text);
    }
}

#[test]
fn targets_of_makefiles_end_with_their_recipes() {
    for (wanted, text) in [
        (
            "b",
            "X := 1\n\na: b\n\techo $(X:a=b)\n\n# about b\n»b: c \\\n  d\n\t@echo b: c\n\n\t# more\n\techo \\\n  end\n«\n# about c\nc:\n",
        ),
        ("b", "»a b: c\n\tx\n«d: e\n"),
        ("a:", "»a b: c ; x\n«d: e\n"),
        (".PHONY", "».PHONY: a b\n«a:\n\tx\n"),
        (".PHONY#2", ".PHONY: a\na:\n».PHONY: b\n«b:\n"),
        ("%.o", "»%.o: %.c\n\t$(CC) $<\n«"),
        ("$(OBJS)", "»$(OBJS): %.o: %.c\n\tx\n«"),
        ("$(dir $(a b:c))x", "»$(dir $(a b:c))x y: z\n\tx\n«"),
        ("a", "»a:: b\n\tx\n«c:\n"),
        ("a", "a: X = 1\na: Y := $(b:c)\na: export Z += d\n»a: b\n\tx\n«A = a:b\n\ty\n"),
        ("b", "»a \\\n  b &: c\n\tx\n«"),
        ("a\\:b", "»a\\:b: c\n\tx\n«"),
        ("a", "define x\na:\n\ty\ndefine z\nendef\nendef\n»a:\n\tx\n«"),
        ("a", "override define x =\na: b\nendef\n»a:\n\tx\n«"),
        ("a", "»a:\nifdef X\n\tx\nelse ifeq (a,b)\n\ty\nelse\n\tz\nendif\n«\nb:\n"),
        ("a", "ifdef X\n»a:\n\tx\n«else\nb:\n\ty\nendif\n"),
        ("b", "ifdef X\na:\n\tx\nelse\n»b:\n\ty\n«endif\n"),
        ("a", "»a:\n\tx\n«ifdef X\nb:\n\ty\nendif\n"),
        ("a", "# a: b \\\na: c\n»a: d\n\tx\n«"),
        ("a", "include a:b\n-include c\n$(eval a: b)\n$(call x,a:b)\n»a: b\n\tx\n«"),
        ("a", ".RECIPEPREFIX = >\n»a:\n> x: y\n>z\n«b:\n"),
        ("define", "»define: x\n\ty\n«"),
        ("else", "»else: x\n\ty\n«"),
        ("  a", "»  a: x\n\ty\n«"),
    ] {
        check("makefile", &[wanted], text);
    }
}

#[test]
fn stages_of_dockerfiles_end_at_the_next_one() {
    for (wanted, text) in [
        (
            "build",
            "# syntax=x\nARG V=1\n\n# Builds.\n»FROM golang:$V AS build\nRUN x\n«\n# late\n\n# about b\nFROM b\n",
        ),
        ("node:18", "FROM a AS b\n»from --platform=$X \\\n  node:18\nRUN x\n«"),
        ("node:18", "»FROM node:18 AS x\n«FROM y\n"),
        ("FROM node:18 AS x", "»FROM   node:18 as x\n«FROM y\n"),
        ("FROM a", "FROM x AS a\n»FROM a\nRUN y\n«"),
        ("a", "»FROM x AS a\n«FROM a\nRUN y\n"),
        ("b", "FROM a\nRUN x \\\n# FROM b\n\nFROM b\n»FROM b\n«"),
        ("b", "FROM a\nRUN <<EOF cat <<-'E' > f\nFROM b\nEOF\nFROM b\n\tE\n»FROM b\n«"),
        ("b", "FROM a\nRUN echo \"<<X\" $((1<<2)) '\n' && x \\\n # don't\n  y\n»FROM b\n«"),
        ("b", "FROM a\nRUN x <<< X\n»FROM b\n«"),
        ("b", "# escape=`\nFROM a\nCOPY x C:\\\n»FROM b\nRUN `\n FROM c\n«"),
        ("${BASE}", "ARG BASE\n»FROM ${BASE}\nCOPY --from=x a b\n«"),
    ] {
        check("dockerfile", &[wanted], text);
    }
}

#[test]
fn entries_that_are_not_certain_are_not_given() {
    let missing = |near: &[&str]| OutlineProblem::Missing { found: 0, near: list(near) };
    let unclear = |line, doubt| OutlineProblem::Unclear { line, doubt };
    for (language, wanted, text, expected) in [
        ("toml", "x", "x = 1\n[a]\n", missing(&[])),
        ("toml", "feature", "[features]\n", missing(&["features"])),
        ("toml", "b", "[a]\nx = \"\"\"\n[b]\n", OutlineProblem::Lost(2)),
        ("toml", "a", "[a]\nx = [1,\n[b]\n", unclear(1, 2)),
        ("toml", "a", "[a]\nx = 1\n[b\ny = 1\n", unclear(1, 3)),
        ("toml", "bin#3", "[[bin]]\n[[bin]]\n", missing(&["bin#1", "bin#2"])),
        (
            "toml",
            "bin",
            "[[bin]]\n[[bin]]\n",
            OutlineProblem::Several { name: "bin".to_owned(), count: 2, lines: vec![1, 2] },
        ),
        ("ini", "b", "[a]\n  [b]\n[c\n[d] x[\n", missing(&[])),
        ("yaml", "b", "a: \"x\nb: 1\n", OutlineProblem::Lost(1)),
        ("yaml", "b", "a: [x\nb: 1\n", OutlineProblem::Lost(1)),
        ("yaml", "a", "a: 'x\nb: 1\nc: 'y\n", unclear(1, 1)),
        ("yaml", "b", "a: 'x\nb: 1\nc: 'y\n", OutlineProblem::Lost(1)),
        ("yaml", "a", "a: 1\n{{- if x }}\nb: 2\n", unclear(1, 2)),
        ("yaml", "a", "a: 1\ntext\nb: 2\n", unclear(1, 2)),
        ("yaml", "b", "? a\n: 1\n", OutlineProblem::Lost(1)),
        ("yaml", "a", "a: 1\n: 2\n", unclear(1, 2)),
        ("yaml", "b", "{ a: 1, c: it's, d: }\n", OutlineProblem::Lost(1)),
        ("yaml", "b", "- b: 1\n", missing(&[])),
        ("yaml", "b", "a: |\n  b: 1\n# b: 1\n", missing(&[])),
        ("yaml", "b", "text\n", missing(&[])),
        ("json", "a", "[{ \"a\": 1 }]", missing(&[])),
        ("json", "a", "\"a\"", missing(&[])),
        ("json", "b", "{\n  \"a\": 1\n  \"b\": 2\n}\n", OutlineProblem::Lost(3)),
        ("json", "a", "{\n  \"a\": [1, 2},\n  \"b\": 2\n}\n", unclear(2, 2)),
        ("json", "a", "{\n  \"a\": \"x\n,\n  \"b\": 2\n}\n", unclear(2, 2)),
        ("json", "b", "{\n  \"a\": 1,\n", OutlineProblem::Lost(1)),
        ("json", "b", "{\n  \"a\": 1\n},\n\"b\": 2\n", OutlineProblem::Lost(3)),
        ("json", "b", "{\n  \"a\": /* 1\n}", OutlineProblem::Lost(2)),
        ("makefile", "a", "define x\na: b\n", OutlineProblem::Lost(1)),
        ("makefile", "a", "a:\n\tx\nifdef X\n\ty\nb:\n\tz\nendif\n", unclear(1, 3)),
        ("makefile", "a", "ifdef X\na: b\nelse\nendif\n\tz\n", unclear(2, 2)),
        ("makefile", "a", "X = a: b\nY ?= a: b\nifdef a: b\n\ta: b\n", missing(&[])),
        ("dockerfile", "b", "FROM a\nRUN <<EOF\nFROM b\n", OutlineProblem::Lost(2)),
        ("dockerfile", "b", "FROM a\nRUN \\\nFROM b\n", missing(&[])),
    ] {
        let found = find(text.as_bytes(), sections(language), &list(&[wanted]));
        assert_eq!(found, Err(expected), "{language} {wanted:?} {text}");
    }
    let inside = find(b"[a]\nx = 1\n", sections("toml"), &list(&["a", "x"]));
    assert_eq!(inside, Err(OutlineProblem::Missing { found: 1, near: Vec::new() }));
    for language in FORMATS {
        assert_eq!(outlined(language, ""), [""; 0], "{language}");
        assert_eq!(outlined(language, "\u{feff}"), [""; 0], "{language}");
    }
}

#[test]
fn an_outline_has_every_entry_with_its_lines() {
    for (language, text, expected) in [
        ("toml", "[a]\nx = 1\n\n[[b]]\n[[b]]\n", &["1-2 0 a", "4-4 0 b#1", "5-5 0 b#2"][..]),
        ("ini", "[a]\nx = 1\n\n; c\n[b x]\n", &["1-2 0 a", "5-5 0 b x"]),
        ("yaml", "a: 1\nb:\n  c: 1\n---\na: 2\n", &["1-1 0 a#1", "2-3 0 b", "5-5 0 a#2"]),
        ("json", "{\n  \"a\": [\n    1\n  ],\n  \"b\": 2, \"c\": 3\n}", &["2-4 0 a", "5-5 0 b", "5-5 0 c"]),
        ("makefile", "a b: c\n\tx\n\na:\n", &["1-2 0 a#1", "1-2 0 b", "4-4 0 a#2"]),
        ("dockerfile", "FROM x AS a\nRUN y\nFROM a\nFROM z\n", &["1-2 0 a", "3-3 0 FROM a", "4-4 0 z"]),
    ] {
        for mark in ["", "\u{feff}"] {
            assert_eq!(outlined(language, &format!("{mark}{text}")), expected, "{language}");
            assert_eq!(
                outlined(language, &format!("{mark}{text}").replace('\n', "\r\n")),
                expected,
                "{language}"
            );
        }
        assert_eq!(outlined(language, text.trim_end()), expected, "{language}");
    }
}

#[test]
fn comments_directly_above_belong_to_an_entry() {
    for (language, marked) in [
        ("toml", "x = 1\n»# one\n# two\n«[a]\n"),
        ("toml", "# apart\n\n»«[a]\n"),
        ("toml", "[b]\n  # of b\n»# of a\n«[a]\n"),
        ("toml", "#:schema x\n»# c\n«[a]\n"),
        ("toml", "x = '''\n# text\n'''\n»«[a]\n"),
        ("ini", "»; one\n# two\n«[a]\n"),
        ("yaml", "#!/usr/bin/env x\n»# c\n«a: 1\n"),
        ("yaml", "# yaml-language-server: $schema=x\n»«a: 1\n"),
        ("yaml", "b: |\n  # text\n»# c\n«a: 1\n"),
        ("yaml", "b:\n  # of b\n»«a: 1\n"),
        ("yaml", "b: \"\n# text\"\n»«a: 1\n"),
        ("yaml", "# of the first\n---\n»# c\n«a: 1\n"),
        ("json", "{\n»  // c\n  /* d\n\n  e */\n«  \"a\": 1\n}\n"),
        ("json", "{\n  \"b\": 1, // of b\n»  // of a\n«  \"a\": 1\n}\n"),
        ("json", "{\n  // apart\n\n»  // c\n«  \"a\": 1\n}\n"),
        ("json", "{\n  \"b\": 1 /* of\n  b */\n  ,\n»«  \"a\": 1\n}\n"),
        ("makefile", "b:\n\tx\n\t# of b\n»# of a\n«a:\n"),
        ("makefile", "X = b \\\n# text\n»«a:\n"),
        ("makefile", "b:\n\t@x\n»«a:\n"),
        ("dockerfile", "# syntax=x\n»# c\n«FROM a\n"),
        ("dockerfile", "FROM b\nRUN x \\\n# c\n y\n»# c\n«FROM a\n"),
    ] {
        let text = marked.replace(['»', '«'], "");
        let start = marked.find('»').unwrap();
        let section = marked.find('«').unwrap() - '»'.len_utf8();
        assert_eq!(lead(text.as_bytes(), section, sections(language)), start, "{language} {marked}");
    }
}

#[test]
fn a_line_with_two_keys_or_a_brace_belongs_to_neither() {
    for (language, text, name, expected) in [
        ("json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "a", true),
        ("json", "{\n  \"a\": {\n  }, \"b\": 2,\n  \"c\": 3\n}\n", "a", false),
        ("json", "{\n  \"a\": {\n  }, \"b\": 2,\n  \"c\": 3\n}\n", "b", false),
        ("json", "{\n  \"a\": 1, \"b\": {\n  },\n  \"c\": 3\n}\n", "b", false),
        ("json", "{\n  \"a\": {\n  }, \"b\": 2,\n  \"c\": 3\n}\n", "c", true),
        ("json", "{ \"a\": 1,\n  \"b\": 2 }\n", "a", false),
        ("json", "{ \"a\": 1,\n  \"b\": 2 }\n", "b", false),
        ("json", "{\"a\":1}", "a", false),
        ("json", "{\n  \"a\": 1, /* of a\n  and b */ \"b\": 2\n}\n", "a", false),
        ("json", "{\n  \"a\": 1, /* of a\n  and b */ \"b\": 2\n}\n", "b", false),
        ("json", "{\n  \"a\": [ /* in\n  a */ ],\n  \"b\": 2\n}\n", "a", true),
        ("yaml", "{ a: 1 }\n", "a", false),
        ("yaml", "{\n  a: 1,\n  b: 2\n}\n", "a", true),
        ("yaml", "a: { b: 1 }\n", "a", true),
        ("makefile", "a b: c\n\tx\n", "b", true),
        ("toml", "[a]\n[b]\n", "a", true),
    ] {
        let section = find(text.as_bytes(), sections(language), &list(&[name])).unwrap();
        assert_eq!(stands_alone(text.as_bytes(), sections(language), &section), expected, "{name}: {text}");
    }
}

const FORMATS: &[&str] = &[
    "conf",
    "desktop",
    "dockerfile",
    "editorconfig",
    "gitconfig",
    "ini",
    "json",
    "json5",
    "jsonc",
    "makefile",
    "toml",
    "yaml",
];

/// Texts of which no part may be read again and again.
#[test]
fn large_entries_are_read_in_linear_time() {
    const BYTES: usize = 1 << 16;
    let many = |unit: &str| unit.repeat(BYTES / unit.len());
    let deep = "[".repeat(100_000);
    for unit in [
        "[",
        "{",
        "\"",
        "'",
        "#",
        "# c\n",
        "\n",
        " ",
        "\\\n",
        "a: ",
        "a:\n",
        "- ",
        "? ",
        "\"a\":",
        "\"a\":1,",
        "a = [\n",
        "\"\"\"",
        "'''\n",
        "[a]\n",
        "[[a]]\n",
        "]",
        "[a] ",
        "a ",
        "a: b\n",
        "a: 'b\n",
        "a: [b\n",
        "a: |\n b\n\n",
        "$(",
        "a $(b) ",
        "<<A ",
        "RUN <<A\n",
        "FROM a\n",
        "FROM a AS b\n",
        "RUN a \\\n",
        "define a\n",
        "ifdef a\n",
        "a:\nifdef b\n\tc\n",
        "endif\n",
        "/*",
        "//\n",
        "/* */",
        "---\n",
        "{}\n---\n",
        "&",
        "& ",
        "\t",
        "\tx\n",
        "{{",
        "..",
    ] {
        for language in ["toml", "gitconfig", "yaml", "json", "makefile", "dockerfile"] {
            let before = if language == "json" { "{" } else { "" };
            let text = format!("{before}{}", many(unit));
            let text = text.as_bytes();
            let listed = outline(text, sections(language)).unwrap();
            let _ = find(text, sections(language), &list(&["nothing"]));
            if let Some(last) = listed.last() {
                lead(text, last.place.start, sections(language));
                stands_alone(text, sections(language), &last.place);
            }
        }
    }
    for (language, text) in [
        ("json", format!("{{\n\"a\": {deep}{},\n\"b\": 1\n}}", "]".repeat(100_000))),
        ("yaml", format!("a: {deep}{}\nb: 1\n", "]".repeat(100_000))),
        ("toml", format!("[a]\nx = {deep}{}\n[b]\n", "]".repeat(100_000))),
    ] {
        assert_eq!(outline(text.as_bytes(), sections(language)).unwrap().len(), 2, "{language}");
        let open = text.replacen(']', "", 20);
        assert!(find(open.as_bytes(), sections(language), &list(&["b"])).is_err(), "{language}");
    }
}

fn lines() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[ab]".prop_map(String::into_bytes),
        prop::sample::select(vec![
            "\n",
            "\n",
            "\n",
            "\r\n",
            "\r",
            " ",
            "  ",
            "\t",
            "[a]\n",
            "[[b]]\n",
            "[a.b]\n",
            "[",
            "]",
            "{\n",
            "}",
            "\"",
            "'",
            "\"\"\"",
            "'''",
            "#",
            "# a\n",
            ";",
            "a:",
            "b: ",
            "\"a\": ",
            "'b' : ",
            "a: |\n",
            "- ",
            "? ",
            ",",
            ":",
            "=",
            "\"a\": 1,\n",
            "\"b\": {",
            "},\n",
            "//",
            "/*",
            "*/",
            "---\n",
            "...\n",
            "{{",
            "}}",
            "a: b\n\tx\n",
            "\tx\n",
            "a b:",
            "ifdef a\n",
            "else\n",
            "endif\n",
            "define a\n",
            "endef\n",
            "\\\n",
            "\\",
            "$(a",
            ")",
            "FROM a\n",
            "FROM a AS b\n",
            "RUN <<E\n",
            "E\n",
            "# escape=`\n",
            "`\n",
            "\u{feff}",
            "é",
            "&x ",
            "!t ",
            "*x",
            "|+\n",
            ">",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        Just(vec![0xFF]),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn every_listed_entry_is_found_in_its_lines(text in lines(), language in prop::sample::select(FORMATS)) {
        let listed = outline(&text, sections(language)).unwrap();
        let mut before = 0;
        for one in &listed {
            prop_assert!(before <= one.place.start && one.place.start < one.place.end && one.place.end <= text.len());
            before = one.place.start;
            match find(&text, sections(language), &list(&[&one.name])) {
                Ok(found) => prop_assert_eq!(&found, &one.place, "{} {:?}", language, one.name),
                Err(problem) => {
                    let is_honest = matches!(problem, OutlineProblem::Unclear { .. });
                    prop_assert!(is_honest, "{} {:?} {:?}", language, one.name, problem);
                }
            }
            let above = lead(&text, one.place.start, sections(language));
            let is_apart = listed.iter().all(|other| other.place.end <= above || above <= other.place.start);
            let is_alone = stands_alone(&text, sections(language), &one.place);
            prop_assert!(above <= one.place.start && (is_apart || !is_alone), "{} {:?}", language, one.name);
        }
    }

    /// A section that is taken out leaves all others as they were.
    #[test]
    fn an_entry_is_taken_out_without_a_change_to_the_others(
        names in proptest::collection::vec((0..6_usize, 0..4_usize, any::<bool>()), 1..8),
        at in any::<prop::sample::Index>(),
        notation in prop::sample::select(NOTATIONS),
    ) {
        let (language, open, close, entries) = notation;
        let entry = |(name, kind, has_lead): &(usize, usize, bool)| {
            let comment = if language == "json" { "// " } else { "# " };
            let lead = if *has_lead { format!("{comment}about\n") } else { String::new() };
            (lead, entries[*kind].replace("NAME", &format!("n{name}")))
        };
        let written: Vec<_> = names.iter().map(entry).collect();
        let mut text = open.to_owned();
        let mut places = Vec::new();
        for (lead, body) in &written {
            let start = text.len();
            text += lead;
            places.push((start, text.len()..text.len() + body.len()));
            text += body;
            text += "\n";
        }
        text += close;
        let listed = outline(text.as_bytes(), sections(language)).unwrap();
        let found: Vec<_> = listed.iter().map(|one| one.place.clone()).collect();
        let expected: Vec<_> = places.iter().map(|(_, place)| place.clone()).collect();
        prop_assert_eq!(found, expected, "{} {}", language, text);
        let at = at.index(places.len());
        let (start, place) = &places[at];
        prop_assert_eq!(lead(text.as_bytes(), place.start, sections(language)), *start, "{}", text);
        prop_assert!(stands_alone(text.as_bytes(), sections(language), place), "{}", text);
        let rest = [&text[..*start], &text[place.end..]].concat();
        prop_assert_eq!(outline(rest.as_bytes(), sections(language)).unwrap().len(), places.len() - 1);
    }
}

/// A language, the text around entries, and entries with content of several kinds.
type EntryNotation = (&'static str, &'static str, &'static str, [&'static str; 4]);

const NOTATIONS: &[EntryNotation] = &[
    (
        "toml",
        "top = 1\n",
        "",
        [
            "[NAME]\n",
            "[NAME]\nx = \"\"\"\n[n0]\n\"\"\"\n",
            "[[NAME]]\nx = [\n[1],\n]\n# y\n",
            "[NAME] # n0\n'[' = '#'\n",
        ],
    ),
    (
        "ini",
        "top = 1\n",
        "",
        ["[NAME]\n", "[NAME]\n; [n0]\nx\n", "[NAME] ; x\n  [n0]\n", "[NAME]\nx = [n0]\n"],
    ),
    (
        "yaml",
        "# top\n\n",
        "---\n- a\n",
        [
            "NAME: 1\n",
            "NAME: |\n  n0: \"\n\n  # [\n",
            "\"NAME\":\n- a: {\n  b: c }\n# d\n- e\n",
            "NAME: \"a\n  n0: 'b\"\n",
        ],
    ),
    (
        "json",
        "{\n",
        "}\n",
        [
            "\"NAME\": 1,\n",
            "\"NAME\": {\n\"n0\": [\"}\"]\n},\n",
            "'NAME': '\"', // {\n",
            "NAME: [ /* ]\n*/ \"\\\"\",\n{}],\n",
        ],
    ),
    (
        "makefile",
        "X = 1\n\n",
        "Y = 2\n",
        [
            "NAME: n0\n",
            "NAME:\n\t@n0: x\n\n\t# y\n",
            "NAME:\nifdef X\n\tx\nendif\n",
            "NAME: a \\\n  n0:\n\tx \\\ny\n",
        ],
    ),
    (
        "dockerfile",
        "ARG x\n\n",
        "",
        [
            "FROM a AS NAME\n",
            "FROM NAME\nRUN <<E\nFROM n0\nE\n",
            "FROM a \\\n  AS NAME\nRUN x \\\n# y\n\n FROM n0\n",
            "from a as NAME\n# b\nCMD c\n",
        ],
    ),
];

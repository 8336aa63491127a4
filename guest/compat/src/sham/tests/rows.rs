//! The system's tables for numbered lines and replacements.

use crate::sham::tests::run;
use crate::testing::session;
use fsgate_contract::edit_types::ReplaceAllArgs;
use fsgate_contract::types::{Code, Error};
use fsgate_engine::tools;
use fsgate_text::number::parse_lines;
use fsgate_volume::memory::{Item, Memory};

fn lines(count: usize) -> String {
    (1..=count).map(|n| format!("Line {n}")).collect::<Vec<_>>().join("\n")
}

#[test]
fn lines_have_the_numbers_that_its_rows_say() {
    let (twelve, fifteen, many) = (lines(12), lines(15), lines(105));
    // Content, lines, delimiter; the output, and the range error; else the mistake.
    for (content, spec, delimiter, expected) in [
        ("Line 1\nLine 2\nLine 3", Some("2"), ": ", Ok(("2: Line 2", None))),
        ("First\nSecond\nThird\nFourth", Some("2-3"), ": ", Ok(("2: Second\n3: Third", None))),
        ("A\nB\nC", Some("1-2"), "    ", Ok(("1    A\n2    B", None))),
        ("One\nTwo\nThree", Some("2"), "", Ok(("2Two", None))),
        ("Only\nTwo", Some("5"), ": ", Ok(("", Some(2)))),
        ("One\nTwo\nThree", Some("2-10"), ": ", Ok(("2: Two\n3: Three", Some(3)))),
        ("", Some("1"), ": ", Ok(("", None))),
        ("Just one line", Some("1"), ": ", Ok(("1: Just one line", None))),
        (&twelve, Some("9-11"), ": ", Ok((" 9: Line 9\n10: Line 10\n11: Line 11", None))),
        (
            &fifteen,
            Some("8-12"),
            ": ",
            Ok((" 8: Line 8\n 9: Line 9\n10: Line 10\n11: Line 11\n12: Line 12", None)),
        ),
        (
            &many,
            Some("98-102"),
            ": ",
            Ok((" 98: Line 98\n 99: Line 99\n100: Line 100\n101: Line 101\n102: Line 102", None)),
        ),
        ("content", Some("abc"), ": ", Err("Invalid line specification 'abc'")),
        ("content", Some("-5"), ": ", Err("Invalid line specification '-5'")),
        ("content", Some("5-3"), ": ", Err("Invalid line range '5-3' (start must be <= end)")),
        ("content", Some("-1-5"), ": ", Err("Invalid line specification '-1-5'")),
        ("content", Some("1-2-3"), ": ", Err("Invalid line specification '1-2-3'")),
        ("Line A\nLine B\nLine C", None, ": ", Ok(("1: Line A\n2: Line B\n3: Line C", None))),
        ("", None, ": ", Ok(("", None))),
    ] {
        let volume = Memory::default();
        volume.put("a", Item::File(content.as_bytes().to_vec()));
        let spec_line = spec.map_or(String::new(), |spec| format!("lines = \"{spec}\"\n"));
        let text = format!(
            "#!SHAM [@three-char-SHA-256: row]\naction = \"file_read_numbered\"\npath = \"/tmp/a\"\n{spec_line}delimiter = \"{delimiter}\"\n#!END_SHAM_row"
        );
        let (output, _) = run(&session(&volume), &text, None, false);
        let result = &output["results"][0];
        match expected {
            Ok((expected, missing)) => {
                assert_eq!(result["data"]["content"], expected, "{content:?} {spec:?}");
                let requested = spec.unwrap_or_default();
                let error = missing.map(|total: u32| {
                    format!("file_read_numbered: Requested lines {requested} but file only has {total} lines")
                });
                assert_eq!(result["error"].as_str(), error.as_deref());
            }
            Err(message) => {
                assert_eq!(result["error"], format!("file_read_numbered: {message}"));
                assert!(parse_lines(spec.unwrap()).is_err());
            }
        }
    }
}

#[test]
fn texts_are_replaced_as_its_rows_say() {
    let function = "function oldName() {\n  console.log('oldName');\n  return oldName;\n}";
    let object = "const config = {\n  old: {\n    setting: true\n  },\n  other: false\n};";
    let comments =
        "// TODO: fix this\nfunction broken() {\n  // TODO: fix this\n  return null;\n}\n// TODO: fix this";
    let class = "class OldClass:\n    def method(self):\n        pass";
    for (content, old, new, limit, expected) in [
        ("hello world", "world", "universe", None, Some(("hello universe", 1))),
        ("foo bar foo baz", "foo", "qux", None, Some(("qux bar qux baz", 2))),
        ("foo bar foo baz foo", "foo", "qux", Some(2), Some(("qux bar qux baz foo", 2))),
        (
            function,
            "oldName",
            "newName",
            None,
            Some(("function newName() {\n  console.log('newName');\n  return newName;\n}", 3)),
        ),
        (
            object,
            "old: {\n    setting: true\n  }",
            "new: {\n    setting: false,\n    extra: 'value'\n  }",
            None,
            Some((
                "const config = {\n  new: {\n    setting: false,\n    extra: 'value'\n  },\n  other: false\n};",
                1,
            )),
        ),
        (
            comments,
            "// TODO: fix this",
            "// FIXED",
            Some(2),
            Some(("// FIXED\nfunction broken() {\n  // FIXED\n  return null;\n}\n// TODO: fix this", 2)),
        ),
        ("Line 1\nLine 2\nLine 3", "Line 4", "Line X", None, Some(("Line 1\nLine 2\nLine 3", 0))),
        ("hello world", "", "xyz", None, None),
        ("aaaa", "aa", "b", None, Some(("bb", 2))),
        ("foo bar foo", "foo ", "", None, Some(("bar foo", 1))),
        ("line1\r\nline2\r\nline3", "\r\n", "\n", None, Some(("line1\nline2\nline3", 2))),
        (
            class,
            "OldClass",
            "NewClass",
            None,
            Some(("class NewClass:\n    def method(self):\n        pass", 1)),
        ),
    ] {
        let volume = Memory::default();
        volume.put("a", Item::File(content.as_bytes().to_vec()));
        let args = ReplaceAllArgs {
            path: "/tmp/a".to_owned(),
            old: old.to_owned(),
            new: new.to_owned(),
            limit,
            exact_line_ends: Some(true),
            ..ReplaceAllArgs::default()
        };
        let replaced = session(&volume).run(tools::replace_all::run, &args);
        let count = match (replaced, expected) {
            (Err(Error { code: Code::InvalidArgument(field), .. }), None) => {
                assert_eq!(field, "old");
                continue;
            }
            (Err(Error { code: Code::NoMatch(_), .. }), Some(_)) => 0,
            (Ok(outcome), Some(_)) => outcome.replacements,
            (replaced, _) => panic!("{content}: {replaced:?}"),
        };
        let (content, expected) = expected.unwrap();
        assert_eq!(count, expected);
        assert_eq!(volume.snapshot()["a"], Item::File(content.as_bytes().to_vec()));
    }
}

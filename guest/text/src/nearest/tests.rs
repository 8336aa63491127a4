use super::*;
use crate::distance::STEPS;
use crate::fuzzy_window::SLACK;
use fsgate_contract::limits::NEAREST_STEPS;

fn nearest(old: &[u8], probe: Probe, line_ends: LineEnds) -> Option<Candidate> {
    traces(old, b"", probe, line_ends).nearest
}

#[test]
fn a_change_that_is_made_already_is_found() {
    for (old, new, text, expected) in [
        ("f(a)", "f(a, b)", "x\nf(a, b)\ny\n", Some(2)),
        ("colour", "color", "the color\n", Some(1)),
        ("one\ntwo\n", "one\n2\n", "0\r\none\r\n2\r\n", Some(2)),
        ("let total = sum(a);", "return x;", "return x;\n\n\nlet total = sum(b);\n", None),
        ("abcd efgh", "abcd", "abcd\n", None),
        ("x = 12", " }\n", "{\n }\n", None),
        ("x = 12", "", "{\n }\n", None),
    ] {
        let probe = Probe { text: text.as_bytes(), first_line: 1, ends_file: true };
        let found = traces(old.as_bytes(), new.as_bytes(), probe, LineEnds::Any);
        assert_eq!(found.made, expected, "{old:?} {new:?}");
    }
}

fn found(old: &str, text: &[u8], line_ends: LineEnds) -> Option<Candidate> {
    nearest(old.as_bytes(), Probe { text, first_line: 1, ends_file: true }, line_ends)
}

fn shown(candidate: Option<Candidate>) -> String {
    candidate.map_or("none".to_owned(), |candidate| {
        let Candidate { first_line, last_line, alike, line, column, in_file, in_request } = candidate;
        format!("{first_line}-{last_line} {alike}% {line}:{column} {in_file} | {in_request}")
    })
}

const CODE: &[u8] = b"fn one() {\n\tlet limit = 5;\n\treturn limit;\n}\n\n\
    fn two() {\n\tlet limit = 7;\n\tcall(limit);\n\treturn limit + 1;\n}\n";
const TEXT: &[u8] =
    b"# Project\n\nThis is a sample.\n\n## Installation\n\nRun the following command:\n- npm install\n";

#[test]
fn finds_the_place_and_what_is_different_there() {
    for (old, text, expected) in [
        ("fn one() {\n    let limit = 5;\n    return limit;\n}", CODE, "1-4 95% 2:1 TAB | 4 spaces"),
        ("    let limit = 7;\n    call(limit);", CODE, "7-8 93% 7:1 TAB | 4 spaces"),
        ("\t\tcall(limit);\n\t\treturn limit + 1;", CODE, "8-9 93% 8:1 TAB | 2 TABs"),
        ("return  limit;", CODE, "3-3 92% 3:8 space | 2 spaces"),
        ("let limit=7;", CODE, "7-7 85% 7:11 space | \"=\""),
        ("one line\nand two", b"one line  \nand two\n", "1-2 94% 1:9 2 spaces | LF"),
        ("one line  \nand two", b"one line\nand two\n", "1-2 94% 1:9 LF | 2 spaces"),
        ("    indented(value);", b"indented(value);\n", "1-1 94% 1:1 \"indented\" | 4 spaces"),
        ("    indented(value);", b"        indent(value);\n", "1-1 88% 1:15 \"(\" | \"ed\""),
        ("x\n  indented(value);", b"x\n    indented(value);\n", "1-2 94% 2:1 4 spaces | 2 spaces"),
        ("\n    indented(value)", b"x\n\n\tindented(value)\n", "2-3 94% 3:1 TAB | 4 spaces"),
        ("\n\nindented(value)", b"x\nindented(value)\n", "1-2 94% 2:1 \"indented\" | LF"),
        ("}\n\nfn two() {", b"fn one() {\n}\n\n\nfn two() {\n}\n", "2-5 92% 4:1 LF | \"fn\""),
        ("fn two() {\n}\n\n", b"fn one() {\n}\nfn two() {\n}\nend", "3-5 92% 5:1 \"end\" | LF"),
        ("a word here", "say a\u{A0}word here\n".as_bytes(), "1-1 99% 1:6 U+00A0 | space"),
        ("a\u{A0}\u{A0}word here", b"say a word here\n", "1-1 90% 1:6 space | 2 U+00A0"),
        ("zero width", "zero\u{200B} width\n".as_bytes(), "1-1 90% 1:5 U+200B | space"),
        ("\u{FEFF}first line", b"first line\n", "1-1 90% 1:1 \"first\" | U+FEFF"),
        ("say('hello there')", b"x\nsay(\"hello there\")\n", "2-2 88% 2:5 \"\"\" | \"'\""),
        ("say(\"hello\")", "x\nsay(“hello”)".as_bytes(), "2-2 99% 2:5 \"“\" (U+201C) | \"\"\""),
        ("5 - 3 is two", "it is 5 − 3 is two".as_bytes(), "1-1 99% 1:9 \"−\" (U+2212) | \"-\""),
        ("password", "p\u{430}ssword".as_bytes(), "1-1 87% 1:2 \"\u{430}\" (U+0430) | \"assword\""),
        (
            "caf\u{E9} au lait",
            "ein cafe\u{301} au lait".as_bytes(),
            "1-1 99% 1:8 \"e\" with U+0301 | \"é\" (U+00E9)",
        ),
        ("if (a &lt; b)", b"x\nif (a < b) {\n", "2-2 99% 2:7 \"<\" | \"&\""),
        ("8\tcall(limit);", CODE, "8-8 85% 8:2 \"call\" | \"8\""),
        ("12|call", b"x\ncall()\n", "2-2 99% 2:1 \"call\" | \"12\""),
        ("1:x", b"x\n", "none"),
        ("caf\u{E9} au lait", b"ein caf\xE9 au lait\n", "1-1 91% 1:8 \\x{E9} | \"é\" (U+00E9)"),
        (
            "caf\u{E9} au lait",
            b"\xED\xB3\xA8n caf\xED\xB3\xA9 au lait",
            "1-1 91% 1:7 \\x{E9} | \"é\" (U+00E9)",
        ),
        (
            "\u{4E2D}\u{6587}\u{5B57}\u{7B26}",
            "\u{4E2D}\u{6587}\u{5B50}\u{7B26}".as_bytes(),
            "1-1 75% 1:3 \"子\" (U+5B50) | \"字\" (U+5B57)",
        ),
        ("\tlet limt = 7;\n\tcall(limit);", CODE, "7-8 96% 7:9 \"it\" | \"t\""),
        ("Return Limit;", CODE, "3-3 84% 3:2 \"return\" | \"Return\""),
        ("return limits + 1;", CODE, "9-9 94% 9:14 space | \"s\""),
        ("const limit = compute(a)", b"let limit = compute(a)", "1-1 83% 1:1 \"let\" | \"const\""),
        ("let limit = compute(a)", b"  const limit = compute(a)", "1-1 90% 1:3 \"const\" | \"let\""),
        ("  return y + 1", b"    return x + 1", "1-1 92% 1:12 \"x\" | \"y\""),
        ("same old line", b"same odd line\nsame odd line\n", "1-1 92% 1:7 \"dd\" | \"ld\""),
        ("same old line", b"same xxx line\nsame odd line\n", "2-2 92% 2:7 \"dd\" | \"ld\""),
        (
            "\"b\": [1, 2, 4]",
            b"x\n{\"a\": [1, 2, 3], \"b\": [1, 2, 3], \"c\": [1, 2, 3]}",
            "2-2 92% 2:30 \"3\" | \"4\"",
        ),
        (
            "f\u{FC}nf plus sechs",
            "größe = vier plus fünf plus sieben".as_bytes(),
            "1-1 75% 1:30 \"ieben\" | \"echs\"",
        ),
        ("fn three() {\n\tlet limit = 7;\n\tcall(limit);\n", CODE, "6-8 90% 6:5 \"wo\" | \"hree\""),
        ("xxxx\n\tlet limit = 7;\n\tcall(limit);\n", CODE, "6-8 82% 6:1 \"fn\" | \"xxxx\""),
        ("    if x {\n\tlet limit = 7;\n\tcall(limit);\n", CODE, "6-8 86% 6:1 \"fn\" | 4 spaces"),
        (
            "\tlet limit = 7;\n\tcall(limit);\n\tother_thing();\n}",
            CODE,
            "7-10 72% 9:2 \"return\" | \"other_thing\"",
        ),
        (
            "\tlet limit = 7;\n\tcall(limit);\n\tother_thing();",
            CODE,
            "7-9 75% 9:2 \"return\" | \"other_thing\"",
        ),
        ("let limit = 7; // seven\n\tcall(limit);", CODE, "7-8 75% 7:16 LF | space"),
        ("{\n\tlet limit = 7;\n\treturn limit + 1;\n}\n", CODE, "1-4 87% 2:14 \"5\" | \"7\""),
        ("{\n\tlet limit = 7;\n\tcall(limit);\n}\n", CODE, "6-9 94% 9:1 TAB | \"}\""),
        ("first\nsecond\nthird\nfourth", b"first\nthird\nfourth", "1-3 72% 2:1 \"third\" | \"second\""),
        ("first\nthird\nfourth", b"first\nsecond\nthird\nfourth", "1-4 72% 2:1 \"second\" | \"third\""),
        ("a := 1\na := 2\na := 3", b"a := 1\na := 3\na := 4", "1-3 90% 2:6 \"3\" | \"2\""),
        ("alpha beta\ngamma delta", b"alpha beta gamma delta", "1-1 95% 1:11 space | LF"),
        ("alpha beta gamma delta", b"alpha beta\ngamma delta", "1-2 95% 1:11 LF | space"),
        ("line two\n", b"line one\nline two", "2-2 88% 2:9 end of file | LF"),
        ("line two and more", b"line one\nline two and\n", "2-2 70% 2:13 LF | space"),
        ("line two, line two\nand", b"line one\nline two, line two\n", "2-2 86% 3:1 end of file | \"and\""),
        ("nonexistent", b"some text\n", "none"),
        ("## Configuration\n\nConfigure the app by editing config.json", TEXT, "none"),
        ("the same words but in quite another order", b"order another quite in but words same the", "none"),
        ("x", b"X", "none"),
        ("    ", b"\t\n", "none"),
        ("\n\n\n", b"a\n\nb\n", "none"),
        ("abc", b"", "none"),
        ("", b"abc", "none"),
        ("it is here", b"it is here", "none"),
    ] {
        for line_ends in [LineEnds::Any, LineEnds::Exact] {
            let text_shown = String::from_utf8_lossy(text);
            assert_eq!(shown(found(old, text, line_ends)), expected, "{old:?} in {text_shown:?}");
        }
    }
}

#[test]
fn line_ends_are_different_only_where_they_are_compared() {
    use LineEnds::{Any, Exact};
    for (old, text, line_ends, expected) in [
        ("let a = 1;\nlet b = 2;", &b"let a = 1;\r\nlet b = 2;\r\n"[..], Exact, "1-2 99% 1:11 CRLF | LF"),
        ("let a = 1;\r\nlet b = 2;", b"let a = 1;\nlet b = 2;\n", Exact, "1-2 99% 1:11 LF | CRLF"),
        ("let a = 1;\nlet b = 2;", b"let a = 1;\rlet b = 2;\r", Exact, "1-2 99% 1:11 CR | LF"),
        ("let a = 1;\nlet b = 2;", b"let a = 1;\r\nlet b = 2;\r\n", Any, "none"),
        ("let a = 1;\nlet b = 3;", b"let a = 1;\r\nlet b = 2;\r\n", Any, "1-2 95% 2:9 \"2\" | \"3\""),
        ("let a = 1;\nlet b = 3;", b"let a = 1;\r\nlet b = 2;\r\n", Exact, "1-2 90% 1:11 CRLF | LF"),
        ("let a = 1;\n\tlet b;", b"\r\nlet a = 1;\r\n  let b;\r\n", Any, "2-3 94% 3:1 2 spaces | TAB"),
        ("\nlet c = 1;", b"x\r\nlet b = 1;\r\n", Exact, "1-2 90% 2:5 \"b\" | \"c\""),
        ("let c = 1;\rx", b"x\rlet b = 1;\rx", Exact, "2-3 91% 2:5 \"b\" | \"c\""),
    ] {
        assert_eq!(shown(found(old, text, line_ends)), expected, "{old:?} in {text:?}");
    }
}

#[test]
fn a_piece_of_a_file_is_counted_on_and_says_nothing_about_its_end() {
    let text = b"let limit = 5;\n".repeat(40);
    let probe = |first_line, ends_file| Probe { text: &text, first_line, ends_file };
    for (old, probe, expected) in [
        ("let limit = 6;", probe(1, false), "1-1 92% 1:13 \"5\" | \"6\""),
        ("let limit = 6;", probe(100, false), "100-100 92% 100:13 \"5\" | \"6\""),
        ("let limit = 5;\nend", probe(1, false), "1-2 77% 2:1 \"let\" | \"end\""),
    ] {
        assert_eq!(shown(nearest(old.as_bytes(), probe, LineEnds::Any)), expected, "{old:?}");
    }
    let text = [&text[..], b"something else"].concat();
    let probe = |ends_file| Probe { text: &text, first_line: 1, ends_file };
    assert_eq!(nearest(b"something els3", probe(false), LineEnds::Any), None);
    assert!(nearest(b"something els3", probe(true), LineEnds::Any).is_some());
}

/// Long texts are compared at their ends, and still report the first difference.
#[test]
fn finds_long_texts_by_their_ends() {
    let line = |number: usize| format!("    let value_{} = compute({number});\n", number % 97);
    let text: String = (0..4000).map(line).collect();
    let old: String = (1000..3000).map(line).collect();
    let changed = old.replacen("compute(2000)", "compute(2OOO)", 1);
    assert!(changed.len() > 8 * NEAREST_CHARS);
    assert_eq!(
        shown(found(&changed, text.as_bytes(), LineEnds::Any)),
        "1001-3000 99% 2001:29 \"000\" | \"OOO\""
    );
    let tabs = old.replace("    ", "\t");
    assert_eq!(shown(found(&tabs, text.as_bytes(), LineEnds::Any)), "1001-3000 99% 1001:1 4 spaces | TAB");
    let other: String = (0..2000).map(|number| format!("{}\n", number * 7919)).collect();
    assert_eq!(found(&other, text.as_bytes(), LineEnds::Any), None);
    assert_eq!(found(&"a".repeat(NEAREST_OLD_BYTES + 1), text.as_bytes(), LineEnds::Any), None);
}

/// The pass over the file is linear by construction; the rest is counted here.
#[test]
fn no_text_makes_the_search_longer() {
    const SIZE: usize = 1 << 17;
    let mut state = 1u32;
    let mut random = |length: usize, alphabet: &[u8]| -> Vec<u8> {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            alphabet[(state >> 16) as usize % alphabet.len()]
        };
        (0..length).map(|_| next()).collect()
    };
    let bytes: Vec<_> = (0..=255).collect();
    let mut apart = Vec::new();
    while apart.len() < SIZE {
        apart.extend(b"let limit = value;\n".iter().flat_map(|byte| [vec![*byte], vec![b' '; 900]].concat()));
    }
    let texts = [
        random(SIZE, b"abcdefgh "),
        random(SIZE, b"ab"),
        random(SIZE, &bytes),
        random(SIZE, &bytes[0x80..]),
        vec![b'a'; SIZE],
        vec![b' '; SIZE],
        vec![b'\n'; SIZE],
        b"\r\n".repeat(SIZE / 2),
        b"    return limit;\n".repeat(SIZE / 18),
        vec![0xE4; SIZE],
        apart,
    ];
    let ascii = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let olds = [
        "x".to_owned(),
        "xy".to_owned(),
        "let limit == value;".to_owned(),
        "    return limit;\n    return limits;\n".to_owned(),
        ascii(random(NEAREST_CHARS, b"ab")),
        ascii(random(NEAREST_CHARS + 1, b"ab ")),
        ascii(random(200_000, b"abcdefgh \n")),
        (0..NEAREST_CHARS as u32).filter_map(|n| char::from_u32(0x4E00 + n)).collect(),
        "    return limit;\n".repeat(10_000) + "x",
        "\n".repeat(200_000) + "xy",
        " ".repeat(200_000) + "xy",
        "a".repeat(200_000) + "x",
    ];
    let around = 3 * NEAREST_CHARS + 2 * SLACK;
    let finish = around * NEAREST_CHARS / 64 + 4 * (2 * NEAREST_CHARS) * (2 * NEAREST_CHARS) / 64;
    for text in &texts {
        for old in &olds {
            STEPS.set(0);
            let _ = found(old, text, LineEnds::Any);
            let steps = STEPS.get();
            assert!(steps <= NEAREST_STEPS + finish, "{steps}: {} bytes in {:?}", old.len(), &text[..20]);
        }
    }
}

fn check(candidate: &Candidate, text: &[u8]) {
    let Candidate { first_line, last_line, alike, line, column, in_file, in_request } = candidate;
    assert!((60..100).contains(alike), "{candidate:?}");
    assert!(1 <= *first_line && first_line <= last_line && first_line <= line, "{candidate:?}");
    assert!(line <= last_line || in_file == "end of file", "{candidate:?}");
    assert_ne!(in_file, in_request, "{candidate:?}");
    let (mut rest, mut at) = (text, (1, 1));
    while at != (*line, *column) {
        let (unit, length) = CharUnit::first(rest).expect("the place is in the file");
        rest = &rest[length..];
        at = if unit.is_end() { (at.0 + 1, 1) } else { (at.0, at.1 + 1) };
    }
    let there = if rest.is_empty() { "end of file".to_owned() } else { name(rest) };
    assert_eq!(*in_file, there, "{candidate:?}");
}

#[test]
fn a_piece_with_one_character_changed_is_found_where_it_was() {
    use proptest::prelude::*;
    let line = ("[ \t]{0,4}", "[a-z]{5,8}( |  |, )[a-z]{5,8}[();]{0,3} ?", "\n|\r\n|\r|\n\n")
        .prop_map(|(indentation, words, end)| indentation + &words + &end);
    let text = proptest::collection::vec(line, 3..30).prop_map(|lines| lines.concat());
    let mutation = (
        any::<prop::sample::Index>(),
        prop_oneof![Just(' '), Just('\t'), Just('\n'), Just('é'), Just('Q')],
        0..3,
    );
    proptest!(|(
        text in text,
        from in any::<prop::sample::Index>(),
        length in 30usize..200,
        (at, with, how) in mutation,
    )| {
        let from = from.index(text.len().saturating_sub(30) + 1);
        let to = text.len().min(from + length);
        let mut old = text[from..to].to_owned();
        let at = at.index(old.len());
        match how {
            0 => old.insert(at, with),
            1 => drop(old.remove(at)),
            _ => old.replace_range(at..=at, with.encode_utf8(&mut [0; 4])),
        }
        let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
        prop_assume!(to - from >= 30 && !plain(&text).contains(&plain(&old)));
        let candidate = found(&old, text.as_bytes(), LineEnds::Any);
        let Some(candidate) = candidate else { return Err(TestCaseError::fail(old)) };
            check(&candidate, text.as_bytes());
            let probe = Probe { text: text.as_bytes(), first_line: 1, ends_file: true };
            let (first, last) = (probe.line(from), probe.line(to - 1));
            prop_assert!(
                u64::from(candidate.first_line) <= last && first <= u64::from(candidate.last_line),
                "{old:?} of lines {first}-{last}: {candidate:?}"
            );
    });
}

#[test]
fn whatever_is_said_about_arbitrary_bytes_is_so() {
    use proptest::prelude::*;
    let piece = || {
        prop_oneof![
            4 => prop_oneof![Just("ab"), Just("abc "), Just("\n"), Just("\r\n"), Just("\t"), Just(" "), Just("x(y)")]
                .prop_map(|text| text.as_bytes().to_vec()),
            1 => any::<char>().prop_map(|c| c.to_string().into_bytes()),
            1 => any::<u8>().prop_map(|byte| vec![byte]),
        ]
    };
    let text = || proptest::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat());
    proptest!(|(old in text(), text in text(), exact in any::<bool>())| {
        let old = String::from_utf8_lossy(&old);
        let line_ends = if exact { LineEnds::Exact } else { LineEnds::Any };
        if let Some(candidate) = found(&old, &text, line_ends) {
            check(&candidate, &text);
        }
        let probe = Probe { text: &text, first_line: 7, ends_file: false };
        let _ = nearest(old.as_bytes(), probe, line_ends);
    });
}

//! Where the tools answer otherwise than ripgrep, and why. Each row holds on both sides, so that a change of either is
//! seen.

use std::fs;

use fsgate::{Access, Gate};
use serde_json::Value;
use tempfile::tempdir;

use super::{ours, peers};

struct Difference {
    why: &'static str,
    files: &'static [(&'static str, &'static [u8])],
    call: &'static str,
    flags: &'static [&'static str],
    /// Lines found: path and number.
    ours: &'static [&'static str],
    theirs: &'static [&'static str],
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        why: "a lone CR ends a line in every tool",
        files: &[("a.txt", b"one\rtwo\rthree\r")],
        call: r#"{"pattern": "two"}"#,
        flags: &["two"],
        ours: &["a.txt:2"],
        theirs: &["a.txt:1"],
    },
    Difference {
        why: "text in an encoding that has no mark is searched as text, too",
        files: &[("a.txt", b"two caf\xE9s\n")],
        call: r#"{"pattern": "cafés"}"#,
        flags: &["cafés"],
        ours: &["a.txt:1"],
        theirs: &[],
    },
    Difference {
        why: "a line end in a text over several lines stands for any line end",
        files: &[("a.txt", b"two\r\nthree\r\n")],
        call: r#"{"pattern": "two\nthree", "multi_line": true}"#,
        flags: &["--multiline", "--fixed-strings", "two\nthree"],
        ours: &["a.txt:1"],
        theirs: &[],
    },
    Difference {
        why: "an include pattern chooses among what is seen; it does not show what is hidden or ignored",
        files: &[
            (".hidden.rs", b"two\n"),
            ("ignored.rs", b"two\n"),
            (".gitignore", b"ignored.rs\n"),
            ("seen.rs", b"two\n"),
        ],
        call: r#"{"pattern": "two", "include": ["*.rs"]}"#,
        flags: &["--glob=*.rs", "two"],
        ours: &["seen.rs:1"],
        theirs: &[".hidden.rs:1", "ignored.rs:1", "seen.rs:1"],
    },
    Difference {
        why: "a rule takes back what rules ignore; a hidden name stays hidden",
        files: &[(".hidden.txt", b"two\n"), (".gitignore", b"!.hidden.txt\n")],
        call: r#"{"pattern": "two"}"#,
        flags: &["two"],
        ours: &[],
        theirs: &[".hidden.txt:1"],
    },
    Difference {
        why: "rules go on after a line that is not UTF-8, as they do in git",
        files: &[("a.txt", b"two\n"), ("b.txt", b"two\n"), (".gitignore", b"\xE9\na.txt\n")],
        call: r#"{"pattern": "two"}"#,
        flags: &["two"],
        ours: &["b.txt:1"],
        theirs: &["a.txt:1", "b.txt:1"],
    },
    Difference {
        why: "braces in a rule are ordinary characters, as they are to git",
        files: &[("a.txt", b"two\n"), ("b.txt", b"two\n"), (".gitignore", b"{a,b}.txt\n")],
        call: r#"{"pattern": "two"}"#,
        flags: &["two"],
        ours: &["a.txt:1", "b.txt:1"],
        theirs: &[],
    },
];

#[test]
fn what_differs_by_design() {
    for Difference { why, files, call, flags, ours, theirs } in DIFFERENCES {
        let scratch = tempdir().unwrap();
        for (name, content) in *files {
            fs::write(scratch.path().join(name), content).unwrap();
        }
        let gate = Gate::builder().dir_as(scratch.path(), "/w", Access::Read).build().unwrap();
        let call: Value = serde_json::from_str(call).unwrap();
        let found = ours::grep(&gate, &call, true, None).lines;
        let places: Vec<_> = found.iter().map(|line| format!("{}:{}", line.path, line.number)).collect();
        assert_eq!(places, *ours, "fsgate: {why}");
        assert_eq!(peers::places(scratch.path(), flags), *theirs, "ripgrep: {why}");
    }
}

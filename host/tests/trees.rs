//! Every tool on real source trees, through the component and the command line, against scripts of
//! cat, awk, sed, perl, tail, ls, stat, sha256sum, cp, mv and rm. All three agree byte for byte.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fsgate::{Gate, OPERATIONS};
use fsgate_tests::open::Opened;
use fsgate_tests::sources::sources;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Crates of this build, whose sources every machine that built it has. The first has files with
/// CRLF.
const CRATES: [&str; 3] = ["mime_guess-2", "serde_json-1", "memchr-2"];

/// The command line does every nth file: starting a program takes longer than the tool.
const BY_COMMAND_LINE: usize = 5;

/// Three ways to do the same, each in its own copy of the tree.
struct Trees {
    scratch: TempDir,
    gate: Opened,
    used: BTreeSet<&'static str>,
}

impl Trees {
    fn new(source: &Path) -> Self {
        let scratch = TempDir::new().unwrap();
        for copy in ["component", "line", "script"] {
            let copied =
                Command::new("cp").arg("-r").arg(source).arg(scratch.path().join(copy)).status().unwrap();
            assert!(copied.success());
        }
        let granted = scratch.path().join("component");
        let gate = Opened::new(Gate::builder().dir_as(granted, "/t", fsgate::Access::Write));
        Self { gate: gate.unwrap(), scratch, used: BTreeSet::new() }
    }

    /// Standard output of a shell script in its copy; `$1` is the file. Standard error is ignored.
    fn script(&self, script: &str, file: &str, input: &[u8]) -> Vec<u8> {
        let mut command = Command::new("sh");
        command
            .args(["-c", script, "sh", file])
            .current_dir(self.scratch.path().join("script"))
            .env("LC_ALL", "C");
        fed(&mut command, input)
    }

    fn component(&mut self, tool: &'static str, arguments: &Value) -> Value {
        self.used.insert(tool);
        let answer = self.gate.call(tool, &arguments.to_string());
        serde_json::from_str(&answer.unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))).unwrap()
    }

    /// Standard output of the program in its copy.
    fn line(&self, words: &[&str], input: &[u8]) -> Vec<u8> {
        let grant = format!("{}::/t", self.scratch.path().join("line").display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_fsgate"));
        let state = self.gate.state_root();
        fed(command.args(words).args(["--dir", &grant]).arg("--state-dir").arg(state), input)
    }

    fn line_json(&self, words: &[&str], input: &[u8]) -> Value {
        serde_json::from_slice(&self.line(&[words, &["--json"]].concat(), input)).unwrap()
    }

    /// The text files of the tree, by path.
    fn files(&self) -> Vec<String> {
        let listed = self.script("find . -type f -size -200k | sed 's|^./||' | sort", "", b"");
        let listed = String::from_utf8(listed).unwrap();
        let is_text = |path: &&str| {
            let bytes = fs::read(self.scratch.path().join("script").join(path)).unwrap();
            String::from_utf8(bytes).is_ok_and(|text| !text.replace("\r\n", "").contains('\r'))
        };
        listed.lines().filter(is_text).map(str::to_owned).collect()
    }

    /// Checks that the three copies are equal.
    fn agree(&self, after: &str) {
        for copy in ["component", "line"] {
            let compared = Command::new("diff")
                .args(["-rq", "script", copy])
                .current_dir(self.scratch.path())
                .output()
                .unwrap();
            let reported = String::from_utf8_lossy(&compared.stdout);
            assert!(compared.status.success(), "after {after}: {reported}");
        }
    }
}

fn fed(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{command:?}");
    output.stdout
}

fn text(value: &Value) -> &[u8] {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).as_bytes()
}

/// `sed` shows a section's name in its first line.
fn sections(trees: &mut Trees, file: &str) {
    let outline = trees.component("outline", &json!({"path": file, "max_items": 40}));
    for section in outline["sections"].as_array().unwrap() {
        let (name, first) = (section["name"].as_str().unwrap(), &section["first"]);
        let name = name.split('#').find(|part| !part.is_empty()).unwrap_or(name);
        let mut words = name.split(|character: char| !character.is_alphanumeric() && character != '_');
        let word = words.rfind(|word| !word.is_empty()).unwrap_or_default();
        let line = trees.script(&format!("sed -n '{first},+8p' \"$1\""), file, b"");
        let line = String::from_utf8_lossy(&line);
        assert!(line.contains(word), "outline {file}: {section}: {line}");
    }
}

/// All tools that read.
fn look(trees: &mut Trees, files: &[String]) {
    // A byte order mark is not part of the text.
    let cat = r#"sed '1s/^\xef\xbb\xbf//' "$1""#;
    let numbered = r#"sed '1s/^\xef\xbb\xbf//; s/\r$//' "$1" |
        awk '{ line[NR] = $0 } END { w = length(NR ""); for (n = 1; n <= NR; n++) printf "%" w "d: %s\n", n, line[n] }'"#;
    let range = r#"sed '1s/^\xef\xbb\xbf//; s/\r$//' "$1" | awk 'NR >= 3 && NR <= 7 { print NR "\t" $0 }'"#;
    for (number, file) in files.iter().enumerate() {
        let by_line = number % BY_COMMAND_LINE == 0;
        let wanted = trees.script(cat, file, b"");
        let mut paged = Vec::new();
        let mut arguments = json!({"path": file, "max_bytes": 1000 + number});
        loop {
            let page = trees.component("read", &arguments);
            paged.extend_from_slice(text(&page["content"]));
            let Some(cursor) = page.get("next_cursor") else { break };
            arguments["cursor"] = cursor.clone();
        }
        assert!(paged == wanted, "read {file}");

        let lines = trees.script(numbered, file, b"");
        let page = trees.component("read_numbered", &json!({"path": file, "max_bytes": 1 << 20}));
        assert!(
            text(&page["content"]) == lines.strip_suffix(b"\n").unwrap_or(&lines),
            "read_numbered {file}"
        );
        let some = trees.script(range, file, b"");
        let page =
            trees.component("read_numbered", &json!({"path": file, "lines": "3-7", "delimiter": "\t"}));
        assert!(
            text(&page["content"]) == some.strip_suffix(b"\n").unwrap_or(&some),
            "read_numbered 3-7 {file}"
        );

        if [".rs", ".md", ".py", ".c", ".js"].iter().any(|end| file.ends_with(end)) {
            sections(trees, file);
        }

        let (offset, length) = (number * 17, 100 + number);
        let cut = format!(r#"tail -c +{} "$1" | head -c {length}"#, offset + 1);
        let piece = trees.script(&cut, file, b"");
        let bytes = trees.component("read_bytes", &json!({"path": file, "offset": offset, "length": length}));
        assert!(STANDARD.decode(text(&bytes["bytes"])).unwrap() == piece, "read_bytes {file}");

        let known = trees.script(
            r#"printf '%s %s' "$(stat -c %s "$1")" "$(sha256sum < "$1" | cut -c1-64)""#,
            file,
            b"",
        );
        let stat = trees.component("stat", &json!({"path": file, "checksum": true}));
        let reported = format!("{} {}", stat["entry"]["size"], stat["entry"]["checksum"].as_str().unwrap());
        assert_eq!(reported.as_bytes(), known, "stat {file}");

        for path in [file.clone(), format!("{file}x")] {
            let there = trees.script(r#"test -e "$1" && printf true || printf false"#, &path, b"");
            assert_eq!(
                trees.component("exists", &json!({"path": path}))["exists"].to_string().as_bytes(),
                there
            );
        }

        if by_line {
            assert!(trees.line(&["read", file], b"") == wanted, "fsgate read {file}");
            assert!(trees.line(&["read-numbered", file], b"") == lines, "fsgate read-numbered {file}");
            let words =
                ["read-bytes", file, "--offset", &offset.to_string(), "--length", &length.to_string()];
            assert!(trees.line(&words, b"") == piece, "fsgate read-bytes {file}");
            let stat = trees.line_json(&["stat", file, "--checksum"], b"");
            let reported =
                format!("{} {}", stat["entry"]["size"], stat["entry"]["checksum"].as_str().unwrap());
            assert_eq!(reported.as_bytes(), known, "fsgate stat {file}");
            assert_eq!(trees.line_json(&["exists", file], b"")["exists"], true);
        }
    }

    for word in ["the", "fn", "unsafe", "xyzzy"] {
        let counted = trees.script(r#"grep -rcIwF -- "$1" . | grep -v ':0$' | sed 's,^./,,'"#, word, b"");
        let counted = String::from_utf8(counted).unwrap();
        let counted: BTreeSet<_> = counted.lines().map(str::to_owned).collect();
        let count = |found: &Value| -> BTreeSet<String> {
            let start = text_of(&found["path"]).len() + 1;
            let files = found["files"].as_array().unwrap().iter();
            files.map(|file| format!("{}:{}", &text_of(&file["path"])[start..], file["count"])).collect()
        };
        let every = json!({
            "pattern": word, "word": true, "include_hidden": true, "respect_ignore": false, "mode": "count",
            "max_items": 10_000, "max_bytes": 1 << 20
        });
        assert_eq!(count(&trees.component("grep", &every)), counted, "grep {word}");
        let words = ["grep", word, "--word", "--include-hidden", "--no-respect-ignore", "--mode", "count"];
        assert_eq!(count(&trees.line_json(&words, b"")), counted, "fsgate grep {word}");
    }

    let joined = r#"first=1; for file in $1; do
        [ $first = 1 ] || printf '\n\n'; first=0; printf '=== %s ===\n' "$file"; sed '1s/^\xef\xbb\xbf//' "$file"; done"#;
    for some in files.chunks(7) {
        let wanted = trees.script(joined, &some.join(" "), b"");
        let many =
            trees.component("read_many", &json!({"paths": some, "joined": true, "max_bytes": 1 << 20}));
        assert!(text(&many["content"]) == wanted, "read_many {some:?}");
    }
    let some: Vec<_> = files.iter().take(5).map(String::as_str).collect();
    let many =
        trees.line_json(&[&["read-many"], &some[..], &["--joined", "--max-bytes", "1048576"]].concat(), b"");
    assert!(text(&many["content"]) == trees.script(joined, &some.join(" "), b""));

    let directories = String::from_utf8(trees.script("find . -type d", "", b"")).unwrap();
    for (number, directory) in directories.lines().enumerate() {
        let names = String::from_utf8(trees.script(r#"ls -A "$1""#, directory, b"")).unwrap();
        let listed = |answer: &Value| -> Vec<String> {
            let entries = answer["entries"].as_array().unwrap().iter();
            entries.map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
        };
        let arguments = json!({"path": directory, "include_hidden": true, "max_items": 10_000});
        assert_eq!(listed(&trees.component("list_directory", &arguments)), names.lines().collect::<Vec<_>>());
        let below = String::from_utf8(trees.script(
            r#"cd "$1" && find . -mindepth 1 | sed 's,^..,,' | tr / '\001' | sort | tr '\001' /"#,
            directory,
            b"",
        ));
        let below = below.unwrap();
        let paths = |entries: &Value, start: &str| -> Vec<String> {
            let entries = entries.as_array().unwrap().iter();
            entries
                .map(|entry| {
                    entry["path"].as_str().unwrap()[start.len()..].trim_start_matches('/').to_owned()
                })
                .collect()
        };
        let every = json!({
            "path": directory, "pattern": "**", "include_hidden": true, "respect_ignore": false, "max_items": 10_000
        });
        let found = trees.component("glob", &every);
        assert_eq!(paths(&found["entries"], text_of(&found["path"])), below.lines().collect::<Vec<_>>());
        let every = json!({
            "path": directory, "include_hidden": true, "respect_ignore": false, "max_items": 10_000, "form": "both"
        });
        let found = trees.component("tree", &every);
        assert_eq!(paths(&found["entries"], text_of(&found["path"])), below.lines().collect::<Vec<_>>());
        let drawn: Vec<_> =
            text_of(&found["drawn"]).lines().map(|line| line.trim().trim_end_matches('/')).collect();
        let last: Vec<_> = below.lines().map(|path| path.rsplit('/').next().unwrap()).collect();
        assert_eq!(drawn, last);
        if number % BY_COMMAND_LINE == 0 {
            let words = ["list-directory", directory, "--include-hidden", "--max-items", "10000"];
            assert_eq!(listed(&trees.line_json(&words, b"")), names.lines().collect::<Vec<_>>());
        }
    }
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// All tools that change. The component changes its copy file by file, the command line in its own.
fn change(trees: &mut Trees, files: &[String]) {
    let some: Vec<_> = files.iter().step_by(BY_COMMAND_LINE).collect();
    for (number, file) in some.iter().enumerate() {
        let count = trees.script(r#"grep -o 'the' "$1" | wc -l | tr -d ' \n'"#, file, b"");
        let count: u64 = String::from_utf8(count).unwrap().parse().unwrap();
        trees.script(r#"sed -i 's/the/THE OTHER/g' "$1""#, file, b"");
        let arguments = json!({"path": file, "old": "the", "new": "THE OTHER", "count": count});
        assert_eq!(trees.component("replace_all", &arguments)["replacements"], count, "{file}");
        let count = count.to_string();
        trees.line(&["replace-all", file, "--old", "the", "--new", "THE OTHER", "--count", &count], b"");

        // The second occurrence, if there is one.
        trees.script(r#"perl -0777 -pi -e 's/((?:.*?OTHER){1}.*?)OTHER/$1 2ND/s' "$1""#, file, b"");
        if count.parse::<u64>().unwrap() > 1 {
            let arguments = json!({"path": file, "old": "OTHER", "new": " 2ND", "occurrence": 2});
            trees.component("replace", &arguments);
            trees.line(&["replace", file, "--old", "OTHER", "--new", " 2ND", "--occurrence", "2"], b"");
        }

        trees.script(r#"perl -0777 -pi -e 's/(\w+)\(\)/$1(now)/g' "$1""#, file, b"");
        let found = trees.script(r#"grep -o '(now)' "$1" | wc -l | tr -d ' \n'"#, file, b"");
        if found != b"0" {
            let arguments = json!({"path": file, "old": r"(\w+)\(\)", "new": "$1(now)", "regex": true});
            trees.component("replace_all", &arguments);
            trees.line(&["replace-all", file, "--old", r"(\w+)\(\)", "--new", "$1(now)", "--regex"], b"");
        }

        let tail = format!("-- appended\r\nnumber {number}");
        trees.script(r#"cat >> "$1""#, file, tail.as_bytes());
        trees.component("append", &json!({"path": file, "content": tail}));
        trees.line(&["append", file, "--content", "-"], tail.as_bytes());

        trees.script(r#"perl -0777 -pi -e 's/-- appended/-- added/g; s/added/put there/g' "$1""#, file, b"");
        let edits = json!([
            {"path": file, "old": "-- appended", "new": "-- added", "all": true},
            {"path": file, "old": "added", "new": "put there", "all": true},
        ]);
        trees.component("apply", &json!({"edits": edits}));
        trees.line(&["apply", "--edits", "-"], edits.to_string().as_bytes());

        trees.script(
            r#"perl -0777 -pi -e 's/\A(\xEF\xBB\xBF)?[^\r\n]*/($1\/\/"")."A NEW LINE"/e' "$1""#,
            file,
            b"",
        );
        trees.component("replace_lines", &json!({"path": file, "lines": "1", "content": "A NEW LINE"}));
        trees.line(&["replace-lines", file, "--lines", "1", "--content", "A NEW LINE"], b"");

        // With the most frequent line end.
        let insert = r#"perl -0777 -pi -e '
            my $c = () = /\r\n/g; my $l = (() = /\n/g) - $c; my $r = (() = /\r/g) - $c;
            my $e = $l >= $c && $l >= $r ? "\n" : $c >= $r ? "\r\n" : "\r";
            s/\A(\xEF\xBB\xBF)?/($1\/\/"")."BEFORE ALL$e"/e' "$1""#;
        trees.script(insert, file, b"");
        trees.component("insert_lines", &json!({"path": file, "after": 0, "content": "BEFORE ALL"}));
        trees.line(&["insert-lines", file, "--after", "0", "--content", "BEFORE ALL"], b"");

        trees.script(
            r#"perl -0777 -pi -e 's/BEFORE ALL/# BEFORE ALL/; s/A NEW LINE/# A NEW LINE/' "$1""#,
            file,
            b"",
        );
        trees.component("comment_lines", &json!({"path": file, "lines": "1-2", "syntax": "python"}));
        trees.line(&["comment-lines", file, "--lines", "1-2", "--syntax", "python"], b"");
        trees.script(r#"perl -0777 -pi -e 's/# BEFORE ALL/BEFORE ALL/' "$1""#, file, b"");
        trees.component("uncomment_lines", &json!({"path": file, "lines": "1", "syntax": "python"}));
        trees.line(&["uncomment-lines", file, "--lines", "1", "--syntax", "python"], b"");

        let new = format!("new/{number}/{file}");
        let content = format!("content of {file}\nwithout an end of line, and with ä");
        trees.script(r#"mkdir -p "$(dirname "$1")" && cat > "$1""#, &new, content.as_bytes());
        trees.component("create", &json!({"path": new, "content": content}));
        trees.line(&["create", &new, "--content", "-"], content.as_bytes());

        match number % 3 {
            0 => {
                let head = trees.script(r#"head -c 300 "$1""#, file, b"");
                let head = String::from_utf8_lossy(&head).replace('e', "€");
                let head = head.trim_start_matches('\u{FEFF}');
                trees.script(r#"{ head -c 3 "$1" | grep -q "$(printf '\357\273\277')" && printf '\357\273\277'; cat; } > "$1.new"; cat "$1.new" > "$1"; rm "$1.new""#, file, head.as_bytes());
                trees.component("write", &json!({"path": file, "content": head}));
                trees.line(&["write", file, "--content", "-"], head.as_bytes());
            }
            1 => {
                let bytes: Vec<u8> = (0..=255).cycle().skip(number).take(1000).collect();
                trees.script(r#"cat > "$1""#, file, &bytes);
                trees.component("write_bytes", &json!({"path": file, "bytes": STANDARD.encode(&bytes)}));
                trees.line(&["write-bytes", file, "--bytes", "-"], &bytes);
            }
            _ => {}
        }
        trees.agree(file);
    }
}

/// All tools that make, copy, move and delete, against `mkdir`, `cp`, `mv` and `rm`.
fn manage(trees: &mut Trees, files: &[String]) {
    for (number, file) in files.iter().step_by(BY_COMMAND_LINE).enumerate() {
        let copy = format!("copies/{file}");
        trees.script(r#"mkdir -p "copies/$(dirname "$1")" && cp "$1" "copies/$1""#, file, b"");
        trees.component("copy", &json!({"source": file, "destination": copy}));
        trees.line(&["copy", file, &copy], b"");
        match number % 3 {
            0 => {
                let moved = format!("moved/{file}");
                trees.script(r#"mkdir -p "moved/$(dirname "$1")" && mv "$1" "moved/$1""#, file, b"");
                trees.component("move", &json!({"source": file, "destination": moved}));
                trees.line(&["move", file, &moved], b"");
            }
            1 => {
                trees.script(r#"rm "$1""#, file, b"");
                trees.component("delete", &json!({"path": file}));
                trees.line(&["delete", file], b"");
            }
            _ => {
                let other = files.last().unwrap();
                trees.script(&format!(r#"cp "$1" "{copy}""#), other, b"");
                trees.component("copy", &json!({"source": other, "destination": copy, "overwrite": true}));
                trees.line(&["copy", other, &copy, "--overwrite"], b"");
            }
        }
        trees.agree(&format!("managing {file}"));
    }
    rename_everywhere(trees);
    for (script, tool, arguments, words) in [
        ("mkdir -p made/a/b", "create_directory", json!({"path": "made/a/b"}), "create-directory made/a/b"),
        (
            "cp -r new other",
            "copy",
            json!({"source": "new", "destination": "other", "recursive": true}),
            "copy new other --recursive",
        ),
        (
            "mv other made/other",
            "move",
            json!({"source": "other", "destination": "made/other", "recursive": true}),
            "move other made/other --recursive",
        ),
        (
            "mkdir plain && cd copies && find . -type f -not -path '*/.*' -exec cp --parents {} ../plain \\;",
            "copy",
            json!({"source": "copies", "destination": "plain", "glob": "**"}),
            "copy copies plain --glob **",
        ),
        (
            "find copies -type f -not -path '*/.*' -delete",
            "delete",
            json!({"path": "copies", "glob": "**"}),
            "delete copies --glob **",
        ),
        (
            "rm -r made",
            "delete_directory",
            json!({"path": "made", "recursive": true}),
            "delete-directory made --recursive",
        ),
    ] {
        trees.script(script, "", b"");
        trees.component(tool, &arguments);
        trees.line(&words.split(' ').collect::<Vec<_>>(), b"");
        trees.agree(words);
    }
}

/// One word in all files except its first occurrence: a preview in pages, then the ids of its
/// answers.
fn rename_everywhere(trees: &mut Trees) {
    // A file with a NUL byte is no text.
    trees.script(
        r#"find . -type f -not -path '*/.*' | tr / '\001' | sort | tr '\001' / | while read -r file; do
            tr -d '\0' < "$file" | cmp -s - "$file" && printf '%s\n' "$file"
        done | xargs -d '\n' perl -0777 -pi -e 's/name/$seen++ ? "term" : "name"/ge'"#,
        "",
        b"",
    );
    let mut arguments =
        json!({"old": "name", "new": "term", "glob": "*", "respect_ignore": false, "max_items": 50});
    let mut ids = Vec::new();
    loop {
        let page = trees.component("replace_in_files", &arguments);
        ids.extend(page["occurrences"].as_array().unwrap().iter().map(|found| found["id"].clone()));
        let Some(cursor) = page.get("next_cursor") else { break };
        arguments["cursor"] = cursor.clone();
    }
    let arguments =
        json!({"old": "name", "new": "term", "glob": "*", "respect_ignore": false, "ids": ids[1..]});
    let done = trees.component("replace_in_files", &arguments);
    assert_eq!(done["count"], ids.len() - 1);
    let words = ["replace-in-files", "--old", "name", "--new", "term", "--glob", "*", "--no-respect-ignore"];
    let given: Vec<_> = ids[1..].iter().map(text_of).collect();
    let given = given.iter().flat_map(|id| ["--ids", id]);
    trees.line(&words.into_iter().chain(given).collect::<Vec<_>>(), b"");
    trees.agree("renaming everywhere");
}

#[test]
fn every_tool_agrees_with_ordinary_tools_on_real_source_trees() {
    let mut used = BTreeSet::new();
    let mut with_crlf = 0;
    for name in CRATES {
        let Some(source) = sources(name) else {
            #[expect(clippy::print_stderr, reason = "a skipped test says why")]
            {
                eprintln!("skipped: {name} is not in cargo's registry folder (vendored build?)");
            }
            return;
        };
        let mut trees = Trees::new(&source);
        let files = trees.files();
        assert!(files.len() > 5, "{name} has {} files", files.len());
        with_crlf += files
            .iter()
            .filter(|file| fs::read(source.join(file)).unwrap().windows(2).any(|pair| pair == b"\r\n"))
            .count();
        look(&mut trees, &files);
        trees.agree("looking");
        change(&mut trees, &files);
        manage(&mut trees, &files);
        used.extend(trees.used);
    }
    assert!(with_crlf > 0, "no file has CRLF");
    // Ordinary tools have no history.
    let all = OPERATIONS.iter().filter(|operation| operation.interface != "history");
    assert_eq!(used, all.map(|operation| operation.name).collect(), "a tool is left out");
}

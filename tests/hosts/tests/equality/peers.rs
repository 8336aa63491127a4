//! The same queries in the programs `rg` and `fd`.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fsgate_contract::limits::{SHOWN_LINE_CHARS, SHOWN_LINES_CHARS};
use serde_json::Value;

use super::answers::{Found, Line};

/// What both programs are told always: nothing from outside of the tree counts. Lines end in CRLF, too.
const RIPGREP: [&str; 5] = ["--no-config", "--no-messages", "--no-ignore-global", "--sort=path", "--crlf"];
const FD: [&str; 4] = ["--color=never", "--no-global-ignore-file", "--threads=1", "--print0"];

fn start(tree: &Path, call: &Value) -> PathBuf {
    text(call, "path").map_or_else(|| tree.to_owned(), |path| tree.join(path))
}

/// What ripgrep finds for a call of `grep`.
pub(crate) fn grep(tree: &Path, call: &Value, rules: bool) -> Found {
    let start = &start(tree, call);
    let mut flags = seen(call, rules);
    for (option, flag) in
        [("ignore_case", "--ignore-case"), ("word", "--word-regexp"), ("multi_line", "--multiline")]
    {
        flags.extend(is(call, option).then(|| flag.to_owned()));
    }
    let is_literal = !is(call, "regex");
    flags.extend((is_literal && !is(call, "multi_line")).then(|| "--fixed-strings".to_owned()));
    for (option, flag) in [("before", "--before-context"), ("after", "--after-context")] {
        flags.extend(call.get(option).map(|lines| format!("{flag}={lines}")));
    }
    flags.extend(list(call, "exclude").map(|pattern| format!("--glob=!{pattern}")));
    let mode = text(call, "mode").unwrap_or("content");
    flags.extend(
        match mode {
            "files" => &["--files-with-matches", "--null"][..],
            "count" => &["--count", "--null"],
            _ => &["--json"],
        }
        .iter()
        .map(|&flag| flag.to_owned()),
    );
    let pattern = text(call, "pattern").unwrap();
    flags.push(format!("--regexp={}", if is_literal { any_line_ends(pattern) } else { pattern.to_owned() }));
    let printed = ripgrep(start, &flags);

    // An include pattern of ripgrep also shows what is hidden or ignored; here it only chooses among what is seen.
    let included: Option<BTreeSet<String>> = call.get("include").is_some().then(|| {
        let mut flags = seen(call, false);
        flags.push("--files".to_owned());
        flags.push("--null".to_owned());
        flags.extend(list(call, "include").map(|pattern| format!("--glob={pattern}")));
        zero_terminated(&ripgrep(start, &flags)).map(path).collect()
    });
    let chosen = |path: &str| included.as_ref().is_none_or(|included| included.contains(path));
    let mut found = Found::default();
    match mode {
        "files" => found.files = zero_terminated(&printed).map(|name| (path(name), None)).collect(),
        "count" => found.files = counts(&printed).collect(),
        _ => {
            let around = |option| call.get(option).and_then(Value::as_u64).unwrap_or(0);
            found.lines = lines(&printed, around("before"), around("after"));
        }
    }
    found.lines.retain(|line| chosen(&line.path));
    found.files.retain(|(path, _)| chosen(path));
    found
}

/// A text over several lines as a regular expression: a line end in it stands for any.
fn any_line_ends(pattern: &str) -> String {
    if !pattern.contains('\n') {
        return pattern.to_owned();
    }
    let escape = |line: &str| -> String {
        line.chars()
            .flat_map(|next| next.is_ascii_punctuation().then_some('\\').into_iter().chain([next]))
            .collect()
    };
    pattern.split('\n').map(escape).collect::<Vec<_>>().join("\\r?\\n")
}

/// Each file, a NUL, and its number of lines.
fn counts(printed: &[u8]) -> impl Iterator<Item = (String, Option<u64>)> {
    let lines = printed.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| {
        let (name, count) = line.split_at(line.iter().position(|&byte| byte == 0).unwrap());
        (path(name), String::from_utf8_lossy(&count[1..]).trim().parse().ok())
    })
}

/// Paths and numbers of the lines that ripgrep finds with these flags.
pub(crate) fn places(tree: &Path, flags: &[&str]) -> Vec<String> {
    let flags: Vec<_> =
        ["--line-number", "--no-require-git"].iter().chain(flags).map(|&flag| flag.to_owned()).collect();
    let printed = String::from_utf8(ripgrep(tree, &flags)).unwrap();
    // A warning about a file has no number.
    let place = |line: &str| {
        let (file, rest) = line.split_once(':')?;
        let (number, _) = rest.split_once(':')?;
        number.parse::<u64>().ok().map(|number| format!("{}:{number}", path(file.as_bytes())))
    };
    printed.lines().filter_map(place).collect()
}

/// What fd finds for a call of `glob`: paths below the start; directories end in `/`.
pub(crate) fn glob(tree: &Path, call: &Value, rules: bool) -> Vec<String> {
    let start = &start(tree, call);
    let pattern = format!("{}/{}", start.display(), text(call, "pattern").unwrap());
    let mut flags: Vec<String> = FD.iter().map(|&flag| flag.to_owned()).collect();
    flags.extend(seen(call, rules));
    flags.extend(["--glob", "--full-path", "--case-sensitive", "--", &pattern].map(str::to_owned));
    sorted(zero_terminated(&run("FD", start, &flags)).map(path))
}

/// The files that ripgrep would search.
pub(crate) fn files(tree: &Path, call: &Value, rules: bool) -> Vec<String> {
    let start = &start(tree, call);
    let mut flags = seen(call, rules);
    flags.extend(["--files", "--null"].map(str::to_owned));
    zero_terminated(&ripgrep(start, &flags)).map(path).collect()
}

/// The files that git would offer to add.
pub(crate) fn git(tree: &Path) -> Vec<String> {
    let nothing = ["-c", "core.excludesFile=/dev/null"].map(str::to_owned);
    let flags = ["ls-files", "--others", "--exclude-standard", "-z"].map(str::to_owned);
    sorted(
        zero_terminated(&finished(Command::new("git"), tree, &[nothing.as_slice(), &flags].concat()))
            .map(path),
    )
}

/// The order of a walk: each directory before what it holds, names byte by byte.
pub(crate) fn sorted(paths: impl Iterator<Item = String>) -> Vec<String> {
    let mut paths: Vec<String> = paths.filter(|path| !path.contains(char::REPLACEMENT_CHARACTER)).collect();
    paths.sort_by(|one, other| {
        one.trim_end_matches('/').split('/').cmp(other.trim_end_matches('/').split('/'))
    });
    paths
}

/// Both programs have the same two flags for what is seen at all.
fn seen(call: &Value, rules: bool) -> Vec<String> {
    let hidden = is(call, "include_hidden").then(|| "--hidden".to_owned());
    hidden.into_iter().chain((!rules).then(|| "--no-ignore".to_owned())).collect()
}

fn ripgrep(start: &Path, flags: &[String]) -> Vec<u8> {
    let flags: Vec<_> = RIPGREP.iter().map(|&flag| flag.to_owned()).chain(flags.iter().cloned()).collect();
    run("RIPGREP", start, &[flags, vec!["./".to_owned()]].concat())
}

/// Standard output of the program that this variable names.
fn run(variable: &str, start: &Path, flags: &[String]) -> Vec<u8> {
    let Some(program) = env::var_os(variable) else {
        panic!("{variable} has to name a program: `make test-hosts` installs it and says so");
    };
    finished(Command::new(program), start, flags)
}

fn finished(mut command: Command, start: &Path, flags: &[String]) -> Vec<u8> {
    let output = command.args(flags).current_dir(start).stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    // One: nothing was found.
    assert!(matches!(output.status.code(), Some(0 | 1)) && told.is_empty(), "{command:?}: {told}");
    output.stdout
}

/// Lines with a match, from ripgrep's stream of events.
fn lines(printed: &[u8], before: u64, after: u64) -> Vec<Line> {
    let mut files: Vec<File> = Vec::new();
    for event in printed.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let event: Value = serde_json::from_slice(event).unwrap();
        let data = &event["data"];
        match event["type"].as_str().unwrap() {
            "begin" => files.push(File { path: path(&bytes(&data["path"])), ..File::default() }),
            // What stands before a NUL was found; the file is no text all the same.
            "end" if !data["binary_offset"].is_null() => {
                files.pop();
            }
            kind @ ("match" | "context") => files.last_mut().unwrap().add(data, kind == "match"),
            _ => {}
        }
    }
    files.iter().flat_map(|file| file.found(before, after)).collect()
}

/// What ripgrep tells of a file.
#[derive(Default)]
struct File {
    path: String,
    lines: BTreeMap<u64, String>,
    /// First line, lines, column, text.
    matches: Vec<(u64, u64, u64, String)>,
}

impl File {
    fn add(&mut self, data: &Value, is_match: bool) {
        let content = bytes(&data["lines"]);
        let number = data["line_number"].as_u64().unwrap();
        let lines: Vec<_> = content.split_inclusive(|&byte| byte == b'\n').collect();
        if is_match {
            self.matches.extend(touched(data, &content, number, &lines));
        }
        self.lines.extend((number..).zip(lines.iter().map(|line| shown(line, 0, SHOWN_LINE_CHARS))));
    }

    /// The tool shows no line twice: what follows a match ends at the next one, and what stands before it begins after
    /// all that was shown.
    fn found(&self, before: u64, after: u64) -> Vec<Line> {
        let mut unshown = 0;
        let next = self.matches.iter().skip(1).map(|(number, ..)| *number).chain([u64::MAX]);
        let with_next = self.matches.iter().zip(next);
        with_next
            .map(|((number, lines, column, text), next)| {
                let texts = |numbers: Range<u64>| -> Vec<String> {
                    numbers.filter_map(|number| self.lines.get(&number).cloned()).collect()
                };
                let end = number + lines;
                let before = texts(number.saturating_sub(before).max(unshown)..*number);
                let after = texts(end..next.min(end + after));
                unshown = end + after.len() as u64;
                let (path, text) = (self.path.clone(), text.clone());
                Line { path, number: *number, column: *column, text, before, after }
            })
            .collect()
    }
}

/// The lines that matches touch. ripgrep gives those next to each other together; the tool does so only if they meet on a
/// line.
fn touched(data: &Value, content: &[u8], number: u64, lines: &[&[u8]]) -> Vec<(u64, u64, u64, String)> {
    let starts: Vec<usize> = lines
        .iter()
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end - line.len())
        })
        .collect();
    let line_at = |at: usize| starts.partition_point(|&start| start <= at).saturating_sub(1);
    let mut groups: Vec<(usize, usize, usize)> = Vec::new();
    for found in data["submatches"].as_array().unwrap() {
        let [start, end] =
            ["start", "end"].map(|side| usize::try_from(found[side].as_u64().unwrap()).unwrap());
        let (first, last) = (line_at(start), line_at(end.saturating_sub(usize::from(end > start))));
        match groups.last_mut() {
            Some((_, end, _)) if first <= *end => *end = last.max(*end),
            _ => groups.push((first, last, start)),
        }
    }
    let shown = |(first, last, start): (usize, usize, usize)| {
        let text = &content[starts[first]..starts.get(last + 1).copied().unwrap_or(content.len())];
        let place = characters(&content[starts[first]..start]).len();
        let most = if last > first { SHOWN_LINES_CHARS } else { SHOWN_LINE_CHARS };
        (number + first as u64, (last - first + 1) as u64, place as u64 + 1, shown(text, place, most))
    };
    groups.into_iter().map(shown).collect()
}

/// A line as the tool shows it: without its end, and bytes that are not UTF-8 as their numbers. Of a longer one, `most`
/// characters around the place `at`, a quarter of them before it.
fn shown(content: &[u8], at: usize, most: usize) -> String {
    let content = content.strip_suffix(b"\n").unwrap_or(content);
    let content = content.strip_suffix(b"\r").unwrap_or(content);
    let characters = characters(content);
    let start = at.saturating_sub(most / 4).min(characters.len().saturating_sub(most));
    characters.into_iter().skip(start).take(most).collect()
}

/// A byte that is not UTF-8 is a character.
fn characters(text: &[u8]) -> Vec<String> {
    let mut characters = Vec::new();
    for chunk in text.utf8_chunks() {
        characters.extend(chunk.valid().chars().map(String::from));
        characters.extend(chunk.invalid().iter().map(|byte| format!("\\x{{{byte:02X}}}")));
    }
    characters
}

/// In JSON, ripgrep writes what is not UTF-8 in base64.
fn bytes(text: &Value) -> Vec<u8> {
    match text.get("text").and_then(Value::as_str) {
        Some(text) => text.as_bytes().to_vec(),
        None => STANDARD.decode(text["bytes"].as_str().unwrap()).unwrap(),
    }
}

fn path(bytes: &[u8]) -> String {
    let path = String::from_utf8_lossy(bytes).into_owned();
    path.strip_prefix("./").map(str::to_owned).unwrap_or(path)
}

fn zero_terminated(printed: &[u8]) -> impl Iterator<Item = &[u8]> {
    printed.split(|&byte| byte == 0).filter(|name| !name.is_empty())
}

fn is(call: &Value, option: &str) -> bool {
    call[option] == true
}

fn text<'a>(call: &'a Value, option: &str) -> Option<&'a str> {
    call.get(option)?.as_str()
}

fn list<'a>(call: &'a Value, option: &str) -> impl Iterator<Item = &'a str> {
    call.get(option).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

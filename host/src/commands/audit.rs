//! `fsgate audit`: verifies and shows an audit.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use fsgate::audit::{End, Report, files, verify};
use fsgate_cli::Exit;
use serde_json::Value;

use crate::streams::{complain, print};

const DENIED: [&str; 5] =
    ["denied_by_policy", "not_granted", "path_escape", "read_only", "confirmation_required"];

pub(crate) fn command() -> Command {
    let files = || {
        Arg::new("file")
            .value_name("FILE")
            .required(true)
            .num_args(1..)
            .value_hint(ValueHint::FilePath)
            .value_parser(value_parser!(PathBuf))
            .help("Files of an audit; the full ones that the last one goes on from (FILE.1, FILE.2, ...) belong to it")
    };
    let filter = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("audit")
        .about("Looks at what --audit has written")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("verify")
                .about("Tells whether a line was changed, added, moved or taken away; exits with 1 if so")
                .arg(files())
                .arg(
                    Arg::new("expect")
                        .long("expect")
                        .value_name("HASH")
                        .value_parser(|typed: &str| blake3::Hash::from_hex(typed).map_err(|error| error.to_string()))
                        .help("A hash that an earlier `verify` has told has to be there: then nothing was cut off before it"),
                ),
        )
        .subcommand(
            Command::new("show")
                .about("Shows the calls, the oldest first")
                .arg(files())
                .arg(
                    filter("since", "TIME", "From this moment on: `2026-11-21T20:00:00Z`, or as long ago as `90s`, `2h`, `7days`")
                        .value_parser(since),
                )
                .arg(filter("tool", "NAME", "Calls of this tool"))
                .arg(filter("path", "TEXT", "Calls with this in one of their paths"))
                .arg(
                    Arg::new("denied")
                        .long("denied")
                        .action(ArgAction::SetTrue)
                        .help("Calls that wanted what they may not have"),
                )
                .arg(
                    Arg::new("json")
                        .long("json")
                        .action(ArgAction::SetTrue)
                        .help("Show the lines as they are"),
                ),
        )
}

pub(crate) fn run(args: &ArgMatches) -> Exit {
    let ran = match args.subcommand() {
        Some(("verify", args)) => verified(args),
        Some(("show", args)) => shown(args),
        _ => return Exit::Usage,
    };
    ran.unwrap_or_else(|problem| {
        complain(&problem);
        Exit::Internal
    })
}

/// The named files and the full ones before them, each once, in line order.
fn all(args: &ArgMatches) -> Result<Vec<PathBuf>, String> {
    let named = args.get_many::<PathBuf>("file").into_iter().flatten();
    let mut found: Vec<(u64, PathBuf)> = Vec::new();
    for file in named.flat_map(|file| files(file)) {
        if found.iter().any(|(_, known)| *known == file) {
            continue;
        }
        let mut line = Vec::new();
        open(&file)?.read_until(b'\n', &mut line).map_err(|error| unreadable(&file, &error))?;
        let seq = parsed(&line).and_then(|line| line["seq"].as_u64());
        found.push((seq.unwrap_or(u64::MAX), file));
    }
    found.sort_by_key(|(seq, _)| *seq);
    Ok(found.into_iter().map(|(_, file)| file).collect())
}

fn open(file: &Path) -> Result<BufReader<File>, String> {
    File::open(file).map(BufReader::new).map_err(|error| unreadable(file, &error))
}

fn unreadable(file: &Path, error: &io::Error) -> String {
    format!("cannot read the audit `{}`: {error}", file.display())
}

fn verified(args: &ArgMatches) -> Result<Exit, String> {
    let expected = args.get_one::<blake3::Hash>("expect").copied();
    let (mut end, mut found, mut lines, mut torn, mut first) = (None::<End>, expected.is_none(), 0, 0, None);
    let all = all(args)?;
    for file in &all {
        let report: Report =
            verify(&mut open(file)?, end, expected).map_err(|error| unreadable(file, &error))?;
        if let Some(bad) = report.bad {
            complain(&format!("{}: line {} is not good: {}", file.display(), bad.line, bad.why));
            return Ok(Exit::Refused);
        }
        lines += report.lines;
        torn += report.torn;
        first = first.or(report.first);
        found |= report.found;
        end = report.end;
    }
    if !found {
        complain("no line has the hash that is expected: the end was cut off, or this is another audit");
        return Ok(Exit::Refused);
    }
    let mut text = format!("good: {lines} lines in {} files\n", all.len());
    if let Some(first) = first.filter(|first| *first > 1) {
        text += &format!("it begins with line {first}: older files are not here\n");
    }
    if torn > 0 {
        text += &format!("{torn} times a crash has cut off a line, which was closed off\n");
    }
    if let Some(End { seq, hash }) = end {
        text += &format!("line {seq} is the last one; keep its hash elsewhere, for --expect:\n{hash}\n");
    }
    Ok(print(text.as_bytes()))
}

struct Filter {
    since: Option<String>,
    tool: Option<String>,
    path: Option<String>,
    denied: bool,
}

impl Filter {
    fn new(args: &ArgMatches) -> Self {
        let text = |name: &str| args.get_one::<String>(name).cloned();
        Self {
            since: text("since"),
            tool: text("tool").map(|tool| tool.replace('-', "_")),
            path: text("path"),
            denied: args.get_flag("denied"),
        }
    }

    fn wants(&self, line: &Value) -> bool {
        let text = |name: &str| line[name].as_str().unwrap_or_default();
        let mut paths = texts(line, "paths").chain(texts(line, "changed")).chain(one_by_one(line));
        // Times of one form compare as texts.
        self.since.as_ref().is_none_or(|since| text("time") >= &since[..])
            && self.tool.as_ref().is_none_or(|tool| text("tool") == tool)
            && self.path.as_ref().is_none_or(|part| paths.any(|path| path.contains(part)))
            && (!self.denied || DENIED.contains(&text("outcome")) || line.get("hidden").is_some())
    }
}

fn shown(args: &ArgMatches) -> Result<Exit, String> {
    let (filter, json) = (Filter::new(args), args.get_flag("json"));
    let all = all(args)?;
    // An intent is shown only if no line reports its end.
    let mut ended = HashSet::new();
    each_line(&all, |line, _| {
        ended.extend(line["intent"].as_u64());
        true
    })?;
    let mut out = io::stdout().lock();
    each_line(&all, |line, text| {
        let has_ended =
            line["event"] == "intent" && line["seq"].as_u64().is_some_and(|seq| ended.contains(&seq));
        if has_ended || !filter.wants(line) {
            return true;
        }
        let text = if json { text.to_owned() } else { row(line).into_bytes() };
        // A closed pipe ends the output.
        out.write_all(&text).and_then(|()| out.write_all(b"\n")).is_ok()
    })?;
    Ok(Exit::Done)
}

fn each_line(files: &[PathBuf], mut look: impl FnMut(&Value, &[u8]) -> bool) -> Result<(), String> {
    for file in files {
        for line in open(file)?.split(b'\n') {
            let line = line.map_err(|error| unreadable(file, &error))?;
            if let Some(parsed) = parsed(&line)
                && !look(&parsed, &line)
            {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn parsed(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok().filter(Value::is_object)
}

fn row(line: &Value) -> String {
    let text = |name: &str| line[name].as_str().map(harmless).unwrap_or_default();
    let time = text("time").replace('T', " ").replace('Z', "");
    if line["event"] == "torn" {
        return format!("{time}  a line was cut off here by a crash ({} bytes)", line["torn_bytes"]);
    }
    let outcome = match (&text("outcome")[..], line["event"] == "intent") {
        (_, true) => "begun, and no end".to_owned(),
        (outcome, _) => {
            let more = ["rule", "which"].into_iter().find_map(|name| line[name].as_str());
            more.map_or_else(|| outcome.to_owned(), |more| format!("{outcome}({})", harmless(more)))
        }
    };
    let who = [text("front_end"), text("client")].into_iter().filter(|word| !word.is_empty());
    let who = who.collect::<Vec<_>>().join(" ");
    let mut row = format!("{time}  {:<16} {outcome:<16}", text("tool"));
    for path in texts(line, "paths") {
        row += &format!(" {}", harmless(path));
    }
    // A call without a pattern has named its files above.
    let by_pattern = one_by_one(line).filter(|_| line.get("glob").is_some());
    let changed = texts(line, "changed").chain(by_pattern);
    for (number, path) in changed.enumerate() {
        row += &format!("{} {}", if number == 0 { "  changed:" } else { "" }, harmless(path));
    }
    for (name, before, after) in [
        ("paths_left", "and ", " more"),
        ("changed_left", "changed ", " more"),
        ("files_left", "changed ", " more"),
        ("glob", "glob ", ""),
        ("gone", "", " gone"),
        ("hidden", "hidden: ", ""),
        ("bytes_written", "", " bytes written"),
        ("undo_id", "undo ", ""),
        ("confirmed", "confirmed by ", ""),
        ("missed", "", " lines before it could not be written"),
        ("duration_us", "", " us"),
    ] {
        match &line[name] {
            Value::Null => {}
            Value::String(value) => row += &format!("  {before}{}{after}", harmless(value)),
            value => row += &format!("  {before}{}{after}", harmless(&value.to_string())),
        }
    }
    if line["dry_run"] == true {
        row += "  dry run";
    }
    row + &format!("  {} by {who}", text("user"))
}

fn texts<'a>(line: &'a Value, name: &str) -> impl Iterator<Item = &'a str> {
    line[name].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn one_by_one(line: &Value) -> impl Iterator<Item = &str> {
    line["files"].as_array().into_iter().flatten().filter_map(|file| file["path"].as_str())
}

fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '"' | '\'' | '\\' => vec![c],
        c => c.escape_debug().collect(),
    };
    text.chars().flat_map(shown).collect()
}

/// Parses a moment, or a time span before now, into the form of the lines.
fn since(typed: &str) -> Result<String, String> {
    let day = format!("{typed} 00:00:00");
    let written = humantime::parse_rfc3339_weak(typed).or_else(|_| humantime::parse_rfc3339_weak(&day));
    let moment = match (written, humantime::parse_duration(typed)) {
        (Ok(moment), _) => moment,
        (_, Ok(ago)) => SystemTime::now().checked_sub(ago.min(AGES)).ok_or("that is too long ago")?,
        _ => {
            return Err(
                "a moment such as `2026-11-21T20:00:00Z`, or a time such as `2h` is needed".to_owned()
            );
        }
    };
    Ok(humantime::format_rfc3339_millis(moment).to_string())
}

/// Exceeds any age of an audit.
const AGES: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_tells_a_call_in_one_line() {
        let line = json!({
            "seq": 1, "time": "2026-11-21T20:33:28.005Z", "event": "call", "user": "me", "session": "0",
            "front_end": "mcp", "client": "c\u{1b}[2J", "tool": "write", "paths": ["a b", "x\ny"],
            "outcome": "denied_by_policy", "rule": "keys", "applied": false, "bytes_written": 3,
            "undo_id": "18b6", "confirmed": "person", "duration_us": 812
        });
        assert_eq!(
            row(&line),
            "2026-11-21 20:33:28.005  write            denied_by_policy(keys) a b x\\ny  3 bytes written  undo 18b6  \
             confirmed by person  812 us  me by mcp c\\u{1b}[2J"
        );
        let undone = json!({
            "time": "2026-11-21T20:33:28.005Z", "event": "call", "user": "me", "front_end": "crate", "tool": "undo",
            "paths": [], "changed": ["/w/a", "/w/b"], "changed_left": 3, "outcome": "ok", "applied": true, "duration_us": 9
        });
        assert_eq!(
            row(&undone),
            "2026-11-21 20:33:28.005  undo             ok                changed: /w/a /w/b  changed 3 more  9 us  me by crate"
        );
        let several = json!({
            "time": "2026-11-21T20:33:28.005Z", "event": "call", "user": "me", "front_end": "crate",
            "tool": "replace_in_files", "paths": [], "glob": "**", "outcome": "ok", "applied": true,
            "files": [{"path": "/w/a"}], "files_left": 2, "duration_us": 9
        });
        assert_eq!(
            row(&several),
            "2026-11-21 20:33:28.005  replace_in_files ok                changed: /w/a  changed 2 more  glob **  9 us  me by crate"
        );
        let torn = json!({"time": "2026-11-21T20:33:28.005Z", "event": "torn", "torn_bytes": 9});
        assert!(row(&torn).contains("cut off here by a crash (9 bytes)"));
    }

    #[test]
    fn lines_are_filtered() {
        let line = json!({
            "time": "2026-11-21T20:33:28.005Z", "tool": "read_many", "paths": ["src/a"],
            "changed": ["src/b"], "files": [{"path": "/w/src/c"}], "outcome": "not_granted"
        });
        let wants = |words: &[&str]| {
            let words = ["audit", "show", "f"].iter().chain(words);
            let matches = command().try_get_matches_from(words).unwrap();
            Filter::new(matches.subcommand().unwrap().1).wants(&line)
        };
        for (words, expected) in [
            (&[][..], true),
            (&["--tool", "read-many"], true),
            (&["--tool", "read"], false),
            (&["--path", "rc/"], true),
            (&["--path", "src/b"], true),
            (&["--path", "src/c"], true),
            (&["--path", "lib"], false),
            (&["--since", "2026-11-21T20:33:28Z"], true),
            (&["--since", "2026-11-21T20:33:29Z"], false),
            (&["--since", "2026-11-21"], true),
            (&["--denied"], true),
        ] {
            assert_eq!(wants(words), expected, "{words:?}");
        }
        assert!(since("yesterday").is_err());
        assert!(since("2h").is_ok_and(|time| time.len() == "2026-11-21T20:33:28.005Z".len()));
    }
}

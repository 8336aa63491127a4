//! The language of comments and pages: counts of patterns that hide the subject of a sentence.
//!
//! `tests/language.json` has the budget of each folder. A count above it fails, and so does one below
//! it, until `FSGATE_UPDATE=1` has lowered the budget. It never rises.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use fsgate_tests::reference::root;
use ignore::WalkBuilder;
use regex::Regex;

/// Columns of a line of prose.
const COLUMNS: usize = 100;

/// The patterns, each with its name in the budget.
const PATTERNS: [(&str, &str); 4] = [
    ("begins with What, Of what, Who or Behind", r"(?:^|[.!?:] )(?:What|Of what|Of which|Who|Behind)\b"),
    ("somebody", r"(?i)\b(?:whoever|somebody|nobody)\b"),
    ("is told", r"\b(?:is|are|was|were|be|been) told\b"),
    ("Whatever", r"(?:^|[.!?:] )Whatever\b"),
];

/// Lines of prose above [`COLUMNS`].
const WIDE: &str = "wide lines";

/// “what” in 1,000 words of comments: small edits move it, so only a rise fails.
const RATE: &str = "what in 1,000 words";

/// Counts by folder and pattern.
type Counts = BTreeMap<String, BTreeMap<String, usize>>;

#[test]
fn the_language_gets_plainer() {
    let path = root().join("tests/language.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut budget: Counts = serde_json::from_str(&text).expect("tests/language.json is the budget");
    let found = counted();
    if env::var_os("FSGATE_UPDATE").is_some() {
        let lower = |folder: &String, name: &String, count: usize| of(&budget, folder, name).min(count);
        let lowered = found.iter().map(|(folder, counts)| {
            let counts = counts.iter().map(|(name, count)| (name.clone(), lower(folder, name, *count)));
            (folder.clone(), counts.collect())
        });
        budget = lowered.collect();
        fs::write(&path, serde_json::to_string_pretty(&budget).unwrap() + "\n").unwrap();
    }
    let mut problems = Vec::new();
    for (folder, counts) in &found {
        for (name, count) in counts {
            let most = of(&budget, folder, name);
            if *count > most {
                problems
                    .push(format!("{folder}: {name}: {count}, at most {most}; write the new ones plainly"));
            } else if *count < most && name != RATE {
                problems
                    .push(format!("{folder}: {name}: {count} of {most}; run this test with FSGATE_UPDATE=1"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn of(counts: &Counts, folder: &str, name: &str) -> usize {
    counts.get(folder).and_then(|counts| counts.get(name)).copied().unwrap_or(0)
}

fn counted() -> Counts {
    let patterns = PATTERNS.map(|(name, pattern)| (name, Regex::new(pattern).unwrap()));
    let what = Regex::new(r"(?i)\bwhat\b").unwrap();
    let mut counts = Counts::new();
    let mut words: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for path in files() {
        let shown = path.strip_prefix(root()).unwrap();
        let Some(kind) = Prose::of(shown) else { continue };
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let folder = folder(shown);
        let prose = kind.paragraphs(&text);
        let counts = counts.entry(folder.clone()).or_default();
        let mut add = |name: &str, count: usize| *counts.entry(name.to_owned()).or_default() += count;
        for paragraph in &prose.paragraphs {
            for (name, pattern) in &patterns {
                add(name, pattern.find_iter(paragraph).count());
            }
            let (all, whats) = words.entry(folder.clone()).or_default();
            *all += paragraph.split_whitespace().count();
            *whats += what.find_iter(paragraph).count();
        }
        add(WIDE, prose.wide);
    }
    for (folder, (all, whats)) in words {
        counts.entry(folder).or_default().insert(RATE.to_owned(), (whats * 1000).div_ceil(all.max(1)));
    }
    counts
}

/// Every file of the repository that git would keep.
fn files() -> Vec<PathBuf> {
    let walk =
        WalkBuilder::new(root()).hidden(false).filter_entry(|entry| entry.file_name() != ".git").build();
    walk.filter_map(Result::ok).map(ignore::DirEntry::into_path).filter(|path| path.is_file()).collect()
}

/// The first two names of a path, or the first one.
fn folder(path: &Path) -> String {
    let names: Vec<_> = path.parent().into_iter().flat_map(Path::components).take(2).collect();
    let folder: PathBuf = names.into_iter().collect();
    if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.display().to_string() }
}

/// A kind of text with prose in it.
#[derive(Clone, Copy)]
enum Prose {
    Markdown,
    /// Comments behind this mark.
    Comments(&'static str),
}

/// Paragraphs, each in one line, and the number of lines that are too wide.
#[derive(Default)]
struct Found {
    paragraphs: Vec<String>,
    wide: usize,
}

impl Prose {
    fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        // The notation of cases has prose of its own between their blocks.
        if name.ends_with(".cases.md") {
            return None;
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("md") => Some(Self::Markdown),
            Some("rs" | "mjs" | "js" | "ts" | "wit") => Some(Self::Comments("//")),
            Some("py" | "toml" | "sh" | "yml") => Some(Self::Comments("#")),
            _ if name == "Makefile" => Some(Self::Comments("#")),
            _ => None,
        }
    }

    fn paragraphs(self, text: &str) -> Found {
        let (mut found, mut paragraph, mut is_code) = (Found::default(), String::new(), false);
        for line in text.lines() {
            let prose = self.prose(line);
            if prose.is_some_and(|prose| prose.starts_with("```")) {
                is_code = !is_code;
            }
            let is_apart =
                prose.is_none_or(|prose| prose.is_empty() || prose.starts_with(['|', '#', '`', '-']));
            if is_apart || is_code {
                found.paragraphs.extend(Some(std::mem::take(&mut paragraph)).filter(|text| !text.is_empty()));
            }
            let Some(prose) = prose.filter(|_| !is_code) else { continue };
            if !prose.starts_with('|') && !prose.contains("](") && !prose.contains("://") {
                found.wide += usize::from(line.chars().count() > COLUMNS);
            }
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(prose.trim_start_matches(['|', '-', '#', ' ']));
        }
        found.paragraphs.extend(Some(paragraph).filter(|text| !text.is_empty()));
        found
    }

    /// The prose of a line.
    fn prose(self, line: &str) -> Option<&str> {
        match self {
            Self::Markdown => Some(line.trim()),
            Self::Comments(mark) => {
                let comment = line.trim_start().strip_prefix(mark)?;
                Some(comment.trim_start_matches(['/', '!', '#', ':']).trim())
            }
        }
    }
}

#[test]
fn comments_and_pages_are_taken_apart() {
    let rust = "//! What it is. Somebody is told.\n//! Nobody.\nlet x = 1; // no comment of its own line\n/// One.\n";
    assert_eq!(
        Prose::Comments("//").paragraphs(rust).paragraphs,
        ["What it is. Somebody is told. Nobody.", "One."]
    );
    let page =
        format!("# What\n\ntext\nmore\n\n```sh\ncode {0}\n```\n\n| {0} |\n{0}\n", "x".repeat(COLUMNS + 1));
    let found = Prose::Markdown.paragraphs(&page);
    assert_eq!(found.paragraphs[..2], ["What", "text more"]);
    assert_eq!(found.wide, 1);
}

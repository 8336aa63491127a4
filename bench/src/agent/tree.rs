//! The tree that each task starts from, in memory and on the disk, and the changes of a task to it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use regex::{NoExpand, Regex};
use serde::Deserialize;

/// Seconds since 1970 of the time from which `modified` counts.
const BASE: u64 = 1_772_000_000;

/// Bytes before and after the beginning of a difference in its report.
const SHOWN: usize = 60;

/// Files by their paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree(BTreeMap<String, Entry>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    bytes: Vec<u8>,
    executable: bool,
    /// Minutes after [`BASE`]; the comparison of two trees leaves them out.
    modified: u64,
}

/// One or more files of `tree.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    /// `<each>` in it is a name of `each`.
    path: String,
    #[serde(default)]
    each: Vec<String>,
    text: Option<String>,
    #[serde(default)]
    parts: Vec<Part>,
    #[serde(default)]
    bytes: Vec<u8>,
    #[serde(default)]
    encoding: Encoding,
    #[serde(default)]
    line_ends: LineEnds,
    #[serde(default)]
    executable: bool,
    /// Minutes after the oldest files.
    #[serde(default)]
    modified: u64,
}

/// A text that is repeated: for each name, or some times with `<n>` as the number in four digits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    text: String,
    #[serde(default)]
    each: Vec<String>,
    times: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Encoding {
    #[default]
    Utf8,
    #[serde(rename = "latin-1")]
    Latin1,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LineEnds {
    #[default]
    Lf,
    Crlf,
}

/// One difference between the tree before a task and after it.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Change {
    /// In every file whose path matches, each occurrence of `old` becomes `new`.
    Replace { paths: String, old: Pattern, new: String },
    /// A file has this text.
    Write { path: String, text: String },
    /// All paths that begin so begin in another way.
    Move { from: String, to: String },
    /// Copies of all paths that begin so.
    Copy { from: String, to: String },
    /// No path matches.
    Delete { paths: String },
}

/// A text, or a regular expression.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pattern {
    Text(String),
    Regex(String),
}

impl Tree {
    /// Reads the description of a tree.
    pub(crate) fn described(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)?;
        let files: Vec<Described> =
            serde_saphyr::from_str(&text).with_context(|| path.display().to_string())?;
        let mut tree = Self(BTreeMap::new());
        for file in files {
            let names = if file.each.is_empty() { vec![String::new()] } else { file.each.clone() };
            for name in names {
                let path = with_name(&file.path, &name);
                let entry = file.entry(&name)?;
                ensure!(tree.0.insert(path.clone(), entry).is_none(), "{path} is there twice");
            }
        }
        Ok(tree)
    }

    /// Writes all files below a directory.
    pub(crate) fn write(&self, root: &Path) -> Result<()> {
        let base = SystemTime::UNIX_EPOCH + Duration::from_secs(BASE);
        for (path, entry) in &self.0 {
            let path = root.join(path);
            fs::create_dir_all(path.parent().context("a path has a parent")?)?;
            fs::write(&path, &entry.bytes)?;
            let mode = if entry.executable { 0o755 } else { 0o644 };
            fs::set_permissions(&path, Permissions::from_mode(mode))?;
            let modified = base + Duration::from_secs(entry.modified * 60);
            File::options().write(true).open(&path)?.set_modified(modified)?;
        }
        let directories = self.0.keys().flat_map(|path| Path::new(path).ancestors().skip(1));
        for directory in directories.collect::<BTreeSet<_>>() {
            File::open(root.join(directory))?.set_modified(base)?;
        }
        Ok(())
    }

    /// Reads all files below a directory.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut tree = Self(BTreeMap::new());
        let mut left = vec![root.to_owned()];
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(directory)? {
                let (path, kind) = entry.map(|entry| (entry.path(), entry.file_type()))?;
                if kind?.is_dir() {
                    left.push(path);
                    continue;
                }
                let executable = fs::metadata(&path)?.permissions().mode() & 0o111 != 0;
                let bytes = fs::read(&path)?;
                let name = path.strip_prefix(root)?.to_str().context("a name is UTF-8")?.to_owned();
                tree.0.insert(name, Entry { bytes, executable, modified: 0 });
            }
        }
        Ok(tree)
    }

    /// Makes a change; one without effect is an error.
    pub(crate) fn change(&mut self, change: &Change) -> Result<()> {
        let before = self.clone();
        match change {
            Change::Replace { paths, old, new } => {
                let paths = Regex::new(&format!("^(?:{paths})$"))?;
                for (path, entry) in &mut self.0 {
                    if paths.is_match(path) {
                        entry.replace(old, new)?;
                    }
                }
            }
            Change::Write { path, text } => {
                let entry = Entry { bytes: text.clone().into_bytes(), executable: false, modified: 0 };
                self.0.insert(path.clone(), entry);
            }
            Change::Move { from, to } | Change::Copy { from, to } => {
                let named = before.0.iter().filter_map(|(path, entry)| {
                    path.strip_prefix(from.as_str()).map(|rest| (path, format!("{to}{rest}"), entry))
                });
                for (path, new, entry) in named {
                    self.0.insert(new, entry.clone());
                    if matches!(change, Change::Move { .. }) {
                        self.0.remove(path);
                    }
                }
            }
            Change::Delete { paths } => {
                let paths = Regex::new(&format!("^(?:{paths})$"))?;
                self.0.retain(|path, _| !paths.is_match(path));
            }
        }
        ensure!(*self != before, "a change of the task has no effect");
        Ok(())
    }

    /// The first difference from another tree.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let paths = self.0.keys().chain(other.0.keys());
        paths.into_iter().find_map(|path| match (self.0.get(path), other.0.get(path)) {
            (Some(_), None) => Some(format!("{path} is missing")),
            (None, _) => Some(format!("{path} is there")),
            (Some(one), Some(two)) if one.bytes != two.bytes => {
                let same = one.bytes.iter().zip(&two.bytes).take_while(|(one, two)| one == two).count();
                let shown = |entry: &Entry| {
                    let from = entry.bytes.iter().skip(same.saturating_sub(SHOWN)).take(2 * SHOWN);
                    from.copied().collect::<Vec<_>>().escape_ascii().to_string()
                };
                Some(format!("{path} has `{}` in place of `{}`", shown(two), shown(one)))
            }
            (Some(one), Some(two)) if one.executable != two.executable => {
                Some(format!("{path} has another mode"))
            }
            _ => None,
        })
    }
}

impl Described {
    fn entry(&self, name: &str) -> Result<Entry> {
        let mut text = self.text.clone().unwrap_or_default();
        for part in &self.parts {
            match (part.each.as_slice(), part.times) {
                ([], None) => text += &part.text,
                ([], Some(times)) => {
                    for number in 1..=times {
                        text += &part.text.replace("<n>", &format!("{number:04}"));
                    }
                }
                (names, None) => text.extend(names.iter().map(|name| with_name(&part.text, name))),
                _ => bail!("{}: a part has both `each` and `times`", self.path),
            }
        }
        let mut text = with_name(&text, name);
        if matches!(self.line_ends, LineEnds::Crlf) {
            text = text.replace('\n', "\r\n");
        }
        let mut bytes = self.bytes.clone();
        bytes.extend(match self.encoding {
            Encoding::Utf8 => text.into_bytes(),
            Encoding::Latin1 => latin1(&text)?,
        });
        ensure!(!bytes.is_empty(), "{} is empty", self.path);
        Ok(Entry { bytes, executable: self.executable, modified: self.modified })
    }
}

impl Entry {
    /// Line ends and the encoding stay as they are.
    fn replace(&mut self, old: &Pattern, new: &str) -> Result<()> {
        let (text, is_utf8) = match String::from_utf8(self.bytes.clone()) {
            Ok(text) => (text, true),
            Err(_) => (self.bytes.iter().copied().map(char::from).collect(), false),
        };
        let is_crlf = text.contains("\r\n");
        let text = text.replace("\r\n", "\n");
        let text = match old {
            Pattern::Text(old) => Regex::new(&regex::escape(old))?.replace_all(&text, NoExpand(new)),
            Pattern::Regex(old) => Regex::new(old)?.replace_all(&text, new),
        };
        let text = if is_crlf { text.replace('\n', "\r\n") } else { text.into_owned() };
        self.bytes = if is_utf8 { text.into_bytes() } else { latin1(&text)? };
        Ok(())
    }
}

/// `<each>` is the name, `<Each>` the same with a capital.
fn with_name(text: &str, name: &str) -> String {
    let mut letters = name.chars();
    let capital: String =
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters.clone()).collect();
    if name.is_empty() { text.to_owned() } else { text.replace("<each>", name).replace("<Each>", &capital) }
}

fn latin1(text: &str) -> Result<Vec<u8>> {
    text.chars().map(|letter| u8::try_from(letter).context("a letter is not in Latin-1")).collect()
}

//! The notation of a tree: one item a line, an unknown line is an error.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use fsgate_volume::Access;

use crate::placeholder::repeated;

/// A tree as a case writes it. Paths are relative to a root that no tool can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// What is granted, in order.
    pub grants: Vec<Grant>,
    /// Everything in it, by path; directories that contain something need not be named.
    pub items: BTreeMap<String, Item>,
    /// What has another name than in the tree before: the new path, and the old one.
    pub moved: BTreeMap<String, String>,
}

/// A directory of the tree that is granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The directory.
    pub directory: String,
    /// Its name for the tools.
    pub name: String,
    /// What it is granted for.
    pub access: Access,
}

/// One line of the notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A regular file.
    File {
        /// Its content.
        bytes: Vec<u8>,
        /// The same as the case writes it.
        pieces: Vec<Piece>,
        /// Its permission bits, where they matter.
        mode: Option<u32>,
    },
    /// Another name of a file.
    HardLink(String),
    /// A symbolic link and its target.
    Link(String),
    /// A directory.
    Directory,
    /// A FIFO without a writer.
    Fifo,
    /// An empty file with this name, which is not UTF-8; its path only resembles it.
    Undecodable(Vec<u8>),
}

/// A piece of a file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A text, in which `$repeat(N, …)` can stand.
    Text(String),
    /// Bytes that were hex digits.
    Bytes(Vec<u8>),
}

impl Item {
    /// A file with these bytes, written as they are.
    pub fn file(bytes: impl Into<Vec<u8>>, mode: Option<u32>) -> Self {
        let bytes = bytes.into();
        Self::File { pieces: vec![Piece::Bytes(bytes.clone())], bytes, mode }
    }
}

impl Tree {
    /// Reads a tree. Without a line that says otherwise, the directory `w` is granted as `/w`.
    pub fn parse(text: &str) -> Result<Self> {
        let mut tree = Self { grants: Vec::new(), items: BTreeMap::new(), moved: BTreeMap::new() };
        let mut granted = false;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            granted |= tree.line(line).with_context(|| format!("in the tree, at `{line}`"))?;
        }
        if !granted {
            tree.grants.push(Grant { directory: "w".into(), name: "/w".into(), access: Access::Write });
        }
        for path in tree.moved.keys() {
            ensure!(tree.items.contains_key(path), "`{path}` was moved, and is nothing of the tree");
        }
        for (path, item) in &tree.items {
            if let Item::HardLink(to) = item {
                let file = matches!(tree.items.get(to), Some(Item::File { .. }));
                ensure!(file, "`{path}` is a hard link to `{to}`, which is no file of the tree");
            }
        }
        Ok(tree)
    }

    /// The content of a file, through hard links.
    pub fn bytes(&self, path: &str) -> Option<&[u8]> {
        match self.items.get(path)? {
            Item::File { bytes, .. } => Some(bytes),
            Item::HardLink(to) => self.bytes(to),
            _ => None,
        }
    }

    /// True for a file whose name is not UTF-8.
    pub fn is_undecodable(&self, path: &str) -> bool {
        matches!(self.items.get(path), Some(Item::Undecodable(_)))
    }

    /// True if no grant contains the path.
    pub fn is_outside(&self, path: &str) -> bool {
        !self.grants.iter().any(|grant| {
            path.strip_prefix(&grant.directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Adds what one line says. True if it speaks of grants.
    fn line(&mut self, line: &str) -> Result<bool> {
        let words = words(line)?;
        let mut words = words.iter();
        let mut next = |what: &str| words.next().with_context(|| format!("{what} is missing"));
        let item = next("a word")?.bare()?;
        if item == "no-grant" {
            ensure!(words.next().is_none(), "nothing follows `no-grant`");
            return Ok(true);
        }
        let path = next("a path")?.text();
        ensure!(is_plain(&path), "paths of a tree are relative, without `.` and `..`");
        let rest: Vec<&Word> = words.collect();
        if item == "grant" {
            self.grants.push(grant(path, &rest)?);
            return Ok(true);
        }
        if item == "moved" {
            let [arrow, from] = &rest[..] else { bail!("a move is `moved PATH <- PATH`") };
            ensure!(arrow.is("<-"), "a move is `moved PATH <- PATH`");
            self.moved.insert(path, from.text());
            return Ok(false);
        }
        if item == "undecodable" {
            let name = bytes(&pieces(&rest)?);
            ensure!(std::str::from_utf8(&name).is_err(), "this name is UTF-8");
            let shown = format!("{path}/{}", String::from_utf8_lossy(&name));
            ensure!(self.items.insert(shown, Item::Undecodable(name)).is_none(), "the path is there twice");
            return Ok(false);
        }
        let (mode, rest) = mode(&rest)?;
        let item = match (item, rest) {
            ("file", [Word::Quoted(_)]) | ("bytes", _) => {
                let pieces = pieces(rest)?;
                Item::File { bytes: bytes(&pieces), pieces, mode }
            }
            (_, _) if mode.is_some() => bail!("only files have a mode"),
            ("link", [arrow, target]) if arrow.is("->") => Item::Link(target.text()),
            ("hard-link", [equals, target]) if equals.is("=") => Item::HardLink(target.text()),
            ("directory", []) => Item::Directory,
            ("fifo", []) => Item::Fifo,
            _ => bail!("no such line"),
        };
        ensure!(self.items.insert(path, item).is_none(), "the path is there twice");
        Ok(false)
    }
}

/// The directory part of a path.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn is_plain(path: &str) -> bool {
    path.split('/').all(|name| !matches!(name, "" | "." | ".."))
}

fn grant(directory: String, rest: &[&Word]) -> Result<Grant> {
    let (access, rest) = match rest {
        [first, rest @ ..] if first.is("read-only") => (Access::Read, rest),
        rest => (Access::Write, rest),
    };
    let name = match rest {
        [] => format!("/{directory}"),
        [word, name] if word.is("as") => name.text(),
        _ => bail!("a grant is `grant PATH [read-only] [as NAME]`"),
    };
    Ok(Grant { directory, name, access })
}

fn mode<'a, 'b>(rest: &'b [&'a Word]) -> Result<(Option<u32>, &'b [&'a Word])> {
    match rest {
        [Word::Bare(first), rest @ ..] if first.starts_with("mode=") => {
            let mode = u32::from_str_radix(first.trim_start_matches("mode="), 8).context("octal digits")?;
            Ok((Some(mode), rest))
        }
        rest => Ok((None, rest)),
    }
}

/// Quoted texts and hex digits, one after the other.
fn pieces(words: &[&Word]) -> Result<Vec<Piece>> {
    let piece = |word: &&Word| match word {
        Word::Quoted(text) => Ok(Piece::Text(text.clone())),
        Word::Bare(hex) => {
            ensure!(hex.len().is_multiple_of(2), "an even number of hex digits");
            let pairs = hex
                .as_bytes()
                .chunks(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair)?, 16).context("hex digits"));
            Ok(Piece::Bytes(pairs.collect::<Result<_>>()?))
        }
    };
    words.iter().map(piece).collect()
}

fn bytes(pieces: &[Piece]) -> Vec<u8> {
    let bytes = |piece: &Piece| match piece {
        Piece::Text(text) => repeated(text).into_bytes(),
        Piece::Bytes(bytes) => bytes.clone(),
    };
    pieces.iter().map(bytes).collect::<Vec<_>>().concat()
}

/// A word of a line: bare, or a JSON string.
#[derive(Debug)]
enum Word {
    Bare(String),
    Quoted(String),
}

impl Word {
    fn bare(&self) -> Result<&str> {
        match self {
            Self::Bare(word) => Ok(word),
            Self::Quoted(text) => bail!("`{text}` stands where a word is wanted"),
        }
    }

    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Bare(bare) if bare == word)
    }

    fn text(&self) -> String {
        let (Self::Bare(text) | Self::Quoted(text)) = self;
        repeated(text)
    }
}

fn words(line: &str) -> Result<Vec<Word>> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        if rest.starts_with('"') {
            let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            words.push(Word::Quoted(strings.next().context("a string")?.context("a JSON string")?));
            rest = rest[strings.byte_offset()..].trim_start();
        } else {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            words.push(Word::Bare(word.to_owned()));
            rest = after.trim_start();
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_kind_of_line() {
        let tree = Tree::parse(
            "grant w\ngrant ro read-only as /r\nfile w/a \"x\\r\\n\"\nbytes \"w/ b\" mode=755 \"caf\" E9 \"$repeat(2, ab)\"\n\
             link w/l -> ../o\nhard-link w/c = w/a\ndirectory w/d\nfifo w/f\nundecodable w/d \"caf\" e9\n",
        )
        .unwrap();
        assert_eq!(tree.grants.len(), 2);
        assert_eq!(tree.grants[1].name, "/r");
        assert_eq!(tree.bytes("w/c"), Some(&b"x\r\n"[..]));
        let Item::File { bytes, mode, pieces } = &tree.items["w/ b"] else { panic!("{:?}", tree.items) };
        assert_eq!((&bytes[..], *mode, pieces.len()), (&b"caf\xE9abab"[..], Some(0o755), 3));
        assert_eq!(tree.items["w/d/caf\u{FFFD}"], Item::Undecodable(b"caf\xE9".to_vec()));
        assert!(tree.is_outside("wide") && !tree.is_outside("w/x"));
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for line in [
            "fil w/a \"\"",
            "file w/a",
            "file w/a x",
            "file w/a \"\" \"\"",
            "file ../a \"\"",
            "link w/a b",
            "directory w/a mode=755",
            "bytes w/a 0",
            "bytes w/a zz",
            "grant w for reading",
            "hard-link w/a = w/b",
            "no-grant w",
            "moved w/a <- w/b",
            "file w/a \"\"\nmoved w/a w/b",
            "undecodable w \"plain\"",
            "directory w/a\ndirectory w/a",
        ] {
            assert!(Tree::parse(line).is_err(), "{line}");
        }
    }
}

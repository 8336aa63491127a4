//! Cases of front ends: named blocks below the name of a case. This module needs nothing but `std`,
//! so the tests of `fsgate-compat` include it as a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// A case of a front end.
#[derive(Debug)]
pub struct FrontEndCase {
    /// The heading above it, `##`.
    pub group: String,
    /// Its own heading, `###`. Cases of SHAM have a number before it, which is left out here.
    pub name: String,
    /// Its blocks by name: lines with their ends.
    blocks: BTreeMap<String, String>,
}

impl FrontEndCase {
    /// Every case below a directory, in the order of the file names.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or with a line that means nothing.
    pub fn all(directory: &Path) -> io::Result<Vec<Self>> {
        let entries = fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
        let mut paths = entries.collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        let mut cases = Vec::new();
        for path in paths {
            let found = parsed(&fs::read_to_string(&path)?)
                .map_err(|problem| io::Error::other(format!("{}: {problem}", path.display())))?;
            cases.extend(found);
        }
        for (index, case) in cases.iter().enumerate() {
            let same = |other: &Self| (&other.group, &other.name) == (&case.group, &case.name);
            if cases[..index].iter().any(same) {
                return Err(io::Error::other(format!("two cases have the name {}", case.title())));
            }
        }
        Ok(cases)
    }

    /// The name with its group.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{}/{}", self.group, self.name)
    }

    /// The names of its blocks.
    pub fn blocks(&self) -> impl Iterator<Item = &str> {
        self.blocks.keys().map(String::as_str)
    }

    /// The lines of a block, each with its end.
    #[must_use]
    pub fn lines(&self, block: &str) -> Option<&str> {
        self.blocks.get(block).map(String::as_str)
    }

    /// The text of a block: its lines without the end of the last one.
    #[must_use]
    pub fn text(&self, block: &str) -> Option<&str> {
        self.lines(block).map(|lines| lines.strip_suffix('\n').unwrap_or(lines))
    }
}

/// The cases of one file, or the reason why the file has none.
fn parsed(text: &str) -> Result<Vec<FrontEndCase>, String> {
    let mut found: Vec<FrontEndCase> = Vec::new();
    let mut group: Option<&str> = None;
    let mut is_inside = false;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let refused = |problem: &str| format!("line {}: `{line}`: {problem}", number + 1);
        if let Some(title) = line.strip_prefix("### ") {
            let group = group.ok_or_else(|| refused("a case before its group"))?;
            let number = title.trim_start_matches(|c: char| c.is_ascii_digit());
            let name = if number.len() < title.len() { number.strip_prefix('-') } else { None };
            let name = name.unwrap_or(title).to_owned();
            found.push(FrontEndCase { group: group.to_owned(), name, blocks: BTreeMap::new() });
            is_inside = true;
        } else if let Some(title) = line.strip_prefix("## ") {
            (group, is_inside) = (Some(title), false);
        } else if line.starts_with("##") {
            return Err(refused("there is no such heading"));
        } else if let Some(name) = line.strip_prefix("```") {
            let mut block = String::new();
            loop {
                match lines.next() {
                    Some((_, "```")) => break,
                    Some((_, line)) => block += &format!("{line}\n"),
                    None => return Err(refused("the block has no end")),
                }
            }
            let case = found.last_mut().filter(|_| is_inside);
            let case = case.ok_or_else(|| refused("a block without a case"))?;
            if case.blocks.insert(name.to_owned(), block).is_some() {
                return Err(refused("the case has this block twice"));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "# Title\n\n## group\n\n### 001-first\n\n```text\none\ntwo\n```\n\n### second\n```text\n```\n";

    #[test]
    fn reads_blocks_by_name() {
        let cases = parsed(GOOD).unwrap();
        let titles: Vec<_> = cases.iter().map(FrontEndCase::title).collect();
        assert_eq!(titles, ["group/first", "group/second"]);
        assert_eq!(cases[0].lines("text"), Some("one\ntwo\n"));
        assert_eq!(cases[0].text("text"), Some("one\ntwo"));
        assert_eq!((cases[1].text("text"), cases[1].text("after")), (Some(""), None));
    }

    #[test]
    fn refuses_a_file_that_it_does_not_understand() {
        for (from, to) in [
            ("## group\n", ""),
            ("### second\n```", "#### second\n```"),
            ("### second", "## second"),
            ("```text\n```\n", "```text\n"),
            ("```text\n```\n", "```text\n```\n```text\n```\n"),
        ] {
            assert!(parsed(&GOOD.replacen(from, to, 1)).is_err(), "{from} as {to}");
        }
    }
}

//! Actions that read files.

use std::ops::RangeInclusive;

use serde_json::json;

use super::convert::paths;
use super::execute::{ActionAnswer, ActionArguments, RefusedAction, ShamExecutor, size_in_json};
use crate::Tools;
use crate::complete_file::{PAGE_BYTES, read_all};
use fsgate_contract::limits::FRONT_END_FILE_BYTES;
use fsgate_contract::read_types::ReadNumberedArgs;
use fsgate_contract::types::Error;
use fsgate_text::lines::contents;
use fsgate_text::number::{InvalidLines, numbered, parse_lines, width};

/// A file's size besides its path, which appears twice.
const PATH_BYTES: usize = 20;

struct Numbered {
    content: String,
    missing: Option<String>,
}

impl<T: Tools> ShamExecutor<'_, T> {
    pub(super) fn read(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("path");
        let content = self.given(given, path)?;
        Ok(Some(json!({"path": self.shortened(path), "content": content})))
    }

    pub(super) fn read_numbered(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("path");
        let Numbered { content, missing } = self.numbered(given, path)?;
        let data = Some(json!({"path": self.shortened(path), "content": content}));
        match missing {
            None => Ok(data),
            Some(missing) => Err(RefusedAction { data, ..given.says(&missing) }),
        }
    }

    pub(super) fn read_files(&mut self, given: &ActionArguments) -> ActionAnswer {
        self.files(given, |executor, path| executor.given(given, path))
    }

    pub(super) fn read_files_numbered(&mut self, given: &ActionArguments) -> ActionAnswer {
        self.files(given, |executor, path| match executor.numbered(given, path)? {
            Numbered { content, missing: None } => Ok(content),
            Numbered { missing: Some(missing), .. } => Err(missing.into()),
        })
    }

    fn files(
        &mut self,
        given: &ActionArguments,
        mut read: impl FnMut(&mut Self, &str) -> Result<String, RefusedAction>,
    ) -> ActionAnswer {
        let paths: Vec<_> = paths(given.text("paths")).collect();
        if paths.is_empty() {
            return Err(given.says("No paths provided"));
        }
        // A path appears in a list and before its content.
        self.take(given, paths.iter().map(|path| 2 * size_in_json(path) + PATH_BYTES).sum())?;
        let (mut pieces, mut failed) = (Vec::new(), Vec::new());
        for path in &paths {
            match read(self, path) {
                Ok(content) if failed.is_empty() => pieces.push(format!("=== {path} ===\n{content}")),
                Ok(_) => {}
                Err(refused) => {
                    let line = format!("  {path}: {}", refused.error);
                    self.take(given, size_in_json(&line))?;
                    failed.push(line);
                }
            }
        }
        if !failed.is_empty() {
            let list = failed.join("\n");
            return Err(given.says(&format!("Failed to read {} file(s):\n{list}", failed.len())));
        }
        Ok(Some(json!({"paths": paths, "content": pieces.join("\n\n")})))
    }

    fn given(&mut self, given: &ActionArguments, path: &str) -> Result<String, RefusedAction> {
        let (file, section) = self.located(path);
        let mut content = self.whole(given, file)?;
        if let Some(section) = section {
            let lines = self.section(given, file, section, None)?;
            content = part(&content, &lines).to_owned();
        }
        self.take(given, size_in_json(&content))?;
        Ok(content)
    }

    fn whole(&self, given: &ActionArguments, path: &str) -> Result<String, RefusedAction> {
        let attempt = given.attempt("open", path);
        read_all(self.tools(), path, FRONT_END_FILE_BYTES).map_err(|refused| refused.message(attempt).into())
    }

    /// The requested lines. As in its system, a missing file is reported before invalid lines.
    fn numbered(&mut self, given: &ActionArguments, path: &str) -> Result<Numbered, RefusedAction> {
        let (file, section) = self.located(path);
        let content = self.whole(given, file)?;
        let total = contents(&content).count() as u64;
        let asked = Some(given.text("lines")).filter(|lines| !lines.is_empty());
        let wanted = match (asked, section) {
            (None, None) => 1..=total,
            (Some(lines), None) => {
                parse_lines(lines).map_err(|error| given.says(&invalid_lines(&error, lines)))?
            }
            (_, Some(section)) => self.section(given, file, section, asked)?,
        };
        let missing = asked.filter(|_| total > 0 && *wanted.end() > total);
        let missing = missing.map(|lines| format!("Requested lines {lines} but file only has {total} lines"));
        let first = usize::try_from(*wanted.start()).unwrap_or(usize::MAX);
        let last = (*wanted.end()).min(total);
        let shown = || contents(&content).take(usize::try_from(last).unwrap_or(usize::MAX)).skip(first - 1);
        let delimiter = given.text("delimiter");
        let besides = size_in_json(delimiter) + width(last) + size_in_json("\n");
        let sizes = shown().map(|line| besides + size_in_json(line));
        self.take(given, sizes.fold(0, usize::saturating_add))?;
        let lines: String = shown().flat_map(|line| [line, "\n"]).collect();
        Ok(Numbered { content: numbered(&lines, *wanted.start(), delimiter), missing })
    }

    fn section(
        &self,
        given: &ActionArguments,
        file: &str,
        section: Vec<String>,
        lines: Option<&str>,
    ) -> Result<RangeInclusive<u64>, RefusedAction> {
        let args = ReadNumberedArgs {
            path: file.to_owned(),
            lines: lines.map(str::to_owned),
            section: Some(section),
            max_bytes: Some(PAGE_BYTES),
            ..ReadNumberedArgs::default()
        };
        self.lines_of(args).map_err(|error| given.failed("open", file, &error).into())
    }

    fn lines_of(&self, mut args: ReadNumberedArgs) -> Result<RangeInclusive<u64>, Error> {
        let mut first = None;
        loop {
            let page = self.call(&args)?;
            first = first.or(page.first);
            match (page.next_cursor, first, page.last) {
                (None, Some(first), Some(last)) => return Ok(first.into()..=last.into()),
                // An empty range.
                (None, ..) => return Ok(RangeInclusive::new(1, 0)),
                (next, ..) => args.cursor = next,
            }
        }
    }
}

/// Lines of a text with line ends.
fn part<'t>(text: &'t str, lines: &RangeInclusive<u64>) -> &'t str {
    let starts = contents(text).map(|line| line.as_ptr() as usize - text.as_ptr() as usize);
    let [mut from, mut to] = [text.len(); 2];
    for (number, start) in (1..).zip(starts) {
        if number == *lines.start() {
            from = start;
        }
        if number > *lines.end() {
            to = start;
            break;
        }
    }
    text.get(from..to).unwrap_or_default()
}

pub(super) fn invalid_lines(error: &InvalidLines, lines: &str) -> String {
    match error {
        InvalidLines { backwards: true, .. } => {
            format!("Invalid line range '{lines}' (start must be <= end)")
        }
        _ => format!("Invalid line specification '{lines}'"),
    }
}

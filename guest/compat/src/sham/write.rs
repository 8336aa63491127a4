//! Actions that change files and directories.

use serde_json::{Value, json};

use super::convert::paths;
use super::execute::{ActionAnswer, ActionArguments, RefusedAction, ShamExecutor, is_missing, size_in_json};
use super::read::invalid_lines;
use crate::Tools;
use crate::failure_terms::{Attempt, SecondPath};
use crate::relocation::{self, Renamed};
use fsgate_contract::edit_types::{
    AppendArgs, CommentLinesArgs, ReplaceAllArgs, ReplaceArgs, ReplaceLinesArgs, UncommentLinesArgs,
    WriteArgs,
};
use fsgate_contract::manage_types::{CreateDirectoryArgs, DeleteArgs, DeleteDirectoryArgs, MoveArgs};
use fsgate_contract::read_types::ReadNumberedArgs;
use fsgate_contract::types::{Code, Error};
use fsgate_text::number::parse_lines;

/// A file's size besides its path, which appears twice.
const PATH_BYTES: usize = 500;

impl<T: Tools> ShamExecutor<'_, T> {
    pub(super) fn write(&mut self, given: &ActionArguments) -> ActionAnswer {
        let (path, content) = (given.text("path"), given.text("content"));
        self.require_whole(given, path, "writes")?;
        let args = WriteArgs { path: path.to_owned(), content: content.to_owned(), ..WriteArgs::default() };
        let outcome = self.call(&args).map_err(|error| given.failed("open", path, &error))?;
        self.changed(outcome.undo_id);
        Ok(Some(json!({"path": self.shortened(path), "bytesWritten": content.len()})))
    }

    pub(super) fn append(&mut self, given: &ActionArguments) -> ActionAnswer {
        let (path, content) = (given.text("path"), given.text("content"));
        self.require_whole(given, path, "writes")?;
        let args = AppendArgs { path: path.to_owned(), content: content.to_owned(), ..AppendArgs::default() };
        let outcome = self.call(&args).map_err(|error| given.failed("open", path, &error))?;
        self.changed(outcome.undo_id);
        Ok(Some(json!({"path": self.shortened(path), "bytesWritten": content.len()})))
    }

    pub(super) fn delete(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("path");
        self.require_whole(given, path, "deletes")?;
        let args = DeleteArgs { path: path.to_owned(), ..DeleteArgs::default() };
        let outcome = self.call(&args).map_err(|error| given.failed("unlink", path, &error))?;
        self.changed(outcome.undo_id);
        Ok(Some(json!({"path": self.shortened(path)})))
    }

    pub(super) fn rename(&mut self, given: &ActionArguments) -> ActionAnswer {
        let (from, to) = (given.text("old_path"), given.text("new_path"));
        self.require_whole(given, from, "moves")?;
        self.require_whole(given, to, "moves")?;
        // A dangling link is no source, though its name could be moved.
        if self.looked_at(from).is_err_and(|error| is_missing(&error) || error.code == Code::LinkLoop) {
            return Err(given.says(&format!("Source file not found '{from}' (ENOENT)")));
        }
        let args = MoveArgs {
            source: from.to_owned(),
            destination: to.to_owned(),
            recursive: Some(true),
            ..MoveArgs::default()
        };
        let attempt =
            Attempt { operation: given.action, call: "rename", path: from, to: Some(SecondPath::OfSome(to)) };
        let renamed = relocation::rename(self.tools(), &args);
        let Renamed { overwrote, undo_ids, .. } = renamed.map_err(|refused| refused.sentence(&attempt))?;
        undo_ids.into_iter().for_each(|id| self.changed(Some(id)));
        Ok(Some(match overwrote {
            true => {
                json!({"old_path": self.shortened(from), "new_path": self.shortened(to), "overwrote": true})
            }
            false => json!({"old_path": self.shortened(from), "new_path": self.shortened(to)}),
        }))
    }

    pub(super) fn create_directory(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("path");
        let args = CreateDirectoryArgs {
            path: path.to_owned(),
            parents: Some(true),
            ..CreateDirectoryArgs::default()
        };
        let outcome = self.call(&args).map_err(|error| given.failed("mkdir", path, &error))?;
        self.changed(outcome.undo_id);
        Ok(Some(json!({"path": self.shortened(path)})))
    }

    pub(super) fn delete_directory(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("path");
        let args = DeleteDirectoryArgs { path: path.to_owned(), ..DeleteDirectoryArgs::default() };
        let outcome = self.call(&args).map_err(|error| given.failed("rmdir", path, &error))?;
        self.changed(outcome.undo_id);
        Ok(Some(json!({"path": self.shortened(path)})))
    }

    pub(super) fn replace_text(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("path");
        let mut all = self.replacement(given, path)?;
        let args = ReplaceArgs {
            path: all.path.clone(),
            old: all.old.clone(),
            new: all.new.clone(),
            section: all.section.clone(),
            exact_line_ends: Some(true),
            ..ReplaceArgs::default()
        };
        let outcome = self.call(&args).map_err(|error| match error.code {
            Code::NoMatch(_) => given.says("old_text not found in file"),
            Code::Ambiguous(_) => {
                // The error lists only some places; a dry run counts all.
                all.dry_run = Some(true);
                match self.call(&all) {
                    Ok(outcome) => given.says(&format!(
                        "old_text appears {} times, must appear exactly once",
                        outcome.replacements
                    )),
                    Err(error) => given.failed("open", path, &error).into(),
                }
            }
            _ => given.failed("open", path, &error).into(),
        })?;
        self.changed(outcome.undo_id);
        Ok(Some(json!({"path": self.shortened(path), "replacements": outcome.replacements})))
    }

    pub(super) fn replace_all_text(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("path");
        let replacements = self.replaced(given, path)?;
        Ok(Some(json!({"path": self.shortened(path), "replacements": replacements})))
    }

    pub(super) fn replace_all_text_in_files(&mut self, given: &ActionArguments) -> ActionAnswer {
        let paths: Vec<_> = paths(given.text("paths")).collect();
        if paths.is_empty() {
            return Err(given.says("No paths provided"));
        }
        // Reserved before any change. A path appears in the result and a failure.
        self.take(given, paths.iter().map(|path| 2 * size_in_json(path) + PATH_BYTES).sum())?;
        let mut failed = Vec::new();
        let mut results: Vec<Value> = Vec::new();
        for path in paths {
            results.push(match self.replaced(given, path) {
                Ok(replacements) => json!({"path": path, "replacements_made": replacements}),
                Err(RefusedAction { error, .. }) => {
                    failed.push(format!("  {path}: {error}"));
                    json!({"path": path, "replacements_made": 0, "error": error})
                }
            });
        }
        let all_failed = failed.len() == results.len();
        let data = Some(json!({"results": results}));
        if !all_failed {
            return Ok(data);
        }
        let list = failed.join("\n");
        Err(RefusedAction {
            data,
            ..given.says(&format!("Failed to replace in {} file(s):\n{list}", failed.len()))
        })
    }

    fn replaced(&mut self, given: &ActionArguments, path: &str) -> Result<u32, RefusedAction> {
        let count = given.number("count");
        let args = ReplaceAllArgs {
            // An impossible count is refused, with the actual one.
            count: count.map(|count| count.try_into().unwrap_or(u32::MAX)),
            ..self.replacement(given, path)?
        };
        let outcome = match self.call(&args) {
            Ok(outcome) => outcome,
            Err(Error { code: Code::NoMatch(_), .. }) => return Ok(0),
            Err(Error { code: Code::CountMismatch(found), .. }) => {
                let count = count.unwrap_or_default();
                return Err(given.says(&format!("expected {count} occurrences but found {found}")));
            }
            Err(error) => return Err(given.failed("open", path, &error).into()),
        };
        self.changed(outcome.undo_id);
        Ok(outcome.replacements)
    }

    /// A replacement's arguments. A missing section has its own error.
    fn replacement(&self, given: &ActionArguments, path: &str) -> Result<ReplaceAllArgs, RefusedAction> {
        let (old, new) = (given.text("old_text"), given.text("new_text"));
        if old.is_empty() {
            return Err(given.says("old_text cannot be empty"));
        }
        let (file, section) = self.located(path);
        if section.is_some() {
            let args = ReadNumberedArgs {
                path: file.to_owned(),
                section: section.clone(),
                ..ReadNumberedArgs::default()
            };
            self.call(&args).map_err(|error| given.failed("open", file, &error))?;
        }
        Ok(ReplaceAllArgs {
            path: file.to_owned(),
            old: old.to_owned(),
            new: new.to_owned(),
            section,
            exact_line_ends: Some(true),
            ..ReplaceAllArgs::default()
        })
    }

    pub(super) fn replace_lines(&mut self, given: &ActionArguments) -> ActionAnswer {
        let (path, new) = (given.text("path"), given.text("new_content"));
        self.require_whole(given, path, "counts the lines of")?;
        let args = ReplaceLinesArgs {
            path: path.to_owned(),
            lines: Some(given.text("lines").to_owned()),
            // An empty line replaces them and their line end.
            content: if new.is_empty() { "\n".to_owned() } else { new.to_owned() },
            exact_line_ends: Some(!new.is_empty()),
            ..ReplaceLinesArgs::default()
        };
        let outcome = self.call(&args).map_err(|error| refused_lines(given, &error))?;
        self.changed(outcome.undo_id);
        let lines = parse_lines(given.text("lines")).map_or(0, |lines| lines.end() - lines.start() + 1);
        Ok(Some(json!({"path": self.shortened(path), "lines_replaced": lines})))
    }

    pub(super) fn comment_lines(&mut self, given: &ActionArguments) -> ActionAnswer {
        let (path, lines) = (given.text("path"), given.text("lines"));
        self.require_whole(given, path, "counts the lines of")?;
        let args = CommentLinesArgs {
            path: path.to_owned(),
            lines: lines.to_owned(),
            ..CommentLinesArgs::default()
        };
        let outcome = self.call(&args).map_err(|error| refused_lines(given, &error))?;
        self.changed(outcome.undo_id);
        Ok(Some(json!({"path": self.shortened(path), "lines_commented": outcome.changed})))
    }

    pub(super) fn uncomment_lines(&mut self, given: &ActionArguments) -> ActionAnswer {
        let (path, lines) = (given.text("path"), given.text("lines"));
        self.require_whole(given, path, "counts the lines of")?;
        let args = UncommentLinesArgs {
            path: path.to_owned(),
            lines: lines.to_owned(),
            ..UncommentLinesArgs::default()
        };
        let outcome = self.call(&args).map_err(|error| refused_lines(given, &error))?;
        self.changed(outcome.undo_id);
        Ok(Some(json!({"path": self.shortened(path), "lines_uncommented": outcome.changed})))
    }
}

fn refused_lines(given: &ActionArguments, error: &Error) -> RefusedAction {
    let lines = given.text("lines");
    match (&error.code, parse_lines(lines)) {
        (Code::OutOfRange(total), _) => {
            given.says(&format!("Line range {lines} is out of bounds (file has {total} lines)"))
        }
        (Code::InvalidRange, Err(error)) => given.says(&invalid_lines(&error, lines)),
        _ => given.failed("open", given.text("path"), error).into(),
    }
}

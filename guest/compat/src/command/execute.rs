//! Runs a command.

use serde_json::Value;

use super::options::Options;
use super::parse::CommandOperation;
use crate::Tools;
use crate::bounds::bytes_in_json;
use crate::complete_file::{PAGE_ITEMS, ReadError, read_all};
use crate::failure_terms::{Attempt, SecondPath};
use crate::relocation::{self, RefusedRelocation};
use fsgate_contract::edit_types::{AppendArgs, WriteArgs};
use fsgate_contract::limits::{COMMAND_LISTING_BYTES, FRONT_END_FILE_BYTES};
use fsgate_contract::manage_types::{CopyArgs, CreateDirectoryArgs, DeleteArgs, MoveArgs};
use fsgate_contract::path::spelling::literal;
use fsgate_contract::path::{absolute, grant_name, join};
use fsgate_contract::read_types::{ExistsArgs, StatArgs};
use fsgate_contract::search_types::ListDirectoryArgs;
use fsgate_contract::types::{Code, Error};

/// A returned or thrown sentence.
type CommandAnswer = Result<String, String>;

pub(super) struct CommandExecutor<'a, T: Tools> {
    tools: &'a T,
    operation: CommandOperation,
    path: &'a str,
}

impl<'a, T: Tools> CommandExecutor<'a, T> {
    pub(super) fn new(tools: &'a T, operation: CommandOperation, path: &'a str) -> Self {
        Self { tools, operation, path: bare(path) }
    }

    pub(super) fn execute(&self, options: &Options) -> CommandAnswer {
        let content = || options.content.unwrap_or_default().to_owned();
        let destination = || match options.destination.as_deref() {
            Some(destination) if !destination.is_empty() => Ok(bare(destination)),
            _ => Err(format!("Destination required for {}", self.operation.name())),
        };
        match self.operation {
            CommandOperation::ReadFile => self.read(),
            CommandOperation::WriteFile => self.write(content()),
            CommandOperation::AppendFile => self.append(content()),
            CommandOperation::DeleteFile => self.delete(),
            CommandOperation::CreateDirectory => self.create_directory(),
            CommandOperation::ListDirectory => self.list(),
            CommandOperation::FileExists => self.exists(),
            CommandOperation::CopyFile => self.copy(destination()?),
            CommandOperation::MoveFile => self.rename(destination()?),
        }
    }

    fn read(&self) -> CommandAnswer {
        let path = self.path;
        let content = read_all(self.tools, path, FRONT_END_FILE_BYTES)
            .and_then(|content| match bytes_in_json(&content) <= self.tools.bounds().room() {
                true => Ok(content),
                false => Err(ReadError::TooLarge(self.tools.bounds().room() as u64)),
            })
            .map_err(|refused| refused.message(self.attempt("open", &self.absolute(path), None)))?;
        Ok(format!("FILE_CONTENT:\n{content}"))
    }

    fn write(&self, content: String) -> CommandAnswer {
        let args = WriteArgs { path: literal(self.path), content, ..WriteArgs::default() };
        let outcome = self.tools.call(&args).map_err(|error| self.failed("open", &error))?;
        Ok(format!("Wrote file at {} successfully.", outcome.path))
    }

    fn append(&self, content: String) -> CommandAnswer {
        let path = literal(self.path);
        let args = AppendArgs { path, content, parents: Some(false), ..AppendArgs::default() };
        let outcome = self.tools.call(&args).map_err(|error| self.failed("open", &error))?;
        Ok(format!("Appended content at {} successfully.", outcome.path))
    }

    fn delete(&self) -> CommandAnswer {
        let args = DeleteArgs { path: self.path.to_owned(), ..DeleteArgs::default() };
        let outcome = self.tools.call(&args).map_err(|error| self.failed("unlink", &error))?;
        Ok(format!("Deleted file at {} successfully.", outcome.path))
    }

    fn create_directory(&self) -> CommandAnswer {
        let args = CreateDirectoryArgs { path: literal(self.path), ..CreateDirectoryArgs::default() };
        let outcome = self.tools.call(&args).map_err(|error| self.failed("mkdir", &error))?;
        Ok(format!("Created directory at {} successfully.", outcome.path))
    }

    fn list(&self) -> CommandAnswer {
        let mut args = ListDirectoryArgs {
            path: self.path.to_owned(),
            include_hidden: Some(true),
            max_items: Some(PAGE_ITEMS),
            ..ListDirectoryArgs::default()
        };
        let most = COMMAND_LISTING_BYTES.min(self.tools.bounds().room());
        let mut room = most;
        let mut names: Vec<Value> = Vec::new();
        loop {
            let page = self.tools.call(&args).map_err(|error| self.failed("scandir", &error))?;
            for entry in page.entries {
                room = room.checked_sub(entry.name.len() + size_of::<Value>()).ok_or_else(|| {
                    format!("{}: the names have more than {most} bytes", self.operation.name())
                })?;
                names.push(entry.name.into());
            }
            match page.next_cursor {
                None => {
                    let names = Value::from(names);
                    return Ok(format!("Listed entries at {} successfully: {names}.", page.path));
                }
                next => args.cursor = next,
            }
        }
    }

    fn exists(&self) -> CommandAnswer {
        let (path, exists) = match self.tools.call(&ExistsArgs { path: self.path.to_owned() }) {
            Ok(outcome) => (outcome.path, outcome.exists),
            // That system takes an unreachable path for a missing one.
            Err(error) if is_unreachable(&error.code) => (self.absolute(self.path), false),
            Err(error) => return Err(self.failed("access", &error)),
        };
        Ok(format!("Checked file existence at {path}: {exists}."))
    }

    fn copy(&self, destination: &str) -> CommandAnswer {
        let args = CopyArgs {
            source: self.path.to_owned(),
            destination: literal(destination),
            overwrite: Some(true),
            parents: Some(false),
            ..CopyArgs::default()
        };
        let [from, to] = relocation::copy_file(self.tools, &args)
            .map_err(|refused| self.failed_between("copyfile", destination, &refused))?;
        Ok(format!("Copied file from {from} to {to} successfully."))
    }

    fn rename(&self, destination: &str) -> CommandAnswer {
        let args = MoveArgs {
            source: self.path.to_owned(),
            destination: literal(destination),
            overwrite: Some(true),
            recursive: Some(true),
            parents: Some(false),
            ..MoveArgs::default()
        };
        let renamed = relocation::rename(self.tools, &args)
            .map_err(|refused| self.failed_between("rename", destination, &refused))?;
        Ok(format!("Moved file from {} to {} successfully.", renamed.source, renamed.destination))
    }

    fn failed(&self, call: &str, error: &Error) -> String {
        self.attempt(call, &self.absolute(self.path), None).failed(error)
    }

    fn failed_between(&self, call: &str, destination: &str, refused: &RefusedRelocation) -> String {
        let [from, to] = [self.path, destination].map(|path| self.absolute(path));
        refused.sentence(&self.attempt(call, &from, Some(SecondPath::Always(&to))))
    }

    fn attempt<'b>(&self, call: &'b str, path: &'b str, to: Option<SecondPath<'b>>) -> Attempt<'b> {
        Attempt { operation: self.operation.name(), call, path, to }
    }

    /// The path that resolution would reach, for sentences only.
    fn absolute(&self, path: &str) -> String {
        if path.starts_with('/') {
            return resolved(path);
        }
        let start = StatArgs { path: ".".to_owned(), ..StatArgs::default() };
        match self.tools.call(&start) {
            Ok(outcome) => resolved(&join(&outcome.entry.path, path)),
            Err(_) => path.to_owned(),
        }
    }
}

fn bare(path: &str) -> &str {
    let bare = path.trim_end_matches('/');
    if bare.is_empty() { path } else { bare }
}

fn resolved(path: &str) -> String {
    absolute(grant_name(path).iter().map(String::as_str))
}

fn is_unreachable(code: &Code) -> bool {
    matches!(
        code,
        Code::DeniedByPolicy(_)
            | Code::InvalidPath
            | Code::LinkLoop
            | Code::NameTooLong
            | Code::NotGranted
            | Code::PathEscape
    )
}

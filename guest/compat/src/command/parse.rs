//! Parses a command.
//!
//! ```text
//! command   = operation space path [… "options:" options] [… "dependsOn:" …]
//! ```
//!
//! Operation and path are words. Text between the path and `options:` is ignored.

use std::fmt;

use super::marks::{Word, marks};
use super::options::{self, GivenOption, Options};

/// A well-formed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command<'a> {
    /// The operation.
    pub operation: CommandOperation,
    /// Its path.
    pub path: &'a str,
    /// Its options.
    pub options: GivenOption<'a>,
}

/// An operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandOperation {
    /// Returns all of a file.
    ReadFile,
    /// Writes a file, new or not.
    WriteFile,
    /// Appends to a file.
    AppendFile,
    /// Deletes a file.
    DeleteFile,
    /// Creates a directory.
    CreateDirectory,
    /// Lists the names of a directory.
    ListDirectory,
    /// Checks for existence.
    FileExists,
    /// Copies a file.
    CopyFile,
    /// Moves a file or directory.
    MoveFile,
}

impl CommandOperation {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::ReadFile,
        Self::WriteFile,
        Self::AppendFile,
        Self::DeleteFile,
        Self::CreateDirectory,
        Self::ListDirectory,
        Self::FileExists,
        Self::CopyFile,
        Self::MoveFile,
    ];

    /// Its name in a command.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadFile => "readFile",
            Self::WriteFile => "writeFile",
            Self::AppendFile => "appendFile",
            Self::DeleteFile => "deleteFile",
            Self::CreateDirectory => "createDirectory",
            Self::ListDirectory => "listDirectory",
            Self::FileExists => "fileExists",
            Self::CopyFile => "copyFile",
            Self::MoveFile => "moveFile",
        }
    }
}

/// The reason why a text is no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandFlaw {
    /// The text is empty.
    Nothing,
    /// An unknown operation or no path.
    Invalid,
}

impl fmt::Display for CommandFlaw {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::Nothing => "No input provided for file-system operation",
            Self::Invalid => "Invalid input: operation and path are required and must be valid.",
        })
    }
}

/// Parses a command.
pub fn parse(text: &str) -> Result<Command<'_>, CommandFlaw> {
    if text.is_empty() {
        return Err(CommandFlaw::Nothing);
    }
    let (name, rest) = word(text);
    let named = CommandOperation::ALL.into_iter().find(|operation| operation.name() == name);
    let operation = named.ok_or(CommandFlaw::Invalid)?;
    let rest = rest.trim_start();
    let is_mark = |word| matches!(word, Word::Options | Word::DependsOn);
    if marks(rest).next().is_some_and(|mark| mark.start == 0 && is_mark(mark.word)) {
        return Err(CommandFlaw::Invalid);
    }
    let (path, rest) = word(rest);
    if path.is_empty() {
        return Err(CommandFlaw::Invalid);
    }
    let options = match marks(rest).find(|mark| is_mark(mark.word)) {
        Some(mark) if mark.word == Word::Options => options::read(&rest[mark.end..]),
        _ => GivenOption::Read(Options::default()),
    };
    Ok(Command { operation, path, options })
}

fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

//! Reads a command.
//!
//! ```text
//! command   = operation space path [… "options:" options] [… "dependsOn:" …]
//! ```
//!
//! Operation and path are words: what stands between white space. What stands between the path and `options:` is left alone.

use std::fmt;

use super::marks::{Word, marks};
use super::options::{self, GivenOption, Options};

/// A command that can be carried out, as far as its form is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command<'a> {
    /// What is to be done.
    pub operation: CommandOperation,
    /// With what.
    pub path: &'a str,
    /// What is needed besides.
    pub options: GivenOption<'a>,
}

/// What can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandOperation {
    /// All of a file is given.
    ReadFile,
    /// A file gets a content, be it new or not.
    WriteFile,
    /// A content goes behind what a file has.
    AppendFile,
    /// A file is gone.
    DeleteFile,
    /// A directory is there.
    CreateDirectory,
    /// The names in a directory are given.
    ListDirectory,
    /// Whether there is something.
    FileExists,
    /// A file is there twice.
    CopyFile,
    /// Something has another path.
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

    /// What a command calls it.
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

/// Why a text is no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandFlaw {
    /// There is no text.
    Nothing,
    /// There is no such operation, or no path.
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

/// Reads a command.
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

/// The first word of a text, and the rest.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

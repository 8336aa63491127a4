//! All of a file: what an answer has no room for comes in the next ones.

use crate::Tools;
use crate::failure_terms::{Attempt, terms};
use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::read_types::ReadArgs;
use fsgate_contract::types::{Code, Error};
use fsgate_text::excerpt::cut;

/// As much as one answer of an operation may have.
pub const PAGE_BYTES: u32 = 1 << 20;

/// As many entries as one answer of an operation may have.
pub const PAGE_ITEMS: u32 = 10_000;

/// Why a file is not given.
#[derive(Debug)]
pub enum ReadError {
    /// The operation refused.
    Refused(Error),
    /// It is larger than its system allows.
    TooLarge(u64),
}

impl ReadError {
    /// The same in the words of other systems.
    pub fn message(&self, attempt: Attempt) -> String {
        match self {
            Self::Refused(error) => attempt.failed(error),
            Self::TooLarge(most) => {
                let terms = terms(&Code::TooLarge(*most));
                let (errno, phrase) = terms.map_or(("", ""), |terms| (terms.errno, terms.phrase));
                let path = cut(attempt.path, ERROR_PATH_CHARS);
                format!("{errno}: {phrase}, {} '{path}'", attempt.call)
            }
        }
    }
}

/// All of a file that has at most `most` bytes.
pub fn read_all(tools: &impl Tools, path: &str, most: u64) -> Result<String, ReadError> {
    let mut args = ReadArgs { path: path.to_owned(), max_bytes: Some(PAGE_BYTES), ..ReadArgs::default() };
    let mut content = String::new();
    loop {
        let page = tools.call(&args).map_err(ReadError::Refused)?;
        if page.size > most {
            return Err(ReadError::TooLarge(most));
        }
        content += &page.content;
        match page.next_cursor {
            None => return Ok(content),
            next => args.cursor = next,
        }
    }
}

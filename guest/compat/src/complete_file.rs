//! Complete files, read page by page.

use crate::Tools;
use crate::failure_terms::{Attempt, terms};
use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::read_types::ReadArgs;
use fsgate_contract::types::{Code, Error};
use fsgate_text::excerpt::cut;

/// The most bytes of one answer.
pub const PAGE_BYTES: u32 = 1 << 20;

/// The most entries of one answer.
pub const PAGE_ITEMS: u32 = 10_000;

/// The reason why a file is not returned.
#[derive(Debug)]
pub enum ReadError {
    /// The operation refused.
    Refused(Error),
    /// Larger than its system allows.
    TooLarge(u64),
}

impl ReadError {
    /// The message in other systems' terms.
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

/// All of a file of at most `most` bytes.
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

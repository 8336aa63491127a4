//! `if_match` and `if_none_match` without a file or without content.

use fsgate_error::{Failure, Reason};

/// Checks `if_match` of something without content: only `*` matches.
pub fn check_no_file(path: &str, if_match: Option<&str>) -> Result<(), Failure> {
    if if_match == Some("*") { Ok(()) } else { check_absent(path, if_match) }
}

/// Checks `if_match` where no file exists: nothing matches.
pub fn check_absent(path: &str, if_match: Option<&str>) -> Result<(), Failure> {
    match if_match {
        None => Ok(()),
        Some(wanted) => Err(Reason::NotInState { wanted: wanted.to_owned(), found: String::new() }.at(path)),
    }
}

/// Checks `if_none_match` on its own: only `*` has a meaning.
pub fn check_none(path: &str, if_none_match: Option<&str>) -> Result<(), Failure> {
    match if_none_match {
        None | Some("*") => Ok(()),
        Some(tag) => Err(Reason::NoneMatchTag(tag.to_owned()).at(path)),
    }
}

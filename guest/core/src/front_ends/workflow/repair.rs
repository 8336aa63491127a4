//! Repairs that a workflow can follow: they name its tools and parameters only.

use super::catalogue::Tool;
use crate::contract::OPERATIONS;
use crate::contract::types::{Code, Error};
use crate::text::excerpt::in_backticks;

/// An error of an operation with a repair for the tool that called it.
pub(super) fn repaired(tool: &Tool, mut error: Error) -> Error {
    let is_kept =
        error.repair.as_deref().is_none_or(|repair| in_backticks(repair).all(|name| is_known(tool, name)));
    // The repair for a name that is taken depends on the tool.
    if !is_kept || error.code == Code::Exists {
        error.repair = instead(tool, &error.code).map(str::to_owned);
    }
    error
}

/// False for an operation of fsgate, or an argument of one, that the tool does not have.
fn is_known(tool: &Tool, name: &str) -> bool {
    let is_foreign = || {
        OPERATIONS.iter().any(|operation| {
            operation.name == name || operation.fields.iter().any(|field| field.name == name)
        })
    };
    Tool::find(name).is_some() || tool.has(name) || !is_foreign()
}

/// The repair for a code, if the tool has one.
fn instead(tool: &Tool, code: &Code) -> Option<&'static str> {
    match code {
        Code::Exists if tool.has("overwrite") => Some("set `overwrite` to true, or give another path"),
        Code::Exists => Some("give another path"),
        Code::IsDirectory if tool.has("recursive") => {
            Some("set `recursive` to true to take it with everything in it")
        }
        Code::IsDirectory => Some("give the path of a file in it; `list_directory` lists them"),
        Code::NotText(_) if tool.has("encoding") => {
            Some("name the encoding of the file with `encoding`, or give `base64` there to get its bytes")
        }
        Code::TooLarge(_) if tool.has("max_lines") => {
            Some("read a part of it with `max_lines` and `skip_lines`")
        }
        Code::ConfirmationRequired if tool.has("confirm") => Some("set `confirm` to true"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repair_names_what_the_tool_has() {
        for (tool, code, repair, expected) in [
            (
                "write_file",
                Code::Exists,
                "change the file with `replace`",
                Some("set `overwrite` to true, or give another path"),
            ),
            ("create_directory", Code::Exists, "change the file with `replace`", Some("give another path")),
            (
                "delete_file",
                Code::IsDirectory,
                "delete it with `delete_directory`",
                Some("set `recursive` to true to take it with everything in it"),
            ),
            (
                "read_file",
                Code::NotText(3),
                "read it with `read_bytes`",
                Some(
                    "name the encoding of the file with `encoding`, or give `base64` there to get its bytes",
                ),
            ),
            ("read_file", Code::Stale(String::new()), "take `if_match` out", None),
            ("copy_file", Code::IsDirectory, "set `recursive` to true", Some("set `recursive` to true")),
            ("read_file", Code::NotFound, "did you mean `a.txt`?", Some("did you mean `a.txt`?")),
            ("read_file", Code::NotFound, "check the path", Some("check the path")),
            ("write_file", Code::IsDirectory, "see `list_directory`", Some("see `list_directory`")),
        ] {
            let error = Error {
                code,
                operation: tool.to_owned(),
                path: None,
                message: String::new(),
                applied: false,
                repair: Some(repair.to_owned()),
                details: None,
            };
            let repaired = repaired(Tool::find(tool).unwrap(), error);
            assert_eq!(repaired.repair.as_deref(), expected, "{tool}: {repair}");
            let names_its_own =
                |repair: &str| in_backticks(repair).all(|name| is_known(Tool::find(tool).unwrap(), name));
            assert!(repaired.repair.as_deref().is_none_or(names_its_own), "{tool}: {repair}");
        }
    }
}

//! Errors and notes in a workflow's terms.

use super::catalogue::ToolSpec;
use super::convert::error;
use fsgate_contract::OPERATIONS;
use fsgate_contract::types::{Code, Error};
use fsgate_text::excerpt::{in_backticks, quoted};

/// Arguments of operations and the parameters that set them, by tool.
const NAMES: [(&str, &[(&str, &str)]); 7] = [
    ("read_file", &[("path", "file_path")]),
    ("write_file", &[("path", "file_path")]),
    ("list_directory", &[("path", "directory_path")]),
    ("create_directory", &[("path", "directory_path"), ("parents", "recursive")]),
    ("copy_file", &[("source", "source_path"), ("destination", "destination_path"), ("glob", "pattern")]),
    ("move_file", &[("source", "source_path"), ("destination", "destination_path")]),
    ("delete_file", &[("path", "file_path"), ("glob", "pattern")]),
];

const MEANT: &str = "did you mean";

pub(super) fn parameter(tool: &str, argument: &str) -> Option<&'static str> {
    let (_, names) = NAMES.iter().find(|(name, _)| *name == tool)?;
    names.iter().find(|(name, _)| *name == argument).map(|(_, parameter)| *parameter)
}

pub(super) fn named(tool: &str, sentence: &str) -> String {
    let names = NAMES.iter().find(|(name, _)| *name == tool).map_or(&[][..], |(_, names)| names);
    names.iter().fold(sentence.to_owned(), |sentence, (argument, parameter)| {
        sentence.replace(&format!("`{argument}`"), &format!("`{parameter}`"))
    })
}

/// An operation's error in the tool's terms. `is_set` knows its flags.
pub(super) fn repaired(tool: &ToolSpec, is_set: impl Fn(&str) -> bool, mut error: Error) -> Error {
    error.message = named(tool.name, &error.message);
    error.repair =
        error.repair.map(|repair| if repair.starts_with(MEANT) { repair } else { named(tool.name, &repair) });
    if let Code::InvalidArgument(field) = &mut error.code
        && let Some(parameter) = parameter(tool.name, field)
    {
        *field = parameter.to_owned();
    }
    let is_kept =
        error.repair.as_deref().is_none_or(|repair| in_backticks(repair).all(|name| is_known(tool, name)));
    // The tool decides repairs for existing and missing names.
    let is_ours =
        error.code == Code::Exists || error.code == Code::NotFound && tool.name == "create_directory";
    if !is_kept || is_ours {
        error.repair = instead(tool, is_set, &error.code).map(str::to_owned);
    }
    error
}

pub(super) fn mistyped(tool: &ToolSpec, parameter: &str, problem: String) -> Error {
    let repair = format!("correct {} in the block", quoted(parameter));
    error(tool.name, Code::InvalidArgument(parameter.to_owned()), problem, Some(repair))
}

fn is_known(tool: &ToolSpec, name: &str) -> bool {
    let is_foreign = || {
        OPERATIONS.iter().any(|operation| {
            operation.name == name || operation.fields.iter().any(|field| field.name == name)
        })
    };
    ToolSpec::find(name).is_some() || tool.has(name) || !is_foreign()
}

fn instead(tool: &ToolSpec, is_set: impl Fn(&str) -> bool, code: &Code) -> Option<&'static str> {
    let offers = |flag: &str| tool.has(flag) && !is_set(flag);
    match code {
        Code::Exists if offers("overwrite") => Some("set `overwrite` to true, or give another path"),
        Code::Exists => Some("give another path"),
        Code::NotFound if offers("recursive") => {
            Some("set `recursive` to true to make the directories above it as well")
        }
        Code::NotFound => Some("check the spelling of the path"),
        Code::IsDirectory if offers("recursive") => {
            Some("set `recursive` to true to take it with everything in it")
        }
        Code::IsDirectory => Some("give the path of a file in it; `list_directory` lists them"),
        Code::NotEncodable(_) if tool.has("encoding") => {
            Some("use other characters, or name an encoding that has them with `encoding`")
        }
        Code::NotText(_) if tool.has("encoding") => {
            Some("name the encoding of the file with `encoding`, or give `base64` there to get its bytes")
        }
        Code::TooLarge(_) if tool.has("max_lines") => {
            Some("read a part of it with `max_lines` and `skip_lines`")
        }
        Code::ConfirmationRequired if offers("confirm") => Some("set `confirm` to true"),
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
            (
                "write_file",
                Code::NotEncodable("é".to_owned()),
                "use other characters, or write the file in another encoding with `write`",
                Some("use other characters, or name an encoding that has them with `encoding`"),
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
            let repaired = repaired(ToolSpec::find(tool).unwrap(), |_| false, error);
            assert_eq!(repaired.repair.as_deref(), expected, "{tool}: {repair}");
            let names_its_own =
                |repair: &str| in_backticks(repair).all(|name| is_known(ToolSpec::find(tool).unwrap(), name));
            assert!(repaired.repair.as_deref().is_none_or(names_its_own), "{tool}: {repair}");
        }
    }
}

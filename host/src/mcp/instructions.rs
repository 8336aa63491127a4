//! The text for a model about all tools and the directories.

use std::fmt::Write;

use crate::grant::Access;
use crate::{Directory, Operation};

/// A line, used if all its named tools, or their named arguments, are served.
const LINES: &[(&[&str], &str)] = &[
    (&["read", "replace"], "Look before you change: `replace` takes text byte for byte as `read` shows it."),
    (
        &["edit", "read"],
        "Look before you change: `edit` takes text byte for byte as `read` shows it, without line numbers.",
    ),
    (
        &["read_numbered"],
        "Numbers in `read_numbered` are not part of the file: leave them out of what you look for.",
    ),
    (
        &["grep.regex", "glob"],
        "To find something, take `grep` (contents, literal unless `regex`) or `glob` (names).",
    ),
    (
        &["edit", "read.outline"],
        "A `section` of `read` and `edit` has a name that `outline` lists (`fn run`, `impl A`, `## Title`), or several from the outside in. Comments \
         and attributes above are no part of it: an empty `new` deletes them as well, with the blank lines of one side, \
         and `at: before` is above them. `new` has its own indentation and blank lines.",
    ),
    (&["read_many"], "Several files are read by one `read_many`."),
    (
        &["create", "write"],
        "`create` makes a new file, `write` replaces a whole one; both make missing directories.",
    ),
];

/// A line, used if served tools have all its arguments.
const ARGUMENTS: &[(&[&str], &str)] = &[
    (
        &["cursor"],
        "An answer that ends early has `next_cursor`: call again with the same arguments and this as \
         `cursor`.",
    ),
    (
        &["if_match"],
        "Changes: give the `etag` of what you saw as `if_match`, and a file that has changed since is \
         refused as `stale`.",
    ),
    (&["dry_run", "diff"], "`dry_run` tries a change, `diff` shows it."),
];

/// The first lines: some clients show a model no more than the first 512 characters.
const FIRST: &str = "These tools reach the files in the directories at the end of this text, and nothing else. Relative paths start at \
     the first one; `..` and links do not lead out.\n\
     An error names its code and what to do next; unless it says `applied`, nothing has changed.\n";

const UNLISTED: &str = "An answer may name an argument that is not listed, such as `encoding` or `multi_line`: the tool takes it.\n";

/// The addition for a client with roots that are not known yet.
pub(super) const ROOTS: &str = "\nThe client's roots may narrow these directories. Relative paths then start at the first \
                                one that is left; an error for a path outside names them.";

/// Bytes of the whole text: Claude Code cuts longer ones (2.1.283, 2026-11).
const MOST: usize = 2_048 - ROOTS.len();

pub(super) fn instructions(tools: &[&Operation], directories: &[Directory]) -> String {
    let is_served = |name: &&str| {
        let (tool, argument) = name.split_once('.').unwrap_or((name, ""));
        let has = |operation: &&Operation| {
            argument.is_empty() || operation.fields.iter().any(|field| field.name == argument)
        };
        tools.iter().any(|operation| operation.name == tool && has(operation))
    };
    let has =
        |name: &&str| tools.iter().any(|operation| operation.fields.iter().any(|field| field.name == *name));
    let of_tools = LINES.iter().filter(|(names, _)| names.iter().all(is_served));
    let of_arguments = ARGUMENTS.iter().filter(|(names, _)| names.iter().all(has));
    let mut text = FIRST.to_owned();
    for (_, line) in of_tools.chain(of_arguments) {
        let _ = writeln!(text, "{line}");
    }
    text += UNLISTED;
    text += "Directories:";
    for (number, Directory { name, access, .. }) in directories.iter().enumerate() {
        let access = match access {
            Access::Read => "read only",
            Access::Write => "read and write",
        };
        let line = format!("\n- {name} ({access})");
        let rest = format!("\n- and {} more", directories.len() - number);
        if text.len() + line.len() + rest.len() > MOST {
            return text + &rest;
        }
        text += &line;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instructions_for(tools: &[&str]) -> String {
        let tools: Vec<_> = tools.iter().map(|name| Operation::find(name).unwrap()).collect();
        let directory = |name: &str, access| Directory { name: name.to_owned(), access, path: name.into() };
        instructions(&tools, &[directory("/w", Access::Write), directory("/r", Access::Read)])
    }

    #[test]
    fn only_what_is_served_is_named() {
        let all = instructions_for(&["read", "read_numbered", "create", "write", "replace"]);
        for expected in
            ["\n- /w (read and write)\n- /r (read only)", "`replace` takes", "`create` makes", "if_match"]
        {
            assert!(all.contains(expected), "{all}");
        }
        assert!(all.lines().count() <= 15, "{all}");
        for (tool, unexpected) in [
            ("read", &["`replace`", "`create`", "if_match", "`read_numbered`"][..]),
            ("redo", &["if_match", "etag", "cursor"]),
            ("checkpoint", &["if_match", "dry_run", "cursor"]),
        ] {
            let text = instructions_for(&[tool]);
            assert!(!unexpected.iter().any(|name| text.contains(name)), "{text}");
        }
    }

    #[test]
    fn the_beginning_stands_alone_and_the_whole_is_bounded() {
        let lean: Vec<_> = fsgate_contract::LEAN.iter().collect();
        let all: Vec<_> = crate::OPERATIONS.iter().collect();
        let directory = |number: usize| Directory {
            name: format!("/home/somewhere/deep/below/{number}"),
            access: Access::Write,
            path: "/x".into(),
        };
        for tools in [lean, all] {
            for count in [1, 1_000] {
                let text = instructions(&tools, &(0..count).map(directory).collect::<Vec<_>>());
                assert!(text.len() + ROOTS.len() <= 2_048, "{} bytes", text.len());
                assert_eq!(text.contains(" more"), count > 1, "{text}");
            }
        }
        let text = instructions(&fsgate_contract::LEAN.iter().collect::<Vec<_>>(), &[directory(1)]);
        let first: String = text.chars().take(512).collect();
        for expected in ["nothing else", "Relative paths", "`applied`", "Look before you change"] {
            assert!(first.contains(expected), "{first}");
        }
    }

    #[test]
    fn a_line_names_the_tools_of_which_it_speaks() {
        for (names, line) in LINES {
            for name in names.iter().flat_map(|name| name.split('.')) {
                assert!(line.contains(&format!("`{name}`")), "{name}: {line}");
            }
        }
    }
}

//! The system's tools.

use self::ToolParameterKind::{Flag, Number, Text};

/// A tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// Its parameters, the main path first.
    pub parameters: &'static [ToolParameter],
}

/// A parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolParameter {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ToolParameterKind,
    /// It is required.
    pub required: bool,
    /// Its default, as written.
    pub default: Option<&'static str>,
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolParameterKind {
    /// Any text.
    Text,
    /// A whole number from 0.
    Number,
    /// `true` or `false`.
    Flag,
}

impl ToolSpec {
    /// The tool with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Whether it has this parameter.
    pub fn has(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|known| known.name == parameter)
    }
}

const fn needed(name: &'static str) -> ToolParameter {
    ToolParameter { name, kind: Text, required: true, default: None }
}

const fn free(name: &'static str) -> ToolParameter {
    ToolParameter { name, kind: Text, required: false, default: None }
}

const fn with(name: &'static str, kind: ToolParameterKind, default: &'static str) -> ToolParameter {
    ToolParameter { name, kind, required: false, default: Some(default) }
}

/// Every tool.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "read_file",
        parameters: &[
            needed("file_path"),
            free("encoding"),
            with("max_size_mb", Number, "10"),
            with("max_lines", Number, "0"),
            with("skip_lines", Number, "0"),
        ],
    },
    ToolSpec {
        name: "write_file",
        parameters: &[
            needed("file_path"),
            needed("content"),
            with("encoding", Text, "utf-8"),
            with("create_backup", Flag, "true"),
            with("overwrite", Flag, "true"),
        ],
    },
    ToolSpec {
        name: "list_directory",
        parameters: &[
            needed("directory_path"),
            with("pattern", Text, "*"),
            with("recursive", Flag, "false"),
            with("include_hidden", Flag, "false"),
            with("max_depth", Number, "0"),
        ],
    },
    ToolSpec {
        name: "create_directory",
        parameters: &[needed("directory_path"), with("recursive", Flag, "true")],
    },
    ToolSpec {
        name: "copy_file",
        parameters: &[
            needed("source_path"),
            needed("destination_path"),
            with("overwrite", Flag, "false"),
            free("pattern"),
            with("recursive", Flag, "false"),
        ],
    },
    ToolSpec {
        name: "move_file",
        parameters: &[
            needed("source_path"),
            needed("destination_path"),
            with("overwrite", Flag, "false"),
            with("recursive", Flag, "false"),
        ],
    },
    ToolSpec {
        name: "delete_file",
        parameters: &[
            needed("file_path"),
            with("confirm", Flag, "false"),
            free("pattern"),
            with("recursive", Flag, "false"),
        ],
    },
    ToolSpec { name: "get_file_info", parameters: &[needed("path")] },
];

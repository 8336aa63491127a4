//! What is asked, in the tools' own words. `peers.rs` says it in the flags of the other programs. Each query is asked with
//! and without ignore rules, so none says `respect_ignore`.

/// Calls of `grep`.
pub(crate) const GREP: &[&str] = &[
    // Literals.
    r#"{"pattern": "unsafe"}"#,
    r#"{"pattern": "fn main() {"}"#,
    r#"{"pattern": "->"}"#,
    r#"{"pattern": "--"}"#,
    r#"{"pattern": "\t"}"#,
    r#"{"pattern": "\\n"}"#,
    r#"{"pattern": ".*"}"#,
    r#"{"pattern": "nothing has this in it"}"#,
    // Letter case and words.
    r#"{"pattern": "ERROR", "ignore_case": true}"#,
    r#"{"pattern": "äöü", "ignore_case": true}"#,
    r#"{"pattern": "σίσυφοσ", "ignore_case": true}"#,
    r#"{"pattern": "unsafe", "word": true}"#,
    r#"{"pattern": "self", "word": true, "ignore_case": true}"#,
    r#"{"pattern": "-safe", "word": true}"#,
    r#"{"pattern": "un|safe", "word": true, "regex": true}"#,
    // Regular expressions.
    r#"{"pattern": "\\bfn\\s+(\\w+)", "regex": true}"#,
    r#"{"pattern": "^use ", "regex": true}"#,
    r#"{"pattern": ";$", "regex": true}"#,
    r#"{"pattern": "^$", "regex": true}"#,
    r#"{"pattern": "[A-Z]{4,}|\\p{Greek}", "regex": true}"#,
    r#"{"pattern": "(?i)todo|fixme", "regex": true}"#,
    r#"{"pattern": "\\d+\\.\\d+", "regex": true, "include": ["*.toml"]}"#,
    r#"{"pattern": "x*", "regex": true, "path": "text"}"#,
    // Over several lines.
    r#"{"pattern": "{\n    ", "multi_line": true}"#,
    r#"{"pattern": "\\{\\s*\\}", "regex": true, "multi_line": true}"#,
    r#"{"pattern": "(?s)struct \\w+ \\{.*?\\}", "regex": true, "multi_line": true}"#,
    r#"{"pattern": "unsafe;?\\r?\\n", "regex": true, "multi_line": true, "path": "text"}"#,
    r#"{"pattern": "^\\}$\\s+^(pub )?fn", "regex": true, "multi_line": true}"#,
    // What stands around.
    r#"{"pattern": "unsafe", "before": 2}"#,
    r#"{"pattern": "unsafe", "after": 3}"#,
    r#"{"pattern": "let", "word": true, "before": 1, "after": 1}"#,
    r#"{"pattern": "\\{\\s*\\}", "regex": true, "multi_line": true, "before": 1, "after": 2}"#,
    // Which files.
    r#"{"pattern": "unsafe", "include": ["*.rs"]}"#,
    r#"{"pattern": "the", "include": ["*.md", "*.txt"]}"#,
    r#"{"pattern": "e", "include": ["crate/src/**"], "mode": "files"}"#,
    r#"{"pattern": "e", "include": ["[a-m]*.{rs,toml}"], "mode": "files"}"#,
    r#"{"pattern": "unsafe", "exclude": ["*.rs"]}"#,
    r#"{"pattern": "e", "exclude": ["src", "text"], "mode": "files"}"#,
    r#"{"pattern": "unsafe", "exclude": ["crate/src/*.rs", "below"], "mode": "files"}"#,
    r#"{"pattern": "e", "include": ["*.rs"], "exclude": ["[a-m]*"], "mode": "files"}"#,
    r#"{"pattern": "unsafe", "include_hidden": true}"#,
    r#"{"pattern": "target", "include_hidden": true, "mode": "files"}"#,
    r#"{"pattern": "fn", "path": "crate/src"}"#,
    r#"{"pattern": "unsafe", "path": "rules/below"}"#,
    r#"{"pattern": "unsafe", "path": "nested", "include_hidden": true}"#,
    // Other forms of answer.
    r#"{"pattern": "unsafe", "mode": "files"}"#,
    r#"{"pattern": "unsafe", "mode": "count"}"#,
    r#"{"pattern": "e", "mode": "count", "word": true}"#,
];

/// Calls of `glob`.
pub(crate) const GLOB: &[&str] = &[
    r#"{"pattern": "**"}"#,
    r#"{"pattern": "*"}"#,
    r#"{"pattern": "**/*.rs"}"#,
    r#"{"pattern": "*.tmp"}"#,
    r#"{"pattern": "**/*.{toml,md,txt}"}"#,
    r#"{"pattern": "crate/*"}"#,
    r#"{"pattern": "crate/**"}"#,
    r#"{"pattern": "crate/src/*.rs"}"#,
    r#"{"pattern": "**/src/**/*.rs"}"#,
    r#"{"pattern": "**/tests"}"#,
    r#"{"pattern": "**/[a-m]*.rs"}"#,
    r#"{"pattern": "**/[!a-m]*"}"#,
    r#"{"pattern": "**/?o?.*"}"#,
    r#"{"pattern": "**/below/*"}"#,
    r#"{"pattern": "*/*/*"}"#,
    r#"{"pattern": "**/*.RS"}"#,
    r#"{"pattern": "**/\\[set\\]/*"}"#,
    r#"{"pattern": "**/.*", "include_hidden": true}"#,
    r#"{"pattern": "**", "include_hidden": true}"#,
    r#"{"pattern": "src/*.rs", "path": "crate"}"#,
    r#"{"pattern": "**/*", "path": "rules"}"#,
];

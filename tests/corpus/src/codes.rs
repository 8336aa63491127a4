//! The codes of each operation, checked by the corpus and the reference.

/// Codes of faults of the volume or host, in any operation. Fault injection proves them, not cases.
pub const FAULT_CODES: &[&str] = &[
    "busy",
    "cross_device",
    "deadline",
    "io",
    "limit",
    "no_space",
    "other",
    "quota",
    "unrecovered",
    "unsupported",
];

/// Codes that need a huge file, very many files, or a small history. Tests with those prove them,
/// not cases.
pub const SIZE_CODES: &[(&str, &str)] = &[
    ("comment_lines", "too_large"),
    ("copy", "too_large"),
    ("delete_directory", "too_large"),
    ("insert_lines", "too_large"),
    ("move", "too_large"),
    ("redo", "too_large"),
    ("replace", "too_large"),
    ("replace_lines", "too_large"),
    ("restore", "too_large"),
    ("uncomment_lines", "too_large"),
    ("undo", "too_large"),
    ("write", "too_large"),
    ("write_bytes", "too_large"),
];

const PATH_CODES: &[&str] = &[
    "denied_by_policy",
    "invalid_path",
    "name_too_long",
    "not_directory",
    "not_granted",
    "path_escape",
    "link_loop",
];

const FILE_CODES: &[&str] = &["not_found", "is_directory", "special_file"];

/// Codes of malformed JSON calls.
pub const CALL_CODES: &[&str] = &["invalid_argument", "malformed"];

/// The codes of an operation, except [`FAULT_CODES`], [`SIZE_CODES`] and [`CALL_CODES`]. Each has a
/// case in the corpus.
pub fn codes_of(operation: &str) -> Vec<&'static str> {
    let own: &[&[&str]] = match operation {
        "read" => &[FILE_CODES, &["invalid_argument", "not_text", "stale", "too_large"]],
        "read_numbered" => &[
            FILE_CODES,
            &["ambiguous", "invalid_argument", "invalid_range", "no_match", "not_text", "stale", "too_large"],
        ],
        "outline" => &[FILE_CODES, &["ambiguous", "invalid_argument", "no_match", "not_text", "too_large"]],
        // Path errors are in the outcome, per file.
        "read_many" => return vec!["invalid_argument"],
        "read_bytes" => &[FILE_CODES, &["invalid_argument", "too_large"]],
        "stat" => &[&["not_found"]],
        // A missing file is an answer.
        "exists" => return PATH_CODES.iter().copied().filter(|code| *code != "not_directory").collect(),
        "grep" => &[
            &["ambiguous", "invalid_argument", "invalid_pattern", "limit", "no_match", "not_found"],
            &["special_file", "too_large"],
        ],
        "list_directory" | "glob" => &[&["invalid_argument", "invalid_pattern", "not_found"]],
        "tree" => &[&["invalid_argument", "not_found"]],
        "create" => &[&[
            "exists",
            "invalid_argument",
            "not_encodable",
            "not_found",
            "read_only",
            "stale",
            "too_large",
        ]],
        "write" => &[&[
            "exists",
            "invalid_argument",
            "is_directory",
            "not_encodable",
            "not_found",
            "read_only",
            "special_file",
            "stale",
        ]],
        "write_bytes" => &[&["exists", "is_directory", "not_found", "read_only", "special_file", "stale"]],
        "append" => &[&[
            "invalid_argument",
            "is_directory",
            "not_encodable",
            "not_found",
            "not_text",
            "read_only",
            "special_file",
            "stale",
            "too_large",
        ]],
        "create_directory" => &[&["exists", "not_found", "read_only"]],
        "copy" => &[FILE_CODES, &["exists", "invalid_argument", "invalid_pattern", "read_only", "stale"]],
        "move" => &[FILE_CODES, &["cross_device", "exists", "invalid_argument", "read_only", "stale"]],
        "delete" => &[&[
            "confirmation_required",
            "invalid_argument",
            "invalid_pattern",
            "io",
            "is_directory",
            "not_found",
            "read_only",
            "stale",
            "too_large",
        ]],
        "log" => return but(PATH_CODES, "not_directory", &["invalid_argument"]),
        "checkpoint" => return vec!["invalid_argument"],
        "undo" | "redo" => {
            return vec![
                "denied_by_policy",
                "invalid_argument",
                "nothing_to_undo",
                "undo_conflict",
                "unknown_id",
            ];
        }
        "restore" => {
            let own = ["invalid_argument", "nothing_to_undo", "undo_conflict", "unknown_id"];
            return but(PATH_CODES, "not_directory", &own);
        }
        "forget" => return but(PATH_CODES, "not_directory", &["invalid_argument", "unknown_id"]),
        // It refuses nothing.
        "recover" => return Vec::new(),
        "delete_directory" => &[&["confirmation_required", "not_empty", "not_found", "read_only"]],
        "replace_all" => &[
            FILE_CODES,
            &[
                "ambiguous",
                "count_mismatch",
                "invalid_argument",
                "invalid_pattern",
                "limit",
                "no_match",
                "not_encodable",
                "not_text",
                "read_only",
                "stale",
                "too_large",
            ],
        ],
        "apply" => &[
            FILE_CODES,
            &[
                "ambiguous",
                "confirmation_required",
                "exists",
                "invalid_argument",
                "malformed",
                "no_match",
                "not_encodable",
                "out_of_range",
                "not_text",
                "read_only",
                "stale",
                "too_large",
                "unsupported",
            ],
        ],
        "replace_in_files" => &[
            FILE_CODES,
            &[
                "count_mismatch",
                "invalid_argument",
                "invalid_pattern",
                "limit",
                "not_encodable",
                "read_only",
                "stale",
                "too_large",
                "unknown_id",
            ],
        ],
        "replace" => &[
            FILE_CODES,
            &[
                "ambiguous",
                "invalid_argument",
                "no_match",
                "not_encodable",
                "out_of_range",
                "not_text",
                "read_only",
                "stale",
            ],
        ],
        "replace_lines" => &[
            FILE_CODES,
            &[
                "ambiguous",
                "invalid_argument",
                "invalid_range",
                "no_match",
                "not_encodable",
                "not_text",
                "out_of_range",
                "read_only",
                "stale",
            ],
        ],
        "insert_lines" => &[
            FILE_CODES,
            &[
                "ambiguous",
                "invalid_argument",
                "no_match",
                "not_encodable",
                "not_text",
                "out_of_range",
                "read_only",
                "stale",
            ],
        ],
        "comment_lines" | "uncomment_lines" => &[
            FILE_CODES,
            &["invalid_argument", "invalid_range", "not_text", "out_of_range", "read_only", "stale"],
        ],
        _ => &[],
    };
    own.iter().copied().chain([PATH_CODES]).flatten().copied().collect()
}

fn but(codes: &[&'static str], not: &str, more: &[&'static str]) -> Vec<&'static str> {
    codes.iter().filter(|code| **code != not).chain(more).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgate_contract::types::Code;

    #[test]
    fn every_code_of_every_operation_is_in_the_contract() {
        for operation in fsgate_contract::OPERATIONS {
            let codes = codes_of(operation.name);
            assert!(!codes.is_empty() || operation.name == "recover", "{} has no codes", operation.name);
            for code in codes.iter().chain(FAULT_CODES).chain(CALL_CODES) {
                assert!(Code::NAMES.contains(code), "{code}");
            }
        }
    }
}

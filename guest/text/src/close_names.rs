//! Names that are almost known ones.

use fsgate_contract::{Operation, synonyms};

/// The known tool that a wrong name probably means. A name that reads, or says nothing about that,
/// means no tool that changes unless it is almost that tool's name.
pub fn nearest_tool(name: &str, known: &[&'static str]) -> Option<&'static str> {
    /// The most wrong characters in a name, at most one in four: `wipe` is not `write`.
    const MISTYPED: usize = 2;
    if let Some(tool) = synonyms::tool(name) {
        // A tool with a similar name does something else.
        return known.iter().copied().find(|known| *known == tool);
    }
    let typed = synonyms::snake_case(name);
    let is_meant = |tool: &&&'static str| {
        let reads = Operation::find(tool).is_some_and(|operation| operation.read_only);
        let verb = tool.split('_').next().unwrap_or_default();
        reads
            || strsim::osa_distance(&typed, tool) <= MISTYPED.min(typed.len() / 4)
            || typed.split('_').any(|word| strsim::osa_distance(word, verb) <= 1)
    };
    let meant: Vec<_> = known.iter().filter(is_meant).copied().collect();
    nearest(&typed, &meant)
}

/// The known name most similar to this one.
pub fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    /// The least Jaro-Winkler similarity. Below it, names share only some letters.
    const ALIKE: f64 = 0.8;
    if name.len() > 100 {
        return None;
    }
    let name = name.to_lowercase().replace('-', "_");
    known
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&name, candidate), *candidate))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use fsgate_contract::OPERATIONS;

    use super::*;

    #[test]
    fn a_name_that_reads_means_no_tool_that_changes() {
        let all: Vec<_> = OPERATIONS.iter().map(|operation| operation.name).collect();
        let without =
            |names: &[&str]| all.iter().copied().filter(|name| !names.contains(name)).collect::<Vec<_>>();
        for (name, known, expected) in [
            ("directory_tree", &all, Some("tree")),
            ("directory_tree", &without(&["tree"]), None),
            ("get_file_info", &all, Some("stat")),
            ("file_exists", &all, Some("exists")),
            ("MultiEdit", &all, Some("apply")),
            ("str_replace_editor", &all, Some("replace")),
            ("search_and_replace", &all, Some("replace_in_files")),
            ("delete_lines", &all, Some("replace_lines")),
            ("delete_text", &all, Some("replace")),
            ("undo_edit", &all, Some("undo")),
            ("undo_last", &all, Some("undo")),
            ("history", &all, Some("log")),
            ("directory_info", &all, None),
            ("directory", &without(&["list_directory"]), None),
            ("read_directory", &all, Some("read")),
            ("raed", &all, Some("read")),
            ("deletx", &all, Some("delete")),
            ("Delete-Directory", &all, Some("delete_directory")),
            ("create_dir", &all, Some("create_directory")),
            ("write_file", &all, Some("write")),
            ("writeFile", &all, Some("write")),
            ("deleteFile", &all, Some("delete")),
            ("rollback", &all, Some("undo")),
            ("make_dir", &all, Some("create_directory")),
            ("read_multiple_files", &all, Some("read_many")),
            ("wipe", &all, None),
            ("nonsense", &all, None),
        ] {
            assert_eq!(nearest_tool(name, known), expected, "{name}");
        }
    }
}

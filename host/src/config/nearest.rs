//! The known name that a typed name probably means.

/// Least similarity of a suggestion, at most 1: allows missing, changed or swapped letters, but not
/// another word.
const ALIKE: f64 = 0.8;

/// Returns the most similar name. Names with dots are compared by their last part too.
pub(crate) fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let name = name.to_lowercase();
    let end = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let likeness = |other: &str| {
        let other = other.to_lowercase();
        let whole = strsim::jaro_winkler(&name, &other);
        whole.max(strsim::jaro_winkler(&end(&name), &end(&other)) - 0.01)
    };
    names
        .into_iter()
        .map(|other| (likeness(other), other))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, other)| other.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant_is_found() {
        let names = ["history.bytes", "history.entries", "limits.deadline_seconds", "state_dir", "policy"];
        for (typed, meant) in [
            ("history.byte", Some("history.bytes")),
            ("history.entires", Some("history.entries")),
            ("State_Dir", Some("state_dir")),
            ("statedir", Some("state_dir")),
            ("deadline_seconds", Some("limits.deadline_seconds")),
            ("polcy", Some("policy")),
            ("colour", None),
            ("x", None),
        ] {
            assert_eq!(nearest(typed, names).as_deref(), meant, "{typed}");
        }
    }
}

//! The name that somebody probably meant.

/// How much alike two names have to be, of 1: letters that are missing, changed or in another order, but not another word.
const ALIKE: f64 = 0.8;

/// The name that is most like another one, if any is. Of names with dots their ends count as well.
pub(crate) fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let name = name.to_lowercase();
    let end = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let likeness = |other: &str| {
        let other = other.to_lowercase();
        let whole = strsim::jaro_winkler(&name, &other);
        // Behind names that are alike as a whole.
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

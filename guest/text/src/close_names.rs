//! Names that are almost known ones.

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

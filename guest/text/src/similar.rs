//! Suggestions for a missing name.

use unicode_normalization::UnicodeNormalization;

use fsgate_contract::limits::{SUGGESTED_NAME_BYTES, SUGGESTIONS};

/// The names nearest to a missing one.
#[derive(Debug)]
pub struct Suggestions {
    wanted: String,
    folded: String,
    best: Vec<(f64, String)>,
}

/// The share of a name that may differ: one of six characters, two of twelve.
const DIFFERENT: f64 = 0.17;

/// The longest name of file systems.
const NAME_CHARS: usize = 255;

impl Suggestions {
    /// Suggestions for a missing name.
    pub fn new(wanted: &str) -> Self {
        Self { wanted: wanted.to_owned(), folded: folded(wanted), best: Vec::new() }
    }

    /// Considers an existing name.
    pub fn consider(&mut self, name: &str) {
        let Some(distance) = self.distance(name) else { return };
        let before = |other: &(f64, String)| (other.0, other.1.as_str()) <= (distance, name);
        let at = self.best.iter().take_while(|other| before(other)).count();
        self.best.insert(at, (distance, name.to_owned()));
        self.best.truncate(SUGGESTIONS);
    }

    /// The nearest names, best first.
    pub fn finish(self) -> Vec<String> {
        self.best.into_iter().map(|(_, name)| name).collect()
    }

    /// The distance to the missing name: 0 in another case or normal form; none if too far.
    fn distance(&self, name: &str) -> Option<f64> {
        if name == self.wanted || name.len() > 4 * NAME_CHARS || self.wanted.len() > 4 * NAME_CHARS {
            return None;
        }
        // Normal forms differ in length: Hangul threefold.
        let is_ascii = name.is_ascii() && self.wanted.is_ascii();
        if is_ascii && !are_near(name.len(), self.wanted.len()) {
            return None;
        }
        let name = folded(name);
        if name == self.folded {
            return Some(0.0);
        }
        if !are_near(name.len(), self.folded.len()) {
            return None;
        }
        // Each surplus character is a difference.
        let (some, others) = (name.chars().count(), self.folded.chars().count());
        let different = some.abs_diff(others) as f64 > DIFFERENT * some.max(others) as f64;
        if different || name.len().max(self.folded.len()) > SUGGESTED_NAME_BYTES {
            return None;
        }
        let distance = 1.0 - strsim::normalized_damerau_levenshtein(&name, &self.folded);
        (distance <= DIFFERENT).then_some(distance)
    }
}

/// Whether two lengths differ by at most half.
fn are_near(one: usize, other: usize) -> bool {
    one.min(other) * 2 >= one.max(other)
}

/// Whether two names differ in case or normal form only.
pub fn is_twin(one: &str, other: &str) -> bool {
    one != other && folded(one) == folded(other)
}

fn folded(name: &str) -> String {
    name.nfkc().collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_what_is_near_and_nothing_else() {
        for (wanted, there, expected) in [
            ("readme.md", &["README.md", "Makefile"][..], &["README.md"][..]),
            ("main.rs", &["man.rs", "mian.rs", "lib.rs"], &["man.rs", "mian.rs"]),
            ("caf\u{e9}.txt", &["cafe\u{301}.txt"], &["cafe\u{301}.txt"]),
            // A Hangul syllable has nine bytes in one form, and three in the other.
            (
                "\u{d55c}\u{ad6d}\u{c5b4}.txt",
                &["\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}.txt"],
                &["\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}.txt"],
            ),
            ("\u{1100}\u{1161}\u{11a8}", &["\u{ac01}"], &["\u{ac01}"]),
            ("none.txt", &["a.txt", "b.txt"], &[]),
            ("a.txt", &["b.txt"], &[]),
            (
                "config.toml",
                &["configs.toml", "Config.toml", "config.yaml"],
                &["Config.toml", "configs.toml"],
            ),
            ("src", &["SRC", "sra"], &["SRC"]),
            ("aaaaaa", &["aaaaab", "aaaaac", "aaaaad", "aaaaae"], &["aaaaab", "aaaaac", "aaaaad"]),
            ("", &["a"], &[]),
        ] {
            let mut suggestions = Suggestions::new(wanted);
            there.iter().for_each(|name| suggestions.consider(name));
            assert_eq!(suggestions.finish(), expected, "{wanted}");
        }
    }
}

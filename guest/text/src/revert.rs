//! One change taken back in a text that has been changed since.

use memchr::memmem;

/// Returns the text `now` with `old` in the place of `new`, which a change once put there between
/// `before` and `behind` bytes. None if it is not certain where that is.
///
/// `new` goes where it was put, counted from one of the ends. If it is not there, but the bytes
/// around the place are those of then, everything between them goes: `is_old` knows the text before
/// the change. Otherwise `new` has to stand at one place only.
pub fn taken_back(
    now: &[u8],
    before: usize,
    behind: usize,
    old: &[u8],
    new: &[u8],
    is_old: impl Fn(&[u8]) -> bool,
) -> Option<Vec<u8>> {
    let with = |from: usize, to: usize| [&now[..from], old, &now[to..]].concat();
    // Nothing says where a text was deleted.
    let stands = |at: &usize| !new.is_empty() && now.get(*at..*at + new.len()) == Some(new);
    let from_end = now.len().checked_sub(behind + new.len());
    if let Some(at) = [Some(before), from_end].into_iter().flatten().find(stands) {
        return Some(with(at, at + new.len()));
    }
    let between = now.len().checked_sub(behind).filter(|to| *to >= before);
    if let Some(whole) = between.map(|to| with(before, to)).filter(|whole| is_old(whole)) {
        return Some(whole);
    }
    if new.is_empty() {
        return None;
    }
    let mut all = memmem::find_iter(now, new);
    let at = all.next().filter(|_| all.next().is_none())?;
    Some(with(at, at + new.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_change_is_taken_back_and_others_stay() {
        // The text before the change, the part that it replaced, what it put there; the text now,
        // and what becomes of it.
        for (was, (from, to), new, now, expected) in [
            // Nothing else happened.
            ("a one z", (2, 5), "two", "a two z", Some("a one z")),
            // Changed before it, behind it, on both sides.
            ("a one z", (2, 5), "two", "aa two z", Some("aa one z")),
            ("a one z", (2, 5), "two", "a two zz", Some("a one zz")),
            ("a one z", (2, 5), "two", "aa two zz", Some("aa one zz")),
            // Changed itself: the rest is as it was.
            ("a one z", (2, 5), "two", "a tree z", Some("a one z")),
            ("a one z", (2, 5), "", "a new z", Some("a one z")),
            // Changed itself, and something else as well.
            ("a one z", (2, 5), "two", "aa tree zz", None),
            // Several places.
            ("a one z", (2, 5), "two", "aa two two zz", None),
            // Deleted, and changed elsewhere.
            ("a one z", (2, 5), "", "aa  zz", None),
            // Added to, where nothing is behind it.
            ("", (0, 0), "x", "xy", Some("y")),
            ("one", (3, 3), " two", "one two three", Some("one three")),
            ("a", (0, 1), "", "", Some("a")),
        ] {
            let (old, behind) = (&was.as_bytes()[from..to], was.len() - to);
            let is_old = |text: &[u8]| text == was.as_bytes();
            let back = taken_back(now.as_bytes(), from, behind, old, new.as_bytes(), is_old);
            assert_eq!(back.as_deref(), expected.map(str::as_bytes), "{was} {new} {now}");
        }
    }
}

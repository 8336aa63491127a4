//! Reverts one change in a text that was changed since.

use memchr::memmem;

/// The text `now` with `old` in place of `new`, which a change put between `before` and `behind`
/// bytes. None if that place is uncertain.
///
/// `new` is expected at its place, counted from either end. If it is missing there and the
/// surrounding bytes are unchanged, everything between them is replaced: `is_old` recognises the
/// text before the change. Otherwise `new` must occur exactly once.
pub fn taken_back(
    now: &[u8],
    before: usize,
    behind: usize,
    old: &[u8],
    new: &[u8],
    is_old: impl Fn(&[u8]) -> bool,
) -> Option<Vec<u8>> {
    let with = |from: usize, to: usize| [&now[..from], old, &now[to..]].concat();
    // A deletion leaves no text to find.
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
        // The text before the change, the replaced part, its replacement; the text now, and the
        // reverted one.
        for (was, (from, to), new, now, expected) in [
            ("a one z", (2, 5), "two", "a two z", Some("a one z")),
            ("a one z", (2, 5), "two", "aa two z", Some("aa one z")),
            ("a one z", (2, 5), "two", "a two zz", Some("a one zz")),
            ("a one z", (2, 5), "two", "aa two zz", Some("aa one zz")),
            ("a one z", (2, 5), "two", "a tree z", Some("a one z")),
            ("a one z", (2, 5), "", "a new z", Some("a one z")),
            ("a one z", (2, 5), "two", "aa tree zz", None),
            ("a one z", (2, 5), "two", "aa two two zz", None),
            ("a one z", (2, 5), "", "aa  zz", None),
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

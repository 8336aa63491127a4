//! What stands for something else in the strings of a case.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::tree::Tree;

/// The start of a repetition.
pub const REPEAT: &str = "$repeat(";

/// The starts of the other placeholders that a call can have.
pub const PLACEHOLDERS: &[&str] =
    &["$etag(", "$etag-before(", "$range(", "$cursor(", "$occurrence(", "$rest("];

/// The text with every `$repeat(3, ab)` written out. The repeated text has no closing parenthesis.
pub fn repeated(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(REPEAT) {
        let written_out = after.split_once(')').and_then(|(inner, after)| {
            let (count, piece) = inner.split_once(", ")?;
            Some((piece.repeat(count.parse().ok()?), after))
        });
        let Some((piece, after)) = written_out else { break };
        out.push_str(before);
        out.push_str(&piece);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What placeholders speak of.
pub struct About<'a> {
    /// The tree before the call.
    pub before: &'a Tree,
    /// The tree after it.
    pub after: &'a Tree,
    /// The part of an occurrence's id that depends on the call.
    pub search: String,
    /// Repetitions stay as they are written.
    pub keeps_repeats: bool,
}

/// The value with the placeholders of all its strings replaced, `$time` aside.
pub fn expanded(value: &Value, about: &About) -> Result<Value> {
    Ok(match value {
        Value::String(text) => Value::String(string(text, about)?),
        Value::Array(values) => values.iter().map(|value| expanded(value, about)).collect::<Result<_>>()?,
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, value)| Ok((name.clone(), expanded(value, about)?)))
                .collect::<Result<_>>()?,
        ),
        other => other.clone(),
    })
}

fn string(written: &str, About { before, after, search, keeps_repeats }: &About) -> Result<String> {
    let text = repeated(written);
    let inside = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    let file = |tree: &Tree, path: &str| {
        tree.bytes(path).map(<[u8]>::to_vec).with_context(|| format!("{text}: no such file in the tree"))
    };
    if let Some(path) = inside("$etag") {
        return Ok(strong_tag(&file(after, path)?));
    }
    if let Some(path) = inside("$etag-before") {
        return Ok(strong_tag(&file(before, path)?));
    }
    let range = inside("$range").map(|range| (range, before));
    if let Some((range, tree)) = range.or_else(|| Some((inside("$range-after")?, after))) {
        let parts: Vec<_> = range.split(", ").collect();
        let [path, offset, length] = parts[..] else { bail!("{text}: a path, an offset and a length") };
        let (offset, length): (usize, usize) = (offset.parse()?, length.parse()?);
        let bytes = file(tree, path)?;
        let window = bytes.get(offset..offset + length).with_context(|| format!("{text}: past the end"))?;
        return Ok(range_tag(offset, window));
    }
    if let Some(place) = inside("$cursor") {
        let parts: Vec<_> = place.split(", ").collect();
        let [path, offset, line, column] = parts[..] else {
            bail!("{text}: a path, an offset, a line and a column")
        };
        return Ok(cursor(&file(before, path)?, offset.parse()?, line.parse()?, column.parse()?));
    }
    let parts = |place: &str| place.split(", ").map(str::to_owned).collect::<Vec<_>>();
    if let Some(place) = inside("$occurrence").map(parts) {
        let [path, offset, shown @ ..] = &place[..] else { bail!("{text}: a path and an offset") };
        let shown = shown.first().map_or_else(|| format!("/{path}"), String::clone);
        return Ok(occurrence(&file(before, path)?, &shown, offset.parse()?, search));
    }
    if let Some(place) = inside("$rest").map(parts) {
        let [path, offset, below] = &place[..] else { bail!("{text}: a path, an offset and a path below") };
        return Ok(format!(
            "at:{}:{below}",
            occurrence(&file(before, path)?, &format!("/{path}"), offset.parse()?, search)
        ));
    }
    Ok(if *keeps_repeats { written.to_owned() } else { text })
}

/// The range tag of some bytes that stand at an offset.
pub fn range_tag(offset: usize, window: &[u8]) -> String {
    format!("r{offset}+{}:{}", window.len(), strong_tag(window))
}

/// The cursor for a place in a file: offset, line and bytes of that line before it, and 16 hex
/// digits of BLAKE3. The hash covers these numbers, each in eight bytes with the lowest first, and the
/// 4 KiB before the place.
pub fn cursor(file: &[u8], offset: u64, line: u64, column: u64) -> String {
    const BOUND: usize = 4096;
    let end = usize::try_from(offset).unwrap_or(usize::MAX);
    let bound = file.get(end.saturating_sub(BOUND)..end.min(file.len())).unwrap_or_default();
    let numbers = [offset, line, column].map(u64::to_le_bytes).concat();
    let seal = blake3::hash(&[&numbers, bound].concat()).to_hex();
    format!("{offset}.{line}.{column}.{}", &seal[..16])
}

/// The id of an occurrence: 12 hex digits of BLAKE3 of the shown path, 12 of the file's bytes, the
/// digits of [`search`], and an offset.
pub fn occurrence(file: &[u8], shown: &str, offset: u64, search: &str) -> String {
    format!("{}-{}-{search}-{offset}", &strong_tag(shown.as_bytes())[..12], &strong_tag(file)[..12])
}

/// The part of an occurrence's id that depends on the call: six hex digits of BLAKE3. The hash covers
/// the options of the call that change the matches, each on a line, an empty line, and `old`.
pub fn search(call: &Value) -> String {
    let mut text = String::new();
    for option in ["regex", "exact_line_ends", "escaped"] {
        if call[option] == true {
            text += option;
            text.push('\n');
        }
    }
    if let Some(label) = call["encoding"].as_str() {
        text += &format!("encoding={}\n", label.to_ascii_lowercase());
    }
    text.push('\n');
    text += &repeated(call["old"].as_str().unwrap_or_default());
    strong_tag(text.as_bytes())[..6].to_owned()
}

/// The first 32 hex digits of BLAKE3.
pub fn strong_tag(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

/// True for `2026-11-20T08:30:00Z`, with or without a fraction of the second.
pub fn is_time(text: &str) -> bool {
    const FORM: &str = "0000-00-00T00:00:00";
    let Some((seconds, rest)) = text.split_at_checked(FORM.len()) else { return false };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = seconds.bytes().zip(FORM.bytes()).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    });
    let fraction = rest.strip_suffix('Z').is_some_and(|fraction| match fraction.strip_prefix('.') {
        Some(fraction) => !fraction.is_empty() && digits(fraction),
        None => fraction.is_empty(),
    });
    whole && fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_stand_anywhere_in_a_string() {
        assert_eq!(repeated("a$repeat(3, b/)c$repeat(2, \n)"), "ab/b/b/c\n\n");
        assert_eq!(repeated("$& $1 $repeat(x)"), "$& $1 $repeat(x)");
    }

    #[test]
    fn tags_and_times_have_their_form() {
        assert_eq!(strong_tag(b""), "af1349b9f5f9a1a6a0404dea36dcc949");
        for time in ["2026-11-20T08:30:00Z", "1970-01-01T00:00:01.5Z", "1970-01-01T00:00:01.123456789Z"] {
            assert!(is_time(time), "{time}");
        }
        for time in ["", "2026-11-20", "2026-11-20 08:30:00Z", "2026-11-20T08:30:00", "2026-11-20T08:30:00.Z"]
        {
            assert!(!is_time(time), "{time}");
        }
    }

    #[test]
    fn a_cursor_is_bound_to_its_numbers_and_the_4_kib_before_it() {
        let file = vec![b'x'; 5000];
        let made = cursor(&file, 5000, 1, 5000);
        assert_eq!(
            made.rsplit_once('.').map(|(numbers, seal)| (numbers, seal.len())),
            Some(("5000.1.5000", 16))
        );
        let with = |at: usize| {
            let mut file = file.clone();
            file[at] = b'y';
            cursor(&file, 5000, 1, 5000)
        };
        assert_eq!(with(903), made);
        assert_ne!(with(904), made);
        assert_ne!(cursor(&file, 5000, 2, 5000)[11..], made[11..]);
    }

    #[test]
    fn a_search_is_what_changes_what_is_found() {
        let of = |call: Value| search(&call);
        let plain = of(serde_json::json!({"old": "one", "new": "1", "glob": "*"}));
        assert_eq!(plain.len(), 6);
        assert_eq!(of(serde_json::json!({"old": "one", "new": "2", "regex": false})), plain);
        for other in [
            serde_json::json!({"old": "two"}),
            serde_json::json!({"old": "one", "regex": true}),
            serde_json::json!({"old": "one", "encoding": "windows-1252"}),
        ] {
            assert_ne!(search(&other), plain, "{other}");
        }
    }

    #[test]
    fn placeholders_speak_of_the_right_tree() {
        let before = Tree::parse("file w/a \"old\"").unwrap();
        let after = Tree::parse("file w/a \"new\"").unwrap();
        let value = serde_json::json!([
            "$etag(w/a)",
            "$etag-before(w/a)",
            "$range(w/a, 1, 2)",
            "$range-after(w/a, 1, 2)",
            "$time",
            1
        ]);
        let expected = serde_json::json!([
            strong_tag(b"new"),
            strong_tag(b"old"),
            format!("r1+2:{}", strong_tag(b"ld")),
            format!("r1+2:{}", strong_tag(b"ew")),
            "$time",
            1
        ]);
        let about =
            About { before: &before, after: &after, search: "123456".to_owned(), keeps_repeats: false };
        assert_eq!(expanded(&value, &about).unwrap(), expected);
        assert_eq!(expanded(&"$cursor(w/a, 2, 1, 2)".into(), &about).unwrap(), cursor(b"ol", 2, 1, 2));
        let id = expanded(&"$occurrence(w/a, 2)".into(), &about).unwrap();
        assert!(id.as_str().is_some_and(|id| id.ends_with("-123456-2")), "{id}");
        assert!(expanded(&"$etag(w/b)".into(), &about).is_err());
    }
}

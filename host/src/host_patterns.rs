//! Translates patterns over paths of this machine into patterns over inside names.
//!
//! A policy's author knows paths of the machine, a component the names of its grants. A pattern
//! that begins with `/` is matched against each grant's path, one name at a time; its rest follows
//! the grant's name. The grant's own name counts too, where the pattern spells it out. Other
//! patterns stay: they mean the same in every grant.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fsgate_contract::path::{absolute, grant_name};
use fsgate_policy::start::{GrantPaths, literal};
use fsgate_policy::{Document, Documents, Rule, RuleEffect, folded};
use fsgate_text::fold::fold;
use fsgate_text::glob::Glob;

use crate::grant::{Grant, StartError, canonical, firm};

/// Translates policies, and drops rules about no grant. An allowed path counts only if no agent
/// could have made the links on it.
pub(crate) fn inside(
    documents: &Documents,
    places: &[GrantPaths],
    grants: &[Grant],
) -> Result<Documents, StartError> {
    let several = documents.0.len() > 1;
    let document = |(number, document): (usize, &Document)| {
        let at = |field: &str| if several { format!("[{number}].{field}") } else { field.to_owned() };
        let mut rules = Vec::new();
        for (number, rule) in document.rules.iter().enumerate() {
            // A rule that keeps names covers a directory alone, and a root needs none.
            let root = if rule.effect == RuleEffect::KeepsName { None } else { Some(IN_THE_ROOT) };
            let list = |patterns: &[String], field: &str, real: &Real| {
                all(patterns, places, root, &at(&format!("rules[{number}].{field}")), real)
            };
            let paths = list(&rule.paths, "paths", &|path| Some(canonical(path)))?;
            let unless = list(&rule.unless, "unless", &|path| firm(path, grants))?;
            if !(paths.is_empty() && rule.extensions.is_empty() && rule.regex.is_empty()) {
                rules.push(Rule { paths, unless, ..rule.clone() });
            }
        }
        let allowed = &document.allowed_paths;
        let real: &Real = &|path| firm(path, grants);
        let allowed_paths = all(allowed, places, Some(IN_THE_ROOT), &at("allowed_paths"), real)?;
        if allowed_paths.is_empty() && !allowed.is_empty() {
            // An empty list would allow everything.
            let problem =
                "none of these paths lies in a granted directory; grant one of them, or take the list out";
            return Err(StartError::Policy { field: at("allowed_paths"), problem: problem.to_owned() });
        }
        Ok(Document { rules, allowed_paths, ..document.clone() })
    };
    documents.0.iter().enumerate().map(document).collect::<Result<_, _>>().map(Documents)
}

/// Resolves a path, or returns `None` if the result must not count.
type Real<'a> = dyn Fn(&Path) -> Option<PathBuf> + 'a;

/// The content of a grant whose name is the root.
const IN_THE_ROOT: &str = "/**";

fn all(
    patterns: &[String],
    places: &[GrantPaths],
    root: Option<&str>,
    field: &str,
    real: &Real,
) -> Result<Vec<String>, StartError> {
    let mut found = Vec::new();
    for (number, pattern) in patterns.iter().enumerate() {
        let invalid = |problem: String| StartError::Policy { field: format!("{field}[{number}]"), problem };
        for spelled in spellings(pattern, real) {
            for pattern in named(&spelled, places, root).map_err(invalid)? {
                if !found.contains(&pattern) {
                    found.push(pattern);
                }
            }
        }
    }
    Ok(found)
}

fn is_special(character: char) -> bool {
    matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | '\\')
}

/// The plain beginnings of a policy's patterns over machine paths.
pub(crate) fn literal_prefixes(document: &Document) -> Vec<PathBuf> {
    let rules = document.rules.iter().flat_map(|rule| rule.paths.iter().chain(&rule.unless));
    rules.chain(&document.allowed_paths).filter_map(|pattern| Some(plain(pattern)?.0)).collect()
}

/// Splits a pattern into its plain beginning and the other segments.
fn plain(pattern: &str) -> Option<(PathBuf, Vec<&str>)> {
    let mut names: Vec<_> = pattern.strip_prefix('/')?.split('/').collect();
    let plain: Vec<_> = names.iter().map_while(|name| unescaped(name)).collect();
    let rest = names.split_off(plain.len());
    Some((Path::new("/").join(plain.join("/")), rest))
}

/// The only name that a segment matches.
fn unescaped(segment: &str) -> Option<String> {
    let mut name = String::with_capacity(segment.len());
    let mut characters = segment.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => name.push(characters.next()?),
            special if is_special(special) => return None,
            other => name.push(other),
        }
    }
    Some(name)
}

/// A pattern, and the same behind the links of its beginning.
fn spellings(pattern: &str, real: &Real) -> Vec<String> {
    let mut all = vec![pattern.to_owned()];
    if let Some((beginning, rest)) = plain(pattern)
        && let Some(real) = real(&beginning)
    {
        // Components only: a trailing `/` has a meaning in a pattern.
        let real: PathBuf = real.components().collect();
        if real != beginning
            && let Some(real) = real.to_str().map(literal)
        {
            let rest = rest.iter().map(|name| format!("/{name}")).collect::<String>();
            let end = if rest.is_empty() && pattern.ends_with('/') { "/" } else { "" };
            all.push(format!("{real}{rest}{end}"));
        }
    }
    all
}

/// The inside form of a pattern: its rest in each grant. `root` stands for a whole grant that is
/// the root inside.
fn named(pattern: &str, places: &[GrantPaths], root: Option<&str>) -> Result<Vec<String>, String> {
    if !pattern.starts_with('/') {
        return Ok(vec![pattern.to_owned()]);
    }
    let segments = segments(pattern)?;
    let end = if pattern.ends_with('/') { "/" } else { "" };
    let mut found = Vec::new();
    for place in places {
        let names = place.names.iter().map(|name| grant_name(name)).collect::<Vec<_>>();
        let spelled = names.iter().filter(|name| is_spelled(&segments, name)).map(|name| inside_path(name));
        let left: BTreeSet<_> =
            place.paths.iter().cloned().chain(spelled).flat_map(|path| left(&segments, &path)).collect();
        for name in &names {
            let name = literal(&inside_path(name));
            let name = name.trim_end_matches('/');
            found.extend(left.iter().filter_map(|from| match &segments[*from..] {
                [] if name.is_empty() => root.map(str::to_owned),
                [] => Some(name.to_owned()),
                rest => Some(format!("{name}/{}{end}", rest.join("/"))),
            }));
        }
    }
    Ok(found)
}

fn inside_path(name: &[String]) -> String {
    absolute(name.iter().map(String::as_str))
}

/// Whether no segment to compare with a grant's name has a wildcard. A wildcard is about machine
/// paths, and so is every pattern for the root.
fn is_spelled(segments: &[&str], name: &[String]) -> bool {
    !name.is_empty() && segments.iter().take(name.len()).all(|segment| unescaped(segment).is_some())
}

fn segments(pattern: &str) -> Result<Vec<&str>, String> {
    let (mut depth, mut escaped) = (0u32, false);
    for character in pattern.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            '/' if depth > 0 => {
                return Err("a pattern over paths of this machine has no `/` in braces; write one for each"
                    .to_owned());
            }
            _ => {}
        }
    }
    Ok(pattern.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect())
}

/// The segments at which a pattern continues inside a directory. The index after the last one means
/// a match of the directory or one around it; none means that it leads elsewhere.
fn left(segments: &[&str], path: &str) -> Vec<usize> {
    let mut at = BTreeSet::from([0]);
    for name in path.split('/').filter(|name| !name.is_empty()) {
        at = pass(segments, &at);
        if at.contains(&segments.len()) {
            return vec![segments.len()];
        }
        let name = fold(name);
        let step = |from: &usize| match segments[*from] {
            "**" => Some(*from),
            segment => is_match(segment, &name).then_some(from + 1),
        };
        at = at.iter().filter_map(step).collect();
    }
    let ends = pass(segments, &at).contains(&segments.len());
    if ends && !at.iter().any(|from| segments.get(*from) == Some(&"**")) {
        return vec![segments.len()];
    }
    at.into_iter().collect()
}

/// Skips `**`, which can match nothing.
fn pass(segments: &[&str], at: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut all = at.clone();
    for from in at {
        let stars = segments[*from..].iter().take_while(|segment| **segment == "**").count();
        all.extend((1..=stars).map(|more| from + more));
    }
    all
}

fn is_match(segment: &str, name: &str) -> bool {
    Glob::anchored(&folded(segment), true).is_ok_and(|glob| glob.matches(name, true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grant::Access;

    fn place(paths: &[&str], names: &[&str]) -> GrantPaths {
        let owned = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
        GrantPaths { paths: owned(paths), names: owned(names) }
    }

    #[test]
    fn what_a_pattern_names_on_the_machine_it_names_inside() {
        let own = [place(&["/home/me/repo"], &["/home/me/repo"])];
        let named_w = [place(&["/home/me/repo"], &["w"])];
        let inner = [place(&["/home/me/repo"], &["/tmp/ai-coder"])];
        let root = [place(&["/home/me/repo"], &["/"])];
        let typed = [place(&["/data/repo", "/home/me/link"], &["/data/repo", "/home/me/link"])];
        let nested = [place(&["/w"], &["/w"]), place(&["/w/in"], &["inner"])];
        let odd = [place(&["/a[1]/b*"], &["/a[1]/b*"])];
        let whole = [place(&["/"], &["/"])];
        let cases: &[(&[GrantPaths], &str, &[&str])] = &[
            // Relative patterns are the same in every grant.
            (&named_w, "secret", &["secret"]),
            (&named_w, "./secret", &["./secret"]),
            (&named_w, "a/b", &["a/b"]),
            (&named_w, "**/a/b", &["**/a/b"]),
            // In a grant, under its own path and under a chosen name.
            (&own, "/home/me/repo/a/b", &["/home/me/repo/a/b"]),
            (&named_w, "/home/me/repo/a/b", &["/w/a/b"]),
            (&root, "/home/me/repo/a/b", &["/a/b"]),
            (&named_w, "/home/me/repo/a/", &["/w/a/"]),
            (&named_w, "/home/me//repo/./a", &["/w/a"]),
            (&named_w, "/home/me/repo/*.key", &["/w/*.key"]),
            (&named_w, "/HOME/Me/Repo/A", &["/w/A"]),
            // The grant itself, or a directory around it: all of the grant.
            (&named_w, "/home/me/repo", &["/w"]),
            (&named_w, "/home/me", &["/w"]),
            (&named_w, "/home/me/", &["/w"]),
            (&root, "/home", &["/**"]),
            // Elsewhere.
            (&named_w, "/home/me/other", &[]),
            (&named_w, "/home/me/repo2", &[]),
            (&named_w, "/home/you/repo/a", &[]),
            // Patterns can match the path of a grant.
            (&named_w, "/home/*/repo/a", &["/w/a"]),
            (&named_w, "/home/*/*/a", &["/w/a"]),
            (&named_w, "/home/*", &["/w"]),
            (&named_w, "/home/{me,you}/repo/x", &["/w/x"]),
            (&named_w, "/*/secret", &[]),
            // The name of a grant, spelled out.
            (&named_w, "/w/a/*.key", &["/w/a/*.key"]),
            (&named_w, "/W", &["/w"]),
            (&named_w, "/{w,v}/a", &[]),
            (&named_w, "/v/a", &[]),
            (&inner, "/tmp/ai-coder/a", &["/tmp/ai-coder/a"]),
            (&inner, "/tmp", &["/tmp/ai-coder"]),
            (&inner, "/home/me/repo/a", &["/tmp/ai-coder/a"]),
            (&root, "/a/b", &[]),
            (&named_w, "/**/secret", &["/w/**/secret"]),
            (&named_w, "/home/**/a/b", &["/w/**/a/b"]),
            (&named_w, "/**/repo/a", &["/w/**/repo/a", "/w/a"]),
            (&named_w, "/home/me/repo/**", &["/w/**"]),
            (&named_w, "/home/me/**", &["/w"]),
            (&named_w, "/**/me", &["/w"]),
            // Every path of a grant counts, under each of its names.
            (&typed, "/data/repo/a", &["/data/repo/a", "/home/me/link/a"]),
            (&typed, "/home/me/link/a", &["/data/repo/a", "/home/me/link/a"]),
            (&nested, "/w/in/a", &["/w/in/a", "/inner/a"]),
            (&nested, "/w/a", &["/w/a"]),
            // Names with special characters of patterns.
            (&odd, r"/a\[1\]/b\*/x", &[r"/a\[1\]/b\*/x"]),
            (&whole, "/etc/passwd", &["/etc/passwd"]),
        ];
        for (places, pattern, expected) in cases {
            assert_eq!(named(pattern, places, Some(IN_THE_ROOT)).unwrap(), *expected, "{pattern}");
        }
    }

    #[test]
    fn what_cannot_be_held_against_a_path_is_refused() {
        for pattern in ["/a/{b/c,d}", "/a/{b,{c,d/e}}", "/{a,b/c}/d"] {
            let refused = named(pattern, &[], None).unwrap_err();
            assert!(refused.contains("no `/` in braces"), "{pattern}: {refused}");
        }
    }

    fn document(json: &str) -> Documents {
        Documents::parse(json).unwrap()
    }

    #[test]
    fn rules_about_nothing_that_is_granted_go() {
        let places = [place(&["/repo"], &["w"]), place(&["/whole"], &["/"])];
        for (written, expected) in [
            (
                r#"{"rules": [
                    {"name": "here", "paths": ["/repo/a", "/other/b"], "effect": "denied", "unless": ["/repo/a/c"]},
                    {"name": "elsewhere", "paths": ["/other"], "effect": "denied"},
                    {"name": "both", "paths": ["/other"], "extensions": [".key"], "effect": "hidden"}
                ]}"#,
                r#"{"rules": [
                    {"name": "here", "paths": ["/w/a"], "effect": "denied", "unless": ["/w/a/c"]},
                    {"name": "both", "extensions": [".key"], "effect": "hidden"}
                ]}"#,
            ),
            (
                r#"{"rules": [{"name": "kept", "paths": ["/whole", "/whole/a"], "effect": "keeps_name"}]}"#,
                r#"{"rules": [{"name": "kept", "paths": ["/a"], "effect": "keeps_name"}]}"#,
            ),
            (r#"{"allowed_paths": ["/repo/src", "/other"]}"#, r#"{"allowed_paths": ["/w/src"]}"#),
            (r#"[{}, {"max_files": 3}]"#, r#"[{}, {"max_files": 3}]"#),
        ] {
            assert_eq!(inside(&document(written), &places, &[]).unwrap(), document(expected));
        }
        let refused = inside(&document(r#"[{}, {"allowed_paths": ["/other"]}]"#), &places, &[]).unwrap_err();
        assert!(
            refused.to_string().contains("`[1].allowed_paths`: none of these paths lies in"),
            "{refused}"
        );
        // The name of a grant allows as its path does, and no other name.
        let own = document(r#"{"profile": "open", "allowed_paths": ["/w"]}"#);
        assert_eq!(inside(&own, &[place(&["/repo"], &["/w"])], &[]).unwrap(), own);
        assert!(inside(&own, &[place(&["/repo"], &["/v"])], &[]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_path_through_links_is_the_one_that_it_leads_to() {
        let scratch = tempfile::tempdir().unwrap();
        let at = scratch.path().canonicalize().unwrap();
        std::fs::create_dir_all(at.join("real/w")).unwrap();
        std::os::unix::fs::symlink("real", at.join("link")).unwrap();
        let pattern = at.join("link/w/*.key").to_str().unwrap().to_owned();
        let real = at.join("real/w/*.key").to_str().unwrap().to_owned();
        let followed: &Real = &|path| Some(canonical(path));
        assert_eq!(spellings(&pattern, followed), [pattern.clone(), real.clone()]);
        assert_eq!(spellings(&real, followed), std::slice::from_ref(&real));
        for pattern in ["a", "./a", "/", "/*"] {
            assert_eq!(spellings(pattern, followed), [pattern]);
        }
        // An escaped segment is a plain name.
        std::fs::create_dir(at.join("odd[1]")).unwrap();
        std::os::unix::fs::symlink("../real", at.join("odd[1]/link")).unwrap();
        let odd = format!("{}/odd\\[1\\]/link/w/*.key", at.display());
        assert_eq!(spellings(&odd, followed), [odd.clone(), real.clone()]);
        // Links that a tool could have made do not count.
        let grant = |host: &str, access| Grant { host: at.join(host), name: host.to_owned(), access };
        for (grants, firmly) in [
            (vec![grant("real", Access::Write)], true),
            (vec![grant("", Access::Read)], false),
            (vec![grant("real", Access::Write), grant("", Access::Write)], false),
        ] {
            let found = spellings(&pattern, &|path| firm(path, &grants));
            assert_eq!(found.contains(&real), firmly, "{grants:?}");
            assert!(spellings(&real, &|path| firm(path, &grants)).contains(&real));
        }
    }
}

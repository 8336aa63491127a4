//! Paths relative to the current directory.

use crate::environment::PathContext;

impl PathContext {
    /// The path relative to the current directory, complete in other grants or if that directory is
    /// in none.
    pub fn relative(&self, path: &str) -> String {
        let Some(start) = self.start.as_deref().filter(|_| path.starts_with('/')) else {
            return path.to_owned();
        };
        if let Some(below) = below(start, path) {
            return if below.is_empty() { ".".to_owned() } else { below.to_owned() };
        }
        let around = self.grants.iter().filter(|grant| below_of(grant, start) && below_of(grant, path));
        let Some(grant) = around.max_by_key(|grant| grant.len()) else { return path.to_owned() };
        let names = |path: &str| -> Vec<String> {
            let below = below(grant, path).unwrap_or_default();
            below.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        let (from, to) = (names(start), names(path));
        let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
        let up = vec!["..".to_owned(); from.len() - common];
        [&up[..], &to[common..]].concat().join("/")
    }

    /// The directory for a diff: the current one if it contains all paths, else a grant around
    /// them.
    pub(crate) fn root_of<'a>(&self, paths: &(impl Iterator<Item = &'a str> + Clone)) -> Option<&str> {
        let candidates = self.start.iter().chain(&self.grants);
        candidates.map(String::as_str).find(|root| paths.clone().all(|path| below_of(root, path)))
    }
}

pub(crate) fn below<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
    let rest = path.strip_prefix(directory.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn below_of(directory: &str, path: &str) -> bool {
    below(directory, path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(start: Option<&str>, grants: &[&str]) -> PathContext {
        PathContext {
            start: start.map(str::to_owned),
            grants: grants.iter().map(|grant| (*grant).to_owned()).collect(),
        }
    }

    #[test]
    fn a_path_is_told_from_the_current_directory() {
        for (start, grants, path, expected) in [
            (Some("/w/sub"), &["/w"][..], "/w/sub/a/b", "a/b"),
            (Some("/w/sub"), &["/w"], "/w/sub", "."),
            (Some("/w/sub"), &["/w"], "/w/a", "../a"),
            (Some("/w/sub/deep"), &["/w"], "/w/sub", ".."),
            (Some("/w/sub"), &["/w"], "/w/sub-b", "../sub-b"),
            (Some("/w/sub"), &["/w"], "/w", ".."),
            (Some("/w/sub"), &["/w", "/v"], "/v/a", "/v/a"),
            (Some("/w"), &["/w"], "a", "a"),
            (Some("/a"), &["/"], "/b", "../b"),
            (None, &["/w"], "/w/a", "/w/a"),
        ] {
            assert_eq!(places(start, grants).relative(path), expected, "{start:?} {path}");
        }
    }

    #[test]
    fn a_diff_is_applied_where_all_of_its_paths_are() {
        for (start, paths, expected) in [
            (Some("/w/sub"), &["/w/sub/a", "/w/sub/b"][..], Some("/w/sub")),
            (Some("/w/sub"), &["/w/sub/a", "/w/b"], Some("/w")),
            (None, &["/v/x"], Some("/v")),
            (Some("/w/sub"), &["/w/sub/a", "/v/b"], None),
        ] {
            let places = places(start, &["/w", "/v"]);
            assert_eq!(places.root_of(&paths.iter().copied()), expected, "{paths:?}");
        }
    }
}

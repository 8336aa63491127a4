use super::*;

/// A pattern that, without an inner `/`, matches names at any depth.
fn floating(pattern: &str) -> Glob {
    let all = alternatives(pattern).unwrap();
    Glob::of(all.iter().map(|pattern| (&**pattern, is_by_name(pattern))), false).unwrap()
}

#[test]
fn all_below_a_directory_is_below_each_that_a_pattern_names() {
    for (pattern, expected) in [
        ("src", &["**/src/**"][..]),
        ("src/", &["**/src/**"]),
        ("src/deep", &["src/deep/**"]),
        ("{src,sub/x}", &["**/src/**", "sub/x/**"]),
        ("sr?", &["**/sr?/**"]),
        ("**/src", &["**/src/**"]),
        ("{src,*.rs}", &["**/src/**"]),
        ("/w/{a,b}/", &["/w/a/**", "/w/b/**"]),
        ("s*", &[]),
        ("s*/", &["**/s*/**"]),
        ("src/s*/", &["src/s*/**"]),
        ("src/**/", &[]),
        ("src/**", &[]),
        ("*.{rs,toml}", &[]),
        ("/", &[]),
        ("", &[]),
    ] {
        assert_eq!(all_below(pattern), expected, "{pattern}");
    }
}

#[test]
fn patterns_stand_for_whole_paths() {
    for (pattern, matching, other) in [
        ("*.rs", &["a.rs", ".rs", "ä b.rs"][..], &["a.rss", "src/a.rs", "a.RS"][..]),
        ("**/*.rs", &["a.rs", "src/a.rs", "a/b/c.rs"], &["a.rs/b", "rs"]),
        ("src/**", &["src/a", "src/a/b"], &["src", "srcs/a", "a/src/b"]),
        ("src/**/*.rs", &["src/a.rs", "src/a/b.rs"], &["a.rs", "srca.rs"]),
        ("**", &["a", "a/b"], &[]),
        ("**/**/a", &["a", "x/a", "x/y/a"], &["xa"]),
        ("a**b", &["ab", "axb"], &["a/b"]),
        ("a/*/b", &["a/x/b"], &["a/b", "a/x/y/b"]),
        ("?", &["a", "ä", "日"], &["ab", "", "/"]),
        ("a?b", &["a-b"], &["a/b"]),
        ("[a-c]x", &["ax", "cx"], &["dx", "-x"]),
        ("[!a]", &["b", "ä", "^"], &["a", "/"]),
        ("[^a]", &["b"], &["a"]),
        ("[]a]", &["]", "a"], &["b"]),
        ("[a-]", &["a", "-"], &["b"]),
        ("[ä-ü]", &["ö"], &["a"]),
        ("[[]", &["["], &["]"]),
        ("[\\]]", &["]"], &["\\"]),
        ("a[+-9]b", &["a.b", "a7b"], &["a/b"]),
        ("{a,b}.{x,y}", &["a.x", "b.y"], &["a.z", "c.x"]),
        ("{a,}b", &["ab", "b"], &["a"]),
        ("{a,b/c}/d", &["a/d", "b/c/d"], &["b/d"]),
        ("{a,{b,c}}", &["a", "b", "c"], &["d"]),
        ("\\*\\{", &["*{"], &["a{"]),
        ("a,b", &["a,b"], &["a"]),
        ("./a", &["a"], &["./a"]),
        ("/a", &["a"], &["/a"]),
        ("a//b/./c", &["a/b/c"], &[]),
        ("a.b(c)+$", &["a.b(c)+$"], &["axb(c)+$"]),
        ("{**/*.ts,**/*.tsx}", &["a.ts", "a/b.ts", "a.tsx", "a/b/c.tsx"], &["a.rs"]),
        ("{src/**/*.ts,a/**/*.ts}", &["a/b.ts", "src/x/b.ts"], &["b.ts"]),
        ("{**/x,src/y}", &["x", "a/x", "src/y"], &["y"]),
        ("{**/a,b}/x", &["a/x", "c/a/x", "b/x"], &["c/b/x", "x"]),
        ("{a/**,src}/x", &["a/x", "a/b/x", "src/x"], &["src/b/x"]),
        ("{a/**/,}x", &["a/x", "a/b/x", "x"], &["b/x"]),
        ("{**,a}/x", &["x", "a/x", "b/c/x"], &["bx"]),
        ("{a,**}", &["a", "b/c"], &[]),
        ("a/{**,b}/x", &["a/x", "a/b/x", "a/c/d/x"], &["x"]),
        ("{tmp**,log}", &["tmp", "tmp1", "log"], &["tmp/a", "log/a"]),
        ("{src/foo**.rs,b}", &["src/foo.rs", "src/foo1.rs", "b"], &["src/foo/a.rs"]),
        ("{**.rs,b}", &["a.rs"], &["a/b.rs"]),
        ("**{/a,.b}", &["a", "x/a", "x.b"], &["x/y.b"]),
        ("{a,b/}**", &["ac", "b/c/d"], &["a/c"]),
        ("{,a}/x", &["x", "a/x"], &["b/x"]),
        ("{[,]/a,\\,/b,{c/d,}}", &[",/a", ",/b", "c/d"], &["a"]),
        ("a\nb", &["a\nb"], &["a b"]),
        ("a*b", &["a\nb"], &[]),
    ] {
        let glob = Glob::anchored(pattern, false).unwrap();
        for path in matching {
            assert!(glob.matches(path, false), "{pattern} is to match {path}");
        }
        for path in other {
            assert!(!glob.matches(path, false), "{pattern} is not to match {path}");
        }
    }
    assert!(Glob::anchored("ÄB*", true).unwrap().matches("äbC", false));
    let directories = Glob::anchored("a/", false).unwrap();
    assert!(directories.matches("a", true) && !directories.matches("a", false));
}

#[test]
fn patterns_without_a_slash_may_be_about_names_at_any_depth() {
    for (pattern, path, matched) in [
        ("*.rs", "a/b.rs", true),
        ("target/", "a/target", true),
        ("/*.rs", "a/b.rs", false),
        ("a/*.rs", "a/b.rs", true),
        ("a/*.rs", "x/a/b.rs", false),
    ] {
        assert_eq!(floating(pattern).matches(path, true), matched, "{pattern} {path}");
    }
}

#[test]
fn directories_that_lead_nowhere_are_known() {
    for (pattern, leading, other) in [
        ("*.rs", &[][..], &["a", "a/b"][..]),
        ("**/*.rs", &["a", "a/b"], &[]),
        ("src/**/*.rs", &["src", "src/a"], &["a", "a/src"]),
        ("src/*/a", &["src", "src/x"], &["src/x/y", "x"]),
        ("{a,b}/c", &["a", "b"], &["c", "a/c"]),
        ("{a,b/c}/d", &["a", "b", "b/c"], &["a/c", "c"]),
        ("{**/a,b}/c", &["b", "x", "x/a"], &[]),
        ("a/**/b", &["a", "a/x"], &["x"]),
        ("src/**", &["src", "src/a"], &["x"]),
        ("src", &[], &["src"]),
    ] {
        let glob = Glob::anchored(pattern, false).unwrap();
        for directory in leading {
            assert!(glob.leads_through(directory), "{pattern} leads through {directory}");
        }
        for directory in other {
            assert!(!glob.leads_through(directory), "{pattern} does not lead through {directory}");
        }
    }
    assert!(floating("*.rs").leads_through("a/b"));
}

#[test]
fn a_dot_is_named_by_a_choice_that_has_it() {
    for (pattern, path, named) in [
        (".github/*", ".github/a", true),
        ("{.github,src}/*", ".github/a", true),
        ("{.github,src}/*", ".git/a", false),
        ("{.g{it,x},a}*", ".gitignore", true),
        ("{*,.}x", ".x", true),
        ("{*,?}x", ".x", false),
        ("{.a/b,c}/*", ".a/b/x", true),
        ("**/*.yml", ".a/b.yml", false),
        ("{.a,b}/*", ".a/.b", false),
    ] {
        assert_eq!(Glob::anchored(pattern, false).unwrap().names_dots(path), named, "{pattern} {path}");
    }
}

#[test]
fn a_link_is_led_into_by_its_name() {
    for (pattern, into, other) in [
        ("cat/foo/*.md", &["cat", "cat/foo"][..], &["foo", "cat/foo/x.md", "cat/bar"][..]),
        ("cat/*/x", &["cat", "cat/foo"], &["cat/foo/x"]),
        ("**/cat/foo/*", &["cat", "a/cat", "a/cat/foo"], &["a", "a/b", "a/cat/foo/b"]),
        ("{top,a/b}/**", &["top", "a", "a/b"], &["top/x", "b"]),
        ("**/*.md", &[], &["a", "a.md"]),
        ("top/", &["top"], &["a", "top/b"]),
    ] {
        let glob = Glob::anchored(pattern, false).unwrap();
        for link in into {
            assert!(glob.leads_into(link), "{pattern} leads into {link}");
        }
        for link in other {
            assert!(!glob.leads_into(link), "{pattern} does not lead into {link}");
        }
    }
    assert!(!floating("*.md").leads_into("a"));
}

#[test]
fn what_is_wrong_is_found_where_it_is() {
    for (pattern, position, problem) in [
        ("", 0, GlobProblem::Empty),
        ("/", 0, GlobProblem::Empty),
        ("./", 0, GlobProblem::Empty),
        ("ä[b", 2, GlobProblem::UnclosedClass),
        ("[]", 0, GlobProblem::UnclosedClass),
        ("[a\\", 0, GlobProblem::UnclosedClass),
        ("x[b-a]", 2, GlobProblem::BackwardsRange),
        ("a/{b,c", 2, GlobProblem::UnclosedBraces),
        ("a}b", 1, GlobProblem::UnopenedBraces),
        ("ab\\", 2, GlobProblem::DanglingEscape),
        ("../a", 0, GlobProblem::Parent),
        ("/a/../b", 3, GlobProblem::Parent),
        ("a/..", 2, GlobProblem::Parent),
        ("a/{b/c,..}/d", 7, GlobProblem::Parent),
        ("{/,}", 0, GlobProblem::Empty),
        ("a\0", 1, GlobProblem::Nul),
    ] {
        let found = Glob::anchored(pattern, false).map(|_| ()).unwrap_err();
        assert_eq!(found, InvalidGlob { position, problem }, "{pattern}");
    }
    assert_eq!(Glob::anchored(&"a".repeat(4097), false).unwrap_err().problem, GlobProblem::TooLong);
    let many = |count: usize| vec!["a/b"; count].join(",");
    assert!(Glob::anchored(&format!("{{{}}}", many(GLOB_ALTERNATIVES)), false).is_ok());
    for pattern in [format!("{{{}}}", many(GLOB_ALTERNATIVES + 1)), "{a/b,c}".repeat(9)] {
        assert_eq!(Glob::anchored(&pattern, false).unwrap_err().problem, GlobProblem::TooLong);
    }
    assert_eq!(Glob::anchored(&"{".repeat(100), false).unwrap_err().problem, GlobProblem::NestedTooDeep);
    assert!(Glob::anchored("..a/b..", false).is_ok());
}

#[test]
fn time_follows_the_length_of_the_path() {
    let glob = Glob::anchored(&format!("{}b", "*a".repeat(100)), false).unwrap();
    assert!(!glob.matches(&"a".repeat(10_000), false));
    for pattern in ["[a-z]".repeat(819), "{a,b}".repeat(819), "*".repeat(4096), "a/".repeat(2048)] {
        Glob::anchored(&pattern, true).unwrap();
    }
}

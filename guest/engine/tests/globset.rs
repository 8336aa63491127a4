//! Path patterns have the meaning of ripgrep's `globset` where it can express them: it matches
//! bytes, and its classes match `/`.

use fsgate_text::glob::Glob;
use globset::GlobBuilder;
use proptest::prelude::*;

fn joined(segment: impl Strategy<Value = &'static str>) -> impl Strategy<Value = String> {
    proptest::collection::vec(segment, 1..5).prop_map(|segments| segments.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn ascii_patterns_match_the_same_paths(
        pattern in joined(prop_oneof![
            Just("a"), Just("*"), Just("**"), Just("?"), Just("a*"), Just("*.b"), Just("*a*b*"), Just("{a,b.a}"),
            Just("{a*,b}.b"), Just("[ab]"), Just("[!a]"), Just("\\*"), Just("a.b"),
        ]),
        path in joined(prop_oneof![
            Just("a"), Just("b"), Just("ab"), Just("a.b"), Just("b.a"), Just("*"), Just(".b"), Just("aabb.b"),
        ]),
    ) {
        let ours = Glob::anchored(&pattern, false).unwrap().matches(&path, false);
        let globset = GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(true).build().unwrap();
        prop_assert_eq!(ours, globset.compile_matcher().is_match(&path), "{} {}", pattern, path);
    }
}

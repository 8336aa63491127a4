//! The rules against reading, to compare policies.

use std::collections::BTreeSet;

use super::document::{Rule, RuleEffect};

/// A policy's rules against reading, as texts without rule names, profiles and order.
#[derive(Debug, Default)]
pub struct ReadRules(BTreeSet<String>);

impl ReadRules {
    /// The sorted rules. With equal texts, policies hide the same content in the same directories
    /// under the same names.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether nothing is hidden or denied.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, rule: &Rule) {
        if !matches!(rule.effect, RuleEffect::Denied | RuleEffect::Hidden) || !rule.apart.is_empty() {
            return;
        }
        let Rule { paths, extensions, regex, unless, effect, .. } = rule;
        let lists = [paths, extensions, regex, unless].map(|list| list.iter().collect::<BTreeSet<_>>());
        self.0.insert(format!("{effect:?} {lists:?}"));
    }

    pub(super) fn add_allowed(&mut self, kind: &str, patterns: &[String]) {
        if patterns.is_empty() {
            return;
        }
        let sorted: BTreeSet<_> = patterns.iter().collect();
        self.0.insert(format!("{kind} {sorted:?}"));
    }

    pub(super) fn add_contents(&mut self, kind: &str) {
        self.0.insert(kind.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use crate::{Documents, Policy};

    #[test]
    fn policies_are_compared_by_what_they_keep_from_being_read() {
        let reading = |text: &str| {
            let policy = Policy::compile(&Documents::parse(text).unwrap()).unwrap();
            policy.reading().rules().map(str::to_owned).collect::<Vec<_>>()
        };
        let rule = |name: &str, more: &str| {
            format!(r#"{{"profile": "open", "rules": [{{"name": "{name}", {more}}}]}}"#)
        };
        let secret = rule("a", r#""paths": ["secret/"], "effect": "denied""#);
        for (one, other, same) in [
            (&*secret, &*rule("b", r#""paths": ["secret/"], "effect": "denied""#), true),
            (&secret, &rule("a", r#""paths": ["secret/"], "effect": "hidden""#), false),
            (&secret, &rule("a", r#""paths": ["secret"], "effect": "denied""#), false),
            (&secret, &rule("a", r#""paths": ["secret/"], "unless": ["x"], "effect": "denied""#), false),
            (r#"{"profile": "open"}"#, &rule("a", r#""paths": ["secret/"], "effect": "read_only""#), true),
            (r#"{}"#, r#"{"confirm_delete": true, "max_files": 3}"#, true),
            (r#"{}"#, r#"{"profile": "open"}"#, false),
            (r#"{}"#, r#"[{}, {}]"#, true),
            (r#"{}"#, r#"{"except": ["environment_files"]}"#, false),
            (r#"{}"#, r#"{"allowed_paths": ["src/"]}"#, false),
            (r#"{}"#, r#"{"allowed_extensions": [".rs"]}"#, false),
            (r#"{}"#, r#"{"executables": "denied"}"#, false),
            (r#"{"allowed_extensions": [".rs", ".md"]}"#, r#"{"allowed_extensions": [".md", ".rs"]}"#, true),
        ] {
            assert_eq!(reading(one) == reading(other), same, "{one}\n{other}");
        }
    }
}

//! The limits of a project's file: it may only narrow.

use super::error::ConfigError;
use super::keys::{Key, Project};
use super::tree::{Tree, Value};

pub(crate) fn judge(key: &Key, value: &Tree, holds: &Tree) -> Result<(), ConfigError> {
    let refused = |problem: String| {
        Err(ConfigError::Widens { at: value.at.clone(), key: key.name.to_owned(), problem })
    };
    match (key.project, &value.value, &holds.value) {
        (Project::Nothing(problem), _, _) => refused(problem.to_owned()),
        (Project::Smaller, Value::Number(wanted), Value::Number(holds)) if wanted > holds => {
            refused(format!("is {wanted}, which is more than the {holds} that holds"))
        }
        (Project::Only(taken), Value::Truth(truth), Value::Truth(holds))
            if *truth != taken && *holds == taken =>
        {
            refused(format!("is `{truth}`, where `{holds}` holds"))
        }
        (Project::Behind(order), Value::Text(word), Value::Text(holds)) => {
            let place = |word: &str| order.iter().position(|known| *known == word);
            match (place(word), place(holds)) {
                (Some(wanted), Some(now)) if wanted < now => {
                    refused(format!("is `{word}`, which takes away less than the `{holds}` that holds"))
                }
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Whether a value narrows. A repeated wide default must not replace a narrower higher level.
pub(crate) fn takes(key: &Key, value: &Tree) -> bool {
    !matches!((key.project, &value.value), (Project::Only(taken), Value::Truth(truth)) if *truth != taken)
}

pub(crate) fn narrower(key: &Key, one: Tree, other: Tree) -> Tree {
    let keep_one = match (key.project, &one.value, &other.value) {
        (Project::Smaller, Value::Number(one), Value::Number(other)) => one <= other,
        // Other values are equal, or policies that both apply.
        _ => true,
    };
    if keep_one { one } else { other }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::config::tree::Origin;

    #[test]
    fn what_takes_away_stands_and_what_gives_is_refused() {
        let tree = |json: &Json| Tree::from_json(json.clone(), &Origin::BuiltIn);
        // Key, effective value, the project file's value, reason of the refusal.
        for (key, holds, says, refused) in [
            ("limits.deadline_seconds", json!(30), json!(30), None),
            ("limits.deadline_seconds", json!(30), json!(1), None),
            ("limits.deadline_seconds", json!(30), json!(31), Some("more than the 30")),
            ("limits.calls_per_second", json!(null), json!(9), None),
            ("audit.required", json!(true), json!(false), Some("is `false`, where `true` holds")),
            ("landlock", json!(true), json!(false), Some("is `false`, where `true` holds")),
            ("audit.enabled", json!(null), json!(false), None),
            ("audit.file", json!(null), json!("/x"), Some("belongs to whoever")),
            ("policy.max_files", json!(null), json!(1000), None),
            ("policy.max_files", json!(5), json!(6), Some("more than the 5")),
            ("read_only", json!(false), json!(true), None),
            ("read_only", json!(true), json!(false), Some("is `false`, where `true` holds")),
            ("read_only", json!(false), json!(false), None),
            ("mcp.ignore_roots", json!(true), json!(false), None),
            ("mcp.ignore_roots", json!(false), json!(true), Some("is `true`, where `false` holds")),
            ("policy.confirm_delete", json!(false), json!(true), None),
            ("policy.confirm_delete", json!(true), json!(false), Some("is `false`, where `true` holds")),
            ("policy.confirm_delete", json!(null), json!(false), None),
            ("policy.profile", json!("default"), json!("strict"), None),
            ("policy.profile", json!("default"), json!("default"), None),
            ("policy.profile", json!("default"), json!("open"), Some("less than the `default`")),
            ("policy.profile", json!("strict"), json!("default"), Some("less than the `strict`")),
            // Profiles without an order apply together.
            ("policy.profile", json!("strict"), json!("workflow"), None),
            ("policy.profile", json!("workflow"), json!("default"), None),
            ("policy.linked_files", json!("read_only"), json!("writable"), Some("less than")),
            ("policy.linked_files", json!(null), json!("read_only"), None),
            ("policy.executables", json!("denied"), json!("allowed"), Some("less than")),
            ("policy.rules", json!([]), json!([{"name": "a"}]), None),
            ("policy.allowed_paths", json!(["a"]), json!(["b"]), None),
            ("policy.except", json!([]), json!(["git"]), Some("would lift rules")),
            ("dirs", json!([]), json!([]), Some("would grant")),
            ("allow_wide_grant", json!(true), json!(true), Some("would grant")),
            ("allow_secrets", json!(false), json!(true), Some("would lift a rule")),
            ("state_dir", json!(null), json!("/x"), Some("belongs to whoever starts fsgate")),
            ("history.bytes", json!(9), json!(1), Some("belongs to whoever")),
            ("durability", json!("process"), json!("power"), Some("belongs to whoever")),
        ] {
            let found =
                judge(Key::find(key).unwrap(), &tree(&says), &tree(&holds)).map_err(|e| e.to_string());
            match refused {
                None => assert_eq!(found, Ok(()), "{key}: {says} over {holds}"),
                Some(refused) => {
                    let sentence = found.unwrap_err();
                    assert!(sentence.contains(refused) && sentence.contains(key), "{key}: {sentence}");
                }
            }
        }
    }

    #[test]
    fn every_key_is_judged_by_somebody() {
        // A new key needs a decision about project files; this list is the reminder.
        let may: Vec<_> = super::super::keys::KEYS
            .iter()
            .filter(|key| !matches!(key.project, Project::Nothing(_)))
            .map(|key| key.name)
            .collect();
        assert_eq!(
            may,
            [
                "read_only",
                "landlock",
                "limits.deadline_seconds",
                "limits.memory_bytes",
                "limits.host_memory_bytes",
                "limits.handles",
                "limits.result_bytes",
                "limits.calls_per_second",
                "limits.waiting_calls",
                "audit.enabled",
                "audit.required",
                "policy.profile",
                "policy.rules",
                "policy.allowed_paths",
                "policy.allowed_extensions",
                "policy.max_file_size",
                "policy.max_files",
                "policy.confirm_delete",
                "policy.linked_files",
                "policy.private_keys",
                "policy.executables",
                "mcp.answer_bytes",
                "mcp.parallel",
                "mcp.ignore_roots",
            ]
        );
    }
}

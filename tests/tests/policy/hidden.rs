//! Granted directories that a policy hides.

use std::fs;

use fsgate::Gate;
use fsgate::policy::Documents;
use fsgate_tests::open::Opened;
use tempfile::TempDir;

#[test]
fn no_list_of_directories_names_a_hidden_one() {
    let scratch = TempDir::new().unwrap();
    for name in ["a", "b", "c"] {
        fs::create_dir(scratch.path().join(name)).unwrap();
    }
    for (rules, expected) in [
        (r#"[]"#, &["/a", "/b", "/c"][..]),
        (r#"[{"name": "r", "paths": ["/b"], "effect": "hidden"}]"#, &["/a", "/c"]),
        (r#"[{"name": "r", "paths": ["/b"], "effect": "denied"}]"#, &["/a", "/b", "/c"]),
        (r#"[{"name": "r", "regex": ["/[ac]"], "effect": "hidden"}]"#, &["/b"]),
    ] {
        // Absolute patterns are paths of this machine.
        let at = scratch.path().canonicalize().unwrap();
        let rules = rules.replace("\"/b\"", &format!("\"{}/b\"", at.display()));
        let policy = Documents::parse(&format!(r#"{{"profile": "open", "rules": {rules}}}"#)).unwrap();
        let builder = ["a", "b", "c"].into_iter().fold(Gate::builder().policy(policy), |builder, name| {
            builder.dir_as(scratch.path().join(name), format!("/{name}"), fsgate::Access::Write)
        });
        let gate = Opened::new(builder).unwrap();
        let names: Vec<_> = gate.directories().iter().map(|directory| directory.name.clone()).collect();
        assert_eq!(names, expected, "{rules}");
    }
}

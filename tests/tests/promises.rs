//! What `docs/security.md` names as a proof is there.

use std::fs;
use std::path::Path;

#[test]
fn every_promise_has_a_proof_that_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let (_, section) = page.split_once("## What is promised").unwrap();
    let (table, _) = section.split_once("\n## ").unwrap();
    let rows: Vec<_> = table.lines().filter(|line| line.starts_with("| ")).skip(2).collect();
    assert!(rows.len() > 20, "{} promises", rows.len());
    for row in rows {
        let (promise, proof) = row.trim_end_matches(" |").rsplit_once(" | ").unwrap();
        let named: Vec<_> = proof.split('`').skip(1).step_by(2).filter(|path| path.contains('/')).collect();
        assert!(!named.is_empty() || proof.starts_with("cases"), "no proof: {promise}");
        for path in named {
            let is_there = root.join(path).exists() || root.join(format!("{path}.rs")).exists();
            assert!(is_there, "`{path}` proves nothing: {promise}");
        }
    }
}

//! The floors: each crate, and each module of the engine, uses lower ones only.
//!
//! A row has a name and all that it uses. Each of these has a row above it, so no two crates and no
//! two modules use each other. A new use fails a test until its row has it, and so does a row whose
//! use is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fsgate_tests::reference::root;
use ignore::WalkBuilder;
use regex::Regex;
use serde_json::Value;

/// A name, and the names that it uses, separated by blanks.
type Row = (&'static str, &'static str);

/// The crates. Dependencies of tests do not count.
#[rustfmt::skip]
const CRATES: &[Row] = &[
    ("fsgate-generator", ""),
    ("fsgate-contract", "fsgate-generator"),
    ("fsgate-text", "fsgate-contract"),
    ("fsgate-policy", "fsgate-contract fsgate-text"),
    ("fsgate-volume", "fsgate-contract fsgate-policy"),
    ("fsgate-error", "fsgate-contract fsgate-policy fsgate-text fsgate-volume"),
    ("fsgate-journal", "fsgate-contract fsgate-error fsgate-policy fsgate-volume"),
    ("fsgate-engine", "fsgate-contract fsgate-error fsgate-journal fsgate-policy fsgate-text fsgate-volume"),
    ("fsgate-compat", "fsgate-contract fsgate-error fsgate-text fsgate-volume"),
    ("fsgate-cli", "fsgate-compat fsgate-contract fsgate-error fsgate-text"),
    ("fsgate-fuzz", ""),
    ("fsgate-corpus", "fsgate-contract fsgate-engine fsgate-volume"),
    ("fsgate-wasi", "fsgate-contract fsgate-engine fsgate-volume"),
    ("fsgate-component-tools", "fsgate-cli fsgate-compat fsgate-contract fsgate-engine fsgate-journal fsgate-policy fsgate-wasi"),
    ("fsgate-component-reader", "fsgate-contract fsgate-engine fsgate-wasi"),
    ("fsgate-component-editor", "fsgate-contract fsgate-engine fsgate-wasi"),
    ("fsgate-component-flat", "fsgate-contract fsgate-engine fsgate-generator fsgate-wasi"),
    ("fsgate-component-act", "fsgate-contract fsgate-engine fsgate-volume fsgate-wasi"),
    ("fsgate-component-command", "fsgate-cli fsgate-contract fsgate-engine fsgate-wasi"),
    ("fsgate-component-laws", "fsgate-volume fsgate-wasi"),
    ("fsgate-artifact", "fsgate-generator"),
    ("fsgate", "fsgate-artifact fsgate-cli fsgate-compat fsgate-contract fsgate-engine fsgate-error fsgate-journal fsgate-policy fsgate-text fsgate-volume"),
    ("fsgate-tests", "fsgate fsgate-contract fsgate-corpus fsgate-engine fsgate-error fsgate-generator fsgate-journal fsgate-policy fsgate-text fsgate-volume"),
    ("fsgate-host-tests", ""),
    ("fsgate-release-tests", ""),
    ("fsgate-bench", "fsgate fsgate-engine fsgate-tests fsgate-text"),
];

/// The top-level modules of the engine, without their tests.
#[rustfmt::skip]
const MODULES: &[Row] = &[
    ("notes", ""),
    ("resolve", ""),
    ("changes", "resolve"),
    ("authorize", "changes resolve"),
    ("file", "changes resolve"),
    ("pager", "file"),
    ("walk", "pager resolve"),
    ("view", "file notes pager authorize resolve walk"),
    ("edit", "changes file"),
    ("recovery", "authorize"),
    ("history", "changes edit file notes recovery resolve view"),
    ("apply", "authorize changes history notes resolve"),
    ("tools", "authorize changes edit file history notes pager recovery resolve view walk"),
    ("session", "apply authorize changes history recovery tools view"),
    ("agent", "session"),
];

/// The uses of each name.
type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn each_crate_uses_lower_ones_only() {
    assert_floors(CRATES, &uses_of_crates());
}

#[test]
fn each_module_of_the_engine_uses_lower_ones_only() {
    assert_floors(MODULES, &uses_of_modules(&root().join("guest/engine/src")));
}

#[test]
fn an_upward_use_a_new_one_and_a_stale_one_fail() {
    let used = |uses: &[(&str, &[&str])]| -> Uses {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        uses.iter().map(|(name, used)| ((*name).to_owned(), names(used))).collect()
    };
    let found = used(&[("low", &[]), ("high", &["low"])]);
    assert_eq!(faults(&[("low", ""), ("high", "low")], &found), Vec::<String>::new());
    for (rows, expected) in [
        (&[("high", "low"), ("low", "")][..], "`high` uses `low`, which has no row above it"),
        (&[("low", ""), ("high", "")], "`high` uses `low`: move that lower, or add it to the row of `high`"),
        (&[("low", ""), ("mid", "low"), ("high", "low")], "there is no `mid` any more: remove its row"),
        (&[("low", "")], "`high` has no row"),
        (&[("low", ""), ("high", "low low2")], "`high` uses no `low2` any more: remove it from its row"),
    ] {
        let faults = faults(rows, &found);
        assert!(faults.iter().any(|fault| fault == expected), "{expected}: {faults:?}");
    }
}

fn assert_floors(rows: &[Row], found: &Uses) {
    let faults = faults(rows, found);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The differences between the rows and the uses that were found, and the rows that look upwards.
fn faults(rows: &[Row], found: &Uses) -> Vec<String> {
    let mut faults = Vec::new();
    let mut below = BTreeSet::new();
    for (name, allowed) in rows {
        let allowed: BTreeSet<_> = allowed.split_whitespace().collect();
        let missing = allowed.iter().filter(|used| !below.contains(*used));
        faults.extend(missing.map(|used| format!("`{name}` uses `{used}`, which has no row above it")));
        below.insert(*name);
        let Some(used) = found.get(*name) else {
            faults.push(format!("there is no `{name}` any more: remove its row"));
            continue;
        };
        let is_new = |used: &&String| !allowed.contains(used.as_str());
        faults.extend(used.iter().filter(is_new).map(|used| {
            format!("`{name}` uses `{used}`: move that lower, or add it to the row of `{name}`")
        }));
        let is_stale = |allowed: &&&str| !used.contains(**allowed);
        faults.extend(
            allowed
                .iter()
                .filter(is_stale)
                .map(|allowed| format!("`{name}` uses no `{allowed}` any more: remove it from its row")),
        );
    }
    let unknown = found.keys().filter(|name| !below.contains(name.as_str()));
    faults.extend(unknown.map(|name| format!("`{name}` has no row")));
    faults
}

fn uses_of_crates() -> Uses {
    let metadata = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let name = |package: &Value| package["name"].as_str().unwrap().to_owned();
    let names: BTreeSet<_> = packages.iter().map(name).collect();
    let uses = |package: &Value| -> BTreeSet<String> {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let dependencies = dependencies.filter(|dependency| dependency["kind"] != "dev").map(name);
        dependencies.filter(|name| names.contains(name)).collect()
    };
    packages.iter().map(|package| (name(package), uses(package))).collect()
}

fn uses_of_modules(source: &Path) -> Uses {
    let files: Vec<_> = WalkBuilder::new(source)
        .build()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    let texts: BTreeMap<&PathBuf, String> =
        files.iter().map(|path| (path, fs::read_to_string(path).unwrap())).collect();
    let tests: Vec<PathBuf> = texts.iter().flat_map(|(path, text)| test_modules(path, text)).collect();
    let is_test = |path: &Path| tests.iter().any(|test| path.with_extension("").starts_with(test));
    let mut uses = Uses::new();
    for (path, text) in texts {
        let module = path.strip_prefix(source).unwrap().with_extension("");
        let module = module.iter().next().unwrap().to_str().unwrap().to_owned();
        if module == "lib" || is_test(path) {
            continue;
        }
        let used = used_in(&text).into_iter().filter(|used| *used != module).collect::<Vec<_>>();
        uses.entry(module).or_default().extend(used);
    }
    uses
}

/// The files of the modules that a file declares for tests only, without their extension.
fn test_modules(path: &Path, text: &str) -> Vec<PathBuf> {
    let declared = Regex::new(r"#\[cfg\(test\)\]\s*(?:pub(?:\(\w+\))? )?mod (\w+);").unwrap();
    let folder = match path.file_name().unwrap().to_str().unwrap() {
        "mod.rs" | "lib.rs" => path.parent().unwrap().to_owned(),
        _ => path.with_extension(""),
    };
    declared.captures_iter(text).map(|found| folder.join(&found[1])).collect()
}

/// The modules of its crate that a text names, outside of comments and of its tests.
fn used_in(text: &str) -> BTreeSet<String> {
    let (text, _) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((text, ""));
    let without_comment = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let code = text.lines().map(without_comment).collect::<Vec<_>>().join("\n");
    let single = Regex::new(r"\bcrate::(\w+)").unwrap();
    let several = Regex::new(r"\bcrate::\{([^}]*)\}").unwrap();
    let grouped = several.captures_iter(&code).flat_map(|found| {
        let first = |path: &str| path.trim().split("::").next().unwrap_or_default().to_owned();
        found[1].split(',').map(first).filter(|name| !name.is_empty()).collect::<Vec<_>>()
    });
    single.captures_iter(&code).map(|found| found[1].to_owned()).chain(grouped).collect()
}

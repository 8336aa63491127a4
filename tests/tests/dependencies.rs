//! What the program is built from is built once: the compiler of the build script is the program's own.

use std::collections::BTreeMap;
use std::process::Command;

use fsgate_tests::reference::root;

#[test]
fn no_dependency_is_built_twice_because_of_its_features() {
    // Features depend on the system: the lists in guest/artifact/Cargo.toml are those of this one.
    if !cfg!(target_os = "linux") {
        #[expect(clippy::print_stderr, reason = "a skipped test says why")]
        {
            eprintln!("skipped: which features are asked for is known for Linux alone");
        }
        return;
    }
    let tree = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["tree", "--locked", "--offline", "--package", "fsgate", "--edges", "normal,build"])
        .args(["--duplicates", "--depth", "0", "--prefix", "none", "--format", "{p}"])
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let mut times = BTreeMap::new();
    for package in String::from_utf8(tree.stdout).unwrap().lines().filter(|line| !line.is_empty()) {
        *times.entry(package.trim_end_matches(" (*)").to_owned()).or_insert(0) += 1;
    }
    // Of some there are two versions, which is what cargo lists there.
    assert!(!times.is_empty());
    times.retain(|_, times| *times > 1);
    assert!(
        times.is_empty(),
        "built more than once: {times:?}. `cargo tree --package fsgate --edges features,normal --invert NAME`, and \
         `build` for `normal`, say who asks for which feature of it; what one side lacks belongs into \
         guest/artifact/Cargo.toml"
    );
}

//! Dry runs: the notes of a dry run are those of the call, wherever the trash is.
//!
//! An undo of several changes looks at each after those before it. Its dry run does not know which
//! of them the trash keeps as copies.

use serde_json::{Value, json};

use super::cases::cases;
use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, call};

fn notes(said: &Result<Value, Value>) -> Vec<Value> {
    let notes = said.as_ref().ok().and_then(|said| said["notes"].as_array());
    notes.into_iter().flatten().map(|note| note["kind"].clone()).collect()
}

/// Only these operations have a dry run.
fn has_dry_run(said: &Result<Value, Value>) -> bool {
    said.as_ref().err().is_none_or(|error| !error.to_string().contains("dry_run"))
}

#[test]
fn a_dry_run_has_the_notes_of_the_call() {
    let (mut complaints, mut with_notes) = (Complaints::default(), 0);
    for case in cases().into_iter().filter(|case| !["undo", "redo", "restore"].contains(&case.tool)) {
        // A host without reasons tells that the trash is on another file system by the call alone.
        for layout in LAYOUTS.into_iter().filter(|layout| *layout != Layout::Dumb) {
            let fixture = Fixture::of(&case, layout);
            let session = fixture.session();
            let args = fixture.args(&case);
            let mut trial = args.clone();
            trial["dry_run"] = json!(true);
            let foretold = call(&session, case.tool, &trial);
            if !has_dry_run(&foretold) {
                continue;
            }
            let said = call(&session, case.tool, &args);
            complaints.tried();
            with_notes += usize::from(!notes(&said).is_empty());
            if foretold.is_ok() != said.is_ok() || notes(&foretold) != notes(&said) {
                complaints.add(format!("{} {layout:?}", case.name), || format!("{foretold:?}\n{said:?}"));
            }
        }
    }
    assert!(with_notes > 50, "{with_notes}");
    complaints.end("dry runs whose notes differ from the call's");
}

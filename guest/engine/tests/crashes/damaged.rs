//! Damage on the disk loses neither later records nor the trash entries of the damaged ones.

use fsgate_volume::memory::Item;
use serde_json::json;

use super::fixture::{Complaints, Fixture, Layout, call, control, records};
use super::volume::FaultPlan;

/// Zeros in the place of a record, as in an unwritten sector; or a file that is too short.
#[test]
fn what_is_done_behind_a_damaged_place_is_found_again() {
    let names = ["a", "b", "c", "d", "e"];
    let tree: Vec<_> = names.iter().map(|name| format!("w/{name}")).collect();
    let tree: Vec<_> = tree.iter().map(|path| (path.as_str(), path.as_str())).chain([("v/", "")]).collect();
    let mut complaints = Complaints::default();
    for record in 0..3 {
        for damage in ["zeros", "cut off"] {
            let fixture = Fixture::new(Layout::Same, &tree);
            for name in &names[..3] {
                fixture.earlier("delete", &json!({ "path": name })).unwrap();
            }
            let items = fixture.state().snapshot();
            let done = records(&items, &control(&items).unwrap());
            let at: usize = done[..record].iter().map(|record| record.bytes.len()).sum();
            let (path, item) = items.iter().find(|(path, _)| path.starts_with("log/")).unwrap();
            let Item::File(mut bytes) = item.clone() else { panic!("{path} is no file") };
            match damage {
                "zeros" => bytes[at..at + 64].fill(0),
                _ => bytes.truncate(at),
            }
            fixture.state().put(path, Item::File(bytes));
            let ids: Vec<_> = names[3..]
                .iter()
                .map(|name| fixture.call("delete", &json!({ "path": name })).unwrap()["undo_id"].clone())
                .collect();
            fixture.look_through();
            complaints.tried();
            for (name, id) in names[3..].iter().zip(&ids).rev() {
                let undone = fixture.call("undo", &json!({ "id": id }));
                let is_back = fixture.trees().get(&format!("/w/{name}"))
                    == Some(&Item::File(format!("w/{name}").into_bytes()));
                if undone.is_err() || !is_back {
                    complaints.add(format!("{damage} at record {record}"), || format!("{name}: {undone:?}"));
                }
            }
        }
    }
    complaints.end("damaged places, and changes behind them");
}

/// A trash entry of a pending record stays even if the record is lost.
#[test]
fn what_is_kept_for_a_damaged_record_that_waits_is_not_thrown_away() {
    let (mut complaints, mut waited) = (Complaints::default(), 0);
    let tree = [("w/f", "of w\n"), ("v/g", "of v\n")];
    let patch =
        "--- a/w/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-of w\n--- a/v/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-of v\n";
    let args = json!({ "patch": patch });
    Fixture::new(Layout::Two, &tree).call("apply", &args).unwrap();
    for at in 0.. {
        let fixture = Fixture::new(Layout::Two, &tree);
        let session = fixture.session();
        fixture.machine.set(FaultPlan::Stop(at, 3));
        let _ = call(&session, "apply", &args);
        if fixture.machine.calls() <= at {
            break;
        }
        fixture.machine.set(FaultPlan::Well);
        for (grant, path) in [("/w", "/w/elsewhere"), ("/v", super::fixture::THEIRS)] {
            call(&fixture.session_over(&[grant]), "create_directory", &json!({ "path": path })).unwrap();
        }
        for disk in &fixture.disks {
            for (path, item) in disk.snapshot() {
                if let (true, Item::File(mut bytes)) = (path.contains("/waiting/"), item) {
                    waited += 1;
                    let middle = bytes.len() / 2;
                    bytes[middle] ^= 4;
                    disk.put(&path, Item::File(bytes));
                }
            }
        }
        fixture.heal();
        fixture.look_through();
        complaints.tried();
        if let Some(lost) = ["of w\n", "of v\n"].iter().find(|text| !fixture.has(text.as_bytes())) {
            complaints.add("it is gone".to_owned(), || format!("dead at {at}: {lost:?}"));
        }
    }
    assert!(waited > 0, "nothing has waited");
    complaints.end("deaths, and a damaged record that waits");
}

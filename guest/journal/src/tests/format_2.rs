//! A state directory that a program with state format 2 has written.

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_128;

use super::{add, at};
use crate::Id;
use crate::file::Check;
use crate::record::{Action, Kept, Record};
use crate::state::control::Control;
use crate::state::{FORMAT, FORMAT_2, State};
use fsgate_volume::bytes::write_all;
use fsgate_volume::memory::{Item, Memory};

fn put(state: &State<Memory>, id: Id, header: &Value) {
    let header = header.to_string();
    let mut bytes = b"fsgate\0\x03".to_vec();
    bytes.extend(id.0.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(header.as_bytes());
    for _ in ["header", "body"] {
        bytes.extend(xxh3_128(&bytes).to_le_bytes());
    }
    let (file, end) = (state.open_for(id, 0).unwrap(), state.now().end);
    write_all(&state.volume, &file, end, &bytes).unwrap();
    state.set(Control { end: end + bytes.len() as u64, last: id, ..state.now() }).unwrap();
}

#[test]
fn a_state_directory_of_format_2_is_upgraded_and_read() {
    let volume = Memory::default();
    let state = State::open(volume.clone()).ok().unwrap();
    let id = |number: u128| Id(number).to_string();
    let place = |name: &str| json!({"grant": "/w", "root": id(7), "above": [], "directory": id(7), "below": [], "name": name});
    let record = |tool: &str, action: Value| {
        json!({
            "session": id(1), "tool": tool, "rulings": id(3), "places": ["/home/me/w"], "action": action,
        })
    };
    let file = json!({"is": "file", "size": 5});
    let remove = json!({
        "kind": "remove", "at": place("a"), "object": file, "identity": id(8), "kept": "moved",
        "moved_to": place("b"),
    });
    let create = json!({
        "kind": "create", "at": place("c"), "made": 0, "object": file, "from": id(9), "lay_at": place("d"),
    });
    let trace = json!({"kind": "trace", "from": [id(7)], "to": [], "across": true});
    for (number, tool, action) in [
        (1, "forget", json!({"kind": "pruned"})),
        (2, "move", remove),
        (3, "undo", create),
        (4, "forget", trace),
    ] {
        put(&state, at(number), &record(tool, action));
    }
    drop(state);
    volume.put("format", Item::File(FORMAT_2.as_bytes().to_vec()));

    let state = State::open(volume.clone()).ok().unwrap();
    assert_eq!(volume.snapshot()["format"], Item::File(FORMAT.as_bytes().to_vec()));
    let read = |number| state.done(at(number), Check::Whole).unwrap().unwrap().record;
    for number in 1..5 {
        let Record { scope, session, .. } = read(number);
        assert_eq!((scope, session), (None, Id(1)), "{number}");
    }
    assert_eq!([1, 4].map(|number| read(number).action), [Action::Remark, Action::Remark]);
    let Action::Remove(remove) = read(2).action else { panic!("no removal") };
    assert_eq!((&remove.at.name[..], remove.kept), ("a", Kept::Moved));
    let Action::Create(create) = read(3).action else { panic!("no new name") };
    assert_eq!((&create.at.name[..], create.from), ("c", Some(Id(9))));
    // The remark stands for all removed records up to its id.
    assert_eq!([0, 2].map(|number| state.may_have_pruned(at(number)).unwrap()), [true, false]);
    add(&state, at(5), 10);
    assert!(State::open(volume).ok().unwrap().is_done(at(5)).unwrap());
}

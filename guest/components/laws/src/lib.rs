//! A component for tests: the laws of volumes on a host's directories, and calls that a host has to
//! refuse.

#![cfg(target_family = "wasm")]

mod trials;

use fsgate_volume::{LIKENESS, laws};
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::Descriptor;

use fsgate_wasi::grants;

use bindings::Guest;

mod bindings {
    wit_bindgen::generate!({
        inline: "
            package fsgate:laws;
            world laws {
                /// How many laws were tried on the two directories, and how some were broken.
                export check: func() -> tuple<u32, list<string>>;
                /// Every call that changes something, tried in the first directory, with the second one where a call takes two; what
                /// came of it.
                export changes: func() -> list<tuple<string, string>>;
                /// Every call that takes a name, with names that are none, tried in the first directory; what came of it.
                export names: func() -> list<tuple<string, string>>;
                /// Every call on the directory that says what new things are like, with the first directory; what came of it. None without
                /// one.
                export on-likeness: func() -> list<tuple<string, string>>;
                /// Makes files and directories in the first directory behind what says that they are like others; what came of it.
                export alike: func() -> list<tuple<string, string>>;
                /// How many handles could be held, of so many.
                export hold: func(times: u32) -> u32;
                /// Reads the file that a name in the first directory leads to, or says why it cannot.
                export read: func(name: string) -> result<list<u8>, string>;
            }
        ",
    });
}

struct Component;

impl Guest for Component {
    fn check() -> (u32, Vec<String>) {
        let [first, second] = &grants::<true>()[..] else {
            return (0, vec!["two directories are needed".to_owned()]);
        };
        let report = laws::check(&first.volume, &second.volume);
        (report.laws as u32, report.broken)
    }

    fn changes() -> Vec<(String, String)> {
        match &directories()[..] {
            [here, other] => trials::changes(here, other),
            _ => Vec::new(),
        }
    }

    fn names() -> Vec<(String, String)> {
        directories().first().map(trials::names).unwrap_or_default()
    }

    fn on_likeness() -> Vec<(String, String)> {
        with_likeness(trials::on_likeness)
    }

    fn alike() -> Vec<(String, String)> {
        with_likeness(trials::alike)
    }

    fn hold(times: u32) -> u32 {
        directories().first().map_or(0, |here| trials::hold(here, times))
    }

    fn read(name: String) -> Result<Vec<u8>, String> {
        let directories = directories();
        let here = directories.first().ok_or("there is no directory")?;
        trials::read(here, &name)
    }
}

fn with_likeness(trials: fn(&Descriptor, &Descriptor) -> Vec<(String, String)>) -> Vec<(String, String)> {
    let likeness = get_directories().into_iter().find(|(_, name)| name == LIKENESS);
    match (directories().first(), likeness) {
        (Some(here), Some((likeness, _))) => trials(here, &likeness),
        _ => Vec::new(),
    }
}

/// The directories with content.
fn directories() -> Vec<Descriptor> {
    let all = get_directories().into_iter();
    all.filter(|(_, name)| name != LIKENESS).map(|(directory, _)| directory).collect()
}

bindings::export!(Component with_types_in bindings);

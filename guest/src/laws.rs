//! Another component, for tests: it tries the laws of volumes on the directories that a host hands in, and what a host has
//! to refuse.

use fsgate_core::volume::laws;
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::Descriptor;

use crate::trials;
use crate::wasi::grants;

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
            /// How many handles could be held, of so many.
            export hold: func(times: u32) -> u32;
            /// What is read where a name in the first directory leads, or why not.
            export read: func(name: string) -> result<list<u8>, string>;
        }
    ",
});

struct Component;

impl Guest for Component {
    fn check() -> (u32, Vec<String>) {
        let [first, second] = &grants()[..] else {
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

    fn hold(times: u32) -> u32 {
        directories().first().map_or(0, |here| trials::hold(here, times))
    }

    fn read(name: String) -> Result<Vec<u8>, String> {
        let directories = directories();
        let here = directories.first().ok_or("there is no directory")?;
        trials::read(here, &name)
    }
}

fn directories() -> Vec<Descriptor> {
    get_directories().into_iter().map(|(directory, _)| directory).collect()
}

export!(Component);

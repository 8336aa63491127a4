//! Another component, for tests: it tries the laws of volumes on the directories that a host hands in.

use fsgate_core::volume::laws;

use crate::wasi::grants;

wit_bindgen::generate!({
    inline: "
        package fsgate:laws;
        world laws {
            /// How many laws were tried on the two directories, and how some were broken.
            export check: func() -> tuple<u32, list<string>>;
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
}

export!(Component);

//! Measures fsgate beside other ways to do the same, in one run, in turns: `make bench`.
//!
//! Only the ratios in the last column mean anything: times differ from machine to machine and from hour to hour.
//! Arguments choose tables: `calls`, `journal`, `servers`, `searches`, `policy`, `agent`. The last
//! one has no times: it counts calls, bytes and tokens.

mod agent;
mod calls;
mod journal;
mod peers;
mod policy;
mod searches;
mod server;
mod servers;
mod table;
mod trees;

use std::env;
use std::path::Path;

use anyhow::{Result, ensure};

/// A table by its name.
type Table = (&'static str, fn(&Path) -> Result<()>);

const TABLES: [Table; 6] = [
    ("calls", calls::measured),
    ("journal", journal::measured),
    ("servers", servers::measured),
    ("searches", searches::measured),
    ("policy", policy::measured),
    ("agent", agent::measured),
];

#[expect(clippy::print_stdout, reason = "the tables are what this program is for")]
fn main() -> Result<()> {
    let program = env::current_exe()?.with_file_name("fsgate");
    ensure!(program.exists(), "{} is missing: run `make bench`", program.display());
    let chosen: Vec<_> = env::args().skip(1).collect();
    for name in &chosen {
        ensure!(TABLES.iter().any(|(table, _)| table == name), "no table is called {name}");
    }
    for (name, table) in TABLES {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            println!("{name}:\n");
            table(&program)?;
            println!();
        }
    }
    Ok(())
}

//! Every case in the engine on a disk, and in the component by typed calls and in JSON.

use std::process::ExitCode;
use std::sync::Arc;

use fsgate_corpus::trials;
use fsgate_tests::disk::use_memory;
use fsgate_tests::runner::OnDisk;

fn main() -> ExitCode {
    use_memory();
    trials::main(vec![Arc::new(OnDisk::Native), Arc::new(OnDisk::Typed), Arc::new(OnDisk::Json)])
}

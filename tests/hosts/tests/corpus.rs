//! Every case in hosts other than fsgate's own: a test for each case and host.

#[expect(dead_code, reason = "the tests of the command line of ACT use the rest")]
mod act;
#[expect(dead_code, reason = "the tests of the component `flat` use the rest")]
mod exports;
#[expect(dead_code, reason = "the tests of other components use the rest")]
mod program;
mod runners {
    //! The runners of the corpus.

    pub(crate) mod act;
    pub(crate) mod wasmtime;
}
#[expect(dead_code, reason = "the tests of single functions use the rest")]
mod wave;

use std::process::ExitCode;
use std::sync::Arc;

use fsgate_corpus::trials;
use runners::act::Act;
use runners::wasmtime::Wasmtime;

use crate::exports::Exports;

fn main() -> ExitCode {
    trials::main(vec![Arc::new(Wasmtime(Exports::new())), Arc::new(Act::default())])
}

//! A caller with prepared answers, and empty streams.

use std::cell::RefCell;

use fsgate_contract::agent_types::Tool;

use crate::environment::{Shell, Streams, ToolCaller, Unwritten};

pub(crate) struct Answering<F> {
    answer: F,
    /// Every call fails with the answer as its error.
    refuses: bool,
    pub(crate) told: RefCell<Vec<String>>,
}

impl<F: Fn(&str) -> String> Answering<F> {
    pub(crate) fn new(answer: F) -> Self {
        Self { answer, refuses: false, told: RefCell::default() }
    }

    pub(crate) fn refusing(answer: F) -> Self {
        Self { refuses: true, ..Self::new(answer) }
    }

    pub(crate) fn shell(&self) -> Shell<'_> {
        Shell { caller: self, streams: self }
    }
}

impl<F: Fn(&str) -> String> ToolCaller for Answering<F> {
    fn call(&self, _: &str, arguments: &str) -> Result<String, String> {
        let answer = (self.answer)(arguments);
        if self.refuses { Err(answer) } else { Ok(answer) }
    }

    fn tools(&self) -> Result<Vec<Tool>, String> {
        Ok(Vec::new())
    }

    fn flag_for(&self, rule: &str) -> Option<&str> {
        (rule == "flagged").then_some("--flag")
    }
}

impl<F> Streams for Answering<F> {
    fn input(&self, _: usize) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    fn file(&self, _: &str, _: usize) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    fn answer(&self, _: &[u8]) -> Result<(), Unwritten> {
        Ok(())
    }

    fn complain(&self, line: &str) {
        self.told.borrow_mut().push(line.to_owned());
    }
}

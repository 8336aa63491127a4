//! Runs calls in order, within the answer's limits.

use serde_json::Value;

use super::PluginAnswer;
use super::failure::PluginFailure;
use super::parse::{NoCall, PluginCall};
use super::sidecar::moment;
use crate::Tools;
use fsgate_contract::front_ends_types::FileEvent;
use fsgate_contract::limits::{PLUGIN_DATA_BYTES, PLUGIN_STEPS};
use fsgate_contract::types::Code;

pub(super) struct PluginExecutor<'a, T: Tools> {
    pub(super) tools: &'a T,
    /// The time of day, with milliseconds.
    pub(super) now: Option<String>,
    pub(super) events: Vec<FileEvent>,
    most: usize,
    pub(super) room: usize,
    pub(super) steps: u64,
}

pub(super) type CallOutput = Result<Value, PluginFailure>;

impl<'a, T: Tools> PluginExecutor<'a, T> {
    pub(super) fn new(tools: &'a T, now: Option<&str>) -> Self {
        let most = PLUGIN_DATA_BYTES.min(tools.bounds().room());
        Self { tools, now: now.and_then(moment), events: Vec::new(), most, room: most, steps: PLUGIN_STEPS }
    }

    pub(super) fn answer(&mut self, call: Result<PluginCall, NoCall>) -> String {
        let answer = match call {
            Ok(call) => self.execute(call),
            Err(no_call) => PluginAnswer::failed(no_call.into()),
        };
        let written = answer.written();
        // A sent file is also an event.
        let times = if answer.event.is_some() { 2 } else { 1 };
        match self.room.checked_sub(times * written.len()) {
            Some(room) => self.room = room,
            None if answer.event.is_some() => {
                self.events.pop();
                return PluginAnswer::failed(self.no_room()).written();
            }
            None if is_large(&answer) => return PluginAnswer::failed(self.no_room()).written(),
            // Short results are always reported, and hardly longer than their call.
            None => self.room = 0,
        }
        written
    }

    fn execute(&mut self, call: PluginCall) -> PluginAnswer {
        match call {
            PluginCall::Write { path, content, encoding, mime_type } => {
                answer(self.write(&path, content, encoding, mime_type), &path)
            }
            PluginCall::Read { path, encoding } => answer(self.read(&path, encoding), &path),
            PluginCall::List { path } => answer(self.list(&path), &path),
            PluginCall::Glob { pattern, cwd } => answer(self.glob(&pattern, &cwd), &cwd),
            PluginCall::Remove { path } => answer(self.remove(&path), &path),
            PluginCall::Output { path, description } => self.output(&path, description),
        }
    }

    pub(super) fn no_room(&self) -> PluginFailure {
        let most = self.most;
        let problem = format!("the calls of one text give at most {most} bytes together");
        PluginFailure::new(&Code::TooLarge(most as u64), problem)
    }
}

fn answer(output: CallOutput, path: &str) -> PluginAnswer {
    match output {
        Ok(output) => PluginAnswer { output: Some(output), ..PluginAnswer::default() },
        Err(failure) => PluginAnswer::failed(failure.at(path)),
    }
}

fn is_large(answer: &PluginAnswer) -> bool {
    let has = |key| answer.output.as_ref().is_some_and(|output| output.get(key).is_some());
    has("content") || has("entries")
}

//! Carries out calls one after the other, and keeps what they give within bounds.

use serde_json::Value;

use super::Answer;
use super::failure::Failure;
use super::read::{Call, NoCall};
use super::sidecar::moment;
use crate::Tools;
use fsgate_contract::front_ends_types::FileEvent;
use fsgate_contract::limits::{PLUGIN_DATA_BYTES, PLUGIN_STEPS};
use fsgate_contract::types::Code;

pub(super) struct Executor<'a, T: Tools> {
    pub(super) tools: &'a T,
    /// The time of day, with milliseconds.
    pub(super) now: Option<String>,
    /// The files that were handed to the user.
    pub(super) events: Vec<FileEvent>,
    /// Bytes that answers may have.
    most: usize,
    /// How many of them are left.
    pub(super) room: usize,
    /// Steps that patterns may still take.
    pub(super) steps: u64,
}

/// What a call returns.
pub(super) type Output = Result<Value, Failure>;

impl<'a, T: Tools> Executor<'a, T> {
    pub(super) fn new(tools: &'a T, now: Option<&str>) -> Self {
        let most = PLUGIN_DATA_BYTES.min(tools.bounds().room());
        Self { tools, now: now.and_then(moment), events: Vec::new(), most, room: most, steps: PLUGIN_STEPS }
    }

    /// The answer to a call, in JSON.
    pub(super) fn answer(&mut self, call: Result<Call, NoCall>) -> String {
        let answer = match call {
            Ok(call) => self.execute(call),
            Err(no_call) => Answer::failed(no_call.into()),
        };
        let written = answer.written();
        // A file for the user is told once more, typed.
        let times = if answer.event.is_some() { 2 } else { 1 };
        match self.room.checked_sub(times * written.len()) {
            Some(room) => self.room = room,
            None if answer.event.is_some() => {
                // It is as if nobody had asked for it.
                self.events.pop();
                return Answer::failed(self.no_room()).written();
            }
            None if is_large(&answer) => return Answer::failed(self.no_room()).written(),
            // What was done is told in any case: it takes little more than the call did.
            None => self.room = 0,
        }
        written
    }

    fn execute(&mut self, call: Call) -> Answer {
        match call {
            Call::Write { path, content, encoding, mime_type } => {
                told(self.write(&path, content, encoding, mime_type), &path)
            }
            Call::Read { path, encoding } => told(self.read(&path, encoding), &path),
            Call::List { path } => told(self.list(&path), &path),
            Call::Glob { pattern, cwd } => told(self.glob(&pattern, &cwd), &cwd),
            Call::Remove { path } => told(self.remove(&path), &path),
            Call::Output { path, description } => self.output(&path, description),
        }
    }

    /// There is no room for an answer.
    pub(super) fn no_room(&self) -> Failure {
        let most = self.most;
        let problem = format!("the calls of one text give at most {most} bytes together");
        Failure::new(&Code::TooLarge(most as u64), problem)
    }
}

fn told(output: Output, path: &str) -> Answer {
    match output {
        Ok(output) => Answer { output: Some(output), ..Answer::default() },
        Err(failure) => Answer::failed(failure.at(path)),
    }
}

/// True for what files and directories have given.
fn is_large(answer: &Answer) -> bool {
    let has = |key| answer.output.as_ref().is_some_and(|output| output.get(key).is_some());
    has("content") || has("entries")
}

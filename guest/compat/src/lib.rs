//! Front ends: other systems' languages over the contract's operations.
//!
//! A front end is one function. A text and the last `state` become an answer in its system's terms
//! and the next `state`. It calls operations through [`Tools`]. A pure function parses the text.
//! The answer contains errors.
//!
//! All match exactly, include dot names, ignore no files, and read large files in windows.

#![forbid(unsafe_code)]

pub mod bounds;
pub mod command;
pub mod complete_file;
pub mod failure_terms;
pub mod file_action;
pub mod json;
pub mod lean;
pub mod plugin;
pub mod relocation;
pub mod sham;
#[cfg(test)]
pub(crate) mod testing;
pub mod workflow;

use std::cell::Cell;
use std::fmt::Display;

use self::bounds::{Bounds, Unbounded};
use fsgate_contract::types::{Code, Error};
use fsgate_contract::{self as contract, Arguments, Callable, Operations, for_each_front_end};

/// The operations for a front end.
pub trait Tools {
    /// Calls an operation.
    fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error>;

    /// Makes a call that repairs an earlier one, even after the text's end.
    fn restore<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        self.call(args)
    }

    /// The whole text's limits.
    fn bounds(&self) -> &dyn Bounds {
        &Unbounded
    }
}

impl<O: Operations> Tools for O {
    fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        args.on(self)
    }
}

/// Calls a front end by name with JSON. The error is about the arguments.
pub fn call(name: &str, tools: &impl Tools, arguments: &str) -> Result<String, String> {
    macro_rules! call {
        ($($known:literal $module:ident $types:ident::$args:ident)*) => {
            match name {
                $($known => serde_json::from_str::<contract::$types::$args>(arguments)
                    .and_then(|args| serde_json::to_string(&$module::run(tools, &args)))
                    .map_err(|problem| format!("the arguments of `{name}`: {problem}")),)*
                _ => Err(format!("there is no front end `{name}`")),
            }
        };
    }
    for_each_front_end!(call)
}

/// Operations in JSON. A gate gives each call its own deadline, lock and audit line. Page sizes are
/// explicit: JSON has other defaults.
#[derive(Clone, Copy)]
pub struct InJson<'a> {
    call: &'a dyn Fn(&str, &str) -> Result<String, String>,
    bounds: &'a dyn Bounds,
}

impl<'a> InJson<'a> {
    /// Calls without limits.
    pub fn over(call: &'a dyn Fn(&str, &str) -> Result<String, String>) -> Self {
        Self { call, bounds: &Unbounded }
    }

    /// Runs a text over these calls and limits. Returns whether it made a call: a text without
    /// calls needs its own audit line.
    pub fn heard<T>(
        bounds: &dyn Bounds,
        call: impl Fn(&str, &str) -> Result<String, String>,
        run: impl FnOnce(&InJson) -> T,
    ) -> (T, bool) {
        let has_called = Cell::new(false);
        let call = |tool: &str, arguments: &str| {
            has_called.set(true);
            call(tool, arguments)
        };
        (run(&InJson { call: &call, bounds }), has_called.get())
    }
}

impl Tools for InJson<'_> {
    fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        match bounds::ended(self.bounds, A::OPERATION) {
            Some(ended) => Err(ended),
            None => self.restore(args),
        }
    }

    fn restore<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        let arguments = serde_json::to_string(args).map_err(|problem| unread::<A>(&problem))?;
        match (self.call)(A::OPERATION, &arguments) {
            Ok(outcome) => serde_json::from_str(&outcome).map_err(|problem| unread::<A>(&problem)),
            Err(error) => Err(serde_json::from_str(&error).unwrap_or_else(|problem| unread::<A>(&problem))),
        }
    }

    fn bounds(&self) -> &dyn Bounds {
        self.bounds
    }
}

/// The answer about a file; none if missing or denied. A call not made has no answer.
fn answered<T>(answer: Result<T, Error>) -> Result<Option<T>, Error> {
    match answer {
        Ok(outcome) => Ok(Some(outcome)),
        Err(error) => match error.code {
            Code::Busy | Code::Unrecovered | Code::Deadline | Code::Limit(_) | Code::Cancelled => Err(error),
            _ => Ok(None),
        },
    }
}

/// The error for a malformed answer, whose effect is unknown.
fn unread<A: Arguments>(problem: &dyn Display) -> Error {
    let problem = format!("the answer to `{}` is not the contract's: {problem}", A::OPERATION);
    Error {
        code: Code::Other(problem.clone()),
        operation: A::OPERATION.to_owned(),
        path: None,
        message: problem,
        applied: !A::READ_ONLY,
        repair: None,
        details: None,
    }
}

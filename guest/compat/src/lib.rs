//! Front ends: the languages of other systems, over the operations of the contract.
//!
//! A front end is one function: from a text and the `state` of an earlier one to an answer in the
//! words of its system and the `state` for the next one. It calls operations through [`Tools`] and
//! opens no file itself. A pure function of its own reads the text, by a table of its system. A
//! front end never fails: its answer has every error.
//!
//! All of them match texts exactly, see names that begin with a dot, ask no ignore rules, and read
//! a whole file in several windows.

#![forbid(unsafe_code)]

pub mod bounds;
pub mod command;
pub mod complete_file;
pub mod failure_terms;
pub mod file_action;
pub mod json;
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

/// The operations as a front end calls them: each call is one like any other.
pub trait Tools {
    /// Calls the operation that these arguments are for.
    fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error>;

    /// Makes a call that repairs or ends an earlier one, also after the end of the text.
    fn restore<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        self.call(args)
    }

    /// The limits of the text as a whole.
    fn bounds(&self) -> &dyn Bounds {
        &Unbounded
    }
}

impl<O: Operations> Tools for O {
    fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        args.on(self)
    }
}

/// Calls a front end by its name, with arguments and outcome in JSON. The error is a sentence about
/// the arguments.
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

/// Calls by name, with arguments, outcomes and errors in JSON. A gate gives each call its own
/// deadline, lock and line in the audit. A front end names the sizes that it wants, because JSON
/// has other limits.
#[derive(Clone, Copy)]
pub struct InJson<'a> {
    call: &'a dyn Fn(&str, &str) -> Result<String, String>,
    bounds: &'a dyn Bounds,
}

impl<'a> InJson<'a> {
    /// Calls of a text that nobody bounds.
    pub fn over(call: &'a dyn Fn(&str, &str) -> Result<String, String>) -> Self {
        Self { call, bounds: &Unbounded }
    }

    /// The result of a text over these calls and within these bounds, and whether it made a call. A
    /// text without a call leaves no line of its own.
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

/// The answer to a question about a file; none if the file, or the right to see or change it,
/// refuses the question. A call that was not made answers neither.
fn answered<T>(answer: Result<T, Error>) -> Result<Option<T>, Error> {
    match answer {
        Ok(outcome) => Ok(Some(outcome)),
        Err(error) => match error.code {
            Code::Busy | Code::Unrecovered | Code::Deadline | Code::Limit(_) | Code::Cancelled => Err(error),
            _ => Ok(None),
        },
    }
}

/// The error for an answer that breaks the contract: its effect is unknown.
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

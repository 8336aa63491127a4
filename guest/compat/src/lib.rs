//! Front ends: the languages of other systems, over the operations that are there.
//!
//! A front end is one function, from a text and what an earlier one has left (`state`) to an answer in that system's own words and
//! what the next one has to bring along. It calls operations through [`Tools`], as everybody does: it opens no file
//! itself, and there is no operation that only it has. What it understands is a pure function of its own, a table of what its
//! system knows. It never fails: what is wrong stands in its answer.
//!
//! What holds for all of them: texts are matched exactly, names that begin with a dot are seen, ignore rules are not
//! asked, and a whole file is put together from several windows.

#![forbid(unsafe_code)]

pub mod bounds;
pub mod command;
pub mod file_action;
pub mod json;
pub mod plugin;
pub mod relocation;
pub mod sham;
#[cfg(test)]
pub(crate) mod testing;
pub mod whole;
pub mod words;
pub mod workflow;

use std::cell::Cell;
use std::fmt::Display;

use self::bounds::{Bounds, Unbounded};
use fsgate_contract::types::{Code, Error};
use fsgate_contract::{self as contract, Arguments, Callable, Operations, for_each_front_end};

/// Who carries out the calls of a front end: each is a call like any other.
pub trait Tools {
    /// Calls the operation that these arguments are for.
    fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error>;

    /// The same of a call that makes good or ends what others have begun: it is made also once the text has ended.
    fn restore<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        self.call(args)
    }

    /// What the text may use besides.
    fn bounds(&self) -> &dyn Bounds {
        &Unbounded
    }
}

impl<O: Operations> Tools for O {
    fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        args.on(self)
    }
}

/// Calls a front end by its name, with arguments and outcome in JSON; the error is a sentence about what is wrong with
/// them.
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

/// Calls by name, with arguments, outcomes and errors in JSON: through a gate, where every call has its own deadline, lock and
/// line in the audit. A front end says itself how much it wants of what has other limits in JSON.
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

    /// What a text comes to over these calls, within these bounds, and whether it has made one: a text that makes none leaves no line of
    /// its own.
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

/// What a question about a file has come to: none if it is refused for what is there, or for what may be seen or done. A call that was not made
/// says nothing about either.
fn answered<T>(answer: Result<T, Error>) -> Result<Option<T>, Error> {
    match answer {
        Ok(outcome) => Ok(Some(outcome)),
        Err(error) => match error.code {
            Code::Busy | Code::Unrecovered | Code::Deadline | Code::Limit(_) | Code::Cancelled => Err(error),
            _ => Ok(None),
        },
    }
}

/// Who was called does not keep to the contract. Nobody knows what it has done.
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

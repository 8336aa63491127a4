//! The contract of `wit/` in Rust: types, defaults, ranges, schemas, with limits, paths and ids.
//!
//! The generator writes everything but the definitions in these files.

#![forbid(unsafe_code)]

mod base64;
pub mod id;
pub mod limits;
pub mod media_type;
pub mod path;
pub mod synonyms;
pub mod time;

use std::fmt;

/// Arguments of an operation, with the facts of the contract about them.
pub trait Arguments: serde::Serialize + serde::de::DeserializeOwned {
    /// What the operation returns.
    type Outcome: serde::Serialize + serde::de::DeserializeOwned;
    /// The operation's name in snake_case.
    const OPERATION: &'static str;
    /// The interface that holds it.
    const INTERFACE: &'static str;
    /// It changes nothing.
    const READ_ONLY: bool;
    /// Returns the values that are out of the ranges of the contract.
    fn misfits(&self) -> Vec<Misfit>;
    /// The call is to change nothing.
    fn is_dry_run(&self) -> bool {
        false
    }
    /// The consent of the caller to a deletion; none where the call cannot have it.
    fn is_confirmed(&self) -> Option<bool> {
        None
    }
    /// Adds the results of carrying out the changes.
    fn add(&self, _outcome: &mut Self::Outcome, _applied: Applied) {}
}

/// The results of carrying out the changes of a call.
#[derive(Debug, Default, PartialEq)]
pub struct Applied {
    /// Notes for the outcome.
    pub notes: Vec<types::Note>,
    /// The id of the call in the history, if it is in there.
    pub undo_id: Option<types::UndoId>,
    /// Entries that left the history while the trash still has something of them.
    pub pending: Pending,
}

/// Entries of the history that are not gone as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pending {
    /// Number of entries.
    pub entries: u32,
    /// Bytes that the trash has of them.
    pub bytes: u64,
}

/// A number, or the number of items of a list, outside its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The argument, such as `limit` or `edits[2].occurrence`.
    pub field: String,
    /// It is a list, and its number of items is meant.
    pub items: bool,
    /// Its value.
    pub value: u64,
    /// The smallest value allowed.
    pub low: u64,
    /// The largest value allowed.
    pub high: u64,
}

/// An operation as the contract describes it.
#[derive(Debug)]
pub struct Operation {
    /// Name in snake_case.
    pub name: &'static str,
    /// The WIT interface that holds it.
    pub interface: &'static str,
    /// Its effect; the first line is a summary.
    pub description: &'static str,
    /// It changes nothing.
    pub read_only: bool,
    /// It may change or remove what is there.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// Arguments to try, as JSON.
    pub examples: &'static [&'static str],
    /// JSON Schema of the arguments.
    pub input_schema: &'static str,
    /// JSON Schema of the outcome.
    pub outcome_schema: &'static str,
    /// Its arguments, one by one.
    pub fields: &'static [Field],
}

impl Operation {
    /// The operation of that name, in snake_case or kebab-case.
    pub fn find(name: &str) -> Option<&'static Self> {
        let name = name.replace('-', "_");
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    /// The first paragraph of the description.
    pub fn summary(&self) -> &'static str {
        self.description.split("\n\n").next().unwrap_or_default()
    }
}

/// A front end as the contract describes it.
#[derive(Debug)]
pub struct FrontEnd {
    /// Name in snake_case.
    pub name: &'static str,
    /// What it does; the first line is a summary.
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub input_schema: &'static str,
    /// JSON Schema of the outcome.
    pub outcome_schema: &'static str,
}

impl FrontEnd {
    /// The front end of that name, in snake_case or kebab-case.
    pub fn find(name: &str) -> Option<&'static Self> {
        let name = name.replace('-', "_");
        FRONT_ENDS.iter().find(|front_end| front_end.name == name)
    }
}

/// An argument of an operation.
#[derive(Debug)]
pub struct Field {
    /// Name in snake_case.
    pub name: &'static str,
    /// What it means.
    pub description: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// It has to be given.
    pub required: bool,
    /// Value if it is not given, as JSON.
    pub default: Option<&'static str>,
    /// What it means not to be given, where no value says it.
    pub meaning_of_none: Option<&'static str>,
    /// The meaning of an empty text or list in JSON, if it may be left out.
    pub empty: Empty,
    /// Value that calls in JSON put in place of the default, as JSON.
    pub agent_default: Option<&'static str>,
    /// Smallest and largest value.
    pub range: Option<(u64, u64)>,
    /// The texts that it can be, if only these.
    pub choices: &'static [&'static str],
    /// The fields of each item, if it holds records.
    pub fields: &'static [Field],
}

/// The meaning of an empty text or list that is given for an optional argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Empty {
    /// The argument counts as left out.
    Absent,
    /// The call is refused: the value would choose what is changed, or protect it.
    Refused,
    /// It is a value like any other.
    Value,
}

/// What an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// Text.
    Text,
    /// Text of any length, to write or to find.
    Content,
    /// Several texts.
    Texts,
    /// One of a few texts.
    Choice,
    /// Bytes; in JSON as base64.
    Bytes,
    /// Several records.
    Records,
}

/// The argument of an operation for a pattern over paths. Errors ask it, and a component without
/// the catalogue has no use for all of [`OPERATIONS`].
pub fn path_pattern(operation: &str) -> Option<&'static str> {
    PATH_PATTERNS.iter().find(|(name, _)| *name == operation).map(|(_, argument)| *argument)
}

/// Every operation, as a tool of a model.
pub fn catalogue() -> Vec<agent_types::Tool> {
    OPERATIONS
        .iter()
        .map(|operation| agent_types::Tool {
            name: operation.name.to_owned(),
            description: operation.description.to_owned(),
            input_schema: operation.input_schema.to_owned(),
            outcome_schema: operation.outcome_schema.to_owned(),
            annotations: agent_types::Annotations {
                read_only: operation.read_only,
                destructive: operation.destructive,
                idempotent: operation.idempotent,
            },
        })
        .collect()
}

include!(concat!(env!("OUT_DIR"), "/contract.rs"));

macro_rules! operations {
    ($($tool:literal $name:ident $types:ident::$args:ident)*) => {
        /// All operations, over their typed arguments.
        pub trait Operations {
            $(
                #[doc = concat!("The operation `", $tool, "`.")]
                fn $name(&self, args: &$types::$args) -> Result<<$types::$args as Arguments>::Outcome, types::Error>;
            )*
        }

        $(impl Callable for $types::$args {
            fn on(&self, operations: &impl Operations) -> Result<Self::Outcome, types::Error> {
                operations.$name(self)
            }
        })*
    };
}
for_each_operation!(operations);

/// Arguments that call their operation.
pub trait Callable: Arguments {
    /// Calls the operation that these arguments are for.
    fn on(&self, operations: &impl Operations) -> Result<Self::Outcome, types::Error>;
}

impl fmt::Display for types::Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.message)?;
        match &self.repair {
            Some(repair) => write!(f, "; {repair}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for types::Error {}

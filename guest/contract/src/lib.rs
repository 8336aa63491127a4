//! The contract of `wit/` in Rust: types, defaults, ranges, schemas, with limits, paths and ids.
//!
//! The generator writes all else.

#![forbid(unsafe_code)]

mod base64;
pub mod id;
pub mod limits;
pub mod media_type;
pub mod path;
pub mod synonyms;
pub mod time;

use std::fmt;

/// An operation's arguments, with the contract's facts about them.
pub trait Arguments: serde::Serialize + serde::de::DeserializeOwned {
    /// What the operation returns.
    type Outcome: serde::Serialize + serde::de::DeserializeOwned;
    /// The operation's name in snake_case.
    const OPERATION: &'static str;
    /// Its interface.
    const INTERFACE: &'static str;
    /// It changes nothing.
    const READ_ONLY: bool;
    /// The values outside of the contract's ranges.
    fn misfits(&self) -> Vec<Misfit>;
    /// Whether the call changes nothing.
    fn is_dry_run(&self) -> bool {
        false
    }
    /// The caller's consent to a deletion; none where the call has no such argument.
    fn is_confirmed(&self) -> Option<bool> {
        None
    }
    /// Whether the caller, and not a host by itself, asks for a recovery.
    fn asks_for_recovery(&self) -> bool {
        false
    }
    /// Adds the results of the changes.
    fn add(&self, _outcome: &mut Self::Outcome, _applied: Applied) {}
}

/// The results of a call's changes.
#[derive(Debug, Default, PartialEq)]
pub struct Applied {
    /// Notes for the outcome.
    pub notes: Vec<types::Note>,
    /// The call's id in the history, if any.
    pub undo_id: Option<types::UndoId>,
    /// Entries that left the history while the trash still has parts of them.
    pub pending: Pending,
    /// Entries that left the history earlier, and the trash in this call.
    pub emptied: Pending,
}

/// Entries that have left the history, and their content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pending {
    /// Their number.
    pub entries: u32,
    /// Their bytes in the trash.
    pub bytes: u64,
}

/// A number, or a list's number of items, outside of its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The argument, such as `limit` or `edits[2].occurrence`.
    pub field: String,
    /// It is a list's number of items.
    pub items: bool,
    /// Its value.
    pub value: u64,
    /// The smallest allowed value.
    pub low: u64,
    /// The largest allowed value.
    pub high: u64,
}

/// An operation as the contract describes it.
#[derive(Debug)]
pub struct Operation {
    /// Name in snake_case.
    pub name: &'static str,
    /// Its WIT interface.
    pub interface: &'static str,
    /// Its effect; the first line is a summary.
    pub description: &'static str,
    /// It changes nothing.
    pub read_only: bool,
    /// It may change or remove something.
    pub destructive: bool,
    /// An equal second call changes nothing more.
    pub idempotent: bool,
    /// Arguments to try, as JSON.
    pub examples: &'static [&'static str],
    /// JSON Schema of the arguments.
    pub input_schema: &'static str,
    /// JSON Schema of the outcome.
    pub outcome_schema: &'static str,
    /// Its arguments.
    pub fields: &'static [Field],
}

impl Operation {
    /// The operation with this name, in snake_case or kebab-case.
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
    /// Its effect; the first line is a summary.
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub input_schema: &'static str,
    /// JSON Schema of the outcome.
    pub outcome_schema: &'static str,
}

impl FrontEnd {
    /// The front end with this name, in snake_case or kebab-case.
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
    /// Its meaning.
    pub description: &'static str,
    /// Its kind of value.
    pub kind: Kind,
    /// It is mandatory.
    pub required: bool,
    /// Default, as JSON.
    pub default: Option<&'static str>,
    /// The meaning of its absence, where no value says it.
    pub meaning_of_none: Option<&'static str>,
    /// The meaning of an empty text or list in JSON, if it is optional.
    pub empty: Empty,
    /// The default of calls in JSON, as JSON.
    pub agent_default: Option<&'static str>,
    /// Smallest and largest value.
    pub range: Option<(u64, u64)>,
    /// Its only texts, if limited.
    pub choices: &'static [&'static str],
    /// The fields of its records.
    pub fields: &'static [Field],
}

/// The meaning of an empty text or list as an optional argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Empty {
    /// The argument counts as left out.
    Absent,
    /// The call is refused: the value would choose or protect something.
    Refused,
    /// It is an ordinary value.
    Value,
}

/// The kind of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// Text.
    Text,
    /// Text of any length.
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

/// An operation's argument with a pattern over paths. Errors use it: a component without the
/// catalogue needs no [`OPERATIONS`].
pub fn path_pattern(operation: &str) -> Option<&'static str> {
    PATH_PATTERNS.iter().find(|(name, _)| *name == operation).map(|(_, argument)| *argument)
}

/// Every operation, as a tool of a model.
pub fn catalogue() -> Vec<agent_types::Tool> {
    catalogue_of(OPERATIONS)
}

/// Some operations, or the lean set, as tools of a model.
pub fn catalogue_of(operations: &[Operation]) -> Vec<agent_types::Tool> {
    operations
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
        /// All operations with typed arguments.
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
    /// Calls their operation.
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

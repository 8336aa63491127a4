//! The components by their kinds.

use std::borrow::Cow;

use crate::{COMPONENT, archive};

static OTHERS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kinds.lzma2"));

/// The interface of a component. All have the same core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Every interface of the contract: [`COMPONENT`].
    Tools,
    /// The command line, as `wasi:cli/run`.
    Command,
    /// The reading interfaces, without an import that changes anything.
    Reader,
    /// The reading and changing interfaces.
    Editor,
    /// The operations as the world's functions, with documentation: for Wassette and similar hosts.
    Flat,
    /// The operations in the host ACT's interface.
    Act,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Tools, Self::Command, Self::Reader, Self::Editor, Self::Flat, Self::Act];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Command => "command",
            Self::Reader => "reader",
            Self::Editor => "editor",
            Self::Flat => "flat",
            Self::Act => "act",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its file name in the documentation.
    pub fn file_name(self) -> String {
        match self {
            Self::Tools => "fsgate.wasm".to_owned(),
            kind => format!("fsgate-{}.wasm", kind.name()),
        }
    }

    /// The component, if built. A build without the feature `kinds` has the first, and a release
    /// all.
    pub fn bytes(self) -> Option<Cow<'static, [u8]>> {
        match self {
            Self::Tools => Some(Cow::Borrowed(COMPONENT)),
            kind => archive::unpack(COMPONENT, OTHERS, kind.name()).ok().flatten().map(Cow::Owned),
        }
    }
}

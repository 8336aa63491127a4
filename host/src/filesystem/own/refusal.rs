//! Why a call is refused.

use rustix::io::Errno;
use wasmtime::component::ResourceTableError;

pub(super) use wasmtime_wasi::p2::bindings::sync::filesystem::types::ErrorCode;

/// A call that is answered with an error, or that ends the component.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The component is told.
    Code(ErrorCode),
    /// It uses what it does not hold, or holds more than it may.
    Trap(ResourceTableError),
}

/// What a call gives.
pub(super) type Outcome<T> = Result<T, Refusal>;

impl From<ErrorCode> for Refusal {
    fn from(code: ErrorCode) -> Self {
        Self::Code(code)
    }
}

impl From<ResourceTableError> for Refusal {
    fn from(error: ResourceTableError) -> Self {
        Self::Trap(error)
    }
}

impl From<Errno> for Refusal {
    fn from(errno: Errno) -> Self {
        Self::Code(code(errno))
    }
}

/// What the system says, in the interface's words.
pub(super) fn code(errno: Errno) -> ErrorCode {
    match errno {
        Errno::ACCESS => ErrorCode::Access,
        Errno::BADF => ErrorCode::BadDescriptor,
        // A file that another program has leased (a file server does) is not waited for.
        Errno::AGAIN | Errno::BUSY => ErrorCode::Busy,
        Errno::DQUOT => ErrorCode::Quota,
        Errno::EXIST => ErrorCode::Exist,
        Errno::FBIG => ErrorCode::FileTooLarge,
        Errno::ILSEQ => ErrorCode::IllegalByteSequence,
        Errno::INTR => ErrorCode::Interrupted,
        Errno::INVAL => ErrorCode::Invalid,
        Errno::ISDIR => ErrorCode::IsDirectory,
        Errno::LOOP => ErrorCode::Loop,
        Errno::MLINK => ErrorCode::TooManyLinks,
        Errno::NAMETOOLONG => ErrorCode::NameTooLong,
        Errno::NODEV => ErrorCode::NoDevice,
        Errno::NOENT => ErrorCode::NoEntry,
        Errno::NOMEM => ErrorCode::InsufficientMemory,
        Errno::NOSPC => ErrorCode::InsufficientSpace,
        Errno::NOTDIR => ErrorCode::NotDirectory,
        Errno::NOTEMPTY => ErrorCode::NotEmpty,
        Errno::NOSYS | Errno::NOTSUP => ErrorCode::Unsupported,
        // What opening a socket gives, or a FIFO for writing.
        Errno::NXIO | Errno::PERM => ErrorCode::NotPermitted,
        Errno::OVERFLOW => ErrorCode::Overflow,
        Errno::PIPE => ErrorCode::Pipe,
        Errno::ROFS => ErrorCode::ReadOnly,
        Errno::SPIPE => ErrorCode::InvalidSeek,
        Errno::TXTBSY => ErrorCode::TextFileBusy,
        Errno::XDEV => ErrorCode::CrossDevice,
        _ => ErrorCode::Io,
    }
}

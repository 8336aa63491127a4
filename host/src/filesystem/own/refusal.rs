//! The errors of calls.

use rustix::io::Errno;
use wasmtime::component::ResourceTableError;

pub(super) use wasmtime_wasi::p2::bindings::sync::filesystem::types::ErrorCode;

#[derive(Debug)]
pub(super) enum Refusal {
    Code(ErrorCode),
    /// Traps: the component uses a resource that it does not hold, or holds too many.
    Trap(ResourceTableError),
}

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

pub(super) fn code(errno: Errno) -> ErrorCode {
    match errno {
        Errno::ACCESS => ErrorCode::Access,
        Errno::BADF => ErrorCode::BadDescriptor,
        // Do not wait for a file that another program, such as a file server, has leased.
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
        // From opening a socket, or a FIFO for writing.
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

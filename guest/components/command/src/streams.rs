//! WASI's standard streams, and files through the session.

use std::cell::OnceCell;

use fsgate_cli::{Streams, Unwritten};
use fsgate_contract::read_types::ReadBytesArgs;
use fsgate_engine::tools;
use wasip2::cli::{stderr, stdin, stdout};
use wasip2::filesystem::types::{ErrorCode, filesystem_error_code};
use wasip2::io::streams::{OutputStream, StreamError};

use crate::session;

pub(crate) struct Standard;

impl Streams for Standard {
    fn input(&self, most: usize) -> Result<Vec<u8>, String> {
        const CHUNK: usize = 64 << 10;
        let stdin = stdin::get_stdin();
        let mut bytes = Vec::new();
        while bytes.len() < most {
            match stdin.blocking_read(CHUNK.min(most - bytes.len()) as u64) {
                Ok(chunk) => bytes.extend(chunk),
                Err(StreamError::Closed) => break,
                Err(StreamError::LastOperationFailed(error)) => {
                    return Err(format!("cannot read standard input: {}", error.to_debug_string()));
                }
            }
        }
        Ok(bytes)
    }

    fn file(&self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        loop {
            let args = ReadBytesArgs {
                path: path.to_owned(),
                offset: Some(bytes.len() as u64),
                length: Some(ReadBytesArgs::LENGTH_HIGH),
            };
            let outcome = session(|session| session.run(tools::read_bytes::run, &args))
                .map_err(|error| format!("cannot read the file: {error}"))?;
            bytes.extend(&outcome.bytes);
            if outcome.end || outcome.bytes.is_empty() || bytes.len() >= most {
                bytes.truncate(most);
                return Ok(bytes);
            }
        }
    }

    fn answer(&self, bytes: &[u8]) -> Result<(), Unwritten> {
        thread_local! {
            static STDOUT: OnceCell<OutputStream> = const { OnceCell::new() };
        }
        STDOUT.with(|stdout| write(stdout.get_or_init(stdout::get_stdout), bytes)).map_err(
            |error| match error {
                StreamError::Closed => Unwritten::ReaderGone,
                StreamError::LastOperationFailed(error) => match filesystem_error_code(&error) {
                    Some(ErrorCode::Pipe) => Unwritten::ReaderGone,
                    _ => Unwritten::Failed(error.to_debug_string()),
                },
            },
        )
    }

    fn complain(&self, line: &str) {
        // No reader is left if this fails.
        let _ = write(&stderr::get_stderr(), format!("fsgate: {line}\n").as_bytes());
    }
}

/// Writes all, in the stream's portions.
fn write(stream: &OutputStream, mut bytes: &[u8]) -> Result<(), StreamError> {
    while !bytes.is_empty() {
        let allowed = usize::try_from(stream.check_write()?).unwrap_or(usize::MAX);
        if allowed == 0 {
            stream.subscribe().block();
            continue;
        }
        let (now, rest) = bytes.split_at(allowed.min(bytes.len()));
        stream.write(now)?;
        bytes = rest;
    }
    stream.blocking_flush()
}

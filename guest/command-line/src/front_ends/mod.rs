//! The languages of other systems at a shell: a text on standard input, the answer in that system's words on standard output.

pub(crate) mod sham;
#[cfg(test)]
mod testing;
pub(crate) mod workflow;

use clap::Command;
use fsgate_core::limits::FRONT_END_TEXT_BYTES;

use crate::exit::Exit;
use crate::outside::{Shell, Streams};

/// The subcommand of each.
pub(crate) fn commands() -> impl Iterator<Item = Command> {
    [sham::command(), workflow::command()].into_iter()
}

/// The text that standard input has, to its end.
fn text(shell: Shell) -> Result<String, Exit> {
    read(shell.streams).map_err(|problem| {
        shell.complain(&problem);
        Exit::Usage
    })
}

fn read(streams: &dyn Streams) -> Result<String, String> {
    let bytes = streams.input(FRONT_END_TEXT_BYTES + 1)?;
    if bytes.len() > FRONT_END_TEXT_BYTES {
        return Err(format!(
            "standard input has more than {FRONT_END_TEXT_BYTES} bytes, and a text has at most that many"
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        format!("standard input is not UTF-8 text: the byte at offset {offset} begins no character")
    })
}

#[cfg(test)]
mod tests {
    use fsgate_core::volume::memory::Memory;

    use super::*;
    use crate::front_ends::testing::ran;

    #[test]
    fn what_is_no_text_is_wrong_usage() {
        for (input, sentence) in [
            (b"a\xFF".to_vec(), "the byte at offset 1 begins no character"),
            (vec![b'a'; FRONT_END_TEXT_BYTES + 1], "more than 16777216 bytes"),
        ] {
            let (exit, outside) = ran(&Memory::default(), "sham", &[], &input);
            assert_eq!((exit, &outside.shown.into_inner()[..]), (Exit::Usage, &b""[..]));
            let told = outside.told.into_inner();
            assert!(matches!(&told[..], [line] if line.contains(sentence)), "{told:?}");
        }
    }
}

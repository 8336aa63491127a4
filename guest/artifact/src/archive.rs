//! The components for other hosts in one archive.
//!
//! All components share much of the tools, which are the dictionary. A header of lines, `NAME
//! LENGTH`, ends with an empty line; the contents follow in its order.

use std::io::{self, BufRead, BufReader, Read, Write};

use lzma_rust2::{Lzma2Options, Lzma2Reader, Lzma2Writer};

/// The furthest repetition: more than the tools and all others have.
const DICTIONARY_BYTES: u32 = 64 << 20;

/// Compresses components. Levels go from 0, the fastest, to 9.
pub fn pack(tools: &[u8], components: &[(&str, Vec<u8>)], level: u32) -> io::Result<Vec<u8>> {
    let mut options = Lzma2Options::with_preset(level);
    options.lzma_options.dict_size = DICTIONARY_BYTES;
    options.lzma_options.preset_dict = Some(tools.to_vec());
    let mut writer = Lzma2Writer::new(Vec::new(), options);
    for (name, content) in components {
        writeln!(writer, "{name} {}", content.len())?;
    }
    writeln!(writer)?;
    for (_, content) in components {
        writer.write_all(content)?;
    }
    writer.finish()
}

/// The component of this name, if archived.
pub fn unpack(tools: &[u8], archive: &[u8], name: &str) -> io::Result<Option<Vec<u8>>> {
    let mut reader = BufReader::new(Lzma2Reader::new(archive, DICTIONARY_BYTES, Some(tools)));
    let (mut before, mut found) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((entry, length)) = line.trim_end().split_once(' ') else { break };
        let length = length.parse::<u64>().map_err(io::Error::other)?;
        if entry == name {
            found = Some(length);
        } else if found.is_none() {
            before += length;
        }
    }
    let Some(length) = found else { return Ok(None) };
    io::copy(&mut reader.by_ref().take(before), &mut io::sink())?;
    let mut content = Vec::new();
    reader.take(length).read_to_end(&mut content)?;
    if content.len() as u64 == length { Ok(Some(content)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_is_unpacked_as_it_was_packed() {
        let tools: Vec<u8> = (0..100_000_u32).flat_map(|n| n.wrapping_mul(n).to_le_bytes()).collect();
        let near = [&tools[1000..], b"end"].concat();
        let components = [("near", near.clone()), ("empty", Vec::new()), ("other", b"other".to_vec())];
        for level in [0, 6] {
            let archive = pack(&tools, &components, level).unwrap();
            assert!(archive.len() < 5000, "{}", archive.len());
            for (name, content) in &components {
                assert_eq!(unpack(&tools, &archive, name).unwrap().as_ref(), Some(content), "{name}");
            }
            assert_eq!(unpack(&tools, &archive, "none").unwrap(), None);
        }
    }
}

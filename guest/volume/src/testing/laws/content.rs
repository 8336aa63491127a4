//! The content of files.

use super::{BrokenLaw, Law, LawGround, LawResult, holds, laws, same};
use crate::{Access, Kind, Volume};
use fsgate_contract::types::SpecialKind;

laws! {
    a_new_file_is_empty_and_open_for_both
    what_was_written_is_read
    writing_in_the_middle_keeps_the_rest
    holes_are_zeros
    reads_are_short_at_the_end_and_empty_behind_it
    sizes_are_set_up_and_down
    no_size_is_too_large_to_be_refused
    large_contents_come_in_pieces
    a_file_open_for_reading_is_not_written
    two_handles_see_one_file
    kinds_and_sizes_are_told
    the_last_change_is_told
}

fn a_new_file_is_empty_and_open_for_both<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let file = g.volume.create_file(&g.here, "a")?;
    same(g.volume.stat_file(&file)?.size, 0)?;
    same(g.content(&file)?, vec![])?;
    g.write(&file, 0, b"x")?;
    same(g.content(&file)?, b"x".to_vec())
}

fn what_was_written_is_read<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let every_byte: Vec<u8> = (0..=255).collect();
    g.file(&g.here, "a", &every_byte)?;
    same(g.read(&g.here, "a")?, every_byte.clone())?;
    let file = g.volume.open_file(&g.here, "a", Access::Write)?;
    same(g.volume.read_at(&file, 100, 3)?, vec![100, 101, 102])?;
    same(g.volume.read_at(&file, 100, 0)?, vec![])
}

fn writing_in_the_middle_keeps_the_rest<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "a", b"0123456789")?;
    let file = g.volume.open_file(&g.here, "a", Access::Write)?;
    g.write(&file, 3, b"xy")?;
    g.write(&file, 9, b"zz")?;
    same(g.content(&file)?, b"012xy5678zz".to_vec())
}

fn holes_are_zeros<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let file = g.file(&g.here, "a", b"ab")?;
    g.write(&file, 5, b"c")?;
    same(g.content(&file)?, b"ab\0\0\0c".to_vec())
}

fn reads_are_short_at_the_end_and_empty_behind_it<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let file = g.file(&g.here, "a", b"0123456789")?;
    same(g.volume.read_at(&file, 8, 100)?, b"89".to_vec())?;
    for offset in [10, 11, 1 << 40] {
        same(g.volume.read_at(&file, offset, 100)?, vec![])?;
    }
    Ok(())
}

fn sizes_are_set_up_and_down<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let file = g.file(&g.here, "a", b"0123456789")?;
    g.volume.set_size(&file, 4)?;
    same(g.content(&file)?, b"0123".to_vec())?;
    g.volume.set_size(&file, 6)?;
    same(g.content(&file)?, b"0123\0\0".to_vec())?;
    g.volume.set_size(&file, 0)?;
    same(g.stat("a")?.size, 0)
}

fn no_size_is_too_large_to_be_refused<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let file = g.file(&g.here, "a", b"ab")?;
    holds(g.volume.set_size(&file, u64::MAX).is_err(), "set_size")?;
    holds(g.volume.write_at(&file, u64::MAX, b"x").is_err(), "write_at")?;
    // No such offset, or no bytes there.
    same(g.volume.read_at(&file, u64::MAX, 1).unwrap_or_default(), vec![])?;
    same(g.content(&file)?, b"ab".to_vec())
}

fn large_contents_come_in_pieces<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let content: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    g.file(&g.here, "a", &content)?;
    holds(g.read(&g.here, "a")? == content, "what was read is not what was written")
}

fn a_file_open_for_reading_is_not_written<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "a", b"ab")?;
    let file = g.volume.open_file(&g.here, "a", Access::Read)?;
    holds(g.volume.write_at(&file, 0, b"x").is_err(), "write_at")?;
    holds(g.volume.set_size(&file, 0).is_err(), "set_size")?;
    same(g.content(&file)?, b"ab".to_vec())
}

fn two_handles_see_one_file<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let file = g.file(&g.here, "a", b"ab")?;
    let reader = g.volume.open_file(&g.here, "a", Access::Read)?;
    g.write(&file, 1, b"cd")?;
    same(g.content(&reader)?, b"acd".to_vec())?;
    same(g.volume.stat_file(&reader)?, g.stat("a")?)
}

fn kinds_and_sizes_are_told<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    for (name, kind) in [
        ("file", Kind::File),
        ("directory", Kind::Directory),
        ("to-file", Kind::Link),
        ("to-directory", Kind::Link),
        ("dangling", Kind::Link),
        ("fifo", Kind::Special(SpecialKind::Other)),
    ] {
        same((name, g.volume.stat(&g.prepared, name)?.kind), (name, kind))?;
    }
    let file = g.volume.open_file(&g.prepared, "file", Access::Read)?;
    let stat = g.volume.stat_file(&file)?;
    same((stat.kind, stat.size, stat.links), (Kind::File, b"content".len() as u64, 1))?;
    same(g.volume.stat(&g.prepared, "file")?, stat)?;
    same(g.volume.stat(&g.prepared, "to-file")?.size, "file".len() as u64)
}

fn the_last_change_is_told<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let file = g.file(&g.here, "a", b"ab")?;
    let before = g.volume.stat_file(&file)?.modified;
    holds(before.is_some_and(|before| !before.is_zero()), "no time at all")?;
    g.write(&file, 0, b"x")?;
    holds(g.volume.stat_file(&file)?.modified >= before, "time goes backwards")?;
    let written = g.volume.stat_file(&file)?;
    g.content(&file)?;
    same(g.stat("a")?, written)?;
    // Clocks of file systems are coarse: some write is the first after the next tick.
    for _ in 0..1_000_000 {
        g.write(&file, 0, b"y")?;
        if g.volume.stat_file(&file)?.modified > before {
            return Ok(());
        }
    }
    Err(BrokenLaw::here("time stands still"))
}

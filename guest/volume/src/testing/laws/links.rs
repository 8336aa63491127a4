//! Symbolic links.

use super::{Law, LawGround, LawResult, PREPARED, Prepared, laws, refused, same};
use crate::{Access, Fault, Kind, Volume};

laws! {
    links_are_read_as_they_were_written
    only_links_are_read
    links_are_not_opened
    links_are_not_listed_through
    a_link_is_moved_and_removed_itself
}

fn links_are_read_as_they_were_written<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    for prepared in PREPARED {
        let Prepared::Link(name, target) = *prepared else { continue };
        match g.volume.read_link(&g.prepared, name) {
            // A host may hide a link to its own root.
            Err(Fault::NotPermitted) if name == "absolute" => {}
            // Another law has moved it.
            Err(Fault::NotFound) if name == "to-be-moved" => {}
            found => same(found, Ok(target.to_owned()))?,
        }
    }
    Ok(())
}

fn only_links_are_read<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.file(&g.here, "file", b"")?;
    g.directory("d")?;
    refused(g.volume.read_link(&g.here, "file"), Fault::Unsupported)?;
    refused(g.volume.read_link(&g.here, "d"), Fault::Unsupported)
}

fn links_are_not_opened<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    for link in ["to-file", "to-directory", "dangling", "outwards", "absolute"] {
        let outcomes = [
            ("to read", g.volume.open_file(&g.prepared, link, Access::Read).err()),
            ("to write", g.volume.open_file(&g.prepared, link, Access::Write).err()),
            ("as a directory", g.volume.open_directory(&g.prepared, link).err()),
            ("to empty it", g.volume.open_directory_to_empty(&g.prepared, link).err()),
        ];
        for (how, found) in outcomes {
            same((link, how, found), (link, how, Some(Fault::Loop)))?;
        }
    }
    same(g.read(&g.prepared, "file")?, b"content".to_vec())
}

fn links_are_not_listed_through<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let (names, _) = g.list(&g.prepared)?;
    for link in ["to-file", "to-directory", "dangling"] {
        same((link, names.get(link)), (link, Some(&(Kind::Link, 1))))?;
    }
    Ok(())
}

fn a_link_is_moved_and_removed_itself<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.volume.rename(&g.prepared, "to-be-moved", &g.here, "link")?;
    same(g.stat("link")?.kind, Kind::Link)?;
    same(g.volume.read_link(&g.here, "link")?, "../prepared/file".to_owned())?;
    // A file takes the link's name, not its target.
    g.file(&g.here, "file", b"ab")?;
    g.rename("link", "other")?;
    g.rename("file", "other")?;
    same(g.read(&g.here, "other")?, b"ab".to_vec())?;
    same(g.read(&g.prepared, "file")?, b"content".to_vec())
}

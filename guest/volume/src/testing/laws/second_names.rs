//! Files with several names.

use super::{Law, LawGround, LawResult, laws, refused, same};
use crate::{Access, Fault, Volume};

laws! {
    a_second_name_is_the_same_file
    a_second_name_in_another_directory
    a_link_and_a_special_file_get_a_second_name_themselves
    directories_have_one_name
}

fn a_second_name_is_the_same_file<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let file = g.file(&g.here, "a", b"ab")?;
    if g.link("a", &g.here, "b")?.is_none() {
        refused(g.stat("b"), Fault::NotFound)?;
        return same(g.stat("a")?.links, 1);
    }
    let other = g.volume.open_file(&g.here, "b", Access::Write)?;
    same(g.volume.identity(&other)?, g.volume.identity(&file)?)?;
    same((g.stat("a")?.links, g.stat("b")?.links), (2, 2))?;
    g.write(&other, 0, b"x")?;
    same(g.read(&g.here, "a")?, b"xb".to_vec())?;
    g.volume.remove_file(&g.here, "a")?;
    same(g.stat("b")?.links, 1)?;
    same(g.read(&g.here, "b")?, b"xb".to_vec())
}

fn a_second_name_in_another_directory<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let file = g.file(&g.here, "a", b"ab")?;
    let d = g.directory("d")?;
    if g.link("a", &d, "a")?.is_none() {
        return same(g.names(&d)?, vec![]);
    }
    let other = g.volume.open_file(&d, "a", Access::Read)?;
    same(g.volume.identity(&other)?, g.volume.identity(&file)?)?;
    refused(g.link("a", &d, "a"), Fault::Exists)
}

fn a_link_and_a_special_file_get_a_second_name_themselves<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    if !g.volume.abilities().links {
        return Ok(());
    }
    for name in ["to-file", "dangling", "outwards", "fifo"] {
        g.volume.link_file(&g.prepared, name, &g.here, name)?;
        same(g.stat(name)?.kind, g.volume.stat(&g.prepared, name)?.kind)?;
        same(g.volume.identity_at(&g.here, name)?, g.volume.identity_at(&g.prepared, name)?)?;
        g.volume.remove_file(&g.here, name)?;
    }
    same(g.read(&g.prepared, "file")?, b"content".to_vec())
}

fn directories_have_one_name<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    g.directory("d")?;
    let wanted = if g.volume.abilities().links { Fault::NotPermitted } else { Fault::Unsupported };
    refused(g.volume.link_file(&g.here, "d", &g.here, "e"), wanted)?;
    refused(g.stat("e"), Fault::NotFound)
}

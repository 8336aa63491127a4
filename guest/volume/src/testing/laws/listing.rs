//! The content of directories.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::{Law, LawGround, LawResult, PREPARED, Prepared, holds, laws, same};
use crate::{Kind, Listed, Volume};
use fsgate_contract::types::SpecialKind;

laws! {
    everything_is_listed_once
    an_empty_directory_lists_nothing
    a_listing_is_broken_off
    a_thousand_names_are_listed
    a_sink_may_use_the_volume
    names_that_do_not_decode_hide_no_others
}

fn everything_is_listed_once<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let (found, undecodable) = g.list(&g.prepared)?;
    let mut wanted = BTreeMap::new();
    let mut wanted_undecodable = 0;
    for prepared in PREPARED {
        let (name, kind) = match *prepared {
            Prepared::File(name, _) => (name, Kind::File),
            Prepared::Directory(name) => (name, Kind::Directory),
            // Another law moves it.
            Prepared::Link("to-be-moved", _) => continue,
            Prepared::Link(name, _) => (name, Kind::Link),
            Prepared::Fifo(name) => (name, Kind::Special(SpecialKind::Other)),
            Prepared::Undecodable(directory, _) => {
                wanted_undecodable += usize::from(directory.is_empty());
                continue;
            }
        };
        wanted.insert(name.to_owned(), (kind, 1));
    }
    let found = found.into_iter().filter(|(name, _)| name != "to-be-moved").collect();
    same((found, undecodable), (wanted, wanted_undecodable))
}

fn an_empty_directory_lists_nothing<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    same(g.list(&g.here)?, (BTreeMap::new(), 0))
}

fn a_listing_is_broken_off<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    for name in ["a", "b", "c", "d"] {
        g.file(&g.here, name, b"")?;
    }
    let mut told = 0;
    g.volume.each_entry(&g.here, &mut |_| {
        told += 1;
        if told == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    same(told, 2)
}

fn a_thousand_names_are_listed<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    let names: Vec<_> =
        (0..1000).map(|n| format!("a file with a name of some length, number {n:04}")).collect();
    for name in &names {
        g.volume.create_file(&g.here, name)?;
    }
    let (found, _) = g.list(&g.here)?;
    holds(found.values().all(|entry| *entry == (Kind::File, 1)), "not files, or not once")?;
    holds(found.into_keys().eq(names), "other names")
}

fn a_sink_may_use_the_volume<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    for name in ["a", "b"] {
        g.file(&g.here, name, name.as_bytes())?;
    }
    let mut seen = Vec::new();
    g.volume.each_entry(&g.here, &mut |entry| {
        if let Listed::Name(name, _) = entry {
            seen.push((g.read(&g.here, name), g.volume.remove_file(&g.here, name)));
        }
        ControlFlow::Continue(())
    })?;
    seen.sort_by_key(|(content, _)| content.clone().unwrap_or_default());
    same(seen, vec![(Ok(b"a".to_vec()), Ok(())), (Ok(b"b".to_vec()), Ok(()))])?;
    same(g.names(&g.here)?, vec![])
}

fn names_that_do_not_decode_hide_no_others<V: Volume>(g: &LawGround<'_, V>) -> LawResult {
    // In any order, some name follows an undecodable one.
    let mut told = 0;
    g.volume.each_entry(&g.prepared, &mut |_| {
        told += 1;
        ControlFlow::Continue(())
    })?;
    let (names, undecodable) = g.list(&g.prepared)?;
    same(told, names.len() + undecodable)?;
    holds(names.len() >= 10 && undecodable == 3, "some are missing")
}

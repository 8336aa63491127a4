//! One process has all of a tree, and another one a part.

use std::rc::Rc;

use fsgate_engine::session::Session;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};

use super::volume::{Faulty, Machine};

pub(crate) struct Nested {
    pub(crate) disk: Memory,
    pub(crate) machine: Rc<Machine>,
}

impl Nested {
    pub(crate) fn new(tree: &[(&str, &str)]) -> Self {
        let disk = Memory::default();
        for (path, content) in tree {
            disk.put(path, Item::File(content.as_bytes().to_vec()));
        }
        Self { disk, machine: Rc::new(Machine::default()) }
    }

    pub(crate) fn session(&self, name: &str) -> Session<Faulty> {
        self.session_on(name, name)
    }

    pub(crate) fn session_on(&self, name: &str, path: &str) -> Session<Faulty> {
        self.session_told(name, path, &[])
    }

    pub(crate) fn session_told(&self, name: &str, path: &str, told: &[(&str, &str)]) -> Session<Faulty> {
        let volume = |name: &str, path: &str| Grant {
            name: name.to_owned(),
            volume: Faulty {
                inner: self.disk.at(path),
                machine: self.machine.clone(),
                label: name.into(),
                disk: None,
            },
            access: Access::Write,
        };
        let preopens = vec![volume(name, path), volume("/.fsgate", "state")];
        Session::open_or_refuse(preopens, [("FSGATE_LOCK", "host")].into_iter().chain(told.iter().copied()))
    }
}

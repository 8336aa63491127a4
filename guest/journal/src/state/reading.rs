//! Cached parts of the log.

use std::cell::RefMut;
use std::rc::Rc;

use super::State;
use fsgate_contract::id::Id;
use fsgate_volume::Volume;

/// The bytes of a record in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub id: Id,
    pub(crate) at: u64,
    pub(crate) end: u64,
}

impl Span {
    pub(crate) fn bytes(&self) -> u64 {
        self.end - self.at
    }
}

/// A file of the log and the records committed in it.
pub struct LogPage<V: Volume> {
    pub(crate) name: Id,
    pub(crate) file: Rc<V::File>,
    pub spans: Vec<Span>,
}

/// The cache. It is valid until `control` has another turn.
pub(crate) struct LogCache<V: Volume> {
    turn: u64,
    pub(crate) names: Option<Rc<Vec<Id>>>,
    /// The files that were read last, the newest read first.
    pub(crate) pages: Vec<Rc<LogPage<V>>>,
    pub(crate) current: Option<(Id, Rc<V::File>)>,
    /// The file whose committed records are all known.
    pub(crate) whole: Option<Id>,
}

impl<V: Volume> Default for LogCache<V> {
    fn default() -> Self {
        Self { turn: 0, names: None, pages: Vec::new(), current: None, whole: None }
    }
}

impl<V: Volume> State<V> {
    pub(crate) fn reading(&self) -> RefMut<'_, LogCache<V>> {
        let mut reading = self.reading.borrow_mut();
        let now = self.now();
        if reading.turn != now.turn {
            let current = reading.current.take().filter(|(name, _)| now.file == Some(*name));
            let whole = reading.whole.filter(|name| now.file == Some(*name));
            *reading = LogCache { turn: now.turn, current, whole, ..LogCache::default() };
        }
        reading
    }
}

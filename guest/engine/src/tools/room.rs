//! What one answer has room for.

use serde::Serialize;

use fsgate_contract::types::Stop;

/// Items and bytes, as far as there is room.
pub(super) struct Room {
    most_items: usize,
    most_bytes: usize,
    items: usize,
    bytes: usize,
    /// Why there is none any more.
    pub(super) stopped: Option<Stop>,
}

impl Room {
    pub(super) fn new(most_items: u32, most_bytes: u32) -> Self {
        let (most_items, most_bytes) = (most_items as usize, most_bytes as usize);
        Self { most_items, most_bytes, items: 0, bytes: 0, stopped: None }
    }

    /// Takes the next item, if there is room for it. Only what is shown counts, so an answer says that it is full when there
    /// is something that it has no room for.
    pub(super) fn takes(&mut self, next: &impl Serialize) -> bool {
        let bytes = self.bytes + serde_json::to_string(next).map_or(0, |json| json.len() + 1);
        if self.items >= self.most_items {
            self.stopped = Some(Stop::Items);
        } else if self.items > 0 && bytes > self.most_bytes {
            self.stopped = Some(Stop::Bytes);
        } else {
            self.items += 1;
            self.bytes = bytes;
        }
        self.stopped.is_none()
    }
}

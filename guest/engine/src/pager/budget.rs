//! The budget of an answer that lists items.

use serde::Serialize;

use fsgate_contract::types::Stop;

/// The items and bytes that an answer may have.
pub struct Budget {
    most_items: usize,
    most_bytes: usize,
    items: usize,
    bytes: usize,
    /// The limit that an item did not fit into.
    pub stopped: Option<Stop>,
}

impl Budget {
    /// An unspent budget.
    pub fn new(most_items: u32, most_bytes: u32) -> Self {
        let (most_items, most_bytes) = (most_items as usize, most_bytes as usize);
        Self { most_items, most_bytes, items: 0, bytes: 0, stopped: None }
    }

    /// Spends the budget on the next item, if that fits. Only shown items count, so an answer is
    /// stopped only if it leaves one out.
    pub fn takes(&mut self, next: &impl Serialize) -> bool {
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

//! The change in progress of a state directory, in one small file that is written in place.
//!
//! It has two slots in one disk sector, written in turns: a crash during a write leaves the other
//! one. Readers take the newest valid slot.

use fsgate_contract::id::Id;

const SLOT: usize = 88;
const FIELDS: usize = 73;

/// No real slot gets there; a forged one would always be the newest.
const LAST_TURN: u64 = u64::MAX / 2;

/// Bytes of the file.
pub const BYTES: usize = 2 * SLOT;

/// The content of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control {
    /// The number of writes: every change of the directory has a new one. Its parity selects the
    /// slot.
    pub turn: u64,
    /// Odd while bytes of files are written in place, and a new number afterwards.
    pub sequence: u64,
    /// The record in progress, or that of its group.
    pub begun: Option<Id>,
    /// The change is committed, and a step is left.
    pub is_committed: bool,
    /// A record is pending or set aside.
    pub unsettled: bool,
    /// The quota has removed records before.
    pub pruned: bool,
    /// The file of the log that is written to.
    pub file: Option<Id>,
    /// The end of the committed records in it.
    pub end: u64,
    /// The newest id.
    pub last: Id,
}

impl Control {
    /// A directory without a change so far.
    pub const NEW: Self = Self {
        turn: 0,
        sequence: 0,
        begun: None,
        is_committed: false,
        unsettled: false,
        pruned: false,
        file: None,
        end: 0,
        last: Id(0),
    };

    /// The file at its creation. The other slot comes with the first change.
    pub fn first() -> [u8; SLOT] {
        Self::NEW.slot().1
    }

    /// The newest valid slot; none if both are damaged.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let slots = bytes.chunks_exact(SLOT).take(2).zip(0..);
        let is_sound = |one: &Self, number| one.turn % 2 == number && one.turn <= LAST_TURN;
        let sound = slots.filter_map(|(slot, number)| parse(slot).filter(|one| is_sound(one, number)));
        sound.max_by_key(|one| one.turn)
    }

    /// True while bytes are written in place.
    pub fn is_in_place(&self) -> bool {
        self.sequence % 2 == 1
    }

    /// True if recovery has work: a change in progress, or a write in place whose writer died after
    /// the commit.
    pub fn is_unfinished(&self) -> bool {
        self.begun.is_some() || self.is_in_place()
    }

    /// The control of the next turn. After failed writes it is in the same slot again, because only
    /// the other one is valid.
    #[must_use]
    pub(crate) fn next(self, failed: u64) -> Self {
        Self { turn: self.turn.wrapping_add(1 + 2 * failed), ..self }
    }

    /// The slot and its offset.
    pub fn slot(&self) -> (u64, [u8; SLOT]) {
        let mut slot = [0; SLOT];
        let id = |id: Option<Id>| id.map_or(0, |id| id.0).to_le_bytes();
        slot[..8].copy_from_slice(&self.turn.to_le_bytes());
        slot[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        slot[16..32].copy_from_slice(&id(self.begun));
        slot[32..48].copy_from_slice(&id(self.file));
        slot[48..56].copy_from_slice(&self.end.to_le_bytes());
        slot[56..72].copy_from_slice(&self.last.0.to_le_bytes());
        slot[72] = u8::from(self.is_committed) | u8::from(self.unsettled) << 1 | u8::from(self.pruned) << 2;
        let sum = sum(&slot);
        slot[FIELDS..].copy_from_slice(&sum);
        (self.turn % 2 * SLOT as u64, slot)
    }
}

fn sum(slot: &[u8]) -> [u8; SLOT - FIELDS] {
    let mut sum = [0; SLOT - FIELDS];
    sum.copy_from_slice(&blake3::hash(&slot[..FIELDS]).as_bytes()[..SLOT - FIELDS]);
    sum
}

fn parse(slot: &[u8]) -> Option<Control> {
    if slot[FIELDS..] != sum(slot) {
        return None;
    }
    let number = |at: usize| Some(u64::from_le_bytes(slot.get(at..at + 8)?.try_into().ok()?));
    let id = |at: usize| Some(Id(u128::from_le_bytes(slot.get(at..at + 16)?.try_into().ok()?)));
    let known = |id: Id| Some(id).filter(|id| id.0 > 0);
    Some(Control {
        turn: number(0)?,
        sequence: number(8)?,
        begun: known(id(16)?),
        is_committed: slot[72] & 1 != 0,
        unsettled: slot[72] & 2 != 0,
        pruned: slot[72] & 4 != 0,
        file: known(id(32)?),
        end: number(48)?,
        last: id(56)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Control {
        Control {
            turn: 7,
            sequence: 5,
            begun: Some(Id(3)),
            is_committed: true,
            unsettled: true,
            pruned: true,
            file: Some(Id(2)),
            end: 99,
            last: Id(u128::MAX),
        }
    }

    fn file() -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..SLOT].copy_from_slice(&Control::first());
        bytes
    }

    fn write(bytes: &mut [u8], control: &Control, part: usize) {
        let (at, slot) = control.slot();
        bytes[at as usize..][..part].copy_from_slice(&slot[..part]);
    }

    #[test]
    fn what_was_written_is_read_again() {
        assert_eq!(Control::parse(&Control::first()), Some(Control::NEW));
        for control in
            [some(), Control { begun: None, is_committed: false, ..some() }, some().next(0), some().next(1)]
        {
            let mut bytes = file();
            write(&mut bytes, &control, SLOT);
            assert_eq!(Control::parse(&bytes), Some(control));
        }
    }

    #[test]
    fn a_slot_that_is_half_written_is_the_one_before() {
        let mut bytes = file();
        let mut now = Control::NEW;
        for turn in 1..6 {
            let next = Control { end: turn * 1000, last: Id(u128::from(turn)), ..now }.next(0);
            for part in 0..SLOT {
                let mut torn = bytes;
                write(&mut torn, &next, part);
                assert_eq!(Control::parse(&torn), Some(now), "{part} bytes of {turn}");
                // A retry does not damage the only valid slot.
                for later in 0..SLOT {
                    let mut torn = torn;
                    write(&mut torn, &now.next(1), later);
                    let found = Control::parse(&torn).unwrap();
                    assert_eq!(
                        Control { turn: 0, ..found },
                        Control { turn: 0, ..now },
                        "{part}, then {later}"
                    );
                }
            }
            write(&mut bytes, &next, SLOT);
            now = next;
            assert_eq!(Control::parse(&bytes), Some(now));
        }
    }

    #[test]
    fn what_is_damaged_says_nothing() {
        let mut bytes = file();
        write(&mut bytes, &Control::NEW.next(0), SLOT);
        for at in 0..SLOT {
            let mut damaged = bytes;
            damaged[at] ^= 1;
            damaged[at + SLOT] ^= 1;
            assert_eq!(Control::parse(&damaged), None, "{at}");
        }
        for cut in 0..SLOT {
            assert_eq!(Control::parse(&bytes[..cut]), None);
        }
        assert_eq!(Control::parse(&[0; BYTES]), None);
        let mut bytes = file();
        write(&mut bytes, &Control { turn: u64::MAX, ..some() }, SLOT);
        assert_eq!(Control::parse(&bytes), Some(Control::NEW));
    }
}

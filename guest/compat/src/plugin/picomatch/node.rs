//! Expressions over UTF-16 units, as in JavaScript.

/// The units that JavaScript's `.` excludes.
pub(super) const LINE_ENDS: [u16; 4] = [0x0A, 0x0D, 0x2028, 0x2029];

#[derive(Debug, Clone)]
pub(super) enum PatternNode {
    Unit(Units),
    Sequence(Vec<PatternNode>),
    Choice(Vec<PatternNode>),
    Repeated(Box<PatternNode>),
    Optional(Box<PatternNode>),
    /// Matches nothing where this holds.
    Only(Condition),
    /// Matches nothing where this does not begin, or with `to_end` does not fill the rest.
    Unless {
        node: Box<PatternNode>,
        to_end: bool,
    },
}

#[derive(Debug, Clone)]
pub(super) struct Units {
    /// Sorted, with gaps between them.
    ranges: Vec<(u16, u16)>,
    negated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Start,
    End,
    /// No dot follows.
    NoDot,
    /// The line continues.
    More,
    /// No segment's end follows, even after a dot.
    NoDotEnd,
    /// No name that begins here, or after a `/` here, begins with a dot.
    Visible,
}

impl PatternNode {
    pub(super) fn literal(unit: u16) -> Self {
        Self::Unit(Units::new(vec![(unit, unit)], false))
    }

    pub(super) fn except(units: &[u16]) -> Self {
        Self::Unit(Units::new(units.iter().map(|unit| (*unit, *unit)).collect(), true))
    }

    /// `*` without conditions on a name's start.
    pub(super) fn star() -> Self {
        Self::Repeated(Box::new(Self::except(&[b'/'.into()])))
    }

    /// `**` without its surroundings.
    pub(super) fn globstar() -> Self {
        Self::Repeated(Box::new(Self::Sequence(vec![
            Self::Only(Condition::Visible),
            Self::except(&LINE_ENDS),
        ])))
    }
}

impl Units {
    /// Units in any of the ranges, or all others if `negated`.
    pub(super) fn new(mut ranges: Vec<(u16, u16)>, negated: bool) -> Self {
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let touches = next.0 <= last.1.saturating_add(1);
            if touches {
                last.1 = last.1.max(next.1);
            }
            touches
        });
        Self { ranges, negated }
    }

    pub(super) fn have(&self, unit: u16) -> bool {
        let at = self.ranges.partition_point(|(_, high)| *high < unit);
        self.ranges.get(at).is_some_and(|(low, _)| *low <= unit) != self.negated
    }

    pub(super) fn steps(&self) -> usize {
        self.ranges.len().checked_ilog2().map_or(1, |halvings| halvings as usize + 1)
    }
}

impl Condition {
    pub(super) fn holds(self, path: &[u16], at: usize) -> bool {
        let is = |at: usize, unit: u8| path.get(at) == Some(&unit.into());
        let ends = |at: usize| at >= path.len() || is(at, b'/');
        match self {
            Self::Start => at == 0,
            Self::End => at == path.len(),
            Self::NoDot => !is(at, b'.'),
            Self::More => path.get(at).is_some_and(|unit| !LINE_ENDS.contains(unit)),
            Self::NoDotEnd => !(ends(at) || is(at, b'.') && ends(at + 1)),
            Self::Visible => !(at == 0 && is(at, b'.') || is(at, b'/') && is(at + 1, b'.')),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use fsgate_fuzz::fuzz;

    #[test]
    fn units_have_what_is_in_any_of_their_ranges() {
        let ends = || (0..40_u16).prop_map(|unit| if unit < 20 { unit } else { u16::MAX - 39 + unit });
        let range = (ends(), ends()).prop_map(|(one, other)| (one.min(other), one.max(other)));
        fuzz((proptest::collection::vec(range, 0..6), any::<bool>(), ends()), |(ranges, negated, unit)| {
            let expected = ranges.iter().any(|(low, high)| (*low..=*high).contains(&unit)) != negated;
            assert_eq!(Units::new(ranges.clone(), negated).have(unit), expected, "{ranges:?}: {unit}");
        });
    }

    #[test]
    fn a_class_takes_as_many_steps_as_it_has_to_be_halved() {
        for (count, apart, steps) in [(0, 2, 1), (1, 2, 1), (2, 2, 2), (500, 2, 9), (500, 1, 1)] {
            let ranges = (0..count).map(|number| (number * apart, number * apart)).collect();
            assert_eq!(Units::new(ranges, false).steps(), steps, "{count}");
        }
    }
}

//! What a pattern stands for: an expression over UTF-16 units, as JavaScript sees texts.

/// Units that end a line: what JavaScript's `.` does not stand for.
pub(super) const LINE_ENDS: [u16; 4] = [0x0A, 0x0D, 0x2028, 0x2029];

/// An expression.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// One unit.
    Unit(Units),
    /// All of them, one behind the other.
    Sequence(Vec<Node>),
    /// Any one of them.
    Choice(Vec<Node>),
    /// It, any number of times.
    Repeated(Box<Node>),
    /// It, or nothing.
    Optional(Box<Node>),
    /// Nothing, where this holds.
    Only(Condition),
    /// Nothing, where this does not begin; if `to_end`, where it does not fill all of the rest.
    Unless { node: Box<Node>, to_end: bool },
}

/// Which units.
#[derive(Debug, Clone)]
pub(super) struct Units {
    pub(super) ranges: Vec<(u16, u16)>,
    pub(super) negated: bool,
}

/// What has to hold at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    /// It is the beginning.
    Start,
    /// It is the end.
    End,
    /// No dot follows.
    NoDot,
    /// Something follows on the line.
    More,
    /// Neither the end of the segment follows, nor a dot and then that.
    NoDotEnd,
    /// No name begins here with a dot, nor behind a `/` here.
    Visible,
}

impl Node {
    pub(super) fn literal(unit: u16) -> Self {
        Self::Unit(Units { ranges: vec![(unit, unit)], negated: false })
    }

    /// Any unit but these.
    pub(super) fn except(units: &[u16]) -> Self {
        Self::Unit(Units { ranges: units.iter().map(|unit| (*unit, *unit)).collect(), negated: true })
    }

    /// `*` without what holds at the beginning of a name.
    pub(super) fn star() -> Self {
        Self::Repeated(Box::new(Self::except(&[b'/'.into()])))
    }

    /// `**` without what stands around it.
    pub(super) fn globstar() -> Self {
        Self::Repeated(Box::new(Self::Sequence(vec![
            Self::Only(Condition::Visible),
            Self::except(&LINE_ENDS),
        ])))
    }
}

impl Units {
    pub(super) fn have(&self, unit: u16) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&unit)) != self.negated
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

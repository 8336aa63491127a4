//! Matches paths in linear time.
//!
//! A path is read backwards: each place knows the states that reach the end. Negative lookaheads
//! are then known everywhere.

use super::node::{Condition, PatternNode, Units};

#[derive(Debug)]
pub(super) struct PatternMachine {
    states: Vec<MachineState>,
    start: usize,
    /// States before each state, without a unit.
    before: Vec<Vec<usize>>,
    /// Negative lookaheads, and whether each must fill the rest.
    unless: Vec<(PatternMachine, bool)>,
}

#[derive(Debug)]
enum MachineState {
    End,
    Unit(Units, usize),
    Either(Vec<usize>),
    Only(Condition, usize),
    Unless(usize, usize),
}

impl PatternMachine {
    pub(super) fn new(node: &PatternNode) -> Self {
        let mut machine =
            Self { states: vec![MachineState::End], start: 0, before: Vec::new(), unless: Vec::new() };
        machine.start = machine.add(node, 0);
        machine.before = vec![Vec::new(); machine.states.len()];
        for (at, state) in machine.states.iter().enumerate() {
            match state {
                MachineState::End | MachineState::Unit(..) => {}
                MachineState::Only(_, next) | MachineState::Unless(_, next) => machine.before[*next].push(at),
                MachineState::Either(next) => next.iter().for_each(|next| machine.before[*next].push(at)),
            }
        }
        machine
    }

    /// Adds a node before a state. Returns its first state.
    fn add(&mut self, node: &PatternNode, next: usize) -> usize {
        match node {
            PatternNode::Unit(units) => self.state(MachineState::Unit(units.clone(), next)),
            PatternNode::Sequence(nodes) => nodes.iter().rev().fold(next, |next, node| self.add(node, next)),
            PatternNode::Choice(nodes) => {
                let starts = nodes.iter().map(|node| self.add(node, next)).collect();
                self.state(MachineState::Either(starts))
            }
            PatternNode::Optional(node) => {
                let start = self.add(node, next);
                self.state(MachineState::Either(vec![start, next]))
            }
            PatternNode::Repeated(node) => {
                let again = self.state(MachineState::Either(Vec::new()));
                let start = self.add(node, again);
                self.states[again] = MachineState::Either(vec![start, next]);
                again
            }
            PatternNode::Only(condition) => self.state(MachineState::Only(*condition, next)),
            PatternNode::Unless { node, to_end } => {
                self.unless.push((Self::new(node), *to_end));
                self.state(MachineState::Unless(self.unless.len() - 1, next))
            }
        }
    }

    fn state(&mut self, state: MachineState) -> usize {
        self.states.push(state);
        self.states.len() - 1
    }

    /// Steps per place: states, lookaheads, ranges of classes.
    pub(super) fn size(&self) -> usize {
        let steps = |state: &MachineState| match state {
            MachineState::Unit(units, _) => units.steps(),
            MachineState::End
            | MachineState::Either(_)
            | MachineState::Only(..)
            | MachineState::Unless(..) => 1,
        };
        self.states.iter().map(steps).sum::<usize>()
            + self.unless.iter().map(|(machine, _)| machine.size()).sum::<usize>()
    }

    pub(super) fn matches(&self, path: &[u16]) -> bool {
        self.begins(path, true)[0]
    }

    /// For each place, whether a match begins there.
    fn begins(&self, path: &[u16], to_end: bool) -> Vec<bool> {
        let unless: Vec<_> =
            self.unless.iter().map(|(machine, to_end)| machine.begins(path, *to_end)).collect();
        let mut found = vec![false; path.len() + 1];
        let (mut reached, mut behind) = (vec![false; self.states.len()], vec![false; self.states.len()]);
        let mut open = Vec::new();
        for at in (0..=path.len()).rev() {
            std::mem::swap(&mut reached, &mut behind);
            reached.fill(false);
            for (number, state) in self.states.iter().enumerate() {
                reached[number] = match state {
                    MachineState::End => !to_end || at == path.len(),
                    MachineState::Unit(units, next) => {
                        path.get(at).is_some_and(|unit| behind[*next] && units.have(*unit))
                    }
                    MachineState::Either(_) | MachineState::Only(..) | MachineState::Unless(..) => false,
                };
                if reached[number] {
                    open.push(number);
                }
            }
            while let Some(next) = open.pop() {
                for number in &self.before[next] {
                    let holds = match &self.states[*number] {
                        MachineState::Only(condition, _) => condition.holds(path, at),
                        MachineState::Unless(which, _) => !unless[*which][at],
                        MachineState::End | MachineState::Unit(..) | MachineState::Either(_) => true,
                    };
                    if holds && !reached[*number] {
                        reached[*number] = true;
                        open.push(*number);
                    }
                }
            }
            found[at] = reached[self.start];
        }
        found
    }
}

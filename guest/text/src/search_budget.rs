//! A budget for the bytes that successive searches scan.
//!
//! A search with a near match may scan to the end first, as `(?s).*?b|a` does without a `b`.
//! Successive searches are then quadratic, and the engine does not report how far it scanned. Once
//! they may have scanned too much, an automaton repeats some and counts.

use std::cell::{Cell, RefCell};

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, Compiler, WhichCaptures};
use regex_automata::{Input, MatchErrorKind};
use regex_syntax::hir::Hir;

use fsgate_contract::limits::{
    REGEX_COMPILED_BYTES, REGEX_LOOKS, REGEX_LOOKS_BYTES, REGEX_MATCHES_PER_COUNT,
};

pub(super) struct SearchBudget {
    hir: Hir,
    counter: RefCell<Option<Option<Counter>>>,
    budget: Cell<u64>,
    /// The bytes if each search scans to the end.
    most: Cell<u64>,
    uncounted: Cell<u32>,
    counted: Cell<u64>,
    is_spent: Cell<bool>,
}

struct Counter {
    dfa: DFA,
    cache: Cache,
}

impl SearchBudget {
    pub(super) fn new(hir: Hir) -> Self {
        Self {
            hir,
            counter: RefCell::default(),
            budget: Cell::new(REGEX_LOOKS_BYTES),
            most: Cell::default(),
            uncounted: Cell::default(),
            counted: Cell::default(),
            is_spent: Cell::default(),
        }
    }

    pub(super) fn begin(&self, text: &[u8]) {
        self.budget.set(REGEX_LOOKS * text.len() as u64 + REGEX_LOOKS_BYTES);
        self.most.set(0);
        self.uncounted.set(0);
        self.counted.set(0);
        self.is_spent.set(false);
    }

    pub(super) fn allows(&self, text: &[u8], from: usize) -> bool {
        let most = self.most.get() + text.len().saturating_sub(from) as u64;
        self.most.set(most);
        if most > self.budget.get() && !self.is_spent.get() {
            self.uncounted.set(self.uncounted.get() + 1);
            if self.uncounted.get() == REGEX_MATCHES_PER_COUNT {
                self.uncounted.set(0);
                let looked = self.looked(text, from) * u64::from(REGEX_MATCHES_PER_COUNT);
                self.counted.set(self.counted.get() + looked);
                self.is_spent.set(self.counted.get() > self.budget.get());
            }
        }
        !self.is_spent.get()
    }

    pub(super) fn is_spent(&self) -> bool {
        self.is_spent.get()
    }

    fn looked(&self, text: &[u8], from: usize) -> u64 {
        let mut counter = self.counter.borrow_mut();
        let counter = counter.get_or_insert_with(|| Counter::new(&self.hir));
        // If this automaton is too large, so is the engine's.
        counter.as_mut().map_or(0, |counter| counter.looked(text, from))
    }
}

impl Counter {
    fn new(hir: &Hir) -> Option<Self> {
        let config = thompson::Config::new()
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(REGEX_COMPILED_BYTES));
        let nfa = Compiler::new().configure(config).build_from_hir(hir).ok()?;
        let config = DFA::config().unicode_word_boundary(true).skip_cache_capacity_check(true);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let cache = dfa.create_cache();
        Some(Self { dfa, cache })
    }

    fn looked(&mut self, text: &[u8], from: usize) -> u64 {
        let Self { dfa, cache } = self;
        let (before, clears) = (cache.search_total_len(), cache.clear_count());
        let searched = dfa.try_search_fwd(cache, &Input::new(text).range(from.min(text.len())..));
        // A cleared cache has restarted its count.
        let before = if cache.clear_count() == clears { before } else { 0 };
        let looked = (cache.search_total_len() - before.min(cache.search_total_len())) as u64;
        match searched.map_err(|error| error.kind().clone()) {
            Err(MatchErrorKind::Quit { offset, .. } | MatchErrorKind::GaveUp { offset }) => {
                looked.max((offset - from.min(offset)) as u64)
            }
            _ => looked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(pattern: &str, text: &str, from: usize) -> u64 {
        Counter::new(&regex_syntax::parse(pattern).unwrap()).unwrap().looked(text.as_bytes(), from)
    }

    #[test]
    fn a_search_is_counted_as_far_as_it_looks() {
        let text = "a".repeat(10_000);
        for (pattern, from, least, most) in [
            ("(?s).*?b|a", 0, 10_000, 10_001),
            ("(?s).*?b|a", 4_000, 6_000, 6_001),
            ("a", 0, 1, 3),
            ("a{3}", 5_000, 3, 5),
            ("b", 9_000, 1_000, 1_001),
        ] {
            let looked = looked(pattern, &text, from);
            assert!((least..=most).contains(&looked), "{pattern} from {from}: {looked}");
        }
        assert!(looked("\\ba\\b", "a é", 0) <= 3);
    }

    fn allowed(pattern: &str, text: &[u8], budget: u64) -> usize {
        let effort = SearchBudget::new(regex_syntax::parse(pattern).unwrap());
        effort.begin(text);
        effort.budget.set(budget);
        (0..text.len()).take_while(|from| effort.allows(text, *from)).count()
    }

    #[test]
    fn searches_that_look_far_are_ended_and_others_are_not() {
        let text = vec![b'a'; 4_000];
        let all = text.len();
        assert_eq!(allowed("a", &text, 100_000), all);
        assert_eq!(allowed("(?s).*?b|a", &text, 16_000_000), all, "all of it is within the budget");
        // 25 searches cannot exceed the budget, and 32 of the others do.
        let ended = allowed("(?s).*?b|a", &text, 100_000);
        assert!((25..100).contains(&ended), "{ended}");
        let effort = SearchBudget::new(regex_syntax::parse("(?s).*?b|a").unwrap());
        for (budget, is_spent) in [(1_000, true), (u64::MAX / 2, false)] {
            effort.begin(&text);
            effort.budget.set(budget);
            (0..100).for_each(|from| _ = effort.allows(&text, from));
            assert_eq!(effort.is_spent(), is_spent, "each text has a budget of its own");
        }
    }
}

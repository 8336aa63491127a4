//! Reachability of a regular expression below a directory.

use regex_automata::Anchored;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::hybrid::{BuildError, LazyStateID};
use regex_automata::nfa::thompson;
use regex_automata::util::{start, syntax};

use fsgate_contract::limits::REGEX_COMPILED_BYTES;

/// Whether an expression may match below a directory and means something else there than at the
/// grant's root. `/w/deploy/.*` does; `.*\.pem` means the same everywhere. Both paths end in `/`.
pub(super) fn leads_through(expression: &str, grant: &str, directory: &str) -> bool {
    // Uncertain cases count as reachable.
    let Ok(dfa) = compiled(expression) else { return true };
    let mut cache = dfa.create_cache();
    let Ok(below) = state_behind(&dfa, &mut cache, directory) else { return true };
    // Both walks share one cache: a cleared cache renumbers its states.
    let cleared = cache.clear_count();
    let Ok(usual) = state_behind(&dfa, &mut cache, grant) else { return true };
    !below.is_dead() && (below != usual || cache.clear_count() != cleared)
}

fn compiled(expression: &str) -> Result<DFA, Box<BuildError>> {
    DFA::builder()
        .syntax(syntax::Config::new().case_insensitive(true).dot_matches_new_line(true))
        .thompson(thompson::Config::new().nfa_size_limit(Some(REGEX_COMPILED_BYTES)))
        .configure(DFA::config().unicode_word_boundary(true).skip_cache_capacity_check(true))
        .build(expression)
        .map_err(Box::new)
}

fn state_behind(dfa: &DFA, cache: &mut Cache, path: &str) -> Result<LazyStateID, Unknown> {
    let mut state = dfa.start_state(cache, &start::Config::new().anchored(Anchored::Yes))?;
    for byte in path.bytes() {
        state = dfa.next_state(cache, state, byte)?;
        if state.is_quit() {
            return Err(Unknown);
        }
    }
    Ok(state)
}

struct Unknown;

impl<E: std::error::Error> From<E> for Unknown {
    fn from(_: E) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_leads_through_what_it_is_about() {
        for (expression, through, not) in [
            (
                "^(?:/w/deploy/.*)$",
                &["/w/deploy/", "/w/Deploy/", "/w/deploy/x/"][..],
                &["/w/dep/", "/w/a/deploy/"][..],
            ),
            (r"^(?:.*\.git/config)$", &["/w/.git/", "/w/a/b/.git/"], &["/w/git/", "/w/a/", "/w/.git/a/"]),
            (r"^(?:.*\.pem)$", &[], &["/w/a/", "/w/a/b/"]),
            ("^(?:/w/deploy)$", &[], &["/w/deploy/", "/w/a/"]),
            ("^(?:/w/[^/]*/live)$", &["/w/a/"], &["/w/a/b/"]),
            (r"^(?:/w/.*\bä/.*)$", &["/w/ä/"], &[]),
        ] {
            for directory in through {
                assert!(leads_through(expression, "/w/", directory), "{expression} {directory}");
            }
            for directory in not {
                assert!(!leads_through(expression, "/w/", directory), "{expression} {directory}");
            }
        }
    }
}

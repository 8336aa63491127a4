//! A person at a terminal: colours, and the progress of a search.

use std::cell::RefCell;
use std::env;
use std::fmt::Write as _;
use std::io::{IsTerminal, stderr, stdout};
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches};
use fsgate_cli::{Streams, Style, Unwritten};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::streams::{Standard, shown_bytes, write};

/// Time between pages of a search, too short to notice.
const PACE: Duration = Duration::from_millis(150);

/// Delay of progress reports: most searches end before.
const PATIENCE: Duration = Duration::from_millis(500);

const COLOR: &str = "color";

pub(crate) fn color() -> Arg {
    Arg::new(COLOR)
        .long(COLOR)
        .value_name("WHEN")
        .value_parser(["auto", "always", "never"])
        .default_value("auto")
        .default_missing_value("auto")
        .num_args(0..=1)
        .require_equals(true)
        .hide_possible_values(true)
        .help_heading("Host")
        .help("Colour the answer: `auto` at a terminal unless `NO_COLOR` is set or `TERM` is `dumb`, `always` or `never`")
}

pub(crate) fn is_plain() -> bool {
    let is_unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    is_unwanted || is_dumb()
}

fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|kind| kind == "dumb")
}

pub(crate) struct Terminal {
    has_colors: bool,
    is_watched: bool,
    begun: Instant,
    bar: RefCell<Option<ProgressBar>>,
}

impl Terminal {
    pub(crate) fn new(args: &ArgMatches) -> Self {
        let wanted = args.try_get_one::<String>(COLOR).ok().flatten().map_or("auto", String::as_str);
        Self {
            has_colors: has_colors(wanted, stdout().is_terminal(), is_plain()),
            is_watched: stdout().is_terminal() || stderr().is_terminal(),
            begun: Instant::now(),
            bar: RefCell::new(None),
        }
    }

    fn aside<T>(&self, act: impl FnOnce() -> T) -> T {
        match &*self.bar.borrow() {
            Some(bar) => bar.suspend(act),
            None => act(),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Streams for Terminal {
    fn input(&self, most: usize) -> Result<Vec<u8>, String> {
        Standard.input(most)
    }

    fn file(&self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        Standard.file(path, most)
    }

    fn answer(&self, bytes: &[u8]) -> Result<(), Unwritten> {
        self.aside(|| Standard.answer(bytes))
    }

    fn styled(&self, parts: &[(Style, String)]) -> Result<(), Unwritten> {
        if !self.has_colors {
            let text: String = parts.iter().map(|(_, text)| text.as_str()).collect();
            return self.answer(text.as_bytes());
        }
        self.aside(|| write(colored(parts).as_bytes()))
    }

    fn has_colors(&self) -> bool {
        self.has_colors
    }

    fn pace(&self) -> Option<Duration> {
        self.is_watched.then_some(PACE)
    }

    fn progress(&self, done: &str) {
        if !is_due(self.begun.elapsed()) || !stderr().is_terminal() || is_dumb() {
            return;
        }
        let mut bar = self.bar.borrow_mut();
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            // The template is a valid constant.
            bar.with_style(
                ProgressStyle::with_template("{spinner} {msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner()),
            )
        });
        bar.set_message(done.to_owned());
        bar.tick();
    }

    fn complain(&self, line: &str) {
        self.aside(|| Standard.complain(line));
    }
}

fn is_due(elapsed: Duration) -> bool {
    elapsed >= PATIENCE
}

fn has_colors(wanted: &str, is_terminal: bool, is_plain: bool) -> bool {
    match wanted {
        "always" => true,
        "never" => false,
        _ => is_terminal && !is_plain,
    }
}

/// The parts with colour codes; codes inside are escaped.
fn colored(parts: &[(Style, String)]) -> String {
    let mut out = String::new();
    for (style, text) in parts {
        let text = String::from_utf8_lossy(&shown_bytes(text.as_bytes())).into_owned();
        let order = match style {
            Style::Plain => "",
            Style::Path => "35",
            Style::Number => "32",
            Style::Match => "1;31",
        };
        if order.is_empty() || text.is_empty() {
            out.push_str(&text);
        } else {
            let _ = write!(out, "\x1b[{order}m{text}\x1b[0m");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_those_that_were_asked_for() {
        for (wanted, is_terminal, no_color, expected) in [
            ("auto", true, false, true),
            ("auto", true, true, false),
            ("auto", false, false, false),
            ("always", false, true, true),
            ("never", true, false, false),
        ] {
            assert_eq!(
                has_colors(wanted, is_terminal, no_color),
                expected,
                "{wanted} {is_terminal} {no_color}"
            );
        }
    }

    #[test]
    fn only_ours_are_orders() {
        let parts = [
            (Style::Path, "a".to_owned()),
            (Style::Plain, "\n".to_owned()),
            (Style::Match, "\x1b[2J".to_owned()),
            (Style::Number, String::new()),
        ];
        assert_eq!(colored(&parts), "\x1b[35ma\x1b[0m\n\x1b[1;31m\\u{1B}[2J\x1b[0m");
    }

    #[test]
    fn a_short_search_says_nothing_on_its_way() {
        assert!(!is_due(Duration::ZERO) && !is_due(Duration::from_millis(499)));
        assert!(is_due(Duration::from_millis(500)));
    }
}

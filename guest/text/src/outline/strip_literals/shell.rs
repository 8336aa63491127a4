//! Strips shell scripts to function names and braces.
//!
//! Text that bash, ksh and zsh read differently is ambiguous.

mod documents;
mod expansions;

use std::collections::HashSet;
use std::ops::Range;

use super::{IN_VAIN, Masked};
use crate::outline::lexer_rules::SHELL;
use documents::HereDocument;

/// The code of blocks, all else as spaces.
pub(super) fn masked(text: &[u8]) -> Masked {
    let mut code = text.to_vec();
    for byte in &mut code {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    let mut shell = ShellMask { text, ..ShellMask::default() };
    shell.masked.code = code;
    shell.commands();
    shell.masked
}

#[derive(Default)]
struct ShellMask<'a> {
    text: &'a [u8],
    masked: Masked,
    at: usize,
    documents: Vec<HereDocument>,
    /// Places where `((` opens two subshells.
    no_arithmetic: HashSet<usize>,
    spent: usize,
    depth: usize,
    /// A part of a line, to its end.
    line: Range<usize>,
    /// Shift operators that looked like here documents.
    shifts: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenConstruct {
    /// `{`: its place, and its line's end.
    Braces(usize, usize),
    /// `(` of commands, and whether it is a function's body.
    Commands(bool),
    /// `(` of an array or a pattern.
    Words,
    /// `case` and its phase.
    Case(CasePhase),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CasePhase {
    In,
    Pattern,
    Commands,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordPlace {
    /// A command may begin.
    Command,
    /// After a function's head.
    Body,
    /// After `function`.
    Name,
    /// After a command's first word, at this range.
    Second(usize, usize),
    Other,
}

/// Words before a command.
const BEFORE_COMMANDS: &[&[u8]] = &[
    b"if", b"then", b"else", b"elif", b"fi", b"do", b"done", b"while", b"until", b"!", b"time", b"coproc",
    b"always",
];

impl ShellMask<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn starts(&self, with: &[u8]) -> bool {
        self.text[self.at..].starts_with(with)
    }

    fn show(&mut self, from: usize, to: usize) {
        if self.depth == 0 {
            self.masked.code[from..to].copy_from_slice(&self.text[from..to]);
        }
    }

    fn put(&mut self, at: usize, byte: u8) {
        if self.depth == 0 {
            self.masked.code[at] = byte;
        }
    }

    fn is_spent(&self) -> bool {
        self.spent > IN_VAIN * self.text.len()
    }

    fn is_string(&mut self, start: usize) {
        if memchr::memchr2(b'\n', b'\r', &self.text[start..self.at]).is_some() {
            self.masked.strings.push(start..self.at);
        }
    }

    fn doubt(&mut self, at: usize) {
        self.masked.doubts.push(at);
    }

    /// Gives up: the rest is unknown.
    fn lose(&mut self, from: usize) -> bool {
        self.masked.lost.get_or_insert(from);
        self.at = self.text.len();
        false
    }

    /// Reads commands to an expansion's `)`; false if it is missing.
    fn commands(&mut self) -> bool {
        let mut open: Vec<OpenConstruct> = Vec::new();
        let mut place = WordPlace::Command;
        while let Some(byte) = self.peek(0) {
            let start = self.at;
            let in_words = open.last() == Some(&OpenConstruct::Words);
            match byte {
                b'\n' | b'\r' => {
                    self.line_end();
                    if !in_words && place != WordPlace::Body {
                        place = WordPlace::Command;
                    }
                }
                b' ' | b'\t' => self.at += 1,
                b'\\' if matches!(self.peek(1), Some(b'\n' | b'\r')) => self.escape(),
                b'#' => self.comment(),
                b';' => {
                    while self.peek(0).is_some_and(|byte| matches!(byte, b';' | b'&' | b'|')) {
                        self.at += 1;
                    }
                    if let Some(OpenConstruct::Case(case)) = open.last_mut()
                        && self.at > start + 1
                    {
                        *case = CasePhase::Pattern;
                    }
                    self.put(start, b';');
                    place = WordPlace::Command;
                }
                b'&' if self.peek(1) == Some(b'>') => self.at += 2,
                b'&' | b'|' => {
                    self.at += 1;
                    self.put(start, b';');
                    if !in_words && open.last() != Some(&OpenConstruct::Case(CasePhase::Pattern)) {
                        place = WordPlace::Command;
                    }
                }
                b'<' | b'>' => {
                    if !self.redirection() {
                        return false;
                    }
                }
                b'(' => {
                    if self.round(&mut open, &mut place).is_none() {
                        return false;
                    }
                }
                b')' => {
                    self.at += 1;
                    if self.close(&mut open, &mut place, start) {
                        return true;
                    }
                }
                _ => {
                    let Some(is_plain) = self.word() else { return false };
                    self.met(start, is_plain, &mut open, &mut place);
                }
            }
        }
        // Their own reader reports unclosed braces.
        if open.iter().any(|open| !matches!(open, OpenConstruct::Braces(..) | OpenConstruct::Commands(true)))
        {
            self.doubt(self.text.len());
        }
        false
    }

    fn met(&mut self, start: usize, is_plain: bool, open: &mut Vec<OpenConstruct>, place: &mut WordPlace) {
        let end = self.at;
        let word = if is_plain { &self.text[start..end] } else { b"" };
        let before = std::mem::replace(place, WordPlace::Other);
        let is_first = matches!(before, WordPlace::Command | WordPlace::Body);
        match open.last_mut() {
            Some(OpenConstruct::Words) => {
                *place = before;
                return;
            }
            Some(OpenConstruct::Case(case @ CasePhase::In)) => {
                if word == b"in" {
                    *case = CasePhase::Pattern;
                }
                return;
            }
            Some(OpenConstruct::Case(CasePhase::Pattern)) => {
                if word == b"esac" {
                    open.pop();
                    *place = WordPlace::Command;
                }
                return;
            }
            _ => {}
        }
        match word {
            _ if before == WordPlace::Name && is_name(word) => {
                self.show(start, end);
                *place = WordPlace::Body;
            }
            b"{" if is_first || self.ends_line() => {
                if !is_first && !self.is_in_test(start) {
                    self.doubt(start);
                }
                self.put(start, b'{');
                open.push(OpenConstruct::Braces(start, self.end_of_line(start)));
                *place = WordPlace::Command;
            }
            [b'{', _, ..] if before == WordPlace::Body => {
                // zsh needs no space there.
                self.doubt(start);
                self.put(start, b'{');
                self.at = start + 1;
                open.push(OpenConstruct::Braces(start, self.end_of_line(start)));
                *place = WordPlace::Command;
            }
            b"}" => {
                let opening = match open.last() {
                    Some(OpenConstruct::Braces(_, line_end)) => Some(*line_end),
                    _ => None,
                };
                let in_line = opening.is_some_and(|line_end| start <= line_end);
                if opening.is_some() && (is_first || in_line) {
                    // In zsh it closes like any word.
                    if !is_first {
                        self.doubt(start);
                    }
                    self.put(start, b'}');
                    open.pop();
                    *place = WordPlace::Command;
                } else {
                    self.doubt(start);
                }
            }
            b"function" if is_first => {
                self.show(start, end);
                *place = WordPlace::Name;
            }
            b"case" if is_first => open.push(OpenConstruct::Case(CasePhase::In)),
            b"esac" if is_first => {
                if let Some(OpenConstruct::Case(_)) = open.last() {
                    open.pop();
                } else {
                    self.doubt(start);
                }
                *place = WordPlace::Command;
            }
            b"]]" => *place = WordPlace::Command,
            b"for" | b"select" if is_first => *place = WordPlace::Second(start, start),
            _ if is_first && BEFORE_COMMANDS.contains(&word) => *place = WordPlace::Command,
            _ if is_first && is_name(word) => *place = WordPlace::Second(start, end),
            _ => {}
        }
    }

    /// `(`; none if it is unclosed.
    fn round(&mut self, open: &mut Vec<OpenConstruct>, place: &mut WordPlace) -> Option<()> {
        let start = self.at;
        let is_adjacent = start > 0 && !is_blank(self.text[start - 1]) && !is_meta(self.text[start - 1]);
        let is_pattern = open.last() == Some(&OpenConstruct::Case(CasePhase::Pattern));
        let blanks = self.text[start + 1..].iter().take_while(|byte| is_blank(**byte)).count();
        let closes = self.text.get(start + 1 + blanks) == Some(&b')');
        match *place {
            _ if is_pattern => {
                self.at += 1;
                if is_adjacent {
                    open.push(OpenConstruct::Words);
                }
            }
            WordPlace::Second(from, to) if closes && from < to => {
                self.show(from, to);
                self.put(start, b'(');
                self.put(start + 1 + blanks, b')');
                self.at = start + blanks + 2;
                *place = WordPlace::Body;
            }
            // `function name()`
            WordPlace::Body if closes => self.at = start + blanks + 2,
            WordPlace::Command | WordPlace::Body | WordPlace::Second(..)
                if !is_adjacent && self.starts(b"((") && self.arithmetic(2)? =>
            {
                *place = WordPlace::Command;
            }
            WordPlace::Command | WordPlace::Body if !is_adjacent => {
                self.at += 1;
                let is_body = *place == WordPlace::Body;
                self.put(start, if is_body { b'{' } else { b';' });
                open.push(OpenConstruct::Commands(is_body));
                *place = WordPlace::Command;
            }
            _ => {
                self.at += 1;
                open.push(OpenConstruct::Words);
            }
        }
        Some(())
    }

    /// Handles a `)`; true if it closes the expansion.
    fn close(&mut self, open: &mut Vec<OpenConstruct>, place: &mut WordPlace, start: usize) -> bool {
        match open.last_mut() {
            Some(OpenConstruct::Words) => {
                open.pop();
                *place = if place == &WordPlace::Command { WordPlace::Command } else { WordPlace::Other };
                return false;
            }
            Some(OpenConstruct::Case(case @ CasePhase::Pattern)) => {
                *case = CasePhase::Commands;
                self.put(start, b';');
                *place = WordPlace::Command;
                return false;
            }
            Some(OpenConstruct::Commands(is_body)) => {
                let is_body = *is_body;
                self.put(start, if is_body { b'}' } else { b';' });
                open.pop();
                *place = WordPlace::Command;
                return false;
            }
            Some(OpenConstruct::Braces(..) | OpenConstruct::Case(_)) => self.doubt(start),
            None if self.depth > 0 => {}
            None => self.doubt(start),
        }
        self.depth > 0
            && !open.iter().any(|open| matches!(open, OpenConstruct::Commands(_) | OpenConstruct::Words))
    }

    /// Reads a word. Returns whether it is literal, none if unclosed.
    fn word(&mut self) -> Option<bool> {
        let mut is_plain = true;
        while let Some(byte) = self.peek(0).filter(|byte| !is_blank(*byte) && !is_meta(*byte)) {
            let start = self.at;
            is_plain &= !matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'`');
            match byte {
                b'\\' => self.escape(),
                b'\'' => self.single()?,
                b'"' => self.double()?,
                b'$' => self.dollar(false)?,
                b'`' => self.backticks()?,
                _ => self.at += 1,
            }
            debug_assert!(self.at > start, "a word goes on");
        }
        Some(is_plain)
    }

    fn end_of_line(&mut self, at: usize) -> usize {
        if self.line.start <= at && at <= self.line.end {
            return self.line.end;
        }
        if at < self.line.start && memchr::memchr2(b'\n', b'\r', &self.text[at..self.line.start]).is_none() {
            self.line.start = at;
            return self.line.end;
        }
        self.line = at..super::line_end(self.text, at);
        self.line.end
    }

    /// A comment, or a pattern flag in zsh: `(#i)`.
    fn comment(&mut self) {
        let rest = &self.text[self.at + 1..];
        let flags = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b',').count();
        if self.at > 0 && self.text[self.at - 1] == b'(' && flags > 0 && rest.get(flags) == Some(&b')') {
            self.at += 1;
            return;
        }
        self.at = super::line_end(self.text, self.at);
    }

    /// Ends a line and reads its here documents.
    fn line_end(&mut self) {
        self.at += if self.starts(b"\r\n") { 2 } else { 1 };
        for document in std::mem::take(&mut self.documents) {
            self.pass_over(&document);
        }
    }

    fn ends_line(&self) -> bool {
        let rest = &self.text[self.at..];
        let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
        matches!(rest.get(blanks), None | Some(b'\n' | b'\r'))
    }

    /// `@test "name" {`
    fn is_in_test(&self, at: usize) -> bool {
        let line = &self.text[..at];
        let line = &line[memchr::memrchr2(b'\n', b'\r', line).map_or(0, |end| end + 1)..];
        line.trim_ascii_start().starts_with(b"@test ")
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_meta(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

fn is_name(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(|byte| super::is_word(*byte, &SHELL))
}

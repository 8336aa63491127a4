//! Keywords with a colon.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Options,
    /// Dependencies follow. fsgate ignores them.
    DependsOn,
    Key(OptionKey),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionKey {
    Content,
    Destination,
}

/// The range from its first letter to its colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OptionMark {
    pub(super) word: Word,
    pub(super) start: usize,
    pub(super) end: usize,
}

const WORDS: [(&str, Word); 4] = [
    ("options", Word::Options),
    ("dependsOn", Word::DependsOn),
    ("content", Word::Key(OptionKey::Content)),
    ("destination", Word::Key(OptionKey::Destination)),
];

pub(super) fn marks(text: &str) -> impl Iterator<Item = OptionMark> {
    let mut before = None;
    text.char_indices().filter_map(move |(start, first)| {
        let before = before.replace(first);
        let rest = text.get(start..)?;
        let (name, word) = WORDS.into_iter().find(|(name, word)| word.stands(name, before, rest))?;
        let spaces = rest.get(name.len()..)?;
        let colon = spaces.trim_start().strip_prefix(':')?;
        Some(OptionMark { word, start, end: text.len() - colon.len() })
    })
}

impl Word {
    /// Whether a keyword begins here. `options` and `dependsOn` match in any case; keys match
    /// exactly after white space.
    fn stands(self, name: &str, before: Option<char>, rest: &str) -> bool {
        match self {
            Self::Options | Self::DependsOn => {
                before.is_none_or(|before| !before.is_alphanumeric() && before != '_')
                    && rest.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name))
            }
            Self::Key(_) => before.is_none_or(char::is_whitespace) && rest.starts_with(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_stand_alone() {
        let (content, destination) = (Word::Key(OptionKey::Content), Word::Key(OptionKey::Destination));
        for (text, expected) in [
            ("", &[][..]),
            ("options:", &[(Word::Options, 0, 8)]),
            ("(OPTIONS :dependson\n:", &[(Word::Options, 1, 10), (Word::DependsOn, 10, 21)]),
            ("myoptions: _options: ßoptions: optionsx: options", &[]),
            ("content: destination\t : x", &[(content, 0, 8), (destination, 9, 23)]),
            ("Content: .content: contents: content", &[]),
            ("ü content:", &[(content, 3, 11)]),
        ] {
            let found: Vec<_> = marks(text).map(|mark| (mark.word, mark.start, mark.end)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}

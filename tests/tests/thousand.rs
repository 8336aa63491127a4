//! A thousand random replaces on real source trees, against a second, much simpler way to do the same.

use std::path::{Path, PathBuf};
use std::{env, fs};

use fsgate::{Gate, ReplaceArgs};
use fsgate_tests::open::Opened;
use tempfile::TempDir;

const FILES: usize = 1_000;

/// Sources of the crates that this build is made from; they are on any machine that has built it.
fn sources() -> Option<Vec<PathBuf>> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let mut files = Vec::new();
    let mut directories = vec![home.join("registry/src")];
    while let Some(directory) = directories.pop() {
        let Ok(entries) = fs::read_dir(directory) else { continue };
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() && !path.is_symlink() {
                directories.push(path);
            } else if path.is_file()
                && fs::metadata(&path).is_ok_and(|meta| (64..1 << 20).contains(&meta.len()))
            {
                files.push(path);
            }
        }
    }
    (files.len() >= FILES).then_some(files)
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    /// A number below `end`: xorshift, good enough to choose files and places.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Puts `new` in place of the occurrence of `old` that begins at `at`.
fn by_hand(content: &[u8], at: usize, old: &[u8], new: &[u8]) -> Vec<u8> {
    [&content[..at], new, &content[at + old.len()..]].concat()
}

/// Where `old` occurs, without overlaps.
fn occurrences(content: &[u8], old: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + old.len() <= content.len() {
        if &content[at..at + old.len()] == old {
            found.push(at);
            at += old.len();
        } else {
            at += 1;
        }
    }
    found
}

#[test]
fn a_thousand_random_replaces_agree_with_a_plain_script() {
    let Some(sources) = sources() else {
        let reason = "cargo's registry folder holds too few sources here (vendored build?)";
        #[expect(clippy::print_stderr, reason = "a skipped test says why")]
        {
            eprintln!("skipped: {reason}");
        }
        return;
    };
    let mut numbers = Numbers(0x5EED_CAFE_F00D_1234);
    let scratch = TempDir::new().unwrap();
    let stride = sources.len() / FILES;
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (number, source) in sources.iter().step_by(stride).take(FILES).enumerate() {
        let name = format!("{}/{number}.txt", number % 37);
        let path = scratch.path().join(&name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        let content = fs::read(source).unwrap();
        fs::write(path, &content).unwrap();
        files.push((name, content));
    }

    let gate = Opened::new(Gate::builder().dir(scratch.path())).unwrap();
    let (mut done, mut refused) = (0, 0);
    while done < 1_000 {
        let (name, content) = &mut files[numbers.below(FILES)];
        let Ok(text) = str::from_utf8(content) else { continue };
        if text.is_empty() {
            continue;
        }
        let (from, length) = (numbers.below(text.len()), 1 + numbers.below(60));
        let Some(old) = text.get(from..(from + length).min(text.len())).filter(|old| !old.is_empty()) else {
            continue;
        };
        let new = ["", "x", "naïve £ text\n", "fn main() {}\r\n", "0123456789".repeat(3).as_str()]
            [numbers.below(5)]
        .to_owned();
        let found = occurrences(content, old.as_bytes());
        let once = numbers.below(4) == 0;
        let occurrence = 1 + numbers.below(found.len());
        let answer = gate.replace(&ReplaceArgs {
            path: name.clone(),
            old: old.to_owned(),
            new: new.clone(),
            occurrence: (!once).then_some(occurrence as u32),
            exact_line_ends: Some(true),
            ..Default::default()
        });
        if once && found.len() > 1 {
            assert_eq!(answer.unwrap_err().code.name(), "ambiguous", "{name}");
            refused += 1;
            continue;
        }
        answer.unwrap_or_else(|error| panic!("{name}: {error}"));
        let at = if once { found[0] } else { found[occurrence - 1] };
        *content = by_hand(content, at, old.as_bytes(), new.as_bytes());
        done += 1;
    }
    assert!(refused > 0, "no ambiguous replace came up");
    for (name, content) in &files {
        assert!(fs::read(scratch.path().join(name)).unwrap() == *content, "{name}");
    }
}

//! Single calls, beside ordinary ways to do the same.

use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, hint};

use anyhow::{Context, Result, ensure};
use fsgate::{
    Access, AppendArgs, Audit, Durability, Gate, ListDirectoryArgs, ReadArgs, ReadManyArgs, ReadNumberedArgs,
    ReplaceAllArgs, ReplaceArgs, StatArgs, WriteArgs, volume,
};
use fsgate_engine::pager::cursor::FileCursor;
use fsgate_engine::tools;
use fsgate_text::window::Position;

use crate::table::{Row, report, work};

/// Prints the table.
pub(crate) fn measured(program: &Path) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let directory = scratch.path();
    let small: String =
        (0..250).map(|n| format!("line {n:04} of an ordinary file, 44 bytes long\n")).collect();
    fs::write(directory.join("small.txt"), &small)?;
    let large = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n".repeat((10 << 20) / 64);
    fs::write(directory.join("large.txt"), large.replacen("0123", "word", 1))?;
    fs::write(directory.join("sed.txt"), &large)?;

    let state = tempfile::tempdir()?;
    let gate = Gate::builder().dir(directory).state_root(state.path()).build()?;
    let audit = Audit { file: Some(state.path().join("audit.jsonl")), ..Audit::default() };
    let audited = Gate::builder().dir(directory).state_root(state.path()).audit(audit).build()?;
    fs::write(directory.join("plain.txt"), &small)?;
    let plain = Gate::builder().dir(directory).durability(Durability::None).build()?;
    let looked_at = StatArgs { path: "large.txt".to_owned(), with_etag: Some(true), ..Default::default() };
    let read = ReadArgs { path: "small.txt".to_owned(), ..Default::default() };
    let numbered = ReadNumberedArgs {
        path: "small.txt".to_owned(),
        lines: Some("100-109".to_owned()),
        ..Default::default()
    };
    fs::write(directory.join("tiny.txt"), "hello")?;
    let tiny = ReadArgs { path: "tiny.txt".to_owned(), ..Default::default() };
    let tiny_path = directory.join("tiny.txt");
    let refused = ReadArgs::default();
    let json = r#"{"path": "small.txt"}"#;
    let small_path = directory.join("small.txt");

    let native = volume::session(vec![(directory.to_owned(), "/w".to_owned(), Access::Write)])?;
    let many = ReadManyArgs { paths: vec!["small.txt".to_owned(); 10], ..Default::default() };
    let (some, crowd) = (directory.join("some"), directory.join("crowd"));
    for (folder, names) in [(&some, 100), (&crowd, 100_000)] {
        fs::create_dir(folder)?;
        for name in 0..names {
            fs::write(folder.join(format!("{name:06}.txt")), "")?;
        }
    }
    let some_args = ListDirectoryArgs { path: "some".to_owned(), ..Default::default() };
    let crowd_args = ListDirectoryArgs { path: "crowd".to_owned(), ..Default::default() };
    // Ten gigabytes that take no room on the disk.
    let mut new = fs::OpenOptions::new();
    let huge = new.read(true).write(true).create_new(true).open(directory.join("huge"))?;
    huge.set_len(10 << 30)?;
    huge.write_all_at(b"the end", (10 << 30) - 7)?;
    let offset = (10 << 30) - 10_000;
    let position = Position { offset, line: 1, column: offset };
    let cursor = Some(FileCursor::new(position, &[0; 4096]).to_string());
    let late = ReadArgs { path: "huge".to_owned(), cursor, ..Default::default() };
    let line =
        AppendArgs { path: "huge".to_owned(), content: "one more line\n".to_owned(), ..Default::default() };
    let mut log = fs::OpenOptions::new().append(true).create(true).open(directory.join("log"))?;
    let contents = ["one\n".repeat(2_000), "two\n".repeat(2_000)];
    let whole_path = directory.join("whole.txt");

    let mut rows = vec![
        Row {
            ours: work("start: fsgate read-numbered, 10 lines", 20, || {
                let words = ["read-numbered", "small.txt", "--lines", "100-109", "--dir", ".", "--state-dir"];
                quiet(program, directory, &[&words[..], &[&state.path().to_string_lossy()]].concat())
            }),
            peers: vec![work("sed -n 100,109p", 20, || {
                quiet(Path::new("sed"), directory, &["-n", "100,109p", "small.txt"])
            })],
        },
        Row {
            ours: work("open a gate: load, grant, first read", 20, || {
                let gate = Gate::builder().dir(directory).state_root(state.path()).build()?;
                hint::black_box(gate.read(&read)?);
                Ok(())
            }),
            peers: Vec::new(),
        },
        Row {
            ours: work("empty call (refused: empty path)", 5_000, || {
                ensure!(gate.read(&refused).is_err());
                Ok(())
            }),
            peers: Vec::new(),
        },
        Row {
            ours: work("read, 5 bytes, typed", 2_000, || {
                hint::black_box(gate.read(&tiny)?);
                Ok(())
            }),
            peers: vec![work("std::fs::read_to_string", 2_000, || {
                hint::black_box(fs::read_to_string(&tiny_path)?);
                Ok(())
            })],
        },
        Row {
            ours: work("the same, written into the audit", 2_000, || {
                hint::black_box(audited.read(&tiny)?);
                Ok(())
            }),
            peers: vec![work("without", 2_000, || {
                hint::black_box(gate.read(&tiny)?);
                Ok(())
            })],
        },
        Row {
            ours: work("read, 11 KB, typed", 2_000, || {
                hint::black_box(gate.read(&read)?);
                Ok(())
            }),
            peers: vec![work("std::fs::read_to_string", 2_000, || {
                hint::black_box(fs::read_to_string(&small_path)?);
                Ok(())
            })],
        },
        Row {
            ours: work("read, 11 KB, JSON", 2_000, || {
                hint::black_box(gate.call("read", json).ok().context("refused")?);
                Ok(())
            }),
            peers: vec![work("std::fs::read_to_string", 2_000, || {
                hint::black_box(fs::read_to_string(&small_path)?);
                Ok(())
            })],
        },
        Row {
            ours: work("read-numbered, 10 lines of 11 KB", 2_000, || {
                hint::black_box(gate.read_numbered(&numbered)?);
                Ok(())
            }),
            peers: Vec::new(),
        },
        Row {
            ours: work("replace one word, there and back, 11 KB", 500, || {
                edit(&gate, "small.txt", "0123 of", "word of")?;
                edit(&gate, "small.txt", "word of", "0123 of")
            }),
            peers: vec![
                work("read, replacen, write (std)", 500, || {
                    rewrite(&small_path, "0123 of", "word of")?;
                    rewrite(&small_path, "word of", "0123 of")
                }),
                work("the same, not journaled", 500, || {
                    edit(&plain, "plain.txt", "0123 of", "word of")?;
                    edit(&plain, "plain.txt", "word of", "0123 of")
                }),
            ],
        },
        Row {
            ours: work("the same, written into the audit", 500, || {
                edit(&audited, "small.txt", "0123 of", "word of")?;
                edit(&audited, "small.txt", "word of", "0123 of")
            }),
            peers: vec![work("without", 500, || {
                edit(&gate, "small.txt", "0123 of", "word of")?;
                edit(&gate, "small.txt", "word of", "0123 of")
            })],
        },
        Row {
            ours: work("replace one word of 10 MB, same length", 4, || {
                edit(&gate, "large.txt", "word", "Word")?;
                edit(&gate, "large.txt", "Word", "word")
            }),
            peers: vec![work("read and hash it twice, in the component", 4, || {
                for _ in 0..2 {
                    hint::black_box(gate.stat(&looked_at)?);
                }
                Ok(())
            })],
        },
        Row {
            ours: work("the same, component", 4, || {
                edit(&gate, "large.txt", "word", "Word")?;
                edit(&gate, "large.txt", "Word", "word")
            }),
            peers: vec![work("the same core, native", 4, || {
                for (old, new) in [("word", "Word"), ("Word", "word")] {
                    let (path, old, new) = ("large.txt".to_owned(), old.to_owned(), new.to_owned());
                    native.run(tools::replace::run, &ReplaceArgs { path, old, new, ..Default::default() })?;
                }
                Ok(())
            })],
        },
        Row {
            ours: work("read, 11 KB, component", 2_000, || {
                hint::black_box(gate.read(&read)?);
                Ok(())
            }),
            peers: vec![work("the same core, native", 2_000, || {
                hint::black_box(native.run(tools::read::run, &read)?);
                Ok(())
            })],
        },
        Row {
            ours: work("read-many, 10 files of 11 KB", 500, || {
                hint::black_box(gate.read_many(&many)?);
                Ok(())
            }),
            peers: vec![work("std::fs::read_to_string, 10 times", 500, || {
                for _ in 0..10 {
                    hint::black_box(fs::read_to_string(&small_path)?);
                }
                Ok(())
            })],
        },
        Row {
            ours: work("list-directory, 100 entries", 100, || {
                hint::black_box(gate.list_directory(&some_args)?);
                Ok(())
            }),
            peers: vec![work("read_dir and metadata of each (std)", 100, || {
                for entry in fs::read_dir(&some)? {
                    hint::black_box(entry?.metadata()?.modified()?);
                }
                Ok(())
            })],
        },
        Row {
            ours: work("list-directory, 1,000 of 100,000 entries", 1, || {
                hint::black_box(gate.list_directory(&crowd_args)?);
                Ok(())
            }),
            peers: vec![work("read_dir, all names (std)", 1, || {
                for entry in fs::read_dir(&crowd)? {
                    hint::black_box(entry?.file_name());
                }
                Ok(())
            })],
        },
        Row {
            ours: work("read by cursor, 10 KB at the end of 10 GB", 500, || {
                hint::black_box(gate.read(&late)?);
                Ok(())
            }),
            peers: vec![work("read the same at its offset (std)", 500, || {
                let mut bytes = vec![0; 10_000];
                huge.read_exact_at(&mut bytes, offset)?;
                hint::black_box(bytes);
                Ok(())
            })],
        },
        Row {
            ours: work("append a line to 10 GB", 500, || {
                hint::black_box(gate.append(&line)?);
                Ok(())
            }),
            peers: vec![work("write to an open log (std)", 500, || {
                Ok(log.write_all(line.content.as_bytes())?)
            })],
        },
        Row {
            ours: work("write 8 KB over 8 KB, there and back", 500, || {
                for content in &contents {
                    let (path, content) = ("whole.txt".to_owned(), content.clone());
                    gate.write(&WriteArgs { path, content, ..Default::default() })?;
                }
                Ok(())
            }),
            peers: vec![work("std::fs::write, twice", 500, || {
                for content in &contents {
                    fs::write(&whole_path, content)?;
                }
                Ok(())
            })],
        },
        Row {
            ours: work("replace-all, 160,000 in 10 MB, same length", 1, || {
                let (path, new) = ("large.txt".to_owned(), "CDE\n".to_owned());
                gate.replace_all(&ReplaceAllArgs {
                    path: path.clone(),
                    old: "cde\n".to_owned(),
                    new: new.clone(),
                    ..Default::default()
                })?;
                let old = "cde\n".to_owned();
                gate.replace_all(&ReplaceAllArgs { path, old: new, new: old, ..Default::default() })?;
                Ok(())
            }),
            peers: vec![work("sed -i, twice", 1, || {
                quiet(Path::new("sed"), directory, &["-i", "s/cde$/CDE/", "sed.txt"])?;
                quiet(Path::new("sed"), directory, &["-i", "s/CDE$/cde/", "sed.txt"])
            })],
        },
    ];
    report(&mut rows, 9)
}

pub(crate) fn edit(gate: &Gate, path: &str, old: &str, new: &str) -> Result<()> {
    let (path, old, new) = (path.to_owned(), old.to_owned(), new.to_owned());
    gate.replace(&ReplaceArgs { path, old, new, ..Default::default() })?;
    Ok(())
}

fn rewrite(path: &Path, old: &str, new: &str) -> Result<()> {
    Ok(fs::write(path, fs::read_to_string(path)?.replacen(old, new, 1))?)
}

fn quiet(program: &Path, directory: &Path, args: &[&str]) -> Result<()> {
    let status = Command::new(program).args(args).current_dir(directory).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{} {args:?}: {status}", program.display());
    Ok(())
}

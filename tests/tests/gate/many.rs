//! Several at work in one directory at once.

use std::fs;

use fsgate::{Code, CopyArgs, CreateArgs, CreateDirectoryArgs, Limits, MoveArgs};
use tempfile::TempDir;

use super::gate;

#[test]
fn of_many_that_create_one_file_exactly_one_wins() {
    let scratch = TempDir::new().unwrap();
    for round in 0..20 {
        let path = format!("race/{round}/file.txt");
        let wins: usize = std::thread::scope(|scope| {
            let racers: Vec<_> = (0..4)
                .map(|racer| {
                    let (path, directory) = (path.clone(), scratch.path());
                    scope.spawn(move || {
                        let gate = gate(directory, Limits::default());
                        let content = format!("{racer}").repeat(10_000);
                        match gate.create(&CreateArgs { path, content, ..Default::default() }) {
                            Ok(_) => 1,
                            Err(refused) => {
                                assert_eq!(refused.code, Code::Exists, "{refused}");
                                0
                            }
                        }
                    })
                })
                .collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).sum()
        });
        assert_eq!(wins, 1, "round {round}");
        let content = fs::read(scratch.path().join(&path)).unwrap();
        assert!(content.len() == 10_000 && content.iter().all(|byte| *byte == content[0]));
        let left: Vec<_> = fs::read_dir(scratch.path().join(&path).parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

#[test]
fn of_many_that_move_or_copy_to_one_name_exactly_one_wins() {
    let scratch = TempDir::new().unwrap();
    for round in 0..20 {
        let destination = format!("race/{round}/file.txt");
        for racer in 0..4 {
            fs::write(scratch.path().join(format!("{round}-{racer}")), format!("{racer}").repeat(10_000))
                .unwrap();
        }
        let wins: Vec<usize> = std::thread::scope(|scope| {
            let racers: Vec<_> = (0..4)
                .map(|racer| {
                    let (destination, directory) = (destination.clone(), scratch.path());
                    scope.spawn(move || {
                        let gate = gate(directory, Limits::default());
                        let source = format!("{round}-{racer}");
                        let answer = if racer % 2 == 0 {
                            let overwrite = Some(false);
                            let args = MoveArgs { source, destination, overwrite, ..Default::default() };
                            gate.r#move(&args).map(drop)
                        } else {
                            gate.copy(&CopyArgs { source, destination, ..Default::default() }).map(drop)
                        };
                        match answer {
                            Ok(()) => Some(racer),
                            Err(refused) => {
                                assert_eq!(refused.code, Code::Exists, "{refused}");
                                None
                            }
                        }
                    })
                })
                .collect();
            racers.into_iter().filter_map(|racer| racer.join().unwrap()).collect()
        });
        let [winner] = wins[..] else { panic!("round {round}: {wins:?} have won") };
        let content = fs::read_to_string(scratch.path().join(&destination)).unwrap();
        assert_eq!(content, format!("{winner}").repeat(10_000));
        for racer in 0..4 {
            let is_moved = racer == winner && racer % 2 == 0;
            assert_eq!(scratch.path().join(format!("{round}-{racer}")).exists(), !is_moved);
        }
        assert_eq!(fs::read_dir(scratch.path().join(format!("race/{round}"))).unwrap().count(), 1);
    }
}

#[test]
fn a_directory_may_be_made_by_many_at_once() {
    let scratch = TempDir::new().unwrap();
    for round in 0..20 {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let gate = gate(scratch.path(), Limits::default());
                    let path = format!("{round}/a/b/c");
                    gate.create_directory(&CreateDirectoryArgs { path, ..Default::default() }).unwrap();
                });
            }
        });
        assert!(scratch.path().join(format!("{round}/a/b/c")).is_dir());
    }
}

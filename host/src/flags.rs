//! Flags about what a session may use and where it is written down, the same for every subcommand that opens a gate.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, ValueHint, value_parser};
use fsgate::{Audit, Limits};

const FILE: &str = "audit";
const REQUIRED: &str = "audit-required";
const ARGUMENTS: &str = "audit-arguments";
const ROTATE_BYTES: &str = "audit-rotate-bytes";
const KEEP: &str = "audit-keep";

/// In place of a file: the one in the state directory.
const AUTO: &str = "auto";

/// Flags that are there or not.
const SWITCHES: [&str; 2] = [REQUIRED, ARGUMENTS];

const DEADLINE: &str = "deadline";
const MEMORY: &str = "memory-bytes";
const HOST_MEMORY: &str = "host-memory-bytes";
const HANDLES: &str = "handles";
const RESULT: &str = "result-bytes";
const CALLS: &str = "calls-per-second";
const WAITING: &str = "waiting-calls";

/// Flags with a number.
const NUMBERS: [&str; 9] =
    [ROTATE_BYTES, KEEP, DEADLINE, MEMORY, HOST_MEMORY, HANDLES, RESULT, CALLS, WAITING];

/// Less than this no call of any use can be made with.
const LEAST_BYTES: u64 = 1 << 20;

/// Handles that the shortest path takes, and some to work with.
const LEAST_HANDLES: u64 = 16;

/// What can be typed.
pub(crate) fn args() -> Vec<Arg> {
    let number = |name: &'static str, least: u64, most: u64, help: &'static str| {
        let arg =
            Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u64).range(least..=most));
        arg.help(help).help_heading("Host").hide_short_help(true)
    };
    let bytes = |name: &'static str, help: &'static str| number(name, LEAST_BYTES, u64::from(u32::MAX), help);
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).help_heading("Host").hide_short_help(true)
    };
    vec![
        Arg::new(FILE)
            .long(FILE)
            .value_name("FILE|auto")
            .value_hint(ValueHint::FilePath)
            .value_parser(value_parser!(PathBuf))
            .help("Write every call down in this file, a line of JSON each; `auto` is audit/audit.jsonl in the directory for state")
            .help_heading("Host"),
        flag(REQUIRED, "Refuse what cannot be written down; changes are written down before they are made, too")
            .action(ArgAction::SetTrue),
        flag(ARGUMENTS, "Write arguments down as well, long texts cut and hashed").action(ArgAction::SetTrue),
        flag(ROTATE_BYTES, "Bytes from which on the file is full and another one begins [default: 67108864]")
            .value_name("N")
            .value_parser(value_parser!(u64).range(1..)),
        flag(KEEP, "Full files to keep [default: 16]").value_name("N").value_parser(value_parser!(u32).range(1..)),
        number(DEADLINE, 1, 3600, "Time for one call; after twice that it is stopped by force [default: 30]")
            .value_name("SECONDS"),
        bytes(MEMORY, "Memory of the component in one call [default: 268435456]"),
        bytes(HOST_MEMORY, "Bytes that the component can hand to its host at once [default: 67108864]"),
        number(HANDLES, LEAST_HANDLES, 1_000_000, "Files and directories open at once in one call [default: 4096]"),
        number(RESULT, 64 << 10, u64::from(u32::MAX), "Bytes of an answer in JSON [default: 8388608]"),
        number(CALLS, 1, 1_000_000, "Calls in a second; further ones wait [default: any number]"),
        number(WAITING, 0, 1_000_000, "Calls that wait for those that run; further ones are refused [default: 256]"),
    ]
}

/// What a session and each of its calls may use.
pub(crate) fn limits(args: &ArgMatches) -> Limits {
    let typed = |name| args.get_one::<u64>(name).copied();
    let size = |name, usual| typed(name).map_or(usual, |value| usize::try_from(value).unwrap_or(usize::MAX));
    let usual = Limits::default();
    Limits {
        deadline: typed(DEADLINE).map_or(usual.deadline, Duration::from_secs),
        memory: size(MEMORY, usual.memory),
        host_memory: size(HOST_MEMORY, usual.host_memory),
        handles: size(HANDLES, usual.handles),
        result: size(RESULT, usual.result),
        calls_per_second: typed(CALLS).and_then(|calls| u32::try_from(calls).ok()).or(usual.calls_per_second),
        waiting: size(WAITING, usual.waiting),
    }
}

/// How calls are to be written down, if they are: any of the flags turns it on.
pub(crate) fn audit(args: &ArgMatches) -> Option<Audit> {
    let usual = Audit::default();
    let file = args.get_one::<PathBuf>(FILE);
    let (rotate_bytes, keep) = (args.get_one(ROTATE_BYTES), args.get_one(KEEP));
    let audit = Audit {
        file: file.filter(|file| file.as_os_str() != AUTO).cloned(),
        required: args.get_flag(REQUIRED),
        arguments: args.get_flag(ARGUMENTS),
        rotate_bytes: rotate_bytes.copied().unwrap_or(usual.rotate_bytes),
        keep: keep.copied().unwrap_or(usual.keep),
    };
    (file.is_some() || audit != usual).then_some(audit)
}

/// The same words once more, for somebody who starts this program later: `whole` makes a path one that can be told.
pub(crate) fn words(
    args: &ArgMatches,
    whole: impl Fn(&std::path::Path) -> Result<String, String>,
) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    if let Some(file) = args.get_one::<PathBuf>(FILE) {
        let told = if file.as_os_str() == AUTO { AUTO.to_owned() } else { whole(file)? };
        words.extend([format!("--{FILE}"), told]);
    }
    words.extend(SWITCHES.iter().filter(|name| args.get_flag(name)).map(|name| format!("--{name}")));
    for name in NUMBERS {
        let typed = args.get_raw(name).and_then(|mut values| values.next_back());
        if let Some(value) = typed.and_then(|value| value.to_str()) {
            words.extend([format!("--{name}"), value.to_owned()]);
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;

    fn typed(line: &str) -> ArgMatches {
        let words = ["fsgate", "mcp"].into_iter().chain(line.split_whitespace());
        cli::command().try_get_matches_from(words).unwrap().remove_subcommand().unwrap().1
    }

    #[test]
    fn any_flag_about_the_audit_turns_it_on() {
        let usual = Audit::default;
        for (line, expected) in [
            ("", None),
            ("--audit a", Some(Audit { file: Some("a".into()), ..usual() })),
            ("--audit auto", Some(usual())),
            ("--audit-required", Some(Audit { required: true, ..usual() })),
            ("--audit-arguments", Some(Audit { arguments: true, ..usual() })),
            ("--audit-rotate-bytes 5", Some(Audit { rotate_bytes: 5, ..usual() })),
            ("--audit-keep 1", Some(Audit { keep: 1, ..usual() })),
        ] {
            assert_eq!(audit(&typed(line)), expected, "{line}");
        }
    }

    #[test]
    fn every_limit_has_a_flag() {
        assert_eq!(limits(&typed("")), Limits::default());
        let line = "--deadline 5 --memory-bytes 1048576 --host-memory-bytes 1048577 --handles 16 --result-bytes 65536 \
                    --calls-per-second 7 --waiting-calls 0";
        let all = Limits {
            deadline: Duration::from_secs(5),
            memory: 1 << 20,
            host_memory: (1 << 20) + 1,
            handles: 16,
            result: 64 << 10,
            calls_per_second: Some(7),
            waiting: 0,
        };
        assert_eq!(limits(&typed(line)), all);
        let mut again = words(&typed(line), |_| unreachable!("there is no path")).unwrap();
        let mut said: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        again.sort();
        said.sort();
        assert_eq!(again, said);
    }

    #[test]
    fn what_was_typed_is_said_again() {
        let whole = |path: &std::path::Path| Ok(format!("/{}", path.display()));
        for (line, expected) in [
            ("", ""),
            ("--audit a", "--audit /a"),
            ("--audit-keep 2 --audit auto --audit-required", "--audit auto --audit-required --audit-keep 2"),
        ] {
            assert_eq!(words(&typed(line), whole).unwrap().join(" "), expected, "{line}");
        }
    }
}

//! Sessions over directories of this machine, without a component.
//!
//! The program runs the engine without a sandbox. This measures the sandbox's cost, compares the
//! answers of both, and serves programs that link the tools. Each name is opened below a directory
//! handle by cap-std, but nothing contains a flaw of the tools.

use std::path::PathBuf;

pub use fsgate_engine::session::Session;
use fsgate_policy::{Documents, Policy};
use fsgate_volume::grant::Grant;

use crate::grant::{Access, GrantProblem, StartError, Terms, check, request, unusable};
pub use crate::native::Native;

/// A session over directories, each with its path, its inside name and its access. It refuses the
/// same grants as a gate.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = std::env::temp_dir().join("fsgate-doc-native");
/// # let _ = std::fs::remove_dir_all(&directory);
/// # std::fs::create_dir_all(&directory)?;
/// # std::fs::write(directory.join("notes.md"), "# Notes\n")?;
/// use fsgate::{Access, ReadNumberedArgs, volume};
///
/// let session = volume::session(vec![(directory, "/w".to_owned(), Access::Read)])?;
/// let args = ReadNumberedArgs { path: "notes.md".into(), ..Default::default() };
/// let shown = session.run(fsgate_engine::tools::read_numbered::run, &args)?;
/// assert_eq!(shown.content, "1: # Notes");
/// # Ok(())
/// # }
/// ```
pub fn session(grants: Vec<(PathBuf, String, Access)>) -> Result<Session<Native>, StartError> {
    session_under(&Documents::default(), grants)
}

/// A session under a policy other than the profile `default`.
pub fn session_under(
    policy: &Documents,
    grants: Vec<(PathBuf, String, Access)>,
) -> Result<Session<Native>, StartError> {
    let requests: Vec<_> =
        grants.into_iter().map(|(path, name, access)| request(path, Some(name), access)).collect();
    let open = |granted: crate::grant::Grant| {
        let volume = Native::open(&granted.host).map_err(|error| unusable(&granted.host, &error))?;
        Ok(Grant { name: granted.name, volume, access: granted.access })
    };
    let grants =
        check(&requests, &Terms::default())?.into_iter().map(open).collect::<Result<_, StartError>>()?;
    let policy = Policy::compile(policy)?;
    Session::under(policy, grants).map_err(|double| GrantProblem::duplicate_name(&double.0).into())
}

/// A session that journals its changes in a state directory; an empty directory becomes one. The
/// variables are those of a component.
pub fn journaled(
    grants: Vec<(PathBuf, String, Access)>,
    state: PathBuf,
    variables: &[(&str, &str)],
) -> Result<Session<Native>, StartError> {
    let all = grants.into_iter().chain([(state, "/.fsgate".to_owned(), Access::Write)]);
    let open = |(path, name, access): (PathBuf, String, Access)| {
        let volume = Native::open(&path).map_err(|error| unusable(&path, &error))?;
        Ok(Grant { name, volume, access })
    };
    let preopens = all.map(open).collect::<Result<_, StartError>>()?;
    Ok(Session::open_or_refuse(preopens, variables.iter().copied()))
}

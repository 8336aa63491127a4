//! Builds a gate: grants, policies, state, and their checks.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use fsgate_contract::path::{absolute, grant_name};
use fsgate_policy::start::{self, Guarded, Host};
use fsgate_policy::{Document, Documents, Policy, Profile};

use super::{Gate, intersect_roots, shown};
use crate::audit::{Audit, Auditor, Caller, Session, Tell};
use crate::confinement::Confinement;
use crate::grant::{Access, Grant, GrantProblem, Request, StartError, Terms};
use crate::grant::{canonical, check, firm, machine, request, wideness};
use crate::host_patterns;
use crate::limits::{Admission, Limits};
use crate::pool::Pool;
use crate::sandbox::Sandbox;
use crate::settings::{Durability, HistoryLimits, environment};
use crate::state::{self, ConcurrentWriters, GrantLocks, PendingRecords, State};

/// A gate to be built.
#[derive(Debug, Default)]
pub struct GateBuilder {
    requests: Vec<Request>,
    limits: Limits,
    component: Option<Vec<u8>>,
    nothing: bool,
    parallel: Option<usize>,
    state_root: Option<PathBuf>,
    durability: Durability,
    history: HistoryLimits,
    policy: Option<Documents>,
    protected: Vec<(&'static str, Vec<PathBuf>)>,
    start: Option<PathBuf>,
    only: Vec<Vec<PathBuf>>,
    wide: bool,
    history_only: bool,
    operator: bool,
    remembers: bool,
    audit: Option<Audit>,
    user: Option<String>,
    front_end: Option<String>,
    tell: Option<Teller>,
    /// The checked grants: a confined process cannot check them again.
    checked: OnceLock<Vec<Grant>>,
    /// The watched state of others, for the same reason.
    concurrent_writers: OnceLock<Arc<ConcurrentWriters>>,
}

struct Teller(Tell);

impl fmt::Debug for Teller {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Teller")
    }
}

/// As many as clients make in parallel, each with the memory of an instance.
pub(crate) const PARALLEL: usize = 4;

impl GateBuilder {
    /// Grants a directory for reading and writing, under its own path.
    #[must_use]
    pub fn dir(self, path: impl Into<PathBuf>) -> Self {
        self.grant(path.into(), None, Access::Write)
    }

    /// Grants a directory for reading only, under its own path.
    #[must_use]
    pub fn read_only_dir(self, path: impl Into<PathBuf>) -> Self {
        self.grant(path.into(), None, Access::Read)
    }

    /// Grants a directory under a chosen name.
    #[must_use]
    pub fn dir_as(self, path: impl Into<PathBuf>, name: impl Into<String>, access: Access) -> Self {
        self.grant(path.into(), Some(name.into()), access)
    }

    /// Sets the limits of the session and its calls.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Replaces the built-in component: the bytes of a `.wasm` file with the same world.
    #[must_use]
    pub fn component(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.component = Some(bytes.into());
        self
    }

    /// Allows a gate without directories. It can only describe its tools.
    #[must_use]
    pub fn nothing(mut self) -> Self {
        self.nothing = true;
        self
    }

    /// Remembers the tags that the files of calls in JSON were seen with. A change by line numbers,
    /// or of a whole file, is then refused as `stale` if another program has changed the file
    /// since.
    #[must_use]
    pub fn remember(mut self) -> Self {
        self.remembers = true;
        self
    }

    /// Sets how many calls run at once, each in an instance of its own. Others wait.
    #[must_use]
    pub fn parallel(mut self, calls: usize) -> Self {
        self.parallel = Some(calls);
        self
    }

    /// Sets the directory for state, in place of the user's: the data for undo and recovery. A gate
    /// recovers and undoes the changes of gates with the same state root. All gates of one user
    /// over one directory exclude each other, with any state root.
    #[must_use]
    pub fn state_root(mut self, path: impl Into<PathBuf>) -> Self {
        self.state_root = Some(path.into());
        self.forget_checked();
        self
    }

    /// Sets what changes survive. [`Durability::None`] keeps no state.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self.forget_checked();
        self
    }

    /// Sets the limits of the history.
    #[must_use]
    pub fn history(mut self, limits: HistoryLimits) -> Self {
        self.history = limits;
        self
    }

    /// Sets the policy, or several that all apply. Absolute paths in it are those of this machine.
    /// The default is the profile `default`.
    #[must_use]
    pub fn policy(mut self, policy: impl Into<Documents>) -> Self {
        self.policy = Some(policy.into());
        self
    }

    /// Enables the audit, in a file that no tool can reach.
    #[must_use]
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        // Looked up now: a confined process cannot do it later.
        self.user = self.user.or_else(|| whoami::username().ok());
        self
    }

    /// Sets the user for the audit; by default the user of this process.
    #[must_use]
    pub fn user(mut self, name: impl Into<String>) -> Self {
        self.user = Some(name.into());
        self
    }

    /// Sets the front end for the audit; by default `crate`. Calls of an MCP client have `mcp`.
    #[must_use]
    pub fn front_end(mut self, name: impl Into<String>) -> Self {
        self.front_end = Some(name.into());
        self
    }

    /// Sets the callback for messages to the operator, such as a failing audit.
    #[must_use]
    pub fn tell(mut self, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.tell = Some(Teller(Arc::new(tell)));
        self
    }

    /// The confinement of a process with this gate only: the grants, the state root, and the
    /// directories of the audit and of locks. The histories of other sessions over the grants are
    /// open for reading. It makes missing directories. Enter it before [`GateBuilder::build`],
    /// which starts threads.
    pub fn confinement(&self) -> Result<Confinement, StartError> {
        let checked = self.checked()?;
        let writers = self.concurrent_writers(&checked);
        let (grants, _) = self.narrowed(checked)?;
        let mut confinement = writers.states().fold(Confinement::nothing(), Confinement::read);
        for Grant { host, access, .. } in &grants {
            confinement = match access {
                Access::Read => confinement.read(host),
                Access::Write => confinement.write(host),
            };
        }
        if let Some(place) = state::lock_place(&grants)? {
            confinement = confinement.write(place);
        }
        if let Some(audit) = &self.audit {
            let file = audit.place(state::find_root(self.state_root.as_deref()).as_deref(), &grants)?;
            // Full files are renamed in that directory.
            if let Some(directory) = file.parent() {
                if let Some(what) = wideness(directory) {
                    let problem = stays_open("its directory", what);
                    return Err(StartError::Audit { file, problem });
                }
                confinement = confinement.write(directory);
            }
        }
        if let Some(root) = self.needed_state_root(&grants)? {
            if let Some(what) = wideness(&canonical(&root)) {
                return Err(StartError::State { root, problem: stays_open("it", what) });
            }
            state::make_root(&root)?;
            confinement = confinement.write(root);
        }
        Ok(confinement)
    }

    /// Sets the start of relative paths, if the directory is in a grant. The default is the first
    /// grant.
    #[must_use]
    pub fn start_at(mut self, directory: impl Into<PathBuf>) -> Self {
        self.start = Some(directory.into());
        self
    }

    /// Opens every directory with its history, also read-only ones, for a gate that only reads the
    /// history. It recovers nothing.
    #[doc(hidden)]
    #[must_use]
    pub fn history_only(mut self) -> Self {
        for request in &mut self.requests {
            request.access = Access::Write;
        }
        self.history_only = true;
        self.forget_checked();
        self
    }

    /// Makes the gate one of the operator, the person who is responsible for all sessions. Its
    /// history has the entries of every session, whatever that session's policy and grants. The
    /// policy of this gate still decides what is read and changed. Only a program for that person
    /// may call this. An agent behind such a gate reads the old content of other agents, and undoes
    /// and forgets their changes.
    #[must_use]
    pub fn operator(mut self) -> Self {
        self.operator = true;
        self
    }

    /// Makes files and directories of this machine read-only in the grants, under the name of a
    /// rule, in addition to the policies.
    #[must_use]
    pub fn protect(mut self, rule: &'static str, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.protected.push((rule, paths.into_iter().collect()));
        self
    }

    /// Narrows the grants to these directories, as [`Gate::within`] does. Each has to be in a
    /// grant. After several calls a path has to be in every list.
    #[must_use]
    pub fn only(mut self, directories: impl IntoIterator<Item = PathBuf>) -> Self {
        self.only.push(directories.into_iter().collect());
        self
    }

    /// Allows to grant `/`, a home directory, or a system directory.
    #[must_use]
    pub fn allow_wide_grant(mut self, allow: bool) -> Self {
        self.wide = allow;
        self.forget_checked();
        self
    }

    /// The policies for the component: with inside names, and with the built-in protections.
    pub fn effective_policies(&self) -> Result<Documents, StartError> {
        let grants = check(&self.requests, &self.terms())?;
        self.component_policies(&grants).map(|(documents, _)| documents)
    }

    /// Checks the grants, opens the directories and loads the component.
    pub fn build(self) -> Result<Gate, StartError> {
        if self.requests.is_empty() && !self.nothing {
            return Err(GrantProblem::no_grant(Host::Program).into());
        }
        let asked_for = self.checked()?;
        let (policies, policy) = self.component_policies(&asked_for)?;
        let (grants, granted) = self.narrowed(asked_for.clone())?;
        let state = self.state(&grants)?.map(Arc::new);
        let locks = Arc::new(GrantLocks::open(&grants)?);
        // A session needs a unique id, or it could undo the changes of others.
        let session = state::random().map_err(|error| StartError::Component(error.into()))?;
        let audit = self.auditor(&grants, session)?.map(Arc::new);
        let confirms = policy.limits().confirm_delete;
        let paths = start::machine_paths(&start::grant_paths(&self.requests, &asked_for, &machine()));
        let directories = shown(&grants[..granted], policy, &paths);
        let policy = Some(policies.to_json());
        let (durability, deadline) = (self.durability, self.limits.deadline);
        let start = self.start.as_deref().and_then(|path| name_of(&canonical(path), &grants[..granted]));
        let mut variables =
            environment(durability, session, deadline, &self.history, policy, &asked_for, &paths);
        variables.extend(start.clone().map(|start| ("FSGATE_START".to_owned(), start)));
        variables.extend(self.operator.then(|| ("FSGATE_OPERATOR".to_owned(), "true".to_owned())));
        let sandbox = Sandbox::new(&grants, self.component.as_deref(), state.as_deref(), variables)?;
        let parallel = self.parallel.unwrap_or(PARALLEL);
        let journal = |grant: &Grant| Some(state.as_ref()?.of(&grant.name)?.to_owned());
        Ok(Gate {
            sandbox,
            journals: grants.iter().map(journal).collect(),
            state,
            locks,
            waiting: PendingRecords::default(),
            history_only: self.history_only,
            concurrent_writers: self.concurrent_writers(&asked_for),
            limits: self.limits,
            instances: Pool::new(parallel),
            turns: Arc::default(),
            admission: Arc::new(Admission::new(&self.limits, parallel)),
            audit,
            caller: Caller { front_end: self.front_end.unwrap_or_else(|| "crate".to_owned()), client: None },
            confirms,
            seen_tags: self.remembers.then(Arc::default),
            directories,
            start,
            granted,
            policies: Arc::new(policies),
            paths: Arc::new(paths),
            grants,
            asked_for: asked_for.into(),
        })
    }

    fn checked(&self) -> Result<Vec<Grant>, StartError> {
        if let Some(checked) = self.checked.get() {
            return Ok(checked.clone());
        }
        let checked = check(&self.requests, &self.terms())?;
        Ok(self.checked.get_or_init(|| checked).clone())
    }

    fn forget_checked(&mut self) {
        (self.checked, self.concurrent_writers) = Default::default();
    }

    fn concurrent_writers(&self, grants: &[Grant]) -> Arc<ConcurrentWriters> {
        let is_journaled = self.durability != Durability::None;
        let root = || state::find_root(self.state_root.as_deref());
        self.concurrent_writers
            .get_or_init(|| Arc::new(ConcurrentWriters::over(root().as_deref(), grants, is_journaled)))
            .clone()
    }

    fn terms(&self) -> Terms {
        Terms { host: Host::Program, state: self.state_root.clone(), wide: self.wide }
    }

    fn component_policies(&self, grants: &[Grant]) -> Result<(Documents, Policy), StartError> {
        let (written, machine) = (self.policy.clone().unwrap_or_default(), machine());
        let places = start::grant_paths(&self.requests, grants, &machine);
        let mut policies = host_patterns::inside(&written, &places, grants)?;
        if policies != written {
            // Validate the omitted parts too, with their original places.
            Policy::compile(&written)?;
        }
        // Only a present policy has patterns over machine paths.
        let named = self.policy.iter().flat_map(|policy| &policy.0).flat_map(host_patterns::literal_prefixes);
        let guarded = Guarded {
            read_only: self
                .protected
                .iter()
                .map(|(name, paths)| ((*name).to_owned(), paths.clone()))
                .collect(),
            hidden: state::lock_directories().collect(),
            found: self.audit.iter().filter_map(|audit| audit.file.clone()).collect(),
            policy: named.collect(),
            ..Guarded::default()
        };
        let asked: Vec<_> = self.requests.iter().filter_map(|request| request.path.clone()).collect();
        let rules = start::rules(&asked, grants, &guarded, &self.terms(), &machine)?;
        if !rules.is_empty() {
            policies.0.push(Document { profile: Some(Profile::Open), rules, ..Document::default() });
        }
        // The first policy sets the default profile; later ones without content are dropped.
        let mut first = true;
        let open = Document { profile: Some(Profile::Open), ..Document::default() };
        policies.0.retain(|document| {
            std::mem::take(&mut first) || ![Document::default(), open.clone()].contains(document)
        });
        let policy = Policy::compile(&policies)?;
        Ok((policies, policy))
    }

    /// Narrows grants, and returns the number without other names. These follow.
    fn narrowed(&self, mut grants: Vec<Grant>) -> Result<(Vec<Grant>, usize), StartError> {
        let mut granted = self.requests.len();
        let asked_for = grants.clone();
        for only in &self.only {
            let mut roots = Vec::new();
            for path in only {
                let root = firm(path, &asked_for).ok_or_else(|| StartError::Led(path.clone()))?;
                if !grants.iter().any(|grant| root.starts_with(&grant.host)) {
                    return Err(StartError::NotGranted(path.clone()));
                }
                if !root.is_dir() {
                    return Err(GrantProblem::not_directory(path).into());
                }
                roots.push(root);
            }
            (grants, granted) = intersect_roots::grants(&grants, granted, &roots);
        }
        Ok((grants, granted))
    }

    /// The state, or `None` without a journal or write access.
    fn state(&self, grants: &[Grant]) -> Result<Option<State>, StartError> {
        let root = self.needed_state_root(grants)?;
        root.map(|root| State::open(&root, grants, self.durability, &self.history)).transpose()
    }

    fn needed_state_root(&self, grants: &[Grant]) -> Result<Option<PathBuf>, StartError> {
        let is_needed = grants.iter().any(|grant| grant.access == Access::Write);
        if self.durability == Durability::None || !is_needed {
            return Ok(None);
        }
        state::find_root(self.state_root.as_deref()).ok_or(StartError::NoStateRoot).map(Some)
    }

    fn auditor(&self, grants: &[Grant], session: u128) -> Result<Option<Auditor>, StartError> {
        let Some(audit) = &self.audit else { return Ok(None) };
        let session = Session {
            user: self.user.clone().unwrap_or_default(),
            id: session,
            durable: self.durability == Durability::Power,
        };
        let tell =
            self.tell.as_ref().map_or_else(|| Arc::new(|_: &str| {}) as Tell, |teller| teller.0.clone());
        let root = state::find_root(self.state_root.as_deref());
        Auditor::open(audit, root.as_deref(), grants, session, tell).map(Some)
    }

    fn grant(mut self, path: PathBuf, name: Option<String>, access: Access) -> Self {
        self.requests.push(request(path, name, access));
        self.forget_checked();
        self
    }
}

/// The inside name of a canonical machine path, by its deepest grant.
fn name_of(path: &Path, grants: &[Grant]) -> Option<String> {
    let below = |grant: &Grant| Some((grant.name.clone(), path.strip_prefix(&grant.host).ok()?));
    let (name, below) = grants.iter().filter_map(below).min_by_key(|(_, below)| below.as_os_str().len())?;
    let names = grant_name(&name);
    Some(absolute(
        names.iter().map(String::as_str).chain(below.to_str()?.split('/').filter(|name| !name.is_empty())),
    ))
}

fn stays_open(name: &str, what: &str) -> String {
    format!("{name} is {what}, and all of that would stay open to this program")
}

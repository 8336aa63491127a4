//! What a gate is made from: what is granted, what is taken away from that, where things are kept, and what is refused before
//! anything starts.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use fsgate_contract::path::{absolute, grant_name};
use fsgate_policy::{Document, Documents, Effect, Policy, Profile, Rule};

use super::protected_paths::{kept, protected};
use super::{Gate, intersect_roots, shown};
use crate::audit::{Audit, Auditor, Caller, Session, Tell};
use crate::confinement::Confinement;
use crate::grant::{Access, Grant, Request, StartError, Terms, canonical, check, firm, own_paths, wideness};
use crate::host_patterns;
use crate::limits::{Admission, Limits};
use crate::pool::Pool;
use crate::sandbox::Sandbox;
use crate::settings::{Durability, HistoryLimits, environment};
use crate::state::{self, GrantLocks, KEPT, State, Waiting, Watch};

/// What a gate is made from.
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
    /// Rules by name, each with paths of this machine that nothing writes to.
    protected: Vec<(&'static str, Vec<PathBuf>)>,
    start: Option<PathBuf>,
    only: Vec<Vec<PathBuf>>,
    wide: bool,
    /// Nothing is asked for but the history.
    looks_back: bool,
    audit: Option<Audit>,
    user: Option<String>,
    front_end: Option<String>,
    tell: Option<Teller>,
    /// What has come of checking what was asked for: a process that is shut in cannot look again.
    checked: OnceLock<Vec<Grant>>,
    /// The same of the state of others.
    watch: OnceLock<Arc<Watch>>,
}

/// Who is told what a person should know. Of a function there is nothing to show.
struct Teller(Tell);

impl fmt::Debug for Teller {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Teller")
    }
}

/// Calls that run at once where nothing else is said: as many as clients make side by side, each with the memory of an
/// instance.
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

    /// Grants a directory under a name of your choice.
    #[must_use]
    pub fn dir_as(self, path: impl Into<PathBuf>, name: impl Into<String>, access: Access) -> Self {
        self.grant(path.into(), Some(name.into()), access)
    }

    /// Sets what the session and each of its calls may use.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Takes another component than the built-in one: the bytes of a `.wasm` file with the same world.
    #[must_use]
    pub fn component(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.component = Some(bytes.into());
        self
    }

    /// Allows a gate without any directory: it can only describe its tools.
    #[must_use]
    pub fn nothing(mut self) -> Self {
        self.nothing = true;
        self
    }

    /// Sets how many calls run at once; further ones wait for their turn. Each has an instance of its own.
    #[must_use]
    pub fn parallel(mut self, calls: usize) -> Self {
        self.parallel = Some(calls);
        self
    }

    /// Keeps state in this directory, and not in that of the user: what is needed to undo changes, and to put right what
    /// a crash has cut off. A gate recovers and undoes what gates with the same one have done. All
    /// gates of one user over one directory exclude each other, whatever their state root is.
    #[must_use]
    pub fn state_root(mut self, path: impl Into<PathBuf>) -> Self {
        self.state_root = Some(path.into());
        self.forget_checked();
        self
    }

    /// Sets what a change survives. [`Durability::None`] keeps no state at all.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self.forget_checked();
        self
    }

    /// Sets how much history is kept.
    #[must_use]
    pub fn history(mut self, limits: HistoryLimits) -> Self {
        self.history = limits;
        self
    }

    /// Sets what the tools must not touch in the granted directories: a policy, or several that all hold. Absolute paths in it
    /// are those of this machine. Without it, the profile `default` holds.
    #[must_use]
    pub fn policy(mut self, policy: impl Into<Documents>) -> Self {
        self.policy = Some(policy.into());
        self
    }

    /// Writes every call down, in a file that no tool can reach.
    #[must_use]
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        // Now, because who is shut in later cannot look it up any more.
        self.user = self.user.or_else(|| whoami::username().ok());
        self
    }

    /// Sets whose calls these are, as the audit names it; by default the user of this process.
    #[must_use]
    pub fn user(mut self, name: impl Into<String>) -> Self {
        self.user = Some(name.into());
        self
    }

    /// Sets by which way calls come, as the audit names it; by default `crate`. Those of an MCP client are `mcp`.
    #[must_use]
    pub fn front_end(mut self, name: impl Into<String>) -> Self {
        self.front_end = Some(name.into());
        self
    }

    /// Sets who is told what a person should know, a sentence at a time: that calls cannot be written down.
    #[must_use]
    pub fn tell(mut self, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.tell = Some(Teller(Arc::new(tell)));
        self
    }

    /// What a process needs that is to have this gate and nothing else: the granted directories, with their rights, the state
    /// root, and the directories of the audit and of lock files, which are made if they are not there. To be entered before [`GateBuilder::build`], which starts threads.
    pub fn confinement(&self) -> Result<Confinement, StartError> {
        let checked = self.checked()?;
        self.watch(&checked);
        let (grants, _) = self.narrowed(checked)?;
        let mut confinement = Confinement::nothing();
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
            // Full files are renamed beside it.
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

    /// Has relative paths start at this directory where it lies in a granted one, and not at the
    /// first granted one.
    #[must_use]
    pub fn start_at(mut self, directory: impl Into<PathBuf>) -> Self {
        self.start = Some(directory.into());
        self
    }

    /// Opens every directory with its history, also where only reading is granted, for a gate that
    /// is asked for nothing but the history. Nothing is recovered.
    #[doc(hidden)]
    #[must_use]
    pub fn looking_back(mut self) -> Self {
        for request in &mut self.requests {
            request.access = Access::Write;
        }
        self.looks_back = true;
        self.forget_checked();
        self
    }

    /// Forbids to write to these files and directories of this machine where they lie in a granted one, under the name of a
    /// rule; whatever the policies say.
    #[must_use]
    pub fn protect(mut self, rule: &'static str, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.protected.push((rule, paths.into_iter().collect()));
        self
    }

    /// Leaves of the granted directories what lies in these, as [`Gate::within`] does. Each has to lie in a granted one.
    /// Several calls leave what lies in all of their lists.
    #[must_use]
    pub fn only(mut self, directories: impl IntoIterator<Item = PathBuf>) -> Self {
        self.only.push(directories.into_iter().collect());
        self
    }

    /// Allows to grant `/`, a home directory, or a directory of the system.
    #[must_use]
    pub fn allow_wide_grant(mut self, allow: bool) -> Self {
        self.wide = allow;
        self.forget_checked();
        self
    }

    /// The policies as the component is told them: paths are names inside, and what is protected in any case is in it.
    pub fn effective_policies(&self) -> Result<Documents, StartError> {
        let grants = check(&self.requests, &self.terms())?;
        self.told(&grants)
    }

    /// Checks the grants, opens the directories and loads the component.
    pub fn build(self) -> Result<Gate, StartError> {
        if self.requests.is_empty() && !self.nothing {
            return Err(StartError::NoGrant);
        }
        let asked_for = self.checked()?;
        let policies = self.told(&asked_for)?;
        let (grants, granted) = self.narrowed(asked_for.clone())?;
        let state = self.state(&grants)?.map(Arc::new);
        let locks = Arc::new(GrantLocks::open(&grants)?);
        // A session that cannot be told from others could undo their changes.
        let session = state::random().map_err(|error| StartError::Component(error.into()))?;
        let audit = self.auditor(&grants, session)?.map(Arc::new);
        let confirms = Policy::compile(&policies)?.limits().confirm_delete;
        let paths = host_patterns::machine(&host_patterns::places(&self.requests, &asked_for));
        let directories = shown(&grants[..granted], &policies, &paths)?;
        let policy = Some(policies.to_json());
        let (durability, deadline) = (self.durability, self.limits.deadline);
        let start = self.start.as_deref().and_then(|path| name_of(&canonical(path), &grants[..granted]));
        let mut told = environment(durability, session, deadline, &self.history, policy, &asked_for, &paths);
        told.extend(start.clone().map(|start| ("FSGATE_START".to_owned(), start)));
        let sandbox = Sandbox::new(&grants, self.component.as_deref(), state.as_deref(), told)?;
        let parallel = self.parallel.unwrap_or(PARALLEL);
        let journal = |grant: &Grant| Some(state.as_ref()?.of(&grant.name)?.to_owned());
        Ok(Gate {
            sandbox,
            journals: grants.iter().map(journal).collect(),
            state,
            locks,
            waiting: Waiting::default(),
            looks_back: self.looks_back,
            watch: self.watch(&asked_for),
            limits: self.limits,
            instances: Pool::new(parallel),
            turns: Arc::default(),
            admission: Arc::new(Admission::new(&self.limits, parallel)),
            audit,
            caller: Caller { front_end: self.front_end.unwrap_or_else(|| "crate".to_owned()), client: None },
            confirms,
            directories,
            start,
            granted,
            policies: Arc::new(policies),
            paths: Arc::new(paths),
            grants,
            asked_for: asked_for.into(),
        })
    }

    /// The grants that were asked for.
    fn checked(&self) -> Result<Vec<Grant>, StartError> {
        if let Some(checked) = self.checked.get() {
            return Ok(checked.clone());
        }
        let checked = check(&self.requests, &self.terms())?;
        Ok(self.checked.get_or_init(|| checked).clone())
    }

    fn forget_checked(&mut self) {
        (self.checked, self.watch) = Default::default();
    }

    /// What others have under way in what is asked for.
    fn watch(&self, grants: &[Grant]) -> Arc<Watch> {
        let is_journaled = self.durability != Durability::None;
        let root = || state::find_root(self.state_root.as_deref());
        self.watch.get_or_init(|| Arc::new(Watch::over(root().as_deref(), grants, is_journaled))).clone()
    }

    fn terms(&self) -> Terms {
        let own = self.state_root.iter().map(|root| ("--state-dir", root.clone())).collect();
        Terms { own, wide: self.wide }
    }

    /// What the component is told of the policies.
    fn told(&self, grants: &[Grant]) -> Result<Documents, StartError> {
        let mut all = self.policy.clone().unwrap_or_default();
        let rules = self.protected.iter().flat_map(|(name, paths)| protected(name, paths, Effect::ReadOnly));
        let mut rules: Vec<_> = rules.collect();
        rules.extend(self.stays(grants));
        // Whoever may write around it is not let in at all; whoever may read there does not see it.
        // Also what was kept at the usual place before another one was named.
        let mut roots: Vec<_> =
            [self.state_root.as_deref(), None].into_iter().filter_map(state::find_root).collect();
        roots.dedup();
        let is_granted = |path: &PathBuf| grants.iter().any(|grant| canonical(path).starts_with(&grant.host));
        let kept = roots.iter().flat_map(|root| KEPT.map(|kept| root.join(kept)));
        let kept: Vec<_> = kept.chain(state::lock_directories()).filter(is_granted).collect();
        rules.extend(protected("own_state", &kept, Effect::Hidden));
        let own = Document { profile: Some(Profile::Open), rules, ..Document::default() };
        if !own.rules.is_empty() {
            all.0.push(own);
        }
        let mut told = host_patterns::inside(&all, &host_patterns::places(&self.requests, grants), grants)?;
        if told != all {
            // What is left out has to mean something as well, and what is wrong is told where it stands.
            Policy::compile(&all)?;
        }
        // The first policy decides what holds without a word; what has nothing to say behind it is not said.
        let mut first = true;
        let open = Document { profile: Some(Profile::Open), ..Document::default() };
        told.0.retain(|document| {
            std::mem::take(&mut first) || ![Document::default(), open.clone()].contains(document)
        });
        Policy::compile(&told)?;
        Ok(told)
    }

    /// What has to be where it is for the same words to grant the same at the next start, and to keep things in the same place.
    fn stays(&self, grants: &[Grant]) -> Vec<Rule> {
        let asked: Vec<_> = self.requests.iter().map(|request| request.path.clone()).collect();
        let lies_in_another = |grant: &&Grant| {
            let around = |other: &Grant| {
                other.access == Access::Write
                    && other.host != grant.host
                    && grant.host.starts_with(&other.host)
            };
            grants.iter().any(around)
        };
        let nested: Vec<_> = grants.iter().filter(lies_in_another).map(|grant| grant.host.clone()).collect();
        let own = own_paths().into_iter().map(|(_, path)| path).chain(self.state_root.clone());
        let kept_in: Vec<_> = own.chain(self.audit.as_ref().and_then(|audit| audit.file.clone())).collect();
        let mut rules = kept("granted_directory", &asked, &nested);
        rules.extend(kept("own_directory", &kept_in, &[]));
        let named = self.policy.iter().flat_map(|policy| &policy.0).flat_map(host_patterns::beginnings);
        rules.extend(kept("policy_path", &named.collect::<Vec<_>>(), &[]));
        rules
    }

    /// The grants as far as they are to be left, and how many of them are no other names of others: those come behind them.
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
                    return Err(StartError::NotDirectory(path.clone()));
                }
                roots.push(root);
            }
            (grants, granted) = intersect_roots::grants(&grants, granted, &roots);
        }
        Ok((grants, granted))
    }

    /// What is needed to change something; none if nothing is journaled, or nothing can be changed.
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
        self.requests.push(Request { path, name, access });
        self.forget_checked();
        self
    }
}

/// The name inside of a canonical path of this machine: that of the nearest grant around it, and
/// the rest of the path behind it.
fn name_of(path: &Path, grants: &[Grant]) -> Option<String> {
    let below = |grant: &Grant| Some((grant.name.clone(), path.strip_prefix(&grant.host).ok()?));
    let (name, below) = grants.iter().filter_map(below).min_by_key(|(_, below)| below.as_os_str().len())?;
    let names = grant_name(&name);
    Some(absolute(
        names.iter().map(String::as_str).chain(below.to_str()?.split('/').filter(|name| !name.is_empty())),
    ))
}

/// Why a process is not shut in with a directory.
fn stays_open(name: &str, what: &str) -> String {
    format!("{name} is {what}, and all of that would stay open to this program")
}

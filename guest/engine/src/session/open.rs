//! The opening of a session.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::timed::Timed;
use super::{Session, Watched};
use fsgate_contract::id::Id;
use fsgate_contract::path::{grant_name, is_reserved};
use fsgate_journal::namespace::{DuplicateName, Namespace};
use fsgate_journal::state::State;
use fsgate_journal::state::lease::Leases;
use fsgate_policy::{Documents, InvalidPolicy, Policy};
use fsgate_volume::Volume;
use fsgate_volume::clock::Clock;
use fsgate_volume::grant::Grant;
use fsgate_volume::policy_guard::PolicyGuard;
use fsgate_volume::policy_guard::volume::Guarded;
use fsgate_volume::settings::{Durability, Refusal, Settings};

/// The first name of a state directory, before that of its grant. Without the latter, it serves all
/// grants.
const STATE: &str = ".fsgate";

impl<V: Volume> Session<V> {
    /// A session without journal and policy. Relative paths start in the first grant.
    pub fn new(grants: Vec<Grant<V>>) -> Result<Self, DuplicateName> {
        Self::guarded(Rc::default(), grants)
    }

    /// The same under a policy.
    pub fn under(policy: Policy, grants: Vec<Grant<V>>) -> Result<Self, DuplicateName> {
        let names: Vec<_> = grants.iter().map(|grant| grant_name(&grant.name)).collect();
        let groups = groups(&grants);
        Self::guarded(Rc::new(PolicyGuard::new(policy, &names, &groups)), grants)
    }

    fn guarded(guard: Rc<PolicyGuard>, grants: Vec<Grant<V>>) -> Result<Self, DuplicateName> {
        let (clock, leases) = Default::default();
        let namespace = namespace(grants, &clock, &leases, guard, |_| false)?;
        Ok(Self::over(Ok(namespace), clock, leases, Settings::default()))
    }

    /// A session over all preopens, with settings from variables. If they are wrong, it refuses
    /// every call.
    pub fn open_or_refuse<'a>(
        preopens: Vec<Grant<V>>,
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        Self::open(preopens, variables).unwrap_or_else(Self::refused)
    }

    fn open<'a>(
        preopens: Vec<Grant<V>>,
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Refusal> {
        let (clock, leases) = Default::default();
        let (states, grants): (Vec<_>, Vec<_>) = preopens
            .into_iter()
            .partition(|grant| grant_name(&grant.name).first().is_some_and(|name| name == STATE));
        if let Some(grant) = grants.iter().find(|grant| is_reserved(&grant_name(&grant.name))) {
            return Err(Refusal::ReservedName(grant.name.clone()));
        }
        let settings = Settings::read(variables)
            .and_then(|settings| settings.over(grants.iter().map(|grant| &*grant.name)))
            .map_err(Refusal::Misset)?;
        let policy = policy(settings.policy.as_deref()).map_err(Refusal::Policy)?;
        let roots = settings.policy_roots.clone();
        let names = roots.unwrap_or_else(|| grants.iter().map(|grant| grant.name.clone()).collect());
        let names: Vec<_> = names.iter().map(|name| grant_name(name)).collect();
        let guard = Rc::new(PolicyGuard::over(policy, &names, &groups(&grants), &settings.policy_paths));
        // A grant without a journal needs no lease.
        let state_names: Vec<_> = states.iter().map(|state| grant_name(&state.name)).collect();
        let needs = |name: &[String]| state_names.iter().any(|state| state.len() == 1 || state[1..] == *name);
        let mut namespace = namespace(grants, &clock, &leases, guard, needs)
            .map_err(|DuplicateName(name)| Refusal::DuplicateName(name))?;
        namespace = namespace.born(&settings.births);
        if let Some(start) = &settings.start {
            namespace = namespace.starting_at(start);
        }
        let mut unusable = None;
        if settings.durability != Durability::None {
            // Those for one grant come first.
            let mut states: Vec<_> =
                states.into_iter().map(|state| (grant_name(&state.name), state)).collect();
            states.sort_by_key(|(name, _)| name.len() == 1);
            for (name, state) in states {
                match State::open(Guarded::unasked(timed(state.volume, &clock, &leases))) {
                    Ok(state) => {
                        let state = state.synced(settings.durability == Durability::Power);
                        namespace.attach(Some(&name[1..]).filter(|name| !name.is_empty()), state);
                    }
                    Err(why) => unusable = unusable.or(Some(why)),
                }
            }
        }
        Ok(Self { unusable, ..Self::over(Ok(namespace), clock, leases, settings) })
    }

    /// A session that refuses every call.
    pub fn refused(refusal: Refusal) -> Self {
        Self::over(Err(refusal), Rc::default(), Rc::default(), Settings::default())
    }

    fn over(
        namespace: Result<Namespace<Watched<V>>, Refusal>,
        clock: Rc<Clock>,
        leases: Rc<Leases<V>>,
        settings: Settings,
    ) -> Self {
        let random = || namespace.as_ref().map_or(Id(0), |namespace| Id(namespace.random()));
        let id = settings.session.unwrap_or_else(random);
        Self {
            namespace,
            clock,
            leases,
            settings,
            id,
            unusable: None,
            has_emptied: Cell::default(),
            locks: OnceCell::new(),
        }
    }

    /// The rules that have hidden names of the last call, for the audit of a host.
    pub fn hidden(&self) -> Vec<String> {
        self.namespace.as_ref().map_or_else(|_| Vec::new(), |namespace| namespace.guard().take_hidden())
    }
}

fn namespace<V: Volume>(
    grants: Vec<Grant<V>>,
    clock: &Rc<Clock>,
    leases: &Rc<Leases<V>>,
    guard: Rc<PolicyGuard>,
    needs_lease: impl Fn(&[String]) -> bool,
) -> Result<Namespace<Watched<V>>, DuplicateName> {
    let watched = |Grant { name, volume, access }: Grant<V>| {
        let names = grant_name(&name);
        let leases = if needs_lease(&names) { leases } else { &Rc::default() };
        let volume = timed(volume, clock, leases);
        let volume = Guarded::new(volume, guard.clone(), names.iter().map(String::as_str));
        Grant { name, volume, access }
    };
    let namespace = Namespace::new(grants.into_iter().map(watched).collect())?;
    Ok(namespace.on_clock(clock.clone()).under_guard(guard))
}

fn timed<V: Volume>(volume: V, clock: &Rc<Clock>, leases: &Rc<Leases<V>>) -> Timed<V> {
    Timed { volume: Rc::new(volume), clock: clock.clone(), leases: leases.clone() }
}

fn groups<V: Volume>(grants: &[Grant<V>]) -> Vec<Vec<Vec<String>>> {
    let mut known: BTreeMap<u128, Vec<Vec<String>>> = BTreeMap::new();
    for Grant { name, volume, .. } in grants.iter().filter(|_| grants.len() > 1) {
        // A call that uses the directory meets the error again.
        if let Ok(identity) = volume.directory_identity(&volume.root()) {
            known.entry(identity).or_default().push(grant_name(name));
        }
    }
    known.into_values().filter(|names| names.len() > 1).collect()
}

fn policy(text: Option<&str>) -> Result<Rc<Policy>, InvalidPolicy> {
    thread_local! {
        /// The default, compiled once: this takes longer than the rest of opening a session.
        static USUAL: OnceCell<Rc<Policy>> = const { OnceCell::new() };
    }
    if let Some(text) = text {
        return Policy::compile(&Documents::parse(text)?).map(Rc::new);
    }
    USUAL.with(|usual| match usual.get() {
        Some(policy) => Ok(policy.clone()),
        None => {
            Policy::compile(&Documents::default()).map(|policy| usual.get_or_init(|| Rc::new(policy)).clone())
        }
    })
}

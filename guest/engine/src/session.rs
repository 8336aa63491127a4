//! The way every call takes: arguments checked, tool run, changes applied.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use crate::apply::{apply, foretold};
use crate::authorize::{ChangedFiles, permit};
use crate::changes::Change;
use crate::history::about;
use crate::recovery::{self, recover};
use crate::session::timed::Timed;
use crate::view::View;
use fsgate_contract::id::Id;
use fsgate_contract::limits::{LOCK_PATIENCE, READ_PATIENCE, READ_PAUSE};
use fsgate_contract::path::{grant_name, is_reserved};
use fsgate_contract::types::{Error, Note};
use fsgate_contract::{Applied, Arguments};
use fsgate_error::{ArgumentProblem, Failure, Reason};
use fsgate_journal::namespace::{DuplicateName, Namespace};
use fsgate_journal::state::State;
use fsgate_journal::state::lease::{self, CallGuard, Leases};
use fsgate_journal::{Call, RecoveryReport};
use fsgate_policy::{Documents, Invalid, Policy};
use fsgate_volume::clock::Clock;
use fsgate_volume::grant::Grant;
use fsgate_volume::policy_guard::PolicyGuard;
use fsgate_volume::policy_guard::volume::Guarded;
use fsgate_volume::settings::Unusable;
use fsgate_volume::settings::{Durability, Lock, Refusal, Settings};
use fsgate_volume::{Fault, Volume};

#[cfg(test)]
mod tests;
mod timed;

/// The granted directories and what happens in them.
pub struct Session<V: Volume> {
    /// Or why there is none, which is then the answer to every call.
    namespace: Result<Namespace<Watched<V>>, Refusal>,
    clock: Rc<Clock>,
    leases: Rc<Leases<V>>,
    settings: Settings,
    id: Id,
    /// Why nothing can be changed.
    unusable: Option<Unusable>,
    /// This session has tried to empty what is pending in the trash.
    has_emptied: Cell<bool>,
}

/// A volume as tools see it: under the policy, and with the clock of the call.
pub type Watched<V> = Guarded<Timed<V>>;

/// The name of a preopen that is no grant but a state directory: for the grant whose name comes behind it, or for all.
const STATE: &str = ".fsgate";

/// An operation: looks, and says what it would change.
pub type Run<V, A> =
    fn(&View<Watched<V>>, &A) -> Result<(<A as Arguments>::Outcome, Vec<Change<Watched<V>>>), Failure>;

impl<V: Volume> Session<V> {
    /// A session over these grants. The first one is where relative paths start. Nothing is journaled, and no policy is asked.
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
        let (clock, leases) = (Rc::new(Clock::default()), Rc::default());
        let namespace = Namespace::new(watched(grants, &clock, &leases, &guard, |_| false))?;
        let namespace = namespace.on_clock(clock.clone()).under_guard(guard);
        let settings = Settings::default();
        let id = session_id(&namespace, &settings);
        Ok(Self {
            namespace: Ok(namespace),
            clock,
            leases,
            settings,
            id,
            unusable: None,
            has_emptied: Cell::default(),
        })
    }

    /// A session over everything that a host hands in, state directories among it, as its variables say. Where nobody can
    /// be told at the start, every call is told what is wrong.
    pub fn open_or_refuse<'a>(
        preopens: Vec<Grant<V>>,
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let (clock, leases) = (Rc::new(Clock::default()), Rc::default());
        let (states, grants): (Vec<_>, Vec<_>) = preopens
            .into_iter()
            .partition(|grant| grant_name(&grant.name).first().is_some_and(|name| name == STATE));
        if let Some(grant) = grants.iter().find(|grant| is_reserved(&grant_name(&grant.name))) {
            return Self::refused(Refusal::ReservedName(grant.name.clone()));
        }
        let read = Settings::read(variables);
        let settings = match read.and_then(|settings| settings.over(grants.iter().map(|grant| &*grant.name)))
        {
            Ok(settings) => settings,
            Err(misset) => return Self::refused(Refusal::Misset(misset)),
        };
        let policy = match policy(settings.policy.as_deref()) {
            Ok(policy) => policy,
            Err(invalid) => return Self::refused(Refusal::Policy(invalid)),
        };
        let roots = settings.policy_roots.clone();
        let names = roots.unwrap_or_else(|| grants.iter().map(|grant| grant.name.clone()).collect());
        let names: Vec<_> = names.iter().map(|name| grant_name(name)).collect();
        let guard = Rc::new(PolicyGuard::over(policy, &names, &groups(&grants), &settings.policy_paths));
        // What is not journaled needs no lease, and nobody else would bring it to an end.
        let state_names: Vec<_> = states.iter().map(|state| grant_name(&state.name)).collect();
        let needs = |name: &[String]| state_names.iter().any(|state| state.len() == 1 || state[1..] == *name);
        let mut namespace = match Namespace::new(watched(grants, &clock, &leases, &guard, needs)) {
            Ok(namespace) => namespace.on_clock(clock.clone()).under_guard(guard.clone()),
            Err(DuplicateName(name)) => return Self::refused(Refusal::DuplicateName(name)),
        };
        if let Some(start) = &settings.start {
            namespace = namespace.starting_at(start);
        }
        let mut unusable = None;
        if settings.durability != Durability::None {
            // Those for one grant first: the one for all is for the others.
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
        let id = session_id(&namespace, &settings);
        Self { namespace: Ok(namespace), clock, leases, settings, id, unusable, has_emptied: Cell::default() }
    }

    /// A session in which every call is told why there is none.
    pub fn refused(refusal: Refusal) -> Self {
        Self {
            namespace: Err(refusal),
            clock: Rc::default(),
            leases: Rc::default(),
            settings: Settings::default(),
            id: Id(0),
            unusable: None,
            has_emptied: Cell::default(),
        }
    }

    /// Names of the policy rules that have hidden something which the last call has asked for by its name: for the audit of a
    /// host, and not for whoever calls.
    pub fn hidden(&self) -> Vec<String> {
        self.namespace.as_ref().map_or_else(|_| Vec::new(), |namespace| namespace.guard().take_hidden())
    }

    /// Carries out one call.
    pub fn run<A: Arguments>(&self, run: Run<V, A>, args: &A) -> Result<A::Outcome, Error> {
        let call = || {
            let misfits: Vec<_> = args.misfits().into_iter().map(ArgumentProblem::OutOfRange).collect();
            if !misfits.is_empty() {
                return Err(Reason::Arguments(misfits).into());
            }
            let namespace = self.namespace.as_ref().map_err(|refusal| Reason::from(refusal.clone()))?;
            self.clock.begin(self.settings.deadline.map(|time| namespace.now() + time));
            // What an earlier call has met is not this one's.
            let _ = namespace.guard().take_hidden();
            if !A::READ_ONLY && !args.is_dry_run() {
                return self.change(namespace, run, args);
            }
            let outcome = self.look(namespace, run, args);
            // A tool may have taken it for something that it can leave out.
            if self.clock.has_struck() { Err(Reason::reading(Fault::Deadline).into()) } else { outcome }
        };
        call().map_err(|failure: Failure| failure.into_error(A::OPERATION))
    }

    fn look<A: Arguments>(
        &self,
        namespace: &Namespace<Watched<V>>,
        run: Run<V, A>,
        args: &A,
    ) -> Result<A::Outcome, Failure> {
        // A walk over many files is of no one moment anyway.
        if A::INTERFACE != "read" {
            // The states as other processes have left them. Only the history needs to know them.
            let known = sequence(namespace);
            if A::INTERFACE == "history" {
                known?;
            }
            let half_written = half_written(&self.view(namespace));
            let (mut outcome, changes) = run(&self.view(namespace), args)?;
            // A dry run is refused where the call would be. It deletes nothing, so it needs no consent.
            permit(namespace, &changes, None, &mut ChangedFiles::default())?;
            let mut notes = foretold(namespace, &self.settings, &changes)?;
            notes.extend(half_written);
            if !notes.is_empty() {
                args.add(&mut outcome, Applied { notes, ..Applied::default() });
            }
            return Ok(outcome);
        }
        let mut waited = Duration::ZERO;
        loop {
            let before = sequence(namespace)?;
            if before.is_multiple_of(2) {
                let half_written = half_written(&self.view(namespace));
                let called = run(&self.view(namespace), args);
                if sequence(namespace)? == before {
                    let (mut outcome, _) = called?;
                    if !half_written.is_empty() {
                        args.add(&mut outcome, Applied { notes: half_written, ..Applied::default() });
                    }
                    return Ok(outcome);
                }
            }
            // A file is being written in place, or was left so: what was read may be half of it.
            if waited >= READ_PATIENCE {
                return Err(Reason::HalfWritten.into());
            }
            namespace.pause(READ_PAUSE);
            waited += READ_PAUSE;
        }
    }

    fn view<'n>(&self, namespace: &'n Namespace<Watched<V>>) -> View<'n, Watched<V>> {
        View::new(namespace).of_session(self.id, self.settings.operator)
    }

    fn change<A: Arguments>(
        &self,
        namespace: &Namespace<Watched<V>>,
        run: Run<V, A>,
        args: &A,
    ) -> Result<A::Outcome, Failure> {
        if let Some(why) = &self.unusable {
            return Err(Reason::Unusable(Box::new(why.clone())).into());
        }
        let _term = self.lock(namespace)?;
        let changed = self.change_alone(namespace, run, args);
        changed.map_err(|failure| match failure.reason {
            // What it has done by then is told, and who brings that to an end.
            Reason::Unrecovered(_) | Reason::Partly { .. } => failure,
            _ if self.leases.are_taken() => Reason::LockedElsewhere.into(),
            _ => failure,
        })
    }

    fn change_alone<A: Arguments>(
        &self,
        namespace: &Namespace<Watched<V>>,
        run: Run<V, A>,
        args: &A,
    ) -> Result<A::Outcome, Failure> {
        let report = self.recover(namespace, A::OPERATION == "recover")?;
        let view = self.view(namespace).after(report.clone().unwrap_or_default());
        let (mut outcome, changes) = run(&view, args)?;
        let call = Call {
            tool: A::OPERATION,
            session: self.id,
            settings: &self.settings,
            confirmed: args.is_confirmed(),
        };
        let mut applied = apply(namespace, call, changes)?;
        if report.is_some() {
            // This change may have moved such a file away.
            applied.notes.extend(half_written(&self.view(namespace)));
        }
        applied.notes.extend(
            report
                .map(|report| about::conflicts(&self.view(namespace), &report.conflicts))
                .into_iter()
                .flatten(),
        );
        args.add(&mut outcome, applied);
        Ok(outcome)
    }

    /// Keeps others away, if nobody else does it.
    fn lock(&self, namespace: &Namespace<Watched<V>>) -> Result<CallGuard<'_, V>, Failure> {
        let term = self.leases.begin();
        if self.settings.lock == Lock::Lease {
            // In one order everywhere, so that nobody waits for one another.
            let mut states: Vec<_> = namespace.states().collect();
            states.sort_by_key(|state| state.identity);
            for state in states {
                let (timed, locks) = state.volume.bare(&state.locks);
                let left = self.clock.left(timed.volume.now());
                let patience = left.map_or(LOCK_PATIENCE, |left| left.min(LOCK_PATIENCE));
                term.hold(lease::take(timed.volume.clone(), locks, self.id.0, patience).map_err(
                    |refused| match refused {
                        lease::LeaseRefused::Held => Reason::LockedElsewhere,
                        lease::LeaseRefused::Fault(fault) => Reason::Journal(Box::new(fault)),
                    },
                )?);
            }
        }
        Ok(term)
    }

    /// Completes or rolls back the changes that an earlier call, or another session, has left. A call of
    /// `recover` asks for that, whether or not a state directory shows that something is left.
    fn recover(
        &self,
        namespace: &Namespace<Watched<V>>,
        is_asked: bool,
    ) -> Result<Option<RecoveryReport>, Failure> {
        let mut is_left = is_asked;
        for state in namespace.states() {
            let now = state.refresh().map_err(|fault| Reason::Journal(Box::new(fault)))?;
            is_left |= now.is_unfinished() || now.unsettled;
        }
        if !is_left {
            // Once in a session: an entry that stays pending costs each change nothing.
            if !self.has_emptied.replace(true) {
                self.clock.hold();
                // An entry that is not emptied now is no reason to refuse the change.
                namespace.states().for_each(|state| drop(state.empty_pending()));
                self.clock.let_go();
            }
            return Ok(None);
        }
        self.clock.hold();
        let recovered = recover(namespace, self.settings.durability == Durability::Power, is_asked);
        self.clock.let_go();
        Ok(Some(recovered.map_err(|fault| Reason::Unhealed(Box::new(fault)))?))
    }
}

/// Granted directories as tools see them.
fn watched<V: Volume>(
    grants: Vec<Grant<V>>,
    clock: &Rc<Clock>,
    leases: &Rc<Leases<V>>,
    guard: &Rc<PolicyGuard>,
    needs_lease: impl Fn(&[String]) -> bool,
) -> Vec<Grant<Watched<V>>> {
    let watched = |Grant { name, volume, access }: Grant<V>| {
        let names = grant_name(&name);
        let leases = if needs_lease(&names) { leases } else { &Rc::default() };
        let volume = timed(volume, clock, leases);
        let volume = Guarded::new(volume, guard.clone(), names.iter().map(String::as_str));
        Grant { name, volume, access }
    };
    grants.into_iter().map(watched).collect()
}

fn timed<V: Volume>(volume: V, clock: &Rc<Clock>, leases: &Rc<Leases<V>>) -> Timed<V> {
    Timed { volume: Rc::new(volume), clock: clock.clone(), leases: leases.clone() }
}

/// The names of each directory that is granted under several.
fn groups<V: Volume>(grants: &[Grant<V>]) -> Vec<Vec<Vec<String>>> {
    let mut known: BTreeMap<u128, Vec<Vec<String>>> = BTreeMap::new();
    for Grant { name, volume, .. } in grants.iter().filter(|_| grants.len() > 1) {
        // One that cannot be told is met again where something is to be done in it.
        if let Ok(identity) = volume.directory_identity(&volume.root()) {
            known.entry(identity).or_default().push(grant_name(name));
        }
    }
    known.into_values().filter(|names| names.len() > 1).collect()
}

/// The policy that a host wants, from its document in JSON.
fn policy(text: Option<&str>) -> Result<Rc<Policy>, InvalidPolicy> {
    thread_local! {
        /// The one without a document, once for all sessions: to compile it takes longer than all else that opens one.
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

/// The notes about files that are partly old and partly new. A state directory that cannot be read
/// for them refuses no call.
fn half_written<V: Volume>(view: &View<V>) -> Vec<Note> {
    about::half_written(view, &recovery::half_written(view.namespace()).unwrap_or_default())
}

/// All that the state directories say of writing in place: odd while there is any.
fn sequence<V: Volume>(namespace: &Namespace<V>) -> Result<u64, Failure> {
    let mut all = 0_u64;
    for state in namespace.states() {
        let now = state.look().map_err(|fault| Failure::from(Reason::reading(fault)))?;
        // Where that cannot be told, nothing is changed either.
        let Some(now) = now else { continue };
        if now.is_in_place() {
            return Ok(1);
        }
        all = all.wrapping_add(now.sequence);
    }
    Ok(all)
}

fn session_id<V: Volume>(namespace: &Namespace<Watched<V>>, settings: &Settings) -> Id {
    settings.session.unwrap_or_else(|| Id(namespace.random()))
}

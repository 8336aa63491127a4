/** The options of a gate, as grants and variables. */
import type { FsgateError } from './errors.js';
import { isRecord, strayName } from './known.js';
import type { StartError } from './refusals.js';
import { refusal, refuseStart } from './refusals.js';
import type { Verdict } from './start.js';
import { Memory } from './wasi/memory.js';

export interface Options<Source = Memory> {
  /**
   * Directories for reading and writing, by inside name. Relative paths start at the first one:
   * JavaScript puts whole numbers such as `7` before all other names, so write `/7`.
   */
  dirs?: Record<string, Source>;
  /** Directories for reading only. */
  readOnly?: Record<string, Source>;
  /** Restrictions of the grants, see `docs/policy.md`. The default is the profile `default`. */
  policy?: object | readonly object[];
  /**
   * The state root, outside of all grants: without one nothing can be undone. The program and other
   * gates with the same one share the history of a directory. One in memory serves all grants, one
   * of the machine those of the machine.
   */
  state?: Source;
  /** The failures that a change survives. By default the death of the program. */
  durability?: 'process' | 'power' | 'none';
  /** The limits of the history. */
  history?: { bytes?: number; entries?: number; days?: number };
  /** The session of these changes: 32 lower-case hex digits. By default a new one. */
  session?: string;
  /** Milliseconds for one call, by default 30,000. A call ends where nothing is half done. */
  deadline?: number;
}

const OPTIONS: readonly (keyof Options)[] = ['dirs', 'readOnly', 'policy', 'state', 'durability', 'history', 'session', 'deadline'];
const HISTORY: readonly (keyof NonNullable<Options['history']>)[] = ['bytes', 'entries', 'days'];

/** Refuses unknown options, also those of another platform. */
export function refuseStrange(options: object, own: readonly string[]): void {
  refuseNames('options', options, [...OPTIONS, ...own], "{ dirs: { '/work': 'project' } }");
  const { dirs = {}, readOnly = {}, history = {}, policy = {} } = options as Options<unknown>;
  for (const [name, granted] of Object.entries({ dirs, readOnly })) {
    if (!isRecord(granted) || granted instanceof Memory) refuseStart('noRecord', name, "{ '/work': 'project' }");
  }
  refuseNames('history', history, HISTORY, '{ days: 7 }');
  if (![policy].flat().every(isRecord)) refuseStart('noRecord', 'policy', "{ profile: 'strict' }");
}

function refuseNames(option: string, given: unknown, known: readonly string[], example: string): void {
  if (!isRecord(given)) refuseStart('noRecord', option, example);
  const stray = strayName(given, known);
  if (stray) refuseStart('unknownOption', stray);
}

export interface Grant<Source> {
  name: string;
  source: Source;
  writable: boolean;
}

/** The component's name for the history directory. */
const STATE = '/.fsgate';

/** The history directory as a grant. */
export function stateOf<Source>({ state }: Options<Source>): Grant<Source>[] {
  return state === undefined ? [] : [{ name: STATE, source: state, writable: true }];
}

/** The grants in order. */
export function grants<Source>({ dirs = {}, readOnly = {} }: Options<Source>): Grant<Source>[] {
  const list = (granted: Record<string, Source>, writable: boolean): Grant<Source>[] =>
    Object.entries(granted).map(([name, source]) => ({ name, source, writable }));
  const all = [...list(dirs, true), ...list(readOnly, false)];
  const upward = all.find(({ name }) => name.split('/').includes('..'));
  if (upward) refuseStart('upwardName', upward.name);
  return all;
}

/** Refuses one directory in memory in two contradictory roles. */
export function refuseTwice(granted: readonly Grant<unknown>[], state: unknown): void {
  for (const { name, source, writable } of granted) {
    if (!(source instanceof Memory)) continue;
    const other = writable ? undefined : granted.find((each) => each.writable && each.source === source);
    if (other) refuseStart('twiceDifferently', name, other.name);
    if (source === state) refuseStart('stateInGrant', STATE, name);
  }
}

/** The variables of the component: options, the host's own rules, and machine paths by grant name. */
export function variables(options: Options<unknown>, { rules, paths }: Pick<Verdict, 'rules' | 'paths'>): Record<string, string> {
  const { policy, durability, history = {}, session, deadline = DEADLINE } = options;
  const said: Record<string, unknown> = {
    FSGATE_SESSION: session ?? random(),
    FSGATE_DEADLINE_MILLIS: deadline,
    FSGATE_DURABILITY: durability,
    FSGATE_HISTORY_BYTES: history.bytes,
    FSGATE_HISTORY_ENTRIES: history.entries,
    FSGATE_HISTORY_DAYS: history.days,
    FSGATE_POLICY: rules.length === 0 ? policy && JSON.stringify(policy) : JSON.stringify([policy ?? {}, { profile: 'open', rules }].flat()),
    FSGATE_POLICY_PATHS: Object.keys(paths).length === 0 ? undefined : JSON.stringify(paths),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]));
}

/** The names of the component's variables here. */
const SAID: Readonly<Record<string, string>> = {
  FSGATE_SESSION: 'session',
  FSGATE_DEADLINE_MILLIS: 'deadline',
  FSGATE_DURABILITY: 'durability',
  FSGATE_HISTORY_BYTES: 'history.bytes',
  FSGATE_HISTORY_ENTRIES: 'history.entries',
  FSGATE_HISTORY_DAYS: 'history.days',
  FSGATE_POLICY: 'policy',
};

/** The refusal of a start by the component, which knows its variables only. */
export function notTaken(error: FsgateError): StartError {
  const option = SAID[/`(FSGATE_\w+)`/.exec(error.message)?.[1] ?? ''];
  const problem = [error.message, error.repair].filter((words) => words !== undefined).join('; ');
  return Object.assign(option === undefined ? refusal('component', problem) : refusal('option', option, problem), { cause: error });
}

/** Equal to the program's. */
const DEADLINE = 30_000;

function random(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

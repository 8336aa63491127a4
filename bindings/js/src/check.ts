/** Grants that would not hold what they say are refused, as the program does. This only takes away: it opens nothing. */
import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import type { Grant } from './options.js';
import { STATES, canonical, contains, histories, ownDirectories, wideness } from './places.js';
import { refuseStart } from './refusals.js';
import { requireNoFollow } from './wasi/disk.js';

/** A directory of this machine that is granted, by its real path. */
export type Place = Grant<string>;

/** The real directories of what is granted. */
export function checked(granted: readonly Place[], allowWide: boolean): Place[] {
  if (granted.length > 0) requireNoFollow();
  const places = granted.map((place) => ({ ...place, source: real(place.source) }));
  for (const place of places) {
    refuseNarrower(place, places);
    refuseOwn(place);
    const what = allowWide ? undefined : wideness(place.source);
    if (what) refuseStart('wide', place.source, what);
  }
  return places;
}

/** The place for the history: it and what is granted are apart. It may not exist yet. */
function checkedState(path: string, places: readonly Place[]): string {
  requireNoFollow();
  const state = canonical(path);
  const near = places.find(({ source }) => contains(source, state) || contains(state, source));
  if (near) refuseStart('stateInGrant', state, near.source);
  return state;
}

/** Makes the place for the history if it is missing: nobody else writes there. */
export function madeState(path: string, places: readonly Place[]): string {
  const before = checkedState(path, places);
  try {
    fs.mkdirSync(before, { recursive: true, mode: 0o700 });
  } catch (error) {
    refuseStart('stateUnusable', before, (error as Error).message);
  }
  // Somebody may have put a link on the way meanwhile.
  const state = checkedState(before, places);
  const { mode, uid } = fs.statSync(state);
  if (mode & 0o022 || (process.getuid !== undefined && uid !== process.getuid())) refuseStart('stateOpen', state);
  return state;
}

function real(path: string): string {
  try {
    const found = fs.realpathSync(path);
    // A directory that cannot be read is refused by its own name.
    fs.opendirSync(found).closeSync();
    return found;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOTDIR' ? refuseStart('notDirectory', path) : refuseStart('unusable', path, message);
  }
}

function refuseNarrower({ source: inner, writable }: Place, places: readonly Place[]): void {
  const outer = writable ? undefined : places.find((other) => other.writable && contains(other.source, inner));
  if (outer) refuseStart(contains(inner, outer.source) ? 'twiceDifferently' : 'narrower', inner, outer.source);
}

/** What the program keeps is not changed, and a history is read as little as changed. */
function refuseOwn({ source, writable }: Place): void {
  for (const { variable, path } of ownDirectories()) {
    const isInTheWay = writable ? contains(source, path) || contains(path, source) : contains(join(path, STATES), source);
    if (isInTheWay) refuseStart('ownDirectory', source, path, variable);
  }
}

/** Rules that hide what the program keeps from whoever may read around it. */
export function hiding(places: readonly Place[]): object[] {
  const states = histories();
  const around = places.filter(({ source }) => contains(source, states));
  const paths = around.map(({ name, source }) => {
    const below = relative(source, states);
    // By a name that a mount has given to it: nobody can say where it is inside.
    if (below.split('/')[0] === '..') refuseStart('ownDirectory', source, states, 'XDG_STATE_HOME');
    const names = [...name.split('/'), ...below.split('/')].filter((each) => each !== '' && each !== '.');
    return `/${names.join('/')}`.replace(/[*?[\]{}\\]/g, '\\$&');
  });
  return paths.length === 0 ? [] : [{ profile: 'open', rules: [{ name: 'own_state', paths, effect: 'hidden' }] }];
}

/** Grants that would not hold what they say are refused, as the program does. This only takes away: it opens nothing. */
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Grant } from './options.js';
import { KEPT, asTyped, below, canonical, contains, histories, ownDirectories, split, through, way, wideness } from './places.js';
import { FOUND, program } from './program.js';
import { refuseStart } from './refusals.js';
import { requireNoFollow } from './wasi/disk.js';

/** A directory of this machine that is granted, by its real path. */
export type Place = Grant<string>;

/** The real directories of what is granted. */
export function checked(granted: readonly Place[], allowWide: boolean): Place[] {
  if (granted.length > 0) requireNoFollow();
  const places = granted.map((place) => ({ ...place, source: real(place.source) }));
  refuseLedOut(granted, places);
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

/**
 * What a tool could have put on the way to a grant says neither what is granted nor, as patterns begin there, what rules are about: not even
 * where it leads to what is granted anyway. Neither on the way that Node goes nor on the one that other programs go: a `..` behind a link is
 * another directory for each.
 */
function refuseLedOut(asked: readonly Place[], places: readonly Place[]): void {
  asked.forEach(({ source }, index) => {
    const steps = [...way(source).links, ...through(source)].map((step) => dirname(step));
    const by = places.find((other, number) => number !== index && steps.some((step) => contains(other.source, step)));
    if (by) refuseStart('ledOut', source, by.source);
  });
}

function refuseNarrower({ source: inner, writable }: Place, places: readonly Place[]): void {
  const outer = writable ? undefined : places.find((other) => other.writable && contains(other.source, inner));
  if (outer) refuseStart(contains(inner, outer.source) ? 'twiceDifferently' : 'narrower', inner, outer.source);
}

/** What the program keeps is not changed, and a history is read as little as changed. */
function refuseOwn({ source, writable }: Place): void {
  for (const { variable, path } of ownDirectories()) {
    const isInTheWay = writable ? contains(source, path) || contains(path, source) : KEPT.some((kept) => contains(join(path, kept), source));
    if (isInTheWay) refuseStart('ownDirectory', source, path, variable);
  }
}

/** A policy that holds in any case: about what runs, what the program keeps, and what the same words are to grant at the next start. */
export function protection(asked: readonly Place[], places: readonly Place[], state?: string): object[] {
  const granted = places.map(({ source }) => source);
  const leading = asked.flatMap(({ source }) => way(source).links);
  const own = [...ownDirectories().map(({ named }) => named), ...(state === undefined ? [] : [state])];
  const rules = [
    { name: 'own_program', paths: running(places.filter(({ writable }) => writable)), effect: 'read_only' },
    { name: 'granted_directory', paths: kept([...granted, ...leading], places), effect: 'keeps_name' },
    { name: 'own_directory', paths: kept(own.flatMap((path) => way(path).links), places), effect: 'keeps_name' },
    { name: 'own_state', paths: hidden(places), effect: 'hidden' },
  ].filter(({ paths }) => paths.length > 0);
  return rules.length === 0 ? [] : [{ profile: 'open', rules }];
}

/**
 * Where each directory lies on this machine, for the component: at its real path, and at those that its user sees, unless somebody who writes
 * in another one can have made that. One directory under several names lies at the paths of all of them.
 */
export function paths(asked: readonly Place[], places: readonly Place[]): Record<string, string[]> {
  const typed = places.map(({ source }, index) => {
    const path = asTyped(asked[index]!.source);
    return path === undefined || isLed(path, source, places) ? [] : [path];
  });
  return Object.fromEntries(places.map(({ name, source }) => {
    const found = [source, ...typed.filter((_, index) => places[index]!.source === source).flat()];
    return [utf8(name), [...new Set(found.map(utf8))]];
  }));
}

/** True if a path leads to a real directory through another one that is granted, as the shell's idea of where it is may. */
function isLed(path: string, real: string, places: readonly Place[]): boolean {
  const steps = through(path).map((step) => dirname(step));
  return places.some(({ source }) => source !== real && steps.some((step) => contains(source, step)));
}

/** Patterns for directories and links where somebody could put others in their place. */
function kept(paths: readonly string[], places: readonly Place[]): string[] {
  const patterns = paths.flatMap((path) => places.map((place) => {
    // From the directory that the name stands in: what a link leads to is another thing.
    const names = place.writable && path !== '/' ? below(place.source, dirname(path)) : undefined;
    return names ? [pattern(place, [...names, basename(path)])] : [];
  }));
  return [...new Set(patterns.flat())];
}

/** Patterns for what runs, and for what would run in its place, in directories that are granted for writing. */
function running(places: readonly Place[]): string[] {
  const patterns = program().map(canonical).flatMap((path) => places.map((place) => {
    const names = contains(path, place.source) ? [] : below(place.source, path);
    return names ? [pattern(place, names)] : [];
  }));
  return places.length === 0 ? [] : [...new Set([...patterns.flat(), FOUND])];
}

/** Patterns for what the program keeps, for whoever may read around it. */
function hidden(places: readonly Place[]): string[] {
  const all = histories().flatMap((kept) => places.map((place) => ({ kept, place })));
  return all.flatMap(({ kept, place }) => {
    const names = below(place.source, kept);
    if (names === undefined) return [];
    // By a name that a mount has given to it: nobody can say where it is inside.
    if (join(place.source, ...names) !== kept) refuseStart('ownDirectory', place.source, kept, 'XDG_STATE_HOME');
    return [pattern(place, names)];
  });
}

/** What a policy calls something in a granted directory. */
function pattern({ name }: Place, names: readonly string[]): string {
  const quoted = utf8([...split(name), ...names].join('/')).replace(/[*?[\]{}\\]/g, '\\$&');
  return `/${quoted || '**'}`;
}

/** A text as it goes to the system: half of a character as U+FFFD. There is no JSON for it. */
function utf8(text: string): string {
  return Buffer.from(text).toString();
}

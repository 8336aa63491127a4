/**
 * The state root, which this package shares with the program: a state directory for each granted
 * directory. The component chooses them; this module gives it facts and writes the files.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, isPrivate, madePrivate } from './check.js';
import type { Program } from './engine.js';
import { apart } from './engine.js';
import type { Grant } from './options.js';
import { refuseStart, StartError } from './refusals.js';

const STATES = 'states';
const ROOTS = 'roots';
const NEW = '.new-';

/** The largest entry of a root: a path and some numbers. */
const ENTRY_BYTES = 64 << 10;

/** The names of state directories of no grant, which have records about parts of one. */
const RETIRED = '/.fsgate/.fsgate/';

/** Facts that the component asks for. */
interface Look {
  entries: string[];
  all: boolean;
  directories: string[];
  states: string[];
}

interface Chosen {
  preopen: string;
  state: string;
  retired: string[];
  make: { directories: string[]; files: [string, string, number[]][] } | null;
  write: [string, string][];
  remove: string | null;
}

type Answer = { look: Look } | { chosen: Chosen } | { refused: string };

type Choose = (request: object) => Answer;

/** The state directories of all granted directories of the machine, made if they are missing. */
export async function stateDirectories(
  program: Program, root: string, granted: readonly { name: string; host: string }[], power: boolean,
): Promise<Grant<string>[]> {
  for (const directory of [root, join(root, STATES), join(root, ROOTS)]) madePrivate(directory);
  const chosen = await apart(program, ({ host }) => {
    const choose: Choose = (request) => JSON.parse(host.choose(JSON.stringify(request))) as Answer;
    return granted.map(({ name, host: path }) => registered(choose, root, name, path, power));
  });
  const own = new Set(chosen.map(({ state }) => state));
  const retired = [...new Set(chosen.flatMap((each) => each.retired))].filter((state) => !own.has(state)).sort();
  const named: [string, string][] = [
    ...chosen.map(({ preopen, state }): [string, string] => [preopen, state]),
    ...retired.map((state, number): [string, string] => [`${RETIRED}${number}`, state]),
  ];
  return named.map(([name, state]) => ({ name, source: join(root, STATES, state), writable: true }));
}

/**
 * The chosen state of a directory, which is a registered root or below one by then. Node cannot
 * lock a file. So the first attempt replaces no entry; the second one has seen the entry in its way.
 */
function registered(choose: Choose, root: string, grant: string, path: string, power: boolean): Chosen {
  const request = () => ({ grant, around: identities(path), new_state: randomBytes(16).toString('hex'), now: `${BigInt(Date.now()) * 1_000_000n}` });
  try {
    const known = decided(choose, root, request());
    if (known.write.length === 0) return known;
    settle(path);
    const first = decided(choose, root, request());
    if (first.write.length === 0 || write(root, first, false, power)) return first;
    const second = decided(choose, root, request());
    write(root, second, true, power);
    return second;
  } catch (error) {
    if (error instanceof StartError) throw error;
    return refuseStart('stateUnusable', root, (error as Error).message);
  }
}

function decided(choose: Choose, root: string, request: object): Chosen {
  const entries: Record<string, string | null> = Object.create(null);
  const directories: Record<string, string | null> = Object.create(null);
  const states: Record<string, boolean> = Object.create(null);
  let all = false;
  for (;;) {
    const answer = choose({ ...request, entries, all, directories, states });
    if ('chosen' in answer) return answer.chosen;
    if ('refused' in answer) return refuseStart('stateUnusable', root, answer.refused);
    const { look } = answer;
    all ||= look.all;
    const names = look.all ? attempt(() => fs.readdirSync(join(root, ROOTS))) ?? [] : look.entries;
    for (const name of names) entries[name] = entry(join(root, ROOTS, name)) ?? null;
    for (const path of look.directories) directories[path] = identityOf(path) ?? null;
    for (const name of look.states) states[name] = isSound(join(root, STATES, name));
  }
}

/** Makes the state directory, and writes the entries. False if one is in the way. */
function write(root: string, { state, make, write: texts, remove }: Chosen, replaces: boolean, power: boolean): boolean {
  const directory = join(root, STATES, state);
  if (make && !fs.existsSync(directory)) {
    const fresh = join(root, STATES, NEW + state);
    for (const path of [fresh, ...make.directories.map((name) => join(fresh, name))]) fs.mkdirSync(path, { mode: 0o700 });
    for (const [within, name, bytes] of make.files) writePrivate(join(fresh, within, name), Uint8Array.from(bytes), power);
    fs.renameSync(fresh, directory);
    if (power) sync(join(root, STATES));
  }
  for (const [name, text] of texts) {
    const [path, fresh] = [join(root, ROOTS, name), join(root, ROOTS, NEW + randomBytes(16).toString('hex'))];
    writePrivate(fresh, Buffer.from(text), power);
    if (replaces) {
      fs.renameSync(fresh, path);
      continue;
    }
    // A link replaces nothing.
    const isLinked = attempt(() => fs.linkSync(fresh, path) ?? true);
    fs.rmSync(fresh, { force: true });
    if (!isLinked) return false;
  }
  if (remove !== null) fs.rmSync(join(root, ROOTS, remove), { force: true });
  if (power) sync(join(root, ROOTS));
  return true;
}

function writePrivate(path: string, bytes: Uint8Array, power: boolean): void {
  fs.writeFileSync(path, bytes, { flag: 'wx', mode: 0o600, flush: power });
}

function sync(directory: string): void {
  const handle = fs.openSync(directory, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** A directory and those around it, the outermost first. */
function ancestors(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [...ancestors(above), path];
}

/** The text of an entry that only this user can have written. */
function entry(path: string): string | undefined {
  const found = attempt(() => fs.lstatSync(path));
  if (!found?.isFile() || !isPrivate(found) || found.size > ENTRY_BYTES) return undefined;
  return attempt(() => fs.readFileSync(path, 'utf8'));
}

function isSound(directory: string): boolean {
  const found = attempt(() => fs.lstatSync(directory));
  return found !== undefined && found.isDirectory() && isPrivate(found);
}

function identities(path: string): [string, string][] {
  return ancestors(path).flatMap((above): [string, string][] => {
    const identity = identityOf(above);
    return identity === undefined ? [] : [[above, identity]];
  });
}

/**
 * Sets the mode of a directory to what it is. On overlayfs the first change in a directory copies
 * it to the upper layer, which changes its time of birth; this copies it before.
 */
function settle(path: string): void {
  attempt(() => fs.chmodSync(path, fs.lstatSync(path).mode & 0o7777));
}

/** Device, inode and time of birth of a directory. */
function identityOf(path: string): string | undefined {
  const found = attempt(() => fs.lstatSync(path, { bigint: true }));
  if (!found?.isDirectory()) return undefined;
  // Where a file system has no such time, Node gives another one.
  const isKnown = found.birthtimeNs > 0n && found.birthtimeNs !== found.ctimeNs;
  return `${found.dev}:${found.ino}${isKnown ? `:${found.birthtimeNs}` : ''}`;
}

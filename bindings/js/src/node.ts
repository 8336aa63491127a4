/** fsgate in Node. Directories are the machine's, or in memory. */
import * as fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, parse, resolve } from 'node:path';
import type { Program } from './engine.js';
import { Engine, compile } from './engine.js';
import { AnyGate } from './gate.js';
import type { Grant, Options } from './options.js';
import { STATE, grants, variables } from './options.js';
import { openDirectory } from './wasi/disk.js';
import type { Preopen } from './wasi/imports.js';
import { Memory, openMemory } from './wasi/memory.js';
import type { Open } from './wasi/open.js';

export * from './errors.js';
export * from './generated/contract.js';
export type { AnyGate, Tool } from './gate.js';
export { Memory } from './wasi/memory.js';

/** The path of a directory, or one in memory. */
export type Source = string | Memory;

/** What a gate is opened with. */
export interface NodeOptions extends Options<Source> {
  /** `/`, home directories and directories of the system are meant: without it they are refused. */
  allowWideGrant?: boolean;
}

/** The operations over some granted directories: one method for each of them. */
export class Gate extends AnyGate {
  /** Opens a gate. Whatever is wrong with what is granted refuses the start. */
  static async open(options: NodeOptions): Promise<Gate> {
    const granted = grants(options);
    const state = options.state === undefined ? [] : [{ name: STATE, source: options.state, writable: true }];
    program ??= compile((url) => readFile(url));
    const compiled = await program;
    if (typeof options.state === 'string') fs.mkdirSync(options.state, { recursive: true, mode: 0o700 });
    check(granted, state, options.allowWideGrant ?? false);
    return new Gate(new Engine(compiled, preopens([...granted, ...state]), variables(options)));
  }
}

let program: Promise<Program> | undefined;

function preopens(granted: Grant<Source>[]): Preopen[] {
  const opened: Preopen[] = [];
  try {
    for (const { source, ...grant } of granted) opened.push({ ...grant, open: opening(source) });
    return opened;
  } catch (error) {
    for (const { open } of opened) open.close();
    throw error;
  }
}

function opening(source: Source): Open {
  return source instanceof Memory ? openMemory(source.root) : openDirectory(source);
}

/** Refuses grants that would not hold what they say, as the program does. This only takes away: it opens nothing. */
function check(granted: Grant<Source>[], state: Grant<Source>[], wide: boolean): void {
  const real = (list: Grant<Source>[]) => list.flatMap(({ source, writable }) =>
    typeof source === 'string' ? [{ path: fs.realpathSync(source), writable }] : []);
  const refuse = (path: string, problem: string): never => {
    throw new TypeError(`cannot grant \`${path}\`${problem}`);
  };
  const paths = real(granted);
  for (const { path, writable } of paths) {
    const what = wide ? undefined : wideness(path);
    const instead = 'grant the directory that you work in, or say `allowWideGrant`';
    if (what) refuse(path, `: it is ${what}, and everything in it would be open; ${instead}`);
    const outer = paths.find((other) => other.writable && contains(other.path, path));
    if (!writable && outer) refuse(path, ` for reading only: \`${outer.path}\` around it is granted for writing`);
  }
  for (const { path: own } of real(state)) {
    const { mode, uid } = fs.statSync(own);
    const stranger = process.getuid !== undefined && uid !== process.getuid();
    const near = paths.find(({ path }) => contains(path, own) || contains(own, path));
    const problem = stranger || mode & 0o022 ? 'others can write there, and old contents of files are in it'
      : near && `it and the granted directory \`${near.path}\` contain one another`;
    if (problem) throw new TypeError(`cannot keep state in \`${own}\`: ${problem}`);
  }
}

/** True if one path leads into the other directory, or to it: also by another name that a mount has given to it. */
function contains(outer: string, inner: string): boolean {
  const { dev, ino } = fs.statSync(outer, { bigint: true });
  for (let path = inner; ; path = dirname(path)) {
    const stat = fs.statSync(path, { bigint: true });
    if (stat.dev === dev && stat.ino === ino) return true;
    if (path === parse(path).root) return false;
  }
}

/** Directories right below `/` that belong to the system, and those in which all users, drives or temporary files are. */
const SYSTEM = new Set([
  'Applications', 'Library', 'System', 'bin', 'boot', 'dev', 'etc', 'lib', 'lib64', 'media', 'mnt', 'opt', 'private', 'proc', 'run',
  'sbin', 'snap', 'srv', 'sys', 'tmp', 'usr', 'var', 'Volumes', 'lost+found',
]);

/** What a path is that nobody grants for work: none if it is nothing of that kind. */
function wideness(path: string): string | undefined {
  const home = fs.existsSync(homedir()) ? fs.realpathSync(homedir()) : resolve(homedir());
  const [first, second, ...more] = path.split('/').slice(1).filter((name) => name !== '');
  if (path === home) return 'a home directory';
  if (first === undefined) return 'all of this machine';
  if (first === 'home' || first === 'Users') {
    if (second === undefined) return 'the directory of all home directories';
    return more.length === 0 ? 'a home directory' : undefined;
  }
  if (second !== undefined) return undefined;
  if (first === 'root') return 'a home directory';
  return SYSTEM.has(first) ? 'a directory of the system' : undefined;
}

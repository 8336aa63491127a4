/** Directories of this machine, as grants are held against them. The rules are those of the program. */
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, parse, resolve } from 'node:path';

/** The real path of something that may not exist: that of the nearest directory above it that does, and the rest. */
export function canonical(path: string): string {
  const absolute = resolve(path);
  try {
    return fs.realpathSync(absolute);
  } catch {
    const above = dirname(absolute);
    return above === absolute ? absolute : join(canonical(above), absolute.slice(above.length));
  }
}

/** True if one real path leads into the other directory, or to it: also by another name that a mount has given to it. */
export function contains(outer: string, inner: string): boolean {
  for (let path = inner; ; path = dirname(path)) {
    if (path === outer || isSame(path, outer)) return true;
    if (path === parse(path).root) return false;
  }
}

function isSame(one: string, other: string): boolean {
  try {
    const [ours, theirs] = [fs.statSync(one, { bigint: true }), fs.statSync(other, { bigint: true })];
    return ours.dev === theirs.dev && ours.ino === theirs.ino;
  } catch {
    // One of them is not there, or nobody can say who it is.
    return false;
  }
}

/** The program's state directory has the histories in this one. */
export const STATES = 'states';

/** Where the program keeps state and looks for its configuration, and the variables that say so. They may not exist yet. */
export function ownDirectories(): { variable: string; path: string }[] {
  const list = [['XDG_STATE_HOME', '.local/state'], ['XDG_CONFIG_HOME', '.config'], ['XDG_CACHE_HOME', '.cache']] as const;
  return list.map(([variable, belowHome]) => {
    const set = process.env[variable];
    const base = set !== undefined && isAbsolute(set) ? set : join(homedir(), belowHome);
    return { variable, path: canonical(join(base, 'fsgate')) };
  });
}

/** Where the program keeps histories: nobody reads there. */
export function histories(): string {
  return join(ownDirectories()[0]!.path, STATES);
}

/** Directories right below `/` that belong to the system, and those in which all users, drives or temporary files are. */
const SYSTEM = new Set([
  'Applications', 'Library', 'System', 'bin', 'boot', 'dev', 'etc', 'lib', 'lib64', 'media', 'mnt', 'opt', 'private', 'proc', 'run',
  'sbin', 'snap', 'srv', 'sys', 'tmp', 'usr', 'var', 'Volumes', 'lost+found',
]);

const HOME = 'a home directory';
const DRIVE = 'a whole drive';

/** Paths that nobody grants for work, by what they are; `*` is any one name. The first that fits counts. */
const WIDE: readonly (readonly [path: string, what: string])[] = [
  ['/', 'all of this machine'],
  ['/home', 'the directory of all home directories'],
  ['/Users', 'the directory of all home directories'],
  ['/root', HOME],
  ['/home/*', HOME],
  ['/Users/*', HOME],
  ...[...SYSTEM].map((name) => [`/${name}`, 'a directory of the system'] as const),
  ['/mnt/?', DRIVE],
  ['/media/*', DRIVE],
  ['/media/*/*', DRIVE],
  ['/Volumes/*', DRIVE],
  ['/run/media/*', DRIVE],
  ['/run/media/*/*', DRIVE],
];

/** What a real path is that nobody grants for work: nothing if it is nothing of that kind. */
export function wideness(path: string, home = canonical(homedir())): string | undefined {
  if (path === home) return HOME;
  const names = path.split('/');
  const fits = (pattern: string) => {
    const wanted = pattern.split('/');
    return wanted.length === names.length && wanted.every((name, index) => one(name, names[index]!));
  };
  return WIDE.find(([pattern]) => fits(pattern))?.[1];
}

/** True if a name of a pattern stands for a name. `?` is any one character. */
function one(pattern: string, name: string): boolean {
  if (pattern === '*') return name !== '';
  return pattern === '?' ? [...name].length === 1 : pattern === name;
}

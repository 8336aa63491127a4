/** Directories of this machine, as grants are held against them. The rules are those of the program. */
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, parse, resolve } from 'node:path';

/** The real path of something that may not exist: where it would be made, behind links that lead to nothing as well. */
export function canonical(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return way(path).end;
  }
}

/** So many links are followed, as systems do it. */
const LINKS = 40;

/** The links on the way to a path, each by a path without any, and where it ends. `..` goes before links are followed, as in `realpathSync`. */
export function way(path: string): { links: string[]; end: string } {
  const links: string[] = [];
  let end = '/';
  let names = split(resolve(path));
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = join(end, name);
    const target = links.length < LINKS ? targetOf(next) : undefined;
    if (target === undefined) {
      end = next;
    } else {
      links.push(next);
      names = split(resolve(end, target, ...names));
      end = '/';
    }
  }
  return { links, end };
}

/** What a system itself goes through on its way to a path: links, and directories that it leaves by `..`, each by a path without any. */
export function through(path: string): string[] {
  const found: string[] = [];
  let [end, links] = ['/', 0];
  const names = split(fromHere(path));
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = join(end, name);
    const target = name !== '..' && links < LINKS ? targetOf(next) : undefined;
    if (target !== undefined) {
      links += 1;
      found.push(next);
      names.unshift(...split(target));
      if (isAbsolute(target)) end = '/';
    } else {
      // Above the root there is nothing to be left.
      if (name === '..' && end !== '/') found.push(end);
      end = next;
    }
  }
  return found;
}

/** An absolute path. A `..` at its beginning leaves the current directory for the one above it, whatever leads there. */
function fromHere(path: string): string {
  if (isAbsolute(path)) return path;
  const names = split(path);
  const ups = [...names, ''].findIndex((name) => name !== '..');
  return [resolve(...names.slice(0, ups)), ...names.slice(ups)].join('/');
}

/**
 * An absolute path as its user sees it, links and all: from the shell's idea of the current directory. Nothing where no shell has one, nor with
 * a `..` in it: what that leaves may be what a link leads to.
 */
export function asTyped(path: string): string | undefined {
  const shell = process.env.PWD ?? '';
  if (!isAbsolute(path) && !(isAbsolute(shell) && isHere(shell))) return undefined;
  const typed = isAbsolute(path) ? path : `${shell}/${path}`;
  return split(typed).includes('..') ? undefined : resolve(typed);
}

function isHere(path: string): boolean {
  try {
    return fs.realpathSync.native(path) === fs.realpathSync.native('.');
  } catch {
    // Nothing at all.
    return false;
  }
}

function targetOf(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    // No link, or nothing at all.
    return undefined;
  }
}

/** The names of a path, or of a granted directory. */
export function split(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

/**
 * The names that lead from one real directory to another path, also by another name that a mount has given to it. Nothing if it does not
 * lie there.
 */
export function below(outer: string, inner: string): string[] | undefined {
  const names: string[] = [];
  for (let path = inner; ; path = dirname(path)) {
    if (path === outer || isSame(path, outer)) return names;
    if (path === parse(path).root) return undefined;
    names.unshift(basename(path));
  }
}

/** True if one real path leads into the other directory, or to it. */
export function contains(outer: string, inner: string): boolean {
  return below(outer, inner) !== undefined;
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

/** What the program's state directory has: the histories, and of what they are. */
export const KEPT = ['states', 'roots'];

/** Where the program keeps state and looks for its configuration, and the variables that say so. They may not exist yet. */
export function ownDirectories(): { variable: string; named: string; path: string }[] {
  const list = [['XDG_STATE_HOME', '.local/state'], ['XDG_CONFIG_HOME', '.config'], ['XDG_CACHE_HOME', '.cache']] as const;
  return list.map(([variable, belowHome]) => {
    const set = process.env[variable];
    const base = set !== undefined && isAbsolute(set) ? set : join(homedir(), belowHome);
    const named = join(base, 'fsgate');
    return { variable, named, path: canonical(named) };
  });
}

/** Where the program keeps histories, and says of what: nobody reads there. */
export function histories(): string[] {
  return KEPT.map((kept) => join(ownDirectories()[0]!.path, kept));
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
  // Where homes are is the machine's affair: `/var/home`, `/data`.
  return WIDE.find(([pattern]) => fits(pattern))?.[1] ?? (contains(path, home) ? 'a directory with a home directory in it' : undefined);
}

/** True if a name of a pattern stands for a name. `?` is any one character. */
function one(pattern: string, name: string): boolean {
  if (pattern === '*') return name !== '';
  return pattern === '?' ? [...name].length === 1 : pattern === name;
}

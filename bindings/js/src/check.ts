/** Facts about directories of this machine for the checks of a start, and the history directory. */
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { FOUND, program } from './program.js';
import { refuseStart } from './refusals.js';
import type { Fact, Platform } from './start.js';

export function machine(): Platform {
  const { PWD, ...env } = process.env;
  const variables: Record<string, string> = { HOME: homedir() };
  for (const name of ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME']) if (env[name] !== undefined) variables[name] = env[name];
  return {
    machine: { here: process.cwd(), shells: PWD !== undefined && isAbsolute(PWD) ? [PWD] : [], variables, is_exact: process.platform === 'linux' },
    problem: (path) => {
      try {
        // Node's canonical path is the one that is opened.
        fs.opendirSync(fs.realpathSync.native(path)).closeSync();
        return undefined;
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        return code === 'ENOTDIR' ? 'not_directory' : { error: message };
      }
    },
    guarded: { read_only: [['own_program', program()]], apart: [FOUND] },
    look,
  };
}

function look(path: string): Fact {
  const found = attempt(() => fs.statSync(path, { bigint: true }));
  return {
    link: attempt(() => fs.readlinkSync(path)),
    real: attempt(() => fs.realpathSync.native(path)),
    identity: found && `${found.dev}:${found.ino}`,
  };
}

/** The value of a look, if it succeeds. */
export function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** The real path of a granted directory, if it is still the checked one. */
export function unchanged(path: string, host: string): string {
  const real = attempt(() => fs.realpathSync.native(path));
  return real === host ? real : refuseStart('unusable', path, 'it has changed during the check');
}

/** Makes a missing directory for state at its real path. Refuses one that other users can write. */
export function madePrivate(state: string): void {
  try {
    fs.mkdirSync(state, { recursive: true, mode: 0o700 });
  } catch (error) {
    refuseStart('stateUnusable', state, (error as Error).message);
  }
  // A link on the way may be new.
  if (attempt(() => fs.realpathSync.native(state)) !== state) refuseStart('stateUnusable', state, 'it has changed during the check');
  if (!isPrivate(fs.statSync(state))) refuseStart('stateOpen', state);
}

/** True for an object of this user that others cannot write to. */
export function isPrivate({ mode, uid }: fs.Stats): boolean {
  return (mode & 0o022) === 0 && (process.getuid === undefined || uid === process.getuid());
}

/** fsgate in Node. Directories are the machine's, or in memory. */
import { readFile } from 'node:fs/promises';
import type { Place } from './check.js';
import { checked, madeState, paths, protection } from './check.js';
import type { Engine } from './engine.js';
import { compiled } from './engine.js';
import { AnyGate, opened } from './gate.js';
import type { Grant, Options } from './options.js';
import { grants, refuseStrange, refuseTwice, stateOf, variables } from './options.js';
import { refuseStart } from './refusals.js';
import { openDirectory } from './wasi/disk.js';
import type { Preopen } from './wasi/imports.js';
import { Memory, openMemory } from './wasi/memory.js';
import type { Open } from './wasi/open.js';

export * from './errors.js';
export * from './generated/contract.js';
export type { AnyGate, Tool } from './gate.js';
export { StartError } from './refusals.js';
export type { MemoryOptions } from './wasi/memory.js';
export { Memory } from './wasi/memory.js';

/** The path of a directory, or one in memory. */
export type Source = string | Memory;

/** What a gate is opened with. */
export interface NodeOptions extends Options<Source> {
  /** `/`, home directories, a directory around yours and directories of the system are meant: without it they are refused. */
  allowWideGrant?: boolean;
}

/** The operations over some granted directories: one method for each of them. */
export class Gate extends AnyGate {
  private constructor(engine: Engine) {
    super(engine);
  }

  /** Opens a gate. Whatever is wrong with what is granted, or with the policy, refuses the start. */
  static async open(options: NodeOptions): Promise<Gate> {
    refuseStrange(options, ['allowWideGrant']);
    const [granted, state] = [grants(options), stateOf(options)];
    const stray = [...granted, ...state].find((grant) => !isPlace(grant) && !(grant.source instanceof Memory));
    if (stray) refuseStart('noDirectory', stray.name);
    refuseTwice(granted, options.state);
    const asked = granted.filter(isPlace);
    const places = checked(asked, options.allowWideGrant ?? false);
    const told = variables(options, protection(asked, places, state.find(isPlace)?.source), paths(asked, places));
    const program = await compiled((url) => readFile(url));
    // Nothing is made before all of that is as it should be.
    const made = state.map((grant) => isPlace(grant) ? { ...grant, source: madeState(grant.source, places) } : grant);
    const real = granted.map((grant) => places.find(({ name }) => name === grant.name) ?? grant);
    return new Gate(await opened(program, preopens([...real, ...made]), told));
  }
}

function isPlace(grant: Grant<Source>): grant is Place {
  return typeof grant.source === 'string';
}

function preopens(granted: readonly Grant<Source>[]): Preopen[] {
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

/** fsgate in Node. Directories are the machine's, or in memory. */
import { readFile } from 'node:fs/promises';
import { machine, unchanged } from './check.js';
import type { Engine } from './engine.js';
import { compiled } from './engine.js';
import { AnyGate, opened } from './gate.js';
import type { Grant, Options } from './options.js';
import { grants, refuseStrange, refuseTwice, stateOf, variables } from './options.js';
import { refuseStart } from './refusals.js';
import { checked } from './start.js';
import { stateDirectories } from './state.js';
import { openDirectory, requireNoFollow } from './wasi/disk.js';
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

/** The options of a gate. */
export interface NodeOptions extends Options<Source> {
  /**
   * Allows `/`, home directories, a directory around yours and system directories, which are
   * refused otherwise.
   */
  allowWideGrant?: boolean;
}

/** The operations over the granted directories, one method each. */
export class Gate extends AnyGate {
  private constructor(engine: Engine) {
    super(engine);
  }

  /** Opens a gate. Refuses invalid grants and policies. */
  static async open(options: NodeOptions): Promise<Gate> {
    refuseStrange(options, ['allowWideGrant']);
    const [granted, state] = [grants(options), stateOf(options)];
    const stray = [...granted, ...state].find((grant) => !isPlace(grant) && !(grant.source instanceof Memory));
    if (stray) refuseStart('noDirectory', stray.name);
    refuseTwice(granted, options.state);
    const asked = granted.filter(isPlace);
    if (asked.length + state.filter(isPlace).length > 0) requireNoFollow();
    const program = await compiled((url) => readFile(url));
    const verdict = await checked(program, granted, options.state, Boolean(options.allowWideGrant), machine());
    const told = variables(options, verdict);
    const hosts = new Map(asked.map(({ name, source }, index) => [name, unchanged(source, verdict.grants[index]!.host)]));
    // Nothing is made before all checks.
    const written = granted.filter(({ name, writable }) => writable && hosts.has(name)).map(({ name }) => ({ name, host: hosts.get(name)! }));
    const made = verdict.state === null || options.durability === 'none' ? state.filter((grant) => !isPlace(grant))
      : await stateDirectories(program, verdict.state, written, options.durability === 'power');
    const real = granted.map((grant) => ({ ...grant, source: hosts.get(grant.name) ?? grant.source }));
    return new Gate(await opened(program, preopens([...real, ...made]), told));
  }
}

function isPlace(grant: Grant<Source>): grant is Grant<string> {
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

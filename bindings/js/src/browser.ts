/** fsgate in a browser. Directories are in memory. */
import type { Engine, Load } from './engine.js';
import { compiled } from './engine.js';
import { AnyGate, opened } from './gate.js';
import type { Options } from './options.js';
import { grants, refuseStrange, refuseTwice, stateOf, variables } from './options.js';
import { refuseStart } from './refusals.js';
import { checked } from './start.js';
import { Memory, openMemory } from './wasi/memory.js';

export * from './errors.js';
export * from './generated/contract.js';
export type { AnyGate, Tool } from './gate.js';
export { StartError } from './refusals.js';
export type { MemoryOptions } from './wasi/memory.js';
export { Memory } from './wasi/memory.js';

/** The options of a gate. */
export interface BrowserOptions extends Options<Memory> {
  /** The source of the component's bytes, by default a fetch from beside this module. */
  load?: Load;
}

/** The operations over the granted directories, one method each. */
export class Gate extends AnyGate {
  private constructor(engine: Engine) {
    super(engine);
  }

  /** Opens a gate. Refuses invalid grants and policies. */
  static async open(options: BrowserOptions): Promise<Gate> {
    refuseStrange(options, ['load']);
    const granted = grants(options);
    const all = [...granted, ...stateOf(options)];
    const stray = all.find(({ source }) => !(source instanceof Memory));
    if (stray) refuseStart('notInMemory', stray.name);
    refuseTwice(granted, options.state);
    const program = await compiled(options.load ?? ((url) => fetch(url)));
    const told = variables(options, await checked(program, granted));
    const preopens = all.map(({ source, ...grant }) => ({ ...grant, open: openMemory(source.root) }));
    return new Gate(await opened(program, preopens, told));
  }
}

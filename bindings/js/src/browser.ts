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

/** What a gate is opened with. */
export interface BrowserOptions extends Options<Memory> {
  /** Where the bytes of the component are got from. By default they are fetched from beside this module. */
  load?: Load;
}

/** The operations over some granted directories: one method for each of them. */
export class Gate extends AnyGate {
  private constructor(engine: Engine) {
    super(engine);
  }

  /** Opens a gate. Whatever is wrong with what is granted, or with the policy, refuses the start. */
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

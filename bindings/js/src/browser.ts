/** fsgate in a browser. Directories are in memory. */
import type { Load, Program } from './engine.js';
import { Engine, compile } from './engine.js';
import { AnyGate } from './gate.js';
import type { Options } from './options.js';
import { STATE, grants, variables } from './options.js';
import { Memory, openMemory } from './wasi/memory.js';

export * from './errors.js';
export * from './generated/contract.js';
export type { AnyGate, Tool } from './gate.js';
export { Memory } from './wasi/memory.js';

/** What a gate is opened with. */
export interface BrowserOptions extends Options<Memory> {
  /** Where the bytes of the component are got from. By default they are fetched from beside this module. */
  load?: Load;
}

/** The operations over some granted directories: one method for each of them. */
export class Gate extends AnyGate {
  /** Opens a gate. */
  static async open(options: BrowserOptions): Promise<Gate> {
    const granted = grants(options);
    const state = options.state ? [{ name: STATE, source: options.state, writable: true }] : [];
    for (const { name, source } of granted) {
      if (!(source instanceof Memory)) throw new TypeError(`cannot grant \`${name}\`: a browser has no directories but those in memory`);
    }
    program ??= compile(options.load ?? ((url) => fetch(url)));
    const preopens = [...granted, ...state].map(({ source, ...grant }) => ({ ...grant, open: openMemory(source.root) }));
    return new Gate(new Engine(await program, preopens, variables(options)));
  }
}

let program: Promise<Program> | undefined;

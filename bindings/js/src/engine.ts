/** Instances of the component: one lives as long as it does not trap. */
import type { Exports } from './component/fsgate.js';
import { instantiate } from './component/fsgate.js';
import { FsgateError } from './errors.js';
import { cores } from './generated/tables.js';
import type { Held } from './wasi/descriptor.js';
import type { Preopen } from './wasi/imports.js';
import { imports } from './wasi/imports.js';

/** Where the bytes of the component are got from. */
export type Load = (url: URL) => Promise<BufferSource | Response>;

/** The component, compiled. */
export type Program = ReadonlyMap<string, WebAssembly.Module>;

/** Compiles the component. This is done once, however many gates are opened. */
export async function compile(load: Load): Promise<Program> {
  const compiled = Object.entries(cores).map(async ([name, url]): Promise<[string, WebAssembly.Module]> => {
    const bytes = await load(url);
    return [name, await ('arrayBuffer' in bytes ? WebAssembly.compileStreaming(bytes) : WebAssembly.compile(bytes))];
  });
  return new Map(await Promise.all(compiled));
}

export class Engine {
  readonly #start: (held: Held) => Exports;
  #instance: Exports | undefined;
  #held: Held = new Set();
  #end: () => void;

  /** What is handed in is the engine's from here on: it is closed with it. */
  constructor(program: Program, preopens: Preopen[], variables: Record<string, string>) {
    const core = (name: string): WebAssembly.Module => program.get(name) as WebAssembly.Module;
    this.#start = (held) => instantiate(core, imports(preopens, variables, held));
    this.#end = () => {
      for (const { open } of preopens) open.close();
    };
  }

  /** Calls into the instance. What it refuses and what it traps at are both errors; after a trap the next call gets a fresh one. */
  run<T>(operation: string, call: (exports: Exports) => T): T {
    if (this.#instance === CLOSED) throw new TypeError('the gate is closed');
    try {
      this.#instance ??= this.#start(this.#held);
      return call(this.#instance);
    } catch (error) {
      // jco throws the contract's `call-error` as it is.
      if (typeof error === 'object' && error !== null && 'error' in error) throw FsgateError.from(String(error.error));
      this.#discard();
      // What is no argument at all was refused before it came to the component.
      if (error instanceof TypeError) throw error;
      throw FsgateError.from(trapped(operation, error));
    }
  }

  close(): void {
    if (this.#instance === CLOSED) return;
    this.#discard();
    this.#instance = CLOSED;
    this.#end();
  }

  #discard(): void {
    for (const open of this.#held) open.close();
    this.#held = new Set();
    this.#instance = undefined;
  }
}

const CLOSED = {} as Exports;

/** What the program says in its own host. Nobody knows how far the call has come. */
function trapped(operation: string, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return JSON.stringify({
    code: 'other',
    text,
    operation,
    message: 'the component failed; this is a fault in fsgate',
    applied: true,
    repair: 'report it, with the call that caused it; look at what it was to change before making it again',
  });
}

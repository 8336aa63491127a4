/** Instances of the component: one lives as long as it does not trap. */
import type { Exports, Tool } from './component/fsgate.js';
import { instantiate } from './component/fsgate.js';
import { FsgateError } from './errors.js';
import { cores, operations } from './generated/tables.js';
import type { Held } from './wasi/descriptor.js';
import type { Preopen } from './wasi/imports.js';
import { imports } from './wasi/imports.js';

/** Where the bytes of the component are got from. */
export type Load = (url: URL) => Promise<BufferSource | Response>;

/** The component, compiled. */
export type Program = ReadonlyMap<string, WebAssembly.Module>;

export async function compile(load: Load): Promise<Program> {
  const compiled = Object.entries(cores).map(async ([name, url]): Promise<[string, WebAssembly.Module]> => {
    const bytes = await load(url);
    return [name, await ('arrayBuffer' in bytes ? WebAssembly.compileStreaming(bytes) : WebAssembly.compile(bytes))];
  });
  return new Map(await Promise.all(compiled));
}

let program: Promise<Program> | undefined;

/** Compiles the component once, however many gates are opened. What failed, as a network does, is tried again by whoever asks next. */
export function compiled(load: Load): Promise<Program> {
  program ??= compile(load).catch((error: unknown) => {
    program = undefined;
    throw error;
  });
  return program;
}

/** Calls into an instance that has no directories. */
export async function apart<T>(program: Program, call: (exports: Exports) => T): Promise<T> {
  return call(await instantiate((name) => program.get(name) as WebAssembly.Module, imports([], {}, new Set()), instance));
}

export class Engine {
  readonly #start: (held: Held) => Promise<Exports>;
  readonly #end: () => void;
  #instance: Exports | undefined;
  #starting: Promise<void> | undefined;
  #held: Held = new Set();
  #isClosed = false;

  /** Every operation, as the component tells of it. */
  tools: readonly Tool[] = [];
  /** The names of its front ends. */
  frontEnds: readonly string[] = [];

  private constructor(program: Program, preopens: Preopen[], variables: Record<string, string>) {
    const core = (name: string): WebAssembly.Module => program.get(name) as WebAssembly.Module;
    this.#start = (held) => instantiate(core, imports(preopens, variables, held), instance);
    this.#end = () => closeAll(preopens.map(({ open }) => open));
  }

  /** What is handed in is the engine's from here on: it is closed with it, also if there is none in the end. */
  static async open(program: Program, preopens: Preopen[], variables: Record<string, string>): Promise<Engine> {
    const engine = new Engine(program, preopens, variables);
    try {
      const told = await engine.run('open', ({ agent, frontEnds = {} }) => ({ tools: agent.tools(), frontEnds: Object.keys(frontEnds) }));
      return Object.assign(engine, told);
    } catch (error) {
      engine.close();
      throw error;
    }
  }

  /**
   * Calls into the instance: at once if there is one, so that what is called before `close` is done before it. What it refuses and what
   * it traps at are both errors; after a trap the next call gets a fresh one.
   */
  async run<T>(operation: string, call: (exports: Exports) => T): Promise<T> {
    for (;;) {
      if (this.#isClosed) throw new TypeError('the gate is closed');
      try {
        if (this.#instance) return call(this.#instance);
        // Several calls may wait for one instance, and the first of them may lose it again.
        await (this.#starting ??= this.#begin());
      } catch (error) {
        // jco throws the contract's `call-error` as it is.
        if (typeof error === 'object' && error !== null && 'error' in error) throw FsgateError.from(String(error.error));
        this.#discard();
        // What is no argument at all was refused before it came to the component.
        if (error instanceof TypeError) throw error;
        throw trapped(operation, error);
      }
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#discard();
    this.#end();
  }

  async #begin(): Promise<void> {
    const held: Held = new Set();
    try {
      const instance = await this.#start(held);
      if (this.#isClosed) return;
      this.#instance = instance;
      this.#held = held;
    } finally {
      this.#starting = undefined;
      if (this.#held !== held) closeAll(held);
    }
  }

  #discard(): void {
    const held = this.#held;
    this.#held = new Set();
    this.#instance = undefined;
    closeAll(held);
  }
}

/** Browsers make large instances in a page's own thread only so. */
async function instance(core: WebAssembly.Module, imports: WebAssembly.Imports): Promise<WebAssembly.Instance> {
  return WebAssembly.instantiate(core, imports);
}

/** Closes all of it, whatever one of them says: nobody can do anything about it, and the others must not stay open for that. */
function closeAll(open: Iterable<{ close(): void }>): void {
  for (const each of open) {
    try {
      each.close();
    } catch {
      // It is as closed as it will ever be.
    }
  }
}

/** What the program says in its own host. Of an operation that changes something nobody knows how far it has come. */
function trapped(operation: string, cause: unknown): FsgateError {
  const applied = operation !== 'open' && !operations[operation]?.readOnly;
  const report = 'report it, with the call that caused it';
  return FsgateError.from(JSON.stringify({
    code: 'other',
    text: cause instanceof Error ? cause.message : String(cause),
    operation,
    message: 'the component failed; this is a fault in fsgate',
    applied,
    repair: applied ? `${report}; look at what it was to change before making it again` : report,
  }), { cause });
}

/** Instances of the component: one lives as long as it does not trap. */
import type { Exports, Tool } from './component/fsgate.js';
import { instantiate } from './component/fsgate.js';
import { FsgateError } from './errors.js';
import { cores, operations } from './generated/tables.js';
import type { Held } from './wasi/descriptor.js';
import type { Preopen } from './wasi/imports.js';
import { imports } from './wasi/imports.js';

/** The source of the component's bytes. */
export type Load = (url: URL) => Promise<BufferSource | Response>;

/** The compiled component. */
export type Program = ReadonlyMap<string, WebAssembly.Module>;

export async function compile(load: Load): Promise<Program> {
  const compiled = Object.entries(cores).map(async ([name, url]): Promise<[string, WebAssembly.Module]> => {
    const bytes = await load(url);
    return [name, await ('arrayBuffer' in bytes ? WebAssembly.compileStreaming(bytes) : WebAssembly.compile(bytes))];
  });
  return new Map(await Promise.all(compiled));
}

let program: Promise<Program> | undefined;

/**
 * Compiles the component once for all gates. The next caller repeats a failed attempt, for example
 * of a network.
 */
export function compiled(load: Load): Promise<Program> {
  program ??= compile(load).catch((error: unknown) => {
    program = undefined;
    throw error;
  });
  return program;
}

/** Calls into an instance without directories. */
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

  tools: readonly Tool[] = [];
  lean: readonly Tool[] = [];
  frontEnds: readonly string[] = [];

  private constructor(program: Program, preopens: Preopen[], variables: Record<string, string>) {
    const core = (name: string): WebAssembly.Module => program.get(name) as WebAssembly.Module;
    this.#start = (held) => instantiate(core, imports(preopens, variables, held), instance);
    this.#end = () => closeAll(preopens.map(({ open }) => open));
  }

  /** Opens an engine, which closes the preopens with itself, also after a failure. */
  static async open(program: Program, preopens: Preopen[], variables: Record<string, string>): Promise<Engine> {
    const engine = new Engine(program, preopens, variables);
    try {
      const told = await engine.run('open', ({ agent, leanAgent, frontEnds = {} }) => (
        { tools: agent.tools(), lean: leanAgent?.tools() ?? [], frontEnds: Object.keys(frontEnds) }));
      return Object.assign(engine, told);
    } catch (error) {
      engine.close();
      throw error;
    }
  }

  /**
   * Calls into the instance, at once if one exists, so that earlier calls precede `close`. Refusals
   * and traps are errors; after a trap the next call gets a fresh instance.
   */
  async run<T>(operation: string, call: (exports: Exports) => T): Promise<T> {
    for (;;) {
      if (this.#isClosed) throw new TypeError('the gate is closed');
      try {
        if (this.#instance) return call(this.#instance);
        // Several calls may wait for one instance, and the first of them may lose it again.
        await (this.#starting ??= this.#begin());
      } catch (error) {
        // jco throws the contract's `call-error` unchanged.
        if (typeof error === 'object' && error !== null && 'error' in error) throw FsgateError.from(String(error.error));
        this.#discard();
        // An invalid argument was refused before it came to the component.
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

/** Browsers make large instances in a page's own thread only asynchronously. */
async function instance(core: WebAssembly.Module, imports: WebAssembly.Imports): Promise<WebAssembly.Instance> {
  return WebAssembly.instantiate(core, imports);
}

/** Closes everything, also after a failure to close one. */
function closeAll(open: Iterable<{ close(): void }>): void {
  for (const each of open) {
    try {
      each.close();
    } catch {
    }
  }
}

/** The program's error in its own host. The progress of a changing operation is unknown. */
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

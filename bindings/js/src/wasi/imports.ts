/** Everything that the component is given. */
import type { Open } from './open.js';
import type { Held } from './descriptor.js';
import { Descriptor, DirectoryEntryStream } from './descriptor.js';

/** An open directory, the name that it has inside, and whether anything in it may be changed. */
export interface Preopen {
  open: Open;
  name: string;
  writable: boolean;
}

/** What one instance imports. `held` fills with what it holds open. */
export function imports(preopens: Preopen[], variables: Record<string, string>, held: Held): Record<string, object> {
  return {
    'wasi:cli/environment': { getEnvironment: () => Object.entries(variables) },
    'wasi:clocks/monotonic-clock': {
      now: () => BigInt(Math.round(performance.now() * 1e6)),
      subscribeDuration: (nanoseconds: bigint) => new Pollable(Number(nanoseconds) / 1e6),
    },
    'wasi:clocks/wall-clock': {
      now() {
        const millis = Date.now();
        return { seconds: BigInt(Math.floor(millis / 1000)), nanoseconds: (millis % 1000) * 1e6 };
      },
    },
    'wasi:filesystem/preopens': {
      getDirectories: () => preopens.map(({ open, name, writable }) => [new Descriptor(open, writable, held), name]),
    },
    'wasi:filesystem/types': { Descriptor, DirectoryEntryStream },
    'wasi:io/poll': { Pollable },
    'wasi:random/random': {
      getRandomU64: () => crypto.getRandomValues(new BigUint64Array(1))[0],
      getRandomBytes: (length: bigint) => crypto.getRandomValues(new Uint8Array(Number(length))),
    },
  };
}

/** A moment to wait for: until somebody else is done with a state directory. */
class Pollable {
  readonly #until: number;

  constructor(millis: number) {
    this.#until = performance.now() + millis;
  }

  ready(): boolean {
    return performance.now() >= this.#until;
  }

  /** A page's own thread may not sleep; nobody else is at work on its memory then either, and the moment passes. */
  block(): void {
    while (!this.ready()) {
      try {
        Atomics.wait(SLEEP, 0, 0, Math.max(this.#until - performance.now(), 0));
      } catch {
        // Awake until then.
      }
    }
  }
}

// Pages have shared memory only where they are isolated from others; what is not shared cannot be waited for.
const SLEEP = new Int32Array(typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(4) : new ArrayBuffer(4));

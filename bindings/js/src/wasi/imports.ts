/** Everything that the component is given. */
import type { Open } from './open.js';
import type { Held } from './descriptor.js';
import { Descriptor, DirectoryEntryStream } from './descriptor.js';

/** An open directory, its inside name, and whether its content may be changed. */
export interface Preopen {
  open: Open;
  name: string;
  writable: boolean;
}

/** The imports of one instance. `held` fills with its open objects. */
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

/** A wait until another session is done with a state directory. */
class Pollable {
  readonly #until: number;

  constructor(millis: number) {
    this.#until = performance.now() + millis;
  }

  ready(): boolean {
    return performance.now() >= this.#until;
  }

  /**
   * A page's own thread may not sleep. No other session uses its memory then either, and the time
   * passes.
   */
  block(): void {
    while (!this.ready()) {
      try {
        Atomics.wait(SLEEP, 0, 0, Math.max(this.#until - performance.now(), 0));
      } catch {
        // Busy until then.
      }
    }
  }
}

// Pages have shared memory only if they are isolated, and only shared memory can be waited for.
const SLEEP = new Int32Array(typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(4) : new ArrayBuffer(4));

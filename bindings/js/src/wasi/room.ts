/** How much a directory in memory takes of the program's memory. */
import { refuse } from './open.js';

/** A ceiling, and what is under it. Everything that is made in one directory in memory is counted here, wherever it is moved to. */
export class Room {
  #taken = 0;

  constructor(readonly bytes: number) {}

  take(bytes: number): void {
    if (!this.has(bytes)) refuse('insufficient-space');
    this.#taken += bytes;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }

  has(bytes: number): boolean {
    return bytes <= this.bytes - this.#taken;
  }
}

/** What a `Memory` has if nothing is said: a large project, and a part of what a page may have. */
export const CEILING = 256 << 20;

/** What each file, link and directory is counted with beside its content: names without content are not for nothing. */
export const THING_BYTES = 512;

/** The memory that a directory in memory takes of the program. */
import { refuse } from './open.js';

/**
 * A ceiling, and the memory under it. An object counts in the directory that made it, also after a
 * move.
 */
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

/** A `Memory`'s default: a large project, and a part of a page's memory. */
export const CEILING = 256 << 20;

/** The size of each file, link and directory beside its content: names take memory too. */
export const THING_BYTES = 512;

/** Files, links and directories in memory. A refusal throws a code of `wasi:filesystem`. */
import type { Stat, Type } from './open.js';
import { refuse } from './open.js';
import type { Room } from './room.js';
import { THING_BYTES } from './room.js';

const ENCODER = new TextEncoder();

abstract class Thing {
  static #made = 0n;
  abstract readonly type: Type;
  readonly id = (Thing.#made += 1n);
  modified = now();
  links = 1n;

  constructor(readonly room: Room) {
    room.take(THING_BYTES);
  }

  get size(): number {
    return 0;
  }

  stat(): Stat {
    return { type: this.type, links: this.links, size: BigInt(this.size), modified: this.modified, identity: [MEMORY, this.id] };
  }

  /** Removes a name; the last one removes the object. */
  unlink(): void {
    this.links -= 1n;
    if (this.links === 0n) this.room.give(THING_BYTES);
  }
}

/** Replaces a device number; no device has it. */
const MEMORY = (1n << 64n) - 1n;

function now(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

/** The content of a file, with spare space, so that appending does not always copy it. */
export class File extends Thing {
  readonly type = 'regular-file';
  #space = new Uint8Array();
  #size = 0;
  #opened = 0;

  constructor(room: Room, bytes: Uint8Array) {
    super(room);
    this.write(bytes, 0);
  }

  override get size(): number {
    return this.#size;
  }

  get bytes(): Uint8Array {
    return this.#space.subarray(0, this.#size);
  }

  write(bytes: Uint8Array, offset: number): void {
    if (offset + bytes.length > this.#size) this.resize(offset + bytes.length);
    this.#space.set(bytes, offset);
    this.modified = now();
  }

  resize(size: number): void {
    if (size > LARGEST) refuse('insufficient-space');
    this.room.take(size - this.#size);
    if (size > this.#space.length || size < this.#space.length / 2) this.#move(size);
    this.#space.fill(0, Math.min(size, this.#size), this.#size);
    this.#size = size;
    this.modified = now();
  }

  opened(): void {
    this.#opened += 1;
  }

  closed(): void {
    this.#opened -= 1;
    this.#leave();
  }

  override unlink(): void {
    super.unlink();
    this.#leave();
  }

  /** Moves growing content to twice its space. */
  #move(size: number): void {
    try {
      const space = new Uint8Array(size > this.#size ? Math.min(LARGEST, Math.max(size, this.#size * 2)) : size);
      space.set(this.bytes.subarray(0, size));
      this.#space = space;
    } catch {
      // The engine has no more memory, whatever the ceiling.
      this.room.give(size - this.#size);
      refuse('insufficient-space');
    }
  }

  /** An object without a name exists while it is open. */
  #leave(): void {
    if (this.links > 0n || this.#opened > 0) return;
    this.room.give(this.#size);
    this.#space = new Uint8Array();
    this.#size = 0;
  }
}

/** Most bytes that an engine can hold in one piece. */
const LARGEST = 2 ** 31 - 1;

export class Link extends Thing {
  readonly type = 'symbolic-link';

  constructor(room: Room, readonly target: string) {
    super(room);
  }

  override get size(): number {
    return ENCODER.encode(this.target).length;
  }
}

export class Directory extends Thing {
  readonly type = 'directory';
  readonly names = new Map<string, Thing>();

  /** It was removed, so it gets no new names. */
  get gone(): boolean {
    return this.links === 0n;
  }

  put(name: string, thing: Thing): void {
    this.mayHave(name);
    this.names.set(name, thing);
    this.modified = now();
  }

  /** Refuses an impossible name. */
  mayHave(name: string): void {
    if (this.gone) refuse('no-entry');
    if (isLong(name)) refuse('name-too-long');
  }

  take(name: string): void {
    this.names.delete(name);
    this.modified = now();
  }

  get(name: string): Thing {
    if (isLong(name)) refuse('name-too-long');
    return this.names.get(name) ?? refuse('no-entry');
  }

  child(name: string): Directory {
    if (!this.names.has(name)) this.put(name, new Directory(this.room));
    const child = this.get(name);
    return child instanceof Directory ? child : refuse('not-directory');
  }

  *files(above: string): Generator<[string, Uint8Array]> {
    for (const [name, thing] of this.names) {
      if (thing instanceof File) yield [above + name, new Uint8Array(thing.bytes)];
      if (thing instanceof Directory) yield* thing.files(`${above}${name}/`);
    }
  }
}

/** True for a name that is too long. */
export function isLong(name: string): boolean {
  return ENCODER.encode(name).length > NAME_BYTES;
}

/** The limit of most file systems. */
const NAME_BYTES = 255;

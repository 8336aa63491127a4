/** Directories that exist nowhere but here. */
import type { How, Listing, Open, Stat, Type } from './open.js';
import { refuse } from './open.js';

const ENCODER = new TextEncoder();

/** A directory in memory, to be granted in the place of one of the machine. It is the only kind that there is in a browser. */
export class Memory {
  /** Only the gate looks into it. */
  readonly root = new Directory();

  /**
   * Files by their paths, with texts or bytes; the directories on the way come by themselves. A path that ends with `/` is an empty
   * directory.
   */
  constructor(files: Record<string, string | Uint8Array> = {}) {
    for (const [path, content] of Object.entries(files)) {
      const names = path.split('/').filter((name) => name !== '' && name !== '.');
      if (names.includes('..')) throw new TypeError(`a directory in memory has nothing above it: ${path}`);
      const name = path.endsWith('/') ? undefined : names.pop();
      const directory = names.reduce((above: Directory, next) => above.child(next), this.root);
      if (name !== undefined) directory.put(name, new File(typeof content === 'string' ? ENCODER.encode(content) : content.slice()));
    }
  }

  /** Everything in it now: files by their paths, without links and empty directories. */
  files(): Record<string, Uint8Array> {
    return Object.fromEntries(this.root.files(''));
  }
}

/** What a name stands for. */
abstract class Thing {
  static #made = 0n;
  abstract readonly type: Type;
  readonly id = (Thing.#made += 1n);
  modified = now();
  links = 1n;

  get size(): number {
    return 0;
  }

  stat(): Stat {
    return { type: this.type, links: this.links, size: BigInt(this.size), modified: this.modified, identity: [MEMORY, this.id] };
  }
}

/** In the place of a device's number; no device has this one. */
const MEMORY = (1n << 64n) - 1n;

function now(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

/** The content of a file, with room behind it so that adding to it does not copy all of it each time. */
export class File extends Thing {
  readonly type = 'regular-file';
  #room: Uint8Array;
  #size: number;

  constructor(bytes: Uint8Array) {
    super();
    this.#room = bytes;
    this.#size = bytes.length;
  }

  override get size(): number {
    return this.#size;
  }

  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#size);
  }

  write(bytes: Uint8Array, offset: number): void {
    if (offset + bytes.length > this.#size) this.resize(offset + bytes.length);
    this.#room.set(bytes, offset);
    this.modified = now();
  }

  resize(size: number): void {
    if (size > LARGEST) refuse('insufficient-space');
    if (size > this.#room.length) {
      const room = new Uint8Array(Math.min(LARGEST, Math.max(size, this.#size * 2)));
      room.set(this.bytes);
      this.#room = room;
    } else {
      this.#room.fill(0, Math.min(size, this.#size), this.#size);
    }
    this.#size = size;
    this.modified = now();
  }
}

/** What an engine can hold in one piece. */
const LARGEST = 2 ** 31 - 1;

export class Link extends Thing {
  readonly type = 'symbolic-link';

  constructor(readonly target: string) {
    super();
  }

  override get size(): number {
    return ENCODER.encode(this.target).length;
  }
}

export class Directory extends Thing {
  readonly type = 'directory';
  readonly names = new Map<string, Thing>();
  /** It was removed, so nothing comes into it any more. */
  gone = false;

  put(name: string, thing: Thing): void {
    if (this.gone) refuse('no-entry');
    if (ENCODER.encode(name).length > NAME_BYTES) refuse('name-too-long');
    this.names.set(name, thing);
    this.modified = now();
  }

  take(name: string): void {
    this.names.delete(name);
    this.modified = now();
  }

  get(name: string): Thing {
    if (ENCODER.encode(name).length > NAME_BYTES) refuse('name-too-long');
    return this.names.get(name) ?? refuse('no-entry');
  }

  /** The directory with this name, made if it is missing. */
  child(name: string): Directory {
    if (!this.names.has(name)) this.put(name, new Directory());
    const child = this.get(name);
    if (!(child instanceof Directory)) throw new TypeError(`\`${name}\` is a file and a directory`);
    return child;
  }

  *files(above: string): Generator<[string, Uint8Array]> {
    for (const [name, thing] of this.names) {
      if (thing instanceof File) yield [above + name, thing.bytes.slice()];
      if (thing instanceof Directory) yield* thing.files(`${above}${name}/`);
    }
  }
}

/** What most file systems have. */
const NAME_BYTES = 255;

/** Hands a directory in. */
export function openMemory(directory: Directory): Open {
  return new InMemory(directory);
}

class InMemory implements Open {
  readonly kind: 'directory' | 'regular-file';

  constructor(readonly thing: Directory | File) {
    this.kind = thing.type;
  }

  get #names(): Directory {
    return this.thing instanceof Directory ? this.thing : refuse('not-directory');
  }

  get #file(): File {
    return this.thing instanceof File ? this.thing : refuse('is-directory');
  }

  open(name: string, how: How): Open {
    const found = name === '.' ? this.#names : this.#names.names.get(name);
    if (!found && how.create) {
      const file = new File(new Uint8Array());
      this.#names.put(name, file);
      return new InMemory(file);
    }
    if (!found) this.#names.get(name);
    if (found && how.exclusive) refuse('exist');
    if (found instanceof Link) refuse('loop');
    if (how.directory && !(found instanceof Directory)) refuse('not-directory');
    if (how.write && found instanceof Directory) refuse('is-directory');
    return new InMemory(found as Directory | File);
  }

  stat(): Stat {
    return this.thing.stat();
  }

  statAt(name: string): Stat {
    return this.#names.get(name).stat();
  }

  readLink(name: string): string {
    const link = this.#names.get(name);
    if (!(link instanceof Link)) refuse('invalid');
    return link.target.startsWith('/') ? refuse('not-permitted') : link.target;
  }

  list(): Listing {
    // As it is now: what changes while it is read is not there.
    const names = [...this.#names.names].map(([name, { type }]) => ({ name, type })).values();
    return { next: () => names.next().value, close() {} };
  }

  read(length: number, offset: number): Uint8Array {
    return this.#file.bytes.slice(offset, offset + length);
  }

  write(bytes: Uint8Array, offset: number): number {
    this.#file.write(bytes, offset);
    return bytes.length;
  }

  setSize(size: number): void {
    this.#file.resize(size);
  }

  sync(): void {}

  close(): void {}

  createDirectory(name: string): void {
    if (this.#names.names.has(name)) refuse('exist');
    this.#names.put(name, new Directory());
  }

  removeDirectory(name: string): void {
    const directory = this.#names.get(name);
    if (!(directory instanceof Directory)) refuse('not-directory');
    if (directory.names.size > 0) refuse('not-empty');
    directory.gone = true;
    this.#names.take(name);
  }

  removeFile(name: string): void {
    const thing = this.#names.get(name);
    if (thing instanceof Directory) refuse('is-directory');
    this.#names.take(name);
    thing.links -= 1n;
  }

  rename(name: string, to: Open, newName: string): void {
    if (!(to instanceof InMemory)) refuse('cross-device');
    const [from, into] = [this.#names, to.#names];
    const thing = from.get(name);
    const there = into.names.get(newName);
    if (there === thing) return;
    if (thing instanceof Directory && holds(thing, into)) refuse('invalid');
    if (there instanceof Directory) {
      if (!(thing instanceof Directory)) refuse('is-directory');
      if (there.names.size > 0) refuse('not-empty');
      there.gone = true;
    } else if (there) {
      if (thing instanceof Directory) refuse('not-directory');
      there.links -= 1n;
    }
    into.put(newName, thing);
    from.take(name);
  }

  link(name: string, to: Open, newName: string): void {
    if (!(to instanceof InMemory)) refuse('cross-device');
    const thing = this.#names.get(name);
    if (thing instanceof Directory) refuse('not-permitted');
    if (to.#names.names.has(newName)) refuse('exist');
    to.#names.put(newName, thing);
    thing.links += 1n;
  }
}

/** True if `inner` is `outer`, or lies in it. */
function holds(outer: Directory, inner: Directory): boolean {
  return outer === inner || [...outer.names.values()].some((thing) => thing instanceof Directory && holds(thing, inner));
}

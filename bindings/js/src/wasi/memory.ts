/** Directories in memory. */
import { isRecord, strayName } from '../known.js';
import { refuseStart } from '../refusals.js';
import type { How, Listing, Open, Stat } from './open.js';
import { refuse } from './open.js';
import { CEILING, Room, THING_BYTES } from './room.js';
import { Directory, File, Link, isLong } from './things.js';

const ENCODER = new TextEncoder();

/** The options of a directory in memory. */
export interface MemoryOptions {
  /**
   * Most bytes of content, with 512 for each file and directory; more is refused as `no_space`. By
   * default 256 MiB. Deleted content counts while a history keeps it.
   */
  bytes?: number;
}

/** A directory in memory, granted in place of one of the machine. A browser has no other kind. */
export class Memory {
  readonly root: Directory;

  /**
   * Files by path, with texts or bytes, which are copied; directories on the way are made. A path
   * that ends with `/` is an empty directory.
   */
  constructor(files: Record<string, string | Uint8Array> = {}, options: MemoryOptions = {}) {
    if (!isRecord(files)) refuseStart('noRecord', 'files', "{ 'a.txt': 'text' }");
    if (!isRecord(options)) refuseStart('noRecord', 'options', '{ bytes: 1048576 }');
    const stray = strayName(options, ['bytes']);
    if (stray) refuseStart('unknownOption', stray);
    const { bytes = CEILING } = options;
    if (typeof bytes !== 'number' || !(bytes >= THING_BYTES)) refuseStart('noCeiling', bytes);
    this.root = filled(new Directory(new Room(bytes)), files);
  }

  /** Its present files by path, without links and empty directories. */
  files(): Record<string, Uint8Array> {
    return Object.fromEntries(this.root.files(''));
  }
}

/** Adds files, or reports one that is impossible. */
function filled(root: Directory, files: Record<string, string | Uint8Array>): Directory {
  for (const [path, content] of Object.entries(files)) {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    const last = names.at(-1) ?? refuseStart('nameless', path);
    if (names.includes('..')) refuseStart('above', path);
    if (path.includes('\0')) refuseStart('zeroByte', path);
    for (const name of names) if (isLong(name)) refuseStart('longName', name);
    const isDirectory = /\/\.?$/.test(path);
    const bytes = bytesOf(content) ?? refuseStart('noContent', path);
    if (isDirectory && bytes.length > 0) refuseStart('directoryContent', path);
    try {
      const directory = (isDirectory ? names : names.slice(0, -1)).reduce((above, name) => above.child(name), root);
      if (isDirectory) continue;
      const there = directory.names.get(last);
      if (there) refuseStart(there instanceof Directory ? 'fileAndDirectory' : 'twice', path);
      directory.put(last, new File(root.room, bytes));
    } catch (error) {
      // These codes are for the component; here a person reads the error.
      if (error === 'not-directory') refuseStart('fileAndDirectory', path);
      if (error === 'insufficient-space') refuseStart('tooMuch', root.room.bytes);
      throw error;
    }
  }
  return root;
}

/** Bytes, also of another page's or context's class. */
function bytesOf(content: unknown): Uint8Array | undefined {
  if (typeof content === 'string') return ENCODER.encode(content);
  return ArrayBuffer.isView(content) && content[Symbol.toStringTag as never] === 'Uint8Array' ? content as Uint8Array : undefined;
}

/** Opens a directory for an instance. */
export function openMemory(directory: Directory): Open {
  return new InMemory(directory);
}

class InMemory implements Open {
  readonly kind: 'directory' | 'regular-file';

  constructor(readonly thing: Directory | File) {
    this.kind = thing.type;
    if (thing instanceof File) thing.opened();
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
      this.#names.mayHave(name);
      const file = new File(this.#names.room, new Uint8Array());
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
    return link.target;
  }

  list(): Listing {
    // A snapshot: changes during the listing are left out.
    const names = [...this.#names.names].map(([name, { type }]) => ({ name, type })).values();
    return { next: () => names.next().value, close() {} };
  }

  read(length: number, offset: number): Uint8Array {
    return new Uint8Array(this.#file.bytes.subarray(offset, offset + length));
  }

  write(bytes: Uint8Array, offset: number): number {
    this.#file.write(bytes, offset);
    return bytes.length;
  }

  setSize(size: number): void {
    this.#file.resize(size);
  }

  sync(): void {}

  close(): void {
    if (this.thing instanceof File) this.thing.closed();
  }

  createDirectory(name: string): void {
    if (this.#names.names.has(name)) refuse('exist');
    this.#names.mayHave(name);
    this.#names.put(name, new Directory(this.#names.room));
  }

  removeDirectory(name: string): void {
    const directory = this.#names.get(name);
    if (!(directory instanceof Directory)) refuse('not-directory');
    if (directory.names.size > 0) refuse('not-empty');
    directory.unlink();
    this.#names.take(name);
  }

  removeFile(name: string): void {
    const thing = this.#names.get(name);
    if (thing instanceof Directory) refuse('is-directory');
    this.#names.take(name);
    thing.unlink();
  }

  rename(name: string, to: Open, newName: string): void {
    if (!(to instanceof InMemory)) refuse('cross-device');
    const [from, into] = [this.#names, to.#names];
    const thing = from.get(name);
    const there = into.names.get(newName);
    if (there === thing) return;
    if (thing instanceof Directory && holds(thing, into)) refuse('invalid');
    into.mayHave(newName);
    if (there instanceof Directory) {
      if (!(thing instanceof Directory)) refuse('is-directory');
      if (there.names.size > 0) refuse('not-empty');
    } else if (there) {
      if (thing instanceof Directory) refuse('not-directory');
    }
    there?.unlink();
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

/** True if `inner` is `outer` or inside of it. */
function holds(outer: Directory, inner: Directory): boolean {
  return outer === inner || [...outer.names.values()].some((thing) => thing instanceof Directory && holds(thing, inner));
}

/**
 * `wasi:filesystem` for the component: every call takes a single name, follows no link, and asks
 * `changeable` for rights. This holds for any component. Ours does the same; neither relies on the
 * other.
 */
import type { How, Listing, Open, Stat, Type } from './open.js';
import { identity } from './identity.js';
import { orClosed, refuse } from './open.js';

const dispose: unique symbol = (Symbol.dispose ?? Symbol.for('dispose')) as never;

/** The open objects of an instance, to be closed with it. */
export type Held = Set<{ close(): void }>;

interface Flags {
  read?: boolean;
  write?: boolean;
  mutateDirectory?: boolean;
  fileIntegritySync?: boolean;
  dataIntegritySync?: boolean;
  requestedWriteSync?: boolean;
}
interface OpenFlags { create?: boolean; directory?: boolean; exclusive?: boolean; truncate?: boolean }
interface PathFlags { symlinkFollow?: boolean }

/**
 * The last offset that a number of this language can express; Node takes a larger one as the
 * current position.
 */
const LAST = BigInt(Number.MAX_SAFE_INTEGER);

/** An open file or directory, with the access of its grant. */
export class Descriptor {
  readonly #open: Open;
  readonly #writable: boolean;
  readonly #flags: Flags;
  readonly #held: Held;

  constructor(open: Open, writable: boolean, held: Held, flags: Flags = writable ? { read: true, mutateDirectory: true } : { read: true }) {
    this.#open = open;
    this.#writable = writable;
    this.#held = held;
    this.#flags = flags;
  }

  /** The component drops it. A preopen stays open for the next instance. */
  [dispose](): void {
    if (this.#held.delete(this.#open)) this.#open.close();
  }

  getFlags(): Flags {
    return this.#flags;
  }

  getType(): Type {
    return this.#open.kind;
  }

  openAt(_: PathFlags, name: string, how: OpenFlags, flags: Flags): Descriptor {
    const directory = this.#directory();
    const write = !!(flags.write || how.create || how.truncate);
    if (write || flags.mutateDirectory) this.#changeable();
    if (flags.fileIntegritySync || flags.dataIntegritySync || flags.requestedWriteSync) refuse('unsupported');
    if (how.directory && write) refuse('is-directory');
    // A component may open a preopened directory again.
    const single = how.directory && name === '.' ? name : one(name);
    const wanted: How = { directory: !!how.directory, write, create: !!how.create, exclusive: !!(how.exclusive && how.create) };
    const opened = directory.open(single, wanted);
    if (how.truncate && opened.kind === 'regular-file') orClosed(opened, () => opened.setSize(0));
    this.#held.add(opened);
    if (opened.kind === 'directory') return new Descriptor(opened, this.#writable, this.#held);
    return new Descriptor(opened, this.#writable, this.#held, write ? { read: true, write: true } : { read: true });
  }

  stat(): object {
    return described(this.#open.stat());
  }

  statAt(flags: PathFlags, name: string): object {
    return described(this.#look(flags, name));
  }

  metadataHash(): object {
    return identity(this.#open.stat().identity);
  }

  metadataHashAt(flags: PathFlags, name: string): object {
    return identity(this.#look(flags, name).identity);
  }

  isSameObject(other: Descriptor): boolean {
    return String(this.#open.stat().identity) === String(other.#open.stat().identity);
  }

  read(length: bigint, offset: bigint): [Uint8Array, boolean] {
    const file = this.#file();
    // No file is so long.
    if (offset > LAST) return [new Uint8Array(), true];
    const bytes = file.read(Number(length), Number(offset));
    return [bytes, bytes.length === 0];
  }

  write(bytes: Uint8Array, offset: bigint): bigint {
    if (offset > LAST) refuse('file-too-large');
    return BigInt(this.#writableFile().write(bytes, Number(offset)));
  }

  setSize(size: bigint): void {
    if (size > LAST) refuse('file-too-large');
    this.#writableFile().setSize(Number(size));
  }

  sync(): void {
    this.#open.sync();
  }

  syncData(): void {
    this.#open.sync();
  }

  readDirectory(): DirectoryEntryStream {
    return new DirectoryEntryStream(this.#directory().list(), this.#held);
  }

  readlinkAt(name: string): string {
    return this.#directory().readLink(one(name));
  }

  createDirectoryAt(name: string): void {
    this.#changeable().createDirectory(one(name));
  }

  removeDirectoryAt(name: string): void {
    this.#changeable().removeDirectory(one(name));
  }

  unlinkFileAt(name: string): void {
    this.#changeable().removeFile(one(name));
  }

  renameAt(name: string, to: Descriptor, newName: string): void {
    this.#changeable().rename(one(name), to.#changeable(), one(newName));
  }

  linkAt(flags: PathFlags, name: string, to: Descriptor, newName: string): void {
    const [from, into] = [this.#changeable(), to.#changeable()];
    if (flags.symlinkFollow) refuse('invalid');
    from.link(one(name), into, one(newName));
  }

  /** No tool makes links, so no component may. */
  symlinkAt(): void {
    refuse('not-permitted');
  }

  /** The metadata of a name. A request to follow a link fails. */
  #look(flags: PathFlags, name: string): Stat {
    const stat = this.#directory().statAt(one(name));
    if (flags.symlinkFollow && stat.type === 'symbolic-link') refuse('loop');
    return stat;
  }

  #directory(): Open {
    return this.#open.kind === 'directory' ? this.#open : refuse('not-directory');
  }

  #file(): Open {
    return this.#open.kind === 'regular-file' ? this.#open : refuse('is-directory');
  }

  #writableFile(): Open {
    const file = this.#file();
    if (!this.#flags.write) refuse('not-permitted');
    return file;
  }

  /** The only check of rights: every change in a directory calls it first. */
  #changeable(): Open {
    if (!this.#writable) refuse('not-permitted');
    return this.#directory();
  }
}

export class DirectoryEntryStream {
  readonly #listing: Listing;
  readonly #held: Held;

  constructor(listing: Listing, held: Held) {
    this.#listing = listing;
    this.#held = held;
    held.add(listing);
  }

  readDirectoryEntry(): object | undefined {
    return this.#listing.next();
  }

  [dispose](): void {
    if (this.#held.delete(this.#listing)) this.#listing.close();
  }
}

/** Refuses all but a single name: others lead elsewhere. */
function one(name: string): string {
  if (name === '..' || name.includes('/')) refuse('not-permitted');
  if (name === '' || name === '.' || name.includes('\0')) refuse('invalid');
  return name;
}

function described(stat: Stat): object {
  const time = { seconds: stat.modified / NANOSECONDS, nanoseconds: Number(stat.modified % NANOSECONDS) };
  return {
    type: stat.type,
    linkCount: stat.links,
    size: stat.size,
    dataModificationTimestamp: stat.modified < 0n ? undefined : time,
  };
}

const NANOSECONDS = 1_000_000_000n;

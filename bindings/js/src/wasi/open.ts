/**
 * A file system for the gate: open files and directories, and single names in them. Paths and
 * rights are decided above (`descriptor.ts`). Links are never followed. A failure throws a code of
 * `wasi:filesystem`.
 */
export interface Open {
  readonly kind: 'directory' | 'regular-file';
  stat(): Stat;
  sync(): void;
  close(): void;

  // Of a file.
  read(length: number, offset: number): Uint8Array;
  write(bytes: Uint8Array, offset: number): number;
  setSize(size: number): void;

  // For a directory: `name` is one name, and `open` takes `.` as well.
  open(name: string, how: How): Open;
  statAt(name: string): Stat;
  readLink(name: string): string;
  list(): Listing;
  createDirectory(name: string): void;
  removeDirectory(name: string): void;
  removeFile(name: string): void;
  rename(name: string, to: Open, newName: string): void;
  link(name: string, to: Open, newName: string): void;
}

export interface How {
  /** Only a directory. */
  directory?: boolean;
  /** For writing too. */
  write?: boolean;
  /** Made if missing. */
  create?: boolean;
  /** Must not exist. */
  exclusive?: boolean;
}

/** The names in a directory, in no order. */
export interface Listing {
  next(): Entry | undefined;
  close(): void;
}

export interface Entry {
  name: string;
  type: Type;
}

export type Type =
  | 'regular-file' | 'directory' | 'symbolic-link' | 'fifo' | 'socket' | 'block-device' | 'character-device' | 'unknown';

export interface Stat {
  type: Type;
  links: bigint;
  size: bigint;
  /** Nanoseconds since 1970. */
  modified: bigint;
  /** Unique among all files. */
  identity: readonly [bigint, bigint];
}

/** A code of `wasi:filesystem`, all that the component learns. */
export type Code =
  | 'access' | 'bad-descriptor' | 'busy' | 'cross-device' | 'exist' | 'file-too-large' | 'illegal-byte-sequence'
  | 'insufficient-memory' | 'insufficient-space' | 'interrupted' | 'invalid' | 'io' | 'is-directory' | 'loop' | 'name-too-long'
  | 'no-device' | 'no-entry' | 'not-directory' | 'not-empty' | 'not-permitted' | 'overflow' | 'pipe' | 'quota' | 'read-only'
  | 'text-file-busy' | 'too-many-links' | 'unsupported';

/** Closes an open object if its use fails. */
export function orClosed<T>(open: { close(): void }, use: () => T): T {
  try {
    return use();
  } catch (error) {
    open.close();
    throw error;
  }
}

/** Refuses a call. For jco, a thrown value that is no `Error` is the component's answer. */
export function refuse(code: Code): never {
  throw code;
}

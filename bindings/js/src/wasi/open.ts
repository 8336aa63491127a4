/**
 * What a file system is to the gate: open files and directories, and single names in them. No path, no right: those are decided
 * above (`descriptor.ts`). Links are never followed. What fails is thrown as a code of `wasi:filesystem`.
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

  // Of a directory. `name` is one name, but for `open`, which takes `.` as well.
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

/** How something is opened. */
export interface How {
  /** Nothing but a directory will do. */
  directory?: boolean;
  /** For writing as well as for reading. */
  write?: boolean;
  /** It is made if it is not there. */
  create?: boolean;
  /** It must not be there. */
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
  /** Two numbers that no other file has. */
  identity: readonly [bigint, bigint];
}

/** A code of `wasi:filesystem`; the component is told nothing else. */
export type Code =
  | 'access' | 'bad-descriptor' | 'busy' | 'cross-device' | 'exist' | 'file-too-large' | 'illegal-byte-sequence'
  | 'insufficient-memory' | 'insufficient-space' | 'interrupted' | 'invalid' | 'io' | 'is-directory' | 'loop' | 'name-too-long'
  | 'no-device' | 'no-entry' | 'not-directory' | 'not-empty' | 'not-permitted' | 'overflow' | 'pipe' | 'quota' | 'read-only'
  | 'text-file-busy' | 'too-many-links' | 'unsupported';

/** What is open is not left open if what has to be done with it fails. */
export function orClosed<T>(open: { close(): void }, use: () => T): T {
  try {
    return use();
  } catch (error) {
    open.close();
    throw error;
  }
}

/** Refuses a call. jco takes what is thrown, if it is no `Error`, for the component's answer. */
export function refuse(code: Code): never {
  throw code;
}

/**
 * Directories of this machine.
 *
 * Node has no `openat`. On Linux `/proc/self/fd/N/name` opens a name in an open directory: the
 * kernel resolves it from the handle N, even if the directory was moved or replaced. So nothing
 * here depends on a path that another process could swap between a check and the opening. Elsewhere
 * the path of the directory replaces the handle, which is a race: see the README.
 */
import * as fs from 'node:fs';
import type { Code, Entry, How, Listing, Open, Stat, Type } from './open.js';
import { orClosed, refuse } from './open.js';
import { refuseStart } from '../refusals.js';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants;

/** Follows no link, waits for no FIFO, takes no terminal. */
const CAREFUL = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

/** Refuses a system that always follows links, such as Windows: every wall below needs this. */
export function requireNoFollow({ O_NOFOLLOW: flag }: { O_NOFOLLOW?: number } = fs.constants): void {
  if (!flag) refuseStart('followsLinks');
}

/** True where the kernel resolves names from handles. */
export const byHandle = fs.existsSync('/proc/self/fd');

/**
 * Opens a directory to hand in. The path is trusted: its links are followed. Only tests do without
 * handles by choice.
 */
export function openDirectory(path: string, handles: boolean = byHandle, constants: { O_NOFOLLOW?: number } = fs.constants): Open {
  requireNoFollow(constants);
  const real = fs.realpathSync(path);
  return new OnDisk(fs.openSync(real, O_RDONLY | O_DIRECTORY), 'directory', real, handles);
}

class OnDisk implements Open {
  readonly #at: string;

  constructor(readonly fd: number, readonly kind: Open['kind'], readonly path: string, readonly handles: boolean) {
    this.#at = handles ? `/proc/self/fd/${fd}` : path;
  }

  #of(name: string): string {
    return `${this.#at}/${name}`;
  }

  open(name: string, { directory, write, create, exclusive }: How): Open {
    const flags = CAREFUL | (write ? O_RDWR : O_RDONLY) | (directory ? O_DIRECTORY : 0)
      | (create ? O_CREAT : 0) | (exclusive ? O_EXCL : 0);
    return system(() => {
      let fd;
      try {
        fd = fs.openSync(this.#of(name), flags, 0o666);
      } catch (error) {
        // Linux reports a link this way when a directory is asked for.
        if (directory && codeOf(error) === 'not-directory' && this.statAt(name).type === 'symbolic-link') refuse('loop');
        throw error;
      }
      const path = name === '.' ? this.path : `${this.path}/${name}`;
      const opened = { close: () => fs.closeSync(fd) };
      return orClosed(opened, () => {
        const stat = fs.fstatSync(fd);
        if (stat.isDirectory()) return new OnDisk(fd, 'directory', path, this.handles);
        if (stat.isFile()) return new OnDisk(fd, 'regular-file', path, this.handles);
        // Another object has replaced it since the check.
        return refuse('not-permitted');
      });
    });
  }

  stat(): Stat {
    return system(() => told(fs.fstatSync(this.fd, { bigint: true })));
  }

  statAt(name: string): Stat {
    return system(() => told(fs.lstatSync(this.#of(name), { bigint: true })));
  }

  readLink(name: string): string {
    return text(system(() => fs.readlinkSync(this.#of(name), { encoding: 'buffer' })));
  }

  list(): Listing {
    const names = system(() => fs.opendirSync(this.#of('.'), { encoding: 'buffer' as BufferEncoding, bufferSize: 256 }));
    return {
      next(): Entry | undefined {
        const entry = system(() => names.readSync());
        if (!entry) return undefined;
        return { name: text(entry.name as unknown as Buffer), type: type(entry) };
      },
      close: () => system(() => names.closeSync()),
    };
  }

  read(length: number, offset: number): Uint8Array {
    const bytes = new Uint8Array(Math.min(length, READ_BYTES));
    return bytes.subarray(0, system(() => fs.readSync(this.fd, bytes, 0, bytes.length, offset)));
  }

  write(bytes: Uint8Array, offset: number): number {
    return system(() => fs.writeSync(this.fd, bytes, 0, bytes.length, offset));
  }

  setSize(size: number): void {
    system(() => fs.ftruncateSync(this.fd, size));
  }

  sync(): void {
    system(() => fs.fsyncSync(this.fd));
  }

  createDirectory(name: string): void {
    system(() => fs.mkdirSync(this.#of(name)));
  }

  removeDirectory(name: string): void {
    system(() => fs.rmdirSync(this.#of(name)));
  }

  removeFile(name: string): void {
    system(() => fs.unlinkSync(this.#of(name)));
  }

  rename(name: string, to: Open, newName: string): void {
    if (!(to instanceof OnDisk)) refuse('cross-device');
    system(() => fs.renameSync(this.#of(name), to.#of(newName)));
  }

  link(name: string, to: Open, newName: string): void {
    if (!(to instanceof OnDisk)) refuse('cross-device');
    // Outside of Linux the second name would be one of the link's target. The component then
    // renames it.
    if (!this.handles && this.statAt(name).type === 'symbolic-link') refuse('unsupported');
    system(() => fs.linkSync(this.#of(name), to.#of(newName)));
  }

  close(): void {
    fs.closeSync(this.fd);
  }
}

/** Most bytes of one read. */
const READ_BYTES = 1 << 20;

/** Makes a system call, and converts its error. */
function system<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw typeof error === 'string' ? error : codeOf(error);
  }
}

/**
 * The system's errors in the interface's words; the same table as in the program's own file system.
 */
const CODES: Record<string, Code> = {
  EACCES: 'access', EBADF: 'bad-descriptor', EAGAIN: 'busy', EBUSY: 'busy', EDQUOT: 'quota', EEXIST: 'exist',
  EFBIG: 'file-too-large', EILSEQ: 'illegal-byte-sequence', EINTR: 'interrupted', EINVAL: 'invalid', EISDIR: 'is-directory',
  ELOOP: 'loop', EMFILE: 'insufficient-memory', EMLINK: 'too-many-links', ENAMETOOLONG: 'name-too-long', ENODEV: 'no-device',
  ENOENT: 'no-entry', ENOMEM: 'insufficient-memory', ENOSPC: 'insufficient-space', ENOTDIR: 'not-directory',
  ENOTEMPTY: 'not-empty', ENOSYS: 'unsupported', ENOTSUP: 'unsupported', ENXIO: 'not-permitted', EPERM: 'not-permitted',
  EOVERFLOW: 'overflow', EPIPE: 'pipe', EROFS: 'read-only', ETXTBSY: 'text-file-busy', EXDEV: 'cross-device',
};

function codeOf(error: unknown): Code {
  return CODES[(error as NodeJS.ErrnoException).code ?? ''] ?? 'io';
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A name or a link's target; only UTF-8 can be reported. */
function text(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return refuse('illegal-byte-sequence');
  }
}

function told(stat: fs.BigIntStats): Stat {
  return { type: type(stat), links: stat.nlink, size: stat.size, modified: stat.mtimeNs, identity: [stat.dev, stat.ino] };
}

function type(of: fs.BigIntStats | fs.Dirent): Type {
  if (of.isFile()) return 'regular-file';
  if (of.isDirectory()) return 'directory';
  if (of.isSymbolicLink()) return 'symbolic-link';
  if (of.isFIFO()) return 'fifo';
  if (of.isSocket()) return 'socket';
  if (of.isBlockDevice()) return 'block-device';
  if (of.isCharacterDevice()) return 'character-device';
  return 'unknown';
}

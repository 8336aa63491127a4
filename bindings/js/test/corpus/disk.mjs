// Trees on a disk.

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDirectory } from '../../dist/wasi/disk.js';
import { bytesOf } from './cases.mjs';
import { fileOf, parent } from './verdict.mjs';

export const kind = 'disk';

// Calls sync each change, which takes no time on a file system in memory.
const BASE = fs.existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Returns the reason that a tree cannot be set up here: there is none. */
export function cannot() {}

/** Sets a tree up, until `remove` deletes it. */
export function setUp(tree) {
  const base = fs.realpathSync(fs.mkdtempSync(join(BASE, 'fsgate-')));
  const root = join(base, 'tree');
  fs.mkdirSync(join(base, 'state'));
  for (const { directory } of tree.grants) fs.mkdirSync(join(root, directory), { recursive: true });
  fs.mkdirSync(root, { recursive: true });
  const linkTarget = (target) => target.replaceAll('$root', root);
  // Hard links come last, after the files that they name.
  const late = ([, item]) => Number(item.kind === 'hard-link');
  for (const [path, item] of [...tree.items].sort((one, other) => late(one) - late(other))) {
    const at = join(root, path);
    fs.mkdirSync(join(root, parent(path)), { recursive: true });
    ({
      file() {
        fs.writeFileSync(at, tree.bytes(path));
        if (item.mode !== undefined) fs.chmodSync(at, item.mode);
      },
      'hard-link': () => fs.linkSync(join(root, item.to), at),
      link: () => fs.symlinkSync(linkTarget(item.target), at),
      directory: () => fs.mkdirSync(at, { recursive: true }),
      fifo: () => execFileSync('mkfifo', [at]),
      undecodable: () => fs.writeFileSync(Buffer.concat([Buffer.from(join(root, parent(path), '/')), bytesOf(item)]), ''),
    })[item.kind]();
  }
  const granted = tree.grants.map(({ directory, name, writable }) => ({ host: join(root, directory), name, writable }));
  const state = { host: join(base, 'state'), name: '/.fsgate', writable: true };
  return {
    directories: [...granted, state],
    preopens: () => [...granted, state].map(({ host, name, writable }) => ({ open: openDirectory(host), name, writable })),
    snapshot: () => new Map(walk(Buffer.from(root), '')),
    linkTarget,
    remove: () => fs.rmSync(base, { recursive: true }),
  };
}

/** Yields everything below a directory, without following links. */
function* walk(directory, above) {
  for (const name of fs.readdirSync(directory, { encoding: 'buffer' })) {
    const path = Buffer.concat([directory, Buffer.from('/'), name]);
    const shown = above + name.toString();
    const stat = fs.lstatSync(path, { bigint: true });
    const what = stat.isSymbolicLink() ? `link -> ${fs.readlinkSync(path)}`
      : stat.isDirectory() ? 'directory'
        : stat.isFile() ? fileOf(fs.readFileSync(path)) : 'special file';
    yield [shown, { what, inode: stat.ino, mode: Number(stat.mode & 0o7777n), links: Number(stat.nlink), modified: stat.mtimeNs }];
    if (stat.isDirectory()) yield* walk(path, `${shown}/`);
  }
}

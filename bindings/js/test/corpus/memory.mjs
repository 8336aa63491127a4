// Trees in memory.

import { Memory, openMemory } from '../../dist/wasi/memory.js';
import { Directory, File, Link } from '../../dist/wasi/things.js';
import { fileOf, parent } from './verdict.mjs';

export const kind = 'memory';

/** Returns the reason that a tree cannot be set up here. */
export function cannot(tree) {
  const kinds = new Set([...tree.items.values()].map((item) => item.kind));
  if (kinds.has('fifo')) return 'in memory nothing is a FIFO';
  if (kinds.has('undecodable')) return 'in memory every name is UTF-8';
  return undefined;
}

/** Sets a tree up. */
export function setUp(tree) {
  const { root } = new Memory();
  const directory = (path) => path.split('/').filter((name) => name !== '').reduce((above, name) => above.child(name), root);
  const put = (path, thing) => directory(parent(path)).put(path.slice(path.lastIndexOf('/') + 1), thing);
  for (const grant of tree.grants) directory(grant.directory);
  for (const [path, item] of tree.items) {
    ({
      file: () => put(path, new File(root.room, tree.bytes(path))),
      'hard-link': () => {},
      link: () => put(path, new Link(root.room, linkTarget(item.target))),
      directory: () => directory(path),
    })[item.kind]();
  }
  for (const [path, { kind: what, to }] of tree.items) {
    if (what !== 'hard-link') continue;
    const file = directory(parent(to)).get(to.slice(to.lastIndexOf('/') + 1));
    put(path, file);
    file.links += 1n;
  }
  const granted = tree.grants.map((grant) => ({ directory: directory(grant.directory), name: grant.name, writable: grant.writable }));
  const state = { directory: new Memory().root, name: '/.fsgate', writable: true };
  return {
    preopens: () => [...granted, state].map(({ directory: at, name, writable }) => ({ open: openMemory(at), name, writable })),
    snapshot: () => new Map(walk(root, '')),
    linkTarget,
    remove() {},
  };
}

function linkTarget(target) {
  return target.replaceAll('$root', '/root');
}

function* walk(directory, above) {
  for (const [name, thing] of directory.names) {
    const what = thing instanceof Directory ? 'directory' : thing instanceof File ? fileOf(thing.bytes) : `link -> ${thing.target}`;
    yield [above + name, { what, inode: thing.id, links: Number(thing.links), modified: thing.modified }];
    if (thing instanceof Directory) yield* walk(thing, `${above}${name}/`);
  }
}

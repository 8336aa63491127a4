// What an agent must not get, in every host that there is here: the package on a disk and in memory, and jco's own file system layer,
// for those who transpile the component themselves.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { WASIShim } from '@bytecodealliance/preview2-shim/instantiation';
import { instantiate } from '../dist/component/fsgate.js';
import { Engine, compile } from '../dist/engine.js';
import { AnyGate } from '../dist/gate.js';
import { Gate, Memory } from '../dist/node.js';
import { byHandle, openDirectory } from '../dist/wasi/disk.js';

const SECRET = 'classified';

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'fsgate-walls-')));
after(() => fs.rmSync(base, { recursive: true }));
const at = (...names) => join(base, ...names);

for (const directory of ['w', 'outside', 'w-beside']) fs.mkdirSync(at(directory));
fs.writeFileSync(at('outside/secret'), SECRET);
fs.writeFileSync(at('w-beside/secret'), SECRET);
const LINKS = {
  relative: '../outside/secret', absolute: at('outside/secret'), directory: '../outside', chain: 'relative',
  'chain-of-directories': 'directory', deep: 'd/../../outside/secret', dangling: '../outside/new', loop: 'loop', root: '/',
};

/** Makes the granted directory what it is in the beginning. It stays the same directory. */
function makeAnew() {
  for (const name of fs.readdirSync(at('w'))) fs.rmSync(at('w', name), { recursive: true });
  fs.mkdirSync(at('w/d'));
  fs.writeFileSync(at('w/a.txt'), 'one\n');
  for (const [name, target] of Object.entries(LINKS)) fs.symlinkSync(target, at('w', name));
}

makeAnew();

/** Calls of a tool, as JSON in and out; a refusal is told by its code. */
async function jcoAlone() {
  const program = (name) => new WebAssembly.Module(fs.readFileSync(new URL(`../dist/component/${name}`, import.meta.url)));
  const shim = new WASIShim({ sandbox: { preopens: { '/w': at('w') }, env: {}, enableNetwork: false } });
  const { agent } = await instantiate(program, shim.getImportObject());
  return async (tool, args) => {
    try {
      return agent.call({ tool, arguments: JSON.stringify(args) }).outcome;
    } catch (refused) {
      return refused.error ?? Promise.reject(refused);
    }
  };
}

function called(gate) {
  return (tool, args) => gate.call(tool, args).catch((error) => error.json ?? Promise.reject(error));
}

async function byPaths() {
  const preopens = [{ open: openDirectory(at('w'), false), name: '/w', writable: true }];
  return called(new AnyGate(await Engine.open(await compile((url) => readFile(url)), preopens, {})));
}

const HOSTS = {
  'the package': called(await Gate.open({ dirs: { '/w': at('w') } })),
  'the package, for reading only': called(await Gate.open({ readOnly: { '/w': at('w') } })),
  'the package, as it is where names are not opened from handles on': await byPaths(),
  'jco alone': await jcoAlone(),
};

const ESCAPES = [
  '../outside/secret', '/w/../outside/secret', 'd/../../outside/secret', '..', '../w-beside/secret', '/w-beside/secret', '/etc/passwd',
  at('outside/secret'), `/proc/self/root${at('outside/secret')}`, 'relative', 'absolute', 'directory/secret', 'chain', 'chain-of-directories/secret',
  'deep', 'dangling', 'loop', 'root/etc/passwd', 'd/../relative', './relative', 'relative/', 'directory/../outside/secret', '..\\outside\\secret',
  '%2e%2e/outside/secret', 'relative\0', '',
];

const CALLS = {
  read: (path) => ({ path }),
  read_bytes: (path) => ({ path }),
  grep: (path) => ({ path, pattern: SECRET }),
  write: (path) => ({ path, content: 'overwritten' }),
  append: (path) => ({ path, content: 'added' }),
  replace: (path) => ({ path, old: SECRET, new: 'replaced' }),
  create: (path) => ({ path: `${path}/made`, content: 'made', parents: true }),
  copy: (path) => ({ source: path, destination: 'copied' }),
  move: (path) => ({ source: 'a.txt', destination: path, overwrite: true }),
  delete: (path) => ({ path: `${path}/secret` }),
};

for (const [host, call] of Object.entries(HOSTS)) {
  test(`nothing outside is reached in ${host}`, async () => {
    const kept = () => ['outside', 'w-beside'].flatMap((name) => fs.readdirSync(at(name)).map((file) => `${name}/${file} ${fs.readFileSync(at(name, file))}`));
    const before = kept();
    for (const path of ESCAPES) {
      for (const [tool, args] of Object.entries(CALLS)) {
        makeAnew();
        const answer = await call(tool, args(path));
        const where = `${tool} ${JSON.stringify(path)}: ${answer}`;
        if (tool.startsWith('read')) assert.ok(JSON.parse(answer).code, where);
        assert.ok(!answer.includes(SECRET), where);
        assert.deepEqual(kept(), before, where);
      }
    }
    makeAnew();
    assert.ok(!(await call('grep', { pattern: SECRET })).includes(SECRET));
  });
}

test('what is granted for reading only stays as it is, whatever the component asks the host for', async () => {
  const { Descriptor } = await import('../dist/wasi/descriptor.js');
  const { openMemory } = await import('../dist/wasi/memory.js');
  const memory = new Memory({ 'a.txt': 'one\n', 'd/': '' });
  makeAnew();
  for (const open of [openDirectory(at('w')), openDirectory(at('w'), false), openMemory(memory.root)]) {
    const held = new Set();
    const [root, other] = [new Descriptor(open, false, held), new Descriptor(open, true, held)];
    const file = root.openAt({}, 'a.txt', {}, { read: true });
    for (const attempt of [
      () => root.openAt({}, 'a.txt', {}, { write: true }),
      () => root.openAt({}, 'a.txt', { truncate: true }, { read: true }),
      () => root.openAt({}, 'new', { create: true }, { read: true }),
      () => root.openAt({}, 'd', { directory: true }, { mutateDirectory: true }),
      () => root.openAt({}, 'd', { directory: true }, { read: true }).createDirectoryAt('new'),
      () => root.createDirectoryAt('new'),
      () => root.removeDirectoryAt('d'),
      () => root.unlinkFileAt('a.txt'),
      () => root.renameAt('a.txt', other, 'b.txt'),
      () => other.renameAt('a.txt', root, 'b.txt'),
      () => root.linkAt({}, 'a.txt', other, 'b.txt'),
      () => other.linkAt({}, 'a.txt', root, 'b.txt'),
      () => root.symlinkAt('x', 'y'),
      () => file.write(new Uint8Array(1), 0n),
      () => file.setSize(0n),
    ]) assert.throws(attempt, (code) => code === 'not-permitted', String(attempt));
    assert.deepEqual(root.getFlags(), { read: true });
    const written = other.openAt({}, 'a.txt', {}, { read: true, write: true });
    assert.throws(() => written.write(new Uint8Array(1), 2n ** 63n), (code) => code === 'file-too-large');
    assert.deepEqual(written.read(1n, 2n ** 63n), [new Uint8Array(), true]);
    // One name at a time, and no link, also where everything may be changed.
    for (const name of ['..', '../outside', 'd/x', '/etc', 'a/', '', '.', 'a\0b']) {
      assert.throws(() => other.openAt({}, name, {}, { read: true }), (code) => ['not-permitted', 'invalid'].includes(code), name);
      assert.throws(() => other.statAt({}, name), undefined, name);
      assert.throws(() => other.unlinkFileAt(name), undefined, name);
    }
    for (const each of held) each.close();
  }
  const disk = new Descriptor(openDirectory(at('w')), true, new Set());
  for (const name of Object.keys(LINKS)) {
    assert.throws(() => disk.openAt({ symlinkFollow: true }, name, {}, { read: true }), (code) => code === 'loop', name);
    assert.throws(() => disk.openAt({}, name, { directory: true }, { read: true }), (code) => code === 'loop', name);
  }
  // The component decides about the target of a link.
  assert.equal(disk.readlinkAt('absolute'), LINKS.absolute);
});

test('a FIFO holds nobody up', async () => {
  execFileSync('mkfifo', [at('w/fifo')]);
  const { Descriptor } = await import('../dist/wasi/descriptor.js');
  const root = new Descriptor(openDirectory(at('w')), true, new Set());
  // As if it had come there behind a look: the component itself would not open it.
  assert.throws(() => root.openAt({}, 'fifo', {}, { read: true }), (code) => code === 'not-permitted');
  assert.throws(() => root.openAt({}, 'fifo', {}, { read: true, write: true }), (code) => code === 'not-permitted');
  assert.equal(JSON.parse(await HOSTS['the package']('read', { path: 'fifo' })).code, 'special_file');
  fs.rmSync(at('w/fifo'));
});

/** Counts the links that this host itself refuses to open: those that have come behind a look of the component. */
function counting(directory, refused) {
  const open = directory.open.bind(directory);
  directory.open = (...args) => {
    try {
      return counting(open(...args), refused);
    } catch (code) {
      refused.set(code, (refused.get(code) ?? 0) + 1);
      throw code;
    }
  };
  return directory;
}

test('swapping directories for links leads nowhere', { skip: byHandle ? false : 'this system opens no names by handles' }, async () => {
  // Somebody gives `swapped` by turns to a directory and to a link that leads out.
  fs.mkdirSync(at('w/swapped'));
  fs.writeFileSync(at('w/swapped/secret'), 'open');
  const swap = `
    const fs = require('node:fs');
    const { path, directory, parked, link } = require('node:worker_threads').workerData;
    fs.symlinkSync(directory, link);
    for (;;) {
      for (const [from, to] of [[path, parked], [link, path], [path, link], [parked, path]]) fs.renameSync(from, to);
    }`;
  const workerData = { path: at('w/swapped'), directory: at('outside'), parked: at('w/parked'), link: at('w/swap-link') };
  const worker = new Worker(swap, { eval: true, workerData });
  const answers = new Map();
  const refused = new Map();
  const preopens = [{ open: counting(openDirectory(at('w')), refused), name: '/w', writable: true }];
  const call = called(new AnyGate(await Engine.open(await compile((url) => readFile(url)), preopens, {})));
  // The directory, the link that the component sees, and the one that it has not seen: on a busy machine that may take longer.
  const isMet = () => answers.has('done') && answers.has('path_escape') && refused.has('loop');
  const [begin, millis] = [performance.now(), () => performance.now() - begin];
  while (millis() < 3000 || (!isMet() && millis() < 60_000)) {
    for (const [tool, args] of [['read', {}], ['append', { content: '!', parents: false }], ['write', { content: 'x', parents: false }], ['read_bytes', {}]]) {
      const answer = await call(tool, { path: 'swapped/secret', ...args });
      assert.ok(!answer.includes(SECRET), answer);
      const { code = 'done' } = JSON.parse(answer);
      answers.set(code, (answers.get(code) ?? 0) + 1);
    }
    // A turn of the loop for the worker's messages.
    await new Promise(setImmediate);
  }
  await worker.terminate();
  console.log('answers while it was swapped:', Object.fromEntries(answers), 'and refusals to open:', Object.fromEntries(refused));
  assert.ok(isMet(), 'the swapping was never met');
  assert.deepEqual(fs.readdirSync(at('outside')), ['secret']);
  assert.equal(fs.readFileSync(at('outside/secret'), 'utf8'), SECRET);
});

test('nothing stays open behind calls', { skip: byHandle ? false : 'this system does not tell what is open' }, async () => {
  const open = () => fs.readdirSync('/proc/self/fd').length;
  const gate = await Gate.open({ dirs: { '/w': at('w') } });
  await gate.call('tree', { path: '.' });
  const before = open();
  for (let count = 0; count < 50; count += 1) {
    await gate.call('tree', { path: '.' });
    await gate.call('read', { path: 'a.txt' });
    await gate.call('read', { path: 'relative' }).catch(() => {});
  }
  assert.equal(open(), before);
  gate.close();
  assert.ok(open() < before);
  await assert.rejects(gate.call('tree', { path: '.' }), /closed/);
});

// Directories in memory: what goes in, what comes out, and how much there may be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import vm from 'node:vm';
import { Gate, Memory, NoSpaceError, StartError } from '../dist/node.js';
import { CEILING, THING_BYTES } from '../dist/wasi/room.js';

const text = (bytes) => Buffer.from(bytes).toString();

const REFUSED = [
  [{ '': 'x' }, 'nameless'],
  [{ '/': '' }, 'nameless'],
  [{ './.': '' }, 'nameless'],
  [{ '../a': '' }, 'above'],
  [{ 'a/../b': '' }, 'above'],
  [{ 'a\0': '' }, 'zeroByte'],
  [{ ['n'.repeat(256)]: '' }, 'longName'],
  [{ [`${'ä'.repeat(128)}/a`]: '' }, 'longName'],
  [{ 'a/b': '1', a: '2' }, 'fileAndDirectory'],
  [{ a: '2', 'a/b': '1' }, 'fileAndDirectory'],
  [{ a: '2', 'a/': '' }, 'fileAndDirectory'],
  [{ 'a/': '', a: '2' }, 'fileAndDirectory'],
  [{ a: '1', './a': '2' }, 'twice'],
  [{ 'd/': 'lost' }, 'directoryContent'],
  [{ 'd/.': 'lost' }, 'directoryContent'],
  [{ a: undefined }, 'noContent'],
  [{ a: 1 }, 'noContent'],
  [{ a: new ArrayBuffer(1) }, 'noContent'],
  [{ a: new Uint16Array(1) }, 'noContent'],
  [{ a: 'x'.repeat(100) }, 'tooMuch', { bytes: 2 * THING_BYTES + 99 }],
  [{ 'a/b/c/': '' }, 'tooMuch', { bytes: 3 * THING_BYTES }],
  [{}, 'noCeiling', { bytes: '1' }],
  [{}, 'noCeiling', { bytes: NaN }],
  [{}, 'noCeiling', { bytes: -1 }],
  [{}, 'noCeiling', { bytes: THING_BYTES - 1 }],
  [{}, 'unknownOption', { byte: 1 << 20 }],
  [{}, 'noRecord', 1 << 20],
  [{}, 'noRecord', null],
  [['a.txt'], 'noRecord'],
  ['a.txt', 'noRecord'],
];

test('what cannot be there is refused, by a sentence', () => {
  for (const [files, reason, options] of REFUSED) {
    assert.throws(() => new Memory(files, options), (error) => {
      assert.ok(error instanceof StartError, `${JSON.stringify(files)}: ${error}`);
      assert.equal(error.reason, reason, error.message);
      return true;
    });
  }
});

test('everything else is there', () => {
  const memory = new Memory({ './a//b.txt': 'one', '/c.txt': '', 'd/': '', 'd/e/.': '', 'd/f': 'two', ['n'.repeat(255)]: '' });
  assert.deepEqual(Object.keys(memory.files()), ['a/b.txt', 'c.txt', 'd/f', 'n'.repeat(255)]);
});

/** Bytes of each kind that somebody may hand in. */
const BYTES = {
  'a Buffer': () => Buffer.from('one'),
  'a part of a Buffer': () => Buffer.from('a one').subarray(2),
  'a Uint8Array': () => new Uint8Array(Buffer.from('one')),
  'shared memory': () => new Uint8Array(new SharedArrayBuffer(3)).map((_, index) => 'one'.charCodeAt(index)),
  'bytes of another context': () => vm.runInNewContext('Uint8Array.of(111, 110, 101)'),
};

for (const [what, made] of Object.entries(BYTES)) {
  test(`${what} is copied on its way in and out`, async () => {
    const given = made();
    const memory = new Memory({ 'a.txt': given });
    const gate = await Gate.open({ dirs: { '/w': memory } });
    given.fill(0);
    assert.equal((await gate.read({ path: 'a.txt' })).content, 'one');
    const taken = memory.files()['a.txt'];
    assert.equal(Object.getPrototypeOf(taken), Uint8Array.prototype);
    taken.fill(0);
    assert.equal((await gate.read({ path: 'a.txt' })).content, 'one');
    // What is written goes no further than the directory either.
    await gate.write({ path: 'a.txt', content: 'two' });
    assert.ok([...given].every((byte) => byte === 0));
    gate.close();
  });
}

test('there is a ceiling, and what is under it can be had again', async () => {
  const memory = new Memory({ 'kept.txt': 'kept' }, { bytes: 64 << 10 });
  const gate = await Gate.open({ dirs: { '/w': memory } });
  for (let turn = 0; turn < 8; turn += 1) {
    await gate.create({ path: 'a.txt', content: 'x'.repeat(20 << 10) });
    await assert.rejects(gate.create({ path: 'b.txt', content: 'x'.repeat(60 << 10) }), NoSpaceError);
    await assert.rejects(gate.append({ path: 'a.txt', content: 'x'.repeat(60 << 10) }), NoSpaceError);
    // Each time what was there is replaced.
    await gate.write({ path: 'a.txt', content: `${turn}`.repeat(30 << 10) });
    await gate.move({ source: 'a.txt', destination: 'd/c.txt', parents: true });
    await gate.copy({ source: 'd/c.txt', destination: 'd/e.txt' });
    await gate.deleteDirectory({ path: 'd', recursive: true });
  }
  assert.deepEqual(Object.keys(memory.files()), ['kept.txt']);
});

test('many names are counted as well', async () => {
  const gate = await Gate.open({ dirs: { '/w': new Memory({}, { bytes: 20 * THING_BYTES }) } });
  let made = 0;
  await assert.rejects(async () => {
    for (; made < 100; made += 1) await gate.createDirectory({ path: `${made}` });
  }, NoSpaceError);
  assert.equal(made, 19);
});

test('what is said of the ceiling is so', () => {
  assert.throws(() => new Memory({ a: new Uint8Array(CEILING) }), StartError);
  assert.equal(CEILING, 256 * 1024 * 1024);
});

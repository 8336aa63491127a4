// Directories of this machine, where systems differ.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Engine, compiled } from '../dist/engine.js';
import { AnyGate } from '../dist/gate.js';
import { StartError } from '../dist/node.js';
import { Descriptor } from '../dist/wasi/descriptor.js';
import { byHandle, openDirectory, requireNoFollow } from '../dist/wasi/disk.js';

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'fsgate-disk-')));
after(() => fs.rmSync(base, { recursive: true }));
const at = (...names) => join(base, ...names);

test('a system that follows links whatever it is told has no directories to grant', () => {
  for (const constants of [{}, { O_NOFOLLOW: undefined }, { O_NOFOLLOW: 0 }]) {
    const isRefused = (error) => error instanceof StartError && error.reason === 'followsLinks' && /`Memory`/.test(error.message);
    assert.throws(() => openDirectory(base, byHandle, constants), isRefused);
    assert.throws(() => requireNoFollow(constants), isRefused);
  }
  requireNoFollow();
});

/** As on Linux, and as elsewhere: there names are not opened from handles on. */
const WAYS = [...new Set([byHandle, false])];

for (const handles of WAYS) {
  const how = handles ? 'by handles' : 'by paths';

  test(`a link is moved as a link, ${how}`, async () => {
    const root = at(`links-${handles}`);
    for (const directory of ['w', 'outside', 'state']) fs.mkdirSync(join(root, directory), { recursive: true });
    fs.writeFileSync(join(root, 'outside/secret'), 'classified');
    fs.writeFileSync(join(root, 'w/a.txt'), 'one');
    const targets = { inner: 'a.txt', dangling: 'nothing' };
    for (const [name, target] of Object.entries(targets)) fs.symlinkSync(target, join(root, 'w', name));
    const preopens = [['w', '/w'], ['state', '/.fsgate']].map(([path, name]) => ({ open: openDirectory(join(root, path), handles), name, writable: true }));
    const gate = new AnyGate(await Engine.open(await compiled((url) => readFile(url)), preopens, {}));
    for (const [name, target] of Object.entries(targets)) {
      await gate.move({ source: name, destination: `moved-${name}` });
      assert.equal(fs.readlinkSync(join(root, 'w', `moved-${name}`)), target);
      assert.ok(!fs.readdirSync(join(root, 'w')).includes(name));
      await gate.delete({ path: `moved-${name}` });
      await gate.undo();
      assert.equal(fs.readlinkSync(join(root, 'w', `moved-${name}`)), target);
    }
    // A link that is replaced has to have a second name where the history is. Nothing else is done if it cannot have one.
    fs.writeFileSync(join(root, 'w/b.txt'), 'two');
    fs.symlinkSync('../outside/secret', join(root, 'w/out'));
    const over = await gate.move({ source: 'b.txt', destination: 'out', overwrite: true }).then(() => 'done', ({ code }) => code);
    assert.equal(over, handles ? 'done' : 'unsupported');
    assert.equal(fs.lstatSync(join(root, 'w/out')).isSymbolicLink(), !handles);
    gate.close();
    assert.deepEqual([fs.statSync(join(root, 'w/a.txt')).nlink, fs.statSync(join(root, 'outside/secret')).nlink], [1, 1]);
  });

  test(`no second name is given to what a link leads to, ${how}`, () => {
    const root = at(`second-${handles}`);
    fs.mkdirSync(root);
    fs.writeFileSync(join(root, 'a.txt'), 'one');
    fs.symlinkSync('a.txt', join(root, 'link'));
    const directory = openDirectory(root, handles);
    try {
      directory.link('link', directory, 'second');
      assert.ok(fs.lstatSync(join(root, 'second')).isSymbolicLink());
    } catch (code) {
      // The component renames it then.
      assert.equal(code, 'unsupported');
    }
    // Only where the kernel is known to make a second name of the link itself is it asked to.
    assert.equal(fs.existsSync(join(root, 'second')), handles);
    assert.equal(fs.statSync(join(root, 'a.txt')).nlink, 1);
    directory.close();
  });
}

test('what fails behind its opening does not stay open', () => {
  const closed = [];
  const file = { kind: 'regular-file', close: () => closed.push('file'), setSize() { throw 'io'; } };
  const held = new Set();
  const root = new Descriptor({ kind: 'directory', open: () => file }, true, held);
  assert.throws(() => root.openAt({}, 'a', { truncate: true }, { read: true, write: true }), (code) => code === 'io');
  assert.deepEqual([closed, held.size], [['file'], 0]);
});

// What holds the component: how it is compiled, what a trap leaves, what is closed.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Engine, compile, compiled } from '../dist/engine.js';
import { AnyGate } from '../dist/gate.js';
import { Memory, OtherError } from '../dist/node.js';
import { openMemory } from '../dist/wasi/memory.js';

const load = (url) => readFile(url);

// Before anything else: there is one for all of a process.
test('what could not be got is got again by the next who asks', async () => {
  const offline = new Error('offline');
  const [one, other] = [compiled(() => Promise.reject(offline)), compiled(load)];
  await assert.rejects(one, offline);
  // Those who came meanwhile waited for the same.
  await assert.rejects(other, offline);
  assert.ok((await compiled(load)).size > 0);
  assert.equal(await compiled(() => assert.fail('it is there already')), await compiled(load));
});

test('the bytes are compiled as they come from a server', async () => {
  const answer = async (url) => new Response(await readFile(url), { headers: { 'content-type': 'application/wasm' } });
  assert.ok((await compile(answer)).size > 0);
});

/** A directory that fails as nothing is allowed to, when it is told to; `open` is what has not been closed. */
function failing(files) {
  const control = { open: new Set(), fails: false, closes: true };
  const around = (inner) => new Proxy(inner, {
    get(_, name) {
      if (control.fails && name === 'statAt') throw new Error('unreachable', { cause: 'nobody' });
      const value = inner[name];
      if (typeof value !== 'function') return value;
      if (name === 'close') {
        return () => {
          control.open.delete(inner);
          if (!control.closes) throw new Error('it cannot be closed');
        };
      }
      if (name !== 'open') return value.bind(inner);
      return (...args) => {
        const opened = inner.open(...args);
        control.open.add(opened);
        return around(opened);
      };
    },
  });
  return { control, root: around(openMemory(new Memory(files).root)) };
}

async function gateOver(root) {
  const engine = await Engine.open(await compiled(load), [{ open: root, name: '/w', writable: true }], {});
  return new AnyGate(engine);
}

for (const closes of [true, false]) {
  test(`a trap ends one call, and nothing stays open behind it, ${closes ? '' : 'not even '}if what is open can be closed`, async () => {
    const { control, root } = failing({ 'd/e/a.txt': 'one' });
    const gate = await gateOver(root);
    const read = () => gate.read({ path: 'd/e/a.txt' });
    assert.equal((await read()).content, 'one');
    Object.assign(control, { fails: true, closes });
    await assert.rejects(read(), (error) => error instanceof OtherError && error.text === 'unreachable');
    assert.equal(control.open.size, 0);
    control.fails = false;
    control.closes = true;
    // All of those who come at once get the one fresh instance.
    const answers = await Promise.all([read(), read(), read()]);
    assert.deepEqual(answers.map(({ content }) => content), ['one', 'one', 'one']);
    control.closes = closes;
    gate.close();
    assert.equal(control.open.size, 0);
    await assert.rejects(read(), /closed/);
  });
}

/** What a trap says of a call: of one that only looks it is known that nothing was changed. */
const TRAPS = [
  ['read', { path: 'a.txt' }, false],
  ['grep', { pattern: 'x' }, false],
  ['write', { path: 'a.txt', content: 'two' }, true],
  ['delete', { path: 'a.txt' }, true],
];

test('a trap says what is known of the call', async () => {
  const { control, root } = failing({ 'a.txt': 'one' });
  const gate = await gateOver(root);
  control.fails = true;
  for (const [tool, args, applied] of TRAPS) {
    await assert.rejects(gate.call(tool, args), (error) => {
      assert.deepEqual([error.operation, error.applied, error.code], [tool, applied, 'other']);
      assert.equal(error.repair.includes('before making it again'), applied, error.repair);
      assert.equal(error.cause.cause, 'nobody');
      return true;
    });
  }
});

test('a call that was made before the gate is closed is made', async () => {
  const memory = new Memory();
  const gate = await gateOver(openMemory(memory.root));
  const made = gate.create({ path: 'a.txt', content: '' });
  gate.close();
  await made;
  assert.deepEqual(Object.keys(memory.files()), ['a.txt']);
});

test('a gate that is closed while it gets a fresh instance stays closed', async () => {
  const { control, root } = failing({ 'a.txt': 'one' });
  const gate = await gateOver(root);
  control.fails = true;
  await assert.rejects(gate.read({ path: 'a.txt' }), OtherError);
  control.fails = false;
  const late = gate.read({ path: 'a.txt' });
  gate.close();
  await assert.rejects(late, /closed/);
  assert.equal(control.open.size, 0);
});

test('what was handed in is closed if there is no instance', async () => {
  const { control, root } = failing({});
  control.open.add(root);
  let closed = 0;
  const counted = { ...openMemory(new Memory().root), close: () => { closed += 1; } };
  await assert.rejects(Engine.open(new Map(), [{ open: counted, name: '/w', writable: true }], {}));
  assert.equal(closed, 1);
});

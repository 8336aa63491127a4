// What is found by its name at the next start keeps it. A row is what is granted beside `w`, where the history is, and what comes of calls.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { Gate } from '../dist/node.js';
import { judged } from './judged.mjs';

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'fsgate-kept-')));
after(() => fs.rmSync(base, { recursive: true }));
const at = (...names) => join(base, ...names);

const OWN = ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'];
for (const variable of OWN) process.env[variable] = at('xdg');

const FILES = ['w/v1/inner/in.txt', 'w/v1/keep.txt', 'w/d[1]/*/x.txt', 'w/plain/p.txt', 'w/x\ufffd/x.txt', 'ref/r.txt', 'kept/k.txt', 'base/b.txt'];

// Links, and what stands in them.
const LEADING = {
  'w/lnk': '../ref',
  'w/lnk2': 'lnk',
  'w/near': 'v1/inner',
  'w/near2': 'near',
  'w/free': '../ref',
  'w/cur': 'v1',
  'w/self': '.',
  'w/self2': 'self',
  'w/v1/back': '../..',
  'w/v1/up': 'inner/../../cur',
  'w/out': '../kept',
  'w/plain/{a}': '../../ref',
  'w/plain/{n}': '../v1/inner',
  'w/plain/{s}': '..',
  'base/fsgate': '../w/out',
  absolute: at('w'),
  by: 'w/v1/back/ref',
  dangling: 'none/such',
  loop: 'loop',
};

beforeEach(() => {
  for (const name of fs.readdirSync(base)) fs.rmSync(at(name), { recursive: true });
  for (const name of FILES) {
    fs.mkdirSync(dirname(at(name)), { recursive: true });
    fs.writeFileSync(at(name), name);
  }
  for (const [name, target] of Object.entries(LEADING)) fs.symlinkSync(target, at(name));
});

const DONE = 'done';
const NESTED = 'denied_by_policy: the policy rule `granted_directory` forbids';
const LEADS = 'denied_by_policy: the policy rule `own_directory` forbids';
// The component knows by itself what it was handed in.
const GRANTED = 'invalid_path: this is a granted directory';
const AROUND = 'invalid_path: there is a granted directory in this one';

const STARTS = [
  // A granted directory in another one, and what is around it. What is in it and beside it is not meant.
  [{ '/w': 'w', '/inside': 'w/v1/inner' }, undefined, {
    'move v1/inner v1/x': GRANTED,
    'deleteDirectory v1/inner': GRANTED,
    'move v1 v2': NESTED,
    'deleteDirectory v1': AROUND,
    'write v1/inner/in.txt': DONE,
    'write /inside/in.txt': DONE,
    'move v1/inner/in.txt v1/in.txt': DONE,
    'move v1/keep.txt v1/inner/keep.txt': DONE,
    'delete /inside/keep.txt': DONE,
    'copy v1 v3': DONE,
    'move v3 v4': DONE,
    'delete cur': DONE,
    'deleteDirectory plain': DONE,
  }],
  [{ '/w': 'w', '/inside': 'w/d[1]/*' }, undefined, { 'move d[1] y': NESTED, 'move plain d[1]/x': DONE, 'delete d[1]/*/x.txt': DONE }],
  // By a name that leads through links in it: they stay as well, and what is behind them is not meant.
  [{ '/w': 'w/cur/back/w' }, undefined, {
    'move cur x': NESTED,
    'delete cur': NESTED,
    'move plain/p.txt cur': 'is_directory',
    'delete v1/back': NESTED,
    'move v1 v2': NESTED,
    'delete cur/keep.txt': DONE,
    'move free x': DONE,
    'delete near': DONE,
    'move plain y': DONE,
  }],
  [{ '/w': 'w/self' }, undefined, { 'delete self': NESTED, 'move self x': NESTED, 'delete cur': DONE, 'delete self2': DONE }],
  [{ '/w': 'w/self2' }, undefined, { 'delete self2': NESTED, 'delete self': NESTED, 'delete free': DONE }],
  [{ '/w': 'w/plain/{s}' }, undefined, { 'delete plain/{s}': NESTED, 'move plain x': NESTED, 'move plain/p.txt x': DONE }],
  // What is kept for the next start.
  [{ '/w': 'w' }, 'w/out/state', { 'move out x': LEADS, 'delete out': LEADS, 'delete lnk': DONE }],
  [{ '/w': 'w' }, 'w/cur/back/kept/state', { 'delete cur': LEADS, 'move v1 v2': LEADS, 'delete v1/keep.txt': DONE }],
  [{ '/w': 'w' }, 'base/fsgate/state', { 'delete out': LEADS, 'delete lnk': DONE }],
  // Nothing of that kind.
  [{ '/w': 'w' }, undefined, { 'move v1 v2': DONE, 'delete out': DONE, 'delete lnk': DONE }],
  [{ '/w': 'w', '/inside': 'ref' }, 'kept/state', { 'delete lnk': DONE, 'delete out': DONE }],
];

/** What comes of a call, which is told as `METHOD PATH [PATH]`. */
async function answer(gate, words) {
  const [method, path, destination] = words.split(' ');
  const given = {
    move: { source: path, destination, recursive: true },
    copy: { source: path, destination, recursive: true },
    delete: { path },
    deleteDirectory: { path, recursive: true },
    write: { path, content: 'new' },
  };
  return gate[method](given[method]).then(() => DONE, ({ code, message }) => `${code}: ${message}`);
}

for (const [granted, state, calls] of STARTS) {
  test(`with ${Object.values(granted).join(' and ')}, and ${state ?? 'no history'}, what leads there stays`, async () => {
    const led = [...Object.values(granted), state].filter((path) => path !== undefined).map((path) => at(path));
    const dirs = Object.fromEntries(Object.entries(granted).map(([name, path]) => [name, at(path)]));
    const gate = await Gate.open({ dirs, ...(state && { state: at(state) }) });
    const before = led.map((path) => fs.realpathSync(path));
    for (const [words, comes] of Object.entries(calls)) {
      const came = await answer(gate, words);
      assert.ok(came.startsWith(comes), `${words}: ${came}`);
    }
    gate.close();
    assert.deepEqual(led.map((path) => fs.realpathSync(path)), before);
  });
}

test('what another grant leads to is not granted', async () => {
  for (const path of ['w/cur/inner', 'w/self/v1/inner', 'w/near', 'w/near2', 'w/plain/{n}', 'w/lnk', 'w/v1/back/ref', 'by', 'w/self']) {
    // By the name that it has there anyway, too: what was meant is not what is found.
    for (const name of ['/inside', fs.realpathSync(at(path)).slice(base.length)].filter((each) => each !== '/w')) {
      await assert.rejects(Gate.open({ dirs: { '/w': at('w'), [name]: at(path) } }), { name: 'StartError', reason: 'ledOut' }, path);
    }
  }
});

/** The paths of each rule that keeps names. What runs is the affair of `program.test.mjs`. */
async function said(grants) {
  const { rules } = await judged(grants.map(([path, name, writable]) => ({ source: at(path), name, writable })));
  const found = rules.filter(({ name }) => name !== 'own_program');
  assert.ok(found.every(({ effect }) => effect === 'keeps_name'));
  return Object.fromEntries(found.map(({ name, paths }) => [name, paths]));
}

test('names are those inside', async () => {
  for (const [grants, kept] of [
    // By the names of all that is around it, and of nothing else.
    [[['w', '/w', true], ['w/v1', '/v', true], ['w/v1/inner', '/i', true]], ['/w/v1', '/w/v1/inner', '/v/inner']],
    [[['w', '/w', true], ['w', '/again', true], ['w/v1', '/v', true]], ['/w/v1', '/again/v1']],
    [[['w', '/', true], ['w/v1', '/v', true]], ['/v1']],
    [[['w', './b//c/', true], ['w/v1', '/v', true]], ['/b/c/v1']],
    [[['w', '/a[1]', true], ['w/d[1]/*', '/v', true]], ['/a\\[1\\]/d\\[1\\]/\\*']],
    [[['w/self2', '/w', true]], ['/w/self2', '/w/self']],
    [[['w', '/w', true], ['w/x\udcff', '/v', true]], ['/w/x\ufffd']],
    // Where nothing can be changed nothing is moved.
    [[['w/self', '/w', false], ['ref', '/r', true]], undefined],
    [[['w', '/w', false], ['w/v1', '/v', false], ['ref', '/r', true]], undefined],
    [[['w', '/w', true]], undefined],
  ]) assert.deepEqual((await said(grants)).granted_directory, kept, JSON.stringify(grants));
});

test('behind a name that is not UTF-8 nothing is granted', async () => {
  fs.mkdirSync(Buffer.from(at('w/\xff'), 'latin1'));
  fs.symlinkSync(Buffer.of(0xff), at('w/odd'));
  for (const path of ['w/\ufffd', 'w/odd']) {
    await assert.rejects(Gate.open({ dirs: { '/w': at('w'), '/inside': at(path) } }), { name: 'StartError', reason: 'unusable' }, path);
  }
});

test('links to the usual directories stay', async () => {
  for (const variable of OWN) {
    process.env[variable] = at('base');
    assert.deepEqual((await said([['w', '/w', true]])).own_directory, ['/w/out'], variable);
    process.env[variable] = at('xdg');
  }
});

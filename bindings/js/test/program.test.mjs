// What runs is not written to by whoever it lets in. A row is a call, with the paths that it is about, and whether it is refused.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Gate, Memory } from '../dist/node.js';

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'fsgate-program-')));
after(() => fs.rmSync(base, { recursive: true }));
const at = (...names) => join(base, ...names);
const dist = fileURLToPath(new URL('../dist', import.meta.url));

/** The package, as it is in somebody's project. */
function installed(path, name = 'fsgate') {
  fs.cpSync(dist, at(path, 'dist'), { recursive: true });
  fs.writeFileSync(at(path, 'package.json'), JSON.stringify({ name, type: 'module' }));
  fs.mkdirSync(at(path.split('/')[0], 'src/node_modules'), { recursive: true });
  fs.writeFileSync(at(path.split('/')[0], 'src/a.js'), 'text');
  fs.writeFileSync(at(path.split('/')[0], 'other.js'), 'text');
  return path;
}

const imported = (path) => import(pathToFileURL(at(path, 'dist/node.js')));

const PLAIN = installed('plain/node_modules/fsgate');
const STORED = installed('stored/node_modules/.store/fsgate@1/node_modules/fsgate');
fs.symlinkSync('.store/fsgate@1/node_modules/fsgate', at('stored/node_modules/fsgate'));
const LINKED = installed('linked/store/fsgate');
fs.symlinkSync('store', at('linked/node_modules'));
fs.symlinkSync('src', at('linked/link'));
const BUNDLED = installed('bundled/app', 'somebody');
fs.mkdirSync(at('bundled/node_modules/x'), { recursive: true });

/** What comes of a call: the name of the rule that stands against it. */
async function came(gate, [tool, args]) {
  return gate.call(tool, args).then(() => 'done', (error) => `${error.code}: ${error.rule}`);
}

const REFUSED = 'denied_by_policy: own_program';
const PACKAGE = 'node_modules/fsgate';

const SHADOWS = [
  [['create', { path: 'src/node_modules/fsgate/index.js', content: '' }], REFUSED],
  [['create_directory', { path: 'src/node_modules/fsgate' }], REFUSED],
  [['move', { source: 'src/a.js', destination: 'src/node_modules/fsgate' }], REFUSED],
  [['copy', { source: 'src', destination: 'src2/node_modules/fsgate', recursive: true, parents: true }], REFUSED],
  [['write', { path: 'src/node_modules/x.js', content: '' }], 'done'],
  [['write', { path: 'other.js', content: 'new' }], 'done'],
];

const IN_PACKAGE = [
  [['write', { path: `${PACKAGE}/dist/node.js`, content: '' }], REFUSED],
  [['append', { path: `${PACKAGE}/dist/component/fsgate.core.wasm`, content: '' }], REFUSED],
  [['delete', { path: `${PACKAGE}/package.json` }], REFUSED],
  [['create', { path: `${PACKAGE}/dist/new.js`, content: '' }], REFUSED],
  [['move', { source: PACKAGE, destination: 'x', recursive: true }], REFUSED],
  [['move', { source: 'node_modules', destination: 'x', recursive: true }], REFUSED],
  [['delete_directory', { path: 'node_modules', recursive: true }], REFUSED],
  [['read', { path: `${PACKAGE}/package.json` }], 'done'],
];

const CASES = [
  ['installed in a project', PLAIN, { '/w': 'plain' }, [...IN_PACKAGE, ...SHADOWS]],
  ['found by a link', STORED, { '/w': 'stored' }, [
    ...IN_PACKAGE,
    [['delete', { path: PACKAGE }], REFUSED],
    [['write', { path: 'node_modules/.store/fsgate@1/node_modules/fsgate/dist/node.js', content: '' }], REFUSED],
    ...SHADOWS,
  ]],
  ['behind a link', LINKED, { '/w': 'linked' }, [
    [['write', { path: `${PACKAGE}/package.json`, content: '' }], REFUSED],
    [['write', { path: 'store/fsgate/package.json', content: '' }], REFUSED],
    // A link on the way to the package stays, and nothing comes into its place.
    [['move', { source: 'node_modules', destination: 'x' }], REFUSED],
    [['move', { source: 'link', destination: 'node_modules' }], 'is_directory: undefined'],
    [['create', { path: `${PACKAGE}/index.js`, content: '', parents: true }], REFUSED],
  ]],
  ['which is what is granted', PLAIN, { '/': PLAIN }, [[['write', { path: '/dist/node.js', content: '' }], REFUSED], [['read', { path: '/package.json' }], 'done']]],
  ['around what is granted', PLAIN, { '/d': `${PLAIN}/dist` }, [[['create', { path: 'new.js', content: '' }], REFUSED]]],
  ['right below what is granted', PLAIN, { '/n': 'plain/node_modules' }, [[['write', { path: 'fsgate/dist/node.js', content: '' }], REFUSED]]],
  ['bundled', BUNDLED, { '/w': 'bundled' }, [
    [['write', { path: 'app/dist/program.js', content: '' }], REFUSED],
    [['append', { path: 'app/dist/component/fsgate.core2.wasm', content: '' }], REFUSED],
    [['move', { source: 'app', destination: 'x', recursive: true }], REFUSED],
    [['create', { path: 'app/new.js', content: '' }], 'done'],
    [['write', { path: 'app/package.json', content: '{"name": "somebody"}' }], 'done'],
    ...SHADOWS,
  ]],
  ['elsewhere', BUNDLED, { '/w': 'plain/src' }, [[['write', { path: 'a.js', content: 'new' }], 'done'], [['move', { source: 'node_modules', destination: 'm', recursive: true }], 'done']]],
];

for (const [what, path, granted, calls] of CASES) {
  test(`a package ${what} is only read`, async () => {
    const { Gate: Own } = await imported(path);
    const dirs = Object.fromEntries(Object.entries(granted).map(([name, directory]) => [name, at(directory)]));
    const gate = await Own.open({ dirs, policy: { profile: 'open' } });
    for (const [call, expected] of calls) assert.equal(await came(gate, call), expected, JSON.stringify(call));
    gate.close();
    assert.deepEqual(fs.readdirSync(dirname(at(path, 'dist'))).filter((name) => name !== 'new.js'), ['dist', 'package.json']);
  });
}

test('memory has no package in it', async () => {
  const gate = await Gate.open({ dirs: { '/w': new Memory() } });
  await gate.create({ path: 'node_modules/fsgate/a.js', content: '', parents: true });
});

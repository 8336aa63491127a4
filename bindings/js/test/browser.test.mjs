// The package as a browser gets it: bundled for one, run where nothing of Node is to be had.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** In a page's own thread a browser may refuse to make large modules and instances while everything else waits. */
function refusing() {
  throw new RangeError('disallowed on the main thread');
}

const ASYNCHRONOUS = Object.create(WebAssembly, { Module: { value: refusing }, Instance: { value: refusing } });

/** What the program below finds: what every browser has, and no more. */
const BROWSER = {
  TextEncoder, TextDecoder, URL, WebAssembly: ASYNCHRONOUS, crypto, performance, atob, btoa, console, Response, Uint8Array, BigInt, Date,
};

const PROGRAM = `
  import { AmbiguousError, Gate, Memory } from 'fsgate';
  globalThis.run = async (load) => {
    const offline = await Gate.open({ dirs: { '/work': new Memory() }, load: () => Promise.reject(new Error('offline')) }).catch((error) => error.message);
    if (offline !== 'offline') throw new Error(offline);
    const memory = new Memory({ 'notes.md': 'draft\\n', 'src/main.js': 'run();\\n' });
    const gate = await Gate.open({ dirs: { '/work': memory }, readOnly: { '/docs': new Memory({ 'a.md': '# A\\n' }) }, state: new Memory(), load });
    const { lines } = await gate.replace({ path: 'notes.md', old: 'draft', new: 'final' });
    const refused = await gate.write({ path: '/docs/a.md', content: '' }).catch((error) => error.name);
    const twice = await gate.replaceAll({ path: 'src/main.js', old: 'run', new: 'go' });
    await gate.undo();
    const { drawn } = await gate.tree({ path: '/work' });
    const refusals = [];
    for (const options of [
      { dirs: { '/work': '/tmp' } }, { dirs: { '/work': memory }, state: '/tmp' }, { dirs: { '/work': memory }, readOnly: { '/r': memory } },
      { dirs: { '/work': memory }, state: memory }, { dirs: { '/work': memory }, allowWideGrant: true }, { dirs: [memory] },
    ]) refusals.push(await Gate.open({ ...options, load }).catch((error) => error.reason));
    return JSON.stringify({ lines, refused, twice: twice.replacements, drawn, refusals, files: memory.files() });
  };
`;

test('a bundle for browsers works in memory', async () => {
  const { outputFiles: [{ text }], warnings } = await build({
    stdin: { contents: PROGRAM, resolveDir: at('.') },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    write: false,
    define: { 'import.meta.url': '"https://example.com/app/bundle.js"' },
  });
  assert.deepEqual(warnings, []);
  assert.doesNotMatch(text, /node:fs/);
  const context = vm.createContext({ ...BROWSER });
  vm.runInContext(text, context);
  // Bundlers find the modules by these addresses, and put them where they belong; here they are looked up.
  const asked = [];
  const load = async (url) => {
    asked.push(String(url));
    return readFile(at(`../dist/component/${url.pathname.split('/').at(-1)}`));
  };
  const told = JSON.parse(await context.run(load));
  assert.deepEqual(told.lines, [1]);
  assert.equal(told.refused, 'ReadOnlyError');
  assert.equal(told.twice, 1);
  assert.equal(told.drawn, 'notes.md\nsrc/\n  main.js\n');
  assert.deepEqual(told.refusals, ['notInMemory', 'notInMemory', 'twiceDifferently', 'stateInGrant', 'unknownOption', 'noRecord']);
  assert.equal(Buffer.from(Object.values(told.files['notes.md'])).toString(), 'final\n');
  assert.equal(Buffer.from(Object.values(told.files['src/main.js'])).toString(), 'run();\n');
  assert.ok(asked.every((url) => /^https:\/\/example\.com\/.*\.wasm$/.test(url)), asked.join());
});

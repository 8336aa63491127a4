// Runs the package as browsers have it: bundled, without anything of Node, and in Chromium with all
// of the corpus.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { build } from 'esbuild';
import { parse } from './corpus/cases.mjs';
import { textOf } from './corpus/compiled.mjs';
import * as memory from './corpus/memory.mjs';
import { leftOut } from './corpus/run.mjs';
import { chromium } from './page/chromium.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Bundles one of the programs in `page` for a browser, with all its imports. */
async function bundled(name, options) {
  const { outputFiles: [{ text }], warnings } = await build({ entryPoints: [at(`page/${name}.mjs`)], bundle: true, platform: 'browser', write: false, ...options });
  assert.deepEqual(warnings, []);
  assert.doesNotMatch(text, /["']node:/);
  return text;
}

/** Checks the result of the session in `page`. */
function holds(told) {
  assert.deepEqual(told, {
    lines: [1],
    refused: 'ReadOnlyError',
    twice: 1,
    drawn: 'notes.md\nsrc/\n  main.js\n',
    refusals: ['notInMemory', 'notInMemory', 'twiceDifferently', 'stateInGrant', 'unknownOption', 'noRecord'],
    files: { 'notes.md': 'final\n', 'src/main.js': 'run();\n' },
  });
}

/** Browsers may refuse to make large modules and instances synchronously in a page's thread. */
function refusing() {
  throw new RangeError('disallowed on the main thread');
}

const ASYNCHRONOUS = Object.create(WebAssembly, { Module: { value: refusing }, Instance: { value: refusing } });

/** The globals of every browser, without any others. */
const BROWSER = {
  TextEncoder, TextDecoder, URL, WebAssembly: ASYNCHRONOUS, crypto, performance, atob, btoa, console, Response, Uint8Array, BigInt, Date,
};

test('a bundle for browsers works where there is nothing of Node', async () => {
  const text = await bundled('session', { format: 'iife', globalName: 'page', define: { 'import.meta.url': '"https://example.com/app/bundle.js"' } });
  const context = vm.createContext({ ...BROWSER });
  vm.runInContext(text, context);
  // Bundlers resolve these addresses of the modules; this test looks them up.
  const asked = [];
  const load = async (url) => {
    asked.push(String(url));
    return readFile(at(`../dist/component/${url.pathname.split('/').at(-1)}`));
  };
  holds(structuredClone(await context.page.told(load)));
  assert.ok(asked.every((url) => /^https:\/\/example\.com\/.*\.wasm$/.test(url)), asked.join());
});

const browser = await chromium();
after(browser.remove);
const inChromium = { skip: browser.missing };

/** The files of the package at their paths for a page. */
const served = (path) => (/^\/dist\/[\w/.-]+$/.test(path) && !path.includes('..') ? readFileSync(at(`..${path}`)) : undefined);

/** A script that posts the result of `promised`. */
const telling = (promised) => `<script>
  const post = (path, body) => fetch(path, { method: 'POST', body });
  ${promised}.then((told) => post('/told', JSON.stringify(told)), (error) => post('/failed', error.stack ?? String(error)));
</script>`;

const MODULES = '<script type="importmap">{ "imports": { "fsgate": "/dist/browser.js" } }</script>';

test('in Chromium: its modules as they lie in the package', inChromium, async () => {
  const routes = (path) => (path === '/session.js' ? readFileSync(at('page/session.mjs')) : served(path));
  holds(await browser.visit(routes, MODULES + telling('import("/session.js").then((page) => page.told())'), 60));
});

const WORKER = 'import { told } from "./session.js"; told().then((found) => postMessage({ found }), (error) => postMessage({ failed: error.stack }));';

for (const [where, promised] of [
  ['in a page', 'import("/dist/app/session.js").then((page) => page.told())'],
  ['in a worker', `new Promise((resolve, reject) => {
    const worker = new Worker("/dist/app/worker.js", { type: "module" });
    worker.onmessage = ({ data: { found, failed } }) => (found ? resolve(found) : reject(failed));
    worker.onerror = ({ message }) => reject(message);
  })`],
]) {
  test(`in Chromium: a bundle, ${where}`, inChromium, async () => {
    const made = { '/dist/app/session.js': await bundled('session', { format: 'esm' }), '/dist/app/worker.js': WORKER };
    holds(await browser.visit((path) => made[path] ?? served(path), telling(promised), 60));
  });
}

test('in Chromium: every case of the corpus', inChromium, async () => {
  const lines = textOf('cases');
  const made = { '/dist/app/corpus.js': await bundled('corpus', { format: 'esm' }), '/cases.jsonl': lines };
  const promised = 'import("/dist/app/corpus.js").then((page) => page.told())';
  const { count, failures } = await browser.visit((path) => made[path] ?? served(path), telling(promised), 600);
  assert.equal(failures.length, 0, `${failures.length} cases fail:\n  ${failures.join('\n  ')}`);
  assert.equal(count, parse(lines).filter((one) => !leftOut(one, { place: memory })).length);
  console.log(`in Chromium, in memory: ${count} cases`);
});

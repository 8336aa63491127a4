// Builds the package into `dist`: the component transpiled, the contract's types made from it, the sources compiled.
//
// `FSGATE` is the program (by default the one that `cargo build` leaves), which writes the component; `FSGATE_COMPONENT` is the component
// itself, if it is there already.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transpileBytes } from '@bytecodealliance/jco-transpile';
import { contract, tables } from './contract.mjs';
import { parse } from './wit.mjs';

const here = fileURLToPath(new URL('..', import.meta.url));
const repository = join(here, '../..');
const at = (...names) => join(here, ...names);

rmSync(at('dist'), { recursive: true, force: true });
mkdirSync(at('dist/component'), { recursive: true });
mkdirSync(at('src/generated'), { recursive: true });

// Nothing of Node is in it: bundlers for browsers would look for that.
const { files } = await transpileBytes(component(), { name: 'fsgate', instantiation: 'async', nodejsCompat: false, minify: true });
const parts = Object.entries(files).filter(([name]) => /\.(js|wasm)$/.test(name)).map(([name, content]) => [basename(name), content]);
for (const [name, content] of parts) writeFileSync(at('dist/component', name), name.endsWith('.js') ? synchronous(content) : content);
cpSync(at('src/component/fsgate.d.ts'), at('dist/component/fsgate.d.ts'));

const cores = parts.map(([name]) => name).filter((name) => name.endsWith('.wasm')).sort();
const wit = (name) => parse(readFileSync(join(repository, `wit/${name}.wit`), 'utf8'));
const told = await catalogue(cores);
writeFileSync(at('src/generated/tables.ts'), tables(told, cores, wit('front-ends')));
writeFileSync(at('src/generated/contract.ts'), contract(told, wit('types'), wit('front-ends')));

execFileSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '--project', here], { stdio: 'inherit' });
for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) cpSync(join(repository, name), at(name));

/**
 * jco tries `WebAssembly.promising` on every export, and goes on without it where it is missing, as in Node 20. For each failure V8 parses
 * all of the file once more, to word the error: a quarter of a second for every instance. No export of ours waits for a promise.
 */
function synchronous(script) {
  return Buffer.from(script).toString().replaceAll('WebAssembly.promising(', '(');
}

function component() {
  if (process.env.FSGATE_COMPONENT) return readFileSync(process.env.FSGATE_COMPONENT);
  const scratch = mkdtempSync(join(tmpdir(), 'fsgate-'));
  try {
    const program = process.env.FSGATE ?? join(repository, 'target/debug/fsgate');
    execFileSync(program, ['component', '--output', join(scratch, 'fsgate.wasm')], { stdio: 'inherit' });
    return readFileSync(join(scratch, 'fsgate.wasm'));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** What the component says of itself: it needs nothing for that but to be there. */
async function catalogue(cores) {
  const { instantiate } = await import(pathToFileURL(at('dist/component/fsgate.js')));
  const modules = Object.fromEntries(cores.map((name) => [name, new WebAssembly.Module(readFileSync(at('dist/component', name)))]));
  const nothing = new Proxy({}, { get: (_, name) => (/^[A-Z]/.test(String(name)) ? class {} : () => []) });
  const { agent } = await instantiate((name) => modules[name], new Proxy({}, { get: () => nothing }));
  return agent.tools().map(({ inputSchema, outcomeSchema, ...tool }) => (
    { ...tool, inputSchema: JSON.parse(inputSchema), outcomeSchema: JSON.parse(outcomeSchema) }));
}

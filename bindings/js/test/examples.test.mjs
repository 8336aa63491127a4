// The example for those who transpile the component without this package.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { transpileBytes } from '@bytecodealliance/jco-transpile';

const here = fileURLToPath(new URL('..', import.meta.url));
const repository = join(here, '../..');
const folder = fs.mkdtempSync(join(tmpdir(), 'fsgate-examples-'));
after(() => fs.rmSync(folder, { recursive: true }));

const PROGRAM = process.env.FSGATE ?? join(repository, 'target/debug/fsgate');

test('a call without the package', { skip: fs.existsSync(PROGRAM) ? false : `there is no ${PROGRAM}` }, async () => {
  execFileSync(PROGRAM, ['component', '--output', join(folder, 'fsgate.wasm')]);
  const { files } = await transpileBytes(fs.readFileSync(join(folder, 'fsgate.wasm')), { name: 'fsgate', instantiation: 'async' });
  fs.mkdirSync(join(folder, 'fsgate'));
  for (const [name, content] of Object.entries(files)) {
    if (/\.(js|wasm)$/.test(name)) fs.writeFileSync(join(folder, 'fsgate', basename(name)), content);
  }
  fs.symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'));
  fs.copyFileSync(join(repository, 'examples/javascript/call.mjs'), join(folder, 'call.mjs'));
  fs.writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  fs.mkdirSync(join(folder, 'project'));
  fs.writeFileSync(join(folder, 'project/notes.md'), '# Notes\n');
  for (const [path, status, field, value] of [['notes.md', 0, 'content', '1: # Notes'], ['../fsgate.wasm', 1, 'code', 'not_granted']]) {
    const words = ['call.mjs', 'project', 'read_numbered', JSON.stringify({ path })];
    const done = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
    assert.equal(done.status, status, done.stderr);
    assert.equal(JSON.parse(done.stdout)[field], value);
  }
});

// The package as it is installed: packed, put into an empty folder, used as its README says.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const repository = join(here, '../..');
const folder = fs.mkdtempSync(join(tmpdir(), 'fsgate-package-'));
after(() => fs.rmSync(folder, { recursive: true }));

const run = (program, words, options) => execFileSync(program, words, { encoding: 'utf8', cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...options });

let packed;
before(() => {
  [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: here }));
  fs.writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  run('npm', ['install', '--no-audit', '--no-fund', '--offline', join(folder, packed.filename)]);
});

test('it holds what it needs and nothing else', () => {
  const paths = packed.files.map(({ path }) => path);
  for (const path of ['package.json', 'README.md', 'LICENSE-MIT', 'LICENSE-APACHE', 'dist/node.js', 'dist/node.d.ts', 'dist/component/fsgate.core.wasm']) {
    assert.ok(paths.includes(path), path);
  }
  const stray = paths.filter((path) => !/^(dist\/|package\.json$|README\.md$|LICENSE-)/.test(path));
  assert.deepEqual(stray, []);
  assert.deepEqual(fs.readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')), ['fsgate']);
});

test('the README leads to nothing that is not there', () => {
  const paths = packed.files.map(({ path }) => path);
  const readme = fs.readFileSync(join(folder, 'node_modules/fsgate/README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => target);
  assert.deepEqual(links.filter((target) => !/^https:/.test(target) && !paths.includes(target.split('#')[0])), []);
});

const PROGRAM = process.env.FSGATE ?? join(repository, 'target/debug/fsgate');

test('what was not built is built before it is packed', { skip: fs.existsSync(PROGRAM) ? false : `there is no ${PROGRAM}` }, () => {
  // A clone: nothing in it but what is kept, and what has to be installed.
  const clone = join(folder, 'clone');
  const made = ['dist', 'generated', 'node_modules'];
  fs.cpSync(here, join(clone, 'bindings/js'), { recursive: true, filter: (path) => !made.includes(basename(path)) && !basename(path).startsWith('LICENSE') });
  fs.symlinkSync(join(here, 'node_modules'), join(clone, 'bindings/js/node_modules'));
  for (const path of ['wit', 'LICENSE-MIT', 'LICENSE-APACHE']) fs.cpSync(join(repository, path), join(clone, path), { recursive: true });
  const built = JSON.parse(run('npm', ['pack', '--json'], { cwd: join(clone, 'bindings/js'), env: { ...process.env, FSGATE: PROGRAM } }));
  const paths = (files) => files.map(({ path }) => path).sort();
  assert.deepEqual(paths(built[0].files), paths(packed.files));
  // What is published is built anew, whatever there was.
  assert.equal(JSON.parse(fs.readFileSync(join(here, 'package.json'), 'utf8')).scripts.prepublishOnly, 'npm run build');
});

test('the ten lines of the README run', () => {
  const lines = fs.readFileSync(join(here, 'README.md'), 'utf8').match(/```js\n([^]*?)```/)[1];
  assert.ok(lines.trim().split('\n').length <= 10);
  fs.mkdirSync(join(folder, 'project'));
  fs.writeFileSync(join(folder, 'ten.mjs'), lines);
  const said = run(process.execPath, ['ten.mjs']);
  assert.match(said, /^true \[ 1 \] /);
  assert.match(said, /^-a draft, still a draft\n\+a draft, still a text$/m);
  assert.match(said, /"content":"a draft, still a draft\\n"/);
});

test('the lines of the first page run', () => {
  const [lines] = fs.readFileSync(join(repository, 'README.md'), 'utf8').match(/(?<=```js\n)[^]*?(?=```)/);
  fs.mkdirSync(join(folder, 'first/project'), { recursive: true });
  fs.writeFileSync(join(folder, 'first/project/notes.md'), 'draft\n');
  fs.writeFileSync(join(folder, 'first/first.mjs'), lines);
  run(process.execPath, ['first.mjs'], { cwd: join(folder, 'first') });
  assert.equal(fs.readFileSync(join(folder, 'first/project/notes.md'), 'utf8'), 'final\n');
});

test('the loop of the example runs', () => {
  const directory = join(repository, 'examples/agent-loop');
  fs.cpSync(join(directory, 'javascript/loop.mjs'), join(folder, 'loop.mjs'));
  assert.equal(run(process.execPath, ['loop.mjs']), fs.readFileSync(join(directory, 'transcript.txt'), 'utf8'));
});

test('somebody who has nothing else installed has the types', () => {
  fs.copyFileSync(join(here, 'test/types/gate.ts'), join(folder, 'gate.ts'));
  const strict = ['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--lib', 'es2023,dom', '--module', 'nodenext', '--types', ''];
  assert.equal(run(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), ...strict, 'gate.ts']), '');
});

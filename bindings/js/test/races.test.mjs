// The program, Python and Node append lines to one file, and some of them are killed. A line that was
// acknowledged is there once, and no line is torn.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const PROGRAM = process.env.FSGATE ?? join(repository, 'target/debug/fsgate');
const PYTHON = join(repository, 'target/python/environment/bin/python');

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'fsgate-races-')));
after(() => fs.rmSync(base, { recursive: true }));
const [directory, state, file] = [join(base, 'shared'), join(base, 'state'), join(base, 'shared/log.txt')];

// Larger than a page, so that a torn line could not hide.
const FILLER = 'x'.repeat(5000);

// A writer appends lines with numbers from `from` on, and prints the number of each that was
// acknowledged. It tries again while another writer has its turn.
const WRITERS = {
  program: (from) => ['sh', ['-c', `
    n=${from}
    while true; do
      if "$0" append log.txt --content "program $n ${FILLER}
" --dir "$1" --state-dir "$2" >/dev/null 2>"$1/../program.log"; then echo $n; n=$((n + 1)); fi
    done`, PROGRAM, directory, state]],
  node: (from) => [process.execPath, ['--input-type=module', '-e', `
    import { BusyError, Gate } from ${JSON.stringify(new URL('../dist/node.js', import.meta.url).href)};
    const gate = await Gate.open({ dirs: { '/w': ${JSON.stringify(directory)} }, state: ${JSON.stringify(state)} });
    for (let n = ${from};;) {
      try {
        await gate.append({ path: 'log.txt', content: 'node ' + n + ' ${FILLER}\\n' });
        console.log(n++);
      } catch (error) {
        if (!(error instanceof BusyError)) throw error;
      }
    }`]],
  python: (from) => [PYTHON, ['-c', `
from fsgate import Gate, Grant, errors
gate, n = Gate([Grant(${JSON.stringify(directory)}, "/w")], state_dir=${JSON.stringify(state)}), ${from}
while True:
    try:
        gate.append("log.txt", f"python {n} ${FILLER}\\n")
        print(n, flush=True)
        n += 1
    except errors.BusyError:
        pass`]],
};

const present = Object.keys(WRITERS).filter((name) => name !== 'python' || fs.existsSync(PYTHON));

// Each of a writer's processes is killed in the middle of its work, but for the last one.
const LIVES = 3;
const LINES = 4;

test('no acknowledged line is lost, and none is torn', { skip: fs.existsSync(PROGRAM) ? false : `there is no ${PROGRAM}`, timeout: 600_000 }, async (context) => {
  if (!present.includes('python')) context.diagnostic(`without Python: there is no ${PYTHON}`);
  fs.mkdirSync(directory);
  fs.writeFileSync(file, '');
  const acknowledged = Object.fromEntries(await Promise.all(present.map(async (name) => [name, await lives(WRITERS[name])])));
  const program = (...words) => execFileSync(PROGRAM, [...words, '--dir', directory, '--state-dir', state], { encoding: 'utf8', stdio: 'pipe' });
  // A killed writer's lease lasts for ten seconds.
  for (let tries = 0; ; tries++) {
    try {
      program('recover');
      break;
    } catch (error) {
      if (tries > 60) throw error;
      await pause(500);
    }
  }
  const lines = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const torn = lines.filter((line) => !/^(program|node|python) \d+ x{5000}$/.test(line));
  assert.deepEqual(torn.map((line) => line.slice(0, 40)), []);
  for (const name of present) {
    const numbers = lines.filter((line) => line.startsWith(`${name} `)).map((line) => Number(line.split(' ')[1]));
    const lost = acknowledged[name].filter((number) => numbers.filter((each) => each === number).length !== 1);
    assert.deepEqual(lost, [], `${name}: ${numbers}`);
    assert.ok(acknowledged[name].length >= LIVES * LINES, `${name} has had its turns`);
  }
  // One history: the program undoes the changes of all.
  const before = lines.length;
  program('undo', '--any-session');
  assert.equal(fs.readFileSync(file, 'utf8').split('\n').length - 1, before - 1);
  assert.equal(fs.readdirSync(join(state, 'states')).length, 1);
});

/** The acknowledged numbers of all processes of a writer, one after the other. */
async function lives(command) {
  const all = [];
  for (let life = 1; life <= LIVES; life++) {
    // A number that was not acknowledged may stand in the file, so it is not used again.
    const [program, words] = command(life * 1000);
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve, reject) => {
      let seen = 0;
      let rest = '';
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
      child.stdout.on('data', (text) => {
        const parts = (rest + text).split('\n');
        rest = parts.pop();
        all.push(...parts.map(Number));
        seen += parts.length;
        if (seen >= LINES) resolve();
      });
    });
    // Anywhere in the next call.
    await pause(life === LIVES ? 0 : Math.random() * 40);
    process.kill(-child.pid, 'SIGKILL');
    await ended;
  }
  return all;
}

// A gate: how it is opened, what its methods take and give, what is thrown.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as fsgate from '../dist/node.js';
import { camel, snake } from '../dist/words.js';

const { FsgateError, Gate, Memory } = fsgate;

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'fsgate-gate-')));
after(() => fs.rmSync(base, { recursive: true }));
const at = (...names) => join(base, ...names);
for (const name of ['a', 'b']) fs.mkdirSync(at(name));
fs.writeFileSync(at('a/file.txt'), 'one\n');

test('the first directory is where relative paths start, and rights are those of each', async () => {
  const gate = await Gate.open({ dirs: { '/a': at('a') }, readOnly: { '/b': at('b'), '/m': new Memory({ 'x/y.txt': 'y' }) } });
  assert.equal((await gate.read({ path: 'file.txt' })).path, '/a/file.txt');
  assert.equal((await gate.read({ path: '/m/x/y.txt' })).content, 'y');
  for (const path of ['/b/new', '/m/new', '/m/x/y.txt']) {
    await assert.rejects(gate.write({ path, content: '' }), fsgate.ReadOnlyError);
  }
  assert.equal((await gate.copy({ source: '/m/x/y.txt', destination: '/a/y.txt' })).destination, '/a/y.txt');
  assert.equal(fs.readFileSync(at('a/y.txt'), 'utf8'), 'y');
  gate.close();
});

test('a policy takes away', async () => {
  const memory = new Memory({ 'a.txt': 'one', '.env': 'KEY=1' });
  const gate = await Gate.open({ dirs: { '/w': memory }, policy: { profile: 'strict' } });
  await assert.rejects(gate.read({ path: '.env' }), fsgate.NotFoundError);
  const denied = await Gate.open({ dirs: { '/w': memory }, policy: [{ rules: [{ name: 'mine', paths: ['a.txt'], effect: 'denied' }] }] });
  await assert.rejects(denied.read({ path: 'a.txt' }), (error) => error instanceof fsgate.DeniedByPolicyError && error.rule === 'mine');
});

test('with a state directory what was changed can be taken back, by the next gate too', async () => {
  for (const [dir, state] of [[at('b'), at('state')], [new Memory(), new Memory()]]) {
    const session = '0'.repeat(32);
    const gate = await Gate.open({ dirs: { '/w': dir }, state, session });
    await gate.create({ path: 'a.txt', content: 'one' });
    const { undoId } = await gate.write({ path: 'a.txt', content: 'two' });
    assert.match(undoId, /^[0-9a-f]{32}$/);
    gate.close();
    const next = await Gate.open({ dirs: { '/w': dir }, state, session });
    assert.equal((await next.undo()).paths[0], '/w/a.txt');
    assert.equal((await next.read({ path: 'a.txt' })).content, 'one');
    const other = await Gate.open({ dirs: { '/w': dir }, state });
    await assert.rejects(other.undo(), fsgate.NothingToUndoError);
    assert.equal((await other.log({ anySession: true })).entries.length, 3);
  }
  assert.equal(fs.statSync(at('state')).mode & 0o777, 0o700);
});

const PROGRAM = process.env.FSGATE ?? fileURLToPath(new URL('../../../target/debug/fsgate', import.meta.url));

test('the history that the program keeps is known here, and the other way round', { skip: fs.existsSync(PROGRAM) ? false : `there is no ${PROGRAM}` }, async () => {
  fs.mkdirSync(at('shared'));
  const program = (...words) => execFileSync(PROGRAM, [...words, '--dir', `${at('shared')}::/w`, '--state-dir', at('states')], { encoding: 'utf8' });
  program('create', 'a.txt', '--content', 'one');
  const gate = await Gate.open({ dirs: { '/w': at('shared') }, state: at('states') });
  assert.deepEqual((await gate.undo({ anySession: true })).paths, ['/w/a.txt']);
  assert.deepEqual(fs.readdirSync(at('shared')), []);
  gate.close();
  program('redo');
  assert.equal(fs.readFileSync(at('shared/a.txt'), 'utf8'), 'one');
});

test('a directory that was granted here first has the same history in the program, and so have its parts', { skip: fs.existsSync(PROGRAM) ? false : `there is no ${PROGRAM}` }, async () => {
  fs.mkdirSync(at('first/part'), { recursive: true });
  const [dir, state] = [at('first'), at('roots')];
  const gates = await Promise.all([dir, dir, at('first/part'), dir].map((path) => Gate.open({ dirs: { '/w': path }, state })));
  await gates[0].create({ path: 'part/a.txt', content: 'one' });
  const seen = await Promise.all(gates.map((gate) => gate.log({ anySession: true })));
  assert.deepEqual(seen.map(({ entries }) => entries.length), [1, 1, 1, 1]);
  for (const gate of gates) gate.close();
  const program = (...words) => execFileSync(PROGRAM, [...words, '--state-dir', state], { encoding: 'utf8' });
  program('undo', '--any-session', '--dir', at('first/part'));
  assert.equal(fs.existsSync(at('first/part/a.txt')), false);
  const entries = fs.readdirSync(join(state, 'roots')).map((name) => JSON.parse(fs.readFileSync(join(state, 'roots', name), 'utf8')));
  assert.equal(new Set(entries.map((entry) => entry.state)).size, 1);
  for (const name of ['', 'roots', 'states']) assert.equal(fs.statSync(join(state, name)).mode & 0o777, 0o700);
  // An entry that was damaged, or is of a state that is gone, is written anew.
  for (const damage of [(name) => fs.writeFileSync(join(state, 'roots', name), '{'), () => fs.rmSync(join(state, 'states'), { recursive: true })]) {
    fs.readdirSync(join(state, 'roots')).forEach(damage);
    const gate = await Gate.open({ dirs: { '/w': dir }, state });
    await gate.create({ path: 'b.txt', content: '' });
    await gate.undo();
    gate.close();
  }
});

test('arguments and outcomes have the names and values of JavaScript', async () => {
  const gate = await Gate.open({ dirs: { '/w': new Memory({ 'a.txt': 'one\ntwo\n' }) } });
  const found = await gate.grep({ pattern: 'two', includeHidden: true, withEtag: true });
  assert.equal(found.matches[0].line, 2);
  assert.equal(typeof found.skipped.tooLarge, 'number');
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
  await gate.writeBytes({ path: 'b.bin', bytes });
  assert.deepEqual((await gate.readBytes({ path: 'b.bin', length: 100_000 })).bytes, bytes);
  assert.deepEqual((await gate.readBytes({ path: 'b.bin', offset: 99_999 })).bytes, Uint8Array.of(99_999 % 256));
  // Bytes of Node are bytes as well.
  await gate.writeBytes({ path: 'c.bin', bytes: Buffer.from('abc') });
  assert.equal((await gate.read({ path: 'c.bin' })).content, 'abc');
});

test('a refusal is an error of its code, with what comes with it', async () => {
  const gate = await Gate.open({ dirs: { '/w': new Memory({ 'a.txt': 'draft\nfinal\ndraft\n' }) } });
  const refused = await gate.replace({ path: 'a.txt', old: 'draft', new: 'x' }).catch((error) => error);
  assert.ok(refused instanceof fsgate.AmbiguousError && refused instanceof FsgateError && refused instanceof Error);
  const { name, code, lines, operation, path, applied } = refused;
  assert.deepEqual({ name, code, lines, operation, path, applied },
    { name: 'AmbiguousError', code: 'ambiguous', lines: [1, 3], operation: 'replace', path: 'a.txt', applied: false });
  assert.equal(JSON.parse(refused.json).message, refused.message);
  assert.ok(refused.repair.length > 0);
  const near = await gate.replace({ path: 'a.txt', old: 'draft\nfinale\n', new: 'x' }).catch((error) => error);
  assert.equal(typeof near.nearest.firstLine, 'number');
  await assert.rejects(gate.call('raed', {}), fsgate.UnknownToolError);
  await assert.rejects(gate.read({ path: 'a.txt', maxLine: 1 }), fsgate.InvalidArgumentError);
});

test('every tool has a method, every name has one form, every code a class', async () => {
  const gate = await Gate.open({ dirs: { '/w': new Memory() } });
  for (const { name } of gate.tools()) assert.equal(typeof gate[camel(name)], 'function', name);
  const names = (schema) => Object.entries(schema.properties ?? {}).flatMap(([name, of]) => [name, ...names(of)]).concat(schema.items ? names(schema.items) : []);
  for (const { inputSchema, outcomeSchema } of gate.tools()) {
    for (const name of [...names(inputSchema), ...names(outcomeSchema)]) assert.equal(snake(camel(name)), name);
  }
  const classes = Object.values(fsgate).filter((made) => made.prototype instanceof FsgateError);
  const wit = fs.readFileSync(new URL('../../../wit/types.wit', import.meta.url), 'utf8');
  const codes = wit.match(/variant code \{([^}]*)\}/)[1].match(/^ +[a-z-]+(?=[(,])/gm).map((code) => snake(camel(code.trim().replaceAll('-', '_'))));
  assert.deepEqual(classes.map(({ name }) => name).sort(), codes.map((code) => `${camel(`_${code}`)}Error`).sort());
  for (const code of codes) assert.equal(FsgateError.from(JSON.stringify({ code, message: '' })).name, `${camel(`_${code}`)}Error`);
  // What a newer component says is an error all the same.
  assert.equal(FsgateError.from('{"code": "novel", "message": "new"}').code, 'novel');
});

test('what is no argument at all is the caller\'s mistake', async () => {
  const gate = await Gate.open({ dirs: { '/w': new Memory({ 'a.txt': 'one' }) } });
  await assert.rejects(gate.call('read', { path: 1n }), TypeError);
  assert.equal((await gate.read({ path: 'a.txt' })).content, 'one');
});

test('half of a character is refused, and nothing is changed', async () => {
  const memory = new Memory();
  const gate = await Gate.open({ dirs: { '/w': memory } });
  const { workflow, fileAction } = gate.frontEnds;
  for (const [operation, position, call] of [
    ['write', 24, () => gate.call('write', '{"path":"a","content":"x\ud800"}')],
    ['write', 13, () => gate.call('write', '{"path":"a", \udc00\ud800}')],
    ['wri?te', 3, () => gate.call('wri\ud800te', {})],
    ['read?', 4, () => gate.call('read\udfff', '{}')],
    ['file_action', 1, () => fileAction({ text: 'x\ud800' })],
    ['workflow', 0, () => workflow({ text: 'x', variables: [{ name: 'a', value: '\ud800' }] })],
  ]) {
    const error = await call().then(() => assert.fail(operation), (refused) => refused);
    assert.ok(error instanceof fsgate.MalformedError, error.stack);
    const { code, applied, repair, message } = error;
    assert.deepEqual({ code, operation: error.operation, applied, repair, position: error.position },
      { code: 'malformed', operation, applied: false, repair: 'write the arguments as JSON, in UTF-8', position: 0 });
    assert.match(message, new RegExp(`^the call cannot be handed on: '\\\\u[0-9a-f]{4}' in position ${position} is half of a character$`));
    assert.equal(JSON.parse(error.json).message, message);
  }
  // As JSON has it, the component says what is wrong with it.
  await assert.rejects(gate.write({ path: 'a', content: '\ud800' }), fsgate.MalformedError);
  assert.deepEqual(memory.files(), {});
  await gate.call('write', { path: 'a', content: '\u{1f600}' });
  assert.equal(Buffer.from(memory.files().a).toString(), '\u{1f600}');
});

test('a call ends when its time is over', async () => {
  const files = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${index}.txt`, 'x'.repeat(2000)]));
  const gate = await Gate.open({ dirs: { '/w': new Memory(files) }, deadline: 5 });
  await assert.rejects(gate.grep({ pattern: 'y' }), fsgate.DeadlineError);
  assert.equal((await gate.read({ path: '7.txt' })).size, 2000);
});

test('the program has the same catalogue', { skip: fs.existsSync(PROGRAM) ? false : `there is no ${PROGRAM}` }, async () => {
  const gate = await Gate.open({ dirs: { '/w': new Memory() } });
  const told = JSON.parse(execFileSync(PROGRAM, ['tools', '--json'], { encoding: 'utf8' }));
  assert.deepEqual(gate.tools(), told.map(({ name, description, input_schema: inputSchema, outcome_schema: outcomeSchema, annotations }) => ({
    name, description, inputSchema, outcomeSchema,
    annotations: { readOnly: annotations.read_only, destructive: annotations.destructive, idempotent: annotations.idempotent },
  })));
});

test('gates do not wait for each other, and share what they have compiled', async () => {
  const gates = await Promise.all(Array.from({ length: 8 }, () => Gate.open({ dirs: { '/w': at('b') }, state: at('state') })));
  await Promise.all(gates.map((gate, index) => gate.create({ path: `${index}.txt`, content: '' })));
  assert.equal(fs.readdirSync(at('b')).filter((name) => /^\d\.txt$/.test(name)).length, 8);
});

test('whatever front ends a component has are there', async () => {
  const { AnyGate } = await import('../dist/gate.js');
  const exports = { frontEnds: { sham: ({ text }) => ({ output: text }), fileAction: () => ({ output: 'done' }) } };
  const gate = new AnyGate({ tools: [], frontEnds: Object.keys(exports.frontEnds), run: async (_, call) => call(exports) });
  assert.deepEqual(Object.keys(gate.frontEnds), ['sham', 'fileAction']);
  assert.deepEqual(await gate.frontEnds.sham({ text: 'x' }), { output: 'x' });
});

test('every front end of this component answers', async (t) => {
  const gate = await Gate.open({ dirs: { '/tmp': new Memory() } });
  const names = Object.keys(gate.frontEnds);
  if (names.length === 0) return t.skip('this component exports no front ends');
  for (const name of names) {
    // All of them take a text, and none of them fails, whatever it says.
    assert.equal(typeof await gate.frontEnds[name]({ text: 'Nothing to do.' }), 'object', name);
    await assert.rejects(gate.frontEnds[name]({}), TypeError, name);
    await assert.rejects(gate.frontEnds[name]({ text: '', tekst: '' }), /^TypeError: there is no argument `tekst`; did you mean `text`\?/, name);
  }
  if (names.includes('sham')) {
    const block = (...lines) => ['```sh sham', '#!SHAM [@three-char-SHA-256: k7m]', ...lines, '#!END_SHAM_k7m', '```'].join('\n');
    const written = await gate.frontEnds.sham({ text: block('action = "file_write"', 'path = "/tmp/a.txt"', 'content = "one"') });
    assert.equal(JSON.parse(written.output).results[0].data.bytesWritten, 3);
    assert.equal((await gate.read({ path: '/tmp/a.txt' })).content, 'one');
    // The working set lasts from one text to the next, if it is brought along.
    const added = await gate.frontEnds.sham({ text: block('action = "context_add"', 'path = "/tmp/a.txt"') });
    const listed = await gate.frontEnds.sham({ text: block('action = "context_list"'), state: added.state });
    assert.match(listed.output, /\/tmp\/a\.txt/);
  }
  return undefined;
});

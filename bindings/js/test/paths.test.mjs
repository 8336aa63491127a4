// Rules are about what is there, whatever names it has inside: the component is told where each granted directory lies.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { DeniedByPolicyError, Gate, Memory, NotFoundError } from '../dist/node.js';
import { variables } from '../dist/options.js';
import { judged } from './judged.mjs';

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'fsgate-paths-')));
const [here, shell] = [process.cwd(), process.env.PWD];
after(() => fs.rmSync(base, { recursive: true }));
afterEach(() => {
  process.chdir(here);
  if (shell !== undefined) process.env.PWD = shell;
});
const at = (...names) => join(base, ...names);

for (const name of ['me/.aws/credentials', 'data/credentials', 'w/secret', 'w/in/secret', 'w/in/deep/secret', 'w/in/open', 'x\ufffd/x', 'you/x']) {
  fs.mkdirSync(dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), 'secret');
}
for (const [name, target] of [['you/.aws', '../data'], ['by', 'me/.aws'], ['linked', 'w']]) fs.symlinkSync(target, at(name));

// A rule about what is called so right below a grant.
const SECRET = { profile: 'open', rules: [{ name: 'r', paths: ['./secret'], effect: 'hidden' }] };

for (const [granted, policy, isDenied] of [
  ['me/.aws', undefined, true],
  ['me/.aws', { profile: 'open' }, false],
  // The path that was asked for counts, and the one that it leads to.
  ['you/.aws', undefined, true],
  ['by', undefined, true],
  ['data', undefined, false],
]) {
  test(`a rule may begin above what is granted: ${granted}, ${JSON.stringify(policy) ?? 'the usual policy'}`, async () => {
    const gate = await Gate.open({ dirs: { '/n': at(granted) }, ...(policy && { policy }) });
    const read = gate.read({ path: '/n/credentials' });
    if (isDenied) await assert.rejects(read, DeniedByPolicyError);
    else assert.equal((await read).content, 'secret');
    gate.close();
  });
}

for (const [outer, inner] of [['/w', '/n'], ['/w', '/a/b'], ['w/', './n/'], ['/', '/n']]) {
  for (const isFirst of [true, false]) {
    test(`a grant in another one is the same by both names: ${isFirst ? `${outer} ${inner}` : `${inner} ${outer}`}`, async () => {
      const dirs = [[outer, at('w')], [inner, at('w/in')]];
      const gate = await Gate.open({ dirs: Object.fromEntries(isFirst ? dirs : dirs.reverse()), policy: SECRET });
      for (const path of [`/${outer}/secret`, `/${outer}/in/secret`, `/${inner}/secret`]) {
        await assert.rejects(gate.read({ path }), NotFoundError, path);
        assert.equal((await gate.exists({ path })).exists, false);
      }
      for (const path of [`/${outer}/in/open`, `/${inner}/open`, `/${outer}/in/deep/secret`, `/${inner}/deep/secret`]) {
        assert.equal((await gate.read({ path })).content, 'secret', path);
      }
      gate.close();
    });
  }
}

/** What the component is told, without what is the same everywhere. */
async function told(granted) {
  const { paths, rules } = await judged(granted.map(([name, source]) => ({ name, source, writable: true })));
  const found = JSON.parse(variables({}, { rules, paths }).FSGATE_POLICY_PATHS ?? '{}');
  return Object.fromEntries(Object.entries(found).map(([name, list]) => [name, list.map((path) => path.replace(`${base}/`, ''))]));
}

test('the component is told where each grant lies', async () => {
  process.chdir(at('linked'));
  process.env.PWD = at('linked');
  for (const [granted, expected] of [
    [[['/w', at('w')], ['/n', at('w/in')]], { '/w': ['w'], '/n': ['w/in'] }],
    [[['/n', at('you/.aws')], ['/b', at('by')]], { '/n': ['data', 'you/.aws'], '/b': ['me/.aws', 'by'] }],
    [[['__proto__', at('w')]], { ['__proto__']: ['w'] }],
    // One directory lies at the paths of all its names.
    [[['/d', at('data')], ['/n', at('you/.aws')]], { '/d': ['data', 'you/.aws'], '/n': ['data', 'you/.aws'] }],
    [[['/n', 'in'], ['/m', at('w/in')]], { '/n': ['w/in', 'linked/in'], '/m': ['w/in', 'linked/in'] }],
    // From where the shell says that it is.
    [[['/n', 'in'], ['/m', './in/']], { '/n': ['w/in', 'linked/in'], '/m': ['w/in', 'linked/in'] }],
    // A `..` leaves the directory that a link leads to.
    [[['/n', `${base}/you/.aws/../w`], ['/m', '../me']], { '/n': ['w'], '/m': ['me'] }],
    // Half of a character is another one for the system.
    [[['/\udcff', at('x\udcff')]], { '/\ufffd': ['x\ufffd'] }],
  ]) assert.deepEqual(await told(granted), expected, JSON.stringify(granted));
});

test('a shell that is elsewhere says nothing', async () => {
  process.chdir(base);
  // Nor one that has a `..`, which may leave what a link leads to.
  for (const pwd of ['elsewhere', 'linked', '/', '/none', at('you'), `${base}/you/..`, undefined]) {
    delete process.env.PWD;
    if (pwd !== undefined) process.env.PWD = pwd;
    // Nor does this process itself, of a link on its way.
    for (const [path, real] of [['w/in', 'w/in'], ['linked/in', 'w/in'], ['by', 'me/.aws']]) assert.deepEqual(await told([['/n', path]]), { '/n': [real] }, `${pwd} ${path}`);
  }
});

// Links that lead to a directory, from what may be granted beside it and from elsewhere.
fs.mkdirSync(at('data/sub'));
for (const [name, target] of [
  ['w/pub', '../data'], ['w/in/pub', '../../data'], ['far', 'w/pub'], ['back', 'w/in/../../data'], ['around', 'data'], ['data/self', '.'],
]) fs.symlinkSync(target, at(name));

test('where a shell has come from is no name if a link in another grant leads there', async () => {
  process.chdir(at('data'));
  for (const [cameBy, beside, isName] of [
    ['w/pub', 'w', false],
    ['w/in/pub', 'w/in', false],
    // On a way from elsewhere as well, and where a directory is left by `..`.
    ['far', 'w', false],
    ['back', 'w', false],
    ['around', 'w', true],
    // A link in what is not granted, or in what is granted itself, is in no other grant.
    ['w/pub', 'w/in', true],
    ['w/pub', 'me', true],
    ['data/self', 'w', true],
    ['data/self', 'data', true],
  ]) {
    process.env.PWD = at(cameBy);
    for (const path of ['.', 'sub']) {
      // The directory itself, by another name, is no other one.
      const other = beside === 'data' ? path : at(beside);
      const expected = (isName ? ['data', cameBy] : ['data']).map((name) => join(name, path));
      assert.deepEqual((await told([['/n', path], ['/b', other]]))['/n'], expected, `${cameBy} ${beside} ${path}`);
    }
  }
});

for (const [cameBy, isOpen] of [['w/pub', false], ['around', true], ['data', false]]) {
  test(`an exception is about no such name: ${cameBy}`, async () => {
    process.chdir(at('data'));
    process.env.PWD = at(cameBy);
    const unless = ['**/pub/credentials', '**/around/credentials'];
    const policy = { profile: 'open', rules: [{ name: 'r', paths: ['credentials'], effect: 'denied', unless }] };
    const gate = await Gate.open({ dirs: { '/n': '.', '/w': at('w') }, policy });
    const read = gate.read({ path: '/n/credentials' });
    if (isOpen) assert.equal((await read).content, 'secret');
    else await assert.rejects(read, DeniedByPolicyError);
    gate.close();
  });
}

test('memory lies nowhere', async () => {
  const { paths, rules } = await judged([{ name: '/n', source: new Memory(), writable: true }]);
  assert.deepEqual([variables({}, { paths, rules }).FSGATE_POLICY_PATHS, rules], [undefined, []]);
  const gate = await Gate.open({ dirs: { '/m': new Memory({ 'credentials': 'secret' }), '/n': at('me/.aws') } });
  assert.equal((await gate.read({ path: '/m/credentials' })).content, 'secret');
  gate.close();
});

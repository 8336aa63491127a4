// Starts that are refused. A row is what is asked for, and the reason.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { FsgateError, Gate, Memory, NotFoundError, StartError } from '../dist/node.js';
import { notTaken } from '../dist/options.js';
import { byHandle } from '../dist/wasi/disk.js';

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'fsgate-start-')));
after(() => fs.rmSync(base, { recursive: true }));
const at = (...names) => join(base, ...names);

// The program's own directories, as its variables say; one of them is not there yet.
const OWN = { XDG_STATE_HOME: 'xdg/state', XDG_CONFIG_HOME: 'xdg/config', XDG_CACHE_HOME: 'xdg/cache' };
for (const [variable, path] of Object.entries(OWN)) process.env[variable] = at(path);

for (const path of ['a/inner', 'b', 'c', 'open', 'xdg/state/fsgate/states/1', 'xdg/config/fsgate/x', 'xdg/config/other']) {
  fs.mkdirSync(at(path), { recursive: true });
}
fs.writeFileSync(at('a/file.txt'), 'one\n');
fs.writeFileSync(at('xdg/state/fsgate/states/1/old'), 'an old content');
fs.symlinkSync('/', at('to-root'));
for (const [target, link] of [['../b', 'led'], ['inner', 'own']]) fs.symlinkSync(target, at('a', link));
for (const [target, link] of [['../a/inner/../../b', 'back'], ['../a/../b', 'beside'], ['../xdg/config', 'there'], ['../a/led', 'door']]) {
  fs.symlinkSync(target, at('c', link));
}
fs.symlinkSync('../b/not/there', at('open/to-nothing'));
fs.chmodSync(at('open'), 0o777);

const memory = new Memory();

const REFUSED = [
  // What is said at all.
  [{}, 'noGrant'],
  [{ dirs: {}, readOnly: undefined }, 'noGrant'],
  // What would be as if it had not been said.
  [undefined, 'noRecord'],
  [null, 'noRecord'],
  ['project', 'noRecord'],
  [[at('a')], 'noRecord'],
  [{ dirs: { '/w': at('a') }, policies: { profile: 'strict' } }, 'unknownOption'],
  [{ dirs: { '/w': at('a') }, load: fetch }, 'unknownOption'],
  [{ dirs: { '/w': at('a') }, history: { byte: 1 } }, 'unknownOption'],
  [{ dirs: { '/w': at('a') }, history: 7 }, 'noRecord'],
  [{ dirs: [at('a')] }, 'noRecord'],
  [{ dirs: at('a') }, 'noRecord'],
  [{ dirs: null, readOnly: { '/w': at('a') } }, 'noRecord'],
  [{ dirs: new Map([['/w', at('a')]]) }, 'noRecord'],
  [{ dirs: new Memory() }, 'noRecord'],
  [{ readOnly: [at('a')] }, 'noRecord'],
  [{ dirs: { '/w': at('a') }, policy: () => ({}) }, 'noRecord'],
  [{ dirs: { '/w': memory }, policy: 'strict' }, 'noRecord'],
  [{ dirs: { '/w': memory }, policy: '' }, 'noRecord'],
  [{ dirs: { '/w': memory }, policy: null }, 'noRecord'],
  [{ dirs: { '/w': memory }, policy: [new Map()] }, 'noRecord'],
  [{ dirs: { '/w': at('a') }, readOnly: { 'w/': at('b') } }, 'duplicateName'],
  [{ dirs: { '/w/../x': at('a') } }, 'upwardName'],
  [{ dirs: { '/.fsgate/x': at('a') } }, 'reservedName'],
  [{ dirs: { '/.Fsgate-settings': at('a') } }, 'reservedName'],
  [{ dirs: { '/w': at('missing') } }, 'unusable'],
  [{ dirs: { '/w': at('a/file.txt') } }, 'notDirectory'],
  [{ dirs: { '/w': new URL('file:///') } }, 'noDirectory'],
  [{ dirs: { '/w': Buffer.from('/') } }, 'noDirectory'],
  [{ dirs: { '/w': at('a') }, state: { files: {} } }, 'noDirectory'],
  // Rights that another grant makes void.
  [{ dirs: { '/w': at('a') }, readOnly: { '/i': at('a/inner') } }, 'narrower'],
  [{ dirs: { '/w': at('a') }, readOnly: { '/i': at('a') } }, 'twiceDifferently'],
  [{ dirs: { '/w': memory }, readOnly: { '/i': memory } }, 'twiceDifferently'],
  // What a link in another grant leads to.
  [{ dirs: { '/w': at('a'), '/x': at('a/led') } }, 'ledOut'],
  [{ dirs: { '/w': at('a') }, readOnly: { '/x': at('a/led') } }, 'ledOut'],
  [{ dirs: { '/w': at('a'), '/x': at('a/own') } }, 'ledOut'],
  [{ dirs: { '/w': at('a'), '/x': at('a/led'), '/b': at('b') } }, 'ledOut'],
  [{ dirs: { '/x': at('a/own') }, readOnly: { '/w': at('a') } }, 'ledOut'],
  [{ dirs: { '/w': at('a'), '/x': at('a/led'), '/y': at('a/led') } }, 'ledOut'],
  // Also where it is granted anyway, by the same name.
  [{ dirs: { '/w': at('a'), '/w/inner': at('a/own') } }, 'ledOut'],
  [{ readOnly: { '/w': at('a'), '/w/inner': at('a/own') } }, 'ledOut'],
  // What a `..` in one leads to, also behind a link from elsewhere.
  [{ dirs: { '/w': at('a'), '/x': `${base}/a/inner/../../b` } }, 'ledOut'],
  [{ dirs: { '/w': at('a'), '/x': at('c/back') } }, 'ledOut'],
  [{ readOnly: { '/w': at('a'), '/x': at('c/back') } }, 'ledOut'],
  // Behind a link, `..` is the directory above its target, as the system has it.
  [{ dirs: { '/w': at('a'), '/x': `${base}/c/there/../door` } }, 'unusable'],
  // Where the history is.
  [{ dirs: { '/w': at('a') }, state: at('a/inner') }, 'stateInGrant'],
  [{ dirs: { '/w': at('a') }, state: at('a/not/there') }, 'stateInGrant'],
  [{ readOnly: { '/w': at('a') }, state: at('a/not/there') }, 'stateInGrant'],
  [{ dirs: { '/w': at('b') }, state: at('open/to-nothing') }, 'stateInGrant'],
  [{ dirs: { '/w': at('a/inner') }, state: at('a') }, 'stateInGrant'],
  [{ dirs: { '/w': memory }, state: memory }, 'stateInGrant'],
  [{ readOnly: { '/w': memory }, state: memory }, 'stateInGrant'],
  [{ dirs: { '/w': at('a') }, state: at('open') }, 'stateOpen'],
  [{ dirs: { '/w': at('b') }, state: at('a/file.txt') }, 'stateUnusable'],
  // More than anybody works on.
  [{ readOnly: { '/w': '/' } }, 'wide'],
  [{ readOnly: { '/w': at('to-root') } }, 'wide'],
  [{ readOnly: { '/w': '/usr' } }, 'wide'],
  [{ dirs: { '/w': homedir() } }, 'wide'],
  // What the program keeps.
  [{ dirs: { '/w': at('xdg/state/fsgate') } }, 'ownDirectory'],
  [{ dirs: { '/w': at('xdg/state') } }, 'ownDirectory'],
  [{ dirs: { '/w': at('xdg/config/fsgate/x') } }, 'ownDirectory'],
  [{ dirs: { '/w': at('xdg') }, allowWideGrant: true }, 'ownDirectory'],
  [{ dirs: { '/w': '/' }, allowWideGrant: true }, 'ownDirectory'],
  [{ readOnly: { '/w': at('xdg/state/fsgate/states') } }, 'ownDirectory'],
  [{ readOnly: { '/w': at('xdg/state/fsgate/states/1') } }, 'ownDirectory'],
];

/** Everything that is there, without following a link. */
function* walk(directory) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    yield join(directory, entry.name);
    if (entry.isDirectory()) yield* walk(join(directory, entry.name));
  }
}

/** What is asked for, in a line. */
function shown(options) {
  return inspect(options, { depth: 1, breakLength: Infinity }).replaceAll(base, '');
}

for (const [options, reason] of REFUSED) {
  test(`${shown(options)} is refused: ${reason}`, async () => {
    const before = [...walk(base)];
    const error = await Gate.open(options).then(() => assert.fail('it was opened'), (refused) => refused);
    assert.ok(error instanceof StartError && error instanceof TypeError, error.stack);
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, /^[a-z`].*[^.]$/);
    // A start that is refused makes nothing.
    assert.deepEqual([...walk(base)], before);
  });
}

test('what is not refused is opened', async () => {
  for (const options of [
    { readOnly: { '/w': '/usr' }, allowWideGrant: true },
    { readOnly: { '/a': memory, '/b': memory } },
    { dirs: { '/a': memory, '/b': memory }, state: new Memory() },
    { dirs: { '/w': at('a'), '/i': at('a/inner') } },
    { readOnly: { '/w': at('a'), '/i': at('a/inner') } },
    { dirs: { '/w': at('a'), '/w/inner': at('a/inner') } },
    { dirs: { '/x': at('a/led') } },
    // The granted directory itself is left by `..`, which lies in no grant.
    { dirs: { '/w': at('a'), '/x': at('c/beside') } },
    { dirs: { '/w': at('a'), '/x': `${base}/a/../b` } },
    { dirs: { '/x': at('c/back') } },
    { readOnly: { '/w': at('xdg/config/fsgate') } },
    { dirs: { '/w': at('xdg/config/other') } },
  ]) {
    (await Gate.open(options)).close();
  }
});

test('whoever may read around the histories of the program does not see them', async () => {
  for (const policy of [undefined, { profile: 'open' }, [{}, { rules: [{ name: 'x', paths: ['x'], effect: 'denied' }] }]]) {
    for (const [granted, path] of [['xdg', 'state/fsgate'], ['xdg/state/fsgate', '.']]) {
      const gate = await Gate.open({ readOnly: { './w//x': at(granted), '/other': at('b') }, ...(policy && { policy }) });
      await assert.rejects(gate.read({ path: `${path}/states/1/old` }), NotFoundError);
      assert.ok(!(await gate.tree({ path })).drawn.includes('states'));
      gate.close();
    }
  }
});

test('what is near to what was said is told', async () => {
  for (const [options, told] of [
    [{ policies: {} }, 'there is no option `policies`; did you mean `policy`? there are `dirs`, '],
    [{ read_only: {} }, 'did you mean `readOnly`?'],
    [{ readonly: {} }, 'did you mean `readOnly`?'],
    [{ stateDir: '' }, 'did you mean `state`?'],
    [{ xyz: {} }, 'there is no option `xyz`; there are `dirs`, '],
    [{ history: { day: 1 } }, 'did you mean `days`? there are `bytes`, `entries`, `days`'],
  ]) {
    const { message } = await Gate.open({ dirs: { '/w': memory }, ...options }).catch((error) => error);
    assert.ok(message.includes(told), message);
  }
});

// What the component itself has no meaning for. A row is what is given, what it is called here, and its own words.
const BROKEN = [
  [{ policy: { profil: 'strict' } }, 'policy', /`FSGATE_POLICY`.*`profil`/],
  [{ policy: [{ rules: [{ name: 'x', paths: ['['], effect: 'denied' }] }] }, 'policy', /rules\[0\]/],
  [{ session: 'mine' }, 'session', /FSGATE_SESSION.*32 lower-case hex digits/],
  [{ deadline: 'soon' }, 'deadline', /FSGATE_DEADLINE_MILLIS/],
  [{ durability: 'forever' }, 'durability', /FSGATE_DURABILITY/],
  [{ history: { bytes: -1 } }, 'history.bytes', /FSGATE_HISTORY_BYTES/],
  [{ history: { entries: 'many' } }, 'history.entries', /FSGATE_HISTORY_ENTRIES/],
  [{ history: { days: -1 } }, 'history.days', /FSGATE_HISTORY_DAYS/],
];

test('a policy or another option without a meaning refuses the start, by its name and the component\'s own words', async () => {
  for (const [options, option, problem] of BROKEN) {
    const error = await Gate.open({ dirs: { '/w': new Memory() }, ...options }).catch((refused) => refused);
    assert.ok(error instanceof StartError && error.cause instanceof FsgateError, shown(options));
    assert.equal(error.reason, 'option');
    assert.ok(error.message.startsWith(`the option \`${option}\` cannot be used: `), error.message);
    assert.match(error.message, problem);
  }
});

test('what is not about an option is about the component', () => {
  const refused = notTaken(FsgateError.from('{"code": "other", "message": "the component failed", "repair": "report it"}'));
  assert.deepEqual([refused.reason, refused.message], ['component', 'cannot start the component: the component failed; report it']);
});

test('a policy that lets nothing be seen is no broken one', async () => {
  const gate = await Gate.open({ dirs: { '/w': new Memory({ 'a.txt': '' }) }, policy: { rules: [{ name: 'x', paths: ['/w', '*'], effect: 'hidden' }] } });
  await assert.rejects(gate.read({ path: 'a.txt' }), FsgateError);
});

test('a start that is refused leaves nothing open', { skip: byHandle ? false : 'this system does not tell what is open' }, async () => {
  const open = () => fs.readdirSync('/proc/self/fd').length;
  (await Gate.open({ dirs: { '/w': at('a') } })).close();
  const before = open();
  const cyclic = {};
  cyclic.self = cyclic;
  for (const options of [...REFUSED.filter(([options]) => options?.dirs || options?.readOnly), ...BROKEN, [{ policy: cyclic }], [{ policy: { rules: 1n } }]].map(([options]) => options)) {
    await assert.rejects(Gate.open({ dirs: { '/w': at('a'), '/b': at('b') }, ...options }).then((gate) => {
      gate.close();
      throw new Error('it is no worse with more directories');
    }));
  }
  assert.equal(open(), before);
});

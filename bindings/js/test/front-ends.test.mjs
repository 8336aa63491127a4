// Runs every case of a front end on a disk and in memory. The core's tests run the same cases in
// its own memory.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from './corpus/cases.mjs';
import { textOf } from './corpus/compiled.mjs';
import * as disk from './corpus/disk.mjs';
import { compared } from './corpus/front-ends.mjs';
import * as memory from './corpus/memory.mjs';
import { NEW_FILE, isTime, ofTree } from './corpus/verdict.mjs';
import { Engine, compile } from '../dist/engine.js';
import { AnyGate } from '../dist/gate.js';
import { Gate, Memory } from '../dist/node.js';
import { camel, toJson } from '../dist/words.js';

/** The corpus has more cases than this. */
const LEAST = 300;

/**
 * The time of the last change of every item in a tree before, in seconds: the first time of the
 * core's memory. One case shows it.
 */
const CHANGED = 1;

const cases = parse(textOf('front-ends'));
const program = await compile((url) => readFile(url));

const WAYS = [
  {
    name: 'on a disk',
    place: disk,
    age({ directories }, { grants, items }) {
      grants.forEach(({ directory }, index) => {
        const paths = [...items.keys()].filter((path) => path.startsWith(`${directory}/`));
        for (const path of paths) fs.lutimesSync(join(directories[index].host, path.slice(directory.length)), CHANGED, CHANGED);
      });
    },
    open({ directories }, policy) {
      const named = (is) => Object.fromEntries(directories.filter(is).map(({ name, host }) => [name, host]));
      const isState = ({ name }) => name === '/.fsgate';
      return Gate.open({
        dirs: named((one) => one.writable && !isState(one)),
        readOnly: named((one) => !one.writable),
        state: directories.find(isState).host,
        policy: policy && JSON.parse(policy),
      });
    },
  },
  {
    name: 'in memory',
    place: memory,
    age: (scene) => scene.preopens().forEach(({ open }) => age(open.thing)),
    // A `Memory` cannot be made with links in it, so the scene makes it.
    async open(scene, policy) {
      const variables = policy === undefined ? {} : { FSGATE_POLICY: policy };
      return new AnyGate(await Engine.open(program, scene.preopens(), variables));
    },
  },
];

function age(thing) {
  thing.modified = BigInt(CHANGED) * 1_000_000_000n;
  for (const below of thing.names?.values() ?? []) age(below);
}

/** The call of each front end, which returns the differences of the answer. */
const SPOKEN = {
  async command(one, ask) {
    const { tag, val } = await ask({ text: one.blocks.text, ...JSON.parse(one.blocks.answer ?? '{}') });
    if (!(tag in one.blocks)) return [`it came to \`${tag}\`: ${JSON.stringify(val)}`];
    return compared(one, tag, tag === 'needs-options' ? JSON.parse(one.blocks[tag]) : one.blocks[tag], val);
  },

  async 'file-action'(one, ask) {
    const { output } = await ask({ text: one.blocks.text });
    return compared(one, 'output', JSON.parse(one.blocks.output), JSON.parse(output));
  },

  async plugin(one, ask) {
    const outcome = await ask({ text: one.blocks.text, now: one.blocks.now });
    const output = JSON.parse(outcome.output);
    for (const entry of [output].flat().flatMap((answer) => answer.output?.entries ?? [])) {
      // The core's memory has no times of directories; both places here have.
      const names = entry.type === 'directory' ? ['createdAt', 'updatedAt'] : [];
      for (const name of names) if (isTime(entry[name])) delete entry[name];
    }
    return [
      ...compared(one, 'output', JSON.parse(one.blocks.output), output),
      ...compared(one, 'events', JSON.parse(one.blocks.events ?? '[]'), JSON.parse(toJson(outcome.events))),
    ];
  },

  async sham(one, ask) {
    const { output } = await ask({ text: one.blocks['sh sham'] });
    const { parseErrors, totalBlocks, results } = JSON.parse(output);
    const expected = JSON.parse(one.blocks.json);
    // Cases name no other members of a result.
    const last = Object.entries(results.at(-1)).filter(([name]) => ['success', 'error', 'data'].includes(name));
    const found = Object.fromEntries(last);
    for (const entry of Array.isArray(found.data) ? found.data : []) {
      // The size and time of a directory depend on the place.
      if (entry?.type === 'directory') Object.assign(entry, { size: 0, modified: null });
    }
    // The sentences at `$any` are not the system's own.
    const [start, ...rest] = expected.error?.split('$any') ?? [];
    if (rest.length > 0 && found.error?.startsWith(start)) found.error = expected.error;
    return [
      ...compared(one, 'parseErrors', [], parseErrors),
      ...compared(one, 'the number of results', totalBlocks, results.length),
      ...compared(one, 'the last result', expected, found),
    ];
  },

  async workflow(one, ask) {
    const variables = Object.entries(JSON.parse(one.blocks.variables ?? '{}')).map(([name, value]) => ({ name, value }));
    const { output, rendered } = await ask({ text: one.blocks.workflow, variables, render: true });
    const { success, result } = JSON.parse(output).results.at(-1);
    // Cases expect a host that copies permissions.
    if (result.notes?.length === 1 && result.notes[0] === NEW_FILE[0]) delete result.notes;
    const problems = compared(one, 'result', JSON.parse(one.blocks.json), result);
    if (typeof rendered !== 'string') problems.push('the text was not given with results in it');
    if (success === (result.success === false)) problems.push(`it says that it was done, and that it was not: ${output}`);
    return problems;
  },
};

/** Runs a case, and returns its failures. */
async function problems(one, { place, age: aged, open }) {
  const scene = place.setUp(one.before);
  let gate;
  try {
    aged(scene, one.before);
    gate = await open(scene, one.policy);
    const found = await SPOKEN[one.front_end](one, gate.frontEnds[called(one.front_end)]);
    // These cases do not name moves, so identities are not compared.
    return one.after ? [...found, ...ofTree(one.after, scene.linkTarget, new Map(), scene.snapshot())] : found;
  } catch (error) {
    return [error.stack];
  } finally {
    gate?.close();
    scene.remove();
  }
}

/** The name of a front end in a gate. */
function called(frontEnd) {
  return camel(frontEnd.replaceAll('-', '_'));
}

for (const way of WAYS) {
  const counts = new Map();
  const left = new Map();
  test(`every case of a front end holds ${way.name}`, async () => {
    const trial = await Gate.open({ dirs: { '/tmp': new Memory() } });
    const known = Object.keys(trial.frontEnds);
    trial.close();
    const failures = [];
    const increment = (map, name) => map.set(name, (map.get(name) ?? 0) + 1);
    for (const one of cases) {
      if (!known.includes(called(one.front_end))) {
        increment(left, `this component has no front end \`${one.front_end}\``);
        continue;
      }
      increment(counts, one.front_end);
      const found = await problems(one, way);
      if (found.length > 0) failures.push(`${one.front_end}, ${one.group}/${one.name}:\n    ${found.join('\n    ')}`);
    }
    assert.equal(failures.length, 0, `${failures.length} cases fail:\n  ${failures.join('\n  ')}`);
    const ran = [...counts.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(ran > LEAST || process.env.FSGATE_COMPONENT, `${ran} cases: the component of the program has every front end`);
  });
  after(() => {
    for (const [frontEnd, count] of counts) console.log(`${way.name}: ${count} cases of \`${frontEnd}\``);
    for (const [reason, count] of left) console.log(`${way.name}:   ${count} left out: ${reason}`);
  });
}

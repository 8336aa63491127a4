// Every case of the corpus: on a disk and in memory, in JSON and by methods; and in the host that whoever transpiles the component alone has.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import * as alone from './corpus/alone.mjs';
import { AGENT, cases, files } from './corpus/cases.mjs';
import * as disk from './corpus/disk.mjs';
import * as memory from './corpus/memory.mjs';
import { run } from './corpus/run.mjs';
import { FsgateError } from '../dist/errors.js';
import { Engine, compile } from '../dist/engine.js';
import { AnyGate } from '../dist/gate.js';
import { camel, inCamel, toJson } from '../dist/words.js';

const program = await compile((url) => readFile(url));

/** A gate, and a way to call it. */
function session(call) {
  return async (scene, policy) => {
    const gate = new AnyGate(await Engine.open(program, scene.preopens(), policy === undefined ? {} : { FSGATE_POLICY: policy }));
    return {
      close: () => gate.close(),
      async call(tool, text) {
        try {
          return { outcome: await call(gate, tool, text) };
        } catch (error) {
          if (!(error instanceof FsgateError)) throw error;
          return { error: error.json };
        }
      },
    };
  };
}

const inJson = session((gate, tool, text) => gate.call(tool, text));
const byMethods = session(async (gate, tool, text) => toJson(await gate[camel(tool)](inCamel(JSON.parse(text)))));

const WAYS = [
  { name: 'on a disk, in JSON', report: 'js-disk-json', place: disk, start: inJson },
  { name: 'on a disk, by methods', report: 'js-disk-methods', place: disk, start: byMethods, isTyped: true },
  { name: 'in memory, in JSON', report: 'js-memory-json', place: memory, start: inJson },
  { name: 'in jco\'s own file system layer, in JSON', report: 'js-jco', place: disk, start: alone.start, cannot: alone.cannot },
];

/** Why a case is left out. */
function leftOut(one, { place, isTyped, cannot }) {
  if (one.only && one.only.volume !== place.kind) return one.only.reason;
  if (isTyped && one.file === AGENT) return 'methods cannot make mistakes in JSON';
  if (isTyped && isTooFar(one.call)) return 'numbers of JavaScript do not go so far';
  return place.cannot(one.before) ?? cannot?.(one);
}

/** True if a call has a number in it that JavaScript takes for another one. */
function isTooFar(call) {
  let far = false;
  JSON.parse(call, (_, value) => {
    far ||= typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    return value;
  });
  return far;
}

for (const way of WAYS.filter(({ report }) => report)) {
  test(`the page of hosts says what is left out, ${way.name}`, () => {
    const left = {};
    for (const one of files().flatMap((file) => cases(file))) {
      const reason = leftOut(one, way);
      if (reason) (left[reason] ??= []).push(`${one.file}: ${one.tool} ${one.name}`);
    }
    const told = Object.fromEntries(Object.keys(left).sort().map((reason) => [reason, left[reason].sort()]));
    const report = new URL(`../../../tests/reports/${way.report}.json`, import.meta.url);
    const text = `${JSON.stringify(told, null, 2)}\n`;
    if (process.env.FSGATE_UPDATE) writeFileSync(report, text);
    assert.equal(readFileSync(report, 'utf8'), text, 'run this test with FSGATE_UPDATE=1, then `make reference`');
  });
}

for (const way of WAYS) {
  const left = new Map();
  let count = 0;
  for (const file of files()) {
    test(`${file}, ${way.name}`, async () => {
      const failures = [];
      for (const one of cases(file)) {
        const reason = leftOut(one, way);
        if (reason) {
          left.set(reason, (left.get(reason) ?? 0) + 1);
          continue;
        }
        count += 1;
        const problems = await run(one, way.place, way.start);
        if (problems.length > 0) failures.push(`${one.tool}, ${one.name}:\n    ${problems.join('\n    ')}`);
      }
      assert.equal(failures.length, 0, `${failures.length} cases fail:\n  ${failures.join('\n  ')}`);
    });
  }
  after(() => {
    console.log(`${way.name}: ${count} cases`);
    for (const [reason, number] of left) console.log(`  ${number} left out: ${reason}`);
  });
}

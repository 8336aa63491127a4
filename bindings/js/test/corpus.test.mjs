// Runs every case of the corpus: on a disk and in memory, in JSON and by methods; and in jco's own
// file system layer, the host of a component that is transpiled without this package.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import * as alone from './corpus/alone.mjs';
import { parse } from './corpus/cases.mjs';
import { textOf } from './corpus/compiled.mjs';
import * as disk from './corpus/disk.mjs';
import * as memory from './corpus/memory.mjs';
import { leftOut, runAll } from './corpus/run.mjs';
import { byMethods, inJson } from './corpus/session.mjs';
import { compile } from '../dist/engine.js';

const cases = parse(textOf('cases'));
const files = [...new Set(cases.map(({ file }) => file))];
const program = await compile((url) => readFile(url));

const WAYS = [
  { name: 'on a disk, in JSON', report: 'js-disk-json', place: disk, start: inJson(program) },
  { name: 'on a disk, by methods', report: 'js-disk-methods', place: disk, start: byMethods(program), isTyped: true },
  { name: 'in memory, in JSON', report: 'js-memory-json', place: memory, start: inJson(program) },
  { name: 'in jco\'s own file system layer, in JSON', report: 'js-jco', place: disk, start: alone.start, cannot: alone.cannot },
];

for (const way of WAYS) {
  test(`the page of hosts says what is left out, ${way.name}`, () => {
    const left = {};
    for (const one of cases) {
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
  for (const file of files) {
    test(`${file}, ${way.name}`, async () => {
      const told = await runAll(cases.filter((one) => one.file === file), way);
      count += told.count;
      for (const [reason, number] of Object.entries(told.left)) left.set(reason, (left.get(reason) ?? 0) + number);
      assert.equal(told.failures.length, 0, `${told.failures.length} cases fail:\n  ${told.failures.join('\n  ')}`);
    });
  }
  after(() => {
    console.log(`${way.name}: ${count} cases`);
    for (const [reason, number] of left) console.log(`  ${number} left out: ${reason}`);
  });
}

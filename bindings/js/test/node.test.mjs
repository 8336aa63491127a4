// What all of this was tried with.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

test(`this is Node ${process.version}, on ${process.platform}`, () => {
  const [, least] = engines.node.match(/^>=(\d+)$/);
  assert.ok(Number(process.versions.node.split('.')[0]) >= Number(least), `it has to be ${engines.node}`);
});

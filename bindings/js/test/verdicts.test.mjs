// The component decides as the program does: each start has all facts, and the answer of the Rust
// tests.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { apart } from '../dist/engine.js';
import { program } from './judged.mjs';

const lines = readFileSync(new URL('../../../tests/starts.jsonl', import.meta.url), 'utf8').trimEnd().split('\n');

test('each start has its verdict', async () => {
  assert.ok(lines.length > 40);
  await apart(await program(), ({ host }) => {
    for (const line of lines) {
      const { start, answer } = JSON.parse(line);
      assert.deepEqual(JSON.parse(host.check(JSON.stringify(start))), answer, line);
    }
  });
});

// Runs every case of the corpus in a page.

import { parse } from '../corpus/cases.mjs';
import * as memory from '../corpus/memory.mjs';
import { runAll } from '../corpus/run.mjs';
import { inJson } from '../corpus/session.mjs';
import { compile } from '../../dist/engine.js';

export async function told() {
  const start = inJson(await compile((url) => fetch(url)));
  const lines = await (await fetch('/cases.jsonl')).text();
  return runAll(parse(lines), { place: memory, start });
}

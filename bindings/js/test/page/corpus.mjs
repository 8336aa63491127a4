// Every case of the corpus, in a page. The server says which files there are.

import * as memory from '../corpus/memory.mjs';
import { parse } from '../corpus/notation.mjs';
import { runAll } from '../corpus/run.mjs';
import { inJson } from '../corpus/session.mjs';
import { compile } from '../../dist/engine.js';

export async function told(files) {
  const start = inJson(await compile((url) => fetch(url)));
  const found = {};
  for (const file of files) {
    const text = await (await fetch(`/cases/${file}.md`)).text();
    found[file] = await runAll(parse(file, text), { place: memory, start });
  }
  return found;
}

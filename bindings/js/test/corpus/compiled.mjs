// The files of the compiled corpus.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The text of one of them. */
export function textOf(name) {
  const file = fileURLToPath(new URL(`../../../../target/corpus/${name}.jsonl`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${file} is missing: run \`make corpus\``);
  return readFileSync(file, 'utf8');
}

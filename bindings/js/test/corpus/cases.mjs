// The files of the case corpus.

import { readFileSync, readdirSync } from 'node:fs';
import { fail, parse } from './notation.mjs';

const DIRECTORY = new URL('../../../../tests/cases/', import.meta.url);

/** The names of all case files, without `.cases.md`. */
export function files() {
  return readdirSync(DIRECTORY, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && entry.name !== 'README.md')
    .map(({ name }) => (name.endsWith('.cases.md') ? name.slice(0, -'.cases.md'.length) : fail(`\`${name}\` is no case file`)))
    .sort();
}

/** What stands in one of them. */
export function textOf(file) {
  return readFileSync(new URL(`${file}.cases.md`, DIRECTORY), 'utf8');
}

/** The cases of one of them. */
export function cases(file) {
  return parse(file, textOf(file));
}

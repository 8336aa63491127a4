// Checks of a start, as `Gate.open` makes them.

import { readFile } from 'node:fs/promises';
import { machine } from '../dist/check.js';
import { compiled } from '../dist/engine.js';
import { checked } from '../dist/start.js';

export const program = () => compiled((url) => readFile(url));

/** The verdict about directories of this machine. */
export async function judged(granted) {
  return checked(await program(), granted, undefined, false, machine());
}

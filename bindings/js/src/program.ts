/** The place of this package on this machine. */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cores } from './generated/tables.js';

/** The name by which a script would find another package in its place, or a link to this one. */
export const FOUND = '**/node_modules/fsgate';

/** The package's directory, or the files of a bundle. */
export function program(): string[] {
  const urls = [import.meta.url, ...Object.values(cores).map(String)].filter((url) => url.startsWith('file:'));
  const [module, ...modules] = urls.map((url) => fileURLToPath(url));
  if (module === undefined) return [];
  const root = dirname(dirname(module));
  return isOurs(join(root, 'package.json')) ? [root] : [module, ...modules];
}

function isOurs(description: string): boolean {
  try {
    return (JSON.parse(fs.readFileSync(description, 'utf8')) as { name?: unknown } | null)?.name === 'fsgate';
  } catch {
    // It is missing, or describes nothing.
    return false;
  }
}

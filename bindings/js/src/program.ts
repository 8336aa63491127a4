/** What runs here: this package, where it lies on this machine. */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cores } from './generated/tables.js';

/** By what name any script would find another one in its place, or a link to this one. */
export const FOUND = '**/node_modules/fsgate';

/** The package's directory; of one that was bundled into something else, the files that it became. */
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
    // There is none, or it describes nothing.
    return false;
  }
}

// Before the package is packed: there is nothing to pack but what was built. It is built once; `npm publish` builds it anew in any case.

import { existsSync } from 'node:fs';

if (!existsSync(new URL('../dist/node.js', import.meta.url))) await import('./build.mjs');

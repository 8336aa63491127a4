// What `test/types` says about the package's types, compiled as somebody's program would be: with everything strict.

import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const STRICT = ['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', '--target', 'es2022'];

for (const [name, files, more] of [
  ['in Node', ['gate', 'openai', 'ai'], ['--module', 'nodenext', '--types', 'node']],
  ['in a browser', ['browser'], ['--module', 'esnext', '--moduleResolution', 'bundler', '--customConditions', 'browser', '--types', '', '--lib', 'es2023,dom']],
]) {
  test(`the types are what they say, ${name}`, () => {
    const paths = files.map((file) => at(`types/${file}.ts`));
    try {
      execFileSync(process.execPath, [at('../node_modules/typescript/bin/tsc'), ...STRICT, ...more, ...paths], { encoding: 'utf8' });
    } catch (error) {
      throw new Error(error.stdout);
    }
  });
}

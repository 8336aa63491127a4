// Calls a tool of fsgate from Node:
//
//     npm install @bytecodealliance/jco @bytecodealliance/preview2-shim
//     npx jco transpile fsgate.wasm -o fsgate --name fsgate --instantiation async
//     node call.mjs DIRECTORY TOOL JSON

import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { WASIShim } from '@bytecodealliance/preview2-shim/instantiation';

const [directory, tool, args] = process.argv.slice(2);
const transpiled = pathToFileURL(resolve('fsgate') + '/');
const { instantiate } = await import(new URL('fsgate.js', transpiled));

const shim = new WASIShim({ sandbox: { preopens: { '/work': resolve(directory) }, enableNetwork: false } });
const load = async (name) => WebAssembly.compile(await readFile(new URL(name, transpiled)));
const { agent } = await instantiate(load, shim.getImportObject());

try {
  console.log(agent.call({ tool, arguments: args }).outcome);
} catch (refused) {
  // What the contract says of a refused call is thrown as it is; anything else is no answer.
  if (typeof refused?.error !== 'string') throw refused;
  console.log(refused.error);
  process.exitCode = 1;
}

// Transpiles a component with jco and calls its function `exists` in jco's own file system layer, over a directory as `/w`:
// node jco.mjs COMPONENT DIRECTORY PATH. What comes of it goes into the working directory, where `node_modules` has jco.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transpileBytes } from '@bytecodealliance/jco-transpile';
import { WASIShim } from '@bytecodealliance/preview2-shim/instantiation';

const [component, directory, path] = process.argv.slice(2);
const { files } = await transpileBytes(readFileSync(component), { name: 'component', instantiation: 'async' });
for (const [name, content] of Object.entries(files)) writeFileSync(basename(name), content);
const { instantiate } = await import(pathToFileURL(resolve('component.js')).href);
const shim = new WASIShim({ sandbox: { preopens: { '/w': directory }, enableNetwork: false } });
const { exists } = await instantiate((name) => WebAssembly.compile(readFileSync(name)), shim.getImportObject());
console.log(JSON.stringify(exists(path)));

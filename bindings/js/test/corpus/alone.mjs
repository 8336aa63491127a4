// jco's own file system layer as the host, which a component transpiled without this package has.

import { readFileSync } from 'node:fs';
import { WASIShim } from '@bytecodealliance/preview2-shim/instantiation';
import { instantiate } from '../../dist/component/fsgate.js';
import { cores } from '../../dist/generated/tables.js';

const program = new Map(Object.entries(cores).map(([name, url]) => [name, new WebAssembly.Module(readFileSync(url))]));

/** Starts a session over the directories of a scene, under a policy. */
export async function start({ directories }, policy) {
  const preopens = Object.fromEntries(directories.map(({ host, name }) => [name, host]));
  const env = policy === undefined ? {} : { FSGATE_POLICY: policy };
  const shim = new WASIShim({ sandbox: { preopens, env, enableNetwork: false } });
  const imports = shim.getImportObject();
  const { agent } = await instantiate((name) => program.get(name), imports);
  return {
    close: () => closeAll(),
    async call(tool, text) {
      try {
        return { outcome: agent.call({ tool, arguments: text }).outcome };
      } catch (refused) {
        if (typeof refused.error !== 'string') throw refused;
        return { error: refused.error };
      }
    },
  };
}

// The layer closes the descriptors of a dropped instance only when they are collected, which is too
// late for thousands of cases.
const opened = new Set();
const { Descriptor } = new WASIShim().getImportObject()['wasi:filesystem/types'];
const openAt = Descriptor.prototype.openAt;
Descriptor.prototype.openAt = function (...args) {
  const descriptor = openAt.apply(this, args);
  opened.add(descriptor);
  return descriptor;
};

function closeAll() {
  for (const descriptor of opened) descriptor[Symbol.dispose ?? Symbol.for('dispose')]();
  opened.clear();
}

const HISTORY = ['log', 'checkpoint', 'undo', 'redo', 'restore', 'forget', 'recover'];

/** Cases that fail after a change, which the call then undoes. */
const TAKEN_BACK = [
  'parents-are-taken-back-if-the-file-cannot-be-made', 'a-long-name-leaves-no-parents', 'no-key-is-copied-with-its-directory',
  'a-directory-with-a-key-in-it-is-not-copied', 'several-changes-make-no-repository',
  'a-repository-is-not-copied-to-another-name',
];

/** Returns the reason that a case cannot hold here. */
export function cannot(one) {
  const { before, after, arguments: call, tool, earlier, name } = one;
  const paths = [before, after].flatMap((tree) => [...tree?.items.keys() ?? []]);
  if (before.grants.some(({ writable }) => !writable)) return 'jco\'s layer has no directories for reading only';
  if (paths.some((path) => path.includes('\\')) || /backslash/.test(name) || /"(path|source|destination|paths)": *("[^"]*\\\\|\[[^\]]*\\\\)/.test(call)) {
    return 'jco\'s layer takes a backslash for a separator';
  }
  if ([...before.items.values()].some(({ kind }) => kind === 'undecodable')) return 'jco\'s layer changes names that are not UTF-8';
  if (HISTORY.includes(tool) || earlier.length > 0) return 'jco\'s layer gives a file another identity with each change: there is no history';
  if (TAKEN_BACK.includes(name)) return 'what was made for a call that then failed is not known again in jco\'s layer, and stays';
  return undefined;
}

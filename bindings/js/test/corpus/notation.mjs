// The notation of the case corpus, as `tests/cases/README.md` says. What is not understood is an error, never skipped.

import { repeated } from './placeholder.mjs';
import { parseTree } from './tree.mjs';

/** The file with the calls whose mistakes are in the JSON itself. */
export const AGENT = 'agent';

/** The file with the calls that a policy refuses, of every tool. */
const POLICY = 'policy';

/** The cases of one file. */
export function parse(file, text) {
  const found = [];
  let tool;
  let draft;
  const end = () => {
    if (draft) found.push(finished(file, draft));
    draft = undefined;
  };
  const inCase = (what) => draft ?? fail(`${what} outside of a case`);
  const lines = text.split(/\r?\n/);
  for (let number = 0; number < lines.length; number += 1) {
    const line = lines[number];
    const here = `${file}.cases.md, line ${number + 1}: \`${line}\``;
    at(here, () => {
      if (line.startsWith('```')) {
        const last = lines.indexOf('```', number + 1);
        if (last < 0) fail('the block has no end');
        block(inCase('a block'), line.slice(3), lines.slice(number + 1, last).join('\n'));
        number = last;
      } else if (line.startsWith('### ')) {
        end();
        const name = line.slice(4);
        if (tool === undefined) fail('a case before its tool');
        if (!/^[a-z0-9-]*$/.test(name)) fail('names are in kebab-case');
        draft = { tool, name, earlier: [], blocks: [] };
      } else if (line.startsWith('## ')) {
        end();
        tool = repeated(line.slice(3));
      } else if (line.startsWith('#') && !line.startsWith('# ')) {
        fail('no such heading');
      } else if (line.startsWith('example: ')) {
        inCase('an example').example = line.slice('example: '.length);
      } else if (/^attacks? /.test(line)) {
        if (!/[.:]/.test(line)) fail('a mark ends with `.` or `:`');
        inCase('an attack');
      } else if (line.startsWith('only: ')) {
        const [, volume, reason] = line.match(/^only: (memory|disk), (.+)$/) ?? fail('a restriction is `only: memory, REASON`');
        inCase('a restriction').only = { volume, reason };
      }
    });
  }
  end();
  return found;
}

const ORDER = [['before'], ['call'], ['outcome', 'error'], ['after']];

function block(draft, info, text) {
  if (info.startsWith('earlier ') || info === 'policy') {
    if (draft.blocks.length !== 1) fail(`\`${info}\` stands between the tree before and the call`);
    const value = JSON.parse(text);
    if (info === 'policy') {
      if (draft.policy) fail('a case has one policy');
      draft.policy = { text, isLate: draft.earlier.length > 0 };
    } else {
      if (!isObject(value)) fail('an earlier call is a JSON object');
      draft.earlier.push({ tool: info.slice('earlier '.length), call: text });
    }
    return;
  }
  const wanted = ORDER[draft.blocks.length] ?? fail('a case has four blocks');
  if (!wanted.includes(info)) fail(`this block has to be ${wanted.join(' or ')}`);
  draft.blocks.push({ info, text });
}

function finished(file, { blocks, ...draft }) {
  return at(`${file}.cases.md, ${draft.tool}, ${draft.name}`, () => {
    if (blocks.length !== 4) fail('a case has four blocks');
    const [before, call, { info, text }, after] = blocks;
    const tree = parseTree(before.text);
    const unchanged = after.text === 'unchanged';
    const expected = JSON.parse(text);
    if (!isObject(expected)) fail('what is expected is a JSON object');
    if (info === 'error' && !('code' in expected)) fail('an expected error has a code');
    if (info === 'error' && !unchanged && !('applied' in expected)) fail('a refused call changes nothing');
    if (![AGENT, POLICY, draft.tool].includes(file)) fail(`the tool \`${draft.tool}\` has a file of its own`);
    if (file === POLICY && !draft.policy) fail('a case about a policy has one');
    return {
      ...draft,
      file,
      call: call.text,
      before: tree,
      after: unchanged ? tree : { ...parseTree(after.text), grants: tree.grants },
      expected: { isError: info === 'error', value: expected },
    };
  });
}

/** The policies that hold before the earlier calls, and for the call that the case is about. */
export function policies({ policy }) {
  return [policy?.isLate ? undefined : policy?.text, policy?.text];
}

/** A case with the ids that earlier calls have got in the place of `$undo-id(N)`. */
export function withUndoIds(one, ids) {
  const replaced = (text) => ids.reduce((made, id, index) => made.replaceAll(`$undo-id(${index + 1})`, id), text);
  const { isError, value } = one.expected;
  return { ...one, call: replaced(one.call), expected: { isError, value: JSON.parse(replaced(JSON.stringify(value))) } };
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Runs what may fail, and says where it did. */
function at(place, run) {
  try {
    return run();
  } catch (error) {
    throw error.place ? error : Object.assign(new Error(`${place}: ${error.message}`), { place });
  }
}

export function fail(problem) {
  throw new Error(problem);
}

// Cases of front ends: those in the directories of the corpus, in the notations of their systems. What is not understood is an error here
// too, and what is expected is what the core's own tests expect.

import { readFileSync, readdirSync } from 'node:fs';
import { fail } from './notation.mjs';
import { isTime } from './placeholder.mjs';
import { parseTree } from './tree.mjs';

const DIRECTORY = new URL('../../../../tests/cases/', import.meta.url);

// The blocks of a case: those that every one has, and those that it may have.
const BLOCKS = {
  command: [['text'], ['before', 'answer', 'done', 'failed', 'needs-options', 'after']],
  'file-action': [['text', 'output'], ['before', 'after']],
  plugin: [['text', 'output'], ['before', 'now', 'events', 'after']],
  sham: [['sh sham', 'json'], []],
  workflow: [['workflow', 'json'], ['before', 'policy', 'variables', 'after']],
};

// What a command may come to: a case says one of them.
const OUTCOMES = ['done', 'failed', 'needs-options'];

// What the cases find granted. Paths in trees of `workflow` begin with one of its directories, all others are below `tmp`.
const TMP = [{ directory: 'tmp', name: '/tmp', writable: true }];
const PROJECT = [
  { directory: 'project', name: '/home/user/project', writable: true },
  { directory: 'templates', name: '/shared/templates', writable: false },
];

// The lines of a tree.
const LINES = ['file', 'directory', 'link'];
const LINES_OF_WORKFLOWS = [...LINES, 'bytes', 'repeated'];

// Files that cases of SHAM find in their directories, by group and name of the case: as `tests/src/sham_cases.rs` has them.
const FILES = {
  'file_replace_text/simple-text-replacement': ['replace-test.txt', 'Hello World'],
  'file_replace_text/replace-with-count-limit': ['multi-replace.txt', 'foo bar foo baz foo qux foo'],
  'file_replace_text/replace-text-not-found': ['no-match.txt', 'This file has no matches'],
  'file_replace_text/multiline-replacement': ['multiline-replace.txt', `export function oldName() {
  console.log('oldName');
  return oldName;
}

function oldName() {
  return oldName;
}

const x = oldName();`],
  'file_replace_text/empty-old-text-error': ['empty-search.txt', 'Some content here'],
  'file_replace_text/file-replace-text-multiple-occurrences': [
    'multiple-occurrences.txt', 'duplicate text with duplicate word and duplicate again',
  ],
  'file_replace_text/file-replace-all-text-no-count': ['replace-all.txt', 'foo bar foo baz foo'],
  'file_replace_text/file-replace-all-text-count-mismatch': ['count-mismatch.txt', 'test this test case'],
};

/** The names of all front ends that have cases. */
export function frontEnds() {
  return readdirSync(DIRECTORY, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();
}

/** All cases of a front end, in the order of their files. `after` is undefined where a case says nothing about it. */
export function casesOf(frontEnd) {
  const directory = new URL(`${frontEnd}/`, DIRECTORY);
  const read = (file) => parse(frontEnd, file, readFileSync(new URL(file, directory), 'utf8'));
  const found = readdirSync(directory).sort().flatMap(read);
  const names = new Set(found.map(({ name }) => name));
  if (names.size < found.length) fail(`two cases of \`${frontEnd}\` have one name`);
  const lost = frontEnd === 'sham' && Object.keys(FILES).find((name) => !names.has(name));
  if (lost) fail(`there is a file for ${lost}, and no such case`);
  return found;
}

export function parse(frontEnd, file, text) {
  const [needed, optional] = BLOCKS[frontEnd] ?? fail(`nobody knows the notation of \`${frontEnd}\``);
  const found = [];
  let group;
  let draft;
  const lines = text.split('\n');
  for (let number = 0; number < lines.length; number += 1) {
    const line = lines[number];
    const refuse = (problem) => fail(`${frontEnd}/${file}, line ${number + 1}: \`${line}\`: ${problem}`);
    if (line.startsWith('### ')) {
      if (group === undefined) refuse('a case before its group');
      // Cases of SHAM have numbers, which are not in the names of their directories.
      const [, figures, name] = line.slice(4).match(/^(\d+-)?(.+)$/) ?? refuse('a case without a name');
      if ((figures !== undefined) !== (frontEnd === 'sham')) refuse('a case has a number before its name in SHAM only');
      draft = { frontEnd, name: `${group}/${name}`, blocks: {} };
      found.push(draft);
    } else if (line.startsWith('## ')) {
      group = line.slice(3);
      draft = undefined;
    } else if (line.startsWith('##')) {
      refuse('no such heading');
    } else if (line.startsWith('```')) {
      const info = line.slice(3);
      const last = lines.indexOf('```', number + 1);
      if (last < 0) refuse('the block has no end');
      if (![...needed, ...optional].includes(info)) refuse(`cases of \`${frontEnd}\` have no such block`);
      if (!draft || info in draft.blocks) refuse('a block stands below the name of a case, and once');
      draft.blocks[info] = textOf(frontEnd, lines.slice(number + 1, last));
      number = last;
    }
  }
  return found.map(finished);
}

/** A block's text: in these two systems a text is lines with their ends. */
function textOf(frontEnd, lines) {
  return ['sham', 'workflow'].includes(frontEnd) ? lines.map((line) => `${line}\n`).join('') : lines.join('\n');
}

function finished(one) {
  const { frontEnd, name, blocks } = one;
  const missing = BLOCKS[frontEnd][0].find((block) => !(block in blocks));
  if (missing) fail(`${frontEnd}, ${name}: \`${missing}\` is missing`);
  const outcomes = OUTCOMES.filter((outcome) => outcome in blocks);
  if (frontEnd === 'command' && outcomes.length !== 1) fail(`${frontEnd}, ${name}: a command comes to one of ${OUTCOMES.join(', ')}`);
  const before = frontEnd === 'sham' ? treeOfSham(name) : tree(frontEnd, blocks.before ?? '');
  // Those of SHAM say nothing about trees, and those of workflows only where it matters.
  const unsaid = ['sham', 'workflow'].includes(frontEnd) ? undefined : before;
  const policy = frontEnd === 'workflow' ? JSON.parse(blocks.policy ?? '{"profile": "workflow"}') : undefined;
  return { ...one, policy, before, after: 'after' in blocks ? tree(frontEnd, blocks.after) : unsaid };
}

/** A tree, as those of the other cases are read: but with other grants, and fewer kinds of lines. */
function tree(frontEnd, text) {
  const isWorkflow = frontEnd === 'workflow';
  const lines = text.split('\n').filter((line) => line.trim() !== '').map((line) => {
    const [kind, path, times] = line.split(' ');
    if (!(isWorkflow ? LINES_OF_WORKFLOWS : LINES).includes(kind)) fail(`in a tree of \`${frontEnd}\`: no such line: ${line}`);
    if (kind !== 'repeated') return line;
    const piece = JSON.parse(line.slice(`${kind} ${path} ${times} `.length));
    return `file ${path} ${JSON.stringify(`$repeat(${times}, ${piece})`)}`;
  });
  const read = parseTree(lines.join('\n'));
  if (isWorkflow) return { ...read, grants: PROJECT };
  return { ...read, grants: TMP, items: new Map([...read.items].map(([path, item]) => [`tmp/${path}`, item])) };
}

function treeOfSham(name) {
  const directory = `t_${name.slice(name.indexOf('/') + 1)}`;
  const [file, content] = FILES[name] ?? [];
  const line = file === undefined ? '' : `file ${directory}/${file} ${JSON.stringify(content)}`;
  return tree('sham', `directory ${directory}\n${line}`);
}

const is = (pattern) => (found) => typeof found === 'string' && pattern.test(found);

// What stands for something else in an answer, by front end.
const STANDS = {
  // As JavaScript writes a time.
  plugin: { $time: is(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
  sham: { $time: isTime },
  workflow: {
    $any: () => true,
    $time: isTime,
    $moment: (found) => found === null || isTime(found),
    $sha256: is(/^[0-9a-f]{64}$/i),
    $history: is(/^history:[0-9a-f]{32}$/i),
  },
};

/** What differs. Of an error in a workflow only what is named is compared. */
export function compared(one, at, expected, found) {
  const both = (holds) => holds(expected) && holds(found);
  const stands = typeof expected === 'string' ? STANDS[one.frontEnd]?.[expected] : undefined;
  if (!stands && both((value) => typeof value === 'object' && value !== null && !Array.isArray(value))) {
    const isOpen = one.frontEnd === 'workflow' && at.endsWith('.error');
    const more = isOpen ? [] : Object.keys(found).filter((name) => !(name in expected));
    return [
      ...more.map((name) => `${at}.${name} is not expected: ${cut(found[name])}`),
      ...Object.entries(expected).flatMap(([name, value]) => {
        return name in found ? compared(one, `${at}.${name}`, value, found[name]) : [`${at}.${name} is missing`];
      }),
    ];
  }
  if (!stands && both(Array.isArray) && expected.length === found.length) {
    return expected.flatMap((value, index) => compared(one, `${at}[${index}]`, value, found[index]));
  }
  if (stands ? stands(found) : expected === found) return [];
  return [`${at}\n      has to be ${cut(expected)}\n      but is    ${cut(found)}`];
}

function cut(value) {
  return String(JSON.stringify(value)).slice(0, 600);
}

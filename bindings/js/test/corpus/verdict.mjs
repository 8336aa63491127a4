// Whether an answer and a tree are what a case expects.

import { expanded, isStrong, isTime } from './placeholder.mjs';

/** The largest error that an agent has to read. */
const ERROR_BYTES = 8 << 10;

/** Everything about an answer, `{ outcome }` or `{ error }` in JSON, that is not as the case says. */
export function ofAnswer(one, answer) {
  const text = answer.outcome ?? answer.error;
  const { isError, value } = one.expected;
  const found = JSON.parse(text);
  const problems = [];
  if (isError !== (answer.error !== undefined)) {
    problems.push(isError ? `it was not refused with ${value.code}: ${cut(text)}` : `it was refused: ${cut(text)}`);
  } else if (isError) {
    for (const [name, field] of Object.entries(value)) {
      compare(name, expanded(field, one), found[name] ?? null, problems);
    }
    problems.push(...formOfError(one, 'operation' in value, found, text));
    if (!('applied' in value) && found.applied !== false) problems.push(`\`applied\` is not false: ${text}`);
  } else {
    const outcome = expanded(value, one);
    // Nobody knows it beforehand.
    if (!('undo_id' in outcome) && 'undo_id' in found) {
      if (!isStrong(found.undo_id)) problems.push(`\`undo_id\` is none: ${found.undo_id}`);
      delete found.undo_id;
    }
    givePermissions(outcome, found);
    compare('outcome', outcome, found, problems);
  }
  for (const path of [...one.before.items.keys()].filter((each) => one.before.isOutside(each))) {
    const secret = one.before.bytes(path)?.toString();
    if (secret?.length > 3 && text.includes(secret.trimEnd())) {
      problems.push(`the answer tells what stands in ${path}, outside of every grant`);
    }
  }
  return problems;
}

/** What is true of every error. */
function formOfError({ tool }, operationGiven, error, text) {
  const problems = [];
  const message = error.message ?? '';
  if (Buffer.byteLength(text) > ERROR_BYTES) problems.push(`the error has ${Buffer.byteLength(text)} bytes`);
  if (!operationGiven && error.operation !== tool.replaceAll('-', '_')) problems.push(`the error names another operation: ${cut(text)}`);
  if (message === '' || message.endsWith('.') || /^\p{Lu}/u.test(message)) {
    problems.push(`the message is not in the style of messages: ${message}`);
  }
  return problems;
}

/** The notes of a host that gives copies no permissions, as this one, and of one that does. */
export const NEW_FILE = [
  'a copy has the permissions, the owner and the time of a new file, whatever the original has',
  'a copy has the owner and the time of a new file, whatever the original has',
];

/** Makes of an outcome the one of a host that gives copies the permissions of their originals, which cases are about. */
function givePermissions(expected, outcome) {
  const isLost = ({ text }) => text === NEW_FILE[0];
  if (expected.notes?.some(({ text }) => text === NEW_FILE[1])) {
    for (const note of outcome.notes?.filter(isLost) ?? []) note.text = NEW_FILE[1];
  } else {
    outcome.notes = outcome.notes?.filter((note) => !isLost(note));
  }
  if (!outcome.notes?.length) delete outcome.notes;
}

const TIME_IF_KNOWN = '$time-if-known';

function compare(at, expected, found, problems) {
  const both = (is) => is(expected) && is(found);
  if (both((value) => typeof value === 'object' && value !== null && !Array.isArray(value))) {
    for (const [name, value] of Object.entries(expected)) {
      if (name in found) compare(`${at}.${name}`, value, found[name], problems);
      else if (value !== TIME_IF_KNOWN) problems.push(`${at}.${name} is missing`);
    }
    for (const name of Object.keys(found).filter((each) => !(each in expected))) {
      problems.push(`${at}.${name} is not expected: ${cut(JSON.stringify(found[name]))}`);
    }
  } else if (both(Array.isArray) && expected.length === found.length) {
    expected.forEach((value, index) => compare(`${at}[${index}]`, value, found[index], problems));
  } else if (!stands(expected, found) && expected !== found) {
    problems.push(`${at}\n      has to be ${cut(JSON.stringify(expected))}\n      but is    ${cut(JSON.stringify(found))}`);
  }
}

/** True if what is expected stands for what was found. */
function stands(expected, found) {
  if (expected === '$number') return typeof found === 'number';
  if (typeof found !== 'string') return false;
  if (expected === '$time' || expected === TIME_IF_KNOWN) return isTime(found);
  if (expected === '$undo-id') return isStrong(found);
  return expected === '$backup' && found.startsWith('history:') && isStrong(found.slice('history:'.length));
}

function cut(text) {
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text;
}

/** Everything about a tree that is not as `expected` says. Snapshots have `{ what, inode, mode, links, modified }` by path. */
export function ofTree(expected, linkTarget, before, after) {
  const problems = [];
  const wanted = contents(expected, linkTarget);
  for (const [path, what] of wanted) {
    const seen = after.get(path);
    if (!seen) problems.push(`${path} is missing`);
    else if (seen.what !== what) problems.push(`${path}\n      has to be ${cut(what)}\n      but is    ${cut(seen.what)}`);
  }
  for (const path of after.keys()) if (!wanted.has(path)) problems.push(`${path} is left over`);
  for (const [path, { kind, mode, to }] of expected.items) {
    const found = after.get(path);
    if (mode !== undefined && found?.mode !== undefined && found.mode !== mode) {
      problems.push(`${path} has mode ${found.mode.toString(8)}, and should have ${mode.toString(8)}`);
    }
    if (kind === 'hard-link' && found && after.get(to)?.inode !== found.inode) problems.push(`${path} and ${to} are different files`);
  }
  const olds = new Map([...expected.moved].map(([now, old]) => [old, now]));
  for (const [path, was] of before) {
    // What was moved there is who it was at its old path.
    const now = olds.get(path) ?? path;
    const is = after.get(now);
    if (is && !(now === path && expected.moved.has(path))) problems.push(...changeOfIdentity(now, was, is, before, after));
  }
  return problems;
}

/** What is not the same about something that was there before. */
function changeOfIdentity(path, was, is, before, after) {
  if (was.inode !== is.inode || was.mode !== is.mode) return [`${path} is not who it was`];
  if (was.what === 'directory') return [];
  // Names outside of the tree have stayed; one that was deleted may be kept where the case does not see it.
  const names = (snapshot) => [...snapshot.values()].filter(({ inode }) => inode === was.inode).length;
  const left = was.links + names(after) - names(before);
  if (is.links < Math.min(left, was.links) || is.links > Math.max(left, was.links)) {
    return [`${path} had ${was.links} names and has ${is.links}`];
  }
  return was.what === is.what && was.modified !== is.modified ? [`${path} was written, although nothing in it changed`] : [];
}

/** What stands at every path of a tree, the directories that it only implies included. */
function contents(tree, linkTarget) {
  const found = new Map();
  const directories = (path) => {
    for (let above = parent(path); above !== ''; above = parent(above)) found.set(above, found.get(above) ?? 'directory');
  };
  for (const { directory } of tree.grants) {
    found.set(directory, 'directory');
    directories(directory);
  }
  for (const [path, item] of tree.items) {
    directories(path);
    found.set(path, {
      file: () => fileOf(item.bytes),
      'hard-link': () => fileOf(tree.bytes(path)),
      link: () => `link -> ${linkTarget(item.target)}`,
      directory: () => 'directory',
      fifo: () => 'special file',
      undecodable: () => fileOf(Buffer.alloc(0)),
    }[item.kind]());
  }
  return found;
}

/** Every byte as a character of its own. */
const BYTES = new TextDecoder('latin1');

/** What is compared of a file. */
export function fileOf(bytes) {
  return `file ${BYTES.decode(bytes)}`;
}

export function parent(path) {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

// The differences of an answer and of a tree from those that a case expects.

/** The size limit of an error. */
const ERROR_BYTES = 8 << 10;

/** Returns the differences of an answer: `{ outcome }` or `{ error }`, in JSON. */
export function ofAnswer(one, answer) {
  const text = answer.outcome ?? answer.error;
  const { outcome, error, partial } = one;
  const found = JSON.parse(text);
  const problems = [];
  if ((error === undefined) !== (answer.error === undefined)) {
    problems.push(error ? `it was not refused with ${error.code}: ${cut(text)}` : `it was refused: ${cut(text)}`);
  } else if (error) {
    for (const [name, field] of Object.entries(error)) compare(name, field, found[name] ?? null, problems);
    problems.push(...formOfError(one, found, text));
  } else {
    // Cases do not name the id unless it matters.
    if (!('undo_id' in outcome) && 'undo_id' in found) {
      if (!isStrong(found.undo_id)) problems.push(`\`undo_id\` is none: ${found.undo_id}`);
      delete found.undo_id;
    }
    givePermissions(outcome, found);
    compare('outcome', outcome, found, problems, partial);
  }
  for (const path of [...one.before.items.keys()].filter((each) => one.before.isOutside(each))) {
    const bytes = one.before.bytes(path);
    const secret = bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    if (secret?.length > 3 && text.includes(secret.trimEnd())) {
      problems.push(`the answer tells what stands in ${path}, outside of every grant`);
    }
  }
  return problems;
}

/** Returns the violations of the form that every error has. */
function formOfError({ tool, error: expected }, error, text) {
  const problems = [];
  const message = error.message ?? '';
  const { length } = new TextEncoder().encode(text);
  if (length > ERROR_BYTES) problems.push(`the error has ${length} bytes`);
  if (!('operation' in expected) && error.operation !== tool.replaceAll('-', '_')) problems.push(`the error names another operation: ${cut(text)}`);
  if (message === '' || message.endsWith('.') || /^\p{Lu}/u.test(message)) {
    problems.push(`the message is not in the style of messages: ${message}`);
  }
  if (!('applied' in expected) && error.applied !== false) problems.push(`\`applied\` is not false: ${text}`);
  return problems;
}

/** The note of a host that does not copy permissions, as this one, and of a host that does. */
export const NEW_FILE = [
  'a copy has the permissions, the owner and the time of a new file, whatever the original has',
  'a copy has the owner and the time of a new file, whatever the original has',
];

/** Changes an outcome to that of a host that copies permissions, as cases expect it. */
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

/** Adds the differences. If it is partial, objects may have further members. */
function compare(at, expected, found, problems, partial = false) {
  const both = (is) => is(expected) && is(found);
  if (both((value) => typeof value === 'object' && value !== null && !Array.isArray(value))) {
    for (const [name, value] of Object.entries(expected)) {
      if (name in found) compare(`${at}.${name}`, value, found[name], problems, partial);
      else if (value !== TIME_IF_KNOWN) problems.push(`${at}.${name} is missing`);
    }
    const more = partial ? [] : Object.keys(found).filter((each) => !(each in expected));
    for (const name of more) {
      problems.push(`${at}.${name} is not expected: ${cut(JSON.stringify(found[name]))}`);
    }
  } else if (both(Array.isArray) && expected.length === found.length) {
    expected.forEach((value, index) => compare(`${at}[${index}]`, value, found[index], problems, partial));
  } else if (!stands(expected, found) && expected !== found) {
    problems.push(`${at}\n      has to be ${cut(JSON.stringify(expected))}\n      but is    ${cut(JSON.stringify(found))}`);
  }
}

/** True if the expected value is a placeholder of the found one. */
function stands(expected, found) {
  if (expected === '$number') return typeof found === 'number';
  if (typeof found !== 'string') return false;
  if (expected === '$time' || expected === TIME_IF_KNOWN) return isTime(found);
  if (expected === '$undo-id') return isStrong(found);
  return expected === '$backup' && found.startsWith('history:') && isStrong(found.slice('history:'.length));
}

/** True for `2026-11-20T08:30:00Z`, with or without a fraction of the second. */
export function isTime(text) {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);
}

/** True for a strong tag, and for an id in the history. */
function isStrong(text) {
  return /^[0-9a-f]{32}$/.test(text);
}

function cut(text) {
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text;
}

/**
 * Returns the differences of the snapshot `after` from the expected tree, and the lost identities
 * of `before`. Snapshots have `{ what, inode, mode, links, modified }` by path.
 */
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
    // A moved item is compared with the item at its old path.
    const now = olds.get(path) ?? path;
    const is = after.get(now);
    if (is && !(now === path && expected.moved.has(path))) problems.push(...changeOfIdentity(now, was, is, before, after));
  }
  return problems;
}

/** Returns the changes of an item's identity, and a write without a change. */
function changeOfIdentity(path, was, is, before, after) {
  if (was.inode !== is.inode || was.mode !== is.mode) return [`${path} is not the item that it was`];
  if (was.what === 'directory') return [];
  // Names outside the tree remain, and the trash may keep a deleted name there.
  const names = (snapshot) => [...snapshot.values()].filter(({ inode }) => inode === was.inode).length;
  const left = was.links + names(after) - names(before);
  if (is.links < Math.min(left, was.links) || is.links > Math.max(left, was.links)) {
    return [`${path} had ${was.links} names and has ${is.links}`];
  }
  return was.what === is.what && was.modified !== is.modified ? [`${path} was written, although nothing in it changed`] : [];
}

/** Returns the kind and content of every path of a tree, and of the directories above them. */
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
      file: () => fileOf(tree.bytes(path)),
      'hard-link': () => fileOf(tree.bytes(path)),
      link: () => `link -> ${linkTarget(item.target)}`,
      directory: () => 'directory',
      fifo: () => 'special file',
      undecodable: () => fileOf(new Uint8Array()),
    }[item.kind]());
  }
  return found;
}

/** Every byte as a character of its own. */
const BYTES = new TextDecoder('latin1');

/** The form in which files are compared. */
export function fileOf(bytes) {
  return `file ${BYTES.decode(bytes)}`;
}

export function parent(path) {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

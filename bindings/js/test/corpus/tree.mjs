// The notation of a tree: one item a line, an unknown line is an error.

import { repeated } from './placeholder.mjs';

/** Reads a tree. Without a line that says otherwise, the directory `w` is granted as `/w`. */
export function parseTree(text) {
  const tree = new Tree();
  let granted = false;
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    try {
      granted = tree.line(line) || granted;
    } catch (error) {
      throw new Error(`in the tree, at \`${line}\`: ${error.message}`);
    }
  }
  if (!granted) tree.grants.push({ directory: 'w', name: '/w', writable: true });
  for (const path of tree.moved.keys()) demand(tree.items.has(path), `\`${path}\` was moved, and is nothing of the tree`);
  for (const [path, { kind, to }] of tree.items) {
    const file = kind !== 'hard-link' || tree.items.get(to)?.kind === 'file';
    demand(file, `\`${path}\` is a hard link to \`${to}\`, which is no file of the tree`);
  }
  return { grants: tree.grants, items: tree.items, moved: tree.moved, bytes, isOutside };
}

/** The content of a file, through hard links. */
function bytes(path) {
  const item = this.items.get(path);
  return item?.kind === 'hard-link' ? this.bytes(item.to) : item?.bytes;
}

/** True if no grant contains the path. */
function isOutside(path) {
  return !this.grants.some(({ directory }) => path === directory || path.startsWith(`${directory}/`));
}

class Tree {
  grants = [];
  items = new Map();
  moved = new Map();

  /** Adds what one line says. True if it speaks of grants. */
  line(line) {
    const [item, path, ...rest] = words(line);
    demand(!item.quoted, 'a text stands where a word is wanted');
    if (item.text === 'no-grant') {
      demand(!path, 'nothing follows `no-grant`');
      return true;
    }
    demand(path, 'a path is missing');
    const at = repeated(path.text);
    demand(at.split('/').every((name) => !['', '.', '..'].includes(name)), 'paths of a tree are relative, without `.` and `..`');
    if (item.text === 'grant') {
      this.grants.push(grant(at, rest));
      return true;
    }
    if (item.text === 'moved') {
      demand(rest.length === 2 && is(rest[0], '<-'), 'a move is `moved PATH <- PATH`');
      this.moved.set(at, repeated(rest[1].text));
    } else if (item.text === 'undecodable') {
      const name = pieces(rest);
      demand(!name.equals(Buffer.from(name.toString())), 'this name is UTF-8');
      this.put(`${at}/${name.toString()}`, { kind: 'undecodable', name });
    } else {
      this.put(at, made(item.text, rest));
    }
    return false;
  }

  put(path, item) {
    demand(!this.items.has(path), 'the path is there twice');
    this.items.set(path, item);
  }
}

function made(kind, rest) {
  const moded = rest[0] && !rest[0].quoted && rest[0].text.match(/^mode=([0-7]+)$/);
  const [mode, parts] = moded ? [parseInt(moded[1], 8), rest.slice(1)] : [undefined, rest];
  if (kind === 'file' && parts.length === 1 && parts[0].quoted) return { kind, bytes: utf8(repeated(parts[0].text)), mode };
  if (kind === 'bytes') return { kind: 'file', bytes: pieces(parts), mode };
  demand(mode === undefined, 'only files have a mode');
  if (kind === 'link' && parts.length === 2 && is(parts[0], '->')) return { kind, target: repeated(parts[1].text) };
  if (kind === 'hard-link' && parts.length === 2 && is(parts[0], '=')) return { kind, to: repeated(parts[1].text) };
  demand(parts.length === 0 && ['directory', 'fifo'].includes(kind), 'no such line');
  return { kind };
}

function grant(directory, rest) {
  const readOnly = rest[0] !== undefined && is(rest[0], 'read-only');
  const named = readOnly ? rest.slice(1) : rest;
  const isNamed = named.length === 2 && is(named[0], 'as');
  demand(named.length === 0 || isNamed, 'a grant is `grant PATH [read-only] [as NAME]`');
  return { directory, name: isNamed ? repeated(named[1].text) : `/${directory}`, writable: !readOnly };
}

/** As `Buffer.from`, which takes seconds for some of these where it is not Node's own. */
function utf8(text) {
  return Buffer.from(new TextEncoder().encode(text).buffer);
}

/** Quoted text and hex digits, one after the other. */
function pieces(parts) {
  return Buffer.concat(parts.map(({ quoted, text }) => {
    if (quoted) return utf8(repeated(text));
    demand(/^([0-9a-fA-F]{2})+$/.test(text), 'an even number of hex digits');
    return Buffer.from(text, 'hex');
  }));
}

/** The words of a line: bare ones, and JSON strings. */
function words(line) {
  const found = [];
  let rest = line.trim();
  while (rest !== '') {
    const quoted = rest.match(/^"(?:[^"\\]|\\.)*"/)?.[0];
    demand(quoted !== undefined || !rest.startsWith('"'), 'a JSON string');
    const word = quoted ?? rest.split(' ', 1)[0];
    found.push({ quoted: quoted !== undefined, text: quoted === undefined ? word : JSON.parse(word) });
    rest = rest.slice(word.length).trimStart();
  }
  return found;
}

function is({ quoted, text }, word) {
  return !quoted && text === word;
}

function demand(holds, problem) {
  if (!holds) throw new Error(problem);
}

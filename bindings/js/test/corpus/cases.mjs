// The cases of the corpus, from the JSON lines that `make corpus` writes. Pages read them as well.

/** Returns the cases of a text of JSON lines. `after` is undefined where a line has none. */
export function parse(lines) {
  return lines.trimEnd().split('\n').map((line) => {
    const { before, after, ...one } = JSON.parse(line);
    return { ...one, before: new Tree(before), after: after && new Tree({ ...before, ...after }) };
  });
}

/** Expands every `$repeat(3, ab)`. JSON remains JSON: the repeated text has no `)`. */
function repeated(text) {
  return text.replace(/\$repeat\((\d+), ([^)]*)\)/g, (_, count, piece) => piece.repeat(Number(count)));
}

/**
 * Expands repetitions, and replaces `$undo-id(N)` by the id of the earlier call N.
 * `$start-of-undo-id(N)` becomes its first 30 digits.
 */
export function expanded(text, ids) {
  const filled = (made, id, index) =>
    made
      .replaceAll(`$undo-id(${index + 1})`, id)
      .replaceAll(`$start-of-undo-id(${index + 1})`, id.slice(0, 30));
  return ids.reduce(filled, repeated(text));
}

class Tree {
  constructor({ grants, items, moved = {} }) {
    this.grants = grants.map(({ directory, name, read_only: readOnly }) => ({ directory, name, writable: !readOnly }));
    this.items = new Map(items.map((item) => [item.path, item]));
    // The new path of each item that has moved since the tree before, and its old path.
    this.moved = new Map(Object.entries(moved));
  }

  /** The content of a file, through hard links. */
  bytes(path) {
    const item = this.items.get(path);
    return item?.kind === 'hard-link' ? this.bytes(item.to) : item?.content && joined(item.content.map(bytesOf));
  }

  /** True if no grant contains the path. */
  isOutside(path) {
    return !this.grants.some(({ directory }) => path === directory || path.startsWith(`${directory}/`));
  }
}

/** The bytes of a piece of a file, or of a name that is not UTF-8. */
export function bytesOf({ text, base64 }) {
  return text === undefined ? Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)) : new TextEncoder().encode(repeated(text));
}

function joined(pieces) {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let end = 0;
  for (const piece of pieces) {
    all.set(piece, end);
    end += piece.length;
  }
  return all;
}

// What stands for something else in the strings of a case. Tags and cursors are worked out here; the component is not asked.

import { blake3 } from '@noble/hashes/blake3.js';

/** The text with every `$repeat(3, ab)` written out. The repeated text has no closing parenthesis. */
export function repeated(text) {
  return text.replace(/\$repeat\((\d+), ([^)]*)\)/g, (_, count, piece) => piece.repeat(Number(count)));
}

const IN_CALLS = ['$repeat(', '$etag(', '$etag-before(', '$range(', '$cursor(', '$occurrence(', '$rest('];

/** The arguments as they are sent: as they are written, but for what placeholders stand for. */
export function callOf(one) {
  if (!IN_CALLS.some((placeholder) => one.call.includes(placeholder))) return one.call;
  return JSON.stringify(expanded(JSON.parse(one.call), one));
}

/** The value with the placeholders of all its strings replaced, but for those that a verdict compares. */
export function expanded(value, { call, before, after }) {
  return replaced(value, before, after, searchOf(call));
}

function replaced(value, before, after, search) {
  if (typeof value === 'string') return string(value, before, after, search);
  if (Array.isArray(value)) return value.map((item) => replaced(item, before, after, search));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, replaced(field, before, after, search)]));
}

/** What ids of occurrences say of a call: six digits of the options that change what is found, and of `old`. */
function searchOf(call) {
  let given;
  try {
    given = JSON.parse(call);
  } catch {
    return '';
  }
  const lines = ['regex', 'exact_line_ends', 'escaped'].filter((option) => given?.[option] === true);
  if (typeof given?.encoding === 'string') lines.push(`encoding=${given.encoding.toLowerCase()}`);
  const old = typeof given?.old === 'string' ? repeated(given.old) : '';
  return strongTag(Buffer.from(`${lines.map((line) => `${line}\n`).join('')}\n${old}`)).slice(0, 6);
}

function string(written, before, after, search) {
  const text = repeated(written);
  const [, name, inside] = text.match(/^\$([a-z-]+)\(([^]*)\)$/) ?? [];
  const parts = inside?.split(', ') ?? [];
  const file = (tree, path) => {
    const bytes = tree.bytes(path);
    if (!bytes) throw new Error(`${text}: no such file in the tree`);
    return bytes;
  };
  switch (name) {
    case 'etag': return strongTag(file(after, inside));
    case 'etag-before': return strongTag(file(before, inside));
    case 'range': return rangeTag(file(before, parts[0]), ...parts.slice(1).map(Number));
    case 'range-after': return rangeTag(file(after, parts[0]), ...parts.slice(1).map(Number));
    case 'cursor': return cursor(file(before, parts[0]), ...parts.slice(1).map(Number));
    case 'occurrence': return occurrence(file(before, parts[0]), parts[2] ?? `/${parts[0]}`, search, parts[1]);
    case 'rest': return `at:${occurrence(file(before, parts[0]), `/${parts[0]}`, search, parts[1])}:${parts[2]}`;
    default: return text;
  }
}

/** The first 32 hex digits of BLAKE3. */
export function strongTag(bytes) {
  return hex(blake3(bytes)).slice(0, 32);
}

/** The range tag of some bytes that stand at an offset. */
function rangeTag(bytes, offset, length) {
  if (offset + length > bytes.length) throw new Error(`${offset}+${length} is past the end`);
  return `r${offset}+${length}:${strongTag(bytes.subarray(offset, offset + length))}`;
}

/** Offset, line, bytes of that line before it; then 16 digits of the hash of these numbers, and of the 4 KiB before the place. */
function cursor(bytes, ...numbers) {
  const [offset] = numbers;
  const words = Buffer.alloc(24);
  numbers.forEach((number, index) => words.writeBigUInt64LE(BigInt(number), index * 8));
  const end = Math.min(offset, bytes.length);
  const bound = offset <= bytes.length ? bytes.subarray(Math.max(0, offset - 4096), end) : Buffer.alloc(0);
  return `${numbers.join('.')}.${hex(blake3(Buffer.concat([words, bound]))).slice(0, 16)}`;
}

/** 12 hex digits of the path that is shown, 12 of the file's, what says of the call what it looks for, and an offset. */
function occurrence(bytes, shown, search, offset) {
  return `${strongTag(Buffer.from(shown)).slice(0, 12)}-${strongTag(bytes).slice(0, 12)}-${search}-${offset}`;
}

function hex(bytes) {
  return Buffer.from(bytes).toString('hex');
}

/** True for `2026-11-20T08:30:00Z`, with or without a fraction of the second. */
export function isTime(text) {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);
}

/** True for a strong tag, and for an id in the history. */
export function isStrong(text) {
  return /^[0-9a-f]{32}$/.test(text);
}

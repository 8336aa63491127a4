/** Names and values: the contract's in JSON, and JavaScript's. */

/** `etag_before` is `etagBefore`. */
export function camel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `etagBefore` is `etag_before`. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Arguments as JSON. Bytes become base64. */
export function toJson(args: object): string {
  return JSON.stringify(renamed(args, snake));
}

/** JSON values with names in camel case. */
export function inCamel(value: unknown): unknown {
  return renamed(value, camel);
}

/** An outcome from JSON. The contract's bytes, at these names, become bytes. */
export function fromJson(json: string, bytes: readonly string[]): unknown {
  const outcome = inCamel(JSON.parse(json)) as Record<string, unknown>;
  for (const name of bytes) outcome[name] = decoded(outcome[name] as string);
  return outcome;
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (value instanceof Uint8Array) return encoded(value);
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [rename(name), renamed(field, rename)]));
}

function encoded(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}

/** Any engine takes that many arguments. */
const PIECE = 8192;

function decoded(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

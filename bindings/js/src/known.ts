/** The names of options and arguments: a misspelled one would be ignored silently. */

/** True for a plain object with names: no list, no map. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** The problem of a record's names, if one is unknown. */
export function strayName(record: object, known: readonly string[], kind = 'option'): string | undefined {
  const stray = Object.keys(record).find((name) => !known.includes(name));
  if (stray === undefined) return undefined;
  const near = known.map((name) => ({ name, far: distance(plain(stray), plain(name)) })).sort((one, other) => one.far - other.far)[0];
  const meant = near && near.far <= Math.max(2, stray.length * 0.4) ? `did you mean \`${near.name}\`? ` : '';
  return `there is no ${kind} \`${stray}\`; ${meant}there are ${known.map((name) => `\`${name}\``).join(', ')}`;
}

/** `read_only` and `readonly` are one mistake. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

/** The edit distance of two words. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...one].entries()) {
    let diagonal = row[0]!;
    row = row.reduce<number[]>((next, above, index) => {
      next.push(index === 0 ? at + 1 : Math.min(above + 1, next[index - 1]! + 1, diagonal + (other[index - 1] === letter ? 0 : 1)));
      diagonal = above;
      return next;
    }, []);
  }
  return row[other.length]!;
}

/**
 * A file's identity, as wasmtime and the program compute it from device and inode: SipHash-1-3 with
 * keys of zero. So each host knows the history of the others.
 */
export function identity([device, inode]: readonly [bigint, bigint]): { lower: bigint; upper: bigint } {
  const lower = hash([device, inode]);
  return { lower, upper: lower ^ UPPER_HALF };
}

/** Derived from the lower 64 bits. */
const UPPER_HALF = 4_614_256_656_552_045_848n;

function hash(words: bigint[]): bigint {
  const v: State = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n];
  const length = BigInt(words.length * 8) << 56n;
  for (const word of [...words, length]) {
    v[3] ^= word;
    round(v);
    v[0] ^= word;
  }
  v[2] ^= 0xffn;
  for (let left = 3; left > 0; left -= 1) round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

type State = [bigint, bigint, bigint, bigint];

function round(v: State): void {
  v[0] = add(v[0], v[1]);
  v[1] = rotated(v[1], 13n) ^ v[0];
  v[0] = rotated(v[0], 32n);
  v[2] = add(v[2], v[3]);
  v[3] = rotated(v[3], 16n) ^ v[2];
  v[0] = add(v[0], v[3]);
  v[3] = rotated(v[3], 21n) ^ v[0];
  v[2] = add(v[2], v[1]);
  v[1] = rotated(v[1], 17n) ^ v[2];
  v[2] = rotated(v[2], 32n);
}

function add(one: bigint, other: bigint): bigint {
  return BigInt.asUintN(64, one + other);
}

function rotated(word: bigint, by: bigint): bigint {
  return BigInt.asUintN(64, word << by) | (word >> (64n - by));
}

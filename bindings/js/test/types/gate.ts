import { AmbiguousError, FsgateError, Gate, Memory } from 'fsgate';
import type { Note, ReplaceOutcome } from 'fsgate';

export async function used(): Promise<ReplaceOutcome | readonly number[]> {
  const gate = await Gate.open({ dirs: { '/work': 'project', '/scratch': new Memory({ 'a.txt': 'one' }) }, policy: { profile: 'strict' } });
  const { content, size, notes } = await gate.read({ path: 'a.txt', maxLines: 10 });
  const kept: Note[] | undefined = notes;
  const bytes: Uint8Array = (await gate.readBytes({ path: 'a.txt' })).bytes;
  await gate.writeBytes({ path: 'b.bin', bytes: bytes.subarray(size - (kept ?? []).length) });
  const { output } = await gate.frontEnds.sham({ text: content, asUser: false });
  await gate.log();
  try {
    return await gate.replace({ path: 'a.txt', old: output, new: 'two', dryRun: true });
  } catch (error) {
    if (error instanceof AmbiguousError && error.code === 'ambiguous') return error.lines;
    if (error instanceof FsgateError && error.repair !== undefined) throw new Error(error.repair);
    throw error;
  }
}

export async function misused(gate: Gate): Promise<void> {
  // @ts-expect-error A gate is opened, not made.
  new Gate();
  // @ts-expect-error Content is text or bytes.
  new Memory({ 'a.txt': 1 });
  // @ts-expect-error There is no such argument.
  await gate.read({ path: 'a.txt', max_lines: 10 });
  // @ts-expect-error Something is missing.
  await gate.replace({ path: 'a.txt', old: 'x' });
  // @ts-expect-error Not one of the words.
  await gate.grep({ pattern: 'x', mode: 'lines' });
}

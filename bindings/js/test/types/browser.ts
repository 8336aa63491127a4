import { Gate, Memory } from 'fsgate';

export async function used(files: Record<string, string>): Promise<Record<string, Uint8Array>> {
  const memory = new Memory(files);
  const gate = await Gate.open({ dirs: { '/work': memory }, load: (url) => fetch(url) });
  await gate.append({ path: 'log.txt', content: 'done\n' });
  // @ts-expect-error A browser has no directories but those in memory.
  await Gate.open({ dirs: { '/work': 'project' } });
  // @ts-expect-error A gate is opened, not made.
  new Gate();
  return memory.files();
}

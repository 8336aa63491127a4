// A session as somebody has it who takes the package into a page: what it comes to, as data.

import { Gate, Memory } from 'fsgate';

export async function told(load) {
  const offline = await Gate.open({ dirs: { '/work': new Memory() }, load: () => Promise.reject(new Error('offline')) }).catch((error) => error.message);
  if (offline !== 'offline') throw new Error(offline);
  const memory = new Memory({ 'notes.md': 'draft\n', 'src/main.js': 'run();\n' });
  const gate = await Gate.open({ dirs: { '/work': memory }, readOnly: { '/docs': new Memory({ 'a.md': '# A\n' }) }, state: new Memory(), load });
  const { lines } = await gate.replace({ path: 'notes.md', old: 'draft', new: 'final' });
  const refused = await gate.write({ path: '/docs/a.md', content: '' }).catch((error) => error.name);
  const twice = await gate.replaceAll({ path: 'src/main.js', old: 'run', new: 'go' });
  await gate.undo();
  const { drawn } = await gate.tree({ path: '/work' });
  const refusals = [];
  for (const options of [
    { dirs: { '/work': '/tmp' } }, { dirs: { '/work': memory }, state: '/tmp' }, { dirs: { '/work': memory }, readOnly: { '/r': memory } },
    { dirs: { '/work': memory }, state: memory }, { dirs: { '/work': memory }, allowWideGrant: true }, { dirs: [memory] },
  ]) refusals.push(await Gate.open({ ...options, load }).catch((error) => error.reason));
  const files = Object.fromEntries(Object.entries(memory.files()).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]));
  return { lines, refused, twice: twice.replacements, drawn, refusals, files };
}

// An agent in sixty lines: a loop between a model and the tools. The model here is a script, so that this runs anywhere; to use a real one,
// put a call of its interface in the place of `model`. Messages and tools have the form of OpenAI's Chat Completions.
//
//     npm install fsgate && node loop.mjs DIRECTORY
import { readFileSync } from 'node:fs';
import { Gate } from 'fsgate';
import { chat } from 'fsgate/openai';

const [directory] = process.argv.slice(2);
const gate = await Gate.open({ dirs: { '/work': directory } });
const files = chat(gate, { only: ['grep', 'read_numbered', 'replace'] });

// What the model says, turn by turn. It knows only what it was answered: a turn is made from the last answer.
const script = [
  () => call('grep', { pattern: 'draft' }),
  ({ matches }) => call('replace', { path: matches[0].path, old: 'draft', new: 'final' }),
  // The text stands in two places, so nothing was changed, and the answer says where. The second one is meant.
  ({ code, lines }) => call('read_numbered', { path: 'notes.md', lines: code === 'ambiguous' ? `${lines[1]}` : '1-' }),
  ({ etag }) => call('replace', { path: 'notes.md', old: 'draft', new: 'final', occurrence: 2, if_match: etag, diff: true }),
  // It tries what it may not. Whatever it writes, there is nothing else.
  () => call('read_numbered', { path: '../secret.txt' }),
  () => call('delete', { path: 'notes.md' }),
  ({ code }) => ({ content: `The second draft is final. What else I tried was refused: ${code}.` }),
];

function call(name, args) {
  return { tool_calls: [{ id: name, type: 'function', function: { name, arguments: JSON.stringify(args) } }] };
}

/** Stands for a model: takes the conversation and the tools, gives the next message. */
function model(messages, tools) {
  console.log(`[${messages.length} messages, ${tools.length} tools]`);
  const { role, content } = messages.at(-1);
  return { role: 'assistant', ...script.shift()(role === 'tool' ? JSON.parse(content) : undefined) };
}

const messages = [
  { role: 'system', content: 'You edit files. A refused call changes nothing, and says what to do next.' },
  { role: 'user', content: 'The second draft in my notes is final.' },
];
for (;;) {
  const message = model(messages, files.tools);
  messages.push(message);
  if (!message.tool_calls) {
    console.log(message.content);
    break;
  }
  for (const { function: { name, arguments: args } } of message.tool_calls) console.log(`→ ${name} ${args}`);
  const results = await files.results(message.tool_calls);
  for (const { content } of results) console.log(`← ${content.slice(0, 160)}`);
  messages.push(...results);
}
gate.close();
console.log(readFileSync(`${directory}/notes.md`, 'utf8'));

// An agent in sixty lines: npm install fsgate, then node loop.mjs
//
// The model is a script, so that this runs without a key: put a call of a real one in its place. The loop stays as it is.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gate } from 'fsgate';
import { chat } from 'fsgate/openai';

const SCRIPT = [
  ['grep', '{"pattern": "timeout"}'],
  // It stands there twice: nothing is changed, and the answer says where.
  ['edit', '{"path": "settings.py", "old": "10", "new": "30"}'],
  ['edit', '{"path": "settings.py", "old": "timeout = 10", "new": "timeout = 30"}'],
  ['read', '{"path": "../secret.txt"}'],
];
const LAST = 'The timeout is 30 now. I was not let out of the project.';

/** Stands for a model: takes the conversation and the tools, gives the next message. */
function scripted(messages, tools) {
  const turn = Math.floor(messages.length / 2);
  if (turn === SCRIPT.length) return { role: 'assistant', content: LAST };
  const [name, args] = SCRIPT[turn];
  return { role: 'assistant', tool_calls: [{ id: String(turn), type: 'function', function: { name, arguments: args } }] };
}

/** Lets the model call tools until it has nothing more to call. What is refused is an answer too: it says what to do next. */
async function run(gate, task) {
  const files = chat(gate);
  const messages = [{ role: 'user', content: task }];
  for (;;) {
    const message = scripted(messages, files.tools);
    messages.push(message);
    if (!message.tool_calls) return console.log(message.content);
    const results = await files.results(message.tool_calls);
    for (const [index, { function: { name, arguments: args } }] of message.tool_calls.entries()) {
      console.log(`${name} ${args}\n  ${results[index].content.split('\n')[0]}`);
    }
    messages.push(...results);
  }
}

const scratch = fs.mkdtempSync(join(tmpdir(), 'agent-loop-'));
const [project, state] = ['project', 'state'].map((name) => join(scratch, name));
fs.mkdirSync(project);
fs.writeFileSync(join(project, 'settings.py'), 'retries = 10\ntimeout = 10\n');
const gate = await Gate.open({ dirs: { '/project': project }, state });
await run(gate, 'Set the timeout to 30.');
gate.close();
assert.equal(fs.readFileSync(join(project, 'settings.py'), 'utf8'), 'retries = 10\ntimeout = 30\n');
fs.rmSync(scratch, { recursive: true });

// The adapters: what is offered, what is answered.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { chat, responses } from '../dist/adapters/openai.js';
import { tools } from '../dist/adapters/ai.js';
import { Gate, Memory } from '../dist/node.js';

async function opened() {
  const memory = new Memory({ 'a.txt': 'one\n' });
  return { memory, gate: await Gate.open({ dirs: { '/w': memory } }) };
}

const text = (memory) => new TextDecoder().decode(memory.files()['a.txt']);

test('the lean set is offered as it is', async () => {
  const { gate } = await opened();
  const all = gate.leanTools();
  assert.equal(all.length, 10);
  assert.deepEqual(chat(gate).tools.map((tool) => tool.function.name), all.map(({ name }) => name));
  assert.deepEqual(responses(gate).tools[0], {
    type: 'function', name: 'read', description: all[0].description, parameters: all[0].inputSchema, strict: false,
  });
  assert.deepEqual(Object.keys(tools(gate)), all.map(({ name }) => name));
  assert.deepEqual(await tools(gate).read.inputSchema.jsonSchema, all[0].inputSchema);
  // OpenAI takes names of this form only, and some who speak its interfaces no longer descriptions.
  for (const { name } of all) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
  for (const { description } of [...chat(gate).tools.map((tool) => tool.function), ...responses(gate).tools]) {
    assert.ok(description.length > 0 && description.length <= 1024, description);
  }
});

test('what is not offered cannot be called', async () => {
  const { gate, memory } = await opened();
  const call = (name, args) => ({ id: '1', type: 'function', function: { name, arguments: JSON.stringify(args) } });
  for (const choice of [{ readOnly: true }, { only: ['read'] }]) {
    const files = chat(gate, choice);
    assert.ok(!files.tools.some((tool) => tool.function.name === 'write'));
    const [result] = await files.results([call('write', { path: 'a.txt', content: 'two' })]);
    assert.match(result.content, /^unknown_tool: /);
  }
  assert.equal(text(memory), 'one\n');
  assert.throws(() => chat(gate, { only: ['raed'] }), /raed/);
});

test('a choice holds for what is called as well, and without one the component knows', async () => {
  const { gate } = await opened();
  const all = gate.leanTools().filter(({ annotations }) => annotations.readOnly).map(({ name }) => name);
  for (const [choice, name, code, repair] of [
    [undefined, 'read', undefined],
    [{}, 'read', undefined],
    [{ readOnly: false }, 'read', undefined],
    [{ only: ['read_numbered'] }, 'read_numbered', undefined],
    [{}, 'raed', 'unknown_tool', 'did you mean `read`?'],
    [{ only: ['read', 'grep'] }, 'write', 'unknown_tool', 'the tools are read, grep'],
    [{ only: ['read', 'grep'] }, 'raed', 'unknown_tool', 'the tools are read, grep'],
    [{ readOnly: true }, 'write', 'unknown_tool', `the tools are ${all.join(', ')}`],
    [{ only: ['write'], readOnly: true }, 'write', 'unknown_tool', 'no tool is offered'],
  ]) {
    const args = '{"path": "a.txt"}';
    const [{ content }] = await chat(gate, choice).results([{ id: '1', type: 'function', function: { name, arguments: args } }]);
    const [{ output }] = await responses(gate, choice).results([{ type: 'function_call', call_id: '1', name, arguments: args }]);
    assert.equal(content, output);
    if (code) {
      assert.ok(content.startsWith(`${code}: `) && content.endsWith(repair), content);
      if (choice && repair.startsWith('the')) assert.equal(content, `${code}: no tool is named \`${name}\`\n${repair}`);
    } else {
      assert.ok(content.endsWith('one\n') || content.includes('1: one'), content);
    }
  }
});

test('a choice that is none is refused', async () => {
  const { gate } = await opened();
  for (const [choice, told] of [
    [{ readonly: true }, 'there is no option `readonly`; did you mean `readOnly`? there are `only`, `readOnly`'],
    [{ tools: [] }, 'there is no option `tools`; there are'],
    [['read'], 'a choice is an object'],
    ['read', 'a choice is an object'],
    [{ only: 'read' }, '`only` is a list of names'],
  ]) {
    for (const adapter of [chat, responses, tools]) {
      assert.throws(() => adapter(gate, choice), (error) => error instanceof TypeError && error.message.startsWith(told), told);
    }
  }
});

test('calls of Chat Completions are answered in their order, refusals too', async () => {
  const { gate, memory } = await opened();
  const calls = [
    ['write', '{"path": "a.txt", "content": "two\\n"}'],
    ['read', '{"path": "a.txt"}'],
    ['edit', '{"path": "a.txt", "old": "three", "new": "four"}'],
    ['read', '{"path": '],
    ['read', '{"path": "../secret"}'],
  ];
  const results = await chat(gate).results(calls.map(([name, args], id) => ({ id: `c${id}`, type: 'function', function: { name, arguments: args } })));
  assert.deepEqual(results.map(({ role, tool_call_id: id }) => `${role} ${id}`), ['tool c0', 'tool c1', 'tool c2', 'tool c3', 'tool c4']);
  const answers = results.map(({ content }) => content);
  assert.equal(answers[1], 'two\n');
  assert.deepEqual(answers.slice(2).map((answer) => answer.split(': ')[0]), ['no_match', 'malformed', 'not_granted']);
  assert.equal(text(memory), 'two\n');
});

test('calls of Responses are answered, other items are not', async () => {
  const { gate } = await opened();
  const output = [
    { type: 'reasoning', summary: [] },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path": "a.txt"}' },
    { type: 'message' },
  ];
  const [result, ...more] = await responses(gate).results(output);
  assert.deepEqual([result.type, result.call_id, result.output, more.length], ['function_call_output', 'c1', 'one\n', 0]);
});

test('the AI SDK makes calls and hands the answers to its model', async () => {
  const { gate, memory } = await opened();
  const usage = { inputTokens: {}, outputTokens: {} };
  const turns = [
    [{ type: 'tool-call', toolCallId: 'c1', toolName: 'edit', input: '{"path": "a.txt", "old": "nine", "new": "two"}' }],
    [{ type: 'tool-call', toolCallId: 'c2', toolName: 'edit', input: '{"path": "a.txt", "old": "one", "new": "two"}' }],
    [{ type: 'text', text: 'done' }],
  ];
  const heard = [];
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      heard.push(prompt.at(-1));
      const content = turns.shift();
      const finishReason = content[0].type === 'text' ? 'stop' : 'tool-calls';
      return { content, finishReason: { unified: finishReason }, usage, warnings: [] };
    },
  });
  const { text: said } = await generateText({ model, prompt: 'one is two', tools: tools(gate), stopWhen: stepCountIs(5) });
  assert.equal(said, 'done');
  assert.equal(text(memory), 'two\n');
  const [refused, done] = heard.slice(1).map(({ content }) => content[0].output.value);
  assert.match(refused, /^no_match: /);
  assert.match(done, /^replaced 1 in a\.txt/);
});

test('an answer for a model is text, in the words of the set that was called', async () => {
  const { gate } = await opened();
  for (const [answer, expected] of [
    [await gate.answer('exists', { path: '/w/a.txt' }), /^true$/],
    [await gate.answer('read', { path: 'a.txt' }), /^\[etag: [0-9a-f]+\]\none\n$/],
    [await gate.leanAnswer('read', { path: 'a.txt' }), /^one\n$/],
    [await gate.leanAnswer('edit', { path: 'a.txt', old: 'one', new: '1' }), /^replaced 1 in a\.txt \(line 1\)/],
    [await gate.leanAnswer('delete', { path: '.' }), /^is_directory: .*\n.*set `recursive` to true/],
    [await gate.leanAnswer('rm', '{'), /^unknown_tool: /],
  ]) assert.match(answer, expected);
  assert.match(JSON.parse(await gate.leanCall('read', { path: 'a.txt' })).content, /^1\n$/);
});

/**
 * The tools in the forms of OpenAI's interfaces, which many others speak as well. Nothing of its package is needed: these are the shapes
 * that it has.
 *
 * ```js
 * const files = chat(gate);
 * const { choices } = await openai.chat.completions.create({ model, messages, tools: files.tools });
 * messages.push(choices[0].message, ...await files.results(choices[0].message.tool_calls ?? []));
 * ```
 */
import type { AnyGate } from '../gate.js';
import type { Choice } from './offer.js';
import { offer } from './offer.js';

/** A tool in Chat Completions. */
export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** The answer to a call in Chat Completions. */
export interface ChatResult {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** A call in Chat Completions. Calls that are no functions belong to others. */
export interface ChatCall {
  id: string;
  type: string;
  function?: { name: string; arguments: string };
}

/** For Chat Completions: `tools` to offer, and `results` of the calls in a message. */
export function chat(
  gate: AnyGate,
  choice: Choice = {},
): { tools: ChatTool[]; results(calls: readonly ChatCall[]): Promise<ChatResult[]> } {
  const { tools, answer } = offer(gate, choice);
  return {
    tools: tools.map(({ name, description, inputSchema }) =>
      ({ type: 'function', function: { name, description, parameters: inputSchema } })),
    async results(calls) {
      const results: ChatResult[] = [];
      // One after the other: a later call may build on an earlier one.
      for (const { id, function: called } of calls) {
        if (called) results.push({ role: 'tool', tool_call_id: id, content: await answer(called.name, called.arguments) });
      }
      return results;
    },
  };
}

/** A tool in Responses, not `strict`, because optional arguments stay optional. */
export interface ResponseTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: false;
}

/** The answer to a call in Responses. */
export interface ResponseResult {
  type: 'function_call_output';
  call_id: string;
  output: string;
}

/** An output item in Responses. Only calls are answered. */
export interface ResponseItem {
  type: string;
  call_id?: string | null;
  name?: string | null;
  arguments?: unknown;
}

/** For Responses: `tools` to offer, and `results` of the calls in an output. */
export function responses(
  gate: AnyGate,
  choice: Choice = {},
): { tools: ResponseTool[]; results(output: readonly ResponseItem[]): Promise<ResponseResult[]> } {
  const { tools, answer } = offer(gate, choice);
  return {
    tools: tools.map(({ name, description, inputSchema }) =>
      ({ type: 'function', name, description, parameters: inputSchema, strict: false })),
    async results(output) {
      const results: ResponseResult[] = [];
      for (const { type, call_id, name, arguments: args } of output) {
        if (type !== 'function_call' || !call_id) continue;
        results.push({ type: 'function_call_output', call_id, output: await answer(String(name), String(args)) });
      }
      return results;
    },
  };
}

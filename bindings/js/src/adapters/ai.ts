/**
 * The tools for Vercel's AI SDK, the package `ai`.
 *
 * ```js
 * const { text } = await generateText({ model, prompt, tools: tools(gate), stopWhen: stepCountIs(20) });
 * ```
 */
import type { Tool } from 'ai';
import { dynamicTool, jsonSchema } from 'ai';
import type { AnyGate } from '../gate.js';
import type { Choice } from './offer.js';
import { offer } from './offer.js';

/** The tools by name. A refusal is an answer: the model reads what to do next. */
export function tools(gate: AnyGate, choice: Choice = {}): Record<string, Tool<unknown, unknown>> {
  const { tools: offered, answer } = offer(gate, choice);
  return Object.fromEntries(offered.map(({ name, description, inputSchema }) => [name, dynamicTool({
    description,
    // The component checks arguments, and explains mistakes.
    inputSchema: jsonSchema(inputSchema),
    execute: (args) => answer(name, JSON.stringify(args)),
  })]));
}

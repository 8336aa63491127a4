/** The errors of calls that do not come to the component, in its own form. */
import { FsgateError } from './errors.js';

/**
 * Refuses half of a character in any text of a call: without UTF-8 for it, another text would
 * arrive.
 */
export function refuseHalves(operation: string, ...values: unknown[]): void {
  const text = [operation, ...values].map(half).find((found) => found !== undefined);
  if (text === undefined) return;
  const at = text.search(HALF);
  const problem = `'\\u${text.charCodeAt(at).toString(16)}' in position ${at} is half of a character`;
  const refused = error('malformed', operation, `the call cannot be handed on: ${problem}`, 'write the arguments as JSON, in UTF-8');
  throw FsgateError.from(JSON.stringify({ ...refused, position: 0 }));
}

/** The error of a tool that was not offered. */
export function unknownTool(operation: string, names: readonly string[]): object {
  const repair = names.length > 0 ? `the tools are ${names.join(', ')}` : 'no tool is offered';
  return error('unknown_tool', operation, `no tool is named \`${operation}\``, repair);
}

const HALF = /\p{Surrogate}/u;

/** The first text with half of a character: a value itself, or in it. */
function half(value: unknown): string | undefined {
  if (typeof value === 'string') return HALF.test(value) ? value : undefined;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return undefined;
  return Object.values(value).map(half).find((found) => found !== undefined);
}

function error(code: string, operation: string, message: string, repair: string): object {
  return { code, operation: operation.replace(/\p{Surrogate}/gu, '?'), message, applied: false, repair };
}

/** What all adapters have in common: which tools a model is offered, and what it is answered. */
import { FsgateError } from '../errors.js';
import type { AnyGate, Tool } from '../gate.js';

/** Which tools a model is offered. Calls of others are refused, whatever it has heard of. */
export interface Choice {
  /** Only these, by their names in snake_case. */
  only?: readonly string[];
  /** Only what changes nothing. */
  readOnly?: boolean;
}

export interface Offer {
  tools: readonly Tool[];
  /** Makes a call. A refusal is an answer as well: it says what to do next. */
  answer(tool: string, args: string): Promise<string>;
}

export function offer(gate: AnyGate, { only, readOnly }: Choice): Offer {
  const known = gate.tools();
  const stray = only?.find((name) => !known.some((tool) => tool.name === name));
  if (stray !== undefined) throw new TypeError(`no operation is named \`${stray}\``);
  const tools = known.filter(({ name, annotations }) => (only?.includes(name) ?? true) && (!readOnly || annotations.readOnly));
  return {
    tools,
    async answer(tool, args) {
      if (!tools.some(({ name }) => name === tool)) return JSON.stringify(notOffered(tool));
      try {
        return await gate.call(tool, args);
      } catch (error) {
        if (error instanceof FsgateError) return error.json;
        throw error;
      }
    },
  };
}

function notOffered(operation: string): object {
  const message = `no tool named \`${operation}\` is offered`;
  return { code: 'unknown_tool', operation, message, applied: false, repair: 'call one of the tools that are offered' };
}

/** What all adapters have in common: which tools a model is offered, and what it is answered. */
import { FsgateError } from '../errors.js';
import type { AnyGate, Tool } from '../gate.js';
import { isRecord, strayName } from '../known.js';
import { unknownTool } from '../stops.js';

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

export function offer(gate: AnyGate, choice: Choice): Offer {
  const mistake = isRecord(choice) ? strayName(choice, ['only', 'readOnly']) : "a choice is an object such as `{ only: ['read'] }`";
  if (mistake) throw new TypeError(mistake);
  const { only, readOnly = false } = choice;
  if (only !== undefined && !Array.isArray(only)) throw new TypeError("`only` is a list of names such as `['read']`");
  const known = gate.tools();
  const stray = only?.find((name) => !known.some((tool) => tool.name === name));
  if (stray !== undefined) throw new TypeError(`no operation is named \`${stray}\``);
  const tools = known.filter(({ name, annotations }) => (only?.includes(name) ?? true) && (!readOnly || annotations.readOnly));
  const names = tools.map(({ name }) => name);
  const isChosen = only !== undefined || readOnly;
  return {
    tools,
    async answer(tool, args) {
      if (isChosen && !names.includes(tool)) return JSON.stringify(unknownTool(tool, names));
      try {
        return await gate.call(tool, args);
      } catch (error) {
        if (error instanceof FsgateError) return error.json;
        throw error;
      }
    },
  };
}

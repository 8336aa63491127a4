/** The common part of all adapters: the offered tools, and their answers. */
import type { AnyGate, Tool } from '../gate.js';
import { isRecord, strayName } from '../known.js';
import { unknownTool } from '../stops.js';

/** The offered tools, by default the lean set of ten. Calls of others are refused. */
export interface Choice {
  /** These operations instead, in snake_case. */
  only?: readonly string[];
  /** Only tools that change nothing. */
  readOnly?: boolean;
}

export interface Offer {
  tools: readonly Tool[];
  /** Makes a call, and answers with text. A refusal is an answer too, with the next step. */
  answer(tool: string, args: string): Promise<string>;
}

export function offer(gate: AnyGate, choice: Choice): Offer {
  const mistake = isRecord(choice) ? strayName(choice, ['only', 'readOnly']) : "a choice is an object such as `{ only: ['read'] }`";
  if (mistake) throw new TypeError(mistake);
  const { only, readOnly = false } = choice;
  if (only !== undefined && !Array.isArray(only)) throw new TypeError("`only` is a list of names such as `['read']`");
  const isLean = only === undefined && gate.leanTools().length > 0;
  const known = isLean ? gate.leanTools() : gate.tools();
  const stray = only?.find((name) => !known.some((tool) => tool.name === name));
  if (stray !== undefined) throw new TypeError(`no operation is named \`${stray}\``);
  const tools = known.filter(({ name, annotations }) => (only?.includes(name) ?? true) && (!readOnly || annotations.readOnly));
  const names = tools.map(({ name }) => name);
  const isChosen = only !== undefined || readOnly;
  return {
    tools,
    async answer(tool, args) {
      if (isChosen && !names.includes(tool)) {
        const refusal = JSON.stringify(unknownTool(tool, names));
        return gate.show({ tool, arguments: '{}', answer: refusal, isError: true });
      }
      return isLean ? gate.leanAnswer(tool, args) : gate.answer(tool, args);
    },
  };
}

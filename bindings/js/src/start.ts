/**
 * Checks of a start. The component decides; this module hands it requests and facts, and opens
 * nothing.
 */
import type { Program } from './engine.js';
import { apart } from './engine.js';
import type { Grant } from './options.js';
import type { Reason } from './refusals.js';
import { StartError } from './refusals.js';
import { camel } from './words.js';

/** A machine path: a link's target, the path that it leads to, and the object's identity. */
export interface Fact {
  link?: string | undefined;
  real?: string | undefined;
  identity?: string | undefined;
}

/** The machine's facts for the checks. */
export interface Machine {
  here: string;
  shells: string[];
  variables: Record<string, string>;
  is_exact: boolean;
}

/**
 * A platform's part of a request: reasons why a directory cannot be listed, protected paths, and
 * looks at paths.
 */
export interface Platform {
  machine: Machine;
  problem(path: string): 'not_directory' | { error: string } | undefined;
  guarded: { read_only?: [string, string[]][]; apart?: string[] };
  look(path: string): Fact;
}

/** Accepted machine directories in order, and the consequences for the component. */
export interface Verdict {
  grants: { host: string; name: string }[];
  /** The real path of a history directory on the machine. */
  state: string | null;
  paths: Record<string, string[]>;
  rules: object[];
}

type Answer = { look: string[] } | { refused: { reason: string; message: string } } | { granted: Verdict };

const NOWHERE: Platform = {
  machine: { here: '/', shells: [], variables: {}, is_exact: true },
  problem: () => undefined,
  guarded: {},
  look: () => ({}),
};

/** Checks all directories; the first problem refuses the start. */
export async function checked(
  program: Program, granted: readonly Grant<unknown>[], state?: unknown, wide = false, platform: Platform = NOWHERE,
): Promise<Verdict> {
  const facts: Record<string, Fact> = Object.create(null);
  const grants = granted.map(({ name, source, writable }) => {
    const path = typeof source === 'string' ? { path: source, problem: platform.problem(source) } : { path: null };
    return { ...path, name, access: writable ? 'write' : 'read' };
  });
  const terms = { host: 'javascript', wide, state: typeof state === 'string' ? state : null };
  return apart(program, ({ host }) => {
    for (;;) {
      const start = { grants, terms, guarded: platform.guarded, machine: { ...platform.machine, facts } };
      const answer = JSON.parse(host.check(JSON.stringify(start, utf8))) as Answer;
      if ('granted' in answer) return answer.granted;
      if ('refused' in answer) throw new StartError(camel(answer.refused.reason) as Reason, answer.refused.message);
      for (const path of answer.look) facts[path] = platform.look(path);
    }
  });
}

/** A text for the system: half of a character, which JSON cannot express, becomes U+FFFD. */
function utf8(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value;
}

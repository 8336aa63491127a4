// The reader of WIT, and the types that are made of what it reads.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { contract } from '../build/contract.mjs';
import { parse } from '../build/wit.mjs';

const WIT = new URL('../../../wit/', import.meta.url);

test('every file of the contract can be read', () => {
  for (const name of readdirSync(WIT).filter((each) => each.endsWith('.wit'))) {
    const found = parse(readFileSync(new URL(name, WIT), 'utf8'));
    for (const { docs, items } of Object.values(found.records)) assert.ok(docs && items.every((item) => item.docs), name);
  }
});

const FRONT_ENDS = `
interface front-ends-types {
    use types.{path};

    /// Why.
    type reason = string;

    /// What is asked.
    record ask-args {
        /// Any text.
        text: string,
        /// More of them.
        /// @default none nothing more
        %more: option<list<part>>,
    }

    /// A part.
    record part {
        /// Where.
        path: path,
        /// How much.
        size: u64,
    }

    /// What comes back.
    variant ask-outcome {
        /// It is done.
        done(list<part>),
        /// It is not.
        failed(reason),
        /// Nobody knows.
        unknown,
    }
}

/// Others.
interface front-ends {
    use front-ends-types.{
        ask-args, ask-outcome,
        part
    };

    /// Asks
    /// for it.
    ask-for-it: func(args: ask-args) -> ask-outcome;
}
`;

test('front ends have types, whatever they take and give', () => {
  const types = parse(readFileSync(new URL('types.wit', WIT), 'utf8'));
  const made = contract([], types, parse(FRONT_ENDS));
  for (const part of [
    '/** What is asked. */\nexport interface AskArgs {\n  /** Any text. */\n  text: string;\n  /** More of them. */\n  more?: Part[];\n}',
    'export interface Part {\n  /** Where. */\n  path: string;\n  /** How much. */\n  size: bigint;\n}',
    "export type AskOutcome =\n  /** It is done. */\n  | { tag: 'done'; val: Part[] }\n  /** It is not. */\n  | { tag: 'failed'; val: string }\n  /** Nobody knows. */\n  | { tag: 'unknown' };",
    '  /**\n   * Asks\n   * for it.\n   */\n  askForIt(args: AskArgs): Promise<AskOutcome>;',
  ]) assert.ok(made.includes(part), `${part}\n\nis not in\n\n${made.slice(made.indexOf('FsgateError.register'))}`);
});

test('what is not known is refused', () => {
  for (const text of ['record x {\n    a: string\n}', 'resource x;', 'x: func(a: u8, b: u8);']) assert.throws(() => parse(text), /is no WIT that is known/);
  const stranger = parse('x: func(args: stranger) -> string;');
  assert.throws(() => contract([], parse('variant code {\n}'), stranger), /no type is known for stranger/);
});

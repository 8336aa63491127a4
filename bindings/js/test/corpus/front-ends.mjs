// Comparison of the answers of front ends, which have placeholders of their own.

import { isTime } from './verdict.mjs';

const is = (pattern) => (found) => typeof found === 'string' && pattern.test(found);

// The placeholders of expected answers by front end, each with the check of its value.
const STANDS = {
  // The form in which JavaScript writes a time.
  plugin: { $time: is(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
  sham: { $time: isTime },
  workflow: {
    $any: () => true,
    $time: isTime,
    $moment: (found) => found === null || isTime(found),
    $sha256: is(/^[0-9a-f]{64}$/i),
    $history: is(/^history:[0-9a-f]{32}$/i),
  },
};

/** Returns the differences. The error of a workflow may have members that the case omits. */
export function compared(one, at, expected, found) {
  const both = (holds) => holds(expected) && holds(found);
  const stands = typeof expected === 'string' ? STANDS[one.front_end]?.[expected] : undefined;
  if (!stands && both((value) => typeof value === 'object' && value !== null && !Array.isArray(value))) {
    const isOpen = one.front_end === 'workflow' && at.endsWith('.error');
    const more = isOpen ? [] : Object.keys(found).filter((name) => !(name in expected));
    return [
      ...more.map((name) => `${at}.${name} is not expected: ${cut(found[name])}`),
      ...Object.entries(expected).flatMap(([name, value]) => {
        return name in found ? compared(one, `${at}.${name}`, value, found[name]) : [`${at}.${name} is missing`];
      }),
    ];
  }
  if (!stands && both(Array.isArray) && expected.length === found.length) {
    return expected.flatMap((value, index) => compared(one, `${at}[${index}]`, value, found[index]));
  }
  if (stands ? stands(found) : expected === found) return [];
  return [`${at}\n      has to be ${cut(expected)}\n      but is    ${cut(found)}`];
}

function cut(value) {
  return String(JSON.stringify(value)).slice(0, 600);
}

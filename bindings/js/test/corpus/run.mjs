// Runs cases in one session each.

import { expanded } from './cases.mjs';
import { ofAnswer, ofTree } from './verdict.mjs';

/** The file with the calls whose mistakes are in the JSON itself. */
const AGENT = 'agent';

/** Runs cases. Returns the number that ran, the failures, and the number left out by reason. */
export async function runAll(cases, way) {
  const told = { count: 0, failures: [], left: {} };
  for (const one of cases) {
    const reason = leftOut(one, way);
    if (reason) {
      told.left[reason] = (told.left[reason] ?? 0) + 1;
      continue;
    }
    told.count += 1;
    const problems = await run(one, way.place, way.start);
    if (problems.length > 0) told.failures.push(`${one.tool}, ${one.name}:\n    ${problems.join('\n    ')}`);
  }
  return told;
}

/** Returns the reason to leave a case out. */
export function leftOut(one, { place, isTyped, cannot }) {
  if (one.only && one.only.volume !== place.kind) return one.only.reason;
  if (isTyped && one.file === AGENT) return 'methods cannot make mistakes in JSON';
  if (isTyped && isTooFar(one.arguments)) return 'numbers of JavaScript do not go so far';
  return place.cannot(one.before) ?? cannot?.(one);
}

/** True if the arguments have an integer that a number of JavaScript does not hold. */
function isTooFar(text) {
  let far = false;
  JSON.parse(text, (_, value) => {
    far ||= typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    return value;
  });
  return far;
}

/**
 * Sets the tree of a case up, makes its calls, and returns the failures. `start(scene, policy)`
 * promises a session, whose `call(tool, text)` answers `{ outcome }` or `{ error }`.
 */
async function run(one, place, start) {
  const scene = place.setUp(one.before);
  let session;
  try {
    const { text: policy, late } = one.policy ?? {};
    session = await start(scene, late ? undefined : policy);
    const ids = [];
    for (const { tool, arguments: text } of one.earlier) {
      const { outcome, error } = await session.call(tool, expanded(text, ids));
      if (error) return [`the earlier call of \`${tool}\` was refused: ${error}`];
      ids.push(JSON.parse(outcome).undo_id ?? 'none');
    }
    if (late) {
      session.close();
      session = await start(scene, policy);
    }
    const before = scene.snapshot();
    const answer = await session.call(one.tool, expanded(one.arguments, ids));
    const { outcome, error } = JSON.parse(expanded(JSON.stringify({ outcome: one.outcome, error: one.error }), ids));
    // Cases for memory alone are those in which a disk changes identities, which are not compared.
    const known = one.only?.volume === 'memory' ? new Map() : before;
    return [
      ...ofAnswer({ ...one, outcome, error }, answer),
      ...ofTree(one.after ?? one.before, scene.linkTarget, known, scene.snapshot()),
    ];
  } catch (error) {
    return [error.stack];
  } finally {
    session?.close();
    scene.remove();
  }
}

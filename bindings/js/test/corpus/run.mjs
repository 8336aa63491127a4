// Runs cases in one session each.

import { AGENT, policies, withUndoIds } from './notation.mjs';
import { callOf } from './placeholder.mjs';
import { ofAnswer, ofTree } from './verdict.mjs';

/** Runs what can be run of some cases: how many that are, what does not hold, and how many are left out for which reason. */
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

/** Why a case is left out. */
export function leftOut(one, { place, isTyped, cannot }) {
  if (one.only && one.only.volume !== place.kind) return one.only.reason;
  if (isTyped && one.file === AGENT) return 'methods cannot make mistakes in JSON';
  if (isTyped && isTooFar(one.call)) return 'numbers of JavaScript do not go so far';
  return place.cannot(one.before) ?? cannot?.(one);
}

/** True if a call has a number in it that JavaScript takes for another one. */
function isTooFar(call) {
  let far = false;
  JSON.parse(call, (_, value) => {
    far ||= typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    return value;
  });
  return far;
}

/**
 * Sets the tree of a case up, makes its calls, and says what is wrong. `start(scene, policy)` promises a session, whose `call(tool, text)`
 * answers `{ outcome }` or `{ error }`.
 */
async function run(one, place, start) {
  const scene = place.setUp(one.before);
  let session;
  try {
    const [first, then] = policies(one);
    session = await start(scene, first);
    const ids = [];
    for (const { tool, call } of one.earlier) {
      const step = withUndoIds({ ...one, call }, ids);
      const { outcome, error } = await session.call(tool, callOf(step));
      if (error) return [`the earlier call of \`${tool}\` was refused: ${error}`];
      ids.push(JSON.parse(outcome).undo_id ?? 'none');
    }
    if (first !== then) {
      session.close();
      session = await start(scene, then);
    }
    const ready = withUndoIds(one, ids);
    const before = scene.snapshot();
    const answer = await session.call(ready.tool, callOf(ready));
    // A case that is for memory alone is so because on a disk something else takes the place: who it is is not asked.
    const who = one.only?.volume === 'memory' ? new Map() : before;
    return [...ofAnswer(ready, answer), ...ofTree(ready.after, scene.linkTarget, who, scene.snapshot())];
  } catch (error) {
    return [error.stack];
  } finally {
    session?.close();
    scene.remove();
  }
}

// Runs cases in one session each.

import { policies, withUndoIds } from './cases.mjs';
import { callOf } from './placeholder.mjs';
import { ofAnswer, ofTree } from './verdict.mjs';

/**
 * Sets the tree of a case up, makes its calls, and says what is wrong. `start(scene, policy)` promises a session, whose `call(tool, text)`
 * answers `{ outcome }` or `{ error }`.
 */
export async function run(one, place, start) {
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

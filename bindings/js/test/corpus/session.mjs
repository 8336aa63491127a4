// Sessions of the package's own gate, over the grants of a scene.

import { FsgateError } from '../../dist/errors.js';
import { Engine } from '../../dist/engine.js';
import { AnyGate } from '../../dist/gate.js';
import { camel, inCamel, toJson } from '../../dist/words.js';

export const inJson = (program) => session(program, (gate, tool, text) => gate.call(tool, text));
export const byMethods = (program) => session(program, async (gate, tool, text) => toJson(await gate[camel(tool)](inCamel(JSON.parse(text)))));

/** Returns a start of sessions, which make calls by `call`. */
function session(program, call) {
  return async (scene, policy) => {
    const gate = new AnyGate(await Engine.open(program, scene.preopens(), policy === undefined ? {} : { FSGATE_POLICY: policy }));
    return {
      close: () => gate.close(),
      async call(tool, text) {
        try {
          return { outcome: await call(gate, tool, text) };
        } catch (error) {
          if (!(error instanceof FsgateError)) throw error;
          return { error: error.json };
        }
      },
    };
  };
}

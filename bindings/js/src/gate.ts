import type { Shown, Tool as Exported } from './component/fsgate.js';
import type { Program } from './engine.js';
import { Engine } from './engine.js';
import { FsgateError } from './errors.js';
import type { FrontEnds, Operations } from './generated/contract.js';
import { frontEnds, operations } from './generated/tables.js';
import { strayName } from './known.js';
import { notTaken } from './options.js';
import { refuseHalves } from './stops.js';
import type { Preopen } from './wasi/imports.js';
import { camel, fromJson, snake, toJson } from './words.js';

/** An operation, described for a model. */
export interface Tool {
  /** Name in snake_case, for `call`. */
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
  /** JSON Schema of the outcome. */
  outcomeSchema: Record<string, unknown>;
  /** How it behaves. */
  annotations: {
    /** It changes nothing. */
    readOnly: boolean;
    /** It may change or remove existing content. */
    destructive: boolean;
    /** A second call with the same arguments changes nothing more. */
    idempotent: boolean;
  };
}

/** The common part of all gates. The methods come from the contract. */
export interface AnyGate extends Operations {}
export class AnyGate {
  readonly #engine: Engine;
  #tools: readonly Tool[] | undefined;
  #lean: readonly Tool[] | undefined;

  /** The languages of other systems. No function of them fails: the answer has the error. */
  readonly frontEnds: FrontEnds;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
    const entry = (name: string) => [name, async (args: object) => {
      refuseHalves(snake(name), args);
      const stray = strayName(args, frontEnds[name] ?? [], 'argument');
      if (stray) throw new TypeError(stray);
      return engine.run(snake(name), (exports) => exports.frontEnds?.[name]?.(args));
    }];
    this.frontEnds = Object.fromEntries(engine.frontEnds.map(entry)) as FrontEnds;
  }

  /** Every operation, with schemas. */
  tools(): readonly Tool[] {
    this.#tools ??= this.#engine.tools.map(parsed);
    return this.#tools;
  }

  /**
   * The lean set: ten tools for models, each a choice of operations, whose list takes a seventh of
   * the tokens. `leanCall` calls one. A component without the set has none.
   */
  leanTools(): readonly Tool[] {
    this.#lean ??= this.#engine.lean.map(parsed);
    return this.#lean;
  }

  /**
   * Calls a tool of the lean set: the operation that the call means is called, and its answer names
   * what the set names.
   */
  async leanCall(tool: string, args: string | object): Promise<string> {
    const reworded = (answer: string) =>
      this.#engine.run(tool, ({ leanAgent }) => leanAgent?.reword({ tool, answer }) ?? answer);
    const meant = await this.#lowered(tool, textOf(args));
    try {
      return await reworded(await this.#call(meant.tool, meant.arguments));
    } catch (error) {
      if (error instanceof FsgateError) throw FsgateError.from(await reworded(error.json));
      throw error;
    }
  }

  /**
   * Calls a tool of the lean set, and returns the text that a model reads. The text is complete. A
   * refusal is an answer too, with the next step.
   */
  async leanAnswer(tool: string, args: string | object): Promise<string> {
    // A refusal before the call is lowered has the words of the set already.
    let made: Omit<Shown, 'answer' | 'isError'> = { tool, arguments: textOf(args) };
    return this.#told(async () => {
      made = { ...await this.#lowered(tool, made.arguments), leanTool: tool };
      return this.#call(made.tool, made.arguments);
    }, () => made);
  }

  /** The same for an operation. */
  async answer(tool: string, args: string | object): Promise<string> {
    const made = { tool, arguments: textOf(args) };
    return this.#told(() => this.#call(tool, made.arguments), () => made);
  }

  /**
   * Calls an operation by name, with JSON arguments as a model writes them: names in snake_case,
   * bytes in base64. The outcome is JSON too. A refusal is thrown; its `json` is the answer for a
   * model.
   */
  async call(tool: string, args: string | object): Promise<string> {
    return this.#call(tool, textOf(args));
  }

  /** Closes the granted directories, and ends the gate. */
  close(): void {
    this.#engine.close();
  }

  /** @internal The text of an answer for a model. */
  async show(shown: Shown): Promise<string> {
    return this.#engine.run(shown.tool, ({ agent }) => agent.show(shown));
  }

  async #told(call: () => Promise<string>, made: () => Omit<Shown, 'answer' | 'isError'>): Promise<string> {
    let answer: string;
    let isError = false;
    try {
      answer = await call();
    } catch (error) {
      if (!(error instanceof FsgateError)) throw error;
      answer = error.json;
      isError = true;
    }
    return this.show({ ...made(), answer, isError });
  }

  async #lowered(tool: string, args: string): Promise<{ tool: string; arguments: string }> {
    refuseHalves(tool, args);
    return this.#engine.run(tool, ({ leanAgent }) => {
      if (!leanAgent) throw new TypeError('this component has no lean set');
      return leanAgent.lower({ tool, arguments: args });
    });
  }

  async #call(tool: string, args: string): Promise<string> {
    refuseHalves(tool, args);
    return this.#engine.run(tool, ({ agent }) => agent.call({ tool, arguments: args }).outcome);
  }

  static {
    for (const [tool, { bytes }] of Object.entries(operations)) {
      const method = async function (this: AnyGate, args: object = {}): Promise<unknown> {
        return fromJson(await this.#call(tool, toJson(args)), bytes);
      };
      Object.defineProperty(this.prototype, camel(tool), { value: method, writable: true, configurable: true });
    }
  }
}

/** Arguments in JSON. */
function textOf(args: string | object): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/** @internal A working engine for a gate. A failure closes the preopens. */
export async function opened(program: Program, preopens: Preopen[], variables: Record<string, string>): Promise<Engine> {
  const engine = await Engine.open(program, preopens, variables);
  try {
    // The component reads its variables with the first call. It refuses every call if one of them,
    // such as the policy, is invalid.
    await engine.run('exists', ({ agent }) => agent.call({ tool: 'exists', arguments: '{"path": "."}' }));
  } catch (error) {
    const isRefusal = error instanceof FsgateError && ['unsupported', 'other'].includes(error.code);
    // Any other answer shows that it works.
    if (isRefusal || !(error instanceof FsgateError)) {
      engine.close();
      throw isRefusal ? notTaken(error) : error;
    }
  }
  return engine;
}

function parsed({ inputSchema, outcomeSchema, ...tool }: Exported): Tool {
  return { ...tool, inputSchema: JSON.parse(inputSchema), outcomeSchema: JSON.parse(outcomeSchema) };
}

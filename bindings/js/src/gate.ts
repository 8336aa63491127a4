import type { Tool as Exported } from './component/fsgate.js';
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

/** One operation as a model is told about it. */
export interface Tool {
  /** Name in snake_case: what `call` takes. */
  name: string;
  /** What it does. */
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
  /** JSON Schema of the outcome. */
  outcomeSchema: Record<string, unknown>;
  /** How it behaves. */
  annotations: {
    /** It changes nothing. */
    readOnly: boolean;
    /** It may change or remove what is there. */
    destructive: boolean;
    /** A second call with the same arguments changes nothing more. */
    idempotent: boolean;
  };
}

/** What every gate is, wherever its directories are. The methods stand in the contract, and are made from it below. */
export interface AnyGate extends Operations {}
export class AnyGate {
  readonly #engine: Engine;
  #tools: readonly Tool[] | undefined;

  /** The languages of other systems that this component knows. No function of them fails: what is wrong stands in its answer. */
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
   * Calls an operation by name, with arguments in JSON as a model writes them: names in snake_case, bytes in base64. The outcome
   * is JSON as well. What is refused is thrown; its `json` is what to answer to a model.
   */
  async call(tool: string, args: string | object): Promise<string> {
    return this.#call(tool, typeof args === 'string' ? args : JSON.stringify(args));
  }

  /** Closes the granted directories. No call can be made after that. */
  close(): void {
    this.#engine.close();
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

/** @internal An engine that is fit for a gate. What is handed in is closed if there is none. */
export async function opened(program: Program, preopens: Preopen[], variables: Record<string, string>): Promise<Engine> {
  const engine = await Engine.open(program, preopens, variables);
  try {
    // The component reads its variables with the first call, and refuses every call if one of them, the policy above all, has no meaning.
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

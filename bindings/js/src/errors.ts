/** Refusals, one class for each code of the contract (`generated/contract.ts`). */
import { inCamel } from './words.js';

/** A refused or failed call. A refused call has changed nothing. */
export class FsgateError extends Error {
  override readonly name: string = 'FsgateError';
  /** The reason, as a word for programs. */
  declare readonly code: string;
  /** The operation that was called. */
  declare readonly operation: string;
  /** The path in question, as requested. */
  declare readonly path?: string;
  /** False: nothing was changed. True: something may have been, see the message. */
  declare readonly applied: boolean;
  /** What to do next. */
  declare readonly repair?: string;
  /** More data. */
  declare readonly details?: unknown;

  /**
   * @param json The error as it stands in JSON: what to show to a model.
   * @param options Its cause, if that is an error of this language.
   */
  constructor(readonly json: string, options?: ErrorOptions) {
    const { message, ...fields } = inCamel(JSON.parse(json)) as Record<string, unknown>;
    super(message as string, options);
    for (const [name, value] of Object.entries(fields)) Object.defineProperty(this, name, { value, enumerable: true });
  }

  /** The error in the class of its code. */
  static from(json: string, options?: ErrorOptions): FsgateError {
    const { code } = JSON.parse(json) as { code: string };
    return new (CLASSES.get(code) ?? FsgateError)(json, options);
  }

  /** @internal Says which class a code has. Only `generated/contract.ts` does. */
  static register(classes: Record<string, Made>): void {
    for (const [code, made] of Object.entries(classes)) CLASSES.set(code, made);
  }
}

type Made = new (json: string, options?: ErrorOptions) => FsgateError;

const CLASSES = new Map<string, Made>();

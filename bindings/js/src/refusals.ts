/** The sentences of refused starts and of impossible directories in memory. */

const SENTENCES = {
  noRecord: (option: string, example: string) => `\`${option}\` is no object with names; give one such as \`${example}\``,
  unknownOption: (stray: string) => stray,
  option: (option: string, problem: string) => `the option \`${option}\` cannot be used: ${problem}`,
  component: (problem: string) => `cannot start the component: ${problem}`,
  upwardName: (name: string) => `cannot grant a directory as \`${name}\`: a name has no \`..\``,
  unusable: (path: string, problem: string) => `cannot grant \`${path}\`: ${problem}; grant a directory that exists and can be read`,
  noDirectory: (name: string) => `cannot use what is given as \`${name}\`: it is neither a path nor a \`Memory\``,
  notInMemory: (name: string) => `cannot use what is given as \`${name}\`: a browser has no directories but those in memory; give a \`Memory\``,
  followsLinks: () => 'cannot grant a directory of this machine: its system cannot be told not to follow links, so nothing would keep an '
    + 'agent inside; grant a `Memory`, or work under Linux, as WSL has it',
  twiceDifferently: (read: string, write: string) => `\`${read}\` is granted for reading only and, as \`${write}\`, for writing; keep one of the two`,
  stateInGrant: (state: string, granted: string) => `cannot keep state in \`${state}\`: it and the granted directory \`${granted}\` contain one `
    + 'another; name a directory apart from what is granted',
  stateUnusable: (state: string, problem: string) => `cannot keep state in \`${state}\`: ${problem}; name a directory that can be made or written`,
  stateOpen: (state: string) => `cannot keep state in \`${state}\`: others can write there, and old contents of files are in it; name a directory `
    + 'that is yours alone',
  above: (path: string) => `a directory in memory has nothing above it: \`${path}\``,
  nameless: (path: string) => `\`${path}\` names nothing in a directory in memory`,
  zeroByte: (path: string) => `\`${path}\` has a zero byte in it, which no name has`,
  longName: (name: string) => `a name has at most 255 bytes in UTF-8, and this one has more: \`${name.slice(0, 64)}…\``,
  fileAndDirectory: (path: string) => `\`${path}\` is a file and a directory`,
  twice: (path: string) => `\`${path}\` is there twice`,
  directoryContent: (path: string) => `\`${path}\` is a directory, and has no content; give an empty text, or take the \`/\` away`,
  noContent: (path: string) => `what is to stand in \`${path}\` is neither a text nor a Uint8Array`,
  tooMuch: (bytes: number) => `the files take more than the ${bytes.toLocaleString('en')} bytes that this directory in memory may have; say \`{ bytes }\` `
    + 'for more',
  noCeiling: (bytes: unknown) => `\`bytes\` is ${bytes}, and has to be a number of bytes, at least 512`,
} satisfies Record<string, (...args: never[]) => string>;

type Sentences = typeof SENTENCES;

/** The reason of a refused start. The component has the sentences of the second line. */
export type Reason = keyof Sentences
  | 'noGrant' | 'reservedName' | 'duplicateName' | 'notDirectory' | 'notUtf8' | 'narrower' | 'wide' | 'ledOut' | 'ownDirectory' | 'unnameable';

/** A refused gate or directory in memory. The message has the remedy. */
export class StartError extends TypeError {
  override readonly name = 'StartError';

  /** @param reason What is wrong, in a word that programs can compare. */
  constructor(readonly reason: Reason, message: string) {
    super(message);
  }
}

export function refusal<Reason extends keyof Sentences>(reason: Reason, ...args: Parameters<Sentences[Reason]>): StartError {
  const sentence = SENTENCES[reason] as (...args: Parameters<Sentences[Reason]>) => string;
  return new StartError(reason, sentence(...args));
}

export function refuseStart<Reason extends keyof Sentences>(reason: Reason, ...args: Parameters<Sentences[Reason]>): never {
  throw refusal(reason, ...args);
}

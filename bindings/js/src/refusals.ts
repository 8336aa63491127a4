/** Starts that are refused, and directories in memory that cannot be: every sentence of them. */

const SENTENCES = {
  noGrant: () => 'no directory is granted; give one with `dirs` or `readOnly`',
  noRecord: (option: string, example: string) => `\`${option}\` is no object with names; give one such as \`${example}\``,
  unknownOption: (stray: string) => stray,
  option: (option: string, problem: string) => `the option \`${option}\` cannot be used: ${problem}`,
  component: (problem: string) => `cannot start the component: ${problem}`,
  upwardName: (name: string) => `cannot grant a directory as \`${name}\`: a name has no \`..\``,
  reservedName: (name: string) => `cannot grant a directory as \`${name}\`: names that begin with \`/.fsgate\` are fsgate's own`,
  duplicateName: (name: string) => `the name \`${name}\` is granted twice; grant each directory once, and different ones under different `
    + 'names',
  unusable: (path: string, problem: string) => `cannot grant \`${path}\`: ${problem}; grant a directory that exists and can be read`,
  notDirectory: (path: string) => `cannot grant \`${path}\`: it is not a directory; grant the directory that contains it`,
  noDirectory: (name: string) => `cannot use what is given as \`${name}\`: it is neither a path nor a \`Memory\``,
  notInMemory: (name: string) => `cannot use what is given as \`${name}\`: a browser has no directories but those in memory; give a \`Memory\``,
  followsLinks: () => 'cannot grant a directory of this machine: its system cannot be told not to follow links, so nothing would keep an '
    + 'agent inside; grant a `Memory`, or work under Linux, as WSL has it',
  wide: (path: string, what: string) => `cannot grant \`${path}\`: it is ${what}, and everything in it would be open; grant the directory that `
    + 'you work in, or say `allowWideGrant`',
  narrower: (inner: string, outer: string) => `cannot grant \`${inner}\` for reading only: \`${outer}\` around it is granted for writing; grant `
    + 'directories beside each other instead',
  twiceDifferently: (read: string, write: string) => `\`${read}\` is granted for reading only and, as \`${write}\`, for writing; keep one of the two`,
  ledOut: (path: string, by: string) => `cannot grant \`${path}\`: it is found through a link, or by \`..\`, in the granted directory \`${by}\`, `
    + 'and whoever writes there can have it lead anywhere; grant the directory that is meant by its own path',
  ownDirectory: (path: string, own: string, variable: string) => `cannot grant \`${path}\`: it and fsgate's own directory \`${own}\` contain one `
    + `another; grant a directory apart from it, or move the other by setting \`${variable}\``,
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

/** A gate that is not opened, or a directory in memory that is not made. The message says what to do instead. */
export class StartError extends TypeError {
  override readonly name = 'StartError';

  /** @param reason What is wrong, in a word that programs can compare. */
  constructor(readonly reason: keyof Sentences, message: string) {
    super(message);
  }
}

/** The refusal of a start. */
export function refusal<Reason extends keyof Sentences>(reason: Reason, ...args: Parameters<Sentences[Reason]>): StartError {
  const sentence = SENTENCES[reason] as (...args: Parameters<Sentences[Reason]>) => string;
  return new StartError(reason, sentence(...args));
}

/** Refuses a start. */
export function refuseStart<Reason extends keyof Sentences>(reason: Reason, ...args: Parameters<Sentences[Reason]>): never {
  throw refusal(reason, ...args);
}

/** What jco makes of the component; `build/build.mjs` puts it beside this. */
export function instantiate(
  core: (name: string) => WebAssembly.Module,
  imports: Record<string, object>,
  instance?: (core: WebAssembly.Module, imports: WebAssembly.Imports) => Promise<WebAssembly.Instance>,
): Promise<Exports>;

export interface Exports {
  agent: {
    tools(): Tool[];
    call(args: { tool: string; arguments: string }): { outcome: string };
    show(args: Shown): string;
  };
  leanAgent?: {
    tools(): Tool[];
    lower(args: { tool: string; arguments: string }): { tool: string; arguments: string };
    reword(args: { tool: string; answer: string }): string;
  };
  host: { check(start: string): string; choose(directory: string): string };
  frontEnds?: Record<string, (args: object) => unknown>;
}

/** An answer, and the call that it is the answer of. */
export interface Shown {
  tool: string;
  arguments: string;
  answer: string;
  isError: boolean;
  leanTool?: string;
}

export interface Tool {
  name: string;
  description: string;
  inputSchema: string;
  outcomeSchema: string;
  annotations: { readOnly: boolean; destructive: boolean; idempotent: boolean };
}

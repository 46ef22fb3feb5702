// The files that commands read with -f and -k: the demo's manifests, as the reader has changed them, and those that he has added.

import type { Json } from "../state/recording";

export class Files {
  private readonly all: Map<string, Json>;
  private readonly written = new Map<string, string>();

  constructor(manifests: Record<string, unknown> = {}) {
    this.all = new Map(Object.entries(manifests) as [string, Json][]);
  }

  /** By name, as a demo's file has them. */
  get manifests(): Record<string, Json> { return Object.fromEntries(this.all); }

  get names(): string[] { return [...this.all.keys()]; }

  get(name: string): Json | undefined { return this.all.get(name); }

  set(name: string, value: Json): void { this.all.set(name, value); }

  /** What the reader has written into a file, whether it can be read or not; undefined before he does. */
  textOf(name: string): string | undefined { return this.written.get(name); }

  write(name: string, text: string): void { this.written.set(name, text); }

  /** What is read of a command line: the files, and what the reader has written, by the names of files. */
  given(line: string): { line: string; manifests: Record<string, Json>; texts: Record<string, string> } {
    return { line, manifests: this.manifests, texts: Object.fromEntries([...this.written].map(([name, text]) => [this.fileName(name), text])) };
  }

  /** What a manifest's file is called: a text has its name, others end in .yaml. */
  fileName(name: string): string {
    return this.isText(name) || /\.ya?ml$|(^|\/)Kustomization$/.test(name) ? name : `${name}.yaml`;
  }

  /** Whether it is no YAML. */
  isText(name: string): boolean { return typeof this.all.get(name) === "string"; }
}

/** The name of a manifest whose file is called so; undefined if no file can be. */
export function manifestName(file: string): string | undefined {
  const name = file.trim().replace(/^(\.?\/)+/, "");
  if (!/^[\w.][\w.-]*(\/[\w.][\w.-]*)*$/.test(name) || /(^|\/)\.+(\/|$)/.test(name)) return undefined;
  return name.replace(/\.ya?ml$/, "");
}

/** Whether a file of that name holds YAML. */
export const isYAML = (file: string): boolean => /\.ya?ml$/.test(file) || !/\.[^/]*$/.test(file);

/** The folder that a kustomization makes one that is built; undefined for other manifests. */
export function folderOf(name: string): string | undefined {
  const found = /^(?:(.*)\/)?(?:kustomization(?:\.ya?ml)?|Kustomization)$/.exec(name);
  return found ? found[1] ?? "." : undefined;
}

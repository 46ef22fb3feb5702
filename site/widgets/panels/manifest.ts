// What an editor knows of a manifest's text: what it says, what is wrong with it and
// where, and what may stand at a place. The fields of each kind come from the control plane.

import type { Fields } from "../generated/kubectl";
import type { FieldsAnswer } from "../generated/session";
import type { Json } from "../state/recording";
import { put } from "../text";
import { isMap, isScalar, isSeq, parseAllDocuments, type Completion, type Node } from "./codemirror.min.mjs";
import type { EditorWords } from "./editor.words";

/** What is wrong, and between which places of the text. */
export interface Problem {
  from: number;
  to: number;
  message: string;
}

/** What a kind's objects may hold, or which kinds there are. */
export type Ask = (apiVersion: string, kind: string) => Promise<FieldsAnswer | undefined>;

type Tree = { [key: string]: Json };
const isTree = (v: unknown): v is Tree => typeof v === "object" && v !== null && !Array.isArray(v);

/** YAML as Kubernetes reads it, in which yes is true, 0o17 is 15, and a date and a time of day are text. */
const parse = (text: string) => parseAllDocuments(text, { version: "1.1", uniqueKeys: true, prettyErrors: false,
  customTags: (tags) => [octal, ...tags.filter((tag) => tag !== "timestamp" && (typeof tag === "string" ||
    !tag.tag.endsWith(":timestamp") && !("format" in tag && tag.format === "TIME")))] });
const octal = { tag: "tag:yaml.org,2002:int", default: true, test: /^0o[0-7]+$/u, resolve: (text: string) => Number(text) };

/** The objects of a text, without documents in which nothing stands; undefined if it is no YAML, or has others than objects. */
export function objectsOf(text: string): Tree[] | undefined {
  const out: Tree[] = [];
  for (const document of parse(text)) {
    if (document.errors.length > 0) return undefined;
    try {
      const value = document.toJS({ maxAliasCount: 100 });
      if (value === null || value === undefined) continue;
      if (!isTree(value)) return undefined;
      out.push(JSON.parse(JSON.stringify(value)) as Tree);
    } catch { // it names very much of itself again, or itself
      return undefined;
    }
  }
  return out;
}

/** What a file of YAML holds, as commands read it: a value, or a list of several documents; undefined if it is no YAML. */
export function valueOf(text: string): Json | undefined {
  const objects = objectsOf(text);
  if (objects) return objects.length === 1 ? objects[0]! : objects;
  const [document, more] = parse(text);
  if (!document || more || document.errors.length > 0) return undefined;
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  return Array.isArray(value) ? JSON.parse(JSON.stringify(value)) as Json : undefined; // a JSON patch
}

/** A line and column, from 1, of a place in a text. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

/** What is wrong with a manifest. What only the server can tell, it tells when the manifest is applied. Of what is no manifest, only the YAML is judged. */
export async function problemsOf(text: string, ask: Ask, words: EditorWords, isManifest = true): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const document of parse(text)) {
    for (const { message, pos: [from, to] } of document.errors) problems.push({ from, to: Math.max(to, from + 1), message });
    if (document.errors.length > 0 || document.contents === null || !isManifest) continue;
    const { contents } = document;
    const span = (node: Node | null): [number, number] => (node?.range ? [node.range[0], node.range[1]] : [0, 0]);
    const tell = (node: Node | null, message: string) => {
      const [from, to] = span(node);
      problems.push({ from, to: Math.max(to, from + 1), message });
    };
    if (!isMap(contents)) {
      if (!(isScalar(contents) && contents.value === null)) tell(contents, words.noObject);
      continue;
    }
    const valueOf = (name: string) => contents.items.find(({ key }) => isScalar(key) && key.value === name)?.value ?? null;
    const [version, kind] = [valueOf("apiVersion"), valueOf("kind")];
    const textOf = (node: Node | null) => (isScalar(node) && typeof node.value === "string" ? node.value : "");
    const first = contents.items[0]?.key ?? contents;
    if (!textOf(version)) tell(version ?? first, put(words.missing, { field: "apiVersion" }));
    if (!textOf(kind)) tell(kind ?? first, put(words.missing, { field: "kind" }));
    if (!textOf(version) || !textOf(kind)) continue;
    const answer = await ask(textOf(version), textOf(kind));
    if (answer?.fields) judge(contents, answer.fields, tell, words);
    else if (answer?.kinds) {
      const near = answer.kinds.filter((k) => k.split(" ")[1]!.toLowerCase() === textOf(kind).toLowerCase());
      // A kind of a group that is not built in may have been defined.
      if (near.length > 0) tell(textOf(kind) === near[0]!.split(" ")[1] ? version : kind, put(words.didYouMean, { word: near[0]!.replace(" ", ", kind: ") }));
      else if (!/^[^/]+\.[^/]+\//.test(textOf(version))) tell(kind, put(words.unknownKind, { kind: textOf(kind) }));
    }
  }
  return problems;
}

/** Compares a value with what may stand there. */
function judge(node: Node | null, fields: Fields, tell: (node: Node | null, message: string) => void, words: EditorWords): void {
  if (node === null || (isScalar(node) && node.value === null)) return;
  const is = isMap(node) ? "object" : isSeq(node) ? "array" : isScalar(node) ? typeof node.value : "";
  const { type } = fields;
  if (is === "" || !type) return;
  const fits = type === is || (is === "number" && (type === "number" || (type === "integer" && Number.isInteger((node as { value?: number }).value))));
  if (!fits) return tell(node, put(words.wrongType, { want: words.types[type as keyof EditorWords["types"]] ?? type }));
  if (isSeq(node)) {
    if (fields.items) for (const item of node.items) judge(item, fields.items, tell, words);
  } else if (isMap(node)) {
    const known = fields.fields;
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : "";
      const field = known ? (Object.hasOwn(known, name) ? known[name] : undefined) : fields.items;
      if (field) judge(value, field, tell, words);
      else if (known) {
        const cure = nearest(name, Object.keys(known));
        tell(key, put(words.unknownField, { field: name }) + (cure ? ` ${put(words.didYouMean, { word: cure })}` : ""));
      }
    }
    const names = new Set(node.items.map(({ key }) => (isScalar(key) ? String(key.value) : "")));
    const missing = (fields.required ?? []).filter((name) => !names.has(name) && known?.[name] && name !== "status");
    if (missing.length > 0) tell(node.items[0]?.key ?? node, put(words.missing, { field: missing.join(", ") }));
  }
}

/** The name that was probably meant: another case, or a letter or two apart. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const best = known.map((k) => [k, k.toLowerCase() === lower ? 0 : apart(lower, k.toLowerCase())] as const).sort((a, b) => a[1] - b[1])[0];
  return best && best[1] <= Math.min(2, Math.ceil(name.length / 3)) ? best[0] : undefined;
}

/** How many letters are to be put in, left out or replaced to make one text of another. */
function apart(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

/** What may be written at a place: from where on it replaces what stands there, and the words. */
export async function completionsAt(text: string, at: number, ask: Ask): Promise<{ from: number; options: Completion[] } | undefined> {
  const start = text.lastIndexOf("\n---", Math.max(0, at - 1)) + 1;
  const lines = text.slice(start, at).split("\n");
  const line = lines.pop()!;
  const key = /^(\s*(?:- +)*)([\w./-]*)$/.exec(line);
  const whole = text.slice(start).split(/\n---/)[0]!;
  const said = (name: string) => new RegExp(`^${name}:\\s*["']?([\\w./-]+)`, "m").exec(whole)?.[1] ?? "";
  const kinds = async () => (await ask("", ""))?.kinds ?? [];
  const value = /^(apiVersion|kind):\s+([\w./-]*)$/.exec(line);
  if (value) {
    const other = said(value[1] === "kind" ? "apiVersion" : "kind");
    const pairs = (await kinds()).map((k) => k.split(" ") as [string, string]);
    const fitting = pairs.filter(([version, kind]) => !other || other === (value[1] === "kind" ? version : kind));
    const names = [...new Set((fitting.length > 0 ? fitting : pairs).map(([version, kind]) => (value[1] === "kind" ? kind : version)))].sort();
    return { from: at - value[2]!.length, options: names.map((label) => ({ label })) };
  }
  if (!key) return undefined;
  const answer = await ask(said("apiVersion"), said("kind"));
  const root: Fields = answer?.fields ?? { fields: { apiVersion: { type: "string" }, kind: { type: "string" } } };
  const path = pathTo(lines, key[1]!);
  let fields: Fields | undefined = root;
  for (const name of path.names) {
    while (fields?.items && !fields.fields && fields.type === "array") fields = fields.items;
    fields = fields?.fields?.[name] ?? fields?.items;
  }
  while (fields?.items && fields.type === "array") fields = fields.items;
  const known = fields?.fields;
  if (!known) return undefined;
  const options = Object.keys(known).filter((name) => !path.siblings.has(name)).sort().map((label) => {
    const { type = "" } = known[label]!;
    return { label, detail: type, apply: `${label}:${type === "object" || type === "array" ? "" : " "}` };
  });
  return { from: at - key[2]!.length, options };
}

/** A mapping that is open at a line, with the field that was named last in it; or an item of a list. */
interface Level {
  column: number;
  item: boolean;
  name?: string;
  names: Set<string>;
}

/** Which fields lead to a place behind lines of YAML, by their indentation, and which stand beside it already. lead is what stands before it in its line. */
function pathTo(lines: readonly string[], lead: string): { names: string[]; siblings: Set<string> } {
  const levels: Level[] = [];
  const top = () => levels.at(-1);
  // A list may begin in the column of the field that holds it.
  const close = (column: number) => {
    while (top() && (top()!.column > column || (top()!.item && top()!.column === column))) levels.pop();
  };
  const enter = (before: string) => {
    for (let at = before.indexOf("-"); at >= 0; at = before.indexOf("-", at + 1)) {
      close(at);
      levels.push({ column: at, item: true, names: new Set() });
    }
    close(before.length);
    if (!top() || top()!.column < before.length) levels.push({ column: before.length, item: false, names: new Set() });
    return top()!;
  };
  for (const line of lines) {
    const match = /^(\s*(?:- +)*)([^\s#:-][^:]*):(?=\s|$)/.exec(line);
    if (!match) continue;
    const level = enter(match[1]!);
    level.name = match[2]!;
    level.names.add(level.name);
  }
  const { names: siblings } = enter(lead);
  return { names: levels.slice(0, -1).flatMap(({ name }) => name ?? []), siblings };
}

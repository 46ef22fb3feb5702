/** What is used of CodeMirror: see codemirror.net/docs/ref. */
export type Extension = { readonly extension: Extension } | readonly Extension[];

export class EditorState {
  readonly doc: { readonly length: number; toString(): string; lineAt(at: number): { from: number; number: number; text: string } };
  static create(config: { doc: string; extensions: Extension }): EditorState;
  static readonly tabSize: { of(size: number): Extension };
}

export class EditorView {
  readonly state: EditorState;
  readonly contentDOM: HTMLElement;
  constructor(config: { state: EditorState; parent: DocumentFragment | Element; root: Document | ShadowRoot });
  dispatch(change: { changes?: { from: number; to: number; insert: string }; selection?: { anchor: number }; scrollIntoView?: boolean }): void;
  focus(): void;
  destroy(): void;
  static theme(rules: Record<string, Record<string, string>>): Extension;
  static readonly lineWrapping: Extension;
  static readonly contentAttributes: { of(attributes: Record<string, string>): Extension };
  static readonly updateListener: { of(listener: (update: { docChanged: boolean }) => void): Extension };
}

export interface Key {
  key: string;
  run: (view: EditorView) => boolean;
}
export const keymap: { of(keys: readonly Key[]): Extension };
export const defaultKeymap: readonly Key[];
export const historyKeymap: readonly Key[];
export const completionKeymap: readonly Key[];
export const indentMore: Key["run"];
export const indentLess: Key["run"];
export function history(): Extension;
export function lineNumbers(): Extension;
export function yaml(): Extension;
export const indentUnit: { of(unit: string): Extension };
export const HighlightStyle: { define(rules: readonly { tag: unknown; color?: string; fontWeight?: string }[]): unknown };
export function syntaxHighlighting(style: unknown): Extension;
export const tags: Readonly<Record<"propertyName" | "string" | "number" | "bool" | "comment" | "keyword", unknown>> & { definition(tag: unknown): unknown };

export interface Completion {
  label: string;
  detail?: string;
  apply?: string;
}
export interface CompletionContext {
  readonly state: EditorState;
  readonly pos: number;
  readonly explicit: boolean;
}
export interface Completions {
  from: number;
  options: readonly Completion[];
  validFor?: RegExp;
}
export function autocompletion(config: { override: readonly ((context: CompletionContext) => Promise<Completions | null>)[]; icons: boolean }): Extension;

export interface Diagnostic {
  from: number;
  to: number;
  severity: "error" | "warning";
  message: string;
}
export function linter(source: (view: EditorView) => Promise<readonly Diagnostic[]>, config: { delay: number }): Extension;
export function lintGutter(): Extension;
export function forceLinting(view: EditorView): void;

/** What is used of yaml: see eemeli.org/yaml. */
export interface Node {
  readonly range: readonly [start: number, valueEnd: number, nodeEnd: number] | null;
}
export interface Scalar extends Node {
  readonly value: unknown;
}
export interface Collection<Item> extends Node {
  readonly items: readonly Item[];
}
export interface Pair {
  readonly key: Node;
  readonly value: Node | null;
}
export interface YamlDocument {
  readonly contents: Node | null;
  readonly errors: readonly { readonly message: string; readonly pos: readonly [number, number] }[];
  toJS(options: { maxAliasCount: number }): unknown;
}
export function parseAllDocuments(text: string, options: { prettyErrors: boolean; version: "1.1" | "1.2"; uniqueKeys: boolean;
  customTags: (tags: readonly (string | { tag: string })[]) => readonly (string | { tag: string })[] }): readonly YamlDocument[];
export function isMap(node: unknown): node is Collection<Pair>;
export function isSeq(node: unknown): node is Collection<Node>;
export function isScalar(node: unknown): node is Scalar;

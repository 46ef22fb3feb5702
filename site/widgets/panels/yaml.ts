// Objects as `kubectl get -o yaml` prints them, line by line: keys sorted, lists
// not indented, texts quoted only when they would read as something else. It is
// playground/kubectl/yaml.go once more; both are held to one fixture,
// playground/kubectl/testdata/yaml.json.

import type { Json } from "../state/recording";

export interface YamlLine {
  text: string;
  /** Whose fields these are; filled when managers are given. */
  managers: readonly string[];
}

/** A manager's name and its fields, in the form of fieldsV1. */
export interface Owned {
  name: string;
  fields: Json;
}

type Tree = { [key: string]: Json };
const isTree = (v: Json | undefined): v is Tree => typeof v === "object" && v !== null && !Array.isArray(v);

/** Behind this column a text is folded at the next blank. */
const bestWidth = 80;

/** A value as lines; owned says who manages which field. */
export function yamlLines(value: Json, owned: readonly Owned[] = []): YamlLine[] {
  const writer = new Writer();
  writer.value(value, 0, "", false, owned);
  return writer.lines;
}

export const yaml = (value: Json): string => yamlLines(value).map((l) => `${l.text}\n`).join("");

/** A manifest, or several, as YAML; a JSON patch, or a text. */
export function fileText(value: Json): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.some((item) => isTree(item) && "op" in item)) return yaml(value);
  return (Array.isArray(value) ? value : [value]).map((document) => yaml(document)).join("---\n");
}

class Writer {
  readonly lines: YamlLine[] = [];
  private text = "";
  private managers: string[] = [];

  private put(s: string): void {
    const parts = s.split("\n");
    parts.forEach((part, i) => {
      this.text += part;
      if (i === parts.length - 1) return;
      this.lines.push({ text: this.text, managers: this.managers });
      this.text = "";
    });
  }

  private get column(): number {
    return [...this.text].length;
  }

  /** Writes behind "key:" or "-"; sep is what stands between that and a value of one line. */
  value(v: Json, indent: number, sep: string, inList: boolean, owned: readonly Owned[]): void {
    const lead = (i: number) => this.put(i === 0 && inList ? " " : `${i === 0 && sep !== "" ? "\n" : ""}${" ".repeat(indent)}`);
    if (Array.isArray(v)) {
      if (v.length === 0) return this.put(`${sep}[]\n`);
      v.forEach((item, i) => {
        lead(i);
        const inside = below(owned, (element) => isItem(element, item));
        this.managers = direct(inside);
        this.put("-");
        this.value(item, indent + 2, " ", true, inside);
      });
    } else if (isTree(v)) {
      const keys = Object.keys(v).sort(natural);
      if (keys.length === 0) return this.put(`${sep}{}\n`);
      keys.forEach((key, i) => {
        lead(i);
        const inside = below(owned, (element) => element === `f:${key}`);
        this.managers = leaf(v[key]!) ? inside.map((o) => o.name) : direct(inside);
        this.scalar(key, indent, true);
        this.put(":");
        const next = v[key]!;
        this.value(next, Array.isArray(next) && next.length > 0 ? indent : indent + 2, " ", false, inside);
      });
    } else {
      this.put(sep);
      if (typeof v === "string") this.scalar(v, indent, false);
      else this.put(String(v));
      this.put("\n");
    }
  }

  private scalar(s: string, indent: number, key: boolean): void {
    if (s.includes("\n") && !key && printable(s) && !s.includes(" \n") && !s.endsWith(" ")) this.block(s, indent);
    else if (!printable(s) || s.includes("\n")) this.quoted(s, indent, key);
    else if (readsOtherwise(s)) this.put(`"${s.replaceAll('"', '\\"')}"`);
    else if (needsQuotes(s)) {
      this.put("'");
      this.fold(s.replaceAll("'", "''"), indent, key);
      this.put("'");
    } else this.fold(s, indent, key);
  }

  /** With escapes, folded like others. */
  private quoted(s: string, indent: number, key: boolean): void {
    this.put('"');
    const all = [...s];
    all.forEach((c, i) => {
      if (c === " " && !key && this.column > bestWidth && i > 0 && i + 1 < all.length && all[i - 1] !== " ") {
        this.put(`\n${" ".repeat(indent)}${all[i + 1] === " " ? "\\" : ""}`);
      } else this.put(escaped(c));
    });
    this.put('"');
  }

  /** Breaks a long text at single blanks. */
  private fold(s: string, indent: number, key: boolean): void {
    if (s.length <= bestWidth - indent) return this.put(s); // far from the edge
    const all = [...s];
    all.forEach((c, i) => {
      const breaks = c === " " && !key && i > 0 && i + 1 < all.length && all[i - 1] !== " " && all[i + 1] !== " " && this.column > bestWidth;
      this.put(breaks ? `\n${" ".repeat(indent)}` : c);
    });
  }

  /** A text of several lines behind |. */
  private block(s: string, indent: number): void {
    this.put("|");
    if (s[0] === " " || s[0] === "\n") this.put("2");
    if (!s.endsWith("\n")) this.put("-");
    else if (s === "\n" || s.endsWith("\n\n")) this.put("+");
    for (const line of s.replace(/\n$/, "").split("\n")) this.put(`\n${line === "" ? "" : " ".repeat(indent) + line}`);
  }
}

const leaf = (v: Json) => !isTree(v) && !(Array.isArray(v) && v.length > 0);

/** Those who manage something below an element, with that. */
function below(owned: readonly Owned[], matches: (element: string) => boolean): Owned[] {
  const out: Owned[] = [];
  for (const { name, fields } of owned) {
    if (!isTree(fields)) continue;
    for (const [element, inside] of Object.entries(fields)) if (matches(element)) out.push({ name, fields: inside });
  }
  return out;
}

/** Those who manage the thing itself, and not only what is in it. */
const direct = (owned: readonly Owned[]) =>
  owned.filter(({ fields }) => isTree(fields) && ("." in fields || Object.keys(fields).length === 0)).map((o) => o.name);

/** Whether an element of fieldsV1 (k:{"name":"web"}, v:"a") means an item of a list. */
function isItem(element: string, item: Json): boolean {
  if (element.startsWith("k:")) {
    const keys = JSON.parse(element.slice(2)) as Tree;
    return isTree(item) && Object.entries(keys).every(([k, v]) => item[k] === v);
  }
  return element.startsWith("v:") && element.slice(2) === JSON.stringify(item);
}

const escapes: Record<string, string> = {
  '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\x07": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v",
  "\u007f": "\\x7f", "\ufeff": "\\ufeff",
};

/** One character as strconv.Quote writes it. */
function escaped(c: string): string {
  const code = c.codePointAt(0)!;
  return escapes[c] ?? (code < 0x20 ? `\\x${code.toString(16).padStart(2, "0")}` : c);
}

const printable = (s: string) => !/[\x00-\x09\x0b-\x1f\x7f\ufeff\ufffd]/.test(s);

const words = new Set(["", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", ".inf", "-.inf", "+.inf", "<<"]);
const isInteger = /^[-+]?(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/;
const isFloat = /^[-+]*(\.[0-9]*|[0-9]+(\.[0-9]*)?)([eE][-+]*[0-9]+)?$/;
const isTime = /^\d{4}-\d{1,2}-\d{1,2}([Tt ]\d{1,2}:\d{1,2}:\d{1,2}(\.\d+)?(Z|[-+]\d{2}:\d{2})?)?$/;
const isSexagesimal = /^[-+]*[0-9][0-9_]*(\.[^:]*)?(:[0-9_]{1,2}(\.[^:]*)?)+$/;

/** Whether a bare text would be no text but a bool, a number, a time or nothing. */
function readsOtherwise(s: string): boolean {
  if (words.has(s.toLowerCase())) return true;
  if (!/^[-+.\d]/.test(s)) return false;
  const digits = s.replaceAll("_", "");
  return isInteger.test(digits) || (isFloat.test(digits) && /\d/.test(digits)) || isTime.test(s) || isSexagesimal.test(s);
}

/** Whether a bare text would end early or begin something. */
function needsQuotes(s: string): boolean {
  return /^(---|\.\.\.|[ #,[\]{}&*!|>'"%@`])|^[-?:]( |$)|: | #| $|:$/.test(s);
}

const isDigit = (c: string) => c >= "0" && c <= "9";
const isLetter = (c: string) => /[a-zA-Z]/.test(c) || c.codePointAt(0)! > 127;

/** The order of go-yaml: numbers within texts by their value. */
export function natural(a: string, b: string): number {
  const [x, y] = [[...a], [...b]];
  let digits = false;
  for (let i = 0; i < x.length && i < y.length; i++) {
    const [c, d] = [x[i]!, y[i]!];
    if (c === d) {
      digits = isDigit(c);
      continue;
    }
    const [cl, dl] = [isLetter(c), isLetter(d)];
    if (cl && dl) return c < d ? -1 : 1;
    if (cl || dl) return (digits ? cl : dl) ? -1 : 1;
    let [m, n] = [0, 0];
    if (c === "0" || d === "0") {
      for (let j = i - 1; j >= 0 && isDigit(x[j]!); j--) {
        if (x[j] === "0") continue;
        m = n = 1;
        break;
      }
    }
    let [ci, di] = [i, i];
    for (; ci < x.length && isDigit(x[ci]!); ci++) m = m * 10 + Number(x[ci]);
    for (; di < y.length && isDigit(y[di]!); di++) n = n * 10 + Number(y[di]);
    return m - n || ci - di || (c < d ? -1 : 1);
  }
  return x.length - y.length;
}

export interface Changed extends YamlLine {
  /** A line that is other now: was is what stood there. */
  change: "" | "added" | "removed" | "changed";
  was?: string;
}

/** What is different from before, line by line; all is unchanged without one. */
export function compare(now: readonly YamlLine[], before: readonly YamlLine[] | undefined): Changed[] {
  if (!before) return now.map((line) => ({ ...line, change: "" }));
  let start = 0;
  while (start < now.length && start < before.length && now[start]!.text === before[start]!.text) start++;
  let end = 0;
  while (end < now.length - start && end < before.length - start && now.at(-1 - end)!.text === before.at(-1 - end)!.text) end++;
  const [a, b] = [before.slice(start, before.length - end), now.slice(start, now.length - end)];
  const out: Changed[] = now.slice(0, start).map((line) => ({ ...line, change: "" }));
  out.push(...paired(edits(a, b)));
  for (const line of end > 0 ? now.slice(-end) : []) out.push({ ...line, change: "" });
  return out;
}

/** The longest common subsequence decides what stayed. */
function edits(a: readonly YamlLine[], b: readonly YamlLine[]): Changed[] {
  const width = b.length + 1;
  const length = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] = a[i]!.text === b[j]!.text ? length[(i + 1) * width + j + 1]! + 1
        : Math.max(length[(i + 1) * width + j]!, length[i * width + j + 1]!);
    }
  }
  const out: Changed[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i]!.text === b[j]!.text) out.push({ ...b[j++]!, change: "" }), i++;
    else if (i < a.length && (j === b.length || length[(i + 1) * width + j]! >= length[i * width + j + 1]!)) out.push({ ...a[i++]!, change: "removed" });
    else out.push({ ...b[j++]!, change: "added" });
  }
  return out;
}

/** "key: value" that went and "key: other" that came in its place are one change. */
function paired(lines: Changed[]): Changed[] {
  const out: Changed[] = [];
  for (let i = 0; i < lines.length; ) {
    let [r, n] = [i, i];
    while (r < lines.length && lines[r]!.change === "removed") r++;
    n = r;
    while (n < lines.length && lines[n]!.change === "added") n++;
    const [gone, came] = [lines.slice(i, r), lines.slice(r, n)];
    if (gone.length === 0 && came.length === 0) {
      out.push(lines[i++]!);
      continue;
    }
    const left = [...gone];
    for (const line of came) {
      const at = left.findIndex((old) => keyOf(old.text) !== "" && keyOf(old.text) === keyOf(line.text));
      if (at < 0) {
        out.push(line);
        continue;
      }
      out.push(...left.splice(0, at)); // they stood before it
      const [old] = left.splice(0, 1);
      out.push({ ...line, change: "changed", was: old!.text.slice(keyOf(old!.text).length).trim() });
    }
    out.push(...left);
    i = n;
  }
  return out;
}

const keyOf = (text: string) => /^\s*(?:- )*[^\s:][^:]*:(?= )/.exec(text)?.[0] ?? "";

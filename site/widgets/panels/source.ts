// A piece of the control plane's Go source, around a line. The build serves each
// file as lines of texts and their classes for colours (generator/build/source).

import { h } from "../dom/dom";
import { loadJson } from "../runs/load";
import type { Words } from "../words";
import { put } from "../text";

const around = 24; // lines before and after

interface SourceFile {
  file: string;
  /** Classes and texts by turns. */
  lines: string[][];
}

/** Loads a file and returns a box that shows the line. It throws when the file cannot be had. */
export async function excerpt(folder: string, file: string, line: number, words: Words): Promise<HTMLElement> {
  const source = await loadJson<SourceFile>(`${folder}${file}.json.gz`);
  const from = Math.max(1, line - around);
  const to = Math.min(source.lines.length, line + around);
  const rows: HTMLElement[] = [];
  for (let n = from; n <= to; n++) {
    rows.push(h("span", { class: n === line ? "kw-line is-here" : "kw-line", "data-line": n }, ...coloured(source.lines[n - 1] ?? [])));
  }
  return h("pre", { class: "kw-source", tabindex: 0, role: "region", "aria-label": put(words.sourceOf, { file }) }, h("code", {}, ...rows));
}

/** Brings the line into the middle of the box, once the box is in the page. */
export function centre(box: HTMLElement): void {
  const here = box.querySelector<HTMLElement>(".is-here");
  if (here) box.scrollTop = here.offsetTop - box.clientHeight / 2 + here.offsetHeight / 2;
}

function coloured(line: string[]): (HTMLElement | string)[] {
  const out: (HTMLElement | string)[] = [];
  for (let i = 0; i < line.length; i += 2) out.push(line[i] ? h("span", { class: line[i]! }, line[i + 1]!) : line[i + 1]!);
  return out;
}

// The values that decided at an event, in the form that suits their kind: a table
// of expectations, a matrix of scores, the sets of a queue, the collector's graph,
// or else keys and values.

import { graphAt } from "./collector";
import { h, heading, type Level } from "../dom/dom";
import { expectationsAt } from "./expectations";
import { Fold } from "./fold";
import { drawGraph } from "./graph";
import { seconds } from "../state/phrases";
import { places, queueAt, schedulingAt, type Item, type Waiting } from "./queues";
import { attrs, type Frame } from "../state/recording";
import { cycleAt, type Verdict } from "./verdicts";
import type { WhyWords } from "./why.words";
import type { Words } from "../words";
import { put } from "../text";

/** An event, or rather those up to it, with what the forms say and where they lead. */
export interface FormsOf {
  readonly frames: readonly Frame[];
  words: Words;
  why: WhyWords;
  level: Level;
  jump(index: number): void;
}

/** How many are shown until a reader asks for the others: nodes with a column of their own, nodes by name, nodes that were turned down, and what waits in a set. */
const [mostColumns, mostNames, mostRejected, mostItems] = [8, 40, 60, 20];

/** The forms of an event. */
export function formsOf(of: FormsOf, index: number): HTMLElement[] {
  const frame = of.frames[index]!;
  return [...expectations(of, index), ...matrix(of, index), ...queue(of, index), ...scheduling(of, index), ...collector(of, index), ...values(of, frame)];
}

/** Whether an event is one at which something was decided. */
export function decides(frame: Frame): boolean {
  switch (frame.op) {
    case "input": case "pod.assume": case "pod.forget": case "queue.delay": case "component.start": case "component.stop":
      return true;
    case "log":
      return !frame.q;
    case "request.done":
      return !frame.q && Number(attrs(frame).find(([k]) => k === "code")?.[1]) >= 400;
  }
  return false;
}

const title = (of: FormsOf, text: string) => heading(of.level, text, {}, true);

function values({ words, level }: FormsOf, frame: Frame): HTMLElement[] {
  const pairs = attrs(frame).filter(([key]) => frame.op !== "log" || (key !== "message" && key !== "v")); // the log line has these
  if (pairs.length === 0) return [];
  return [
    heading(level, words.values, {}, true),
    h("table", { class: "kw-values" },
      h("tbody", {}, ...pairs.map(([key, value]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, String(value)))))),
  ];
}

function expectations(of: FormsOf, index: number): HTMLElement[] {
  const { why } = of;
  const found = expectationsAt(of.frames, index);
  if (!found) return [];
  const row = (line: (typeof found.lines)[number]) => {
    const time = line.index === index ? h("span", {}, seconds(line.at))
      : h("button", { type: "button", class: "kw-more", click: () => of.jump(line.index) }, seconds(line.at));
    const first = h("th", { scope: "row" }, time, " ", line.message);
    if (line.batch !== undefined) return h("tr", {}, first, h("td", { colspan: 2 }, put(why.batch, { n: line.batch, left: line.remaining ?? 0 })));
    const open = (n: number | undefined) => h("td", { class: n ? "is-open" : "" }, String(n ?? ""));
    return h("tr", { "aria-current": line.index === index ? "true" : undefined }, first, open(line.add), open(line.del));
  };
  return [
    title(of, put(why.expectations, { key: found.key })),
    h("div", { class: "kw-scrolls" }, h("table", { class: "kw-values kw-expected" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, why.line), h("th", { scope: "col" }, why.creations), h("th", { scope: "col" }, why.deletions))),
      h("tbody", {}, ...found.lines.map(row)))),
  ];
}

function matrix(of: FormsOf, index: number): HTMLElement[] {
  const { why } = of;
  const cycle = cycleAt(of.frames, index);
  if (!cycle) return [];
  const fits = cycle.nodes.filter((n) => !n.rejected).sort((a, b) => (b.total ?? 0) - (a.total ?? 0));
  const chosen = (node: string) => node === cycle.chosen;
  const head = (n: Verdict) => h("th", { scope: "col", class: chosen(n.node) ? "is-chosen" : "" }, n.node,
    ...(chosen(n.node) ? [h("b", {}, `✓ ${why.chosen}`)] : []));
  const cell = (n: Verdict, plugin: string) => {
    const score = n.scores.get(plugin);
    if (!score) return h("td", {}, "–");
    const raw = score.raw === score.normalised ? "" : ` (${put(why.raw, { raw: score.raw })})`;
    return h("td", {}, h("b", {}, String(score.weighted)), h("small", {}, put(why.part, { weight: score.weight, score: score.normalised }) + raw));
  };
  const table = (shown: readonly Verdict[]) => h("table", { class: "kw-values kw-matrix" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, why.plugin), ...shown.map(head))),
    h("tbody", {}, ...cycle.plugins.map((plugin) => h("tr", {}, h("th", { scope: "row" }, plugin), ...shown.map((n) => cell(n, plugin))))),
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, why.total),
      ...shown.map((n) => h("td", { class: chosen(n.node) ? "is-chosen" : "" }, h("b", {}, String(n.total ?? "–")))))));
  const out = [title(of, put(why.matrix, { pod: cycle.pod.replace(/^pods /, "") }))];
  if (cycle.plugins.length > 0) {
    const box = h("div", { class: "kw-scrolls", role: "region", tabindex: 0, "aria-label": why.total }, table(fits.slice(0, mostColumns)));
    out.push(box);
    if (fits.length > mostColumns) {
      const more = h("button", { type: "button", class: "kw-more" }, put(why.otherNodes, { n: fits.length - mostColumns }));
      more.addEventListener("click", () => {
        box.replaceChildren(table(fits));
        more.remove();
        box.focus({ preventScroll: true });
      });
      out.push(more);
    }
  } else if (fits.length > 0) {
    const names = h("span");
    const first = fits[0];
    out.push(h("p", {}, `${why.fits}: `, names, " ", ...folded(of, names, fits, mostNames, (n) =>
      h("span", {}, n === first ? "" : ", ", h("b", {}, n.node + (chosen(n.node) ? ` ✓ ${why.chosen}` : ""))))));
    if (cycle.chosen && fits.length === 1) out.push(h("p", { class: "kw-hint" }, why.notScored));
  }
  const rejected = cycle.nodes.filter((n) => n.rejected);
  if (rejected.length > 0) {
    const rows = h("tbody");
    out.push(h("table", { class: "kw-values kw-rejected" }, h("caption", {}, why.filtered), rows), ...folded(of, rows, rejected, mostRejected, (n) =>
      h("tr", {}, h("th", { scope: "row" }, n.node), h("td", {}, h("b", {}, n.rejected!.plugin), ` ${n.rejected!.reason}`))));
  }
  return out;
}

/** Fills a list with its first items; what comes back is what opens the others, if there are any. */
function folded<T>(of: FormsOf, list: Element, all: readonly T[], most: number, item: (of: T) => HTMLElement): HTMLElement[] {
  const fold = new Fold(list, most, item, (n) => put(of.why.moreOf, { n }));
  fold.set(all);
  return all.length > most ? [fold.button] : [];
}

function sets(of: FormsOf, name: string, all: [string, (HTMLElement | string)[][]][]): HTMLElement[] {
  const items = (each: (HTMLElement | string)[][]) => {
    const list = h("ul");
    return [list, ...folded(of, list, each, mostItems, (parts) => h("li", {}, ...parts))];
  };
  return [
    title(of, name),
    h("div", { class: "kw-sets" }, ...all.map(([label, each]) => h("section", {}, h("p", {}, label, h("b", {}, ` ${each.length}`)),
      ...(each.length === 0 ? [h("p", { class: "kw-hint" }, of.why.nobody)] : items(each))))),
  ];
}

function queue(of: FormsOf, index: number): HTMLElement[] {
  const { why } = of;
  const found = queueAt(of.frames, index);
  if (!found) return [];
  const item = ({ key, due, worker, failures }: Item) => [h("b", {}, key),
    ...[worker ?? "", due === undefined ? "" : put(why.dueAt, { at: seconds(due) }), failures > 0 ? put(why.failures, { n: failures }) : ""]
      .filter(Boolean).map((text) => h("small", {}, text))];
  return sets(of, put(why.queue, { name: found.name }), [
    [why.dirty, found.dirty.map(item)], [why.processing, found.processing.map(item)], [why.due, found.due.map(item)],
  ]);
}

function scheduling(of: FormsOf, index: number): HTMLElement[] {
  const { why } = of;
  const found = schedulingAt(of.frames, index);
  if (!found) return [];
  const item = (place: string) => (w: Waiting) => [h("b", {}, w.pod), ...[
    place === "inFlight" ? put(why.attempt, { n: w.event }) : w.event,
    w.plugin ? put(why.hinted, { plugin: w.plugin, hint: w.hint ?? "" }) : "",
    w.rejectors ? put(why.rejectedBy, { plugins: w.rejectors.replaceAll(",", ", ") }) : "",
    w.until === undefined ? "" : put(why.until, { at: seconds(w.until) }),
  ].filter(Boolean).map((text) => h("small", {}, text))];
  return sets(of, why.schedulerQueues, places.map((place) => [why.places[place], found[place].map(item(place))]));
}

function collector(of: FormsOf, index: number): HTMLElement[] {
  const graph = graphAt(of.frames, index, of.why);
  return graph ? [title(of, of.why.collector), drawGraph(graph, of.why, put)] : [];
}

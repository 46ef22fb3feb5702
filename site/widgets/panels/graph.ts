// A graph of owners and what depends on them, as an indented tree: every object
// in a row of its own, below its first owner, so that names have room on a phone
// too. A line leads from an owner to each that it owns; one from a second owner
// is drawn beside. The same is said in words.

import { h, svgElement } from "../dom/dom";

export interface Vertex {
  id: string;
  kind: string;
  name: string;
  detail: string;
  isHere: boolean;
  isGone: boolean;
  /** Goes there; nothing happens without. */
  open?: (() => void) | undefined;
}

export interface Edge {
  from: string; // the owner
  to: string;
  label: string;
  /** The owner is not there. */
  isLoose?: boolean;
}

export interface Graph {
  vertices: Vertex[];
  edges: Edge[];
}

export interface GraphWords {
  graph: string;
  ownedBy: string; // {name}
  here: string;
  moreOf: string; // {n}
}

const rowHeight = 30;
const indent = 20;
/** How many that one owns are drawn. */
const mostSiblings = 12;

interface Row {
  vertex: Vertex;
  depth: number;
  above: Edge[];
}

/** The rows, owners first. What would be too much is counted in one row, but for those owners whose others a reader has opened. */
export function rows(graph: Graph, more: (n: number) => string, opened: ReadonlySet<string> = new Set(), open?: (owner: string, first: string) => void): Row[] {
  const byId = new Map(graph.vertices.map((v) => [v.id, v]));
  const above = group(graph.edges, (e) => e.to);
  const below = group(graph.edges, (e) => e.from);
  const out: Row[] = [];
  const seen = new Set<string>();
  const put = (vertex: Vertex, depth: number) => {
    if (seen.has(vertex.id)) return;
    seen.add(vertex.id);
    out.push({ vertex, depth, above: above.get(vertex.id) ?? [] });
    const owned = (below.get(vertex.id) ?? []).filter((e) => byId.has(e.to) && !seen.has(e.to));
    const here = owned.findIndex((e) => e.to === graph.vertices.find((v) => v.isHere)?.id);
    if (here >= mostSiblings) owned.unshift(...owned.splice(here, 1)); // it is shown in any case
    const most = opened.has(vertex.id) ? owned.length : mostSiblings;
    owned.slice(0, most).forEach((e) => put(byId.get(e.to)!, depth + 1));
    const rest = owned.slice(most).filter((e) => !seen.has(e.to));
    if (rest.length === 0) return;
    rest.forEach((e) => seen.add(e.to));
    const id = `${vertex.id} …`;
    out.push({ vertex: { id, kind: "", name: more(rest.length), detail: "", isHere: false, isGone: false,
      open: open && (() => open(vertex.id, rest[0]!.to)) }, depth: depth + 1,
      above: [{ from: vertex.id, to: id, label: "" }] });
  };
  for (const v of graph.vertices) if (!(above.get(v.id) ?? []).some((e) => byId.has(e.from))) put(v, 0);
  for (const v of graph.vertices) put(v, 0); // circles
  return out;
}

function group(edges: readonly Edge[], by: (edge: Edge) => string): Map<string, Edge[]> {
  const out = new Map<string, Edge[]>();
  for (const edge of edges) {
    const list = out.get(by(edge));
    if (list) list.push(edge);
    else out.set(by(edge), [edge]);
  }
  return out;
}

type Fill = (template: string, args: Record<string, string | number>) => string;

/** The picture, and the words that say the same. */
export function drawGraph(graph: Graph, words: GraphWords, fill: Fill): HTMLElement {
  const frame = h("div", { class: "kw-graph-frame", role: "region", tabindex: 0, "aria-label": words.graph });
  const opened = new Set<string>();
  const draw = () => frame.replaceChildren(...lines(rows(graph, (n) => fill(words.moreOf, { n }), opened, open), words, fill));
  const open = (owner: string, first: string) => {
    opened.add(owner);
    draw();
    const box = frame.querySelector<HTMLElement>(`[data-id="${CSS.escape(first)}"]`);
    if (box && box.tagName !== "BUTTON") box.tabIndex = -1;
    box?.focus({ preventScroll: true });
  };
  draw();
  return frame;
}

function lines(list: readonly Row[], words: GraphWords, fill: Fill): [SVGElement, HTMLElement] {
  const at = new Map(list.map((row, i) => [row.vertex.id, { x: row.depth * indent, y: i * rowHeight }]));
  const svg = svgElement("svg", { class: "kw-graph-lines", width: "100%", height: list.length * rowHeight, "aria-hidden": "true" });
  for (const { vertex, above } of list) {
    above.forEach((edge, n) => {
      const [a, b] = [at.get(edge.from), at.get(vertex.id)!];
      if (!a) return;
      const x = a.x + 9 + n * 4;
      svg.append(svgElement("path", { d: `M${x} ${a.y + rowHeight - 5}V${b.y + rowHeight / 2}H${b.x + 2}`, class: edge.isLoose ? "is-loose" : "" }));
    });
  }
  // What the line says to who sees it.
  const ownedBy = ({ above }: Row) => above.map((e) => fill(words.ownedBy, { name: list.find((r) => r.vertex.id === e.from)?.vertex.name ?? "" })).join(", ");
  const items = list.map((row) => {
    const { vertex, depth, above } = row;
    const owned = ownedBy(row);
    const content = [
      ...(vertex.kind ? [h("span", { class: "kw-graph-kind" }, vertex.kind)] : []), h("b", {}, vertex.name),
      ...[vertex.detail, ...above.map((e) => e.label)].filter(Boolean).map((text) => h("span", { class: "kw-graph-detail" }, text)),
      ...(owned ? [h("span", { class: "kw-unseen" }, owned)] : [])];
    const box = vertex.open && !vertex.isHere
      ? h("button", { type: "button", class: "kw-graph-node", click: vertex.open }, ...content)
      : h("span", { class: "kw-graph-node", "aria-current": vertex.isHere ? "true" : undefined }, ...content,
        vertex.isHere ? h("span", { class: "kw-graph-detail" }, words.here) : undefined);
    box.dataset["id"] = vertex.id;
    if (vertex.isGone) box.classList.add("is-gone");
    box.style.setProperty("--depth", String(depth));
    return h("li", {}, box);
  });
  const root = h("ul", { class: "kw-graph" }, ...items);
  root.addEventListener("keydown", (event) => walk(event, root));
  return [svg, root];
}

/** Up and down go from row to row. */
function walk(event: KeyboardEvent, root: HTMLElement): void {
  const way = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (way === 0) return;
  const all = [...root.querySelectorAll<HTMLElement>("button")];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const to = all[at + way];
  if (!to) return;
  event.preventDefault();
  event.stopPropagation();
  to.focus();
}

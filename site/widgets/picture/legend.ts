// What the picture's signs mean. Each is drawn as the picture draws it, by the
// same mapping (svg.ts) and the same classes (scene.css), so that it cannot be
// another.

import { h, svgElement } from "../dom/dom";
import { marks } from "../generated/scene";
import type { PlayerState } from "../state/playerstate";
import type { Role, Shape } from "../state/recording";
import { everything, totals } from "../state/scenario";
import * as svg from "./svg";
import type { Words } from "../words";

type Sample = Omit<Shape, "id">;

const chip = (role: Role, s: keyof typeof marks, t: string): Sample => ({ k: "box", role, s, m: marks[s], t, w: 68, h: 22 });
const pod = (s: keyof typeof marks): Sample => ({ ...chip("pod", s, "web-x"), f: "tile", w: 84, h: 26 });
const square = (s: keyof typeof marks): Sample => ({ k: "box", role: "pod", s, f: "tile", w: 8, h: 8 });
const wrote = (s: keyof typeof marks): Sample => ({ ...chip("revision", s, "120"), f: "tile", w: 58, h: 24 });
const reach = (s: keyof typeof marks): Sample => ({ k: "box", role: "history", s, m: marks[s], f: "tile", w: 84, h: 18 });
const cells = (runs: string): Sample => ({ k: "cells", role: "nodes", cols: runs.length, pitch: 15, runs, w: runs.length * 15, h: 14 });

/** In groups: Pods, Pods that are too many for a name each, nodes that are cells, what the store's picture has. */
const groups = {
  pods: {
    pending: pod("pending"), scheduled: pod("scheduled"), starting: pod("starting"),
    init: pod("init"), running: pod("running"), ready: pod("ready"),
    waiting: pod("waiting"), terminating: pod("terminating"), assumed: { ...chip("ghost", "assumed", "web-x"), f: "tile", w: 84, h: 26 },
  },
  squares: {
    pending: square("pending"), starting: square("starting"), running: square("running"),
    ready: square("ready"), waiting: square("waiting"), terminating: square("terminating"),
    down: { k: "box", role: "node", s: "not-ready", f: "panel", w: 68, h: 26, z: 1 },
  },
  store: {
    added: wrote("added"), modified: wrote("modified"), deleted: wrote("deleted"), compacted: wrote("compacted"),
    keeps: reach("keeps"), knows: reach("knows"), coming: reach("coming"), unwatched: reach("unwatched"),
    listed: reach("listed"), outdated: reach("refused"),
  },
  cells: { filled: cells("acei"), changing: cells("CE"), cordoned: cells("s"), lost: cells("x") },
} satisfies Record<string, Record<string, Sample>>;

type Groups = typeof groups;
export type SignGroup = keyof Groups;
export type Sign = { [G in SignGroup]: keyof Groups[G] }[SignGroup];

/** What a picture draws, by how much of the run is kept, and by what it shows now. The rest it says in words. */
function drawn(trace: number, picture: Element): SignGroup {
  if (trace !== everything) return trace === totals ? "cells" : "squares";
  return picture.querySelector(".role-history:not(.is-leaving)") ? "store" : "pods";
}

/** picture is where the pictures are: a demo may go on from one view to another. */
export function legend(words: Words, trace: number, state: PlayerState, picture: Element): HTMLElement {
  const body = h("div", { class: "kw-signs" });
  const root = h("details", { class: "kw-legend" }, h("summary", {}, words.legend), body);
  let filled: SignGroup | undefined;
  const fill = () => {
    const group = drawn(trace, picture);
    if (!root.open || group === filled) return;
    filled = group;
    body.replaceChildren(h("p", {}, words.signGroups[group]), h("dl", { "aria-label": words.signGroups[group] },
      ...Object.entries<Sample>(groups[group]).map(([sign, sample]) =>
        h("div", {}, h("dt", {}, draw(sample)), h("dd", {}, words.signs[sign as Sign])))));
  };
  root.addEventListener("toggle", fill); // it is rarely looked at
  state.on("event", fill);
  return root;
}

/** A shape alone, as a picture of its own. */
function draw(sample: Sample): SVGSVGElement {
  const shape: Shape = { id: "", ...sample };
  const [width, height] = [(sample.w ?? 66) + 4, (sample.h ?? 24) + 4];
  const view = `-2 -2 ${width} ${height}`;
  const cls = svg.common(shape)[0]![1];
  const element = svgElement("g", {}, ...svg.content(shape).map(toElement));
  element.setAttribute("class", cls);
  return svgElement("svg", { class: "kw-scene kw-sample", viewBox: view, width, height, "aria-hidden": "true", focusable: "false" },
    svgElement("g", { class: `kw-layer kw-z${sample.z ?? 3}` }, element));
}

function toElement(node: svg.Node): SVGElement {
  const element = svgElement(node.tag as "g", Object.fromEntries(node.attrs), ...node.children.map(toElement));
  if (node.text !== undefined) element.textContent = node.text;
  return element;
}

// What the picture's signs mean. Each is drawn as the picture draws it, by the
// same mapping (svg.ts) and the same classes (scene.css), so that it cannot be
// another.

import { h, svgElement } from "../dom/dom";
import type { Role, Shape } from "../state/recording";
import { everything, totals } from "../state/scenario";
import * as svg from "./svg";
import type { Words } from "../words";

type Sample = Omit<Shape, "id">;

const chip = (role: Role, s: string, m: string, t: string): Sample => ({ k: "box", role, s, m, t, w: 68, h: 22 });
const pod = (s: string, m: string): Sample => ({ ...chip("pod", s, m, "web-x"), f: "tile", w: 84, h: 26 });
const cells = (runs: string): Sample => ({ k: "cells", role: "nodes", cols: runs.length, pitch: 15, runs, w: runs.length * 15, h: 14 });

/** In groups: Pods, nodes that are cells, the rest. */
const groups = {
  pods: {
    pending: pod("pending", "○"), scheduled: pod("scheduled", "◔"), starting: pod("starting", "◑"), init: pod("init", "◔"), running: pod("running", "◕"), ready: pod("ready", "●"),
    waiting: pod("waiting", "↻"), terminating: pod("terminating", "×"), assumed: { ...chip("ghost", "assumed", "◌", "web-x"), f: "tile", w: 84, h: 26 },
  },
  cells: { filled: cells("acei"), changing: cells("CE"), cordoned: cells("s"), lost: cells("x") },
  others: {
    down: { k: "box", role: "node", s: "not-ready", t: "node", w: 68, h: 28, z: 1 }, broken: { k: "line", role: "wire", s: "down", path: "M 2 13 L 66 13" },
    cut: chip("fault", "cut", "↮", "node-1"), failing: chip("fault", "failing", "↯", "etcd"), slow: chip("fault", "slow", "◷", "etcd"),
  },
} satisfies Record<string, Record<string, Sample>>;

type Groups = typeof groups;
export type SignGroup = keyof Groups;
export type Sign = { [G in SignGroup]: keyof Groups[G] }[SignGroup];

/** What a picture draws, by how much of the run is kept: one of everything says the rest in words. */
const drawn = (trace: number): readonly SignGroup[] => (trace === everything ? ["pods"] : trace === totals ? ["cells", "others"] : ["pods", "others"]);

export function legend(words: Words, trace: number): HTMLElement {
  const body = h("div", { class: "kw-signs" });
  const root = h("details", { class: "kw-legend" }, h("summary", {}, words.legend), body);
  const fill = () => {
    if (body.childElementCount > 0) return;
    for (const group of drawn(trace)) {
      body.append(h("dl", {}, ...Object.entries<Sample>(groups[group]).map(([sign, sample]) =>
        h("div", {}, h("dt", {}, draw(sample)), h("dd", {}, words.signs[sign as Sign])))));
      body.lastElementChild!.setAttribute("aria-label", words.signGroups[group]);
      body.lastElementChild!.before(h("p", {}, words.signGroups[group]));
    }
  };
  root.addEventListener("toggle", fill); // it is rarely looked at
  return root;
}

/** A shape alone, as a picture of its own. */
function draw(sample: Sample): SVGSVGElement {
  const shape: Shape = { id: "", ...sample };
  const [width, height] = [(sample.w ?? 66) + 4, (sample.h ?? 24) + 4];
  const view = `-2 -2 ${width} ${height}`;
  const cls = svg.common(shape)[0]![1];
  const inside = sample.k === "line" ? [] : svg.content(shape);
  const element = sample.k === "line" ? svgElement("path", { d: sample.path ?? "" }) : svgElement("g", {}, ...inside.map(toElement));
  element.setAttribute("class", cls);
  return svgElement("svg", { class: "kw-scene kw-sample", viewBox: view, width, height, "aria-hidden": "true", focusable: "false" },
    svgElement("g", { class: `kw-layer kw-z${sample.z ?? 3}` }, element));
}

function toElement(node: svg.Node): SVGElement {
  const element = svgElement(node.tag as "g", Object.fromEntries(node.attrs), ...node.children.map(toElement));
  if (node.text !== undefined) element.textContent = node.text;
  return element;
}

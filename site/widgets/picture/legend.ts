// What the picture's signs mean. Each is drawn as the picture draws it, by the
// same mapping (svg.ts) and the same classes (scene.css), so that it cannot be
// another.

import { h, svgElement } from "../dom/dom";
import type { Shape } from "../state/recording";
import * as svg from "./svg";
import type { Words } from "../words";

type Sample = Omit<Shape, "id">;

const packet = (role: string, s = "good"): Sample => ({ k: "packet", role, s });
const chip = (role: string, s: string, m: string, t: string): Sample => ({ k: "box", role, s, m, t, w: 68, h: 22 });
const pod = (s: string, m: string) => chip("pod", s, m, "web-x");
const cells = (runs: string): Sample => ({ k: "cells", role: "nodes", cols: runs.length, pitch: 15, runs, w: runs.length * 15, h: 14 });
const mark = (s: string, m: string) => chip("revision", s, m, "web-x");

/** In groups: what travels, Pods, the store, a controller, nodes that are cells, the rest. */
const groups = {
  travels: {
    request: packet("request"), reply: packet("reply"), watch: packet("watch"), refused: packet("reply", "error"), heartbeat: packet("watch", "quiet"),
  },
  pods: {
    pending: pod("pending", "○"), scheduled: pod("scheduled", "◔"), starting: pod("starting", "◑"), init: pod("init", "◔"), running: pod("running", "◕"), ready: pod("ready", "●"),
    waiting: pod("waiting", "↻"), terminating: pod("terminating", "×"), assumed: chip("ghost", "assumed", "◌", "web-x"),
  },
  store: { added: mark("added", "+"), modified: mark("modified", "~"), deleted: mark("deleted", "−") },
  controllers: {
    cached: chip("cache-entry", "fresh", "", "web-x"), stale: chip("cache-entry", "stale", "≠", "web-x"), gone: chip("cache-entry", "gone", "−", "web-x"),
    queued: chip("queue-key", "queued", "", "web"), processing: chip("queue-key", "processing", "", "web"),
    dirty: chip("queue-key", "dirty", "↻", "web"), delayed: chip("queue-key", "delayed", "◷", "web"),
  },
  cells: { filled: cells("acei"), changing: cells("CE"), cordoned: cells("s"), lost: cells("x") },
  others: {
    fresh: { ...pod("ready", "●"), fresh: true }, fits: chip("verdict", "fits", "✓", "node-1"), rejected: chip("verdict", "rejected", "✗", "node-1"),
    down: { k: "box", role: "node", s: "not-ready", t: "node", w: 68, h: 28, z: 1 }, broken: { k: "line", role: "wire", s: "down", path: "M 2 13 L 66 13" },
    cut: chip("fault", "cut", "↮", "node-1"), failing: chip("fault", "failing", "↯", "etcd"), slow: chip("fault", "slow", "◷", "etcd"),
  },
} satisfies Record<string, Record<string, Sample>>;

/** In pictures that stand beside text everything else is said in words. */
const ofPart: Record<string, Record<string, Sample>> = { pods: Object.fromEntries(Object.entries(groups.pods).map(([sign, sample]) => [sign, { ...sample, f: "tile", w: 84, h: 26 }])) };

type Groups = typeof groups;
export type SignGroup = keyof Groups;
export type Sign = { [G in SignGroup]: keyof Groups[G] }[SignGroup];

/** isLarge: the picture has large letters and says most in words; without, it is one of thousands of Pods. */
export function legend(words: Words, isLarge: boolean): HTMLElement {
  const body = h("div", { class: "kw-signs" });
  const root = h("details", { class: "kw-legend" }, h("summary", {}, words.legend), body);
  const fill = () => {
    if (body.childElementCount > 0) return;
    for (const [group, samples] of Object.entries<Record<string, Sample>>(isLarge ? ofPart : groups)) {
      body.append(h("dl", {}, ...Object.entries(samples).map(([sign, sample]) =>
        h("div", {}, h("dt", {}, draw(sample)), h("dd", {}, words.signs[sign as Sign])))));
      body.lastElementChild!.setAttribute("aria-label", words.signGroups[group as SignGroup]);
      body.lastElementChild!.before(h("p", {}, words.signGroups[group as SignGroup]));
    }
  };
  root.addEventListener("toggle", fill); // it is rarely looked at
  return root;
}

/** A shape alone, as a picture of its own. */
function draw(sample: Sample): SVGSVGElement {
  const shape: Shape = { id: "", ...sample };
  const [, width, height] = sample.k === "packet" ? [0, 22, 22] : [0, (sample.w ?? 66) + 4, (sample.h ?? 24) + 4];
  const view = sample.k === "packet" ? "-11 -11 22 22" : `-2 -2 ${width} ${height}`;
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

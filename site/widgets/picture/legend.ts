// What the picture's signs mean. Each is drawn as the picture draws it, by the
// same mapping (svg.ts) and the same classes (scene.css), so that it cannot be
// another.

import { h, svgElement } from "../dom/dom";
import { marks } from "../generated/scene";
import type { PlayerState } from "../state/playerstate";
import type { Frame, Role, Shape } from "../state/recording";
import { everything, totals } from "../state/scenario";
import * as svg from "./svg";
import type { Words } from "../words";

type Sample = Omit<Shape, "id">;

const chip = (role: Role, s: keyof typeof marks, t: string): Sample => ({ k: "box", role, s, m: marks[s], t, w: 68, h: 22 });
const tile = (role: Role, s: string, t = "", w = 84): Sample => ({ k: "box", role, s, m: marks[s as keyof typeof marks], t, f: "tile", w, h: 26 });
const pod = (s: keyof typeof marks): Sample => tile("pod", s, "web-x");
const place = (s: string): Sample => ({ ...tile("place", s, "", 40), m: "" });
const key = (s: string, sign = ""): Sample => ({ k: "box", role: "queue-key", s, t: `${sign}web`, f: "pill", w: 68, h: 24 });
const object = (s: keyof typeof marks | "known"): Sample => ({ ...tile("graph-node", s, "web"), f: "panel", h: 34 });
const square = (s: keyof typeof marks): Sample => ({ k: "box", role: "pod", s, f: "tile", w: 8, h: 8 });
const wrote = (s: keyof typeof marks): Sample => ({ ...chip("revision", s, "120"), f: "tile", w: 58, h: 24 });
const reach = (s: keyof typeof marks): Sample => ({ k: "box", role: "history", s, m: marks[s], f: "tile", w: 84, h: 18 });
const cells = (runs: string): Sample => ({ k: "cells", role: "nodes", cols: runs.length, pitch: 15, runs, w: runs.length * 15, h: 14 });

/** In groups, each of one kind of thing. */
const groups = {
  places: { there: place("there"), asked: place("asked"), missing: place("missing"), surplus: place("surplus"), leaving: place("leaving") },
  queue: { queued: key("queued"), processing: key("processing"), dirty: key("dirty", "↻ "), delayed: key("delayed", "◷ ") },
  verdicts: { fits: tile("verdict", "fits"), rejected: tile("verdict", "rejected") },
  phases: { later: tile("phase", "later"), now: tile("phase", "now"), passed: tile("phase", "passed"), stopped: tile("phase", "refused") },
  graph: { known: object("known"), virtual: object("virtual"), absent: object("absent"), deleting: object("deleting") },
  rules: { open: tile("rule", "open", "10.0.0.7"), chosen: tile("rule", "chosen", "10.0.0.7"), barred: tile("rule", "rejected", "REJECT") },
  pods: {
    pending: pod("pending"), unschedulable: pod("unschedulable"), scheduled: pod("scheduled"), starting: pod("starting"),
    init: pod("init"), running: pod("running"), ready: pod("ready"), waiting: pod("waiting"), failed: pod("failed"),
    succeeded: pod("succeeded"), lostPod: pod("lost"), terminating: pod("terminating"), assumed: tile("ghost", "assumed", "web-x"),
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
  faults: { cut: tile("fault", "cut"), failing: tile("fault", "failing"), slow: tile("fault", "slow") },
} satisfies Record<string, Record<string, Sample>>;

type Groups = typeof groups;
export type SignGroup = keyof Groups;
export type Sign = { [G in SignGroup]: keyof Groups[G] }[SignGroup];

/** What tells that a picture has a group's place, whether there is anything in it now or not. */
const placesOf: Partial<Record<SignGroup, readonly Role[]>> = {
  places: ["set"], queue: ["set"], verdicts: ["step"], phases: ["phase"], graph: ["graph-node"], rules: ["rules"], pods: ["node", "pod"],
  store: ["history"], faults: ["fault"],
};

/** A sign as the run has it. */
const signOf = ({ role, s = "" }: { role: Role; s?: string }) => `${role} ${s}`;

type Signs = [SignGroup, [string, Sample][]][];

/** The signs that the picture has a place for, as far as the run has them. Where it keeps less, things are too many for a name each. */
function explained(trace: number, roles: ReadonlySet<Role>, has: ReadonlySet<string>): Signs {
  if (trace !== everything) {
    const group = trace === totals ? "cells" : "squares";
    return [[group, Object.entries<Sample>(groups[group])]];
  }
  const there = (Object.keys(placesOf) as SignGroup[]).filter((group) => placesOf[group]!.some((role) => roles.has(role)));
  return there.map((group): Signs[number] => [group, Object.entries<Sample>(groups[group]).filter(([, sample]) => has.has(signOf(sample)))]);
}

/** Explains the signs that are in the picture at this moment, and on request the others of the demo. */
export function legend(words: Words, trace: number, state: PlayerState): HTMLElement {
  const now = h("div", { class: "kw-signs" });
  const none = h("p", { class: "kw-hint" }, words.noSigns);
  const others = h("div", { class: "kw-signs" });
  const rest = h("details", { class: "kw-legend-rest" }, h("summary", {}, words.otherSigns), others);
  const root = h("details", { class: "kw-legend" }, h("summary", {}, words.legend), none, now, rest);
  const has = new Set<string>(); // the signs of all that was shown here
  let [looked, filled]: [readonly Frame[], string] = [[], ""];
  const list = (place: HTMLElement, signs: Signs) => place.replaceChildren(...signs.flatMap(([group, all]) => [h("p", {}, words.signGroups[group]),
    h("dl", { "aria-label": words.signGroups[group] },
      ...all.map(([sign, sample]) => h("div", {}, h("dt", {}, draw(sample)), h("dd", {}, words.signs[sign as Sign]))))]));
  const fill = () => {
    if (!root.open) return;
    const { frames } = state.timeline;
    if (frames !== looked) for (const { set } of frames) for (const shape of set ?? []) has.add(signOf(shape));
    looked = frames;
    const roles = new Set<Role>();
    const seen = new Set<string>();
    for (const shape of state.shown.shapes()) {
      roles.add(shape.role);
      seen.add(signOf(shape));
      has.add(signOf(shape));
    }
    const all = explained(trace, roles, has);
    const isNow = (sample: Sample) => trace !== everything || seen.has(signOf(sample));
    const part = (is: boolean): Signs => all.map(([group, signs]): Signs[number] => [group, signs.filter(([, sample]) => isNow(sample) === is)])
      .filter(([, signs]) => signs.length > 0);
    const parts = [part(true), part(false)] as const;
    const text = parts.map((signs) => signs.map(([group, of]) => [group, ...of.map(([sign]) => sign)].join(" ")).join()).join("; ");
    if (text === filled) return;
    filled = text;
    list(now, parts[0]);
    list(others, parts[1]);
    none.hidden = parts[0].length > 0;
    rest.hidden = parts[1].length === 0;
  };
  root.addEventListener("toggle", fill); // it is rarely looked at
  state.on(["event", "shown"], fill);
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

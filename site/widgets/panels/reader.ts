// What a reader may do to the cluster: the scenario's controls, as buttons and a
// slider. What can be done now follows from the picture of this moment.

import { h, heading, setText, uniqueId } from "../dom/dom";
import type { Chosen, Faults } from "./faults";
import { icon } from "../dom/icons";
import { profilesEditor } from "./profiles";
import type { Given } from "../given";
import type { Actions } from "../runs/actions";
import type { Worlds } from "../runs/worlds";
import { activeFaults, isOfPod, isTerminated, type Fault } from "../state/activefaults";
import { seconds } from "../state/phrases";
import type { PlayerState } from "../state/playerstate";
import { objectOf } from "../state/objects";
import { attr, type Frame, type Json, type Shape } from "../state/recording";
import type { Control, Input, Kind } from "../state/scenario";
import { speaks, Terminal } from "./terminal";
import { put } from "../text";

/** How long a slider that was let go rests before it counts, ms: who takes hold of it again meanwhile gives one input. */
const settleMs = 120;
/** The same when it is moved with keys: 4, 5, 6, 7 is one input. Enter, and leaving the field, end the wait. */
const settleKeysMs = 800;

type Shapes = ReadonlyMap<string, Shape>;

export class Reader {
  readonly root: HTMLElement;
  /** What the chapter is about: it stands below the picture, and the rest in the panel. */
  readonly main: readonly HTMLElement[];
  /** The way back to the recording. */
  readonly resetButton: HTMLButtonElement;
  private readonly badge: HTMLElement;
  private readonly breaks: HTMLDetailsElement;
  private faults: Faults | undefined; // there once they are asked for
  /** What can be done to what the reader looks at. */
  readonly chosenRoot = h("div", { class: "kw-chosen", hidden: true });
  private chosenThing: Chosen | undefined; // there once something was looked at
  private about = "";
  private shown: [Shapes, readonly Frame[], number] | undefined;
  private readonly updates: ((shapes: Shapes, frames: readonly Frame[], index: number) => void)[] = [];

  constructor(private readonly given: Given, private readonly state: PlayerState, private readonly worlds: Worlds, private readonly actions: Actions) {
    const { words, level, scenario } = given;
    const controls = scenario.controls ?? [];
    const title = uniqueId();
    this.badge = h("span", { class: "kw-badge" }, words.recorded);
    this.resetButton = h("button", { type: "button", class: "kw-button kw-reset", hidden: true, click: () => this.reset() },
      icon("reset"), ...labelled(words.reset, words.briefs["reset"]));
    const theirs = controls.length > 0;
    this.root = h("section", { class: "kw-reader", role: "group", ...(theirs ? { "aria-labelledby": title } : { "aria-label": words.printed }) },
      theirs ? h("div", { class: "kw-reader-head" }, heading(level, words.yourTurn, { id: title }), this.badge) : undefined);
    const row = h("div", { class: "kw-reader-row" });
    for (const c of controls) {
      if (c.kind === "scale") row.append(this.scale(c));
      else if (c.kind === "load") row.append(this.load(c));
      else if (c.kind === "delete") row.append(this.remove(c));
      else if (isAction(c.kind)) row.append(this.action(c, controls));
    }
    const parts = [...row.children] as HTMLElement[];
    const scale = parts.find((part) => part.classList.contains("kw-scale"));
    const button = parts.find((part) => part instanceof HTMLButtonElement && !breaking.some((kind) => part.classList.contains(`kw-action-${kind}`)));
    const main = [scale, button].filter((part) => part !== undefined);
    for (const part of main) part.remove();
    if (row.childElementCount > 0) this.root.append(row);
    const targets = this.targets(controls);
    for (const c of controls) if (c.kind === "reconfigure") targets.push(profilesEditor(words, actions, c, this.label(c, words.profiles)));
    this.breaks = h("details", { class: "kw-faults kw-breaks", toggle: () => void this.openFaults() }, h("summary", {}, words.breaks));
    this.root.append(h("div", { class: "kw-faults-row" }, ...targets, this.breaks));
    if (speaks(scenario)) {
      const terminal = new Terminal(given, actions, controls.find((c) => c.kind === "kubectl"), (object) => this.objectAt(object),
        () => this.worlds.inspected.timeline, (is) => state.emit("editing", is), () => state.reveal("act"));
      this.updates.push((_, frames, index) => terminal.show(frames, index));
      this.root.append(terminal.root);
      const prompt = terminal.root.querySelector<HTMLElement>(".kw-prompt");
      if (main.length === 0 && prompt) {
        main.push(prompt);
        prompt.addEventListener("submit", () => state.reveal("act"));
      }
    }
    for (const part of main) part.remove();
    this.main = main;
    for (const event of ["pointerenter", "focusin"]) for (const part of [this.root, ...this.main]) part.addEventListener(event, () => actions.warmUp());
    state.on(["shown", "turned"], () => this.setLive(worlds.inspected.branch !== undefined));
    state.on(["event", "turned"], () => this.show());
    state.on("about", (about) => this.chosen(about));
  }

  /** What can be broken is shown. */
  get isBreaking(): boolean {
    return this.breaks.open;
  }

  /** Takes in something more that can be done. */
  offer(section: HTMLElement): void {
    this.root.querySelector(".kw-faults-row")!.prepend(section);
  }

  /** Shows what can be done at a moment. */
  private show(): void {
    const { timeline } = this.worlds.inspected;
    const { shapes, outside: frames } = timeline;
    const index = timeline.outsideAt(timeline.index);
    for (const update of this.updates) update(shapes, frames, index);
    this.shown = [shapes, frames, index];
    if (this.breaks.open) this.faults?.show(shapes, frames, index);
    this.chosenThing?.show(this.about, shapes, frames, index);
  }

  /** What the reader looks at is what can be broken. */
  private chosen(about: string): void {
    this.about = about;
    this.faults?.choose(about);
    void this.openChosen();
  }

  private async openChosen(): Promise<void> {
    if (!this.chosenThing && this.about !== "") {
      const { Chosen } = await import("./faults");
      this.chosenThing ??= new Chosen(this.chosenRoot, this.given, this.actions);
    }
    if (this.shown) this.chosenThing?.show(this.about, ...this.shown);
  }

  /** Offers what can be done to what the reader looks at. */
  async breakIt(): Promise<void> {
    this.breaks.open = true;
    await this.openFaults();
    this.faults?.focus();
  }

  private async openFaults(): Promise<void> {
    if (!this.breaks.open) return;
    const { Faults } = await import("./faults");
    if (!this.faults) {
      this.faults = new Faults(this.given, this.state, this.actions);
      this.breaks.append(this.faults.root);
    }
    if (this.shown) this.faults.show(...this.shown);
    this.faults.choose(this.about);
  }

  /** Back to the recording: the button goes away. */
  private reset(): void {
    if (this.resetButton.contains(document.activeElement)) this.root.closest<HTMLElement>(".kw-player")?.focus({ preventScroll: true });
    this.worlds.reset();
  }

  private setLive(live: boolean): void {
    const { words } = this.given;
    this.badge.classList.toggle("is-live", live);
    setText(this.badge, live ? words.live : words.recorded);
    this.resetButton.hidden = !live;
  }

  private label(c: Control, otherwise: string): string {
    return c.label?.[this.given.lang] || otherwise;
  }

  /** An object at the moment that is shown; the resource of a kind that is not built in may be its singular. */
  private async objectAt(object: string): Promise<Json | undefined> {
    const { timeline } = this.worlds.inspected;
    const plural = object.replace(" ", "s ");
    const commit = timeline.frames.slice(0, timeline.index + 1).findLast(({ op, o }) => op === "store.commit" && (o === object || o === plural));
    if (!commit || attr(commit, "type") === "DELETED") return undefined;
    return objectOf(await this.worlds.details(), commit.e);
  }

  private scale(c: Control): HTMLElement {
    const { min = 0, max = 10, resource, namespace, name } = c;
    return this.slider(this.label(c, put(this.given.words.scale, { name: name ?? "" })), { min, max, step: 1 },
      (replicas) => ({ kind: "scale", ...given({ resource, namespace, name }), replicas }),
      (frames, index) => replicasAt(frames, index, name ?? ""));
  }

  /** CPU that somebody asks for, in thousandths. */
  private load(c: Control): HTMLElement {
    const { max = 1000, resource, namespace, name } = c;
    const step = 10 ** Math.max(0, Math.floor(Math.log10(max)) - 1);
    return this.slider(this.label(c, put(this.given.words.load, { name: name ?? "" })), { min: 0, max, step },
      (milli) => ({ kind: "load", ...given({ resource, namespace, name }), value: `${milli}m` }),
      (frames, index) => loadAt(frames, index, name ?? ""));
  }

  private slider(
    label: string, { min, max, step }: { min: number; max: number; step: number },
    input: (value: number) => Omit<Input, "at">, now: (frames: readonly Frame[], index: number) => number,
  ): HTMLElement {
    const slider = h("input", { type: "range", class: "kw-slider", min, max, step, value: min, "aria-label": label });
    const number = h("input", { type: "number", class: "kw-number", min, max, step, value: min, inputmode: "numeric", "aria-label": label,
      tabindex: -1 }); // the slider has keys for each value
    number.style.setProperty("--digits", String(`${max}`.length));
    let timer = 0;
    let rest = settleMs;
    let wanted: number | undefined;
    let release: (() => void) | undefined;
    const hold = () => { release ??= this.actions.hold(); };
    const letGo = () => {
      if (wanted !== undefined) return; // it is about to be done
      release?.();
      release = undefined;
    };
    const shown = (value: number) => {
      slider.value = number.value = String(value);
      slider.style.setProperty("--at", String(max > min ? (value - min) / (max - min) : 0));
    };
    const want = (text: string) => {
      const value = Math.max(min, Math.min(max, Math.round(Number(text))));
      if (text === "" || !Number.isFinite(value)) return;
      hold();
      shown((wanted = value));
      clearTimeout(timer);
    };
    const give = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        if (wanted === undefined) return;
        const value = wanted;
        wanted = undefined;
        if (this.tellIsSo(value, now)) return letGo();
        release = undefined;
        void this.actions.act(input(value));
      }, rest);
    };
    for (const field of [slider, number]) {
      const end = () => {
        rest = settleMs;
        if (wanted !== undefined) give();
      };
      field.addEventListener("keydown", (event) => {
        if (event.key === "Enter") end();
        else rest = settleKeysMs;
      });
      field.addEventListener("blur", () => {
        end();
        letGo();
      });
      field.addEventListener("pointerdown", () => {
        rest = settleMs;
        hold();
      });
      field.addEventListener("input", () => { this.actions.warmUp(); want(field.value); });
      field.addEventListener("change", () => { want(field.value); give(); });
    }
    for (const end of ["pointerup", "pointercancel"]) slider.addEventListener(end, letGo);
    this.updates.push((_, frames, index) => {
      if (wanted === undefined) shown(Math.max(min, Math.min(max, now(frames, index))));
    });
    return h("div", { class: "kw-scale" }, h("span", { "aria-hidden": "true" }, label), slider, number);
  }

  /** Where the recording has itself done what the reader asks for, nothing would change: says so, and leads to before that. */
  private tellIsSo(value: number, now: (frames: readonly Frame[], index: number) => number): boolean {
    const { state, worlds, given: { words } } = this;
    const [, frames, index] = this.shown!;
    if (worlds.inspected.branch || now(frames, index) !== value) return false;
    let since = index;
    while (since > 0 && now(frames, since - 1) === value) since--;
    const frame = frames[since];
    if (frame?.op !== "input") return false;
    const before = () => {
      state.say("");
      state.seek(state.timeline.frames.indexOf(frame) - 1);
    };
    state.say(put(words.isSoAlready, { n: value, at: seconds(frame.at) }), before, words.beforeThat);
    return true;
  }

  /** A button that does what the author wrote. Of "down" and "up", the one that is there is the one that can be. */
  private action(c: Control, controls: readonly Control[]): HTMLElement {
    const { kind, label: _, ...rest } = c;
    const { words } = this.given;
    const args = { name: "", node: "", value: "", url: "", from: "", target: rest.node ?? rest.component ?? "", ...rest } as unknown as Record<string, string>;
    const text = this.label(c, put(words.actions[kind] ?? kind, args));
    const button = h("button", { type: "button", class: `kw-button kw-action kw-action-${kind}`, click: () => void this.actions.act({ kind, ...given(rest) }) },
      icon(kind === "request" ? "request" : /up$|^restore|^heal/.test(kind) ? "power" : "close"),
      ...labelled(text, words.briefs[kind]));
    const other = { "registry-down": "registry-up", "registry-up": "registry-down" }[kind as string];
    if (other && controls.some((o) => o.kind === other)) {
      this.updates.push((__, frames, index) => {
        const had = document.activeElement === button;
        button.hidden = (registryAt(frames, index) === "registry-down") !== (kind === "registry-up");
        if (had && button.hidden) queueMicrotask(() => button.parentElement?.querySelector<HTMLElement>(`.kw-action-${other}`)?.focus());
      });
    }
    if (kind === "terminate-instance") {
      this.updates.push((__, frames, index) => (button.disabled = isTerminated(this.faultsAt(frames, index), rest.node ?? "")));
    }
    return button;
  }

  private remove(c: Control): HTMLElement {
    const { resource, namespace, name } = c;
    const { words } = this.given;
    const label = this.label(c, words.remove);
    const takes = name?.endsWith("*") ? { title: words.removeOldest } : {};
    const button = h("button", { type: "button", class: "kw-button kw-action-delete", ...takes,
      click: () => void this.actions.act({ kind: "delete", ...given({ resource, namespace, name }) }) },
      icon("bin"), ...labelled(label, words.briefs["delete"]));
    const wanted = `${resource ?? ""} ${namespace ? `${namespace}/` : ""}${(name ?? "").replace(/\*$/, "")}`;
    this.updates.push((shapes) => {
      let there = false;
      for (const s of shapes.values()) {
        if (s.k === "box" && s.role === "pod" && s.s !== "terminating" && s.about?.startsWith(wanted)) there = true;
      }
      button.disabled = resource === "pods" && !there;
    });
    return button;
  }

  /** Nodes and components, each with what may be done to it. */
  private targets(controls: readonly Control[]): HTMLElement[] {
    const { words } = this.given;
    const groups: { title: string; field: "node" | "component"; kinds: [Kind, string, "up" | "down"][] }[] = [
      { title: words.nodes, field: "node", kinds: [["kill-node", words.killNode, "up"], ["start-node", words.startNode, "down"]] },
      { title: words.components, field: "component",
        kinds: [["stop", words.stop, "up"], ["start", words.start, "down"], ["drop-watch", words.dropWatch, "up"]] },
    ];
    const out: HTMLElement[] = [];
    for (const { title, field, kinds } of groups) {
      const mine = kinds.map(([kind, text, when]) => ({ kind, text, when, of: targetsOf(controls, kind) }));
      const names = [...new Set(mine.flatMap((k) => k.of))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
      if (names.length === 0) continue;
      const list = h("ul", { class: `kw-targets kw-targets-${field}` });
      for (const name of names) {
        const item = h("li", {}, h("span", { class: "kw-target" }, name));
        const [stops, starts] = [targetsOf(controls, "stop").includes(name), targetsOf(controls, "start").includes(name)];
        const ofPod = field === "component" && isOfPod(name, this.given.scenario.cluster);
        // What is not drawn is down from a reader's stop on, if it can start again, and what can only be started always is: it does something, and ends.
        const down = (shapes: Shapes, on: readonly Fault[]) =>
          isDown(shapes, field, name) ?? (on.some((f) => f.kind === "stop" && f.target === name) ? starts || ofPod : starts && !stops);
        for (const { kind, text, when, of } of mine) {
          if (of.includes(name) && (kind !== "start" || !ofPod)) item.append(this.fault(kind, text, when, field, name, down));
        }
        if (ofPod) {
          const note = h("span", { class: "kw-hint", hidden: true }, words.startsInPod);
          this.updates.push((shapes, frames, index) => (note.hidden = !down(shapes, this.faultsAt(frames, index))));
          item.append(note);
        }
        list.append(item);
      }
      out.push(h("details", { class: "kw-faults" }, h("summary", {}, title), list));
    }
    return out;
  }

  private faultsAt(frames: readonly Frame[], index: number): Fault[] {
    return activeFaults(frames, index, this.given.scenario.cluster);
  }

  /** A button that is there while its target is up, or while it is down. */
  private fault(kind: Kind, text: string, when: "up" | "down", field: "node" | "component", name: string,
    down: (shapes: Shapes, on: readonly Fault[]) => boolean): HTMLElement {
    const button = h("button", { type: "button", class: `kw-button kw-fault kw-fault-${kind}`, "aria-label": `${text}: ${name}`,
      click: () => void this.actions.act({ kind, [field]: name }) }, icon(when === "down" ? "power" : kind === "drop-watch" ? "cut" : "close"), text);
    this.updates.push((shapes, frames, index) => {
      const on = this.faultsAt(frames, index);
      const had = document.activeElement === button;
      button.hidden = (when === "down") !== down(shapes, on) || (field === "node" && isTerminated(on, name));
      if (had && button.hidden) (button.parentElement?.querySelector<HTMLElement>("button:not([hidden])") ?? undefined)?.focus();
    });
    return button;
  }
}

function targetsOf(controls: readonly Control[], kind: Kind): string[] {
  return controls.filter((c) => c.kind === kind).flatMap((c) => c.targets ?? []);
}

const actions: readonly Kind[] = [
  "crash-container", "use-memory", "registry-down", "registry-up", "lose-image", "restore-image", "fill-memory", "fill-disk", "slow-kubelet",
  "terminate-instance", "set-metric", "request", "partition", "slow", "fail", "heal",
];
/** What breaks things for a while is never what a chapter is about. */
const breaking: readonly Kind[] = ["partition", "slow", "fail", "heal"];
const isAction = (kind: Kind) => actions.includes(kind);

/** A button's text, and a word for it on a phone. */
export const labelled = (text: string, brief: string | undefined): HTMLElement[] => [h("span", { class: "kw-button-text" }, text),
  ...(brief ? [h("span", { class: "kw-button-brief", "aria-hidden": "true" }, brief)] : [])];

/** Without what is not given. */
function given<T extends object>(all: T): Partial<T> {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value)) as Partial<T>;
}

/** Undefined of a component that is not drawn. */
function isDown(shapes: Shapes, field: "node" | "component", name: string): boolean | undefined {
  if (field === "node") return shapes.get(`node/${name}`)?.s === "down";
  for (const s of shapes.values()) {
    if (s.k !== "box" || s.about !== name || !["controller", "scheduler", "minor", "apiserver"].includes(s.role)) continue;
    return s.s === "down" || s.s === "unstarted";
  }
  return undefined;
}

/** Kinds that have one replica when nothing else is said. A Service may have the same name. */
const scalable = new Set(["Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"]);

/** How many replicas were last asked for, as of a frame. */
export function replicasAt(frames: readonly Frame[], index: number, name: string): number {
  for (let i = Math.min(index, frames.length - 1); i >= 0; i--) {
    const frame = frames[i]!;
    if (frame.op !== "input") continue;
    const kind = attr(frame, "kind");
    if (kind === "scale" && frame.o?.endsWith(`/${name}`)) return Number(attr(frame, "replicas"));
    const typed = kind === "kubectl" ? String(attr(frame, "command")) : "";
    const scaled = /^scale\b.*--replicas[= ](\d+)/.exec(typed);
    if (scaled && typed.split(/[\s/]+/).includes(name)) return Number(scaled[1]);
    if (kind !== "apply" && kind !== "create" && !/^(apply|create|replace)\b/.test(typed)) continue;
    try {
      const manifest = JSON.parse(String(attr(frame, "manifest"))) as { kind?: string; metadata?: { name?: string }; spec?: { replicas?: number } };
      const replicas = manifest.spec?.replicas ?? (scalable.has(manifest.kind ?? "") ? 1 : undefined);
      if (manifest.metadata?.name === name && replicas !== undefined) return replicas;
    } catch {
      // not ours to judge: the control plane says what is wrong with it
    }
  }
  return 0;
}

/** The load that was last asked for, in thousandths of a CPU. */
function loadAt(frames: readonly Frame[], index: number, name: string): number {
  for (let i = Math.min(index, frames.length - 1); i >= 0; i--) {
    const frame = frames[i]!;
    if (frame.op !== "input" || attr(frame, "kind") !== "load" || !frame.o?.endsWith(`/${name}`)) continue;
    const value = String(attr(frame, "value"));
    return value.endsWith("m") ? parseInt(value) : Number(value) * 1000 || 0;
  }
  return 0;
}

/** What was last done to the registry. */
function registryAt(frames: readonly Frame[], index: number): string {
  for (let i = Math.min(index, frames.length - 1); i >= 0; i--) {
    const kind = frames[i]!.op === "input" ? String(attr(frames[i]!, "kind")) : "";
    if (kind.startsWith("registry-")) return kind;
  }
  return "";
}

// An object at a moment, as YAML: its versions, what each changed, who manages
// which field, and what owns it.

import { h, heading } from "../dom/dom";
import { drawGraph, type Edge, type Vertex } from "./graph";
import { icon } from "../dom/icons";
import { managersAt, pathsOf, type Manager } from "./managers";
import { objectOf } from "../state/objects";
import { attr, type Details, type Frame, type Json, type Managers } from "../state/recording";
import { seconds } from "../state/phrases";
import { causes } from "../state/story";
import type { Inspected } from "./inspector";
import { Identities, Versions } from "./versions";
import { whyWordsOf, type WhyWords } from "./why.words";
import { compare, yamlLines, type Changed } from "./yaml";
import { messageOf, put } from "../text";

export class ObjectView {
  readonly root = h("div", { class: "kw-object-view" });
  private readonly why: WhyWords;
  private readonly versions: Versions;
  private readonly select: HTMLSelectElement;
  private readonly body = h("div", {});
  private readonly since: HTMLSelectElement;
  private readonly beside: HTMLInputElement;
  private object = "";
  private index = -1; // the moment of the picture
  private before = -1; // the moment before it
  private pinned = -1; // a version that the reader chose; -1 is that of the moment
  private known: { details: Details; identities: Identities } | undefined;
  private drawn = { object: "", version: -1 };
  private managers: { object: string; managers: Managers; frames: number } | undefined; // as of so many frames
  private drawing = 0;

  /** named is told what object is looked at. */
  constructor(private readonly inspected: Inspected, private readonly named: (object: string) => void) {
    const why = (this.why = whyWordsOf(inspected.lang));
    this.versions = new Versions(() => inspected.frames);
    this.select = h("select", { class: "kw-object-choice", "aria-label": why.choose,
      focus: () => this.offer(), pointerdown: () => this.offer(), change: () => this.choose(this.select.value) });
    this.since = h("select", { "aria-label": why.since, change: () => void this.draw() },
      h("option", { value: "previous" }, why.sincePrevious), h("option", { value: "step" }, why.sinceStep));
    this.beside = h("input", { type: "checkbox", change: () => void this.draw() });
    this.root.append(this.select, this.body);
  }

  forget(): void {
    this.versions.forget();
    this.known = undefined;
    this.managers = undefined;
    this.before = this.index = this.pinned = -1;
  }

  /** What is looked at, "pods default/web"; "" when nothing is there to look at. */
  get name(): string {
    return this.object;
  }

  /** Shows a moment, and an object when one is named. */
  show(index: number, object = ""): void {
    const { frames } = this.inspected;
    if (index !== this.index) [this.before, this.index] = [this.index, index];
    this.pinned = -1;
    if (object !== "") this.object = object;
    else if (this.object === "" || this.versions.at(this.object, index) < 0) this.object = this.nearest(frames[index], index);
    void this.draw();
  }

  private choose(object: string): void {
    this.object = object;
    this.pinned = -1;
    void this.draw();
  }

  /** The object that an event is about, or else the last that was written. */
  private nearest(frame: Frame | undefined, index: number): string {
    if (frame?.o && this.versions.at(frame.o, index) >= 0) return frame.o;
    const { frames } = this.inspected;
    for (let i = index; i >= 0; i--) if (frames[i]!.op === "store.commit" && frames[i]!.o && !frames[i]!.q) return frames[i]!.o!;
    return "";
  }

  /** Fills the list of objects, when somebody is about to look at it. */
  private offer(): void {
    const { there, gone } = this.versions.objects(this.index);
    const groups = new Map<string, string[]>();
    for (const o of there) {
      const kind = o.split(" ", 1)[0]!;
      groups.set(kind, [...(groups.get(kind) ?? []), o]);
    }
    const group = (label: string, all: readonly string[], short: boolean) =>
      h("optgroup", { label }, ...all.map((o) => h("option", { value: o, selected: o === this.object }, short ? o.slice(label.length + 1) : o)));
    this.select.replaceChildren(...[...groups].map(([kind, all]) => group(kind, all, true)), ...(gone.length > 0 ? [group(this.why.gone, gone, false)] : []));
    this.select.value = this.object;
  }

  private async draw(): Promise<void> {
    const { inspected, why, object } = this;
    const mine = ++this.drawing;
    this.named(object);
    if (object === "") {
      this.select.hidden = true;
      return this.body.replaceChildren(h("p", { class: "kw-hint" }, why.none));
    }
    this.select.hidden = false;
    if (this.select.value !== object) this.select.replaceChildren(h("option", { value: object, selected: true }, object));
    try {
      const version = this.shownVersion();
      if (!this.known || (version >= 0 && this.known.details.objects[version + 1] === undefined)) {
        const details = await inspected.worlds.details();
        if (mine !== this.drawing) return;
        this.known = { details, identities: new Identities(details) };
      }
      const scroll = this.root.closest(".kw-inspector")?.scrollTop ?? 0;
      const had = this.body.contains(document.activeElement) ? document.activeElement!.getAttribute("data-keep") : null;
      this.body.replaceChildren(...this.content(version));
      if (had) this.body.querySelector<HTMLElement>(`[data-keep="${had}"]`)?.focus({ preventScroll: true });
      const box = this.root.closest(".kw-inspector");
      if (box) box.scrollTop = scroll;
      await this.showManagers(mine);
    } catch (error) {
      if (mine !== this.drawing) return;
      this.body.replaceChildren(h("p", { class: "kw-error", role: "alert" }, `${inspected.words.failedDetails} (${messageOf(error)}) `,
        h("button", { type: "button", class: "kw-button", click: () => void this.draw() }, inspected.words.retry)));
    }
  }

  /** The frame that wrote what is shown: of a deleted object its last version. */
  private shownVersion(): number {
    if (this.pinned >= 0) return this.pinned;
    const all = this.versions.of(this.object);
    const at = this.versions.at(this.object, this.index);
    return at >= 0 && this.versions.isDeletion(at) ? (all[all.indexOf(at) - 1] ?? -1) : at;
  }

  private value(frame: number): Json | undefined {
    return frame < 0 ? undefined : objectOf(this.known!.details, frame + 1);
  }

  private content(version: number): HTMLElement[] {
    const { why, inspected } = this;
    const now = this.value(version);
    if (now === undefined) return [h("p", { class: "kw-hint" }, why.none)];
    const all = this.versions.of(this.object).filter((i) => !this.versions.isDeletion(i));
    const at = all.indexOf(version);
    const previous = this.since.value === "step" && this.before >= 0
      ? this.versions.at(this.object, Math.min(this.before, this.index))
      : this.isFirst(version) ? -1 : (all[at - 1] ?? -1);
    const before = this.value(previous);
    return [
      ...this.state(version),
      this.yaml(now, before, version),
      this.versionBar(all, at),
      h("div", { class: "kw-object-bar" },
        h("label", {}, h("span", {}, `${why.since} `), this.since),
        h("label", { class: "kw-check" }, this.beside, h("span", {}, why.beside))),
      heading(inspected.level, why.owners, {}, true), this.owners(version),
      heading(inspected.level, why.managers, {}, true), h("div", { class: "kw-managers" }),
    ];
  }

  private isFirst(version: number): boolean {
    return this.known!.details.base?.[version + 1] === undefined;
  }

  private versionBar(all: readonly number[], at: number): HTMLElement {
    const { why, inspected } = this;
    const go = (to: number | undefined) => {
      if (to === undefined) return;
      this.pinned = to;
      void this.draw();
    };
    const button = (label: string, sign: "stepBack" | "stepForward", to: number | undefined, keep: string) =>
      h("button", { type: "button", class: "kw-icon-button", "aria-label": label, title: label, disabled: to === undefined,
        "data-keep": keep, click: () => go(to) }, icon(sign));
    const label = (i: number) => {
      const frame = inspected.frames[i]!;
      return put(why.versionOf, { version: String(attr(frame, "revision") ?? frame.e), at: seconds(frame.at),
        who: this.writer(i), type: String(attr(frame, "type")) });
    };
    const select = h("select", { "aria-label": why.version, "data-keep": "version", change: () => go(Number(select.value)) },
      ...near(all, at).map((i) => h("option", { value: i, selected: i === all[at] }, label(i))));
    return h("div", { class: "kw-versions" },
      button(why.older, "stepBack", all[at - 1], "older"), select, button(why.newer, "stepForward", all[at + 1], "newer"),
      h("button", { type: "button", class: "kw-button", disabled: all[at] === this.index, click: () => inspected.jump(all[at]!) }, why.goThere));
  }

  /** What is to be said about a version that is not the one of the moment. */
  private state(version: number): HTMLElement[] {
    const { why } = this;
    const at = this.versions.at(this.object, this.index);
    const text = version > this.index ? why.isLater
      : at >= 0 && this.versions.isDeletion(at) ? put(why.isGone, { at: seconds(this.inspected.frames[at]!.at) })
        : version < at ? why.isOlder : "";
    return text === "" ? [] : [h("p", { class: "kw-hint kw-object-state" }, text)];
  }

  /** Who asked for a commit. */
  private writer(frame: number): string {
    const { frames } = this.inspected;
    return frames[[frame, ...causes(frames, frame)].find((i) => frames[i]!.op === "request.send") ?? frame]!.who;
  }

  private yaml(now: Json, before: Json | undefined, version: number): HTMLElement {
    const { why } = this;
    const managers = this.beside.checked && this.managers?.object === this.object
      ? this.entries(version).map((m) => ({ name: m.name, fields: m.fields })) : [];
    const lines = compare(yamlLines(now, managers), before === undefined ? undefined : yamlLines(before, managers));
    const changed = lines.some((l) => l.change !== "");
    const row = (line: Changed) => h(line.change === "removed" ? "del" : line.change === "" ? "span" : "ins",
      { class: line.change === "changed" ? "kw-line is-changed" : "kw-line" }, line.text,
      line.was === undefined ? undefined : h("small", { class: "kw-was" }, put(why.was, { value: line.was })),
      line.managers.length === 0 ? undefined : h("small", { class: "kw-manager" }, line.managers.join(", ")));
    const sections: Changed[][] = [];
    for (const line of lines) {
      if (/^[^\s-]/.test(line.text) || sections.length === 0) sections.push([line]);
      else sections.at(-1)!.push(line);
    }
    const folded = (section: Changed[]) => section.length === 1 ? row(section[0]!)
      : h("details", { open: true }, h("summary", {}, row(section[0]!)), ...section.slice(1).map(row));
    const box = h("div", { class: "kw-object", tabindex: 0, role: "region", "aria-label": put(why.yaml, { name: this.object }) }, ...sections.map(folded));
    const { drawn } = this;
    this.drawn = { object: this.object, version };
    const was = drawn.object === this.object ? this.body.querySelector(".kw-object")?.scrollTop ?? 0 : 0; // another one is read from its beginning
    requestAnimationFrame(() => {
      const first = drawn.object === this.object && drawn.version !== version ? box.querySelector<HTMLElement>("ins, del") : null;
      box.scrollTop = first ? first.offsetTop - box.clientHeight / 3 : was;
    });
    const hint = before === undefined ? why.first : changed ? why.signs : why.same;
    return h("div", {}, box, h("p", { class: "kw-hint" }, hint));
  }

  private owners(version: number): HTMLElement {
    const { why, known } = this;
    const { identities } = known!;
    const self = identities.of(version + 1);
    if (!self) return h("p", { class: "kw-hint" }, why.alone);
    const named = new Map<string, string>([[self.uid, this.object]]); // uid → object
    const below = new Map<string, string[]>();
    for (const object of this.versions.objects(Math.max(this.index, version)).there) {
      const other = identities.of(this.versions.at(object, Math.max(this.index, version)) + 1);
      if (!other) continue;
      named.set(other.uid, object);
      for (const { uid } of other.owners) below.set(uid, [...(below.get(uid) ?? []), other.uid]);
    }
    const of = (uid: string) => {
      const object = named.get(uid);
      return uid === self.uid ? self : object ? identities.of(this.versions.at(object, Math.max(this.index, version)) + 1) : undefined;
    };
    const vertices = new Map<string, Vertex>();
    const edges: Edge[] = [];
    const add = (uid: string, kind: string, name: string) => {
      const object = named.get(uid);
      vertices.set(uid, { id: uid, kind, name, detail: object ? "" : why.gone, isHere: uid === self.uid, isGone: !object,
        open: object ? () => this.choose(object) : undefined });
    };
    const nameOf = (uid: string) => (named.get(uid) ?? "").replace(/^\S+ (.*\/)?/, "");
    const up = (uid: string) => {
      const node = of(uid);
      if (!node) return;
      if (!vertices.has(uid)) add(uid, node.kind, nameOf(uid));
      for (const owner of node.owners) {
        const isNew = !vertices.has(owner.uid);
        if (isNew) add(owner.uid, owner.kind, owner.name);
        edges.push({ from: owner.uid, to: uid,
          label: [owner.controller ? why.controller : "", owner.blockOwnerDeletion ? "blocks" : ""].filter(Boolean).join(", "),
          isLoose: !named.has(owner.uid) });
        if (isNew) up(owner.uid);
      }
    };
    up(self.uid);
    const down = (uid: string) => {
      for (const child of below.get(uid) ?? []) {
        const node = of(child);
        if (!node || vertices.has(child)) continue;
        add(child, node.kind, nameOf(child));
        for (const owner of node.owners) edges.push({ from: owner.uid, to: child, label: owner.controller ? why.controller : "", isLoose: false });
        down(child);
      }
    };
    down(self.uid);
    if (vertices.size === 1) return h("p", { class: "kw-hint" }, why.alone);
    const frame = drawGraph({ vertices: [...vertices.values()], edges }, why, put);
    return frame;
  }

  private entries(version: number): Manager[] {
    const events = this.versions.of(this.object).filter((i) => i <= version).map((i) => i + 1);
    return managersAt(this.managers!.managers, events);
  }

  /** Managers come after the rest: to work them out takes a moment in a live run. */
  private async showManagers(mine: number): Promise<void> {
    const { why, inspected, object } = this;
    const box = this.body.querySelector<HTMLElement>(".kw-managers");
    if (!box) return;
    const version = this.shownVersion();
    if (this.managers?.object !== object || version >= this.managers.frames) {
      const frames = inspected.frames.length;
      this.managers = { object, managers: await inspected.worlds.managers(object), frames };
      if (mine !== this.drawing) return;
      if (this.beside.checked) return this.draw();
    }
    const entries = this.entries(version);
    if (entries.length === 0) return box.replaceChildren(h("p", { class: "kw-hint" }, why.noManagers));
    box.replaceChildren(...entries.map((m) => {
      const paths = pathsOf(m.fields);
      return h("details", { class: "kw-manager-entry" },
        h("summary", {}, h("b", {}, m.name), ` ${m.operation}${m.subresource ? ` · ${m.subresource}` : ""} · ${m.time} `,
          h("small", {}, `${why.fields}: ${paths.length}`)),
        h("ul", {}, ...paths.map((p) => h("li", {}, p))));
    }));
  }
}

/** The versions around one, when there are too many for a list. */
function near(all: readonly number[], at: number): readonly number[] {
  const from = Math.max(0, Math.min(at - 60, all.length - 120));
  return all.slice(from, from + 120);
}

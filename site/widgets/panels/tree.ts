// The worlds that a reader has, as a tree: what each is called, which is shown,
// and what can be done with it. It is there once there is more than the recording.

import "./tree.css";
import { h, heading, uniqueId } from "../dom/dom";
import { icon } from "../dom/icons";
import type { World } from "../runs/world";
import type { Given } from "../given";
import type { Comparing } from "../runs/comparing";
import type { Worlds } from "../runs/worlds";
import { letterOf, worldWordsOf, type WorldWords } from "../runs/worlds.words";
import { say, seconds } from "../state/phrases";
import type { PlayerState } from "../state/playerstate";
import { put } from "../text";

export class Tree {
  readonly root: HTMLElement;
  private readonly words: WorldWords;
  private readonly list = h("ul", { class: "kw-tree" });
  private renaming: World | undefined;
  private was = "";

  constructor(private readonly given: Given, private readonly state: PlayerState, private readonly worlds: Worlds, private readonly comparing: Comparing) {
    const words = (this.words = worldWordsOf(given.lang));
    const title = uniqueId();
    this.root = h("section", { class: "kw-worlds", role: "group", "aria-labelledby": title },
      heading(given.level, words.branches, { id: title }), this.list);
    this.show();
  }

  /** What a world is called. */
  name(world: World): string {
    return nameOf(world, this.actions(world), this.words);
  }

  /** What was done in a world and not in the one that it left, in words; and by what it is built otherwise. */
  private actions(world: World): string[] {
    const { lang, phrases, scenario } = this.given;
    const { whatIf, parent } = world;
    const label = scenario.whatIf?.find(({ id }) => id === whatIf)?.label;
    const switched = whatIf === "" || whatIf === parent?.whatIf ? [] : [label?.[lang] ?? label?.["en"] ?? whatIf];
    return [...switched, ...world.actions((frame) => `${say(phrases, frame)} · ${seconds(frame.at)}`)];
  }

  /** Takes in what changed. */
  show(): void {
    const { all, shown } = this.worlds;
    this.root.hidden = all.length < 2;
    const now = JSON.stringify([all.map((w) => [w.label, this.name(w), this.rests(w), w.parent?.label]), shown.map((w) => w.label), this.renaming?.label]);
    if (now === this.was) return;
    this.was = now;
    const had = document.activeElement?.closest<HTMLElement>("[data-do]")?.dataset["do"];
    const inside = this.list.contains(document.activeElement);
    this.list.replaceChildren(...this.branches(undefined));
    if (!inside) return;
    const again = this.list.querySelector<HTMLElement>(`[data-do="${had}"]`) ?? this.list.querySelector<HTMLElement>("[aria-current]");
    again?.focus({ preventScroll: true });
  }

  /** Whether it is said that a world's events are not kept: not while they are made again, to be compared. */
  private rests(world: World): boolean {
    return world.isParked && !(this.comparing.isWanted && !this.worlds.comparison);
  }

  private branches(parent: World | undefined): HTMLElement[] {
    return this.worlds.all.filter((world) => world.parent === parent).map((world) => {
      const below = this.branches(world);
      return h("li", {}, this.row(world), below.length > 0 ? h("ul", {}, ...below) : undefined);
    });
  }

  /** Compares a world with the one that is shown. On a phone the panel would lie over what is said of both. */
  private async compare(world: World): Promise<void> {
    const came = await this.comparing.compare(this.worlds.inspected, world);
    if (came && matchMedia("(width < 60rem)").matches) this.state.reveal();
  }

  private row(world: World): HTMLElement {
    const { worlds, comparing, words } = this;
    const label = letterOf(world, words);
    const isShown = worlds.shown.includes(world);
    const name = this.name(world);
    const rests = this.rests(world);
    if (this.renaming === world) return h("div", { class: "kw-world" }, badge(label), this.field(world, name));
    const button = (what: string, text: string, sign: "rename" | "bin", click: () => void) =>
      h("button", { type: "button", class: "kw-icon-button", "data-do": `${what}-${label}`,
        "aria-label": put(text, { world: label }), title: put(text, { world: label }), click }, icon(sign));
    return h("div", { class: `kw-world${isShown ? " is-shown" : ""}` },
      h("button", { type: "button", class: "kw-world-name", "data-do": `visit-${label}`, ...(isShown ? { "aria-current": "true" } : {}),
        ...(rests ? { title: words.parked } : {}), click: () => void comparing.visit(world) },
        badge(label), h("span", {}, name), rests ? h("small", {}, words.parked) : undefined),
      isShown ? undefined : h("button", { type: "button", class: "kw-button kw-compare-button", "data-do": `compare-${label}`,
        click: () => void this.compare(world) },
        world.branch ? put(words.compareWith, { world: label }) : words.compareRecording),
      ...(world.branch ? [
        button("rename", words.rename, "rename", () => { this.renaming = world; this.show(); this.list.querySelector("input")?.select(); }),
        button("drop", words.drop, "bin", () => comparing.drop(world)),
      ] : []));
  }

  private field(world: World, name: string): HTMLElement {
    const field = h("input", { type: "text", class: "kw-rename", value: name, "aria-label": this.words.renamed,
      "data-do": `visit-${letterOf(world, this.words)}`, maxlength: 80 });
    const done = (keep: boolean) => {
      if (this.renaming !== world) return;
      if (keep && field.value.trim() !== name) world.name = field.value.trim();
      this.renaming = undefined;
      this.show();
    };
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      done(event.key === "Enter");
    });
    field.addEventListener("blur", () => done(true));
    queueMicrotask(() => field.focus());
    return field;
  }
}

export const badge = (label: string) => h("b", { class: "kw-letter" }, label);

/** What a world is called: as the reader says, or by what was done. */
export function nameOf(world: World, actions: readonly string[], words: WorldWords): string {
  if (world.name) return world.name;
  if (!world.branch) return words.recording;
  const [first = ""] = actions;
  return actions.length > 1 ? `${first} ${put(words.more, { n: actions.length - 1 })}` : first;
}

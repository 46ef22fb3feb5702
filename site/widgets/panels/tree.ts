// The worlds that a reader has, as a tree: what each is called, which is shown,
// and what can be done with it. It is there once there is more than the recording.

import "./tree.css";
import { h, heading, put, uniqueId, type Level } from "../dom/dom";
import { icon } from "../dom/icons";
import type { World } from "../runs/world";
import { worldWordsOf, type WorldWords } from "../runs/worlds.words";

export interface TreeHost {
  lang: string;
  level: Level;
  /** Each before those that leave it. */
  readonly worlds: readonly World[];
  /** Those that are shown: one, or two that are compared. */
  readonly shown: readonly World[];
  /** What was done in a world and not in the one that it left, in words. */
  actions(world: World): string[];
  visit(world: World): void;
  compare(world: World): void;
  drop(world: World): void;
}

export class Tree {
  readonly root: HTMLElement;
  private readonly words: WorldWords;
  private readonly list = h("ul", { class: "kw-tree" });
  private renaming: World | undefined;
  private was = "";

  constructor(private readonly host: TreeHost) {
    const words = (this.words = worldWordsOf(host.lang));
    const title = uniqueId();
    this.root = h("section", { class: "kw-worlds", role: "group", "aria-labelledby": title },
      heading(host.level, words.branches, { id: title }), this.list);
    this.show();
  }

  /** What a world is called. */
  name(world: World): string {
    return nameOf(world, this.host.actions(world), this.words);
  }

  letter(world: World): string {
    return letterOf(world, this.words);
  }

  /** Takes in what changed. */
  show(): void {
    const { host } = this;
    this.root.hidden = host.worlds.length < 2;
    const now = JSON.stringify([host.worlds.map((w) => [w.label, this.name(w), w.isParked, w.parent?.label]), host.shown.map((w) => w.label), this.renaming?.label]);
    if (now === this.was) return;
    this.was = now;
    const had = document.activeElement?.closest<HTMLElement>("[data-do]")?.dataset["do"];
    const inside = this.list.contains(document.activeElement);
    this.list.replaceChildren(...this.branches(undefined));
    if (!inside) return;
    const again = this.list.querySelector<HTMLElement>(`[data-do="${had}"]`) ?? this.list.querySelector<HTMLElement>("[aria-current]");
    again?.focus({ preventScroll: true });
  }

  private branches(parent: World | undefined): HTMLElement[] {
    return this.host.worlds.filter((world) => world.parent === parent).map((world) => {
      const below = this.branches(world);
      return h("li", {}, this.row(world), below.length > 0 ? h("ul", {}, ...below) : undefined);
    });
  }

  private row(world: World): HTMLElement {
    const { host, words } = this;
    const label = letterOf(world, words);
    const isShown = host.shown.includes(world);
    const name = this.name(world);
    if (this.renaming === world) return h("div", { class: "kw-world" }, badge(label), this.field(world, name));
    const button = (what: string, text: string, sign: "rename" | "bin", click: () => void) =>
      h("button", { type: "button", class: "kw-icon-button", "data-do": `${what}-${label}`, "aria-label": put(text, { world: label }), title: put(text, { world: label }), click }, icon(sign));
    return h("div", { class: `kw-world${isShown ? " is-shown" : ""}` },
      h("button", { type: "button", class: "kw-world-name", "data-do": `visit-${label}`, ...(isShown ? { "aria-current": "true" } : {}),
        ...(world.isParked ? { title: words.parked } : {}), click: () => host.visit(world) },
        badge(label), h("span", {}, name), world.isParked ? h("small", {}, words.parked) : undefined),
      isShown ? undefined : h("button", { type: "button", class: "kw-button kw-compare-button", "data-do": `compare-${label}`, click: () => host.compare(world) },
        put(words.compareWith, { world: label })),
      ...(world.branch ? [
        button("rename", words.rename, "rename", () => { this.renaming = world; this.show(); this.list.querySelector("input")?.select(); }),
        button("drop", words.drop, "bin", () => host.drop(world)),
      ] : []));
  }

  private field(world: World, name: string): HTMLElement {
    const field = h("input", { type: "text", class: "kw-rename", value: name, "aria-label": this.words.renamed, "data-do": `visit-${letterOf(world, this.words)}`, maxlength: 80 });
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

export const letterOf = (world: World, words: WorldWords) => world.label || words.letter;

/** What a world is called: as the reader says, or by what was done. */
export function nameOf(world: World, actions: readonly string[], words: WorldWords): string {
  if (world.name) return world.name;
  if (!world.branch) return words.recording;
  const [first = ""] = actions;
  return actions.length > 1 ? `${first} ${put(words.more, { n: actions.length - 1 })}` : first;
}

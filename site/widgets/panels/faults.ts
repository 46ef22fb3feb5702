// What a reader can break, whatever the author offers: a component, a node or a Pod
// is chosen, here or by looking at it, and a menu has what can be done to it now.
// Below stand the faults that are on, each with what mends it.

import "./faults.css";
import { h, heading, put, setAttr, uniqueId, type Level } from "../dom/dom";
import { faultWordsOf, type FaultWords } from "./faults.words";
import { icon, type Icon } from "../dom/icons";
import type { Frame, Shape } from "../state/recording";
import { activeFaults, type FaultInput, type Fault } from "../state/activefaults";

export interface FaultsHost {
  lang: string;
  level: Level;
  give(input: FaultInput): void;
  /** The reader chose what to look at. */
  look(about: string): void;
}

type Shapes = ReadonlyMap<string, Shape>;

/** One line of the menu: a button, and what there is to choose with it. */
interface Act {
  /** Its words' key. */
  does: string;
  sign: Icon;
  choices?: readonly string[];
  deed(choice: string): FaultInput;
}

/** In the order of the list. What is looked at is called so: "kube-scheduler", "nodes node-1", "pods default/web-x". */
interface Targets {
  control: string[];
  node: string[];
  pod: string[];
}

const slowness = ["500ms", "2s", "5s"];
const natural = new Intl.Collator("en", { numeric: true });
const componentRoles = new Set(["apiserver", "store", "scheduler", "controller", "minor"]);

export class Faults {
  readonly root: HTMLElement;
  private readonly words: FaultWords;
  private readonly select: HTMLSelectElement;
  private readonly menu = h("div", { class: "kw-break-menu", role: "group" });
  private readonly list = h("ul", { class: "kw-broken" });
  private readonly none: HTMLElement;
  private about = "";
  private chosen = new Map<string, string>(); // what was chosen beside a button, by its words' key
  private targets: Targets = { control: [], node: [], pod: [] };
  private drawn = { targets: "", menu: "", list: "" };
  private on: Fault[] = [];
  private shapes: Shapes = new Map();

  constructor(private readonly host: FaultsHost) {
    const words = (this.words = faultWordsOf(host.lang));
    const title = uniqueId();
    this.select = h("select", { class: "kw-break-target", "aria-label": words.target, change: () => host.look(this.select.value) });
    this.none = h("p", { class: "kw-hint" }, words.none);
    this.root = h("div", { class: "kw-break" },
      h("div", { class: "kw-break-choice" }, this.select, h("span", { class: "kw-hint" }, words.hint)),
      this.menu,
      h("section", { role: "group", "aria-labelledby": title }, heading(host.level, words.on, { id: title }, true), this.none, this.list));
  }

  /** What the reader looks at; what cannot be broken is not taken. */
  choose(about: string): void {
    const name = about === "etcd" ? "store" : about.startsWith("kubelet/") || about.startsWith("containerd/") || about.startsWith("kube-proxy/") ? `nodes ${about.slice(about.indexOf("/") + 1)}` : about;
    if (name !== "" && !Object.values(this.targets).some((all: string[]) => all.includes(name))) return;
    this.about = name;
    this.draw();
  }

  focus(): void {
    (this.about === "" ? this.select : (this.menu.querySelector<HTMLElement>("button") ?? this.select)).focus();
  }

  /** Shows a moment; frames are those of what came from outside (Timeline.outside). */
  show(shapes: Shapes, frames: readonly Frame[], index: number): void {
    this.shapes = shapes;
    this.on = activeFaults(frames, index);
    this.targets = targetsOf(shapes);
    this.draw();
  }

  private draw(): void {
    this.drawTargets();
    this.drawMenu();
    this.drawList();
  }

  private drawTargets(): void {
    const { words, targets } = this;
    if (this.about !== "" && !Object.values(targets).some((all: string[]) => all.includes(this.about))) this.about = ""; // it is gone
    const key = JSON.stringify(targets);
    if (key !== this.drawn.targets && document.activeElement !== this.select) {
      this.drawn.targets = key;
      this.select.replaceChildren(h("option", { value: "" }, words.choose), ...(["control", "node", "pod"] as const).filter((g) => targets[g].length > 0).map((group) => {
        const options = h("optgroup", { label: words.groups[group] });
        options.append(...targets[group].map((about) => h("option", { value: about }, shortName(about))));
        return options;
      }));
    }
    if (this.select.value !== this.about) this.select.value = this.about;
  }

  private drawMenu(): void {
    const { words, menu, about } = this;
    const acts = about === "" ? [] : this.acts(about);
    const key = JSON.stringify([about, acts.map((a) => a.does)]);
    if (key === this.drawn.menu) return;
    this.drawn.menu = key;
    const name = shortName(about);
    const focused = menu.contains(document.activeElement);
    setAttr(menu, "aria-label", name);
    menu.hidden = acts.length === 0;
    menu.replaceChildren(...acts.map((act) => {
      const text = words.does[act.does] ?? act.does;
      let choice: HTMLSelectElement | undefined;
      if (act.choices) {
        choice = h("select", { class: "kw-break-how", "aria-label": `${text}: ${words.how[act.does] ?? ""}`, change: () => this.chosen.set(act.does, choice!.value) },
          ...act.choices.map((c) => h("option", { value: c, selected: this.chosen.get(act.does) === c }, words.modes[c] ?? c)));
      }
      const button = h("button", { type: "button", class: `kw-button kw-break-act kw-break-${act.does}`, "aria-label": `${text}: ${name}`,
        click: () => this.host.give(act.deed(choice?.value ?? "")) }, icon(act.sign), text);
      return h("span", { class: "kw-break-item" }, button, choice);
    }));
    if (focused) this.focus();
  }

  private drawList(): void {
    const { words, list } = this;
    const key = JSON.stringify(this.on);
    if (key === this.drawn.list) return;
    this.drawn.list = key;
    const focused = list.contains(document.activeElement);
    list.replaceChildren(...this.on.map((fault) => {
      const isLoop = fault.kind === "fail" && (fault.value === "" || fault.value === "crash");
      const what = put(words.is[isLoop ? "crash" : fault.kind] ?? fault.kind, { name: fault.target, value: words.modes[fault.value] ?? fault.value });
      return h("li", {}, h("span", {}, what), h("button", { type: "button", class: "kw-button kw-mend", "aria-label": put(words.mendIt, { what }),
        click: () => this.host.give(fault.mend) }, icon("power"), words.mend));
    }));
    this.none.hidden = this.on.length > 0;
    list.hidden = this.on.length === 0;
    if (focused) (list.querySelector<HTMLElement>("button") ?? this.select).focus();
  }

  /** What can be done to it now. */
  private acts(about: string): Act[] {
    if (about.startsWith("nodes ")) return this.ofNode(about.slice("nodes ".length));
    if (about.startsWith("pods ")) return ofPod(about.slice("pods ".length));
    return this.ofComponent(about === "store" ? "etcd" : about);
  }

  private isOn(kind: string, target: string): boolean {
    return this.on.some((f) => f.kind === kind && f.target === target);
  }

  private ofNode(node: string): Act[] {
    if (this.isOn("kill-node", node)) return [{ does: "start-node", sign: "power", deed: () => ({ kind: "start-node", node }) }];
    const kubelet = `kubelet/${node}`;
    const out: Act[] = [{ does: "kill-node", sign: "close", deed: () => ({ kind: "kill-node", node }) }];
    if (!this.isOn("partition", node)) out.push({ does: "partition", sign: "cut", deed: () => ({ kind: "partition", node }) });
    if (this.isOn("cordon", node)) out.push({ does: "uncordon", sign: "power", deed: () => ({ kind: "kubectl", args: ["uncordon", node] }) });
    else out.push({ does: "cordon", sign: "close", deed: () => ({ kind: "kubectl", args: ["cordon", node] }) });
    out.push({ does: "drain", sign: "close", deed: () => ({ kind: "kubectl", args: ["drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--force"] }) });
    if (this.isOn("stop", kubelet)) out.push({ does: "start-kubelet", sign: "power", deed: () => ({ kind: "start", component: kubelet }) });
    else {
      out.push({ does: "stop-kubelet", sign: "close", deed: () => ({ kind: "stop", component: kubelet }) },
        { does: "drop-watch", sign: "cut", deed: () => ({ kind: "drop-watch", component: kubelet }) },
        { does: "slow-kubelet", sign: "close", choices: slowness, deed: (value) => ({ kind: "slow-kubelet", node, value }) });
    }
    out.push({ does: "fill-memory", sign: "close", choices: ["4Gi", "7Gi"], deed: (value) => ({ kind: "fill-memory", node, value }) },
      { does: "fill-disk", sign: "close", choices: ["80Gi", "95Gi"], deed: (value) => ({ kind: "fill-disk", node, value }) });
    return out;
  }

  private ofComponent(component: string): Act[] {
    const slow: Act = { does: "slow", sign: "close", choices: component === "etcd" ? ["200ms", "2s", "8s"] : slowness, deed: (value) => ({ kind: "slow", component, value }) };
    const fail = (...choices: string[]): Act => ({ does: "fail", sign: "close", choices, deed: (value) => ({ kind: "fail", component, value }) });
    if (this.isDown(component)) return [{ does: "start", sign: "power", deed: () => ({ kind: "start", component }) }];
    const stop: Act = { does: "stop", sign: "close", deed: () => ({ kind: "stop", component }) };
    if (component === "etcd") return [stop, slow, fail("no-leader", "no-space")];
    if (component === "kube-apiserver") return [stop, slow, fail("503 50%", "503 100%", "500 50%", "429 50%")];
    const out: Act[] = [stop, { does: "drop-watch", sign: "cut", deed: () => ({ kind: "drop-watch", component }) }];
    if (!this.isOn("partition", component)) out.push({ does: "cut-component", sign: "cut", deed: () => ({ kind: "partition", component }) });
    out.push(slow);
    if (!this.isOn("fail", component)) out.push({ does: "crash", sign: "close", deed: () => ({ kind: "fail", component }) });
    if (component === "workqueue-example" && !this.isOn("fail", component)) out.push(fail("no-space"));
    return out;
  }

  private isDown(component: string): boolean {
    for (const s of this.shapes.values()) if (s.k === "box" && s.about === component && componentRoles.has(s.role)) return s.s === "down";
    return false;
  }
}

function ofPod(key: string): Act[] {
  const at = key.indexOf("/");
  const of: { resource: string; namespace: string; name: string } = { resource: "pods", namespace: key.slice(0, at), name: key.slice(at + 1) };
  return [
    { does: "delete", sign: "close", deed: () => ({ kind: "delete", ...of }) },
    { does: "crash-container", sign: "close", deed: () => ({ kind: "crash-container", ...of }) },
    { does: "use-memory", sign: "close", choices: ["200Mi", "1Gi", "4Gi"], deed: (value) => ({ kind: "use-memory", ...of, value }) },
    { does: "use-cpu", sign: "close", choices: ["500m", "2"], deed: (value) => ({ kind: "use-cpu", ...of, value }) },
  ];
}

function targetsOf(shapes: Shapes): Targets {
  const out = { control: new Set<string>(), node: new Set<string>(), pod: new Set<string>() };
  for (const s of shapes.values()) {
    if (s.k !== "box" || !s.about) continue;
    if (componentRoles.has(s.role)) out.control.add(s.about);
    else if (s.role === "node") out.node.add(s.about);
    else if (s.role === "pod") out.pod.add(s.about);
  }
  return { control: [...out.control].sort(natural.compare), node: [...out.node].sort(natural.compare), pod: [...out.pod].sort(natural.compare) };
}

/** As a list calls it: "node-1", "web-x", "shop/web-x", "etcd". */
function shortName(about: string): string {
  if (about === "store") return "etcd";
  return about.slice(about.indexOf(" ") + 1).replace(/^default\//, "");
}

// What can be done to a component, a node or a Pod: a row of buttons, of those that make
// sense at the moment that is shown.

import { h, setAttr } from "../dom/dom";
import { icon, type Icon } from "../dom/icons";
import { operatorFaults, type Config } from "../generated/cluster";
import type { Actions } from "../runs/actions";
import { isOfPod, isTerminated, type Fault, type FaultInput } from "../state/activefaults";
import type { Shape } from "../state/recording";
import type { FaultWords } from "./faults.words";

type Shapes = ReadonlyMap<string, Shape>;

/** One line of the menu: a button, and what there is to choose with it. */
interface Act {
  /** Its words' key. */
  does: string;
  sign: Icon;
  choices?: readonly string[];
  input(choice: string): FaultInput;
}

const slowness = ["500ms", "2s", "5s"];
/** Who takes part in the control plane, by the roles of their boxes. */
export const componentRoles: ReadonlySet<string> = new Set(["apiserver", "store", "scheduler", "controller", "minor"]);

export class BreakMenu {
  readonly root = h("div", { class: "kw-break-menu", role: "group", hidden: true });
  private chosen = new Map<string, string>(); // what was chosen beside a button, by its words' key
  private drawn = "";
  private on: readonly Fault[] = [];
  private shapes: Shapes = new Map();

  constructor(private readonly words: FaultWords, private readonly actions: Actions, private readonly cluster: Config) {}

  /** Gives the focus to its first button; false when there is none. */
  focus(): boolean {
    const button = this.root.querySelector<HTMLElement>("button");
    button?.focus();
    return button !== null;
  }

  /** Shows what can be done at a moment, with the faults that are on; nothing for "". */
  show(about: string, shapes: Shapes, on: readonly Fault[]): void {
    this.shapes = shapes;
    this.on = on;
    const { words, root } = this;
    const acts = about === "" ? [] : this.acts(about);
    const how = this.byPod(about);
    const note = how && words.byPod[how];
    const key = JSON.stringify([about, acts.map((a) => a.does), note]);
    if (key === this.drawn) return;
    this.drawn = key;
    const name = shortName(about);
    const focused = root.contains(document.activeElement);
    setAttr(root, "aria-label", name);
    root.hidden = acts.length === 0 && !note;
    const items = acts.map((act) => {
      const text = words.does[act.does] ?? act.does;
      let choice: HTMLSelectElement | undefined;
      if (act.choices) {
        choice = h("select", { class: "kw-break-how", "aria-label": `${text}: ${words.how[act.does] ?? ""}`,
          change: () => this.chosen.set(act.does, choice!.value) },
          ...act.choices.map((c) => h("option", { value: c, selected: this.chosen.get(act.does) === c }, words.modes[c] ?? c)));
      }
      const button = h("button", { type: "button", class: `kw-button kw-break-act kw-break-${act.does}`, "aria-label": `${text}: ${name}`,
        click: () => void this.actions.act(act.input(choice?.value ?? "")) }, icon(act.sign), text);
      return h("span", { class: "kw-break-item" }, button, choice);
    });
    root.replaceChildren(...items, ...(note ? [h("p", { class: "kw-hint", tabindex: -1 }, note)] : []));
    if (focused && !this.focus()) root.querySelector("p")?.focus();
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
    const terminate: Act[] = this.cluster.cloud ? [{ does: "terminate-instance", sign: "bin", input: () => ({ kind: "terminate-instance", node }) }] : [];
    if (this.isOn("kill-node", node)) return [{ does: "start-node", sign: "power", input: () => ({ kind: "start-node", node }) }, ...terminate];
    const kubelet = `kubelet/${node}`;
    const schedules: Act[] = [
      this.isOn("cordon", node)
        ? { does: "uncordon", sign: "power", input: () => ({ kind: "kubectl", args: ["uncordon", node] }) }
        : { does: "cordon", sign: "bar", input: () => ({ kind: "kubectl", args: ["cordon", node] }) },
      { does: "drain", sign: "out", input: () => ({ kind: "kubectl", args: ["drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--force"] }) },
    ];
    if (isTerminated(this.on, node)) return schedules; // there is a Node, and no machine
    const out: Act[] = [...terminate, { does: "kill-node", sign: "crash", input: () => ({ kind: "kill-node", node }) }];
    if (!this.isOn("partition", node)) out.push({ does: "partition", sign: "cut", input: () => ({ kind: "partition", node }) });
    out.push(...schedules);
    if (this.isOn("stop", kubelet)) out.push({ does: "start-kubelet", sign: "power", input: () => ({ kind: "start", component: kubelet }) });
    else {
      out.push({ does: "stop-kubelet", sign: "halt", input: () => ({ kind: "stop", component: kubelet }) },
        { does: "drop-watch", sign: "cut", input: () => ({ kind: "drop-watch", component: kubelet }) },
        { does: "slow-kubelet", sign: "slow", choices: slowness, input: (value) => ({ kind: "slow-kubelet", node, value }) });
    }
    out.push({ does: "fill-memory", sign: "fill", choices: ["4Gi", "7Gi"], input: (value) => ({ kind: "fill-memory", node, value }) },
      { does: "fill-disk", sign: "fill", choices: ["80Gi", "95Gi"], input: (value) => ({ kind: "fill-disk", node, value }) });
    return out;
  }

  private ofComponent(component: string): Act[] {
    const slow: Act = { does: "slow", sign: "slow", choices: component === "etcd" ? ["200ms", "2s", "8s"] : slowness,
      input: (value) => ({ kind: "slow", component, value }) };
    const fail = (...choices: string[]): Act => ({ does: "fail", sign: "crash", choices, input: (value) => ({ kind: "fail", component, value }) });
    if (this.byPod(component)) return [];
    if (this.down(component)) return [{ does: "start", sign: "power", input: () => ({ kind: "start", component }) }];
    const stop: Act = { does: "stop", sign: "halt", input: () => ({ kind: "stop", component }) };
    if (component === "etcd") return [stop, slow, fail("no-leader", "no-space")];
    if (component === "kube-apiserver") return [stop, slow, fail("503 50%", "503 100%", "500 50%", "429 50%")];
    const out: Act[] = [stop, { does: "drop-watch", sign: "cut", input: () => ({ kind: "drop-watch", component }) }];
    if (!this.isOn("partition", component)) out.push({ does: "cut-component", sign: "cut", input: () => ({ kind: "partition", component }) });
    out.push(slow);
    if (!this.isOn("fail", component)) out.push({ does: "crash", sign: "crash", input: () => ({ kind: "fail", component }) });
    const ways = (operatorFaults as Partial<Record<string, string>>)[component];
    if (ways && !this.isOn("fail", component)) out.push(fail(...ways.split(" ").filter((way) => way !== "route-quota" || this.cluster.cloudRoutes)));
    return out;
  }

  /** How a component does not run; "" for one that does. */
  private down(component: string): "down" | "unstarted" | "" {
    const name = targetOf(component);
    for (const s of this.shapes.values()) {
      if (s.k !== "box" || !s.about || targetOf(s.about) !== name || !componentRoles.has(s.role)) continue;
      return s.s === "down" || s.s === "unstarted" ? s.s : "";
    }
    return "";
  }

  /** The same of what nobody but its Pod starts; "" for all others. */
  private byPod(about: string): "down" | "unstarted" | "" {
    return isOfPod(shortName(about), this.cluster) ? this.down(about) : "";
  }
}

function ofPod(key: string): Act[] {
  const at = key.indexOf("/");
  const of: { resource: string; namespace: string; name: string } = { resource: "pods", namespace: key.slice(0, at), name: key.slice(at + 1) };
  return [
    { does: "delete", sign: "bin", input: () => ({ kind: "delete", ...of }) },
    { does: "crash-container", sign: "crash", input: () => ({ kind: "crash-container", ...of }) },
    { does: "use-memory", sign: "fill", choices: ["200Mi", "1Gi", "4Gi"], input: (value) => ({ kind: "use-memory", ...of, value }) },
    { does: "use-cpu", sign: "fill", choices: ["500m", "2"], input: (value) => ({ kind: "use-cpu", ...of, value }) },
  ];
}

/** In the order of the list. What is looked at is called so: "kube-scheduler", "nodes node-1", "pods default/web-x". */
export interface Targets {
  control: string[];
  node: string[];
  pod: string[];
}

const natural = new Intl.Collator("en", { numeric: true });

/** What there is in a picture that something can be done to. */
export function targetsOf(shapes: Shapes): Targets {
  const out = { control: new Set<string>(), node: new Set<string>(), pod: new Set<string>() };
  for (const s of shapes.values()) {
    if (s.k !== "box" || !s.about) continue;
    if (componentRoles.has(s.role)) out.control.add(s.about);
    else if (s.role === "node") out.node.add(s.about);
    else if (s.role === "pod") out.pod.add(s.about);
  }
  return { control: [...out.control].sort(natural.compare), node: [...out.node].sort(natural.compare), pod: [...out.pod].sort(natural.compare) };
}

/** What something is called among the targets: a node for what runs on it. */
export function targetOf(about: string): string {
  if (about === "etcd") return "store";
  return /^(kubelet|containerd|kube-proxy)\//.test(about) ? `nodes ${about.slice(about.indexOf("/") + 1)}` : about;
}

/** Whether something is among the targets. */
export const isTarget = (targets: Targets, about: string) => Object.values(targets).some((all: string[]) => all.includes(about));

/** As a list calls it: "node-1", "web-x", "shop/web-x", "etcd". */
export function shortName(about: string): string {
  if (about === "store") return "etcd";
  return about.slice(about.indexOf(" ") + 1).replace(/^default\//, "");
}

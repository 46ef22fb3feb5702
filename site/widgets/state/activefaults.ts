// What is broken at a moment, and what mends it: a fold over what was done to the
// cluster from outside. It says what was done, whoever did it, the author or the reader.
// A program that a Pod runs is mended by its kubelet, too, which starts it again.

import { podPrograms, staticPods, type Config } from "../generated/cluster";
import { attr, type Frame } from "./recording";
import type { Input } from "./scenario";

export type FaultInput = Omit<Input, "at">;

/** A fault that goes on. */
export interface Fault {
  /** What it is: a kind of input, or "cordon". */
  kind: string;
  /** Who it befalls: a node, a component, an image; "" for the registry. */
  target: string;
  /** How much: "2s", "503 50%", "7Gi". */
  value: string;
  /** What is gone for good has none, nor has a program that nobody but its Pod starts. */
  mend?: FaultInput;
}

/** Whether the cloud has no machine for a node any more. */
export const isTerminated = (on: readonly Fault[], node: string) => on.some((f) => f.kind === "terminate-instance" && f.target === node);

/** Whether nobody but its Pod starts a component: its kubelet does, with the container, and no reader can. */
export const isOfPod = (component: string, { kubeadm }: Pick<Config, "kubeadm">) =>
  `${podPrograms} ${kubeadm ? staticPods : ""}`.split(" ").includes(component);

/** The faults that are on as of a frame of a cluster, in the order in which they began. */
export function activeFaults(frames: readonly Frame[], index: number, cluster: Pick<Config, "kubeadm">): Fault[] {
  const on = new Map<string, Fault>();
  const begin = (kind: string, target: string, value: string, mend?: FaultInput) => {
    const key = `${kind} ${target}`;
    on.delete(key); // it begins anew
    on.set(key, { kind, target, value, ...(mend && { mend }) });
  };
  const end = (kind: string, target: string) => on.delete(`${kind} ${target}`);
  for (let i = 0; i <= index && i < frames.length; i++) {
    const frame = frames[i]!;
    if (frame.op === "component.start") {
      // Whoever started it: a kubelet starts what its Pods run, and that has the node behind its name.
      end("stop", frame.who);
      end("stop", frame.who.split("/")[0]!);
    }
    if (frame.op !== "input") continue;
    const of = (name: string) => String(attr(frame, name) ?? "");
    const [kind, node, component, value] = [of("kind"), of("node"), of("component"), of("value")];
    switch (kind) {
      case "kill-node":
        begin(kind, node, "", { kind: "start-node", node });
        end("stop", `kubelet/${node}`); // it boots with its machine
        break;
      case "terminate-instance":
        begin(kind, node, "");
        for (const k of ["kill-node", "partition", "fill-memory", "fill-disk", "slow-kubelet"]) end(k, node); // with the machine
        end("stop", `kubelet/${node}`);
        break;
      case "start-node": end("kill-node", node); break;
      case "stop": begin(kind, component, "", isOfPod(component, cluster) ? undefined : { kind: "start", component }); break;
      case "start": end("stop", component); break;
      case "partition": case "slow": case "fail":
        begin(kind, node + component, value, { kind: "heal", ...(node ? { node } : { component }), value: kind });
        break;
      case "heal":
        for (const k of value ? [value] : ["partition", "slow", "fail"]) end(k, node + component);
        break;
      case "registry-down": begin(kind, "", "", { kind: "registry-up" }); break;
      case "registry-up": end("registry-down", ""); break;
      case "lose-image": begin(kind, frame.o?.trim() ?? "", "", { kind: "restore-image", name: frame.o?.trim() ?? "" }); break;
      case "restore-image": end("lose-image", frame.o?.trim() ?? ""); break;
      case "fill-memory": case "fill-disk": case "slow-kubelet":
        if (/^0+\D*$/.test(value)) end(kind, node);
        else begin(kind, node, value, { kind, node, value: kind === "slow-kubelet" ? "0s" : "0" });
        break;
      case "kubectl": {
        const [verb = "", ...rest] = of("command").split(/\s+/);
        const name = rest.find((word) => !word.startsWith("-")) ?? "";
        if (name === "") break;
        if (verb === "cordon" || verb === "drain") begin("cordon", name, "", { kind: "kubectl", args: ["uncordon", name] });
        if (verb === "uncordon") end("cordon", name);
      }
    }
  }
  return [...on.values()];
}

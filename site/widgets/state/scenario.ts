// What a demo is and what is done to it: playground/demo/scenario/scenario.go and
// playground/cluster/input.go, as far as a page reads them. The rest travels
// through to the control plane untouched.

export const kinds = [
  "apply", "create", "scale", "delete", "kill-node", "start-node", "drop-watch", "stop", "start", "kubectl",
  "crash-container", "use-memory", "use-cpu", "registry-down", "registry-up", "lose-image", "restore-image", "fill-memory", "fill-disk",
  "slow-kubelet", "partition", "slow", "fail", "heal", "load", "set-metric", "request", "reconfigure",
] as const;

export type Kind = (typeof kinds)[number];

/** Something that somebody does, and when: ns of virtual time since the epoch. */
export interface Input {
  at: number;
  kind: Kind;
  manifest?: unknown;
  resource?: string;
  namespace?: string;
  name?: string;
  replicas?: number;
  grace?: number;
  node?: string;
  component?: string;
  container?: string;
  value?: string;
  metric?: string;
  url?: string;
  from?: string;
  args?: string[];
  profiles?: unknown;
}

export interface Step extends Input {
  id?: string;
}

export interface Control {
  kind: Kind;
  label?: Record<string, string> | null;
  resource?: string;
  namespace?: string;
  name?: string;
  min?: number;
  max?: number;
  targets?: string[] | null;
  examples?: string[] | null;
  node?: string;
  container?: string;
  value?: string;
  metric?: string;
  url?: string;
  from?: string;
  profiles?: { name: string; profiles: unknown }[] | null;
}

/** One condition of an exercise's goal: the control plane judges it. */
export interface Part {
  text?: Record<string, string> | null;
}

export interface Exercise {
  id: string;
  task: Record<string, string>;
  from?: string;
  offset?: number; // ns
  begin?: number; // ns since the epoch: where it begins, and what the answer's times count from
  version?: string;
  goal?: Part[] | null;
  never?: Part[] | null;
  holds?: number; // ns
  within?: number; // ns
  predict?: { text: Record<string, string>; right?: boolean; why: Record<string, string> }[] | null;
  hints?: { when?: unknown[] | null; text: Record<string, string> }[] | null;
  answer?: Step[] | null;
}

/** A counterfactual: the same, but for one switch. */
export interface WhatIf {
  id: string;
  label?: Record<string, string> | null;
  text?: Record<string, string> | null;
}

/** The trace that has every event (playground/trace, Level). */
export const everything = 2;
/** The one that has counts. */
export const totals = 4;

export interface Scenario {
  name: string;
  title: Record<string, string>;
  seed: number;
  cluster: { trace: number }; // how much is kept of what happens (playground/trace, Level)
  focus?: string; // whose inside is the picture; that of the whole cluster without it
  setup: number; // ns
  steps: Step[] | null;
  end: number; // ns
  controls?: Control[] | null;
  exercises?: Exercise[] | null;
  whatIf?: WhatIf[] | null;
  manifests?: Record<string, unknown> | null;
}

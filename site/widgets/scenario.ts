// What a demo is and what is done to it: playground/scenario/scenario.go and
// playground/cluster/input.go, as far as a page reads them. The rest travels
// through to the control plane untouched.

export const kinds = [
  "apply", "create", "scale", "delete", "kill-node", "start-node", "drop-watch", "stop", "start", "kubectl",
  "crash-container", "use-memory", "use-cpu", "registry-down", "registry-up", "lose-image", "restore-image", "fill-memory", "fill-disk",
  "slow-kubelet", "load", "set-metric", "request", "reconfigure",
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

export interface Scenario {
  name: string;
  title: Record<string, string>;
  seed: number;
  setup: number; // ns
  steps: Step[] | null;
  end: number; // ns
  controls?: Control[] | null;
  manifests?: Record<string, unknown> | null;
}

// What the module exports, as types alone: the package's declarations are made of this file and of what it imports.

import type { Config, Input } from "../widgets/generated/cluster";
import type { Outcome, TraceEvent } from "../widgets/generated/jsapi";

export type { Config, Input, Kind } from "../widgets/generated/cluster";
export type { Delta, ObjectReference, Outcome, TraceEvent } from "../widgets/generated/jsapi";
export type { CellKind, Op } from "../widgets/generated/trace";
export type { Json } from "../widgets/generated/json";

export interface Options {
  /** What chance begins with: 1 by itself. The same seed and the same calls give the same trace, while the clock is paused. */
  seed?: number;
  /** How many nodes run Pods: 3 by itself. */
  nodes?: number;
  /** How many seconds pass in the cluster in one second: 1 by itself. 0 has the clock paused from the beginning. */
  speed?: number;
  /** What else the cluster is made of. */
  config?: Partial<Config>;
  /** Where kubewalk.wasm.zst is, if it is not beside the module. */
  wasm?: string | URL;
}

export interface Cluster {
  /**
   * Sends a request to the API server: a path such as "/api/v1/pods", or an address of which the path and the query count. The response
   * of a watch, or of a log that is followed, has a body that goes on until it is cancelled. While the clock is paused, as much time passes as the
   * response takes. It rejects with a TypeError if the API server does not answer.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  readonly clock: Clock;
  /** Does something to the cluster that is no request: a fault, a load. While the clock is paused, as much time passes as that takes. */
  input(input: Omit<Input, "at">): Promise<Outcome>;
  /** Runs a command of kubectl's, word by word: kubectl("get", "pods", "-o", "wide"). */
  kubectl(...words: string[]): Promise<Outcome>;
  /** What has happened, from an event's number on; 1 is the first. */
  trace(from?: number): Promise<TraceEvent[]>;
  /** Ends the cluster, with all responses that go on. */
  close(): void;
}

export interface Clock {
  /** The time in the cluster. */
  now(): Promise<Date>;
  /** Lets so many milliseconds pass at once, and resolves when they have. */
  advance(ms: number): Promise<void>;
  /** From now on, time passes only with advance, and while somebody waits for a response. */
  pause(): Promise<void>;
  /** From now on, so many seconds pass in one second; 0 pauses. */
  speed(factor: number): Promise<void>;
}

/** Starts a cluster in a worker of its own, and resolves when its nodes are ready. */
export type CreateCluster = (options?: Options) => Promise<Cluster>;

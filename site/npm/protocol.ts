// What the module and its worker send each other.

import type { FetchArgument, GiveArgument, Message, OpenArgument, TraceEvent } from "../widgets/generated/jsapi";

/** What the worker can be asked, and what it answers. */
export interface Calls {
  open: { argument: { module: WebAssembly.Module; open: OpenArgument; speed: number }; answer: null };
  advance: { argument: number; answer: null };
  speed: { argument: number; answer: null };
  now: { argument: null; answer: number }; // ms since 1970
  trace: { argument: number; answer: TraceEvent[] };
}

/** To the worker. What fetch and give begin is answered by messages. */
export type Asked =
  | { [C in keyof Calls]: { id: number; call: C; argument: Calls[C]["argument"] } }[keyof Calls]
  | { id: number; call: "fetch"; argument: FetchArgument }
  | { id: number; call: "give"; argument: GiveArgument }
  | { id: number; call: "cancel"; argument: null };

/** From the worker: an answer, why there is none, or a part of a response. A failure without a number is the end of everything. */
export type Told = { id: number; answer: unknown } | { id: number; failed: string } | { message: Message };

/** A worker, or the page that it works for. */
export interface Port<Out, In> {
  send(message: Out): void;
  receive(take: (message: In) => void): void;
}

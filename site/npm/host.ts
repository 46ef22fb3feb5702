// What the worker does: it holds the control plane, and lets time pass in it.

import type { Functions, RunArgument, TraceEvent } from "../widgets/generated/jsapi";
import type { Asked, Calls, Port, Told } from "./protocol";

/** Go's own glue defines it, which the build puts into the worker's script (generator/build/assets). */
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

type Bridge = Record<keyof Functions, (text: string) => string>;

/** How far the cluster may be behind the clock, ms; when it falls back more, it goes slower instead of catching up. */
const maxLag = 1000;
/** For how long somebody who waits may let time pass, µs in the cluster: an hour. */
const patience = 3600e6;
/** The highest speed. */
const maxSpeed = 1000;

export function serve(port: Port<Told, Asked>): void {
  let bridge: Bridge | undefined;
  let speed = 0;
  let now = 0; // µs since the cluster's epoch
  let epoch = 0; // ms since 1970
  let began = 0; // when the clock showed what from says
  let from = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function call<F extends keyof Functions>(name: F, argument: Functions[F]["argument"]): Functions[F]["answer"] {
    const text = bridge![name](JSON.stringify(argument));
    if (typeof text !== "string") throw new Error("the control plane has stopped");
    const answer = JSON.parse(text) as Functions[F]["answer"] & { error?: string };
    if (typeof answer.error === "string") throw new Error(answer.error);
    return answer;
  }

  /** Lets time pass, at most as much as happens at once, and hands on what comes of requests. */
  function pass(argument: RunArgument): Functions["run"]["answer"] {
    const answer = call("run", argument);
    now = answer.now;
    for (const message of answer.messages) port.send({ message });
    return answer;
  }

  /** Lets time pass up to a moment, or until what is waited for is there; false if it is not. */
  function through(argument: RunArgument): boolean {
    for (;;) {
      const { done } = pass(argument);
      if (done) return now < argument.until;
    }
  }

  const wanted = () => from + (performance.now() - began) * 1000 * speed;
  const setClock = () => ([began, from] = [performance.now(), now]);

  function tick(): void {
    clearTimeout(timer);
    if (!speed) return;
    try {
      const until = Math.floor(wanted());
      const { done, next } = pass({ until: Math.max(until, now) });
      if (until - now > maxLag * 1000 * speed) setClock();
      timer = setTimeout(tick, done ? Math.min(Math.max((next < 0 ? Infinity : next - until) / speed / 1000, 0), 1000) : 0);
    } catch (error) {
      fail(0, error);
    }
  }

  const fail = (id: number, error: unknown) => port.send({ id, failed: error instanceof Error ? error.message : String(error) });

  /** Goes on: with the clock, or for as long as somebody who waits needs. */
  function goOn(id: number): void {
    if (speed) tick();
    else if (!through({ until: now + patience, for: id })) port.send({ message: { id, failed: "no answer came within an hour of the cluster's time" } });
  }

  function setSpeed(factor: number): void {
    if (!(factor >= 0 && factor <= maxSpeed)) throw new RangeError(`speed ${factor} is not a number between 0 and ${maxSpeed}`);
    speed = factor;
    setClock();
    tick();
  }

  async function open({ module, open, speed: factor }: Calls["open"]["argument"]): Promise<void> {
    const go = new Go();
    const instance = await WebAssembly.instantiate(module, go.importObject);
    void go.run(instance).then(() => fail(0, "the control plane has stopped"), (error: unknown) => fail(0, error));
    bridge = (globalThis as { kubewalkCluster?: Bridge }).kubewalkCluster;
    if (!bridge) throw new Error("the control plane did not start");
    epoch = Date.parse(call("open", open).epoch);
    if (!through({ until: patience, ready: true })) throw new Error("the nodes are not ready after an hour of the cluster's time");
    setSpeed(factor);
  }

  const answers: { [C in keyof Calls]: (argument: Calls[C]["argument"]) => Calls[C]["answer"] | Promise<Calls[C]["answer"]> } = {
    open: async (argument) => (await open(argument), null),
    advance: (ms) => {
      if (!(ms >= 0)) throw new RangeError(`${ms} ms is no time to advance by`);
      through({ until: Math.round(now + ms * 1000) });
      setClock();
      tick();
      return null;
    },
    speed: (factor) => (setSpeed(factor), null),
    now: () => epoch + now / 1000,
    trace: (first) => {
      const all: TraceEvent[] = [];
      for (;;) {
        const { events, more }: Functions["trace"]["answer"] = call("trace", { from: first + all.length });
        all.push(...events);
        if (!more) return all;
      }
    },
  };

  port.receive((asked) => {
    const { id } = asked;
    try {
      switch (asked.call) {
        case "cancel":
          call("cancel", { id });
          break;
        case "fetch":
        case "give":
          tick();
          call(asked.call, asked.argument as never);
          goOn(id);
          break;
        default:
          void (async () => port.send({ id, answer: await answers[asked.call](asked.argument as never) }))().catch((error: unknown) => fail(id, error));
      }
    } catch (error) {
      fail(id, error);
    }
  });
}

// A cluster as a program has it: its calls go to the worker, its responses come back in parts.

import type { Input } from "../widgets/generated/cluster";
import type { FetchArgument, Message, Outcome } from "../widgets/generated/jsapi";
import { unzstd } from "../widgets/runs/zstd";
import type { Cluster, Options } from "./api";
import type { Asked, Calls, Port, Told } from "./protocol";

/** The worker of one cluster. */
export interface Host extends Port<Asked, Told> {
  terminate(): void;
  /** Hears why the worker has ended by itself. */
  ended(take: (why: string) => void): void;
}

/** Somebody who waits: for an answer, or for the parts of a response. */
interface Waiting {
  take(told: { answer: unknown } | Message): void;
  fail(why: Error): void;
}

/** Compiles what lies as Zstandard, or as it is. */
export function compile(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<WebAssembly.Module> {
  return WebAssembly.compileStreaming(new Response(bytes.pipeThrough(unzstd()), { headers: { "Content-Type": "application/wasm" } }));
}

/** Statuses whose responses have no body. */
const bodiless = new Set([101, 204, 205, 304]);

export async function start(host: Host, module: Promise<WebAssembly.Module>, { seed = 1, nodes = 3, speed = 1, config }: Options): Promise<Cluster> {
  let last = 0;
  let over: Error | undefined;
  const waiting = new Map<number, Waiting>();
  const end = (why: Error) => {
    over ??= why;
    for (const one of waiting.values()) one.fail(over);
    waiting.clear();
    host.terminate();
  };
  host.ended((why) => end(new Error(why)));
  host.receive((told) => {
    const id = "message" in told ? told.message.id : told.id;
    const one = waiting.get(id);
    if ("failed" in told) {
      if (id === 0) return end(new Error(told.failed));
      waiting.delete(id);
      one?.fail(new Error(told.failed));
    } else if ("message" in told) {
      one?.take(told.message);
    } else {
      waiting.delete(id);
      one?.take(told);
    }
  });

  const call = <C extends keyof Calls>(name: C, argument: Calls[C]["argument"]): Promise<Calls[C]["answer"]> =>
    new Promise((resolve, reject) => {
      if (over) return reject(over);
      const id = ++last;
      waiting.set(id, { take: (told) => resolve((told as { answer: Calls[C]["answer"] }).answer), fail: reject });
      host.send({ id, call: name, argument } as Asked);
    });

  /** Sends a request whose body is known, and resolves with the head of the response. */
  const send = (asked: Omit<FetchArgument, "id">, signal?: AbortSignal | null): Promise<Response> =>
    new Promise((resolve, reject) => {
      if (over) return reject(over);
      if (signal?.aborted) return reject(signal.reason);
      const id = ++last;
      let body: ReadableStreamDefaultController<Uint8Array> | undefined;
      const encoder = new TextEncoder();
      const done = () => {
        waiting.delete(id);
        signal?.removeEventListener("abort", abort);
      };
      const fail = (why: unknown) => {
        done();
        if (body) body.error(why);
        else reject(why);
      };
      const cancel = () => {
        done();
        if (!over) host.send({ id, call: "cancel", argument: null });
      };
      const abort = () => {
        cancel();
        fail(signal!.reason);
      };
      signal?.addEventListener("abort", abort);
      const take = ({ head, text, end, failed }: Message) => {
        if (failed) return fail(new TypeError(failed));
        if (head) {
          const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (body = controller), cancel });
          resolve(new Response(bodiless.has(head.status) || asked.method === "HEAD" ? null : stream, { status: head.status, headers: head.header }));
        }
        if (text) body?.enqueue(encoder.encode(text));
        if (end) {
          done();
          body?.close();
        }
      };
      waiting.set(id, { take: (told) => take(told as Message), fail });
      host.send({ id, call: "fetch", argument: { id, ...asked } });
    });

  const fetch = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    try {
      const request = input instanceof Request ? input : undefined;
      const at = new URL(request ? request.url : input.toString(), "http://kubewalk");
      const header = new Headers(init.headers ?? request?.headers);
      const method = (init.method ?? request?.method ?? "GET").toUpperCase();
      const asked = { method, url: at.pathname + at.search, header: [...header] };
      const signal = init.signal ?? request?.signal;
      const given = init.body ?? (request?.body ? request : undefined);
      if (given == null) return send(asked, signal);
      if (typeof given === "string") return send({ ...asked, body: given }, signal); // at once, so that calls keep their order
      return (given instanceof Request ? given.text() : new Response(given).text()).then((body) => send({ ...asked, body }, signal));
    } catch (error) {
      return Promise.reject(error);
    }
  };

  const give = (input: Omit<Input, "at">): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      if (over) return reject(over);
      const id = ++last;
      const take = ({ outcome, failed }: Message) => {
        waiting.delete(id);
        if (outcome) resolve(outcome);
        else reject(new Error(failed));
      };
      waiting.set(id, { take: (told) => take(told as Message), fail: reject });
      host.send({ id, call: "give", argument: { id, input } });
    });

  try {
    await call("open", { module: await module, open: { seed, nodes, ...(config && { config }) }, speed });
  } catch (error) {
    end(error as Error);
    throw error;
  }
  return {
    fetch,
    clock: {
      now: async () => new Date(await call("now", null)),
      advance: async (ms) => void (await call("advance", ms)),
      pause: async () => void (await call("speed", 0)),
      speed: async (factor) => void (await call("speed", factor)),
    },
    input: give,
    kubectl: (...args) => give({ kind: "kubectl", args }),
    trace: (from = 1) => call("trace", from),
    close: () => end(new Error("the cluster is closed")),
  };
}

// One worker for the demos that a page has in frames: each frame joins it, and loads nothing that is there.
//
// A page cannot terminate a shared worker, and who is in a loop without end does not terminate itself. But a browser ends a
// shared worker that has lost all its owners. So a frame's part is owned by a frame within it, hidden and empty: who gives the
// worker up removes that one, and tells the other frames to do so. What they ask for next starts another worker.
//
// The inner frame holds a lock as long as it is there. The worker waits for that, and then closes the frame's sessions. And
// by these locks a frame that comes finds the worker that the others have.

import type { Port } from "./runs/engine";
import type { Lock, Request } from "./runs/worker";

/** For how long a worker may say nothing to a frame that joins, ms: it is at something long of another frame's. */
const patienceMs = 10_000;

/** How many workers of a name were given up. */
const abandoned = new Map<string, number>();

/**
 * Joins the worker that the frames of this origin in this page share, or starts it. Undefined where that cannot be, or not now: without
 * SharedWorker (Chrome for Android), without locks (http), where a browser refuses either to a frame of another site.
 */
export async function join(worker: string, wasm: string): Promise<Port | undefined> {
  if (!("SharedWorker" in window) || !("locks" in navigator)) return undefined;
  const owner = document.createElement("iframe");
  owner.hidden = true;
  try {
    const name = `kubewalk ${wasm} `;
    const number = Math.max(abandoned.get(name) ?? 0, ...(await numbersOf(name)));
    const numbered = `${name}${number}`;
    await new Promise((done) => {
      owner.onload = done;
      document.body.append(owner);
    });
    const port = await connected(owner.contentWindow as Window & typeof globalThis, worker, numbered);
    return new Shared(owner, port, numbered, () => abandoned.set(name, number + 1));
  } catch (error) {
    console.info(`no shared worker: ${String(error)}`);
    owner.remove();
    return undefined;
  }
}

/** Of the workers of a name that frames have now. Firefox does not tell that in a page of another site: there a late frame has the first one, anew. */
async function numbersOf(name: string): Promise<number[]> {
  const { held = [] } = await navigator.locks.query().catch((): LockManagerSnapshot => ({}));
  return held.flatMap((lock) => (lock.name?.startsWith(name) ? [parseInt(lock.name.slice(name.length))] : []));
}

/** A port of the worker, which has answered. All of it is the inner frame's. */
async function connected(inner: Window & typeof globalThis, worker: string, name: string): Promise<MessagePort> {
  const lock = `${name} ${crypto.randomUUID()}`;
  await new Promise<void>((held, failed) => {
    inner.navigator.locks.request(lock, () => (held(), new Promise(() => {}))).catch(failed);
  });
  const shared = new inner.SharedWorker(worker, name);
  shared.port.postMessage({ lock } satisfies Lock);
  let timer: ReturnType<typeof setTimeout> | undefined;
  await new Promise<unknown>((answered, failed) => {
    shared.port.onmessage = answered;
    shared.onerror = () => failed(new Error("it did not start"));
    timer = setTimeout(failed, patienceMs, new Error("it is busy"));
  }).finally(() => clearTimeout(timer));
  return shared.port;
}

class Shared implements Port {
  onmessage: Port["onmessage"] = null;
  onerror: Port["onerror"] = null;
  private readonly others: BroadcastChannel;

  constructor(private readonly owner: HTMLElement, private readonly port: MessagePort, name: string, private readonly onEnd: () => void) {
    this.others = new BroadcastChannel(name);
    this.others.onmessage = () => {
      this.leave();
      this.onerror?.(new ErrorEvent("error", { message: "another frame gave up the worker that they share" }));
    };
    port.onmessage = (event) => this.onmessage?.(event);
  }

  postMessage(request: Request): void {
    this.port.postMessage(request);
  }

  /** Gives the worker up, for all frames. */
  terminate(): void {
    if (!this.owner.isConnected) return;
    this.others.postMessage("abandoned");
    this.leave();
  }

  private leave(): void {
    this.onEnd();
    this.others.close();
    this.owner.remove();
  }
}

// The page's side of the worker: one for all demos of a page, started when the
// first reader changes something. Demos in frames share one (../shared.ts).

import { Sessions } from "./sessions";
import { Prewarm } from "./prewarm";
import { policy } from "../../trusted";
import type { Functions } from "../generated/session";
import type { Answer, Build, Loaded, Request } from "./worker";

/** What a page has of a worker. */
export interface Port {
  onmessage: ((event: MessageEvent<Answer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(request: Request): void;
  terminate(): void;
}

export interface Addresses {
  worker: string;
  wasm: string;
  /** Of the wasm as it is, bytes. */
  size: number;
  /** What is at these addresses is in the page itself, which may start a worker only from its text (../dom/single.ts). */
  isSingleFile?: boolean;
  /** Joins the worker that frames share; undefined if there is none to be had. */
  share?: ((worker: string, wasm: string) => Promise<Port | undefined>) | undefined;
  /** Locks that the worker has, too. */
  locks?: Pick<LockManager, "request"> | undefined;
}

/**
 * How long the worker may take for an answer, s; opening a world of thousands of nodes is one. While it loads, this is
 * for how long nothing may come: a slow download is no failure.
 */
const patience = { load: 10, open: 180, other: 20 };

/** For how long nobody has had a turn when something is done in between, ms. */
const quietMs = 60;

/** The control plane has died, or does not answer: all sessions in it are gone. */
export class Stopped extends Error {}

/** The larger build of the control plane is there in place of the other. All sessions are gone, and can be had again. */
class Enlarged extends Error {}

/** Does something, and once more if the control plane had to be enlarged for it. */
export async function enlarging<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Enlarged) return work();
    throw error;
  }
}

type Done = Extract<Answer, { text: string }>;

interface Waiting {
  call: Request["call"];
  /** For how long it has been the page's turn for it, or the worker at it, s. */
  age: number;
  /** Whether the worker has begun; until then a shared one may be at what another frame has asked for. */
  isBegun: boolean;
  resolve(answer: Done): void;
  reject(error: Error): void;
}

export class Engine {
  readonly sessions = new Sessions(async <T>(name: keyof Functions, argument: object) => {
    const answer = await this.call<T>(name, argument);
    if (this.hasMore(answer)) await this.enlarge();
    return answer;
  });
  /** Keeps sessions where the reader is about to do something. */
  readonly prewarm = new Prewarm(this);
  /** Told how much of the control plane has come while it loads, per cent. */
  onProgress: (percent: number) => void = () => {};
  private worker: Port | undefined;
  private isShared = false;
  private loaded: Promise<unknown> | undefined;
  private isAhead = false; // the control plane was fetched before anybody needs it, or is being fetched
  private ahead: Blob | undefined; // and has come
  private ready = false;
  private larger: Build | undefined; // that may be tried
  private isEnlarged = false; // it was
  private readonly waiting = new Map<number, Waiting>();
  private watch: ReturnType<typeof setInterval> | undefined;
  private count = 0;
  private turn: Promise<unknown> = Promise.resolve();
  private turns = 0; // under way and waiting
  private lastTurn = -Infinity; // when one has ended

  constructor(private addresses: Addresses) {}

  /** Whether calls are answered at once. */
  get isReady(): boolean {
    return this.ready;
  }

  /** Starts the worker and loads the control plane, once. What failed may be tried again. */
  load(): Promise<unknown> {
    this.loaded ??= this.start().then(() => (this.ready = true), (error: Error) => {
      this.stop(error);
      throw error;
    });
    return this.loaded;
  }

  /** Fetches the control plane, after everything else that the page fetches, and starts nothing: who acts later waits for no download. */
  fetchAhead(): void {
    const { worker, wasm, isSingleFile } = this.addresses;
    if (this.loaded || this.isAhead || isSingleFile || !isOurs(worker)) return;
    this.isAhead = true;
    const fetched = async (url: string) => (await get(url, { priority: "low" })).blob();
    fetched(wasm).then((blob) => this.loaded || (this.ahead = blob)).then(() => fetched(worker))
      .catch(() => (this.isAhead = false)); // who needs it is told why
  }

  /** Does several calls with nobody else's in between. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.inTurn(work).finally(() => (this.lastTurn = performance.now()));
  }

  /** The same for what nobody waits for: who takes one turn after another is not kept waiting in between. */
  async aside<T>(work: () => Promise<T>): Promise<T> {
    while (this.turns > 0 || performance.now() - this.lastTurn < quietMs) await new Promise((done) => setTimeout(done, quietMs));
    return this.inTurn(work);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.turns++;
    const mine = this.turn.then(work).finally(() => this.turns--);
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  /** Calls the control plane. It throws what that answers as an error. */
  async call<T>(name: keyof Functions, argument: unknown = {}): Promise<T> {
    await this.load();
    const { text, ms } = await this.ask({ call: name, text: JSON.stringify(argument) });
    const answer = JSON.parse(text) as T & { error?: string };
    if (answer && typeof answer === "object" && typeof answer.error === "string") throw new Error(answer.error);
    return name === "run" ? Object.assign(answer, { ms }) : answer;
  }

  /** Asks about something that is not done yet. Telling says that the larger build is fetched, if only that can answer. */
  async judge<T>(name: keyof Functions, argument: object, telling: () => void): Promise<T> {
    const answer = await this.call<T>(name, argument);
    if (!this.hasMore(answer)) return answer;
    telling();
    return enlarging(() => this.exclusively(async () => {
      const again = await this.call<T>(name, argument); // somebody else may have enlarged it
      if (this.hasMore(again)) await this.enlarge();
      return again;
    }));
  }

  /** Whether the control plane says that it cannot do what its larger build does, and there is that. */
  private hasMore(answer: unknown): boolean {
    return this.larger !== undefined && typeof answer === "object" && (answer as { larger?: boolean } | null)?.larger === true;
  }

  /** Takes the larger build from now on, or, where that cannot be had, the other again: as it says itself, it cannot do everything. */
  private async enlarge(): Promise<never> {
    const { addresses, larger } = this;
    const { wasm, size } = larger!;
    const why = new Enlarged();
    this.stop(why);
    this.addresses = { ...addresses, size, wasm: new URL(wasm, absolute(addresses.worker)).href };
    this.isEnlarged = true;
    await this.load().catch((error: unknown) => {
      console.info(String(error));
      this.addresses = addresses;
    });
    throw why;
  }

  private async start(): Promise<void> {
    const { worker, wasm, share, isSingleFile } = this.addresses;
    const hasOwn = !isSingleFile && isOurs(worker);
    const shared = share && hasOwn ? await share(scripts.createScriptURL(absolute(worker)), absolute(wasm)) : undefined;
    this.isShared = shared !== undefined;
    this.worker = shared ?? (hasOwn ? start(worker) : await blobWorker(worker));
    this.worker.onmessage = (event) => this.answered(event.data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.stop(this.ready ? new Stopped(event.message) : new Error(event.message || "the worker did not start"));
    };
    const alive = `kubewalk-alive-${Date.now()}-${Math.random()}`;
    const { text } = await this.ask({ call: "load", alive, wasm: isSingleFile ? await (await get(wasm)).blob() : this.ahead ?? absolute(wasm) });
    this.ahead = undefined;
    this.mourn(this.worker, alive);
    const { first, pages, larger } = JSON.parse(text) as Loaded;
    this.larger = isSingleFile || this.isEnlarged ? undefined : larger;
    this.sessions.begin(first);
    this.sessions.share(pages);
  }

  /** Gives up a worker that has died without a word, as when the machine has no memory left: the lock that it held is free then. */
  private mourn(worker: Port, alive: string): void {
    this.addresses.locks?.request(alive, () => {
      if (this.worker === worker) this.stop(new Stopped("the worker has died"));
    }).catch(() => undefined); // a frame without an origin has no locks
  }

  private ask(request: Omit<Request, "id">): Promise<Done> {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      if (!this.worker) return reject(new Error("the worker has stopped"));
      this.waiting.set(id, { call: request.call, age: 0, isBegun: !this.isShared, resolve, reject });
      this.watch ??= setInterval(() => this.look(), 1000);
      this.worker.postMessage({ ...request, id });
    });
  }

  private answered(answer: Answer): void {
    if ("progress" in answer) {
      for (const waiting of this.waiting.values()) waiting.age = 0;
      return this.onProgress(Math.min(100, Math.round((answer.progress / this.addresses.size) * 100)));
    }
    if ("pages" in answer) return this.sessions.share(answer.pages);
    if ("begun" in answer) {
      const begun = this.waiting.get(answer.begun);
      return begun && void Object.assign(begun, { age: 0, isBegun: true });
    }
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if (this.waiting.size === 0) this.rest();
    if (!("error" in answer)) return waiting?.resolve(answer);
    if (!answer.dead) return waiting?.reject(new Error(answer.error));
    const error = new Stopped(answer.error);
    waiting?.reject(error);
    this.stop(error);
  }

  /**
   * Every second that the page is awake and waits: the worker answers in order, so it is at the oldest of what it was asked,
   * or at something of another frame's, which may be an open. That frame gives the worker up for all of them.
   */
  private look(): void {
    const [oldest] = this.waiting.values();
    if (!oldest) return;
    const call = oldest.isBegun ? oldest.call : "open";
    const most = call === "load" || call === "open" ? patience[call] : patience.other;
    if (++oldest.age < most) return;
    const message = `${oldest.call}: ${most} s`;
    this.stop(oldest.call === "load" ? new Error(message) : new Stopped(message));
  }

  private rest(): void {
    clearInterval(this.watch);
    this.watch = undefined;
  }

  private stop(error: Error): void {
    this.rest();
    this.worker?.terminate();
    this.worker = undefined;
    this.loaded = this.ahead = undefined;
    this.ready = false;
    this.sessions.forget();
    for (const w of this.waiting.values()) w.reject(error);
    this.waiting.clear();
  }
}

const absolute = (url: string) => new URL(url, location.href).href;

async function get(url: string, how?: RequestInit): Promise<Response> {
  const answer = await fetch(url, how);
  if (!answer.ok) throw new Error(`${new URL(absolute(url)).pathname}: ${answer.status}`);
  return answer;
}

/** A frame in a sandbox has no origin: no address is its own. */
const isOurs = (url: string) => origin === new URL(absolute(url)).origin;

let made = ""; // the address of the worker's text

const scripts = policy("kubewalk-worker", {
  createScriptURL: (url) => {
    if (url === made || isOurs(url) && /\/assets\/worker-\w+\.js$/.test(url)) return url;
    throw new TypeError(`${url} is not the worker of this site`);
  },
});

const start = (url: string) => new Worker(scripts.createScriptURL(url));

/** A worker made of its text: a page without an origin, or with a policy of its own, may start no other. */
async function blobWorker(url: string): Promise<Worker> {
  const blob = URL.createObjectURL(new Blob([await (await get(url)).blob()], { type: "text/javascript" }));
  made = blob;
  const started = start(blob);
  setTimeout(() => URL.revokeObjectURL(blob), 60_000); // it is read after the constructor returns
  return started;
}

const engines = new Map<string, Engine>();

/** The page's engine for these addresses. */
export function engineOf(addresses: Addresses): Engine {
  const key = `${addresses.worker} ${addresses.wasm}`;
  let engine = engines.get(key);
  if (!engine) engines.set(key, (engine = new Engine(addresses)));
  return engine;
}

// The page of a session that goes on elsewhere (kubewalk cluster --show; generator/dev/live is the other side). It receives what
// is done to that cluster, with its virtual time, and up to when that is all; a world here runs with the same, and is the same.
// Its end is shown as it comes, until the reader goes to another moment; a button leads back.
//
// A page that nobody sees has no connection: a browser has few of them for one host.

import { h } from "./dom/dom";
import { labelled } from "./panels/reader";
import type { Player } from "./player";
import type { Input } from "./state/scenario";
import { messageOf, put } from "./text";
import { inLanguage } from "../words/language";
import table from "../words/live.json";

/** How far behind the session the run may be while its end is still shown as it comes, and how far for it to be told, µs. */
const near = 1_500_000;
const far = 5_000_000;
/** How near its end playing has to come for the page to follow again, ms of the display. */
const arrivesMs = 1000;
/** How long it waits before it asks again for a stream that was refused, ms. */
const againMs = 3000;

/** What the stream tells. generator/dev/live/live.go has the same. */
interface Told {
  inputs?: Input[];
  /** Up to when all inputs are there, µs. */
  now?: number;
  /** Why nothing more comes. */
  ended?: "closed" | "full";
  /** It is another session than the one whose inputs the page has. */
  other?: boolean;
}

/** Loads what is elsewhere loaded when it is wanted: once the session has ended, nobody answers here. */
const loadAll = () => Promise.allSettled([
  import("./panels/why"), import("./panels/object"), import("./panels/lanes"), import("./panels/faults"), import("./panels/editor"),
  import("./panels/editor.words"), import("./panels/help"), import("./panels/share"), import("./panels/qrcode"), import("./panels/video"),
  import("./picture/reading"), import("./picture/canvaslayer"), import("./relayout"),
]);

type LiveWords = Record<keyof (typeof table)["en"], string>;

/** Has a player follow the session whose stream is at an address, and show it at once if it leads. */
export function follow(player: Player, address: string, leads: boolean): void {
  new Live(player, address, leads);
}

class Live {
  private readonly words: LiveWords;
  private readonly world;
  private readonly button: HTMLButtonElement;
  private stream: EventSource | undefined;
  private newest = ""; // the last message's number, to go on from
  private fresh: Input[] = []; // that the world lacks
  private known = 0; // µs
  private begun = 0; // µs: where catching up began
  private leads: boolean; // the end of the world is shown as it comes
  private ended: Told["ended"];
  private isOver = false; // nothing more comes, and the world has all
  private isRunning = false;
  private hasFailed = false; // which was told; it waits for the reader
  private isMoving = false; // into another layout
  private said = "";

  constructor(private readonly player: Player, private readonly address: string, leads: boolean) {
    const { state, worlds, panels, given } = player;
    this.words = inLanguage<LiveWords>("live", table, given.lang);
    const { recorded } = worlds;
    const at = (recorded.timeline.frames.at(-1)?.at ?? 0) + 1;
    this.world = worlds.branchOff(recorded, at);
    this.world.name = this.words.world;
    this.world.branch!.limit = 0;
    this.leads = leads;
    this.button = h("button", { type: "button", class: "kw-button kw-reset kw-to-live", hidden: true, click: () => void this.lead() },
      ...labelled(this.words.toLive, this.words.brief));
    panels.captions.reserve();
    panels.reader.resetButton.replaceWith(this.button); // the recording is only how the session began
    if (leads) {
      worlds.show(this.world);
      player.transport.trail(state.timeline.length - 1, true);
    }
    state.on("moment", () => this.look());
    state.on("shown", () => {
      this.look();
      void this.run();
    });
    state.on("layout", () => (this.isMoving = this.leads));
    this.look();
    void loadAll();
    document.addEventListener("visibilitychange", () => this.connect());
    this.connect();
  }

  private get isShown(): boolean {
    const { comparison, current } = this.player.worlds;
    return !comparison && current === this.world;
  }

  // —— the stream

  /** Listens while the page is seen and something may come. */
  private connect(): void {
    const isWanted = !document.hidden && !this.ended && this.player.root.isConnected;
    if (!isWanted) this.stream?.close();
    if (!isWanted) this.stream = undefined;
    if (!isWanted || this.stream) return;
    const stream = (this.stream = new EventSource(this.newest ? `${this.address}?after=${this.newest}` : this.address));
    stream.onmessage = (event: MessageEvent<string>) => {
      this.newest = event.lastEventId;
      this.take(JSON.parse(event.data) as Told);
    };
    stream.onerror = () => {
      this.say(this.words.lost);
      if (stream.readyState !== EventSource.CLOSED || stream !== this.stream) return; // the browser tries again
      this.stream = undefined;
      setTimeout(() => this.connect(), againMs);
    };
  }

  private take({ inputs = [], now, ended, other }: Told): void {
    const { state } = this.player;
    if (other) {
      this.end("closed");
      this.isOver = true;
      this.look();
      return state.say(this.words.other, () => location.reload(), this.words.open);
    }
    if (this.said === this.words.lost) this.say("");
    for (const input of inputs) this.fresh.push(input);
    if (now !== undefined) this.known = Math.max(this.known, now);
    if (ended) this.end(ended);
    void this.run();
  }

  private end(why: Told["ended"]): void {
    this.ended = why;
    this.connect();
  }

  // —— the run

  /** Runs the world as far as all is known, while it is looked at. */
  private async run(): Promise<void> {
    if (this.isRunning || this.isOver || this.hasFailed) return;
    const { transport } = this.player;
    this.isRunning = true;
    try {
      for (this.begun = this.reached; this.isShown && (await this.step());) this.follow();
      if (this.hasFailed) transport.stop();
      else if (this.isShown) this.arrived();
      this.look();
    } catch (error) {
      console.info(messageOf(error));
    } finally {
      this.isRunning = false;
    }
  }

  /** Up to when the world has run, µs. */
  private get reached(): number {
    return this.world.timeline.frames.at(-1)?.at ?? 0;
  }

  /** Does a little more. Tells whether there was something to do, and it was done. */
  private async step(): Promise<boolean> {
    const { player: { worlds }, world, fresh } = this;
    const branch = world.branch!;
    if (!worlds.all.includes(world)) { // the reader has dropped it
      this.end("closed");
      return false;
    }
    if (fresh.length > 0 && this.known > 0) {
      this.fresh = [];
      branch.take([...branch.inputs, ...fresh], branch.frameAt(fresh[0]!.at / 1000));
    }
    branch.limit = this.known;
    if (branch.isFull) this.end("full");
    if (!branch.goesOn || branch.isFull) return false;
    const came = await (branch.hasRun ? branch.more() : branch.reach({})); // the first tells how the control plane is loaded
    this.hasFailed = !came && branch === world.branch;
    return came;
  }

  /** Shows what has come, or how far the run is. */
  private follow(): void {
    const { words, known, begun, reached, player: { transport, state: { timeline, head } } } = this;
    const behind = known - reached;
    if (behind > far || this.said) this.say(behind > near ? put(words.catchingUp, { percent: Math.floor(((reached - begun) / (known - begun)) * 100) }) : "");
    const arrives = this.isMoving || (head.playing && timeline.end - head.ms < arrivesMs);
    this.isMoving = false;
    this.leads ||= arrives;
    if (this.leads && (arrives || timeline.length - 1 > head.target)) transport.trail(timeline.length - 1, behind > near);
  }

  /** The world has all that is known. */
  private arrived(): void {
    const { words, ended, player: { transport } } = this;
    if (this.said && this.said !== words.lost) this.say("");
    if (!ended) return;
    this.isOver = true;
    if (this.leads) transport.pause();
    this.say(ended === "full" ? words.tooLong : words.ended);
    this.look();
  }

  // —— what the reader sees

  /** Shows the session's end from now on. */
  private async lead(): Promise<void> {
    const { player: { root, state, transport, worlds }, world } = this;
    root.focus({ preventScroll: true }); // the button goes away
    if (!this.isShown && !(await worlds.visit(world, {}))) return;
    this.hasFailed = false;
    this.leads = true;
    transport.stop();
    transport.trail(state.timeline.length - 1, true);
    state.draw();
    this.look();
    void this.run();
  }

  /** Whoever stops or goes elsewhere does not follow any more. */
  private look(): void {
    const { state } = this.player;
    if (this.leads && !this.isMoving && (!this.isShown || !state.waiting)) this.leads = false;
    this.button.hidden = this.leads || this.isOver;
  }

  private say(text: string): void {
    if (text === this.said) return;
    this.said = text;
    this.player.state.say(text);
  }
}

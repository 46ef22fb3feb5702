// A demo in a frame of somebody's page: how its address asks for it, what the page tells it to do and is told
// (site/embed/protocol.ts), and the keys that are the deck's. Frames that have a name for it show one moment.

import { commandOf, elementName, type Command, type Moment, type Passed, type State, type Wishes } from "../embed/protocol";
import { prefersStill } from "./dom/dom";
import { approach } from "./state/following";
import { BadLink, parse, print } from "./state/link";
import type { Input } from "./state/scenario";
import type { Mark } from "./state/recording";
import type { Player } from "./player";
import { restore } from "./restore";

/** What one frame tells the others of its name: where it is, or, without a link, that it has come and wants to know. */
interface Shared {
  from: number;
  link?: string;
  playing?: boolean;
}

/** The keys of a clicker, and which way they lead. */
const clickerKeys: Readonly<Record<string, 1 | -1 | undefined>> = { PageDown: 1, PageUp: -1 };
/** How often the page and other frames are told at most, ms. */
const pauseMs = 100;
/** For how long a frame that follows leaves it to the one that leads to answer a frame that has come, ms. */
const answersMs = 300;

export class Frame {
  private readonly listening = new AbortController();
  private readonly others: BroadcastChannel | undefined;
  private readonly id = Math.floor(performance.timeOrigin * 1000 + performance.now()); // tells frames apart; nothing is drawn by it
  private until: Mark | undefined; // where playing ends that a command began
  private told = ""; // the state, as the page knows it
  private timer = 0;
  private leads = false; // the moment was chosen here, not in another frame
  private newest: Shared | undefined; // where the others have gone since
  private followed: string | undefined; // the link that was told or followed last
  private isFollowing = false;
  private answer = 0;

  constructor(private readonly player: Player, private readonly demo: string, private readonly wishes: Wishes) {
    const { state, root } = this.player;
    const { signal } = this.listening;
    addEventListener("message", (event) => {
      const command = event.source === parent && parent !== window ? commandOf(event.data) : undefined;
      if (command) this.obey(command);
    }, { signal });
    document.addEventListener("keydown", (event) => this.pressed(event), { signal });
    // Whoever acts leads, and ends what a command began. A clicker's second press does not: it goes there at once.
    const acted = (event: Event) => {
      this.leads = true;
      if (!(event instanceof KeyboardEvent && event.key in clickerKeys)) this.until = undefined;
    };
    for (const kind of ["pointerdown", "keydown"]) root.addEventListener(kind, acted, { capture: true, signal });
    if (wishes.sync !== undefined) {
      this.others = new BroadcastChannel(`kubewalk ${demo} ${wishes.sync}`);
      this.others.onmessage = ({ data }: MessageEvent<Shared>) => (data.link === undefined ? this.welcome() : void this.follow(data));
      this.others.postMessage({ from: this.id } satisfies Shared);
    }
    state.on("moment", () => this.stopWhereAsked());
    state.on(["shown", "moment", "extent", "worlds"], () => this.tellSoon());
    this.tell();
  }

  /** The demo is taken out of the page. */
  close(): void {
    this.listening.abort();
    this.others?.close();
    clearTimeout(this.timer);
    clearTimeout(this.answer);
  }

  /** It is in sight again. */
  cameBack(): void {
    if (this.wishes.again === "reset") this.reset();
  }

  /** The moments that the page shows of the demo. */
  private get marks(): readonly Mark[] {
    const { marks, first } = this.player.state.shown;
    const at = (id: string | undefined) => marks.find((m) => m.id === id)?.frame;
    const [from, to] = [at(this.wishes.start) ?? first, at(this.wishes.end) ?? Infinity];
    return marks.filter((m) => m.frame >= from && m.frame <= to);
  }

  private get index(): number {
    const { head } = this.player.state;
    return this.marks.findLastIndex((m) => m.frame <= head.index);
  }

  private obey(command: Command): void {
    const { transport } = this.player;
    this.leads = command.kubewalk !== "state";
    switch (command.kubewalk) {
      case "play": return transport.play();
      case "pause": return transport.pause();
      case "next": return void this.go(1);
      case "previous": return void this.go(-1);
      case "reset": return this.reset();
      case "go": {
        const mark = this.marks.find((m) => m.id === command.mark);
        return mark && transport.toFrame(mark.frame, mark.d);
      }
      case "state": this.told = "";
    }
    this.tell();
  }

  /** Goes to the next moment by playing, and at once if it is on its way there already; to the one before at once. Tells whether there is one. */
  private go(way: 1 | -1): boolean {
    const { state, transport } = this.player;
    const { marks, until } = this;
    const mark = way === 1 ? (until ?? marks.find((m) => m.frame > state.head.index)) : marks.findLast((m) => m.frame < state.head.index);
    if (!mark) return false;
    this.until = undefined;
    const frame = state.timeline.frames[mark.frame];
    if (way === -1 || until || prefersStill() || !frame) {
      transport.toFrame(mark.frame, mark.d);
      return true;
    }
    transport.stop();
    const from = approach(state.head.ms, frame.d, false, state.head.speed);
    if (typeof from === "number") state.seek(Math.max(0, state.timeline.at(from)));
    this.until = mark;
    transport.play();
    return true;
  }

  private reset(): void {
    const { worlds, transport, state } = this.player;
    this.until = undefined;
    transport.stop();
    worlds.show(worlds.recorded, worlds.recorded.first);
    state.draw();
    void this.player.open(this.wishes.start, !this.wishes.paused);
  }

  private stopWhereAsked(): void {
    const { state, transport } = this.player;
    if (!state.playing) return;
    const end = this.wishes.end === undefined || worldIsReaders(this.player) ? undefined : state.shown.marks.find((m) => m.id === this.wishes.end);
    const stop = this.until ?? end;
    if (!stop || state.head.index < stop.frame) return;
    this.until = undefined;
    transport.stop();
    transport.toFrame(stop.frame, stop.d);
  }

  // —— the page around it

  private tellSoon(): void {
    this.timer ||= window.setTimeout(() => {
      this.timer = 0;
      this.tell();
    }, pauseMs);
  }

  private tell(): void {
    const { state, given } = this.player;
    const { marks, index } = this;
    const moments = marks.map(({ id, caption }): Moment => ({ mark: id, caption: caption[given.lang] ?? "" }));
    const now: State = {
      kubewalk: "state", demo: this.demo, moments, moment: index, playing: state.playing,
      hasNext: marks.some((m) => m.frame > state.head.index), hasPrevious: marks.some((m) => m.frame < state.head.index),
      time: Math.round(state.us / 1000) / 1000, isReader: worldIsReaders(this.player),
    };
    // Several events have one time, as far as it is told.
    const text = JSON.stringify({ ...now, time: now.playing ? 0 : [now.time, state.head.index] });
    if (text === this.told) return;
    this.told = text;
    if (parent !== window) parent.postMessage(now, "*"); // it may be a file, or in a sandbox: such a page has no origin to name
    this.share();
  }

  /** Keys that the demo has no use for are the deck's. */
  private pressed(event: KeyboardEvent): void {
    if (parent === window || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const way = clickerKeys[event.key];
    if (way) {
      this.leads = true;
      event.preventDefault();
      if (this.wishes.clicker && this.go(way)) return;
      parent.postMessage({ kubewalk: "passed", way: way === 1 ? "next" : "previous" } satisfies Passed, "*");
      if (window.name !== elementName) parent.postMessage(JSON.stringify({ method: way === 1 ? "next" : "prev" }), "*"); // reveal.js takes this
      return;
    }
    if (/^[a-z.]$/i.test(event.key)) parent.postMessage(JSON.stringify({ method: "triggerKey", args: [event.keyCode] }), "*"); // its overview, pause, notes
  }

  // —— frames that show one moment

  private share(): void {
    const { state, worlds } = this.player;
    if (!this.others || !this.leads || state.shown.isPair) return;
    const { inputs, whatIf } = worlds.current;
    const event = state.timeline.frames[state.head.index]?.e;
    const link = print({ demo: this.demo, seed: worlds.scenarioOf(worlds.current).seed, inputs: [...inputs], ...(whatIf ? { whatIf } : {}), at: state.us,
      ...(event === undefined ? {} : { event }) });
    this.followed = link;
    this.others.postMessage({ from: this.id, link, playing: state.playing } satisfies Shared);
  }

  /** A frame has come: the one that leads tells it where to go, or, if that is gone, one that followed it. */
  private welcome(): void {
    if (this.leads) return this.share();
    if (this.followed === undefined) return;
    clearTimeout(this.answer);
    this.answer = window.setTimeout(() => {
      this.others?.postMessage({ from: this.id, link: this.followed!, playing: this.player.state.playing } satisfies Shared);
    }, answersMs);
  }

  /** Goes where another frame is. What comes on the way there replaces what came before it. */
  private async follow(shared: Shared): Promise<void> {
    if (shared.from === this.id) return;
    clearTimeout(this.answer);
    this.leads = false;
    this.newest = shared;
    if (this.isFollowing) return;
    this.isFollowing = true;
    try {
      for (let next; (next = this.newest);) {
        this.newest = undefined;
        await this.join(next);
      }
    } finally {
      this.isFollowing = false;
    }
  }

  private async join({ link = "", playing = false }: Shared): Promise<void> {
    const { state, transport, worlds } = this.player;
    this.followed = link;
    try {
      const experiment = parse(`#${link}`);
      if (!experiment) return;
      const { at, event } = experiment;
      const { current } = worlds;
      const course = (of: { inputs: readonly Input[]; whatIf?: string }) =>
        print({ demo: this.demo, seed: 0, inputs: [...of.inputs], ...(of.whatIf ? { whatIf: of.whatIf } : {}), at: 0 });
      if (course(current) !== course(experiment)) {
        await restore(this.player, experiment);
      } else if (!playing || !state.playing) {
        const { branch } = current;
        if (branch && branch.until <= at) await branch.reach({ us: at }); // this run is not as far yet
        if (this.leads || this.newest || worlds.current !== current) return;
        transport.toFrame(event !== undefined ? event - 1 : state.timeline.atVirtual(at));
      }
    } catch (error) {
      if (!(error instanceof BadLink)) throw error;
      return; // another version of the site is in the other frame
    }
    if (this.leads || this.newest) return;
    if (playing && !state.playing) transport.play();
    else if (!playing && state.playing) transport.pause();
  }
}

const worldIsReaders = ({ worlds }: Player) => worlds.current.branch !== undefined;

const isTyping = ({ target }: Event) => target instanceof Element && target.closest("input:not([type=range]), textarea, select, [contenteditable]") !== null;

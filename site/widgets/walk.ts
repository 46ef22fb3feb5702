// A demo beside its text (generator/markdown/walks.go): reading on is the main
// control. The paragraph at the reading line that speaks of a moment takes the
// picture there, forwards by playing and backwards at once. Whoever takes the
// controls is left in peace until they follow a link to a moment again.

import { prefersStill } from "./dom/dom";
import type { Worlds } from "./runs/worlds";
import { current, approach } from "./state/following";
import type { PlayerState } from "./state/playerstate";
import type { Transport } from "./state/transport";

/** The reading line, in parts of what is seen of the text. */
const line = 0.45;

export class Walk {
  /** The text leads. */
  private following = true;
  /** The text has led the picture somewhere. */
  private led = false;
  private readonly links: { link: HTMLAnchorElement; block: Element; mark: string }[] = [];
  private at = -1;
  private until: number | undefined; // the frame at which playing ends
  private loop = 0;
  private listening = new AbortController();
  private readonly sizes = new ResizeObserver(() => this.measure());
  private readonly sight = new IntersectionObserver((entries) => this.seen(entries.at(-1)!.isIntersecting), { rootMargin: "0px 0px -35% 0px" });

  /** root is the demo and its text; player and captions are its parts. */
  constructor(
    private readonly root: HTMLElement, private readonly demo: string, private readonly state: PlayerState, private readonly transport: Transport,
    private readonly worlds: Worlds, private readonly player: HTMLElement, private readonly captions: HTMLElement,
  ) {
    const anchor = `#demo-${demo}-`;
    for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')) {
      const hash = link.getAttribute("href")!;
      const block = [...root.querySelectorAll(":scope > .walk-text > *")].find((part) => part.contains(link));
      if (hash.startsWith(anchor) && block) this.links.push({ link, block, mark: hash.slice(anchor.length) });
    }
    this.watch();
  }

  watch(): void {
    this.listening = new AbortController();
    const { signal } = this.listening;
    addEventListener("scroll", () => this.read(), { passive: true, signal });
    for (const kind of ["pointerdown", "keydown"]) this.player.addEventListener(kind, () => this.leave(), { signal });
    // An exercise begins where it begins.
    document.addEventListener("click", ({ target }) => {
      const box = target instanceof Element && target.closest<HTMLElement>(".exercise");
      if (box && box.dataset["demo"] === this.demo) this.leave();
    }, { signal });
    this.sizes.observe(this.captions.parentElement!);
    if (this.dock) this.sizes.observe(this.dock);
    this.sight.observe(this.root);
  }

  unwatch(): void {
    this.listening.abort();
    this.sizes.disconnect();
    this.sight.disconnect();
    cancelAnimationFrame(this.loop);
  }

  /** Whether the text has taken the picture somewhere: then the demo does not play by itself. */
  get leads(): boolean {
    return this.led && this.following;
  }

  /** The reader follows the text again. */
  follow(): void {
    this.following = true;
    this.until = undefined;
    this.led = true;
    this.at = this.marked();
    this.show();
  }

  private leave(): void {
    this.following = false;
    this.until = undefined;
    this.at = -1;
    this.show();
  }

  private get dock(): HTMLElement | null {
    return this.player.querySelector<HTMLElement>(".kw-dock");
  }

  /** On narrow screens the controls lie at the window's end as long as the demo's text is in sight. */
  private seen(isInSight: boolean): void {
    this.player.classList.toggle("is-docked", isInSight);
    if (!isInSight) this.state.reveal();
  }

  private measure(): void {
    const front = this.captions.parentElement!;
    this.player.style.setProperty("--front", `${front.offsetHeight}px`);
    this.player.style.setProperty("--dock", `${this.dock?.offsetHeight ?? 0}px`);
  }

  /** The link at the reading line. */
  private marked(): number {
    const player = this.player.getBoundingClientRect();
    const isAbove = player.width > innerWidth * 0.8; // pinned over the text
    const from = isAbove ? Math.max(0, player.bottom) : 0;
    const to = innerHeight - (isAbove ? (this.dock?.offsetHeight ?? 0) : 0);
    return current(this.links.map(({ link }) => link.getBoundingClientRect().top), from + (to - from) * line);
  }

  private read(): void {
    const { state, transport, worlds } = this;
    if (!this.following || worlds.current.branch || worlds.isComparing) return;
    const at = this.marked();
    if (at === this.at) return;
    if (at < 0 && !this.led) return; // the demo plays by itself until the text leads
    this.at = at;
    this.led = true;
    this.show();
    const { timeline, shown: { marks, first } } = state;
    const mark = marks.find((m) => m.id === this.links[at]?.mark);
    const frame = at < 0 ? first : mark?.frame;
    if (frame === undefined) return;
    if (frame >= timeline.length) return transport.toFrame(frame, mark?.d); // it is being loaded
    const step = approach(state.head.ms, timeline.frames[frame]!.d);
    transport.stop();
    if (step === "there" || prefersStill()) {
      this.until = undefined;
      if (state.head.index !== frame) state.seek(frame);
      return;
    }
    if (step !== undefined) state.seek(Math.max(0, timeline.at(step)));
    this.until = frame;
    state.head.rests = new Map(); // what is told on the way is in the text
    transport.play();
    this.start();
  }

  private start(): void {
    if (this.loop) return;
    const tick = () => {
      this.loop = 0;
      const { until, state } = this;
      if (until === undefined) return;
      if (state.head.index < until && state.playing) {
        this.loop = requestAnimationFrame(tick);
        return;
      }
      this.until = undefined;
      state.measure(); // rests again
      if (state.head.index < until) return; // somebody stopped it
      this.transport.stop();
      state.seek(until);
      state.went = until;
    };
    this.loop = requestAnimationFrame(tick);
  }

  /** Marks where the text and the picture are together. */
  private show(): void {
    const now = this.following ? this.links[this.at] : undefined;
    for (const { link, block } of this.links) {
      if (link !== now?.link) link.classList.remove("is-now");
      if (block !== now?.block) block.classList.remove("is-now");
    }
    now?.link.classList.add("is-now");
    now?.block.classList.add("is-now");
  }
}

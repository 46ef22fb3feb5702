// A demo beside its text (generator/render/markdown/walks.go): reading on is the main
// control. The paragraph at the reading line that speaks of a moment takes the
// picture there, forwards by playing and backwards at once; its caption stands there
// from the beginning. A paragraph with several moments has them one after another, as fast as it is read: each when the text up to it can
// have been read, or when the one before has left what is seen of the text.
// Who scrolls past paragraphs sees the end of the way to the last.
// Whoever takes the controls is left in peace until they follow a link to a moment again.

import { prefersStill } from "./dom/dom";
import { comeBeside, hasGuest } from "./guest";
import type { Worlds } from "./runs/worlds";
import { approach, current, towards } from "./state/following";
import { readingMs } from "./state/pace";
import type { PlayerState } from "./state/playerstate";
import type { Transport } from "./state/transport";

/** The reading line, in parts of what is seen of the text: below a picture that is little, and what stands in it is read. */
const lines = { beside: 0.45, below: 0.65 };
/** Who comes to another moment within so long is scrolling past moments, ms. */
const passingMs = 200;
/** For how long the picture comes up where it jumps, ms. */
const fadeMs = 240;
/** Between what is read and a panel below it, px. */
const gap = 8;

/** A link of the text to a moment. */
interface Link {
  link: HTMLAnchorElement;
  block: Element;
  mark: string;
}

/**
 * The links that take the picture along. A number that the demo has checked tells of a moment, too, but the text may speak of another one:
 * it leads to a moment that its paragraph names, if any, and never beyond the moment that is named next.
 */
function leading(links: Link[], marks: string[]): Link[] {
  const isChecked = ({ link }: Link) => link.title !== ""; // it says what was checked
  return links.filter((each, i) => {
    if (!isChecked(each)) return true;
    const named = links.filter((other) => other.block === each.block && !isChecked(other));
    if (named.length > 0 && !named.some(({ mark }) => mark === each.mark)) return false;
    const next = links.slice(i).find((other) => !isChecked(other));
    return !next || marks.indexOf(each.mark) <= marks.indexOf(next.mark);
  });
}

export class Walk {
  /** The text leads. */
  private following = true;
  /** The text has led the picture somewhere. */
  private led = false;
  private links: Link[] = [];
  private wanted = -1; // the link at the reading line
  private at = -1; // the one that the picture has been taken to: that, or one on the way there
  private until: number | undefined; // the frame at which playing ends
  private loop = 0;
  private came = -Infinity; // when the text came to it
  private soon = 0;
  private shown: Element | undefined; // the paragraph that the picture was with last
  private isInSight = false;
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
    this.links = leading(this.links, state.shown.marks.map((m) => m.id));
    this.watch();
  }

  watch(): void {
    this.listening = new AbortController();
    const { signal } = this.listening;
    addEventListener("scroll", () => this.read(), { passive: true, signal });
    for (const kind of ["pointerdown", "click", "keydown"]) {
      this.player.addEventListener(kind, (event) => void (takesOver(event) && this.leave()), { signal });
    }
    // An exercise begins where it begins.
    document.addEventListener("click", ({ target }) => {
      const box = target instanceof Element && target.closest<HTMLElement>(".exercise");
      if (!box || box.dataset["demo"] !== this.demo) return;
      this.leave();
      this.visit();
    }, { signal });
    // What is opened leaves what is being read, and is closed by whoever turns to the text again.
    this.state.on("panel", (panel) => void (panel && !signal.aborted && this.makeRoom(0.5)));
    this.state.on("opened", ({ asksWhy }) => void (asksWhy && this.state.panel && !signal.aborted && this.makeRoom(0.38))); // the answer is long
    this.state.on("exercise", () => void (this.state.panel && !signal.aborted && this.uncover()));
    document.addEventListener("click", ({ target }) => {
      if (this.state.panel && target instanceof Element && target.closest(".walk-text") && !target.closest(".exercise")) this.state.reveal();
    }, { signal });
    document.addEventListener("keydown", ({ key, target }) => {
      if (key === "Escape" && this.state.panel && target === document.body) this.state.reveal();
    }, { signal });
    this.sizes.observe(this.captions.closest(".kw-front")!);
    this.sizes.observe(this.captions);
    if (this.dock) this.sizes.observe(this.dock);
    this.sight.observe(this.root);
  }

  unwatch(): void {
    this.listening.abort();
    this.sizes.disconnect();
    this.sight.disconnect();
    cancelAnimationFrame(this.loop);
    this.later();
  }

  /** The demo is there. Where the reader has come to in its text already, the picture goes. */
  begin(): void {
    if (scrollY > 0) this.read();
  }

  /**
   * It is seen, and nobody has led it anywhere: it plays by itself up to its first moment. The text or the reader takes it on from there.
   * Beside a text that leads nowhere, as on the home page, it goes on playing.
   */
  introduce(): void {
    const { state: { captioned, head }, transport } = this;
    const first = captioned[0]?.frame;
    if (first === undefined || this.links.length === 0) return transport.play();
    if (head.index >= first) return;
    this.until = first;
    transport.play();
    this.start();
  }

  /** Whether the text has taken the picture somewhere: then the demo does not play by itself. */
  get leads(): boolean {
    return this.led && this.following;
  }

  /** The reader went to a moment by its link, and follows the text again. */
  follow(mark: string): void {
    this.halt();
    this.following = this.led = true;
    this.at = this.wanted = this.marked();
    const near = this.links.filter((each) => each.mark === mark);
    this.show(near.find((each) => each === this.links[this.at]) ?? near[0]);
    this.state.bind(this.frameOf(mark));
    if (this.visit()) this.leave();
  }

  /** The demo comes beside the text with what the reader has pressed, if that is another demo's. */
  private visit(): boolean {
    const demo = this.player.closest<HTMLElement>(".demo");
    return demo !== null && comeBeside(demo, () => this.player.classList.add("is-docked"), () => this.seen(this.isInSight));
  }

  /** The reader goes on by themselves. */
  leave(): void {
    this.following = false;
    this.at = this.wanted = -1;
    this.halt();
    this.show();
    this.state.bind();
  }

  /** The picture is under way no more. */
  private halt(): void {
    this.later();
    if (this.until === undefined) return;
    this.until = undefined;
    this.state.passes(false);
  }

  private frameOf(mark: string | undefined): number | undefined {
    return this.state.shown.marks.find((m) => m.id === mark)?.frame;
  }

  private get dock(): HTMLElement | null {
    return this.player.querySelector<HTMLElement>(".kw-dock");
  }

  /** On narrow screens the controls lie at the window's end as long as the demo's text is in sight. */
  private seen(isInSight: boolean): void {
    this.isInSight = isInSight;
    const isHere = isInSight || this.player.closest(".is-guest") !== null; // beside another text it is in sight with that
    this.player.classList.toggle("is-docked", isHere);
    if (!isHere) this.state.reveal();
  }

  private measure(): void {
    const front = this.captions.closest<HTMLElement>(".kw-front")!;
    this.player.style.setProperty("--front", `${front.offsetHeight}px`);
    this.player.style.setProperty("--stage", `${this.player.querySelector<HTMLElement>(".kw-stage")!.offsetHeight}px`);
    this.player.style.setProperty("--over", `${Math.max(0, this.captions.offsetHeight - this.captions.parentElement!.clientHeight)}px`);
    this.player.style.setProperty("--dock", `${this.dock?.offsetHeight ?? 0}px`);
  }

  /**
   * A panel comes: below the paragraph that is being read, or below the picture, which is brought to its place for it. It begins no lower
   * than at a part of the player's height: the text moves up for the rest.
   */
  private makeRoom(most: number): void {
    const { top, height } = this.player.getBoundingClientRect();
    if (this.isAbove) return scrollBy({ top: Math.max(0, top), behavior: "instant" });
    const read = this.paragraph()?.getBoundingClientRect();
    const below = this.putBelow(((read?.bottom ?? 0) + gap - top) / height, most);
    const covered = (read?.bottom ?? 0) + gap - top - below * height;
    if (!read || covered <= 0) return;
    const toItsPlace = top - parseFloat(getComputedStyle(this.player.closest(".demo")!).top); // so far the picture moves with the text
    scrollBy({ top: Math.min(covered + Math.max(0, toItsPlace), read.top - gap), behavior: prefersStill() ? "instant" : "smooth" });
  }

  /** The paragraph that is being read: the last that the picture was with, if that is still there to be read, or that at the reading line. */
  private paragraph(): Element | undefined {
    const at = this.line();
    const isHere = (block: Element | undefined) => {
      const { top, bottom } = block?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
      return bottom > top && bottom > 0 && top <= at;
    };
    return isHere(this.shown) ? this.shown : [...document.querySelectorAll(".walk-text > *")].findLast(isHere);
  }

  /** The panel begins there, in parts of the player's height, and leaves itself some of that. */
  private putBelow(part: number, most: number): number {
    const at = Math.round(100 * Math.min(most, Math.max(0.3, part)));
    this.player.style.setProperty("--below", `${at}%`);
    return at / 100;
  }

  /** The panel lies over an exercise: it leaves what that says. */
  private uncover(): void {
    const exercise = document.querySelector(".walk-text .kw-exercise.is-active");
    const said = exercise?.querySelector(".kw-exercise-result:not([hidden])") ?? exercise;
    if (!said || this.isAbove) return;
    const { top, height } = this.player.getBoundingClientRect();
    const { bottom } = said.getBoundingClientRect();
    this.putBelow((bottom + 8 - top) / height, 0.7);
    const covered = bottom + 8 - this.player.querySelector(".kw-sidepanel")!.getBoundingClientRect().top;
    if (covered > 0) scrollBy({ top: covered, behavior: prefersStill() ? "instant" : "smooth" });
  }

  /** Whether the picture is pinned over the text. */
  private get isAbove(): boolean {
    return this.player.offsetWidth > innerWidth * 0.8;
  }

  /** Where the part of the text that is seen begins. */
  private top(): number {
    return this.isAbove ? Math.max(0, this.player.getBoundingClientRect().bottom) : 0;
  }

  /** The reading line. */
  private line(): number {
    const { isAbove, dock } = this;
    const from = this.top();
    const to = innerHeight - (isAbove ? (dock?.offsetHeight ?? 0) : 0);
    return from + (to - from) * (isAbove ? lines.below : lines.beside);
  }

  /** The link at the reading line. */
  private marked(): number {
    return current(this.links.map(({ link }) => link.getBoundingClientRect().top), this.line());
  }

  private read(): void {
    const { worlds } = this;
    if (!this.following || worlds.current.branch || worlds.isComparing || hasGuest(this.player.parentElement!)) return;
    const wanted = this.marked();
    if (wanted < 0 && !this.led) return; // the demo plays by itself until the text leads
    const isOther = wanted !== this.wanted;
    this.wanted = wanted;
    this.led ||= isOther;
    const isBehind = wanted > this.at && this.links[wanted]!.block === this.links[this.at]?.block; // in its paragraph
    if (isBehind ? this.isRead(this.at) || (isOther && this.soon === 0 && this.until === undefined) : isOther) this.step();
  }

  /** Whether a link has left what is seen of the text: a reader who goes by what they see has the next one of its paragraph before them. */
  private isRead(link: number): boolean {
    return this.links[link]!.link.getBoundingClientRect().bottom < this.top();
  }

  /** Takes the picture to the link at the reading line, or to the next on the way there. */
  private step(): void {
    const { state, links, wanted } = this;
    // Who has left the last link's place behind does not wait for those before it.
    const at = (this.at = wanted >= 0 && this.isRead(wanted) ? wanted : towards(links, this.at, wanted));
    this.show(links[at]);
    const frame = at < 0 ? state.shown.first : this.frameOf(links[at]!.mark);
    if (frame === undefined) return;
    state.bind(frame);
    const now = performance.now();
    const passes = now - this.came < passingMs;
    this.came = now;
    if (passes) this.later(() => this.go(frame), passingMs);
    else this.go(frame);
  }

  /** The picture has come to a link: it stays there until the text up to its paragraph's next is read. */
  private arrived(): void {
    const now = this.links[this.at];
    const next = this.links[this.at + 1];
    if (!now || next?.block !== now.block || !this.following) return;
    const text = document.createRange();
    text.setStartBefore(now.link);
    text.setEndBefore(next.link);
    this.later(() => { if (this.wanted > this.at) this.step(); }, readingMs(text.toString()));
  }

  /** Does something in a while, in the place of what was to be done; nothing without. */
  private later(act?: () => void, ms = 0): void {
    clearTimeout(this.soon);
    this.soon = act ? window.setTimeout(() => {
      this.soon = 0;
      act();
    }, ms) : 0;
  }

  /** Takes the picture to a frame. */
  private go(frame: number): void {
    const { state, transport } = this;
    const { timeline, shown: { marks }, head } = state;
    this.halt();
    transport.stop();
    if (frame >= timeline.length) { // it is being loaded
      transport.toFrame(frame, marks.find((m) => m.frame === frame)?.d);
      return this.arrived();
    }
    const passes = state.captioned.some((m) => m.frame > head.index && m.frame < frame);
    const from = prefersStill() ? "there" : approach(head.ms, timeline.frames[frame]!.d, passes, head.speed);
    if (from === "there") {
      if (head.index !== frame) this.jump(frame);
      return this.arrived();
    }
    if (from !== undefined) this.jump(Math.max(0, timeline.at(from)));
    this.until = frame;
    state.passes(true); // what is told on the way is in the text
    transport.play();
    this.start();
  }

  /** Shows another moment at once, and comes up for it: it is seen that what was between is left out. */
  private jump(frame: number): void {
    this.state.seek(frame);
    if (!prefersStill()) this.player.querySelector(".kw-stage")!.animate({ opacity: [0.3, 1] }, { duration: fadeMs });
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
      this.halt();
      this.transport.stop();
      state.seek(until); // also where the picture went out of sight on the way, which stopped it
      state.went = until;
      this.arrived();
    };
    this.loop = requestAnimationFrame(tick);
  }

  /** Marks where the text and the picture are together. */
  private show(now?: { link: HTMLAnchorElement; block: Element }): void {
    for (const { link, block } of this.links) {
      if (link !== now?.link) link.classList.remove("is-now");
      if (block !== now?.block) block.classList.remove("is-now");
    }
    if (now) this.shown = now.block;
    now?.link.classList.add("is-now");
    now?.block.classList.add("is-now");
  }
}

/** Whether the reader takes the controls. Who scrolls with a finger that lies on the picture does not. */
export function takesOver({ type, target, pointerType }: Event & { pointerType?: string }): boolean {
  if (type !== "pointerdown" || pointerType === "mouse") return true;
  return target instanceof Element && target.closest("button, input, select, .kw-dock, .kw-sidepanel") !== null;
}

// The transport row: play, steps by a chosen unit, moments, the scrubber, speed, and
// what opens further parts.

import { h, setAttr, setText } from "../dom/dom";
import { icon, type Icon } from "../dom/icons";
import { paceAt, type Pace } from "../state/pace";
import { seconds } from "../state/phrases";
import type { PlayerState } from "../state/playerstate";
import { units, type Unit } from "../state/stepunit";
import type { Transport } from "../state/transport";
import { put } from "../text";
import type { Words } from "../words";

/** generator/render/markdown/demos.go has the same, for what a page says. */
const speeds = [0.25, 0.5, 1, 2, 4];

/** How wide what is touched is at least, and how far apart small dots are that are seen one by one, px. */
const touch = 24;
const dot = 7;

/** For how long the pace stays as it is at least, ms: it is read, not watched. */
const paceStaysMs = 600;

export class Controls {
  readonly root: HTMLElement;
  /** What is seldom used: speed, lanes, sharing, keys. It is at the bar's end unless it is put elsewhere. */
  readonly extras: HTMLElement;
  /** What a step goes by; the same. */
  readonly unit: readonly HTMLElement[];
  readonly scrubber: HTMLInputElement;
  private readonly playButton: HTMLButtonElement;
  private readonly ticks: HTMLElement;
  private readonly time: HTMLElement;
  private readonly pace: HTMLElement;
  private paceTimer = 0;
  private paceTold = -Infinity;
  private readonly copied: HTMLElement;
  private readonly speed: HTMLSelectElement;
  private readonly lanes: HTMLButtonElement;
  readonly shareButton: HTMLButtonElement;
  private readonly marks: { back: HTMLButtonElement; on: HTMLButtonElement };
  private playing: boolean | undefined;
  private moments: { ms: number; element: HTMLElement }[] = [];
  private pressed = NaN; // where the scrubber was
  private past = -2; // the last moment that has been

  /** above is what stands over the bar; asked is what is loaded when it is asked for. */
  constructor(
    private readonly words: Words, private readonly state: PlayerState, private readonly transport: Transport,
    above: HTMLElement, asked: { help(): void; share(): void },
  ) {
    const button = (name: Icon, label: string, click: () => void, cls = "") =>
      h("button", { type: "button", class: `kw-icon-button kw-hinted ${cls}`.trim(), "aria-label": label, click }, icon(name));
    this.playButton = button("play", words.play, () => transport.toggle(), "kw-play");
    this.scrubber = h("input", {
      type: "range", class: "kw-scrubber", min: 0, max: 1, step: 1, value: 0, "aria-label": words.position,
      input: () => transport.scrub(Number(this.scrubber.value)),
      change: () => state.emit("told"),
    });
    this.ticks = h("div", { class: "kw-ticks", "aria-hidden": "true" });
    this.time = h("output", { class: "kw-time", "aria-live": "off" });
    this.pace = h("span", { class: "kw-pace" });
    this.copied = h("span", { class: "kw-copied", role: "status" });
    this.speed = h("select", { class: "kw-speed", "aria-label": words.speed, title: words.speed, change: () => this.setSpeed(Number(this.speed.value)) },
      ...speeds.map((s) => h("option", { value: s, selected: s === 1 }, `${s}×`)));
    const unit: HTMLSelectElement = h("select", { class: "kw-unit", "aria-label": words.stepBy, title: words.stepBy,
      change: () => (transport.unit = unit.value as Unit) },
      h("optgroup", { label: words.stepBy }, ...units.map((u) => h("option", { value: u }, words.units[u]))));
    this.unit = [h("span", { class: "kw-unit-name", "aria-hidden": "true" }, words.stepBy), unit];
    this.lanes = button("lanes", words.lanes, () => state.reveal("lanes"), "kw-lanes-button");
    this.lanes.setAttribute("aria-expanded", "false");
    this.shareButton = button("share", words.share, () => asked.share(), "kw-share-button");
    this.marks = {
      back: button("previousMark", words.previousMark, () => transport.toMark(-1), "kw-mark-button"),
      on: button("nextMark", words.nextMark, () => transport.toMark(1), "kw-mark-button"),
    };
    for (const way of Object.values(this.marks)) way.tabIndex = -1; // for fingers: the keyboard has keys of its own for moments
    this.root = h("div", { class: "kw-controls" }, above,
      h("div", { class: "kw-buttons" },
        this.marks.back,
        button("stepBack", words.stepBack, () => transport.step(-1)),
        this.playButton,
        button("stepForward", words.stepForward, () => transport.step(1)),
        this.marks.on),
      h("div", { class: "kw-track" }, this.scrubber, this.ticks),
      h("div", { class: "kw-clock" }, this.time, this.pace));
    this.extras = h("div", { class: "kw-extras" }, this.speed, this.lanes, this.shareButton,
      button("keys", words.keys, () => asked.help(), "kw-keys-button"), this.copied);
    // Where dots are too near each other for a finger, the line is what is touched, and a tap near a dot is on it.
    new ResizeObserver(() => this.thin()).observe(this.ticks);
    this.scrubber.addEventListener("pointerdown", ({ clientX }) => (this.pressed = clientX));
    this.scrubber.addEventListener("click", ({ clientX }) => this.tap(clientX));
    state.on("moment", () => this.show());
    state.on("extent", () => this.measure());
    state.on("panel", (panel) => setAttr(this.lanes, "aria-expanded", String(panel === "lanes")));
  }

  changeSpeed(way: 1 | -1): void {
    const at = Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(Number(this.speed.value)) + way));
    this.setSpeed(speeds[at]!);
    this.say(`${this.words.speed}: ${speeds[at]}×`);
  }

  /** Plays as fast as this from now on. */
  setSpeed(speed: number): void {
    this.speed.value = String(speed);
    this.state.head.speed = speed;
  }

  /** Shows where the reader is. */
  private show(): void {
    const { words, state: { head, playing }, transport: { ms } } = this;
    if (document.activeElement !== this.scrubber || playing || Math.abs(Number(this.scrubber.value) - ms) >= 1) this.scrubber.value = String(Math.round(ms));
    this.scrubber.style.setProperty("--at", String(this.part(ms)));
    setText(this.time, seconds(head.now));
    this.showMoment(ms);
    this.tellPace(playing);
    if (!playing) setAttr(this.scrubber, "aria-valuetext", this.state.sentence(head.target));
    if (playing === this.playing) return;
    this.playing = playing;
    this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
    this.playButton.classList.toggle("is-playing", playing);
    setAttr(this.playButton, "aria-label", playing ? words.pause : words.play);
  }

  /** Marks the moments that have been, and the last of them. */
  private showMoment(ms: number): void {
    const { moments } = this;
    const past = moments.findLastIndex((m) => m.ms <= ms);
    if (past === this.past) return;
    this.past = past;
    moments.forEach(({ element }, i) => {
      element.classList.toggle("is-past", i < past);
      element.classList.toggle("is-current", i === past);
    });
  }

  /** Shows how long the timeline is, how much of it is loaded, and where its marks are, all in ms. */
  private measure(): void {
    const { from, to, there, marks, parting } = this.state.extent;
    this.scrubber.min = String(from);
    this.scrubber.max = String(to);
    this.scrubber.style.setProperty("--there", String(this.part(there)));
    const tick = (ms: number, cls: string) => {
      const element = h("span", { class: cls });
      element.style.setProperty("--at", String(this.part(ms)));
      return element;
    };
    this.moments = marks.map((ms, i) => {
      const element = tick(ms, "kw-tick");
      element.addEventListener("click", () => this.toMoment(i));
      return { ms, element };
    }).filter(({ ms }) => ms >= from);
    this.past = -2;
    this.ticks.replaceChildren(...this.moments.map(({ element }) => element),
      ...parting.map((ms) => tick(ms, "kw-tick kw-parting-tick")));
    this.marks.back.hidden = this.marks.on.hidden = marks.length + parting.length === 0;
    this.thin();
  }

  /** Makes dots smaller that lie too near each other to be touched one by one, and strokes of those that would cover each other. */
  private thin(): void {
    const width = this.ticks.clientWidth;
    const at = this.moments.map(({ ms }) => this.part(ms) * width);
    const isDense = matchMedia("(width < 60rem), (pointer: coarse)").matches && at.some((x, i) => i > 0 && x - at[i - 1]! < touch);
    this.ticks.classList.toggle("is-dense", isDense);
    this.ticks.classList.toggle("is-tight", isDense && at.filter((x, i) => i > 0 && x - at[i - 1]! < dot).length > 1);
  }

  /** A tap on the line goes to the nearest dot, if that is near. */
  private tap(x: number): void {
    if (!this.ticks.classList.contains("is-dense") || Math.abs(x - this.pressed) > 4) return;
    const { left, width } = this.ticks.getBoundingClientRect();
    const far = this.moments.map(({ ms }) => Math.abs(left + this.part(ms) * width - x));
    const i = far.indexOf(Math.min(...far));
    if (far[i]! > touch / 2) return;
    this.scrubber.blur(); // it shows where the reader is
    this.moments[i]!.element.click();
  }

  /** Goes to one of the author's moments. */
  private toMoment(i: number): void {
    const mark = this.state.captioned[i];
    if (mark) this.transport.toFrame(mark.frame, mark.d);
  }

  /** Where a moment is on the scrubber, from 0 to 1. */
  private part(ms: number): number {
    const { from, to } = this.state.extent;
    return Math.max(0, Math.min(1, (ms - from) / (to - from)));
  }

  /** Says how fast time passes; of a moment that stands there is nothing to say. */
  private tellPace(playing: boolean): void {
    if (!playing) {
      clearTimeout(this.paceTimer);
      this.paceTimer = 0;
      return setText(this.pace, "");
    }
    if (this.paceTimer) return;
    this.paceTimer = window.setTimeout(() => {
      this.paceTimer = 0;
      this.paceTold = performance.now();
      const { timeline, head } = this.state;
      setText(this.pace, inWords(paceAt(timeline.frames, head.index, head.ms, head.speed), this.words));
    }, Math.max(0, this.paceTold + paceStaysMs - performance.now()));
  }

  /** Says something for a moment. */
  say(text: string): void {
    this.copied.textContent = text;
    setTimeout(() => (this.copied.textContent = ""), 2500);
  }
}

function inWords(pace: Pace | undefined, words: Words): string {
  switch (pace?.kind) {
    case "slow": return put(words.paceSlow, { n: pace.times });
    case "fast": return put(words.paceFast, { n: pace.times });
    case "skip": return put(words.paceSkip, { n: pace.seconds });
    case "even": return words.paceEven;
  }
  return "";
}

// What can be taken along: a link to this moment, what was done as a script for a
// real cluster, and the moment in words. It is loaded when it is asked for.

import "./share.css";
import { h, svgElement } from "../dom/dom";
import { icon } from "../dom/icons";
import { isSingleFile } from "../dom/single";
import { pngOf, save, svgOf } from "../picture/snapshot";
import { print, type Course, type Experiment } from "../state/link";
import type { Given } from "../given";
import type { Worlds } from "../runs/worlds";
import { nameOf, say, seconds } from "../state/phrases";
import type { PlayerState } from "../state/playerstate";
import type { Mark, Shape } from "../state/recording";
import type { Scenario } from "../state/scenario";
import { shareWordsOf, type ShareWords } from "./share.words";
import { script, type Action } from "./shell";
import { snippets, type Place, type Shown } from "./snippets";
import type { World } from "../runs/world";
import type { Captions } from "./captions";
import type { Controls } from "./controls";
import type { Tree } from "./tree";
import { messageOf, put } from "../text";

export class Share {
  private readonly words: ShareWords;
  private readonly button: HTMLElement;
  private readonly panel: HTMLElement;
  private readonly text: HTMLTextAreaElement;
  private readonly byHand: HTMLElement;
  private readonly place: HTMLSelectElement;
  private readonly how = h("p", { class: "kw-share-how" });
  private readonly snippet: HTMLTextAreaElement;
  private readonly code = h("img", { class: "kw-share-code", width: 160, height: 160 });
  private readonly coded: HTMLElement;
  private readonly videoAbout: HTMLElement;
  private filming: AbortController | undefined; // while a video is drawn

  constructor(
    private readonly given: Given, private readonly state: PlayerState, private readonly worlds: Worlds,
    private readonly controls: Controls, private readonly captions: Captions, private readonly tree: Tree,
  ) {
    const words = (this.words = shareWordsOf(given.lang));
    const button = (this.button = controls.shareButton);
    this.text = h("textarea", { class: "kw-share-text", readonly: true, rows: 8, "aria-label": words.byHand });
    this.byHand = h("div", { class: "kw-share-by-hand", hidden: true }, h("p", {}, words.byHand), this.text);
    const item = (name: "link" | "terminal" | "log", label: string, about: string, copy: () => Promise<void>) =>
      h("button", { type: "button", class: "kw-share-item", click: () => void copy() }, icon(name), h("span", {}, label, h("small", {}, about)));
    const file = (label: string, make: () => Promise<Blob>, ending: string, suffix = "") =>
      h("button", { type: "button", class: "kw-button", click: () => void this.save(`${suffix}.${ending}`, make) }, label);
    const picture = h("div", { class: "kw-share-picture", role: "group", "aria-label": words.picture },
      frameSign(), h("span", {}, words.picture, h("small", {}, words.pictureAbout)),
      file("PNG", () => pngOf(this.picture()), "png"), file("SVG", async () => new Blob([this.picture()], { type: "image/svg+xml" }), "svg"));
    this.videoAbout = h("small", {}, words.videoAbout);
    const video = h("button", { type: "button", class: "kw-share-item kw-share-video", click: () => void this.film() },
      filmSign(), h("span", {}, words.video, this.videoAbout));
    this.snippet = h("textarea", { class: "kw-share-text", readonly: true, rows: 4, "aria-label": words.snippet });
    this.place = h("select", { class: "kw-share-place", "aria-label": words.useIn, change: () => this.showSnippet() },
      ...(Object.keys(snippets) as Place[]).map((place) => h("option", { value: place }, words.places[place])));
    const qr = async () => (await import("./qrcode")).qrOf(this.snippet.value);
    this.coded = h("div", { class: "kw-share-qr", role: "group", "aria-label": words.qr, hidden: true }, this.code, h("span", {}, words.qr),
      ...(maySave() ? [file("PNG", async () => pngOf(await qr()), "png", "-qr"),
        file("SVG", async () => new Blob([await qr()], { type: "image/svg+xml" }), "svg", "-qr")] : []));
    const useIn = h("details", { class: "kw-share-use", toggle: () => this.showSnippet() },
      h("summary", { class: "kw-share-item" }, icon("embed"), h("span", {}, words.useIn, h("small", {}, words.useInAbout))),
      this.place, this.how, this.coded, this.snippet,
      h("button", { type: "button", class: "kw-button", click: () => void this.copy(this.snippet.value) }, words.copySnippet));
    this.panel = h("div", { class: "kw-share", role: "group", "aria-label": words.share, hidden: true },
      item("link", words.link, words.linkAbout, () => this.copyLink()),
      item("terminal", words.script, words.scriptAbout, () => this.copy(this.script())),
      item("log", words.moment, words.momentAbout, () => this.copy(this.moment())),
      ...(maySave() ? [picture] : []),
      ...(mayFilm() ? ["VideoEncoder" in globalThis ? video : h("p", { class: "kw-share-how kw-share-no-video" }, words.noVideo)] : []),
      ...(isSingleFile() ? [] : [useIn]), this.byHand); // it has no script for other pages beside it
    button.after(this.panel);
    button.setAttribute("aria-expanded", "false");
    this.panel.addEventListener("keydown", (event) => {
      event.stopPropagation(); // what it holds has keys of its own
      if (event.key === "Escape") this.close(true);
    });
    document.addEventListener("pointerdown", (event) => {
      if (!this.panel.contains(event.target as Node) && !button.contains(event.target as Node)) this.close();
    });
    this.panel.addEventListener("focusout", (event) => {
      const to = event.relatedTarget as Node | null;
      if (to && !this.panel.contains(to) && to !== button) this.close();
    });
  }

  toggle(): void {
    if (!this.panel.hidden) return this.close(true);
    this.panel.hidden = false;
    this.byHand.hidden = true;
    this.button.setAttribute("aria-expanded", "true");
    this.panel.querySelector("button")!.focus({ preventScroll: true });
  }

  /** Copies a link to this moment, and puts it into the address bar. */
  async copyLink(): Promise<void> {
    history.replaceState(null, "", `#${print(this.experiment())}`);
    await this.copy(location.href, this.words.inAddressBar);
  }

  /** Shows what to paste to have this moment there: the author's, or, of a run of the reader's own, theirs. */
  private showSnippet(): void {
    const { words, state, worlds, given: { embed, title } } = this;
    const place = this.place.value as Place;
    const url = new URL(embed, location.href);
    const isOwn = worlds.shown.length > 1 || worlds.inspected.inputs.length > 0;
    const mark = isOwn ? undefined : worlds.current.marks.findLast(({ frame }) => frame <= state.head.index);
    if (isOwn) url.hash = print(this.experiment());
    else if (mark?.id) url.searchParams.set("start", mark.id);
    const script = url.origin + url.pathname.replace(/\/embed\/.*/, "/embed.js"); // beside the folder of demos
    this.snippet.value = snippets[place]({ url: url.href, script, title, ...this.still(mark) });
    this.how.textContent = words.how[place];
    void this.showCode(place === "slides" ? url.href : "");
  }

  /** The storyboard's picture of a moment. */
  private still(mark?: Mark): Pick<Shown, "picture"> {
    const still = mark?.id === undefined ? null : document.getElementById(`demo-${this.given.demo}-${mark.id}`);
    const image = still?.querySelector("img");
    return image ? { picture: { url: image.src.replace(/\?[^#]*/, ""), caption: mark!.caption[this.given.lang] ?? "" } } : {};
  }

  /** Shows an address as a QR code; "" shows none. One that is too long for a code has none. */
  private async showCode(address: string): Promise<void> {
    const { code, coded, words } = this;
    coded.hidden = true;
    if (address === "") return;
    try {
      const { qrOf } = await import("./qrcode");
      if (this.place.value !== "slides" || this.snippet.value !== address) return; // another choice was made meanwhile
      code.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(qrOf(address))}`;
      code.alt = words.qrAlt;
      coded.hidden = false;
    } catch {
      coded.hidden = true;
    }
  }

  /** The picture that is shown; of two beside each other, that of the world that the controls are about. */
  private picture(): string {
    const player = this.button.closest(".kw-player")!;
    const pictures = [...player.querySelectorAll<SVGSVGElement>("svg.kw-scene.kw-live")].filter((svg) => svg.checkVisibility());
    const { comparison } = this.worlds;
    const shown = pictures[comparison?.side ?? 0] ?? pictures[0]!;
    return svgOf(shown, this.captions.text || this.given.title, [...shown.parentElement!.querySelectorAll("canvas")]);
  }

  /** What a file of this moment is called, without its ending. */
  private get fileName(): string {
    return `${this.given.demo}-${seconds(this.state.us).replace(/[^0-9.]/g, "")}s`;
  }

  /** Saves a video from this moment to the author's next one; while that is drawn, cancels it. */
  private async film(): Promise<void> {
    if (this.filming) return this.filming.abort();
    const { words, given, state, worlds, captions, videoAbout, fileName } = this;
    const { signal } = (this.filming = new AbortController());
    const progress = (seconds: number, part: number) =>
      (videoAbout.textContent = put(words.drawing, { seconds: seconds.toFixed(1), percent: Math.floor(part * 100) }));
    try {
      const { videoOf } = await import("./video");
      const { content, ending } = await videoOf({ given, state, worlds, captions }, this.button.closest(".kw-player")!, progress, signal);
      save(fileName + ending, content);
      this.close(true);
      this.controls.say(words.saved);
    } catch (error) {
      if (!signal.aborted) console.info(messageOf(error));
      this.controls.say(signal.aborted ? words.cancelled : words.notFilmed);
    } finally {
      this.filming = undefined;
      videoAbout.textContent = words.videoAbout;
    }
  }

  private async save(end: string, make: () => Promise<Blob>): Promise<void> {
    const { words, fileName } = this;
    try {
      save(fileName + end, await make());
      this.close(true);
      this.controls.say(words.saved);
    } catch {
      this.controls.say(words.notSaved);
    }
  }

  private close(focus = false): void {
    if (this.panel.hidden) return;
    this.panel.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (focus) this.button.focus({ preventScroll: true });
  }

  private async copy(text: string, otherwise?: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.close(true);
      this.controls.say(this.words.copied);
    } catch {
      if (otherwise !== undefined) {
        this.close(true);
        return this.controls.say(otherwise);
      }
      this.text.value = text;
      this.byHand.hidden = false;
      this.text.focus();
      this.text.select();
    }
  }

  private get seed(): number {
    return this.worlds.scenarioOf(this.worlds.inspected).seed;
  }

  private experiment(): Experiment {
    const { state, worlds, seed, given: { demo, engine } } = this;
    const course = ({ inputs, whatIf }: World): Course => ({ inputs: [...inputs], ...(whatIf === "" ? {} : { whatIf }) });
    const [one, other] = worlds.shown;
    const event = state.timeline.frames[state.head.index]?.e;
    return { demo, ...(engine ? { engine } : {}), seed, ...course(one!), ...(other ? { versus: course(other) } : {}), at: state.us,
      ...(event === undefined ? {} : { event }) };
  }

  /** What was done so far in the world that the reader has turned to: by the author until the reader did something. */
  private script(): string {
    const { words, tree, seed, state: { us }, worlds: { inspected }, given: { title, scenario } } = this;
    const begun = inspected.inputs[0]?.at ?? Infinity;
    const actions: Action[] = [...(scenario.steps ?? []).filter((step) => step.at < begun), ...inspected.inputs].filter((action) => action.at <= us * 1000);
    const { cluster } = scenario as Scenario & { cluster?: { nodes?: { name: string }[] | null } };
    return script({ title: put(words.scriptTitle, { title, world: tree.name(inspected), at: seconds(us), seed }),
      nodes: (cluster?.nodes ?? []).map(({ name }) => name), actions });
  }

  /** The moment in words: what happens, and what is where. */
  private moment(): string {
    const { words, worlds, tree, state, captions, given: { title, phrases } } = this;
    const out = [`${title} · ${seconds(state.us)}`, ...(captions.text ? ["", captions.text] : [])];
    for (const world of worlds.shown) {
      const { frames, index } = world.timeline;
      const frame = frames[index];
      out.push("", tree.name(world), ...(frame ? [say(phrases, frame)] : []), ...placesOf([...world.shapes()], words));
    }
    return [...out, "", `${location.href.replace(/#.*/, "")}#${print(this.experiment())}`, ""].join("\n");
  }
}

/** What is on each node, and what is on none. */
function placesOf(shapes: readonly Shape[], words: ShareWords): string[] {
  const boxes = shapes.filter((s) => s.k === "box");
  const nodes = boxes.filter((s) => s.role === "node").sort((a, b) => (a.t ?? "").localeCompare(b.t ?? "", "en", { numeric: true }));
  const pods = boxes.filter((s) => s.role === "pod");
  const isOn = (pod: Shape, node: Shape) => pod.x! >= node.x! && pod.x! < node.x! + node.w! && pod.y! >= node.y! && pod.y! < node.y! + node.h!;
  const list = (all: readonly Shape[]) => all.map((s) => `${nameOf(s.about)} (${s.s ?? ""})`).join(", ") || words.none;
  const free = pods.filter((pod) => !nodes.some((node) => isOn(pod, node)));
  return [
    ...boxes.filter((s) => s.role === "workload").map((s) => `- ${s.about ?? ""}: ${s.d ?? s.s ?? ""}`),
    ...nodes.map((node) => `- ${node.t ?? ""}${node.s === "ready" ? "" : ` (${node.s ?? ""})`}: ${list(pods.filter((pod) => isOn(pod, node)))}`),
    ...(free.length > 0 ? [`- ${words.noNode}: ${list(free)}`] : []),
  ];
}

/** A sign. The others are loaded with every page, and these are needed here alone. */
const sign = (d: string) => svgElement("svg", { class: "kw-icon", viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true", focusable: "false",
  fill: "none", stroke: "currentColor", "stroke-width": 1.75, "stroke-linejoin": "round" }, svgElement("path", { d }));
/** A picture in a frame. */
const frameSign = () => sign("M3.5 4.5h13v11h-13zM4 14l4-4 2.5 2.5L13 9l3 3.500M7 7.500h.01");
/** A camera. */
const filmSign = () => sign("M2.500 5.500h10v9h-10zM12.500 9l5-3v8l-5-3z");

/** In a sandbox a browser saves no files, and does not tell. A page from a disk has no origin either, and may. */
const maySave = () => self.origin !== "null" || location.protocol === "file:";
/** A single file has all but what makes videos (generator/format/singlefile), which would make each of them larger. */
const mayFilm = () => maySave() && !isSingleFile();

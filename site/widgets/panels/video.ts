// A stretch of a demo as a video, MP4 or WebM, for slides that play nothing else. It is drawn picture by picture in a
// place of its own, with a timeline of its own, so that the demo stands where it stood. Pictures come at the times of
// the display rather than of a clock: the same stretch gives the same pictures, however long a browser takes for them.
// The file differs in its date and, of WebM, in a random number.

import { h, prefersStill } from "../dom/dom";
import type { Given } from "../given";
import { Picture } from "../picture/draw";
import { backgroundOf, imageOf, svgOf } from "../picture/snapshot";
import type { Worlds } from "../runs/worlds";
import type { PlayerState } from "../state/playerstate";
import { perSecond, stretch, type Shot } from "../state/stretch";
import { Timeline } from "../state/timeline";
import type { Captions } from "./captions";
import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output, WebMOutputFormat } from "./mediabunny.min.mjs";

/** How wide it is, pixels. */
const wide = 1280;
/** The least size of the caption's letters, pixels, and their size in units of the scene, where that is more. */
const leastLetters = 28;
const sceneLetters = 15;
/** How far the caption is from the edges, pixels. */
const margin = 28;
/** How many pictures may wait for the encoder. */
const mostWaiting = 8;

/** What encodes it, the most widely played first. The first is of a level that 1280 by 5000 pixels are within. */
const encodings = [
  { name: "avc", codec: "avc1.640033", format: Mp4OutputFormat },
  { name: "vp9", codec: "vp09.00.50.08", format: WebMOutputFormat },
  { name: "vp8", codec: "vp8", format: WebMOutputFormat },
] as const;

export interface Video {
  content: Blob;
  /** Of a file's name, with its dot. */
  ending: string;
}

/** Is told how long the video will be, s, and how much of it is drawn, 0 to 1. */
export type Progress = (seconds: number, part: number) => void;

/**
 * A video from the moment that is shown to the author's next one, as it plays at the speed that is set. Of two worlds it is the one that the
 * controls are about. It throws when the signal is aborted, or when this browser encodes none of the formats.
 */
export async function videoOf(
  { given, state, worlds, captions }: { given: Given; state: PlayerState; worlds: Worlds; captions: Captions }, player: Element,
  progress: Progress, signal: AbortSignal,
): Promise<Video> {
  const { recording, head: { ms, speed } } = state;
  const world = worlds.inspected;
  const { index } = world.timeline;
  const from = { index, ms: worlds.comparison ? world.timeline.frames[index]!.d : ms, speed };
  if (world.source) {
    while (world.source.goesOn && world.timeline.end < from.ms + 20_000 * speed && !signal.aborted && (await world.source.more()));
  } else if (world.timeline.length < (recording.length ?? 0)) {
    await worlds.whole(recording);
    worlds.complete();
  }
  signal.throwIfAborted();
  const timeline = new Timeline(world.timeline.frames.slice());
  const { rests, captioned } = world.measure(recording, given.lang);
  const shots = stretch(timeline, { ...from, rests }, captioned.find(({ frame }) => frame > index)?.frame, prefersStill());

  const picture = new Picture(recording, given.title, (key) => given.phrases[key], undefined, true);
  picture.root.classList.remove("kw-live"); // nothing slides or fades but by the display's time
  const place = h("div", { class: "kw-film", "aria-hidden": "true" }, picture.root);
  player.append(place);
  try {
    const texts = shots.map((shot) => captions.textAt(world, shot.index));
    const film = new Film(recording, captions.root, texts);
    const encoder = await Encoder.of(film.canvas);
    try {
      let before: Shot | undefined;
      let svg = "";
      for (const [i, shot] of shots.entries()) {
        progress(shots.length / perSecond, i / shots.length);
        if (shot.index !== before?.index) {
          const changed = timeline.seek(shot.index);
          picture.update(timeline.shapes, changed, false);
          picture.mark(timeline.frames[shot.index]);
        }
        if (shot.index !== before?.index || shot.ms !== before.ms) {
          picture.travel((packet) => timeline.way(packet.id, shot.ms));
          const now = svgOf(picture.root, "");
          if (now !== svg) await film.draw((svg = now));
        }
        before = shot;
        film.write(texts[i]!);
        await encoder.add(i);
        signal.throwIfAborted();
      }
      const video = await encoder.finish();
      signal.throwIfAborted();
      return video;
    } finally {
      encoder.close();
    }
  } finally {
    place.remove();
  }
}

/** What a picture of the video consists of: the scene, and the caption below it. */
class Film {
  readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private readonly lines = new Map<string, string[]>(); // by the caption
  private readonly scene: number; // how tall it is
  private readonly line: number; // of the caption
  private readonly look: { background: string; color: string; font: string };
  private written: string | undefined;

  /** captions has the look of what is written. */
  constructor({ width, height }: { width: number; height: number }, captions: Element, texts: readonly string[]) {
    const { color, fontFamily } = getComputedStyle(captions);
    const letters = Math.max(leastLetters, Math.round((sceneLetters * wide) / width));
    this.line = 1.4 * letters;
    this.look = { background: backgroundOf(captions), color, font: `${letters}px ${fontFamily}` };
    this.context = this.canvas.getContext("2d", { alpha: false })!;
    this.context.font = this.look.font;
    for (const text of new Set(texts)) this.lines.set(text, broken(this.context, text));
    const most = Math.max(...[...this.lines.values()].map(({ length }) => length));
    this.scene = Math.round((wide * height) / width);
    this.canvas.width = wide;
    this.canvas.height = 2 * Math.ceil((this.scene + (most > 0 ? most * this.line + 2 * margin : 0)) / 2); // encoders take even numbers
  }

  async draw(svg: string): Promise<void> {
    this.context.drawImage(await imageOf(svg), 0, 0, wide, this.scene);
  }

  write(text: string): void {
    const { context, look, scene, line, canvas } = this;
    if (text === this.written) return;
    this.written = text;
    context.fillStyle = look.background;
    context.fillRect(0, scene, wide, canvas.height - scene);
    Object.assign(context, { font: look.font, fillStyle: look.color, textBaseline: "middle" });
    this.lines.get(text)!.forEach((words, i) => context.fillText(words, margin, scene + margin + (i + 0.5) * line));
  }
}

/** A text in lines that have room: broken between words, also of a language that has no spaces, and never before a full stop or a comma. */
function broken(context: CanvasRenderingContext2D, text: string): string[] {
  const lines: string[] = [];
  const words: string[] = [];
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) {
    const before = words.at(-1);
    const begins = isWordLike || /^[([{「『（]/.test(segment);
    const joins = before !== undefined && (/^\s/.test(segment) || (!/\s$/.test(before) && (!begins || !/[\p{L}\p{N}]/u.test(before))));
    if (joins) words[words.length - 1] = before + segment;
    else words.push(segment);
  }
  for (const word of words) {
    const longer = (lines.at(-1) ?? "") + word;
    if (lines.length > 0 && context.measureText(longer.trimEnd()).width <= wide - 2 * margin) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((words) => words.trimEnd());
}

/** Makes a file of what is on a canvas, picture by picture. */
class Encoder {
  private readonly target = new BufferTarget();
  private readonly output: Output;
  private readonly encoder: VideoEncoder;
  private written: Promise<void>;
  private failure: unknown;

  private constructor(private readonly canvas: HTMLCanvasElement, private readonly format: Mp4OutputFormat | WebMOutputFormat,
    name: "avc" | "vp9" | "vp8", config: VideoEncoderConfig) {
    const source = new EncodedVideoPacketSource(name);
    this.output = new Output({ format, target: this.target });
    this.output.addVideoTrack(source, { frameRate: perSecond });
    this.written = this.output.start();
    this.encoder = new VideoEncoder({
      output: (chunk, meta) => {
        this.written = this.written.then(() => source.add(EncodedPacket.fromEncodedChunk(chunk), meta));
        this.written.catch((error: unknown) => (this.failure = error));
      },
      error: (error) => (this.failure = error),
    });
    this.encoder.configure(config);
  }

  /** An encoder of the first format that this browser has. */
  static async of(canvas: HTMLCanvasElement): Promise<Encoder> {
    const { width, height } = canvas;
    for (const { name, codec, format } of encodings) {
      const config: VideoEncoderConfig = { codec, width, height, bitrate: 4_000_000, framerate: perSecond };
      const { supported } = await VideoEncoder.isConfigSupported(config);
      if (supported) return new Encoder(canvas, new format(), name, config);
    }
    throw new Error("no format of videos is supported");
  }

  /** Adds the canvas as it is as the picture with a number. */
  async add(i: number): Promise<void> {
    const { encoder } = this;
    const duration = 1_000_000 / perSecond;
    while (encoder.encodeQueueSize > mostWaiting && this.failure === undefined) {
      await new Promise((done) => setTimeout(done, 5)); // an encoder that fails tells of no room
    }
    if (this.failure !== undefined) throw this.failure;
    const frame = new VideoFrame(this.canvas, { timestamp: i * duration, duration });
    encoder.encode(frame, { keyFrame: i % (2 * perSecond) === 0 });
    frame.close();
  }

  async finish(): Promise<Video> {
    await this.encoder.flush();
    await this.written;
    await this.output.finalize();
    const { fileExtension, mimeType } = this.format;
    return { content: new Blob([this.target.buffer!], { type: mimeType }), ending: fileExtension };
  }

  close(): void {
    if (this.encoder.state !== "closed") this.encoder.close();
  }
}

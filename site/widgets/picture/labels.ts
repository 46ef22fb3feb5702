// Words on a canvas that is painted sixty times a second. Setting a font there makes a
// browser bring the whole page's styles up to date first, so each label is drawn
// once, on a canvas of its own that is in no page, and copied from there.

import type { Look } from "./probe";

const most = 400; // labels that are kept
const pad = 4; // around a label, for its halo
const ascent = 14; // above the baseline, units
const descent = 6;

interface Label {
  image: OffscreenCanvas;
  width: number; // of the words alone, px of the canvas
}

export class Labels {
  private readonly known = new Map<string, Label>();
  private readonly ruler = new OffscreenCanvas(1, 1).getContext("2d");

  /** For when looks or sizes have changed. */
  forget(): void {
    this.known.clear();
  }

  /** Draws words with their baseline at a point of the scene, before it or after it. */
  draw(context: CanvasRenderingContext2D, text: string, style: NonNullable<Look["text"]>, x: number, y: number, isBefore: boolean): void {
    const transform = context.getTransform();
    const scale = transform.a;
    const key = `${style.fill} ${text}`;
    let label = this.known.get(key);
    if (!label) {
      if (this.known.size >= most) this.known.clear();
      this.known.set(key, (label = this.make(text, style, scale)));
    }
    const left = x * scale + transform.e - (isBefore ? label.width : 0) - pad * scale;
    const top = (y - ascent) * scale + transform.f;
    context.resetTransform();
    context.drawImage(label.image, Math.round(left), Math.round(top));
    context.setTransform(transform);
  }

  private make(text: string, { font, fill, halo, haloWidth }: NonNullable<Look["text"]>, scale: number): Label {
    const { ruler } = this;
    if (ruler) ruler.font = font;
    const width = (ruler?.measureText(text).width ?? 0) * scale;
    const image = new OffscreenCanvas(Math.ceil(width + 2 * pad * scale), Math.ceil((ascent + descent) * scale));
    const context = image.getContext("2d");
    if (context) {
      context.setTransform(scale, 0, 0, scale, pad * scale, ascent * scale);
      context.font = font;
      context.lineJoin = "round";
      context.lineWidth = haloWidth;
      context.strokeStyle = halo;
      if (haloWidth > 0) context.strokeText(text, 0, 0);
      context.fillStyle = fill;
      context.fillText(text, 0, 0);
    }
    return { image, width };
  }
}

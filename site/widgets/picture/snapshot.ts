// The picture that is shown, as a file: an SVG that needs no style sheet, or a PNG. It is for slides and texts that
// take pictures and nothing else. What a canvas draws over the picture is in it as an image.

/** What a shape looks like: properties of CSS that SVG knows as attributes, and their values when nobody sets them. */
const looks: Record<string, string> = {
  fill: "rgb(0, 0, 0)", "fill-opacity": "1", stroke: "none", "stroke-opacity": "1", "stroke-width": "1px", "stroke-dasharray": "none", "stroke-linecap": "butt",
  "stroke-linejoin": "miter", opacity: "1", "font-family": "", "font-size": "", "font-weight": "400", "font-style": "normal",
  "text-anchor": "start", "dominant-baseline": "auto", "letter-spacing": "normal", "paint-order": "normal",
};
const inherited = new Set(Object.keys(looks).filter((name) => name !== "opacity" && name !== "dominant-baseline"));
/** Attributes of a shape that say where it is. */
const places = new Set(["x", "y", "width", "height", "rx", "ry", "cx", "cy", "r", "d", "x1", "y1", "x2", "y2", "points", "transform", "viewBox", "dx", "dy"]);
/** How wide a PNG is, pixels. */
const pngWidth = 1920;

/** The picture as the text of an SVG file; title says in words what it shows. */
export function svgOf(picture: SVGSVGElement, title: string, canvases: readonly HTMLCanvasElement[] = []): string {
  const { width, height } = picture.viewBox.baseVal;
  const colors = new Colors();
  const out = document.implementation.createDocument("http://www.w3.org/2000/svg", "svg");
  const make = (name: string) => out.createElementNS("http://www.w3.org/2000/svg", name);
  const copy = (from: Element, parentLook: CSSStyleDeclaration | undefined, to: Element): void => {
    const look = getComputedStyle(from);
    for (const { name, value } of from.attributes) if (places.has(name)) to.setAttribute(name, value);
    for (const [name, initial] of Object.entries(looks)) {
      const value = look.getPropertyValue(name);
      const before = parentLook && inherited.has(name) ? parentLook.getPropertyValue(name) : initial;
      if (value !== "" && value !== before) to.setAttribute(name, name === "fill" || name === "stroke" ? colors.plain(value) : value);
    }
    for (const child of from.childNodes) {
      if (child instanceof Text) to.append(out.createTextNode(child.data));
      if (!(child instanceof SVGElement)) continue;
      const { display, visibility } = getComputedStyle(child);
      if (display === "none" || visibility === "hidden") continue;
      const made = make(child.localName);
      copy(child, look, made);
      to.append(made);
    }
  };
  const root = out.documentElement;
  copy(picture, undefined, root);
  root.setAttribute("width", String(width));
  root.setAttribute("height", String(height));
  const name = make("title");
  name.textContent = title;
  const ground = make("rect");
  for (const [key, value] of Object.entries({ width, height, fill: colors.plain(backgroundOf(picture)) })) ground.setAttribute(key, String(value));
  root.prepend(name, ground);
  const onScreen = picture.getScreenCTM(); // a canvas covers the element, in which the picture has margins
  for (const canvas of onScreen ? canvases : []) {
    const { a, e, f } = onScreen!;
    const { left, top, width, height } = canvas.getBoundingClientRect();
    if (width === 0) continue;
    const image = make("image");
    const place = { x: (left - e) / a, y: (top - f) / a, width: width / a, height: height / a };
    for (const [key, value] of Object.entries(place)) image.setAttribute(key, value.toFixed(2));
    image.setAttribute("preserveAspectRatio", "none");
    image.setAttribute("href", canvas.toDataURL());
    root.append(image);
  }
  return new XMLSerializer().serializeToString(out);
}

/** An SVG as PNG. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = await imageOf(svg);
  const canvas = document.createElement("canvas");
  canvas.width = pngWidth;
  canvas.height = Math.round((pngWidth * image.naturalHeight) / image.naturalWidth);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no PNG was made"))), "image/png"));
}

/** An SVG as an image that can be drawn. */
export async function imageOf(svg: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`; // a page's policy allows no other address
  await image.decode();
  return image;
}

/** Gives a file to whoever asked for it. */
export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** What lies under an element. */
export function backgroundOf(element: Element): string {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (backgroundColor !== "transparent" && !backgroundColor.endsWith(", 0)")) return backgroundColor;
  }
  return "#fff";
}

/** Colours in the form that every program reads: #rrggbb, or rgba() where one lets something through. */
class Colors {
  private readonly known = new Map<string, string>();
  private readonly context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true })!;

  plain(color: string): string {
    if (color === "none" || color.startsWith("url(")) return color;
    let plain = this.known.get(color);
    if (plain === undefined) {
      const { context } = this;
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data as unknown as [number, number, number, number];
      plain = a === 255 ? `#${[r, g, b].map((n) => n.toString(16).padStart(2, "0")).join("")}` : `rgba(${r}, ${g}, ${b}, ${(a / 255).toFixed(3)})`;
      this.known.set(color, plain);
    }
    return plain;
  }
}

// What a class of shapes looks like, for who draws without elements: read off a
// hidden element of that class in the same picture, once, until colours change.

import { svgElement } from "../dom/dom";

export interface Look {
  /** The classes that it belongs to. */
  cls: string;
  fill: string; // "" is none
  stroke: string;
  width: number;
  dash: number[];
  opacity: number;
  /** Of a packet's title. */
  text?: { font: string; fill: string; halo: string; haloWidth: number };
}

export class Looks {
  private readonly known = new Map<string, Look>();
  private readonly layer = svgElement("g", { class: "kw-probes", visibility: "hidden", "aria-hidden": "true" });

  constructor(private readonly root: SVGSVGElement) {
    root.append(this.layer);
  }

  /** The look of a kind of shape with these classes. */
  of(kind: string, cls: string, role: string): Look {
    let look = this.known.get(cls);
    if (!look) this.known.set(cls, (look = this.probe(kind, cls, role)));
    return look;
  }

  forget(): void {
    this.known.clear();
  }

  private probe(kind: string, cls: string, role: string): Look {
    const sign = svgElement(kind !== "packet" || role === "reply" ? "rect" : role === "watch" ? "path" : "circle");
    const group = svgElement("g", { class: cls }, sign);
    const title = svgElement("text", { class: "title" });
    if (kind === "packet") group.append(title); // a box with a text looks otherwise
    if (!this.layer.isConnected) this.root.append(this.layer);
    this.layer.append(group);
    const { fill, stroke, strokeWidth, strokeDasharray } = getComputedStyle(sign);
    const look: Look = {
      cls, fill: paint(fill), stroke: paint(stroke), width: parseFloat(strokeWidth), dash: numbers(strokeDasharray),
      opacity: Number(getComputedStyle(group).opacity),
    };
    if (kind === "packet") {
      const t = getComputedStyle(title);
      look.text = {
        font: `${t.fontWeight} ${t.fontSize} ${t.fontFamily}`, fill: paint(t.fill),
        halo: paint(t.stroke), haloWidth: paint(t.stroke) ? parseFloat(t.strokeWidth) : 0,
      };
    }
    group.remove();
    return look;
  }
}

const paint = (value: string) => (value === "none" ? "" : value);
const numbers = (list: string) => (list === "none" ? [] : list.split(/[\s,]+/).map(parseFloat));

/** Calls back when colours may have changed, as long as an element is in the page. */
export function watchLooks(element: Element, changed: () => void): void {
  const queries = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((q) => matchMedia(q));
  const attributes = new MutationObserver(() => tell());
  const tell = () => {
    if (element.isConnected) return changed();
    attributes.disconnect();
    for (const query of queries) query.removeEventListener("change", tell);
  };
  for (const query of queries) query.addEventListener("change", tell);
  attributes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "class", "style"] });
}

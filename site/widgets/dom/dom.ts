// Making elements. Text gets into the page as text only.

type Props = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

/**
 * An element with attributes and children. A function is a listener; true is an
 * empty attribute, false and undefined are none.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: (globalThis.Node | string | undefined)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

/** How deep the player's headings are: below the heading that a demo stands under. */
export type Level = 2 | 3 | 4 | 5;

export function levelBelow(element: Element): Level {
  const before = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
    .filter((other) => element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING)
    .at(-1);
  return Math.min(5, Math.max(2, Number(before?.tagName[1] ?? 1) + 1)) as Level;
}

/** A panel's heading; deeper is one inside a panel. */
export function heading(level: Level, text: string, props: Props = {}, deeper = false): HTMLElement {
  const tag = `h${level + (deeper ? 1 : 0)}` as "h2";
  return h(tag, { class: deeper ? "kw-subheading" : "kw-heading", ...props }, text);
}

const svgSpace = "http://www.w3.org/2000/svg";

export function svgElement<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attrs: Record<string, string | number> = {},
  ...children: SVGElement[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attrs)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Sets a property only when it changes, so that nothing is laid out for nothing. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttr(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

let count = 0;

/** An id that no other element of the page has. */
export function uniqueId(): string {
  return `kw-${++count}`;
}

let still: MediaQueryList | undefined;

export function prefersStill(): boolean {
  return (still ??= matchMedia("(prefers-reduced-motion: reduce)")).matches; // asked in every frame
}

const connection = () => (navigator as { connection?: { saveData?: boolean; effectiveType?: string } }).connection;

/** Whether the browser says that there is no line, or one as slow as 3G was; most say of the latter nothing. */
export const isSlowLine = () => !navigator.onLine || (connection()?.effectiveType ?? "4g") !== "4g";

/** Whether the reader has asked for as little to be loaded as can be. */
export const savesData = () => connection()?.saveData === true ||
  matchMedia("(prefers-reduced-data: reduce)").matches;

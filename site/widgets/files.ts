// Which files a demo's element names, and which layout suits its width.

import type { Layout } from "./state/recording";

/** From this width on the wide layout's letters are at least 10 px tall; site/styles/storyboard.css has the same. */
const wideFrom = 860;
/** The same beside text, where they are larger. */
const wideBesideFrom = 640;

export const fileOf = ({ dataset: d }: HTMLElement, name: string) => `${d["src"] ?? ""}${name}.gz?v=${d["version"] ?? ""}`;

/** What a demo stands in together with its text (generator/render/markdown/walks.go). */
export const walkOf = (demo: HTMLElement) => (demo.dataset["alone"] === undefined ? demo.closest<HTMLElement>(".walk") : null);

/**
 * pictures: how many stand beside each other. A frame that lies has a wide picture above its controls, or, where it is too low for that, one
 * beside them (alone.css): the wide one only where its letters are as tall as on a page.
 */
export function layoutOf(demo: HTMLElement, pictures = 1): Layout {
  const lies = demo.dataset["alone"] !== undefined && innerWidth >= innerHeight * 1.2 && pictures === 1;
  if (lies) return innerHeight >= 640 || (innerWidth >= 1000 && innerHeight >= 530) ? "wide" : "narrow";
  return demo.clientWidth / pictures >= (walkOf(demo) ? wideBesideFrom : wideFrom) ? "wide" : "narrow";
}

// Which files a demo's element names, and which layout suits its width.

import type { Layout } from "./state/recording";

/** From this width on the wide layout's letters are 14 px tall; site/styles/storyboard.css has the same. */
const wideFrom = 860;
/** The same beside text, where the picture has less around it, and a window as tall; site/styles/walk.css has both. */
const wideBesideFrom = 770;
const small = "(width < 60rem), (height < 45rem)";

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
  const walk = walkOf(demo);
  if (walk && matchMedia(small).matches) return "narrow"; // pinned above the text, or beside it in a low window, the wide one would be small
  return demo.clientWidth / pictures >= (walk ? wideBesideFrom : wideFrom) ? "wide" : "narrow";
}

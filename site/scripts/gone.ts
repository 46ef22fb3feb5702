// On the page that is not there: a link to a moment of a demo, whose chapter has gone or moved, still leads to that demo. Where the link's release
// is kept, it is that one's, else today's page of the demo alone.

import { placeOf } from "../widgets/kept";
import { demoOf, engineOf } from "../widgets/state/link";

/** Where the demo is, given the folder of the demos' own pages; undefined if the book has none of that name. */
async function find(embed: string, demo: string, engine: string | undefined, lang: string): Promise<string | undefined> {
  // An index that cannot be read is as one that has nothing.
  const kept = engine === undefined ? undefined : await placeOf(embed, demo, engine, lang).catch(() => undefined);
  if (kept) return kept.address;
  const today = `${embed}${demo}/`;
  return (await fetch(today, { method: "HEAD" })).ok ? today : undefined;
}

async function lead(demo: string): Promise<void> {
  for (const line of document.querySelectorAll<HTMLElement>("[data-gone]")) {
    const address = await find(line.dataset["gone"]!, demo, engineOf(location.hash), line.closest<HTMLElement>("[lang]")!.lang);
    if (address === undefined) continue;
    line.querySelector("a")!.href = address + location.hash;
    line.hidden = false;
  }
}

const demo = demoOf(location.hash);
if (demo && /^[\w-]+$/.test(demo)) lead(demo).catch((error: unknown) => console.info(error)); // no connection: the page is as without script

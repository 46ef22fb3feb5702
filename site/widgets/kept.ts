// Releases that the site has kept (generator/build/releases): of a link that was made with another engine (link.ts), the one whose own page shows
// what the link holds. Its index is loaded for such a link alone, and in the pages of a release, which say of when they are.

import { isSingleFile } from "./dom/single";
import { loadJson } from "./runs/load";

/** An entry of /releases.json, the newest first. Pages of old releases read it, too, so what is in it stays. */
export interface Release {
  id: string;
  /** On which it was kept: "2026-11-25". */
  date: string;
  /** The first has no folder below /embed/. */
  languages: string[];
  /** By demo. */
  engines: Record<string, string>;
}

const ofRelease = /\/releases\/([0-9a-f]{8})(?=\/embed\/)/;

/** The path of the site's top, given that of a demo's own page, which may be one of a release. */
export const topOf = (path: string) => path.replace(ofRelease, "").replace(/\/embed\/.*$/, "/");

/** The newest release that has this engine, and where its page of the demo is, below the site's top. */
export function find(all: readonly Release[], demo: string, engine: string, lang: string): { date: string; page: string } | undefined {
  const release = all.find(({ engines }) => Object.hasOwn(engines, demo) && engines[demo] === engine);
  if (!release) return undefined;
  const folder = release.languages.indexOf(lang) > 0 ? `${lang}/` : "";
  return { date: release.date, page: `releases/${release.id}/embed/${folder}${encodeURIComponent(demo)}/` };
}

/** All that the site has kept, given a demo's own page. A single file has no site around it. */
async function kept(embed: string): Promise<{ top: string; all: Release[] }> {
  const top = topOf(new URL(embed, location.href).pathname);
  return { top, all: isSingleFile() ? [] : await loadJson<Release[]>(`${top}releases.json`) };
}

/** Where a link to a demo shows what it did, and the date of that release; undefined if it is not kept. embed is the page of one of today's demos. */
export async function placeOf(embed: string, demo: string, engine: string, lang: string): Promise<{ date: string; address: string } | undefined> {
  const { top, all } = await kept(embed);
  const found = find(all, demo, engine, lang);
  return found && { date: found.date, address: `${top}${found.page}` };
}

/** The date of the release that a page belongs to. */
export async function dateOf(embed: string): Promise<string | undefined> {
  const id = ofRelease.exec(new URL(embed, location.href).pathname)?.[1];
  return (await kept(embed)).all.find((release) => release.id === id)?.date;
}

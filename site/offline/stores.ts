// What is kept on the reader's device: pages in one cache, the files that they load
// in another. Both belong to one site: several may share an origin.

const scope = () => new URL((globalThis as { registration?: { scope: string } }).registration?.scope ?? document.baseURI).pathname;

/** The caches of the site whose addresses begin with `base`, which ends in a slash. */
export function storesOf(base: string = scope()) {
  const prefix = `kubewalk ${base} `;
  return {
    pages: () => caches.open(`${prefix}pages`),
    files: () => caches.open(`${prefix}files`),
    /** Removes everything that was kept. */
    clear: async () => {
      for (const name of await caches.keys()) if (name.startsWith(prefix)) await caches.delete(name);
    },
  };
}

/** A file of the site: its address, its size in bytes, and of which languages and layouts it is a part; "" is all. */
export type Entry = [url: string, size: number, language: string, layout: string];

/** /offline.json (generator/build/offline): all that can be kept. */
export interface List {
  version: string;
  files: Entry[];
}

/** What a page asks the worker. */
export type Request =
  | { type: "visit"; urls: string[] } // keep what was loaded before the worker was there
  | { type: "keep"; language: string; layout: string }; // keep the book

/** What the worker answers while it keeps the book. */
export type Progress = { done: number; of: number } | { failed: string };

/** The files of a list that a reader of a language needs, with the pictures of a layout. */
export function partOf(list: List, language: string, layout: string): Entry[] {
  return list.files.filter(([, , l, s]) => (l === "" || l === language) && (s === "" || s === layout));
}

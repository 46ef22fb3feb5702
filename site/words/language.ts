// The language in which a page's scripts speak. English and Japanese they have with
// them, as data beside each part (*.json); for another language the build makes one
// file of what the book's author has translated, and the page names it.

import { loadJson } from "../widgets/runs/load";

let spoken = "";
let own: Record<string, unknown> = {};

/** Gets the words of the page's language, if it names a file of them. Until that is there, it is English. */
export async function learn(): Promise<void> {
  const { lang, dataset } = document.documentElement;
  if (!dataset["words"] || spoken === lang) return;
  try {
    own = await loadJson<Record<string, unknown>>(dataset["words"]);
    spoken = lang;
  } catch {
    // English says it, too.
  }
}

/** What a part says in a language: in that one, in its main part ("ja-JP" is "ja"), or in English. */
export function inLanguage<T>(part: string, table: Record<string, T>, lang: string): T {
  return table[lang] ?? (lang === spoken ? (own[part] as T | undefined) : undefined) ?? table[lang.split("-")[0]!] ?? table["en"]!;
}

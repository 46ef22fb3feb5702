// What the help sheet says of the keys. A key without words does not compile.

import table from "../../words/keys.json";
import { inLanguage } from "../../words/language";
import type { Action, KeyGroup } from "./keys";

export interface KeyWords {
  title: string;
  intro: string;
  close: string;
  or: string; // between two keys for one thing
  groups: Record<KeyGroup, string>;
  /** Keys that have no letter; "Shift" too. */
  names: Record<string, string>;
  does: Record<Action, string>;
}

export const keyWordsOf = (lang: string) => inLanguage<KeyWords>("keys", table, lang);

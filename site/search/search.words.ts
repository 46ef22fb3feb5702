// What the search says.

import { inLanguage } from "../words/language";
import table from "../words/search.json";

export interface SearchWords {
  search: string;
  ask: string; // in the empty field
  close: string;
  results: string; // name of the list
  one: string; // result
  found: string; // {n}
  none: string; // {question}
  noneCure: string;
  instead: string; // {taken} {asked}
  searching: string;
  recent: string;
  hint: string;
  choose: string;
  open: string;
  failed: string;
  offline: string;
  again: string;
  perhaps: string; // on the page that is not there
}

export const wordsIn = (language: string) => inLanguage<SearchWords>("search", table, language);

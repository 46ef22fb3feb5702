// What the page says of shapes that are too small for a text.

import { inLanguage } from "../../words/language";
import table from "../../words/reading.json";

export interface ReadingWords {
  name: string; // of what takes the keyboard's focus
  hint: string;
  on: string; // {what}, {node}
  is: string; // {what}, {state}
  cell: string; // {node}, {state}
  pods: string; // {from}, {to}, {most}
  exactly: string; // {to}, {most}
  comma: string; // between two things that are said of a node
  some: string; // of its Pods are not settled
  nth: string; // {n}: a node without a name
}

export const readingWordsOf = (lang: string) => inLanguage<ReadingWords>("reading", table, lang);

// What the editor of manifests says.

import { inLanguage } from "../../words/language";
import table from "../../words/editor.json";

export interface EditorWords {
  title: string;
  editing: string; // {object}
  begin: string;
  empty: string;
  newFile: string;
  badName: string;
  apply: string;
  save: string;
  close: string;
  how: string;
  place: string; // {line}, {message}
  more: string; // {n}
  noObject: string;
  missing: string; // {field}
  unknownField: string; // {field}
  unknownKind: string; // {kind}
  didYouMean: string; // {word}
  wrongType: string; // {want}
  nothing: string;
  broken: string;
  absent: string; // {object}
  tooLarge: string; // {name}
  types: Record<"object" | "array" | "string" | "integer" | "number" | "boolean", string>;
}

export const editorWordsOf = (lang: string) => inLanguage<EditorWords>("editor", table, lang);

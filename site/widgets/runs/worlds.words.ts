// What the page says of worlds: the tree of branches, and two of them side by side.

import { inLanguage } from "../../words/language";
import table from "../../words/worlds.json";
import type { World } from "./world";

export interface WorldWords {
  branches: string;
  recording: string;
  letter: string; // of the recording; branches have A, B …
  more: string; // {n} that were done after
  parked: string;
  compareWith: string; // {world}
  compareRecording: string;
  rename: string; // {world}
  renamed: string; // a field's name
  drop: string; // {world}
  comparing: string; // {a}, {b}
  leave: string;
  reaching: string; // both are run to where they part
  notCompared: string;
  leftComparing: string;
  alike: string; // {at}
  part: string; // {at}
  inOne: string; // {world}, {what}
  notYet: string; // {world}
  later: string; // {world}, {at}, {what}
  toDifference: string;
  store: string; // {at}, {world}, {what}
  toStored: string;
  picture: string; // {title}, {world}
  speaks: string; // {world}: the world that the controls and the inspector are about
  now: string;
  nothingNow: string;
  only: string; // {world}
  differing: string;
  moreObjects: string; // {n}
  outcomes: string;
  soFar: string;
  figures: Record<Figure, string>;
  notSettled: string;
  whatIf: string;
  running: string;
  cannotRun: string;
}

export type Figure = "created" | "deleted" | "requests" | "conflicts" | "settled";

export const worldWordsOf = (lang: string) => inLanguage<WorldWords>("worlds", table, lang);

export const letterOf = (world: World, words: WorldWords) => world.label || words.letter;

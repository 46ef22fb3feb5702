// The words of the inspector's two sides: why an event happened, and what an
// object is like.

import { inLanguage } from "../../words/language";
import table from "../../words/why.json";
import type { Place } from "./queues";

export interface WhyWords {
  chain: string;
  toCause: string;
  backUp: string;
  of: string; // {n}, {all}
  asLog: string;
  logLine: string;
  between: string; // {n}
  began: string;
  expectations: string; // {key}
  line: string;
  creations: string;
  deletions: string;
  batch: string; // {n}, {left}
  matrix: string; // {pod}
  plugin: string;
  total: string;
  chosen: string;
  part: string; // {weight}, {score}
  raw: string; // {raw}
  filtered: string;
  fits: string;
  notScored: string;
  otherNodes: string; // {n}
  queue: string; // {name}
  dirty: string;
  processing: string;
  due: string;
  dueAt: string; // {at}
  failures: string; // {n}
  nobody: string;
  schedulerQueues: string;
  places: Record<Place, string>;
  attempt: string; // {n}
  hinted: string; // {plugin}, {hint}
  rejectedBy: string; // {plugins}
  until: string; // {at}
  collector: string;
  virtual: string;
  beingDeleted: string;
  deletingDependents: string;
  absent: string;
  graph: string;
  ownedBy: string; // {name}
  here: string;
  moreOf: string; // {n}
  otherCalls: string; // {n}

  choose: string;
  gone: string;
  none: string;
  yaml: string; // {name}
  version: string;
  versionOf: string; // {version}, {at}, {who}, {type}
  older: string;
  newer: string;
  goThere: string;
  wroteIt: string; // {who}
  writtenAt: string; // {at}, {who}
  isOlder: string;
  isLater: string;
  isGone: string; // {at}
  since: string;
  sincePrevious: string;
  sinceStep: string;
  same: string;
  first: string;
  was: string; // {value}
  signs: string;
  managers: string;
  manager: string;
  operation: string;
  fields: string;
  beside: string;
  unmanaged: string;
  noManagers: string;
  owners: string;
  controller: string;
  alone: string;
}

export const whyWordsOf = (lang: string) => inLanguage<WhyWords>("why", table, lang);

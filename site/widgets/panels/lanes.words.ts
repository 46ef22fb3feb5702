// The words of the lanes.

import table from "../../words/lanes.json";
import { inLanguage } from "../../words/language";
import type { Sign } from "./lanesigns";
import type { Depth, End, Kind, Sums } from "../state/tracks";

export interface LaneWords {
  title: string;
  /** What a screen reader calls the lanes. */
  list: string;
  zoomIn: string;
  zoomOut: string;
  all: string;
  earlier: string;
  later: string;
  close: string;
  table: string;
  open: string;
  hint: string;
  things: Record<Kind, string>; // {key}, {text}
  ends: Record<End, string>; // {text}
  at: string; // {from}
  span: string; // {from}, {to}
  since: string; // {from}
  due: string; // {due}
  one: string; // request
  requests: string; // {n} requests
  failed: string; // {n}
  retry: string; // {n}
  depth: Record<Depth, string>; // {n}
  empty: string;
  component: string;
  sums: Record<keyof Sums, string>;
  signs: Record<Sign, string>;
  now: string;
  join: string;
}

export const laneWordsOf = (lang: string) => inLanguage<LaneWords>("lanes", table, lang);

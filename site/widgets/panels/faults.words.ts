// What the part says in which a reader breaks things. Kinds are those of faults.ts.

import table from "../../words/faults.json";
import { inLanguage } from "../../words/language";

export interface FaultWords {
  target: string; // what a choice is about
  choose: string; // the choice, as long as nothing is chosen
  groups: { control: string; node: string; pod: string };
  /** What can be done; {name} is who it befalls. */
  does: Record<string, string>;
  others: string; // {n} that are not shown
  fewer: string;
  how: Record<string, string>; // what a choice beside a button is about
  modes: Record<string, string>; // what is chosen there, where it says nothing itself
  on: string; // heading of the faults that are on
  none: string;
  is: Record<string, string>; // {name}, {value}
  mend: string;
  mendIt: string; // {what}, {name}
  /** Who starts what nobody but its Pod starts: after a crash, the first time. */
  byPod: { down: string; unstarted: string };
  hint: string;
}

export const faultWordsOf = (lang: string) => inLanguage<FaultWords>("faults", table, lang);

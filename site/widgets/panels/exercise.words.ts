// What the page says of exercises.

import table from "../../words/exercise.json";
import { inLanguage } from "../../words/language";

export interface ExerciseWords {
  exercise: string;
  exercises: string;
  question: string;
  progress: string; // {n}, {of}
  start: string;
  again: string;
  notStarted: string;
  working: string;
  solved: string;
  spoiltBy: string; // {at}, {what}: the event that must not happen
  justSolved: string; // {at}
  solvedAt: string; // {at}, {by}
  solvedOn: string; // {on}
  right: string;
  wrong: string;
  see: string;
  check: string;
  goal: string;
  holds: string;
  lacks: string;
  waits: string; // until the reader does something
  watches: string;
  keeps: string; // {s}: how long it has to stay so
  answered: string;
  spoilt: string; // {at}
  late: string; // {s}
  hint: string;
  noHint: string;
  answer: string;
  forget: string;
  otherwise: string; // in a counterfactual
}

export const exerciseWordsOf = (lang: string) => inLanguage<ExerciseWords>("exercise", table, lang);

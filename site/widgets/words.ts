// The player's own words. A language that lacks one does not compile.

import { inLanguage } from "../words/language";
import table from "../words/player.json";
import type { Sign, SignGroup } from "./picture/legend";
import type { Panel } from "./state/playerstate";
import type { Kind } from "./state/scenario";
import type { Unit } from "./state/stepunit";

export interface Words {
  player: string; // what a screen reader calls the whole
  play: string;
  pause: string;
  stepBack: string;
  stepForward: string;
  previousMark: string;
  nextMark: string;
  stepBy: string;
  units: Record<Unit, string>;
  looking: string;
  nothingAhead: string; // {n} s
  noneAfter: string; // {what}
  noneBefore: string; // {what}
  lookFirst: string;
  lookAt: string; // {what}
  lookOn: string;
  nothingNow: string; // {n} s
  playOn: string;
  quiet: string;
  quietUntil: string; // {at}, {what}: the next event that is not routine
  silence: string; // {n} s: it was left out
  keys: string;
  lanes: string;
  speed: string;
  position: string;
  paceSlow: string; // {n}
  paceFast: string; // {n}
  paceEven: string;
  paceSkip: string; // {n} s
  picture: string; // {title}
  coming: string; // before a caption that the picture is on its way to
  earlier: string; // before a caption that the picture has gone on from
  log: string;
  showQuiet: string;
  all: string; // of the filter
  filter: string;
  inThePicture: string; // objects that can be looked at
  clearFilter: string; // {what}
  noEvents: string;
  why: string;
  inspector: string;
  whyHint: string;
  whyDid: string; // the moment's event follows
  whyLooks: string;
  whyTab: string;
  objectTab: string;
  close: string;
  taller: string; // a button of the panel, pressed or not
  time: string;
  component: string;
  object: string;
  values: string;
  causes: string;
  noCause: string;
  effects: string;
  noEffect: string;
  stack: string;
  noStack: string;
  written: string;
  changed: string;
  loadingDetails: string;
  failedDetails: string;
  failedSource: string; // {file}
  sourceOf: string; // {file}
  retry: string;
  yourTurn: string;
  scale: string; // {name}
  remove: string; // {name}
  removeOldest: string;
  killNode: string; // {node}
  startNode: string;
  stop: string; // {component}
  start: string;
  dropWatch: string;
  startsInPod: string; // of a program that is down
  actions: Partial<Record<Kind, string>>; // {name}, {node}, {value}, {url}, {from}
  load: string; // {name}
  profiles: string;
  profilesText: string;
  reconfigure: string;
  commandLine: string;
  shellLine: string;
  shellHint: string;
  stillRuns: string;
  interrupt: string;
  endOfInput: string;
  writeManifest: string;
  run: string;
  examples: string;
  printed: string; // a box's name
  nothingPrinted: string;
  exit: string;
  didYouMean: string; // {word}
  nodes: string;
  components: string;
  watches: string;
  breaks: string;
  live: string; // badge
  recorded: string;
  loadingLive: string;
  loadingLivePart: string; // {percent}
  working: string; // {at}, {percent}
  atWork: string;
  starting: string;
  loadingRest: string;
  failedRest: string;
  failedLive: string;
  stoppedLive: string;
  undoLast: string; // a button
  isSoAlready: string; // {n}, {at}
  beforeThat: string; // a button
  fullLive: string; // {n}
  reset: string;
  briefs: Record<string, string>; // a word for a button on a phone
  share: string;
  legend: string;
  noSigns: string;
  otherSigns: string;
  signGroups: Record<SignGroup, string>;
  signs: Record<Sign, string>;
  badLink: string; // {message}
  noSuchDemo: string; // {demo}
  openingThere: string; // {date}
  notKept: string;
  ofRelease: string; // {date}
  failed: string;
  unsupported: string;
  ask: string; // a button: why the moment's event happened
  open: string; // a button: opens what is beside the picture
  side: string; // that panel's name
  sides: Record<Panel, string>; // its tabs
  chosen: string; // what the log is called while something is chosen
}

export const wordsOf = (lang: string) => inLanguage<Words>("player", table, lang);

// What a player consists of, from the picture's place down to the inspector, and
// what each of these asks of the player.

import { Captions } from "./panels/captions";
import { Controls } from "./panels/controls";
import { listen } from "./input/keyhandlers";
import { h, put } from "./dom/dom";
import { Drawer } from "./panels/drawer";
import { Inspector } from "./panels/inspector";
import { legend } from "./picture/legend";
import { Log } from "./panels/log";
import { paceAt } from "./state/pace";
import { say } from "./state/phrases";
import type { Player } from "./player";
import { Reader } from "./panels/reader";
import { SidePanel } from "./panels/sidepanel";
import { StatusLine } from "./panels/statusline";

export interface Panels {
  root: HTMLElement;
  /** Where the picture is. */
  stage: HTMLElement;
  captions: Captions;
  controls: Controls;
  drawer: Drawer;
  /** The event of the moment, in words. */
  statusLine: StatusLine;
  status: HTMLElement;
  reader: Reader;
  log: Log;
  inspector: Inspector;
  /** What a screen reader is told. */
  announced: HTMLElement;
  /** What is not in the picture's view. */
  side: SidePanel;
}

export function panelsOf(player: Player): Panels {
  const { given, transport, attention, extras, turn } = player;
  const { words, phrases, level, lang, title, scenario } = given;
  const look = (about: string) => attention.look(about);
  const choose = (i: number, byKey = false) => attention.choose(i, byKey);
  const copyLink = () => void extras.share().then((share) => share?.copyLink());
  const captions = new Captions(lang);
  const announced = h("p", { class: "kw-announced", "aria-live": "polite" });
  const status = h("p", { class: "kw-status", role: "status", hidden: true });
  const stage = h("div", { class: "kw-stage", click: (event) => attention.clicked(event as MouseEvent) });
  const statusLine = new StatusLine(phrases, status);
  const controls = new Controls({
    words,
    toggle: () => transport.toggle(),
    step: (way) => transport.step(way),
    unit: (unit) => (transport.unit = unit),
    help: () => void extras.help(),
    lanes: () => void drawer.toggle(),
    measured: () => drawer.refresh(),
    toMark: (way) => transport.toMark(way),
    toMoment: (i) => { const mark = player.world.marks[i]; if (mark) transport.toFrame(mark.frame, mark.d); },
    scrub: (ms) => transport.scrub(ms),
    scrubbed: () => attention.announce(),
    speed: (speed) => (player.head.speed = speed),
    share: () => void extras.share().then((share) => share?.toggle()),
    tell: () => log.sentence(player.head.target),
    pace: () => paceAt(player.timeline.frames, player.head.index, player.head.ms, player.head.speed),
  }, statusLine.root);
  const drawer = new Drawer({
    get timeline() { return player.timeline; },
    get whole() { return controls.whole; },
    get marks() { return controls.marked; },
    lang, level, phrases,
    scrub: (ms) => transport.scrub(ms),
    scrubbed: () => attention.announce(),
    choose, look,
    opened: (open) => controls.showLanes(open),
    say: (message, retry) => player.say(message, retry),
  });
  const log = new Log({ get frames() { return player.timeline.frames; }, words, phrases, level,
    objects: () => attention.objects(),
    choose, look,
    letter: (i) => player.comparison?.letterOf(i) ?? "",
  });
  const inspector = new Inspector({
    get frames() { return player.inspected.timeline.frames; }, words, phrases, level, sourceFolder: given.source, lang,
    get epoch() { return player.recording.epoch; },
    details: () => player.frameSource.details(),
    managers: (object) => player.frameSource.managers(object),
    jump: (i) => choose(player.comparison?.place(i) ?? i),
    closed: () => log.focus(),
    ask: () => attention.ask(),
  });
  const reader = new Reader({ words, level, lang, scenario, look, printed: () => side.reveal("act"),
    give: (input) => void turn.give(input), sentence: (frame) => say(phrases, frame),
    parse: (line) => turn.judge("parse", { line, manifests: scenario.manifests ?? {} }), judge: (text) => turn.judge("profiles", { text }),
    reset: () => player.reset(), intends: () => turn.warmUp() });
  const ask = () => attention.ask(true);
  const columns = h("div", { class: "kw-columns" }, log.root, inspector.root);
  const front = h("div", { class: "kw-front" }, stage, h("div", { class: "kw-told" }, captions.root, reader.resetButton));
  const signs = legend(words, scenario.cluster.trace);
  const lanes = () => void drawer.toggle();
  const side = new SidePanel({ words,
    contents: { act: [reader.root], log: [reader.chosenRoot, columns], lanes: [drawer.root], options: [h("div", { class: "kw-side-units" }, ...controls.unit), controls.extras, signs] },
    shown: (shown) => {
      if ((shown === "lanes") !== drawer.isOpen) lanes();
      if (shown === "log") log.bring();
    },
  });
  for (const event of ["pointerenter", "focusin"]) controls.root.addEventListener(event, () => turn.warmUp());
  const dock = h("div", { class: "kw-dock" }, controls.root, h("div", { class: "kw-main" }, ...reader.main,
    h("button", { type: "button", class: "kw-button kw-ask", click: ask }, words.ask), side.button));
  const root = h("div", { class: "kw-player", role: "group", tabindex: -1, "aria-label": put(words.player, { title }) },
    h("div", { class: "kw-title" }, h("p", {}, title)), front, dock, side.root, announced);
  listen({ root, transport, controls, log, look, copyLink, reveal: (which) => side.reveal(which),
    help: () => void extras.help(), lanes: () => (side.shown === "lanes" ? side.close() : side.reveal("lanes")), breakIt: () => void reader.breakIt(), why: ask,
    walk: (way) => inspector.walk(way), leave: () => attention.leave() });
  return { root, stage, captions, controls, drawer, statusLine, status, reader, log, inspector, announced, side };
}

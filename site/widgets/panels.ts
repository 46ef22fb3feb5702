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
  const reader = new Reader({ words, level, lang, scenario, look,
    give: (input) => void turn.give(input), sentence: (frame) => say(phrases, frame),
    parse: (line) => turn.judge("parse", { line, manifests: scenario.manifests ?? {} }), judge: (text) => turn.judge("profiles", { text }),
    reset: () => player.reset(), intends: () => turn.warmUp() });
  for (const event of ["pointerenter", "focusin"]) controls.root.addEventListener(event, () => turn.warmUp());
  const root = h("div", { class: "kw-player", role: "group", tabindex: -1, "aria-label": put(words.player, { title }) },
    h("div", { class: "kw-title" }, h("p", {}, title)),
    h("div", { class: "kw-front" }, stage, captions.root),
    controls.root, drawer.root, legend(words), reader.root,
    h("div", { class: "kw-columns" }, log.root, inspector.root),
    announced);
  listen({ root, transport, controls, log, look, copyLink,
    help: () => void extras.help(), lanes: () => void drawer.toggle(), breakIt: () => void reader.breakIt(), why: () => attention.ask(true),
    walk: (way) => inspector.walk(way), leave: () => attention.leave() });
  return { root, stage, captions, controls, drawer, statusLine, status, reader, log, inspector, announced };
}

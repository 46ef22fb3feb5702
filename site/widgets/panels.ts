// What a player consists of, from the picture's place down to the inspector. Each part
// is given what it needs, and listens to the state; here they are put together.

import { h, setText } from "./dom/dom";
import { listen } from "./input/keyhandlers";
import { Captions } from "./panels/captions";
import { Controls } from "./panels/controls";
import { Drawer } from "./panels/drawer";
import { Inspector } from "./panels/inspector";
import { Log } from "./panels/log";
import { Reader } from "./panels/reader";
import { SidePanel } from "./panels/sidepanel";
import { StatusLine } from "./panels/statusline";
import { legend } from "./picture/legend";
import { Stage } from "./picture/stage";
import type { Player } from "./player";
import { put } from "./text";

/** Panels lie over the window's end (sidepanel.css). */
const isNarrow = "(width < 60rem)";

export interface Panels {
  root: HTMLElement;
  stage: Stage;
  captions: Captions;
  controls: Controls;
  reader: Reader;
  side: SidePanel;
}

export function panelsOf({ given, state, transport, worlds, actions, attention, extras }: Player): Panels {
  const { words, title, scenario } = given;
  const help = () => void extras.help();
  const stage = new Stage(given, state);
  const captions = new Captions(given, state);
  const reader = new Reader(given, state, worlds, actions);
  const log = new Log(given, state, attention);
  const statusLine = new StatusLine(given, state);
  const controls = new Controls(words, state, transport, statusLine.root, { help, share: () => void extras.share().then((share) => share?.toggle()) });
  const drawer = new Drawer(given, state, transport, attention);
  const inspector = new Inspector(given, state, worlds, attention, (isAlone) => {
    if (isAlone && matchMedia(isNarrow).matches) state.reveal(); // there it covers the log, which they have not seen
    else log.focus();
  });
  const side = new SidePanel(words, state, {
    act: [reader.root], log: [reader.chosenRoot, h("div", { class: "kw-columns" }, log.root, inspector.root)], lanes: [drawer.root],
    options: [h("div", { class: "kw-side-units" }, ...controls.unit), controls.extras, legend(words, scenario.cluster.trace, state)],
  }, (pressed) => { if (pressed === "log" && inspector.isOpen) inspector.close(); }); // which may cover it
  const announced = h("p", { class: "kw-announced", "aria-live": "polite" }); // the moment, for who does not see it
  const dock = h("div", { class: "kw-dock" }, controls.root, h("div", { class: "kw-main" }, ...reader.main,
    h("button", { type: "button", class: "kw-button kw-ask", click: () => void attention.ask(true) }, words.ask), side.button));
  const root = h("div", { class: "kw-player", role: "group", tabindex: -1, "aria-label": put(words.player, { title }) },
    h("div", { class: "kw-title" }, h("p", {}, title)),
    h("div", { class: "kw-front" }, stage.root, h("div", { class: "kw-told" }, captions.root, reader.resetButton)), dock, side.root, announced);
  const warmUp = () => actions.warmUp();
  for (const kind of ["pointerenter", "focusin"]) controls.root.addEventListener(kind, warmUp);
  // A pointer that moves over the picture is on its way to something; one that the page scrolls under does not move.
  const near = ({ movementX, movementY }: PointerEvent) => { if (movementX || movementY) { stage.root.removeEventListener("pointermove", near); warmUp(); } };
  if (!actions.isSlow) stage.root.addEventListener("pointermove", near);
  else for (const kind of ["pointerdown", "keydown"]) root.addEventListener(kind, warmUp, { once: true });
  state.on("told", () => setText(announced, state.sentence(state.head.target)));
  state.on("busy", (busy) => root.classList.toggle("is-busy", busy));
  // Who is about to break something chooses what, here or in the picture.
  state.on("about", (about) => {
    if (about !== "" && !(state.panel === "act" && reader.isBreaking)) state.reveal("log");
    side.uncover();
  });

  /** One step out: of the inspector to the log, of the log to the player, and of the player. */
  const leave = () => {
    const active = document.activeElement as HTMLElement | null;
    if (inspector.isOpen && inspector.root.contains(active)) {
      inspector.close();
      return log.focus();
    }
    if (worlds.comparison) {
      worlds.comparing!.part();
      return root.focus({ preventScroll: true });
    }
    if (state.panel) return state.reveal();
    const framed = parent !== window;
    if (active !== root && (!framed || log.root.contains(active))) return root.focus({ preventScroll: true });
    active?.blur();
    if (framed) parent.focus();
  };
  listen(root, state, transport, attention, { help, leave,
    slower: () => controls.changeSpeed(-1), faster: () => controls.changeSpeed(1),
    cause: () => inspector.walk(1), effect: () => inspector.walk(-1),
    find: () => { state.reveal("log"); log.find(); }, quiet: () => log.toggleQuiet(),
    breakIt: () => { state.reveal("act"); void reader.breakIt(); },
    copyLink: () => void extras.share().then((share) => share?.copyLink()),
  });
  return { root, stage, captions, controls, reader, side };
}

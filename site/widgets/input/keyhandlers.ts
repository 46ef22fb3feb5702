// What a demo does at its keys: the table of keys.ts, line by line.

import type { Controls } from "../panels/controls";
import { press, type KeyHandlers, type PlayerGroup } from "./keys";
import type { Log } from "../panels/log";
import type { Side } from "../panels/sidepanel";
import type { Transport } from "../state/transport";

export interface KeyHost {
  root: HTMLElement;
  transport: Transport;
  controls: Controls;
  log: Log;
  look(about: string): void;
  /** Opens what holds a part, where that is folded. */
  reveal(side: Side): void;
  help(): void;
  lanes(): void;
  /** Offers what can be done to what the reader looks at. */
  breakIt(): void;
  /** Opens the current event. */
  why(): void;
  /** Goes to the cause of what is open (1), or back (-1). */
  walk(way: 1 | -1): void;
  copyLink(): void;
  /** One step out of where the focus is. */
  leave(): void;
}

/** Listens to the keys that are pressed while the focus is in the demo. */
export function listen(host: KeyHost): void {
  const { transport, controls, log, root } = host;
  const legend = () => root.querySelector<HTMLElement>(".kw-legend > summary")!;
  const handlers: KeyHandlers<PlayerGroup> = {
    toggle: () => transport.toggle(),
    slower: () => controls.changeSpeed(-1),
    faster: () => controls.changeSpeed(1),
    toStart: () => transport.toEnd(-1),
    toEnd: () => transport.toEnd(1),
    stepOn: () => transport.step(1),
    stepBack: () => transport.step(-1),
    nextEvent: () => transport.step(1, "event"),
    previousEvent: () => transport.step(-1, "event"),
    nextQuiet: () => transport.step(1, "every"),
    previousQuiet: () => transport.step(-1, "every"),
    nextRequest: () => transport.step(1, "request"),
    previousRequest: () => transport.step(-1, "request"),
    nextReconcile: () => transport.step(1, "reconcile"),
    previousReconcile: () => transport.step(-1, "reconcile"),
    nextChange: () => transport.step(1, "change"),
    previousChange: () => transport.step(-1, "change"),
    unit: () => { host.reveal("options"); root.querySelector<HTMLElement>(".kw-unit")!.focus(); },
    nextMark: () => transport.toMark(1),
    previousMark: () => transport.toMark(-1),
    help: () => host.help(),
    lanes: () => host.lanes(),
    why: () => host.why(),
    cause: () => host.walk(1),
    effect: () => host.walk(-1),
    find: () => { host.reveal("log"); log.find(); },
    everything: () => host.look(""),
    quiet: () => log.toggleQuiet(),
    legend: () => { host.reveal("options"); legend().click(); legend().focus(); },
    breakIt: () => { host.reveal("act"); host.breakIt(); },
    commandLine: () => { host.reveal("act"); root.querySelector<HTMLElement>(".kw-prompt input")?.focus(); },
    recording: () => root.querySelector<HTMLElement>(".kw-reset:not([hidden])")?.click(),
    copyLink: () => host.copyLink(),
    leave: () => host.leave(),
  };
  root.addEventListener("keydown", (event) => {
    if (press<PlayerGroup>(event, "player", handlers)) event.preventDefault();
  });
}

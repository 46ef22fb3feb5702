// What a demo does at its keys: the table of keys.ts, line by line.

import { press, type KeyHandlers, type PlayerGroup } from "./keys";
import type { Attention } from "../state/attention";
import type { PlayerState } from "../state/playerstate";
import type { Transport } from "../state/transport";

/** What only the panels can do, which are above. */
export type PanelKeys = Pick<KeyHandlers<PlayerGroup>, "slower" | "faster" | "help" | "cause" | "effect" | "find" | "quiet" | "breakIt" | "copyLink" | "leave">;

/** Listens to the keys that are pressed while the focus is in the demo. */
export function listen(root: HTMLElement, state: PlayerState, transport: Transport, attention: Attention, panels: PanelKeys): void {
  const legend = () => root.querySelector<HTMLElement>(".kw-legend > summary")!;
  const handlers: KeyHandlers<PlayerGroup> = {
    ...panels,
    toggle: () => transport.toggle(),
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
    unit: () => { state.reveal("options"); root.querySelector<HTMLElement>(".kw-unit")!.focus(); },
    nextMark: () => transport.toMark(1),
    previousMark: () => transport.toMark(-1),
    lanes: () => state.reveal(state.panel === "lanes" ? undefined : "lanes"),
    why: () => void attention.ask(true),
    everything: () => state.look(""),
    legend: () => { state.reveal("options"); legend().click(); legend().focus(); },
    commandLine: () => { state.reveal("act"); root.querySelector<HTMLElement>(".kw-prompt input")?.focus(); },
    recording: () => root.querySelector<HTMLElement>(".kw-reset:not([hidden])")?.click(),
  };
  root.addEventListener("keydown", (event) => {
    if (press<PlayerGroup>(event, "player", handlers)) event.preventDefault();
  });
}

// Scripts that are of use once the reader moves: buttons that copy, notes of terms.
// The tag of the page's script names them.

import { own } from "./own";

const moves = ["pointermove", "pointerdown", "touchstart", "keydown", "focusin"] as const;

export function later(): void {
  const names = document.querySelector<HTMLElement>("script[data-later]")?.dataset["later"];
  if (!names) return;
  const come = () => {
    for (const move of moves) removeEventListener(move, come);
    for (const src of names.split(" ")) document.head.append(Object.assign(document.createElement("script"), { src: own.createScriptURL(src) }));
  };
  for (const move of moves) addEventListener(move, come, { passive: true });
}

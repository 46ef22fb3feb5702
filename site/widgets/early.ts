// What a player needs besides its script, fetched while the script is still on its way.

import { loadJson } from "./runs/load";
import { fileOf, layoutOf } from "./files";

export function fetchEarly(demo: HTMLElement): void {
  const failed = () => {}; // the player asks again, and says so
  for (const url of [fileOf(demo, `${layoutOf(demo)}.json`), fileOf(demo, "scenario.json"), demo.dataset["phrases"] ?? ""]) loadJson(url).catch(failed);
}

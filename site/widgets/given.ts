// What a player is given by its page. Addresses end in a slash where they are folders.

import type { Level } from "./dom/dom";
import type { Addresses } from "./runs/engine";
import type { Phrases } from "./state/phrases";
import type { Scenario } from "./state/scenario";
import type { Words } from "./words";

export interface Given extends Addresses {
  demo: string;
  title: string;
  lang: string;
  /** The address of one of the demo's files. */
  file(name: string): string;
  /** Takes the layout that suits the room: two pictures have less than one. */
  fit(): Promise<void>;
  /** Whether the reader has asked for as little to be loaded as can be. */
  savesData(): boolean;
  /** Megabytes would take long, or cost others theirs. */
  isSlowLine(): boolean;
  source: string;
  /** What its runs depend on, for links; there is none before the control plane is compiled. */
  engine: string | undefined;
  /** The page that holds the demo alone. */
  embed: string;
  words: Words;
  level: Level;
  phrases: Phrases;
  scenario: Scenario;
}

// What a recording's first file leaves out. It is loaded in the background while
// the first part plays. Who goes beyond that part waits for it: what they wanted
// is done when it is there, unless they did something else meanwhile.

import { complete, type Recording, type RestFile } from "./recording";
import type { PlayerState } from "./playerstate";
import { messageOf } from "../text";
import type { Words } from "../words";

export type RestWords = Pick<Words, "loadingRest" | "failedRest">;

interface Wish {
  ms: number | undefined;
  act(): void;
}

export class Rest {
  private loading: Recording | undefined;
  private wish: Wish | undefined;
  private told = false;

  constructor(private readonly state: PlayerState, private readonly page: { words: RestWords; load(file: string): Promise<RestFile> }) {}

  /** Whether somebody waits. */
  get isWanted(): boolean {
    return this.wish !== undefined;
  }

  /** The moment of the display that somebody waits for, ms. */
  get wantedMs(): number | undefined {
    return this.wish?.ms;
  }

  /** Does something as soon as the recording is whole. */
  want(ms: number | undefined, act: () => void): void {
    this.wish = { ms, act };
    this.tell(this.page.words.loadingRest);
    void this.fetch();
  }

  /** For when the reader does something else: nobody waits any more. */
  drop(): void {
    this.wish = undefined;
    this.tell("");
  }

  /** Loads it, unless that is under way. What fails while nobody waits is tried again when somebody does. */
  async fetch(): Promise<void> {
    const { state } = this;
    const { recording } = state;
    if (this.loading === recording) return;
    this.loading = recording;
    let failure: unknown;
    try {
      await whole(recording, (file) => this.page.load(file));
    } catch (error) {
      failure = error;
    }
    if (state.recording !== recording) return; // another layout has taken its place
    this.loading = undefined;
    const { wish } = this;
    this.wish = undefined;
    if (failure === undefined) {
      this.tell("");
      state.emit("whole");
      wish?.act();
    } else if (wish) {
      console.info(messageOf(failure));
      state.waiting = false;
      state.draw();
      this.tell(this.page.words.failedRest, () => this.want(wish.ms, wish.act));
    }
  }

  /** Says something, or takes back what it told. */
  private tell(message: string, retry?: () => void): void {
    if (message === "" && !this.told) return;
    this.told = message !== "";
    this.state.say(message, retry);
  }
}

/** Makes a recording whole, in place. */
export async function whole(recording: Recording, load: (file: string) => Promise<RestFile>): Promise<void> {
  if (recording.rest !== undefined) complete(recording, await load(recording.rest));
}

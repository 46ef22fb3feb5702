// What a recording's first file leaves out. It is loaded in the background while
// the first part plays. Who goes beyond that part waits for it: what they wanted
// is done when it is there, unless they did something else meanwhile.

import { messageOf } from "../runs/load";
import { complete, type Recording, type RestFile } from "./recording";
import type { Words } from "../words";

export interface RestHost {
  words: Pick<Words, "loadingRest" | "failedRest">;
  load(file: string): Promise<RestFile>;
  /** The recording is whole. */
  came(): void;
  /** It did not come, and somebody waits for it. */
  missed(): void;
  /** Says something where the reader looks; with a way to try again. "" says nothing. */
  say(message: string, retry?: () => void): void;
}

interface Wish {
  ms: number | undefined;
  act(): void;
}

export class Rest {
  private recording: Recording | undefined;
  private loading = false;
  private wish: Wish | undefined;
  private told = false;

  constructor(private readonly host: RestHost) {}

  /** Takes another recording; a wish stays. */
  use(recording: Recording): void {
    this.recording = recording;
    this.loading = false;
  }

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
    this.tell(this.host.words.loadingRest);
    void this.fetch();
  }

  /** For when the reader does something else: nobody waits any more. */
  drop(): void {
    this.wish = undefined;
    this.tell("");
  }

  /** Loads it, unless that is under way. What fails while nobody waits is tried again when somebody does. */
  async fetch(): Promise<void> {
    const { recording } = this;
    if (!recording || this.loading) return;
    this.loading = true;
    let failure: unknown;
    try {
      await whole(recording, (file) => this.host.load(file));
    } catch (error) {
      failure = error;
    }
    if (this.recording !== recording) return; // another layout has taken its place
    this.loading = false;
    const { wish } = this;
    this.wish = undefined;
    if (failure === undefined) {
      this.tell("");
      this.host.came();
      wish?.act();
    } else if (wish) {
      console.info(messageOf(failure));
      this.host.missed();
      this.tell(this.host.words.failedRest, () => this.want(wish.ms, wish.act));
    }
  }

  /** Says something, or takes back what it told. */
  private tell(message: string, retry?: () => void): void {
    if (message === "" && !this.told) return;
    this.told = message !== "";
    this.host.say(message, retry);
  }
}

/** Makes a recording whole, in place. */
export async function whole(recording: Recording, load: (file: string) => Promise<RestFile>): Promise<void> {
  if (recording.rest !== undefined) complete(recording, await load(recording.rest));
}

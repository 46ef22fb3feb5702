// The line between the picture and the bar: the event of this moment, and in its
// place what the player has to say. It is as tall with one as with the other, so
// that nothing below it moves. It is no live region: who does not see it is told
// the moment once (attention.ts).

import { h, put, setText } from "../dom/dom";
import { say, seconds, sum, type Phrases } from "../state/phrases";
import type { Frame } from "../state/recording";
import type { Told } from "../state/timeline";

export class StatusLine {
  readonly root: HTMLElement;
  private readonly time = h("time");
  private readonly letter = h("b", { class: "kw-letter", hidden: true });
  private readonly who = h("b", { class: "kw-statusline-who" });
  private readonly sentence = h("span");
  private readonly line = h("p", { class: "kw-statusline-line" }, this.time, " ", this.letter, " ", this.who, " ", this.sentence);
  private frame: Frame | undefined;
  private of = "";
  private n = 0;
  private at: Frame | undefined;

  constructor(private readonly phrases: Phrases, readonly status: HTMLElement) {
    this.root = h("div", { class: "kw-statusline" }, this.line, status);
  }

  /**
   * Shows the event of a moment, or while it plays what is told by then, which stands for long enough to be read. of is the
   * letter of the one of two worlds that it is of. Who pauses can read to the end.
   */
  show(at: Frame | undefined, of: string, playing: boolean, told: Told | undefined): void {
    if (!at || (playing && !told && this.frame) || (!playing && at === this.at)) return;
    this.at = at;
    const { frame, n } = told ?? { frame: at, n: 1 };
    if (frame === this.frame && of === this.of && n === this.n) return;
    [this.frame, this.of, this.n] = [frame, of, n];
    const sentence = n > 1 ? sum(this.phrases, frame, n) : say(this.phrases, frame);
    setText(this.time, seconds(frame.at));
    setText(this.letter, of);
    this.letter.hidden = of === "";
    setText(this.who, frame.who);
    this.who.hidden = sentence.startsWith(frame.who); // it says so itself
    setText(this.sentence, sentence);
    this.line.title = put("{at} {who}: {sentence}", { at: seconds(frame.at), who: frame.who, sentence });
  }
}

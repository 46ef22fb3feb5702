// The line between the picture and the bar: the event of this moment, and in its
// place what the player has to say. It is as tall with one as with the other, so
// that nothing below it moves. It is no live region: who does not see it is told
// the moment once (panels.ts).

import { h, setText } from "../dom/dom";
import type { Given } from "../given";
import { say, seconds, sum } from "../state/phrases";
import type { Message, PlayerState } from "../state/playerstate";
import type { Frame } from "../state/recording";
import { put } from "../text";
import { quietText } from "./quiet";

export class StatusLine {
  readonly root: HTMLElement;
  private readonly letter = h("b", { class: "kw-letter", hidden: true });
  private readonly who = h("b", { class: "kw-statusline-who" });
  private readonly head = h("span");
  private readonly tail = h("span");
  private readonly sentence = h("span", {}, this.head, this.tail);
  private readonly line = h("p", { class: "kw-statusline-line" }, this.letter, " ", this.who, " ", this.sentence);
  private frame: Frame | undefined;
  private of = "";
  private n = 0;
  private index = -1; // of the event that it tells
  private isQuiet = false; // says that nothing happens, in these words
  private quiet = "";
  private readonly status = h("p", { class: "kw-status", role: "status", hidden: true });

  constructor(private readonly given: Pick<Given, "phrases" | "words">, private readonly state: PlayerState) {
    this.root = h("div", { class: "kw-statusline" }, this.line, this.status);
    state.on("moment", () => this.show());
    state.on("message", (message) => this.say(message));
  }

  /** Says something in its place. */
  private say({ text, act, label = this.given.words.retry }: Message): void {
    const { status } = this;
    const again = () => {
      status.closest<HTMLElement>(".kw-player")?.focus({ preventScroll: true }); // the button goes away
      act!();
    };
    if (!act) setText(status, text);
    else status.replaceChildren(`${text} `, h("button", { type: "button", class: "kw-button", click: again }, label));
    status.hidden = text === "";
  }

  /**
   * Shows the event of the moment: it is the one that Why? opens. While things pass, it shows what is told by then instead, which
   * stands for long enough to be read; where playing rests for a caption, the moment's own event stands, until something later is told.
   * Where nothing happens any more, it says that.
   */
  private show(): void {
    const { shown, timeline, head, playing } = this.state;
    const { phrases } = this.given;
    const at = timeline.frames[head.index];
    const quiet = quietText(this.given, this.state);
    if (quiet !== undefined) return this.rest(quiet);
    const passes = playing && head.reading === undefined;
    const told = passes ? timeline.told(head.index) : undefined;
    const isEarlier = this.index <= head.index && (told?.index ?? -1) < this.index;
    if (!at || (passes && this.frame && !this.isQuiet && (!told || isEarlier))) return;
    const isOver = this.isQuiet && told !== undefined && told.index <= this.index && this.index <= head.index; // it stood before the silence
    const { frame, index, n } = (isOver ? undefined : told) ?? { frame: at, index: head.index, n: 1 };
    this.index = index;
    const of = shown.letterOf(index);
    if (!this.isQuiet && frame === this.frame && of === this.of && n === this.n) return;
    [this.frame, this.of, this.n, this.isQuiet] = [frame, of, n, false];
    const sentence = n > 1 ? sum(phrases, frame, n) : say(phrases, frame);
    setText(this.letter, of);
    this.letter.hidden = of === "";
    setText(this.who, frame.who);
    this.who.hidden = sentence.startsWith(frame.who); // it says so itself
    this.write(sentence);
    this.line.title = put("{at} {who}: {sentence}", { at: seconds(frame.at), who: frame.who, sentence });
  }

  private rest(text: string): void {
    this.index = this.state.head.index; // what was told until then is over
    if (this.isQuiet && text === this.quiet) return;
    this.isQuiet = this.letter.hidden = this.who.hidden = true;
    this.quiet = text;
    this.write(text);
    this.line.title = "";
  }

  /** Writes a sentence, in two parts: where there is no room for all of it, the first is cut, because the last words say what became of it. */
  private write(text: string): void {
    const sentence = oneLine(text);
    const at = tailAt(sentence);
    setText(this.head, sentence.slice(0, at));
    setText(this.tail, sentence.slice(at));
  }
}

/** How long a sentence's end is at most that is never cut, in letters; and what is left before it at least. */
const tailLetters = 40;
const headLetters = 24;

/** What stands in one line, also what a command prints in several. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Where the end of a sentence begins: before a word, unless the next one is far. */
export function tailAt(sentence: string): number {
  const most = Math.min(tailLetters, sentence.length - headLetters);
  if (most <= 0) return sentence.length;
  const from = sentence.length - most;
  const word = sentence.indexOf(" ", from);
  return word >= 0 && word <= from + most / 2 ? word : from;
}

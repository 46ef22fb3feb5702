// The command line: what a reader types to kubectl, and what the last command
// printed by the moment that is shown. That is read off the events, so it is there
// for the author's commands too, at any moment. All of it is text, never markup.

import { h, setText, uniqueId } from "../dom/dom";
import { icon } from "../dom/icons";
import { isSingleFile } from "../dom/single";
import type { CompleteAnswer, ParseAnswer } from "../generated/session";
import { attr, type Frame, type Json } from "../state/recording";
import type { Given } from "../given";
import type { Actions } from "../runs/actions";
import { say } from "../state/phrases";
import type { Control, Kind, Scenario } from "../state/scenario";
import { put } from "../text";
import type { Browser } from "./browser";
import type { Edited, Editor } from "./editor";
import type { EditorWords } from "./editor.words";
import { Files } from "./files";

/** What somebody did, and what came of it so far. */
export interface Printed {
  command: Frame;
  out: string;
  error: string;
  stays: boolean; // it goes on
  over: boolean; // it went on, and does not any more
  reads: boolean; // what is typed
}

/** How long a line waits at most for the answer to the one before, ms. */
const longestWait = 3000;

const commands: readonly Kind[] = ["kubectl", "apply", "create", "scale", "delete"];
const spoken: readonly Kind[] = ["kubectl", "request"];

/** Whether a demo has something to show in a terminal. */
export function speaks({ steps, controls }: Pick<Scenario, "steps" | "controls">): boolean {
  return [...(steps ?? []), ...(controls ?? [])].some(({ kind }) => spoken.includes(kind));
}

const kindOf = (frame: Frame) => (frame.op === "input" ? (attr(frame, "kind") as Kind) : undefined);

const every: readonly Kind[] = [...commands, ...spoken];

/** Where the last command by a frame is; -1 before the first. */
function commandAt(frames: readonly Frame[], index: number, kinds: readonly Kind[] = every): number {
  let i = Math.min(index, frames.length - 1);
  while (i >= 0 && !kinds.includes(kindOf(frames[i]!)!)) i--;
  return i;
}

/** What the last command printed by a frame; undefined before the first. */
export function printedAt(frames: readonly Frame[], index: number, kinds?: readonly Kind[]): Printed | undefined {
  const i = commandAt(frames, index, kinds);
  return i < 0 ? undefined : printedOf(frames, i, index);
}

/** What a command printed by a frame. */
function printedOf(frames: readonly Frame[], i: number, index: number): Printed {
  const command = frames[i]!;
  const out: string[] = [];
  let error = "";
  let lost = "";
  let process: string | undefined;
  let [stays, reads, over, typed] = [false, false, false, false]; // typed: it read at some time
  for (const frame of frames.slice(i + 1, index + 1)) {
    const asked = frame.who === "user" && attr(frame, "input") === kindOf(command);
    if (frame.who === "kubectl" && frame.c === command.e) process ??= frame.p;
    if (isLocal(command) && frame.op === "log" && frame.who === "kubectl") lost = String(attr(frame, "error") ?? lost);
    if (frame.op !== "log" || !(asked || (frame.who === "kubectl" && frame.p === process))) continue;
    const state = attr(frame, "terminal");
    if (state !== undefined) {
      over = state === "over";
      stays = !over;
      if (state === "reads") reads = typed = true;
      else if (over) reads = false;
      continue;
    }
    const failure = attr(frame, "error");
    if (failure === undefined) out.push(String(attr(frame, "message")));
    else error = String(failure);
  }
  // What failed says on standard error again what it warned of.
  const repeated = new Set(error.split("\n"));
  const told = out.filter((text) => !repeated.has(text));
  // What is typed at a prompt follows it in the same line.
  return { command, stays, over, reads, out: told.reduce((all, text, i) => all + (i === 0 ? "" : typed && /[#$>]$/.test(all) ? " " : "\n") + text, ""),
    error: error && lost ? `${error}\n${lost}` : error };
}

/** How many commands before the last one can be read again. */
const mostBefore = 20;

const earlier = new WeakMap<Frame, Printed[]>(); // by the command that they came before

/** What was printed before the last command by a frame, the oldest first: a command that still went on was ended by the next. */
export function printedBefore(frames: readonly Frame[], index: number): readonly Printed[] {
  const missing: [command: Frame, i: number][] = []; // the newest first
  let i = commandAt(frames, index);
  for (; i >= 0 && !earlier.has(frames[i]!); i = commandAt(frames, i - 1)) missing.push([frames[i]!, i]);
  let before = i < 0 ? [] : [...earlier.get(frames[i]!)!];
  for (const [command, at] of missing.reverse()) {
    if (i >= 0) before = [...before, printedOf(frames, i, at - 1)].slice(-mostBefore);
    earlier.set(command, before);
    i = at;
  }
  return before;
}

/** The prompt at which a line can be typed to a command that goes on at a frame; "" while it shows none, undefined without such a command. */
export function promptAt(frames: readonly Frame[], index: number): string | undefined {
  const printed = printedAt(frames, index, ["kubectl"]);
  if (!printed?.reads) return undefined;
  const last = printed.out.slice(printed.out.lastIndexOf("\n") + 1);
  return /[#$>]$/.test(last) ? last : "";
}

/** Whether a request asks the machine at which commands are typed: a command that listens there answers, or says why it cannot. */
const isLocal = (frame: Frame) => kindOf(frame) === "request" && /^http:..(localhost|127[.])/.test(String(attr(frame, "url")));

/** Where a command listens that goes on at a frame, "127.0.0.1:8080"; undefined if none does. */
export function listensAt(frames: readonly Frame[], index: number): string | undefined {
  const printed = printedAt(frames, index, ["kubectl"]);
  return printed && !printed.error && !printed.over ? /^(?:Forwarding from|Starting to serve on) (127[.\d]+:\d+)/m.exec(printed.out)?.[1] : undefined;
}

/** What apply remembers of an object; undefined if that is nothing. */
function lastAppliedOf(object: Json | undefined): Json | undefined {
  const { metadata } = (object ?? {}) as { metadata?: { annotations?: Record<string, string> } };
  try {
    return JSON.parse(metadata?.annotations?.["kubectl.kubernetes.io/last-applied-configuration"] ?? "") as Json;
  } catch {
    return undefined; // or it is no JSON
  }
}

/** How large a file may be that is dropped, in bytes: more than the API server takes. */
const largestFile = 4 << 20;

/** For how long after a line was sent off its answer comes into view, ms. */
const watchedMs = 15_000;

export class Terminal {
  readonly root: HTMLElement;
  private readonly past: HTMLElement; // what was printed before
  private readonly last: HTMLElement; // the last command, and what it printed
  private readonly typed: HTMLElement;
  private readonly out: HTMLElement;
  private readonly error: HTMLElement;
  private readonly box: HTMLElement;
  private line: HTMLInputElement | undefined;
  private dollar!: HTMLElement; // what stands before it
  private stop!: HTMLElement; // interrupts what goes on
  private finish!: HTMLElement; // ends what a command without a prompt reads
  private prompting: string | undefined; // the prompt of a command that reads what is typed
  private stays = false; // the command goes on
  private write: HTMLButtonElement | undefined; // opens the editor
  private editor: Editor | undefined; // there once it was opened
  private readonly files: Files;
  private browser: Browser | undefined; // there once a command has opened a port
  private wrong!: HTMLElement;
  private readonly heard = h("p", { class: "kw-heard", role: "status" }); // what Tab made of the line, for who does not see it
  private readonly history: string[] = [];
  private at = 0; // in the history; its length is the line that is being typed
  private draft = "";
  private isAsking = false;
  private readonly waiting: string[] = []; // lines that were typed before another had its answer
  private awaits: number | undefined; // the command before the one that has no answer yet
  private completed = ""; // the line that Tab has completed as far as it can be
  private sent: { line: string; over: number } | undefined; // a line that has no event yet, and the number of the event that it was typed after
  private shown: [frames: readonly Frame[], index: number] = [[], -1];
  private asked = -Infinity; // when a line was sent off last, in ms of the page's clock

  /**
   * objectAt finds an object at the moment that is shown, "pods default/web"; undefined if it is not there.
   * moment is which that is, with all that has happened. editing is told when the editor opens and closes, reveal when there is
   * something to read here.
   */
  constructor(private readonly given: Pick<Given, "words" | "phrases" | "scenario" | "lang">, private readonly actions: Actions, control: Control | undefined,
    private readonly objectAt: (object: string) => Promise<Json | undefined>, private readonly moment: () => { frames: readonly Frame[]; index: number },
    private readonly editing: (is: boolean) => void, private readonly reveal: () => void) {
    const { words } = given;
    this.files = new Files(given.scenario.manifests);
    this.past = h("span", { class: "kw-past" });
    this.typed = h("span", { class: "kw-typed" });
    this.out = h("span");
    this.error = h("span", { class: "kw-stderr" });
    this.box = h("pre", { class: "kw-output", tabindex: 0, role: "group", "aria-label": words.printed },
      this.past, this.last = h("span", { class: "kw-last" }, this.typed, h("span", { "aria-live": "polite" }, this.out, this.error)));
    this.root = h("div", { class: "kw-terminal" }, ...(control ? [...this.prompt(control), this.heard] : []), this.box);
    if (control && !isSingleFile()) this.withEditor();
  }

  /** A manifest can be written, dropped here, or pasted into the command line. */
  private withEditor(): void {
    const { root } = this;
    this.write = h("button", { type: "button", class: "kw-button kw-write", click: () => void this.openEditor() }, this.given.words.writeManifest);
    this.box.after(this.write);
    root.addEventListener("dragover", (event) => { event.preventDefault(); root.classList.add("is-dropping"); });
    root.addEventListener("dragleave", () => root.classList.remove("is-dropping"));
    root.addEventListener("drop", (event) => {
      root.classList.remove("is-dropping");
      if (event.defaultPrevented) return; // the editor took it
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      const text = event.dataTransfer?.getData("text/plain");
      if (file && file.size > largestFile) void this.refuse((words) => put(words.tooLarge, { name: file.name }));
      else if (file) void file.text().then((text) => this.openEditor(text));
      else if (text) void this.openEditor(text);
    });
    this.line!.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!/\n/.test(text.trim()) || !/^\s*(apiVersion|kind):/m.test(text)) return;
      event.preventDefault();
      void this.openEditor(text);
    });
  }

  /** Opens the editor, with a text or with an object that is edited. */
  private async openEditor(text?: string, edited?: Edited & { object: string }): Promise<void> {
    const { Editor } = await import("./editor");
    if (!this.editor) {
      this.editor = new Editor(this.given, this.files, this.actions, () => {
        this.editor!.root.remove();
        this.write!.hidden = false;
        this.editing(false);
        this.write!.focus();
      });
    }
    if (!this.editor.root.isConnected) this.box.before(this.editor.root);
    this.write!.hidden = true;
    this.editing(true);
    this.editor.open(text, edited);
    this.editor.root.scrollIntoView({ block: "nearest" });
  }

  /** Has an address bar while a command listens: what is opened there is its answer. */
  private async browse(address: string | undefined): Promise<void> {
    if (!this.browser) {
      if (address === undefined) return;
      const { Browser } = await import("./browser");
      this.browser ??= new Browser(this.given.lang, (url) => {
        this.asked = performance.now();
        void this.actions.act({ kind: "request", url });
      });
      address = listensAt(...this.shown);
    }
    const { root } = this.browser;
    const had = root.contains(document.activeElement);
    this.browser.show(address);
    if (had && root.hidden) this.box.focus({ preventScroll: true }); // nobody listens any more, and the answer says why
    if (root.isConnected) return;
    this.box.before(root);
    this.bringUp();
  }

  /** Opens the object that `kubectl edit` names, or what apply remembers of it: what becomes of the command without that, kubectl says. */
  private async edit(args: readonly string[], object: string, lastApplied = false): Promise<void> {
    const found = await this.objectAt(object);
    const original = lastApplied ? lastAppliedOf(found) : found;
    if (lastApplied && original === undefined) return this.actions.act({ kind: "kubectl", args: [...args] });
    if (original !== undefined) await this.openEditor(undefined, { args, object, original });
    else await this.refuse((words) => put(words.absent, { object }));
  }

  /** Says why the editor does not open. */
  private async refuse(why: (words: EditorWords) => string): Promise<void> {
    const { editorWordsOf } = await import("./editor.words");
    this.tell(h("p", {}, why(editorWordsOf(this.given.lang))));
  }

  /** Shows what there was to read at a moment. */
  show(frames: readonly Frame[], index: number): void {
    this.shown = [frames, index];
    const current = printedAt(frames, index);
    if (this.awaits !== undefined && current && current.command.e !== this.awaits && (current.out || current.error || current.stays)) this.goOn();
    if (this.sent && (current?.command.e ?? 0) !== this.sent.over) this.sent = undefined;
    const { words } = this.given;
    const printed = this.sent ? undefined : current; // what another command printed is not its answer
    const [was, read] = [this.typed.textContent, this.last.textContent];
    setText(this.typed, this.sent?.line ?? (current ? this.asTyped(current.command) : words.nothingPrinted));
    this.box.classList.toggle("is-empty", !printed && !this.sent);
    setText(this.out, printed?.out ? `\n${printed.out}` : "");
    setText(this.error, printed ? this.failure(printed) : "");
    const before = [...printedBefore(frames, index), ...(this.sent && current ? [current] : [])];
    setText(this.past, before.map((p) => `${this.asTyped(p.command)}${p.out && `\n${p.out}`}${this.failure(p)}${p.stays ? "\n^C" : ""}\n`).join(""));
    if (this.editor?.isSaved && printed?.out && !printed.error && /^edit |^apply edit-/.test(String(attr(printed.command, "command")))) this.editor.close();
    if (this.line) {
      void this.browse(listensAt(frames, index));
      this.toShell(promptAt(frames, index), printedAt(frames, index, ["kubectl"])?.stays === true);
    }
    if (this.prompting !== undefined) this.box.scrollTop = this.box.scrollHeight;
    else if (was !== this.typed.textContent) this.box.scrollTop = this.past.offsetHeight; // what was printed before is above
    if (read !== this.last.textContent) this.bringUp();
  }

  /** What a command said when it failed, and with what it ended. */
  private failure({ command, error }: Printed): string {
    const exit = error && kindOf(command) !== "request" && error !== "exit status 1"
      ? `\n${put(this.given.words.exit, { n: /exit code (\d+)$/.exec(error)?.[1] ?? 1 })}` : "";
    return error && `\n${error}${exit}`;
  }

  /** What is typed goes to a command that reads it, to kubectl without one. Ctrl-C ends one that goes on. */
  private toShell(prompt: string | undefined, stays: boolean): void {
    if (prompt === this.prompting && stays === this.stays) return;
    [this.prompting, this.stays] = [prompt, stays];
    setText(this.dollar, prompt ?? "$ kubectl");
    const { commandLine, shellLine, shellHint, stillRuns } = this.given.words;
    const hint = prompt ? shellHint : stays ? stillRuns : "";
    this.stop.hidden = !stays;
    this.finish.hidden = prompt !== "";
    this.line!.classList.toggle("is-running", stays); // then it is told how that ends
    this.line!.placeholder = hint || "kubectl …";
    this.line!.setAttribute("aria-label", [prompt !== undefined ? shellLine : commandLine, hint].filter(Boolean).join(", "));
  }

  /** Has the answer seen, below the line, which stands at the top of what scrolls where there is little room. */
  private bringUp(): void {
    if (performance.now() - this.asked > watchedMs) return;
    const page = this.root.closest(".kw-side-page");
    const line = this.line?.closest(".kw-prompt");
    if (!page || !line || !page.contains(line)) {
      this.box.scrollIntoView({ block: "nearest" });
      this.browser?.root.scrollIntoView({ block: "nearest" });
      return;
    }
    const { top: above, bottom } = page.getBoundingClientRect();
    const top = above + (page.querySelector<HTMLElement>(".kw-exercise-strip:not([hidden])")?.offsetHeight ?? 0); // it lies over what scrolls
    const from = line.getBoundingClientRect().top - 8;
    if (from < top || this.box.getBoundingClientRect().bottom > bottom) page.scrollTop += from - top;
  }

  private asTyped(frame: Frame): string {
    const [, resource = "", name = ""] = /^(\S+) (?:.*\/)?(.*)$/.exec(frame.o ?? "") ?? [];
    switch (kindOf(frame)) {
      case "kubectl": return `$ kubectl ${String(attr(frame, "command"))}`;
      case "scale": return `$ kubectl scale ${resource}/${name} --replicas=${String(attr(frame, "replicas"))}`;
      case "delete": return `$ kubectl delete ${resource}/${name}`;
      case "request": if (isLocal(frame)) return `$ curl ${String(attr(frame, "url"))}`;
    }
    return say(this.given.phrases, frame);
  }

  private prompt({ examples }: Control): HTMLElement[] {
    const { words } = this.given;
    const about = uniqueId();
    const line = (this.line = h("input", {
      type: "text", class: "kw-command", placeholder: "kubectl …", "aria-label": words.commandLine, "aria-describedby": about,
      autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false", enterkeyhint: "go",
      input: () => this.complain(),
    }));
    line.addEventListener("keydown", (event) => this.key(event));
    this.dollar = h("span", { class: "kw-dollar", "aria-hidden": "true" }, "$ kubectl");
    this.wrong = h("div", { class: "kw-wrong", id: about, role: "alert", hidden: true });
    const key = (text: string, label: string, value: string) => h("button", { type: "button", class: "kw-button kw-stop", hidden: true, "aria-label": label,
      click: () => {
        void this.type(value);
        line.focus();
      } }, text);
    const form = h("form", { class: "kw-prompt", submit: (event) => {
      event.preventDefault();
      void (this.prompting === undefined ? this.run(line.value) : this.type(line.value));
    } },
      this.dollar, line,
      this.stop = key("Ctrl-C", words.interrupt, "\x03"), this.finish = key("Ctrl-D", words.endOfInput, "\x04"),
      h("button", { type: "submit", class: "kw-button kw-hinted", "aria-label": words.run }, icon("play")));
    const chips = h("ul", { class: "kw-examples", "aria-label": words.examples }, ...(examples ?? []).map((text) =>
      h("li", {}, h("button", { type: "button", class: "kw-example", click: () => { line.value = text; void this.run(text); } }, text))));
    return [chips, form, this.wrong];
  }

  /** Up and down go through what was typed before, and Tab completes, as in a shell; a second Tab leaves the line, as one in an empty line does. */
  private key(event: KeyboardEvent): void {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const { line, history } = this;
    if (!line || event.altKey || event.metaKey || event.isComposing) return;
    if (event.ctrlKey) {
      if (!this.stays || line.selectionStart !== line.selectionEnd) return;
      const key = event.key === "c" ? "\x03" : event.key === "d" && line.value === "" && this.prompting !== undefined ? "\x04" : undefined;
      if (key) {
        event.preventDefault();
        void this.type(key);
      }
      return;
    }
    const whole = line.selectionStart === line.value.length && !["", this.completed].includes(line.value);
    if (this.prompting === undefined && event.key === "Tab" && !event.shiftKey && whole) {
      event.preventDefault();
      void this.complete(line);
    }
    if (!way) return;
    event.preventDefault();
    const next = this.at + way;
    if (next < 0 || next > history.length) return;
    if (this.at === history.length) this.draft = line.value;
    this.at = next;
    line.value = history[next] ?? this.draft;
    line.setSelectionRange(line.value.length, line.value.length);
    this.complain();
  }

  private async complete(line: HTMLInputElement): Promise<void> {
    const { value } = line;
    this.completed = value;
    const [answer, { completed, namesAt }] = await Promise.all([this.actions.judge<CompleteAnswer>("complete", { line: value }), import("./complete")]);
    if (!answer || line.value !== value) return;
    const { frames, index } = this.moment();
    const { line: longer, options } = completed(value, answer, (resource, namespace) => namesAt(frames, index, resource, namespace),
      this.files);
    this.completed = line.value = longer;
    line.scrollLeft = line.scrollWidth;
    this.complain();
    setText(this.heard, longer === value ? "" : longer);
    if (options.length === 0) return;
    this.wrong.classList.add("is-options");
    this.tell(h("code", {}, options.join("  ")));
  }

  /** Has something read that is said of the line. */
  private tell(...what: HTMLElement[]): void {
    this.wrong.hidden = false;
    this.wrong.replaceChildren(...what);
    this.reveal();
    for (const part of [this.wrong, this.line!]) part.scrollIntoView({ block: "nearest" }); // both, or the beginning of what is long
  }

  /** Types a line, or a key, to the shell that goes on. */
  private async type(value: string): Promise<void> {
    const { history, line } = this;
    line!.value = "";
    if (value.trim() !== "" && history.at(-1) !== value && value >= " ") history.push(value);
    this.at = history.length;
    this.asked = performance.now();
    await this.actions.act({ kind: "type", value });
  }

  private async run(text: string): Promise<void> {
    const typed = text.trim();
    if (typed === "") return;
    if (this.isAsking || this.awaits !== undefined) {
      this.waiting.push(typed);
      this.line!.value = "";
      return;
    }
    this.isAsking = true;
    this.send(`$ kubectl ${typed.replace(/^kubectl\s+/, "")}`);
    let acts: Promise<void> | undefined;
    const { history } = this;
    if (history.at(-1) !== typed) history.push(typed);
    this.at = history.length;
    try {
      const parsed = await this.actions.judge<ParseAnswer>("parse", this.files.given(typed));
      if (!parsed) return;
      this.complain(typed, parsed.wrong);
      if (!parsed.args) return;
      if (this.line!.value.trim() === typed) this.line!.value = ""; // as in a shell
      const { args, manifest, edits, lastApplied } = parsed;
      if (edits && this.write) return await this.edit(args, edits, lastApplied);
      this.asked = performance.now();
      this.awaits = printedAt(...this.shown)?.command.e ?? 0;
      acts = this.actions.act({ kind: "kubectl", args, ...(manifest === undefined ? {} : { manifest }) });
    } finally {
      this.isAsking = false;
      const { sent } = this;
      void Promise.resolve(acts).finally(() => { if (this.sent === sent) this.send(); });
      const { awaits } = this;
      if (acts) void acts.finally(() => setTimeout(() => { if (this.awaits === awaits) this.goOn(); }, longestWait));
      else this.goOn();
    }
  }

  /** Runs the next line that waits. */
  private goOn(): void {
    this.awaits = undefined;
    const next = this.waiting.shift();
    if (next !== undefined) void this.run(next);
  }

  /** Shows a line as soon as it is sent off; without one, what there was to read. */
  private send(line?: string): void {
    this.sent = line === undefined ? undefined : { line, over: printedAt(...this.shown)?.command.e ?? 0 };
    this.show(...this.shown);
  }

  /** Says what is wrong with a line, and where; nothing is wrong without. */
  private complain(typed = "", wrong?: ParseAnswer["wrong"]): void {
    const { words } = this.given;
    this.wrong.hidden = true;
    this.wrong.classList.remove("is-options");
    this.line!.setAttribute("aria-invalid", String(!!wrong));
    if (!wrong) return this.wrong.replaceChildren();
    const word = /^\S*/.exec(typed.slice(wrong.at))![0];
    this.tell(
      h("code", {}, typed.slice(0, wrong.at), h("mark", {}, word || " "), typed.slice(wrong.at + word.length)),
      h("p", {}, wrong.message, wrong.cure ? `\n${put(words.didYouMean, { word: wrong.cure })}` : ""));
    this.line!.focus({ preventScroll: true });
    this.line!.setSelectionRange(wrong.at, wrong.at + word.length);
  }
}

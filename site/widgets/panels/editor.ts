// An editor of manifests, beside the command line: what is written there is applied, and `kubectl edit` opens it. It is
// loaded when somebody opens it. CodeMirror has its styles in a shadow root, where the page's policy lets them be.

import "./editor.css";
import { h, setText } from "../dom/dom";
import { icon } from "../dom/icons";
import type { FieldsAnswer } from "../generated/session";
import type { Given } from "../given";
import type { Actions } from "../runs/actions";
import type { Json } from "../state/recording";
import { put } from "../text";
import { autocompletion, completionKeymap, defaultKeymap, EditorState, EditorView, forceLinting, HighlightStyle, history, historyKeymap, indentLess, indentMore,
  indentUnit, keymap, lineNumbers, linter, lintGutter, syntaxHighlighting, tags, yaml as language } from "./codemirror.min.mjs";
import { editorWordsOf, type EditorWords } from "./editor.words";
import { completionsAt, objectsOf, placeOf, problemsOf, type Ask } from "./manifest";
import { yaml } from "./yaml";

/** An object that is edited: the command line that asked for it, and the object as it was. */
export interface Edited {
  args: readonly string[];
  original: Json;
}

/** What a new manifest begins with where the demo has none. */
const blank = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: example\ndata:\n  key: value\n";

/** How many problems are told in words at once. */
const told = 3;

export class Editor {
  readonly root: HTMLElement;
  private readonly words: EditorWords;
  private readonly heading: HTMLElement;
  private readonly begin: HTMLElement;
  private readonly go: HTMLButtonElement;
  private readonly status: HTMLElement;
  private readonly view: EditorView;
  private readonly known = new Map<string, Promise<FieldsAnswer | undefined>>();
  private edited: Edited | undefined;

  /** closed is told when the reader closes it. */
  constructor(given: Pick<Given, "lang" | "scenario">, private readonly actions: Actions, closed: () => void) {
    const words = (this.words = editorWordsOf(given.lang));
    const manifests = Object.entries(given.scenario.manifests ?? {});
    this.heading = h("strong", { class: "kw-editor-title" });
    const choice = h("select", { "aria-label": words.begin, change: () => this.take(choice.value === "" ? blank : texts.get(choice.value)!) },
      h("option", { value: "" }, words.empty), ...manifests.map(([name]) => h("option", { value: name }, `${name}.yaml`)));
    const texts = new Map(manifests.map(([name, value]) => [name, textOf(value as Json)]));
    this.begin = h("label", { class: "kw-editor-begin" }, h("span", {}, words.begin), choice);
    this.go = h("button", { type: "button", class: "kw-button kw-editor-apply", click: () => this.apply() }, words.apply);
    this.status = h("p", { class: "kw-editor-status", "aria-live": "polite" });
    const close = h("button", { type: "button", class: "kw-icon-button", "aria-label": words.close, title: words.close, click: closed }, icon("close"));
    const place = h("div", { class: "kw-editor-text", keydown: (event) => event.stopPropagation() }); // the player has keys of its own
    this.root = h("section", { class: "kw-editor", "aria-label": words.title },
      h("div", { class: "kw-editor-head" }, this.heading, this.begin, close), place, this.status,
      h("div", { class: "kw-editor-foot" }, this.go, h("small", {}, words.how)));
    const shadow = place.attachShadow({ mode: "open" });
    const holder = document.createElement("div");
    shadow.append(holder);
    this.view = new EditorView({ parent: holder, root: shadow, state: EditorState.create({ doc: blank, extensions: [
      keymap.of([{ key: "Mod-Enter", run: () => (this.apply(), true) }, ...completionKeymap,
        { key: "Tab", run: indentMore }, { key: "Shift-Tab", run: indentLess },
        { key: "Escape", run: () => this.leave() }, ...historyKeymap, ...defaultKeymap]),
      history(), lineNumbers(), language(), indentUnit.of("  "), EditorState.tabSize.of(2), lintGutter(),
      linter(async () => this.check(), { delay: 300 }),
      autocompletion({ icons: false, override: [async ({ state, pos, explicit }) => {
        const found = await completionsAt(state.doc.toString(), pos, this.ask);
        return found && (explicit || found.from < pos) ? { ...found, validFor: /^[\w./-]*$/ } : null;
      }] }),
      EditorView.contentAttributes.of({ "aria-label": words.title, "aria-description": words.how }),
      syntaxHighlighting(HighlightStyle.define([
        { tag: tags.definition(tags.propertyName), color: "var(--p-accent)" }, { tag: tags.comment, color: "var(--p-muted)" },
      ])), theme,
    ] }) });
    this.take(manifests[0] ? texts.get(manifests[0][0])! : blank);
    if (manifests[0]) choice.value = manifests[0][0];
  }

  /** Opens a text; or an object, whose changes are what is sent. */
  open(text?: string, edited?: Edited & { object: string }): void {
    this.edited = edited;
    setText(this.heading, edited ? put(this.words.editing, { object: edited.object }) : this.words.title);
    setText(this.go, edited ? this.words.save : this.words.apply);
    this.begin.hidden = edited !== undefined;
    if (edited) this.take(textOf(edited.original));
    else if (text !== undefined) this.take(text);
    this.view.focus();
  }

  private take(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 } });
    forceLinting(this.view);
  }

  /** Escape, then Tab, leaves the editor, in which Tab indents. */
  private leave(): boolean {
    this.go.focus();
    return true;
  }

  private readonly ask: Ask = (apiVersion, kind) => {
    const key = `${apiVersion} ${kind}`;
    let answer = this.known.get(key);
    if (!answer) {
      this.known.set(key, (answer = this.actions.judge<FieldsAnswer>("fields", { apiVersion, kind })));
      void answer.then((fields) => { if (!fields) this.known.delete(key); }); // it failed, and may be asked again
    }
    return answer;
  };

  private async check() {
    const text = this.view.state.doc.toString();
    const problems = await problemsOf(text, this.ask, this.words);
    if (text === this.view.state.doc.toString()) {
      const lines = problems.slice(0, told).map(({ from, message }) => put(this.words.place, { line: placeOf(text, from).line, message }));
      if (problems.length > told) lines.push(put(this.words.more, { n: problems.length - told }));
      setText(this.status, lines.join("\n"));
      this.root.classList.toggle("has-problems", lines.length > 0);
    }
    const { length } = this.view.state.doc;
    return problems.map(({ from, to, message }) => ({ from: Math.min(from, length), to: Math.min(to, length), message, severity: "error" as const }));
  }

  private apply(): void {
    const { words, edited } = this;
    const objects = objectsOf(this.view.state.doc.toString());
    if (!objects || objects.length === 0 || (edited && objects.length !== 1)) {
      setText(this.status, objects?.length === 0 ? words.nothing : words.broken);
      this.root.classList.add("has-problems");
      return;
    }
    if (edited) void this.actions.act({ kind: "kubectl", args: [...edited.args], manifest: [edited.original, objects[0]!] });
    else void this.actions.act({ kind: "kubectl", args: ["apply", "-f", "manifest.yaml"], manifest: objects.length === 1 ? objects[0]! : objects });
  }
}

/** A manifest, or several, as YAML. */
function textOf(value: Json): string {
  return (Array.isArray(value) ? value : [value]).map((document) => yaml(document)).join("---\n");
}

const theme = EditorView.theme({
  "&": { color: "var(--p-ink)", backgroundColor: "var(--p-surface)", border: "1px solid var(--p-strong)", borderRadius: "8px",
    maxBlockSize: "min(24rem, 50vh)" },
  "&.cm-focused": { outline: "2px solid var(--p-accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--p-mono)", fontSize: "0.875rem", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--p-ink)" },
  ".cm-gutters": { color: "var(--p-muted)", backgroundColor: "var(--p-raised)", border: "0" },
  ".cm-tooltip": { color: "var(--p-ink)", backgroundColor: "var(--p-surface)", border: "1px solid var(--p-strong)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--p-ink)", backgroundColor: "var(--p-tint)" },
  ".cm-completionDetail": { color: "var(--p-muted)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--p-bad)" },
  ".cm-diagnostic-error": { borderInlineStart: "4px solid var(--p-bad)" },
});

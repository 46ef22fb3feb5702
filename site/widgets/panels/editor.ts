// An editor of manifests, beside the command line: what is written there is applied, and `kubectl edit` opens it. It is
// loaded when somebody opens it. CodeMirror has its styles in a shadow root, where the page's policy lets them be.

import "./editor.css";
import { h, setText } from "../dom/dom";
import { icon } from "../dom/icons";
import type { FieldsAnswer, ParseAnswer } from "../generated/session";
import type { Given } from "../given";
import type { Actions } from "../runs/actions";
import type { Json } from "../state/recording";
import { put } from "../text";
import { autocompletion, completionKeymap, defaultKeymap, EditorState, EditorView, forceLinting, HighlightStyle, history, historyKeymap, indentLess, indentMore,
  indentUnit, keymap, lineNumbers, linter, lintGutter, syntaxHighlighting, tags, yaml as language } from "./codemirror.min.mjs";
import { editorWordsOf, type EditorWords } from "./editor.words";
import { folderOf, isYAML, manifestName, type Files } from "./files";
import { completionsAt, objectsOf, placeOf, problemsOf, valueOf, type Ask } from "./manifest";
import { fileText } from "./yaml";

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
  private readonly choice: HTMLSelectElement; // of the file; "" is none
  private readonly added: HTMLInputElement; // the path of a new file
  private file = ""; // whose text is changed
  private isTaking = false; // a text that stands in the file
  private complaint = ""; // about what was asked for last, until the text is changed
  private edited: Edited | undefined;
  isSaved = false; // what is edited was sent, and may be refused

  /** closed is told when the reader closes it. */
  constructor(given: Pick<Given, "lang">, private readonly files: Files, private readonly actions: Actions, private readonly closed: () => void) {
    const words = (this.words = editorWordsOf(given.lang));
    this.heading = h("strong", { class: "kw-editor-title" });
    this.choice = h("select", { "aria-label": words.begin, change: () => this.take(this.choice.value) },
      h("option", { value: "" }, words.empty), ...files.names.map((name) => h("option", { value: name }, files.fileName(name))));
    this.added = h("input", { type: "text", class: "kw-editor-new", placeholder: words.newFile, "aria-label": words.newFile, autocapitalize: "off",
      spellcheck: "false", change: () => { if (this.add(this.added.value)) this.added.value = ""; } });
    this.begin = h("label", { class: "kw-editor-begin" }, h("span", {}, words.begin), this.choice);
    this.go = h("button", { type: "button", class: "kw-button kw-editor-apply", click: () => this.apply() }, words.apply);
    this.status = h("p", { class: "kw-editor-status", "aria-live": "polite" });
    const close = h("button", { type: "button", class: "kw-icon-button", "aria-label": words.close, title: words.close, click: closed }, icon("close"));
    const place = h("div", { class: "kw-editor-text", keydown: (event) => event.stopPropagation() }); // the player has keys of its own
    this.root = h("section", { class: "kw-editor", "aria-label": words.title },
      h("div", { class: "kw-editor-head" }, this.heading, this.begin, close), place, this.status,
      h("div", { class: "kw-editor-foot" }, this.go, this.added, h("small", {}, words.how)));
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
      EditorView.updateListener.of(({ docChanged }) => { if (docChanged) this.keep(); }),
      EditorView.contentAttributes.of({ tabindex: "0", "aria-label": words.title, "aria-description": words.how }),
      syntaxHighlighting(HighlightStyle.define([
        { tag: tags.definition(tags.propertyName), color: "var(--p-accent)" }, { tag: tags.comment, color: "var(--p-muted)" },
      ])), theme,
    ] }) });
    this.take(files.names[0] ?? "");
  }

  /** Opens a text; or an object, whose changes are what is sent. */
  open(text?: string, edited?: Edited & { object: string }): void {
    this.edited = edited;
    this.isSaved = false;
    setText(this.heading, edited ? put(this.words.editing, { object: edited.object }) : this.words.title);
    this.begin.hidden = this.added.hidden = edited !== undefined;
    if (edited) this.take("", fileText(edited.original));
    else if (text !== undefined) this.take("", text);
    this.label();
    this.view.focus();
  }

  /** Opens a file, or a text of none. */
  private take(name: string, text = this.files.textOf(name) ?? (name === "" ? blank : fileText(this.files.get(name)!))): void {
    this.file = this.choice.value = name;
    this.isTaking = true;
    this.write(text);
    this.isTaking = false;
    this.label();
  }

  close(): void {
    this.isSaved = false;
    this.closed();
  }

  /** Says on the button what it does. */
  private label(): void {
    const folder = folderOf(this.file);
    setText(this.go, this.edited ? this.words.save : folder === undefined ? this.words.apply : `apply -k ${folder}`);
  }

  /** Adds a file, and opens it. */
  private add(file: string): boolean {
    const name = manifestName(file);
    this.complain(name === undefined && file !== "" ? this.words.badName : "");
    if (name === undefined) return false;
    const text = this.view.state.doc.toString();
    const isNew = this.files.get(name) === undefined;
    const isUnnamed = isNew && this.file === "" && text.trim() !== "" && text !== blank; // it gets its name now
    if (isNew) {
      this.files.set(name, !isYAML(file.trim()) ? "" : folderOf(name) === undefined ? objectsOf(blank)![0]! : { resources: [] });
      this.choice.append(h("option", { value: name }, this.files.fileName(name)));
    }
    this.take(name);
    if (isUnnamed) this.write(text);
    this.view.focus();
    return true;
  }

  /** Has commands read what is written, as soon as it can be read. */
  private keep(): void {
    const { file } = this;
    this.complaint = "";
    if (file === "" || this.isTaking) return;
    const text = this.view.state.doc.toString();
    this.files.write(file, text);
    const value = this.files.isText(file) ? text : valueOf(text);
    if (value !== undefined) this.files.set(file, value);
  }

  private complain(text: string): void {
    setText(this.status, (this.complaint = text));
    this.root.classList.toggle("has-problems", text !== "");
  }

  private write(text: string): void {
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
    const { file } = this;
    const isManifest = folderOf(file) === undefined && !(file !== "" && Array.isArray(valueOf(text))); // or a kustomization, a JSON patch
    const problems = this.files.isText(file) ? [] : await problemsOf(text, this.ask, this.words, isManifest);
    if (text === this.view.state.doc.toString()) {
      const lines = problems.slice(0, told).map(({ from, message }) => put(this.words.place, { line: placeOf(text, from).line, message }));
      if (this.complaint !== "") lines.unshift(this.complaint);
      if (problems.length > told) lines.push(put(this.words.more, { n: problems.length - told }));
      setText(this.status, lines.join("\n"));
      this.root.classList.toggle("has-problems", lines.length > 0);
    }
    const { length } = this.view.state.doc;
    return problems.map(({ from, to, message }) => ({ from: Math.min(from, length), to: Math.min(to, length), message, severity: "error" as const }));
  }

  private apply(): void {
    const { words, edited } = this;
    const folder = edited ? undefined : folderOf(this.file);
    if (folder !== undefined && valueOf(this.view.state.doc.toString()) !== undefined) return void this.build(folder);
    const objects = objectsOf(this.view.state.doc.toString());
    if (!objects || objects.length === 0 || (edited && objects.length !== 1)) {
      setText(this.status, objects?.length === 0 ? words.nothing : words.broken);
      this.root.classList.add("has-problems");
      return;
    }
    this.isSaved = edited !== undefined;
    if (edited) void this.actions.act({ kind: "kubectl", args: [...edited.args], manifest: [edited.original, objects[0]!] });
    else void this.actions.act({ kind: "kubectl", args: ["apply", "-f", "manifest.yaml"], manifest: objects.length === 1 ? objects[0]! : objects });
  }

  /** Applies what a folder's kustomization builds. */
  private async build(folder: string): Promise<void> {
    const parsed = await this.actions.judge<ParseAnswer>("parse", this.files.given(`apply -k ${folder}`));
    this.complain(parsed?.wrong?.message ?? "");
    if (parsed?.args) void this.actions.act({ kind: "kubectl", args: parsed.args, manifest: parsed.manifest as Json });
  }
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

// The address bar of a browser on the machine at which commands are typed: what `kubectl port-forward` and `kubectl proxy`
// listen on is opened with it. It is loaded when one of them does.

import "./browser.css";
import { h, setText } from "../dom/dom";
import { icon } from "../dom/icons";
import { inLanguage } from "../../words/language";
import table from "../../words/browser.json";

interface BrowserWords {
  address: string;
  open: string;
}

export class Browser {
  readonly root: HTMLElement;
  private readonly host = h("span", { class: "kw-address-host" });
  private readonly path: HTMLInputElement;

  /** opened is told the URL that is opened. */
  constructor(lang: string, opened: (url: string) => void) {
    const words = inLanguage<BrowserWords>("browser", table, lang);
    this.path = h("input", { type: "text", class: "kw-address-path", value: "/", "aria-label": words.address, autocomplete: "off", autocapitalize: "off",
      spellcheck: "false", enterkeyhint: "go" });
    this.root = h("form", { class: "kw-address", hidden: true, submit: (event) => {
      event.preventDefault();
      opened(`http://${this.host.textContent}${this.path.value.replace(/^\/*/, "/")}`);
    } }, h("label", {}, this.host, this.path), h("button", { type: "submit", class: "kw-button" }, icon("play"), words.open));
  }

  /** Shows where somebody listens; nobody does without. */
  show(address: string | undefined): void {
    this.root.hidden = address === undefined;
    if (address !== undefined) setText(this.host, address);
  }
}

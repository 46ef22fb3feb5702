// A button on each block of code copies it: what can be typed or pasted, so
// without prompts, and without lines that a change takes away. Without script
// there is none.

import { ja, en } from "../words/copy.json";

const { lang, dataset } = document.documentElement;
let said = lang === "ja" ? ja : en;

/** What a block's button copies; "" for one that has none. */
function textOf(block: HTMLElement): string {
  if (block.dataset["copy"] !== undefined) return block.dataset["copy"];
  let text = "";
  for (const code of block.querySelectorAll("code")) {
    const copy = code.cloneNode(true) as HTMLElement;
    for (const gone of copy.querySelectorAll("del.line")) gone.remove();
    text += copy.textContent;
  }
  return text.replace(/\n$/, "");
}

let live: HTMLElement | undefined;

/** Tells readers who do not see the button. */
function announce(text: string): void {
  if (!live) {
    live = document.createElement("p");
    live.className = "hidden";
    live.role = "status";
    document.querySelector("main")?.append(live);
  }
  live.textContent = text;
}

function give(block: HTMLElement): void {
  if (block.querySelector(":scope > .copy") || block.dataset["copy"] === "") return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = said.copy;
  let timer = 0;
  button.addEventListener("click", async () => {
    let text = said.copied;
    try {
      await navigator.clipboard.writeText(textOf(block));
      button.textContent = said.copied;
    } catch {
      text = said.failed;
    }
    announce(text);
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = said.copy;
      announce("");
    }, 2000);
  });
  // Behind the code, for the keyboard: whoever wants to copy has come to it.
  block.append(button);
}

function giveAll(): void {
  for (const block of document.querySelectorAll<HTMLElement>(".listing")) give(block);
}

if ("clipboard" in navigator) {
  if (dataset["words"]) {
    // In another language: see site/words.
    void fetch(dataset["words"]).then(async (file) => { said = ((await file.json()) as { copy: typeof said }).copy; }).catch(() => {}).finally(giveAll);
  } else giveAll();
  // The development server changes a page in place.
  document.addEventListener("kubewalk:changed", giveAll);
}

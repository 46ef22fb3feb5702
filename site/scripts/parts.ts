// In a book of many chapters a page has its own part's; those of another come when a
// reader opens it, all from one file, which is on its way as soon as the contents are open.

/** A chapter's address, title and, if it is another, its language; or a part within the part. */
type Entry = [href: string, title: string, lang?: string] | [title: string, within: Entry[]];

function listOf(entries: Entry[]): HTMLElement {
  const list = document.createElement("ul");
  for (const [first, second, lang] of entries) {
    const item = document.createElement("li");
    if (typeof second === "string") {
      item.append(Object.assign(document.createElement("a"), { href: first, textContent: second }, lang && { lang }));
    } else {
      const part = document.createElement("details");
      part.append(Object.assign(document.createElement("summary"), { textContent: first }), listOf(second));
      item.append(part);
    }
    list.append(item);
  }
  return list;
}

function openParts(): void {
  const src = document.getElementById("contents")?.dataset["list"];
  if (!src || location.protocol === "file:") return;
  let loaded: Promise<Record<string, Entry[]>> | undefined;
  const load = () => (loaded ??= fetch(src).then((answer) => answer.json()));
  const contents = document.getElementById("contents")!;
  contents.addEventListener("beforetoggle", () => void load().catch(() => { loaded = undefined; }), { once: true });
  for (const away of document.querySelectorAll<HTMLElement>(".contents-away[data-part]")) {
    const link = away.querySelector("a")!;
    const part = document.createElement("details");
    const head = document.createElement("summary");
    head.textContent = link.textContent;
    part.append(head);
    away.replaceWith(part);
    part.addEventListener("toggle", async () => {
      try {
        part.append(listOf((await load())[away.dataset["part"]!]!));
      } catch {
        loaded = undefined;
        part.append(away); // the link to where the chapters are
      }
    }, { once: true });
  }
}

openParts();

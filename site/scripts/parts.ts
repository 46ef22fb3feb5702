// In a large book a page has its own part's chapters; those of another come when a
// reader opens it, all from one file.

function openParts(): void {
  const src = document.getElementById("contents")?.dataset["list"];
  if (!src || location.protocol === "file:") return;
  let loaded: Promise<Record<string, [string, string, string?][]>> | undefined;
  for (const away of document.querySelectorAll<HTMLElement>(".contents-away[data-part]")) {
    const link = away.querySelector("a")!;
    const part = document.createElement("details");
    const head = document.createElement("summary");
    head.textContent = link.textContent;
    part.append(head);
    away.replaceWith(part);
    part.addEventListener("toggle", async () => {
      try {
        loaded ??= fetch(src).then((answer) => answer.json());
        const list = document.createElement("ul");
        for (const [href, title, lang] of (await loaded)[away.dataset["part"]!]!) {
          const item = document.createElement("li");
          item.append(Object.assign(document.createElement("a"), { href, textContent: title }, lang && { lang }));
          list.append(item);
        }
        part.append(list);
      } catch {
        loaded = undefined;
        part.append(away); // the link to where the chapters are
      }
    }, { once: true });
  }
}

openParts();

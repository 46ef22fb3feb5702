// The lists beside the text: all chapters, and this page's headings.

/** Scrolls the list of chapters to the one that is read, and closes it where it stands beside the text. */
export function showPlace(): void {
  const list = document.getElementById("contents");
  if (!list) return;
  const show = () => {
    const link = list.querySelector<HTMLElement>("[aria-current]");
    if (link) list.scrollTop += link.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;
  };
  show();
  list.addEventListener("toggle", show);
  matchMedia("(width >= 75rem)").addEventListener("change", ({ matches }) => matches && list.matches(":popover-open") && list.hidePopover());
}

/** In a large book a page has its own part's chapters; those of another come when a reader opens it. */
export function openParts(): void {
  const src = document.getElementById("contents")?.dataset["list"];
  if (!src || location.protocol === "file:") return;
  let loaded: Promise<Record<string, [string, string, string?][]>> | undefined;
  for (const away of document.querySelectorAll<HTMLElement>(".contents-away")) {
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

/** Marks the section that is read in the page's own contents. */
export function followScroll(): void {
  const list = document.querySelector<HTMLElement>("[data-here]");
  if (!list) return;
  const links = new Map<Element, HTMLElement>();
  for (const link of list.querySelectorAll<HTMLAnchorElement>("a")) {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (heading) links.set(heading, link);
  }
  let marked: HTMLElement | undefined;
  const mark = () => {
    // A heading counts once it is near the top; at the page's end, the last one does.
    const end = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const line = end ? Infinity : innerHeight * 0.12;
    let now: HTMLElement | undefined;
    for (const [heading, link] of links) {
      if (heading.getBoundingClientRect().top <= line) now = link;
    }
    if (now === marked) return;
    marked?.removeAttribute("aria-current");
    now?.setAttribute("aria-current", "location");
    marked = now;
    if (now && list.scrollHeight > list.clientHeight) list.scrollTop = now.offsetTop - list.clientHeight / 2;
  };
  // Told when a heading crosses the line, or the foot comes into sight.
  const crossing = new IntersectionObserver(mark, { rootMargin: "0px 0px -88%" });
  for (const heading of links.keys()) crossing.observe(heading);
  const ending = new IntersectionObserver(mark, { threshold: [0, 1] });
  const foot = document.querySelector(".foot");
  if (foot) ending.observe(foot);

  // What is as wide as the page goes over the list, which steps aside.
  const over = new Set<Element>();
  const covering = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) over[isIntersecting ? "add" : "delete"](target);
    list.classList.toggle("is-covered", over.size > 0);
  }, { rootMargin: `0px 0px -${Math.max(0, innerHeight - list.getBoundingClientRect().height)}px` });
  for (const wide of document.querySelectorAll(".text > .demo, .text > .wide")) covering.observe(wide);
}

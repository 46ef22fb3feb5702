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
  for (const wide of document.querySelectorAll(".text > .demo, .text > .wide, .walk > .demo")) covering.observe(wide);
}

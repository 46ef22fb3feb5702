// Tabs, on pages that have some (generator/render/markdown/tabs.go). Without script a
// group is its panels, one after another, each below its title. Runs in the head
// and takes up groups while the page is parsed, so that the chosen panel is the
// one that is drawn first.
//
// Groups with the same data-sync show the same tab, in all pages: what a reader
// chose is remembered. Panels that aren't shown are found by the browser's own
// search, and by links into them (hidden=until-found).

const rows = new WeakMap<HTMLElement, HTMLElement>(); // of a group, its row of tabs
const first = new Map<string, string>(); // by sync: the first tab of the first group

/** Which tab groups of a set show at first. */
function wanted(sync: string): string | undefined {
  try {
    return localStorage.getItem("tabs:" + sync) ?? first.get(sync);
  } catch {
    return first.get(sync); // storage may be off
  }
}

function panelsOf(group: HTMLElement): HTMLElement[] {
  return [...group.querySelectorAll<HTMLElement>(":scope > .tab")];
}

function tabOf(panel: HTMLElement): HTMLElement | null {
  return document.getElementById("for-" + panel.id);
}

/** Shows one panel of a group and hides the others. */
function show(group: HTMLElement, chosen: HTMLElement): void {
  for (const panel of panelsOf(group)) {
    const shown = panel === chosen;
    if (shown) panel.removeAttribute("hidden");
    else panel.setAttribute("hidden", "until-found");
    const tab = tabOf(panel);
    tab?.setAttribute("aria-selected", String(shown));
    if (tab) tab.tabIndex = shown ? 0 : -1;
  }
}

/** What a reader chose: in this group, and in those that change with it. */
function choose(panel: HTMLElement): void {
  const group = panel.parentElement!;
  const sync = group.dataset["sync"];
  const key = panel.dataset["tab"]!;
  const before = group.getBoundingClientRect().top;
  show(group, panel);
  if (!sync) return;
  try {
    localStorage.setItem("tabs:" + sync, key);
  } catch {
    // not kept then
  }
  follow(sync, key);
  // The others may have changed their height; what the reader looks at stays.
  scrollBy({ top: group.getBoundingClientRect().top - before, behavior: "instant" });
}

function follow(sync: string, key: string): void {
  for (const group of document.querySelectorAll<HTMLElement>(`.tabs[data-sync="${sync}"]`)) {
    const same = panelsOf(group).find((panel) => panel.dataset["tab"] === key);
    if (same) show(group, same);
  }
}

/** Makes the tab of a panel. Panels come one by one, as the page is parsed. */
function takeUp(panel: HTMLElement): void {
  const group = panel.parentElement!;
  const title = panel.querySelector<HTMLElement>(":scope > .tab-title");
  if (!title) return; // not parsed yet
  let row = rows.get(group);
  if (!row?.isConnected) {
    row = document.createElement("div");
    row.className = "tab-row";
    row.setAttribute("role", "tablist");
    row.addEventListener("keydown", (event) => onKey(event, group));
    rows.set(group, row);
    group.prepend(row);
  }
  const tab = document.createElement("button");
  tab.type = "button";
  tab.id = "for-" + panel.id;
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-controls", panel.id);
  tab.append(...[...title.childNodes].map((node) => node.cloneNode(true)));
  tab.addEventListener("click", () => choose(panel));
  row.append(tab);
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", tab.id);
  panel.tabIndex = 0;
  panel.addEventListener("beforematch", () => choose(panel));
  const panels = panelsOf(group);
  const sync = group.dataset["sync"];
  if (sync && !first.has(sync)) first.set(sync, panel.dataset["tab"]!);
  const chosen = sync && wanted(sync);
  show(group, panels.find((other) => other.dataset["tab"] === chosen) ?? panels[0]!);
}

function onKey(event: KeyboardEvent, group: HTMLElement): void {
  const panels = panelsOf(group);
  const at = panels.findIndex((panel) => tabOf(panel) === event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: panels.length - 1 }[event.key];
  if (at < 0 || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const panel = panels[(to + panels.length) % panels.length]!;
  event.preventDefault();
  choose(panel);
  tabOf(panel)?.focus();
}

function takeUpAll(): void {
  for (const panel of document.querySelectorAll<HTMLElement>(".tabs > .tab:not([role])")) takeUp(panel);
}

/** A link into a panel shows it. */
function reveal(): void {
  let id = location.hash.slice(1);
  try {
    id = decodeURIComponent(id);
  } catch {
    // as it stands
  }
  const target = document.getElementById(id);
  let inside = false;
  for (let panel = target?.closest<HTMLElement>(".tab"); panel; panel = panel.parentElement?.closest<HTMLElement>(".tab")) {
    inside ||= panel.hasAttribute("hidden");
    choose(panel);
  }
  if (inside) target!.scrollIntoView();
}

const parsing = new MutationObserver(takeUpAll);
parsing.observe(document, { childList: true, subtree: true });
document.addEventListener("DOMContentLoaded", () => {
  parsing.disconnect();
  takeUpAll();
  reveal();
});
addEventListener("hashchange", reveal);
// The development server changes a page in place: tabs are made anew.
document.addEventListener("kubewalk:changed", () => {
  for (const group of document.querySelectorAll<HTMLElement>(".tabs")) {
    const panels = panelsOf(group);
    const shown = panels.find((panel) => panel.hasAttribute("role") && !panel.hasAttribute("hidden"));
    rows.get(group)?.replaceChildren();
    for (const panel of panels) panel.removeAttribute("role");
    for (const panel of panels) takeUp(panel);
    if (shown) show(group, shown);
  }
});
addEventListener("storage", (event) => {
  if (event.key?.startsWith("tabs:") && event.newValue) follow(event.key.slice(5), event.newValue);
});

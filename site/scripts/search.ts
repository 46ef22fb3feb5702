// Opens the search: by its link in the banner, by / and by Ctrl or ⌘ with K. All
// that it needs is loaded then. In the page of the search, and in the page that is
// not there, it comes at once.

interface Search {
  open(index: string): void;
  mount(place: HTMLElement): void;
}

// A page that was opened as a file may load none of it. There, as without script,
// the link leads to the page of the search, which says so.
const served = location.protocol !== "file:";
const link = served && document.querySelector<HTMLAnchorElement>("a[data-search]");
const places = served ? [...document.querySelectorAll<HTMLElement>("[data-search-here]")] : [];
let loaded: Promise<Search> | undefined;

function load(from: HTMLElement): Promise<Search> {
  loaded ??= new Promise((done, failed) => {
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = from.dataset["style"] ?? "";
    style.onload = style.onerror = () => import(from.dataset["search"] ?? "").then(done, failed);
    document.head.append(style);
  });
  loaded.catch(() => (loaded = undefined));
  return loaded;
}

function open(event: Event): void {
  if (!link) return;
  event.preventDefault();
  const field = document.querySelector<HTMLElement>(".search-inline input");
  if (field) return field.focus();
  load(link).then(
    (search) => search.open(link.dataset["index"] ?? ""),
    () => location.assign(link.href),
  );
}

if (link) {
  link.setAttribute("aria-haspopup", "dialog");
  link.addEventListener("click", (event) => !event.ctrlKey && !event.metaKey && !event.shiftKey && open(event));
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const typing = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]");
    const control = event.ctrlKey || event.metaKey;
    if (control ? event.key.toLowerCase() === "k" && !event.shiftKey : event.key === "/" && !typing) open(event);
  });
  // What was read in this session is what an empty field shows.
  if (places.length === 0) try {
    const here = [location.pathname, document.querySelector("h1")?.textContent?.trim(), document.documentElement.lang];
    const read = (JSON.parse(sessionStorage.getItem("read") ?? "[]") as string[][]).filter(([url]) => url !== here[0]);
    sessionStorage.setItem("read", JSON.stringify([here, ...read].slice(0, 6)));
  } catch {
    // storage may be off
  }
}

// Of several places, that of the language in which the page was asked for.
const place = places.find((p) => location.pathname.startsWith(p.dataset["lost"] ?? "/")) ?? places[0];
if (place) load(place).then((search) => search.mount(place), () => {});

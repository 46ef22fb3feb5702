// Runs in the head, before anything is drawn: the theme that the reader chose,
// and the word that there is script. Later it serves the list of themes. Whoever
// chose none follows the system, by the style sheet alone.

type Theme = "light" | "dark";

const key = "theme";
const root = document.documentElement;

// A page that holds a demo in a frame may ask for a theme; "stage" is for a hall.
const asked = root.classList.contains("page-embed") ? new URLSearchParams(location.search).get("theme") : null;
if (asked === "stage") root.classList.add("is-stage");
if (parent !== window) root.classList.add("is-framed");

root.classList.add("js");
addEventListener("load", () => setTimeout(() => root.classList.add("is-there"), 500));

// When a script fails to load, the page is one without script: storyboards are
// shown whole.
addEventListener(
  "error",
  (event) => {
    if (event.target instanceof HTMLScriptElement) root.classList.remove("js");
  },
  true,
);

/** What the reader chose; undefined follows the system. */
function chosen(): Theme | undefined {
  if (asked === "light") return asked;
  if (asked === "dark" || asked === "stage") return "dark";
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : undefined;
  } catch {
    return undefined; // storage may be off, or a frame on another site
  }
}

function apply(theme: Theme | undefined): void {
  if (theme) root.dataset["theme"] = theme;
  else delete root.dataset["theme"];
  // What the browser paints around the page has a colour for each theme of the system.
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[data-theme]")) {
    const own = meta.dataset["theme"];
    meta.media = theme ? (own === theme ? "all" : "not all") : `(prefers-color-scheme: ${own})`;
  }
}

apply(chosen());

document.addEventListener("DOMContentLoaded", () => {
  const select = document.querySelector<HTMLSelectElement>("[data-theme-select]");
  const show = () => {
    apply(chosen());
    if (select) select.value = chosen() ?? "system";
  };
  // The reader's other pages follow.
  addEventListener("storage", (event) => event.key === key && show());
  addEventListener("pageshow", show);
  if (!select) return;
  (select.parentElement as HTMLElement).hidden = false;
  show();
  select.addEventListener("change", () => {
    const theme = select.value === "light" || select.value === "dark" ? select.value : undefined;
    try {
      if (theme) localStorage.setItem(key, theme);
      else localStorage.removeItem(key);
    } catch {
      // not kept then
    }
    apply(theme);
  });
});

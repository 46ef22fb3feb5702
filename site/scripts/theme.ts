// Runs in the head, before anything is drawn: the theme that the reader chose,
// and the word that there is script. Later it serves the button.

type Theme = "light" | "dark";

const key = "theme";
const root = document.documentElement;

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
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : undefined;
  } catch {
    return undefined; // storage may be off, or a frame on another site
  }
}

function system(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function apply(theme: Theme | undefined): void {
  if (theme) root.dataset["theme"] = theme;
  else delete root.dataset["theme"];
}

apply(chosen());
addEventListener("storage", (event) => {
  if (event.key === key) apply(chosen());
});

document.addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector<HTMLButtonElement>("[data-theme-button]");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    const next: Theme = (chosen() ?? system()) === "dark" ? "light" : "dark";
    // Back at what the system says, the page follows the system again.
    const theme = next === system() ? undefined : next;
    try {
      if (theme) localStorage.setItem(key, theme);
      else localStorage.removeItem(key);
    } catch {
      // not kept then
    }
    apply(theme);
  });
});

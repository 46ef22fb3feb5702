// Links to a section. A demo above it that becomes taller or shorter, as when the
// player takes the storyboard's place, would push the section away from where the
// reader was sent. So it is brought back, until the reader moves the page.

/** What a reader moves a page with. */
const moves = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

export function keepTarget(): void {
  let kept = target();
  const demos = new ResizeObserver(() => {
    // What is nothing on the screen (a still of a storyboard) is left to the demo.
    if (kept && kept.getClientRects().length > 0) kept.scrollIntoView({ behavior: "instant", block: "start" });
  });
  for (const demo of document.querySelectorAll("kubewalk-demo")) demos.observe(demo, { box: "border-box" });
  addEventListener("hashchange", () => (kept = target()));
  for (const name of moves) addEventListener(name, () => (kept = undefined), { passive: true, capture: true });
}

function target(): Element | undefined {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1))) ?? undefined;
  } catch {
    return undefined; // not encoded as URLs are
  }
}

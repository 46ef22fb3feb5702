// When a demo is needed: about a screen before it comes into sight, or the address
// asks for it. Until then a page loads nothing of it.

/** Whether the address leads to an experiment with a demo (link.ts): it begins at once, wherever on the page it is. */
export const isLinked = () => /[#&]demo=/.test(location.hash);

/** Calls back, once, when one of the elements is near what the reader sees. */
export function whenNear(elements: readonly Element[], act: () => void): void {
  const near = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    near.disconnect();
    act();
  }, { rootMargin: "100% 0px" });
  for (const element of elements) near.observe(element);
}

/** What the reader sees when they have come to a demo: itself, and what the text asks about it. */
export const partsOf = (demo: HTMLElement): Element[] =>
  [demo, ...document.querySelectorAll(`.exercise[data-demo="${CSS.escape(demo.dataset["demo"] ?? "")}"]`)];

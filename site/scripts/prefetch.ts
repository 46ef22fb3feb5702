// Gets a page of the book before the reader opens it: one that the pointer rests
// on or the focus is at, and the next one when the link to it is seen. Chromium does
// the first by itself (generator/build/headers, Speculation-Rules). Others have no hints, or
// hold them to the policy's default-src, which is 'none' (Firefox): there it is an
// ordinary request. Nothing is fetched for readers who save data.

/** How long a pointer rests on a link that somebody means to open, milliseconds. */
const rests = 80;

interface Connection {
  saveData?: boolean;
  effectiveType?: string;
}

function savesData(): boolean {
  const { saveData, effectiveType } = (navigator as { connection?: Connection }).connection ?? {};
  return Boolean(saveData) || /2g/.test(effectiveType ?? "") || matchMedia("(prefers-reduced-data: reduce)").matches;
}

export function prefetch(): void {
  if (!location.protocol.startsWith("http") || savesData()) return;
  const rules = (HTMLScriptElement as { supports?: (type: string) => boolean }).supports?.("speculationrules");
  const known = new Set([location.pathname]);
  const get = (link: HTMLAnchorElement) => {
    if (link.origin !== location.origin || !link.pathname.endsWith("/") || known.has(link.pathname)) return;
    known.add(link.pathname);
    if (!rules) return void fetch(link.pathname, { priority: "low" }).catch(() => undefined);
    const hint = document.createElement("link");
    hint.rel = "prefetch";
    hint.href = link.pathname;
    document.head.append(hint);
  };
  const next = document.querySelector<HTMLAnchorElement>("a[rel=next]");
  if (next) {
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      seen.disconnect();
      get(next);
    });
    seen.observe(next);
  }
  if (rules) return;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const mean = (event: Event) => {
    clearTimeout(waiting);
    const link = (event.target as Element).closest?.("a");
    if (link) waiting = setTimeout(() => get(link), rests);
  };
  for (const type of ["pointerover", "focusin", "pointerdown"]) document.addEventListener(type, mean, { passive: true });
}

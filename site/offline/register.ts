// Gets the worker that keeps visited pages, once the page is there; or gets rid of
// it, when the site has none any more.

import { own } from "../scripts/own";
import { storesOf, type Request as Asked } from "./stores";

export function keepVisited(): void {
  if (!("serviceWorker" in navigator) || !location.protocol.startsWith("http")) return;
  const { worker, base = "/" } = document.documentElement.dataset;
  const workers = navigator.serviceWorker;
  if (!worker) {
    void workers.getRegistration(base).then(async (registration) => {
      if (registration?.active?.scriptURL.endsWith(`${base}sw.js`)) await registration.unregister();
      await storesOf(base).clear(); // again with the next page: until then the old one goes on keeping
    });
    return;
  }
  const register = async () => {
    const wasThere = workers.controller !== null;
    await workers.register(own.createScriptURL(worker), { scope: base });
    if (wasThere) return;
    const { active } = await workers.ready;
    const urls = [location.href, ...performance.getEntriesByType("resource").map((e) => e.name)];
    active?.postMessage({ type: "visit", urls } satisfies Asked);
  };
  const start = () => setTimeout(() => void register().catch(() => undefined), 1000); // a browser that keeps nothing may refuse
  if (document.readyState === "complete") start();
  else addEventListener("load", start);
}

// Every page that the development server serves loads this. It listens to what
// builds came to. Problems are shown over the page. Of a new site it gets the
// page and changes in place what differs (morph.js), so that a reader's place, what
// is open and players that run stay as they are. New scripts reload the page.

import { Shadow } from "./morph.js";

const own = document.createElement("link");
own.rel = "stylesheet";
own.href = "/_dev/overlay.css";
document.head.append(own);

/** The page's file on the server. */
const { base = "/" } = document.documentElement.dataset;
const file = decodeURIComponent(location.pathname.slice(location.pathname.startsWith(base) ? base.length : 1)).replace(/(^|\/)$/, "$1index.html");
const waiting = document.title === "Building …";

/** The site that this page was loaded from, and what the server sent. */
let site = performance.getEntriesByType("navigation")[0]?.serverTiming?.find((t) => t.name === "site")?.description;
let shadow = waiting ? undefined : fetchPage().then((page) => {
  if (site !== undefined && page.site !== site) throw new Error("the page was changed while it was loaded");
  site = page.site;
  return new Shadow(page.document, document);
});
shadow?.catch(() => location.reload());

/** Gets the page as a document. Trusted Types let the browser parse what it loads itself, and no text. */
function fetchPage() {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("GET", location.pathname);
    request.setRequestHeader("Cache-Control", "no-cache");
    request.responseType = "document";
    request.onload = () => done({ document: request.response, site: /desc="([^"]*)"/.exec(request.getResponseHeader("Server-Timing") ?? "")?.[1] });
    request.onerror = () => fail(new Error("the server does not answer"));
    request.send();
  });
}

/** How many demos are recorded, in the places of those that are not. */
let recorded = {};
function count() {
  if (!recorded.demos) return;
  for (const place of document.querySelectorAll("[data-recorded]")) {
    const numbers = [recorded.recorded, recorded.demos];
    place.textContent = place.dataset.recorded.replaceAll("%d", () => numbers.shift());
  }
}

let work = Promise.resolve();
new EventSource("/_dev/events").onmessage = (event) => {
  const state = JSON.parse(event.data);
  if (state.problems?.length) show(state.problems);
  else hide();
  if (waiting && state.problems?.length) document.querySelector("#dev-waiting p").textContent = "The build failed. Save a file to build again.";
  recorded = state;
  count();
  if (state.site) work = work.then(() => take(state)).catch((error) => {
    console.debug("reloading:", error);
    location.reload();
  });
};

/** Brings the page to a state's site. */
async function take(state) {
  if (waiting) return location.reload();
  const from = await shadow;
  if (state.site === site) return;
  // What was missed, while the connection was away or events were quicker than this page, may be anything.
  if (state.since === site && state.changed && !state.changed.includes(file)) {
    site = state.site;
    return;
  }
  const page = await fetchPage();
  if (from.become(page.document)) document.dispatchEvent(new CustomEvent("kubewalk:changed"));
  site = page.site;
  count();
}

function hide() {
  document.getElementById("dev-overlay")?.remove();
}

/** Shows what is wrong, where, and the cure. */
function show(problems) {
  hide();
  const overlay = element("div", { id: "dev-overlay", role: "alertdialog", "aria-label": "Problems" });
  overlay.append(element("h2", {}, problems.length === 1 ? "1 problem" : `${problems.length} problems`));
  const list = element("ol");
  for (const p of problems) {
    const item = element("li");
    const place = [p.file, p.line, p.column].filter(Boolean).join(":");
    if (place) item.append(element("code", {}, place));
    item.append(element("p", { class: "dev-message" }, p.message));
    if (p.cure) item.append(element("p", { class: "dev-cure" }, p.cure));
    list.append(item);
  }
  const close = element("button", { type: "button" }, "Show the last good page");
  close.addEventListener("click", hide);
  overlay.append(list, close);
  document.body.append(overlay);
}

function element(name, attributes = {}, text = "") {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.textContent = text;
  return e;
}

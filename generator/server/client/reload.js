// Every page that the development server serves loads this. It listens to what
// builds came to: a new site reloads the page, problems are shown over it.

const style = document.createElement("link");
style.rel = "stylesheet";
style.href = "/_dev/overlay.css";
document.head.append(style);

let site; // the one that this page belongs to

const events = new EventSource("/_dev/events");
events.onmessage = (event) => {
  const state = JSON.parse(event.data);
  if (state.problems?.length) {
    show(state.problems);
    return;
  }
  hide();
  if (site !== undefined && site !== state.site) {
    location.reload();
    return;
  }
  site = state.site;
  if (document.title === "Building …" && site) location.reload();
};

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

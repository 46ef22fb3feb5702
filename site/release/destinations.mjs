/**
 * On which page, counted from 1, each named place of a PDF is. It reads PDFs as
 * Chromium writes them: objects in plain sight, a tree of pages, a dictionary of
 * places. One that is written otherwise has no places, and the contents no numbers.
 */
export function destinations(pdf) {
  const text = Buffer.from(pdf).toString("latin1");
  const objects = new Map();
  for (const [, number, body] of text.matchAll(/(?:^|\n)(\d+) 0 obj\s([\s\S]*?)\sendobj/g)) objects.set(number, body);
  const catalog = [...objects.values()].find((body) => /\/Type \/Catalog/.test(body)) ?? "";
  const order = new Map(); // number of a page by its object
  const walk = (number, seen = new Set()) => {
    const body = objects.get(number) ?? "";
    if (seen.has(number)) return;
    seen.add(number);
    const kids = body.match(/\/Kids \[([^\]]*)\]/);
    if (kids) for (const [, kid] of kids[1].matchAll(/(\d+) 0 R/g)) walk(kid, seen);
    else if (/\/Type \/Page\b/.test(body)) order.set(number, order.size + 1);
  };
  walk(catalog.match(/\/Pages (\d+) 0 R/)?.[1]);
  const places = {};
  const dictionary = objects.get(catalog.match(/\/Dests (\d+) 0 R/)?.[1]) ?? "";
  for (const [, name, page] of dictionary.matchAll(/\/([^\s/[\]<>()]+) \[(\d+) 0 R \/XYZ/g)) {
    const at = order.get(page);
    if (at) places[decodeName(name)] = at;
  }
  return places;
}

/** Names of a PDF hold what is not a plain letter as #xx, in UTF-8. */
function decodeName(name) {
  const bytes = name.replace(/#([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** How many pages a PDF has. */
export function pageCount(pdf) {
  return (Buffer.from(pdf).toString("latin1").match(/\/Type \/Page\b/g) ?? []).length;
}

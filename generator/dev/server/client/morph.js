// Changes a page in place. What the server sent is kept beside the page as a
// document of its own, the shadow, and each of its nodes knows its node in the page.
// A new version is compared with the shadow, never with the page, so that only
// what an author changed is touched: whatever scripts or readers did to the page
// since (what is open, what was typed, players) is not seen, and stays.

/** These belong to their scripts: when their markup changes they are made anew. */
const whole = "kubewalk-demo, [data-exercise], svg, math";

/** The page cannot be brought to the new version; it has to be loaded again. */
class Lost extends Error {}

export class Shadow {
  #root;
  #live = new WeakMap();
  #changed = false;

  /** document is what the server sent, page is what came of it. */
  constructor(document, page) {
    this.#root = document;
    this.#pair(document.documentElement, page.documentElement);
  }

  /** Makes the page what the server sends now; tells whether anything in its text changed. */
  become(next) {
    const scripts = (d) => [...d.querySelectorAll("script")].map((s) => s.outerHTML).join();
    if (scripts(this.#root) !== scripts(next)) throw new Lost("scripts changed");
    this.#changed = false;
    this.#styles(next);
    this.#element(this.#root.documentElement, next.documentElement);
    return this.#changed;
  }

  /** Pairs nodes with those of the page, in which scripts may have put others between. */
  #pair(shadow, live) {
    this.#live.set(shadow, live);
    let candidate = live.firstChild;
    for (const child of shadow.childNodes) {
      let found = candidate;
      while (found && !alike(child, found)) found = found.nextSibling;
      if (!found) continue; // a script took it away
      this.#pair(child, found);
      candidate = found.nextSibling;
    }
  }

  #of(node) {
    const live = this.#live.get(node);
    if (!live) throw new Lost(`${node.nodeName} is not where it was`);
    return live;
  }

  #element(shadow, next) {
    this.#attributes(shadow, next);
    this.#children(shadow, next);
  }

  #attributes(shadow, next) {
    for (const { name, value } of [...next.attributes]) {
      const before = shadow.getAttribute(name);
      if (before === value) continue;
      const live = this.#of(shadow);
      if (name === "class") {
        // Scripts have classes there, too.
        const tokens = new Set(value.split(/\s+/));
        for (const gone of (before ?? "").split(/\s+/)) if (gone && !tokens.has(gone)) live.classList.remove(gone);
        for (const token of tokens) if (token) live.classList.add(token);
      } else {
        live.setAttribute(name, value);
      }
      shadow.setAttribute(name, value);
    }
    for (const { name } of [...shadow.attributes]) {
      if (next.hasAttribute(name)) continue;
      if (name === "class") for (const gone of shadow.classList) this.#of(shadow).classList.remove(gone);
      else this.#of(shadow).removeAttribute(name);
      shadow.removeAttribute(name);
    }
  }

  #children(shadow, next) {
    const before = [...shadow.childNodes];
    const after = [...next.childNodes];
    let from = 0;
    while (from < before.length && from < after.length && before[from].isEqualNode(after[from])) from++;
    let a = before.length;
    let b = after.length;
    while (a > from && b > from && before[a - 1].isEqualNode(after[b - 1])) {
      a--;
      b--;
    }
    const pairs = match(before.slice(from, a), after.slice(from, b));
    const kept = new Set(pairs.values());
    for (const node of before.slice(from, a)) {
      if (kept.has(node)) continue;
      this.#live.get(node)?.remove();
      node.remove();
      this.#changed = true;
    }
    let following = before[a] ?? null; // what the next one is put before
    for (const node of after.slice(from, b).reverse()) {
      const same = pairs.get(node);
      if (same) {
        if (!same.isEqualNode(node)) this.#update(same, node);
        following = same;
      } else {
        following = this.#insert(node, shadow, following);
      }
    }
  }

  #update(shadow, next) {
    this.#changed = true;
    if (shadow.nodeType === Node.ELEMENT_NODE) return this.#element(shadow, next);
    this.#of(shadow).data = next.data;
    shadow.data = next.data;
  }

  /** Puts a node into the shadow and into the page. */
  #insert(next, parent, following) {
    if (next.nodeType === Node.ELEMENT_NODE && (next.matches("[data-exercise]") || next.querySelector("[data-exercise]"))) {
      throw new Lost("an exercise is new: its demo gives it state and buttons when it is loaded");
    }
    if (!customElements.get("kubewalk-demo") && next.nodeType === Node.ELEMENT_NODE && (next.matches("kubewalk-demo") || next.querySelector("kubewalk-demo"))) {
      throw new Lost("a demo is new: the script that gets the player looks for demos when the page is loaded");
    }
    const shadow = document.importNode(next, true);
    const live = document.importNode(next, true);
    parent.insertBefore(shadow, following);
    this.#pair(shadow, live);
    const place = following && this.#of(following);
    if (place) place.parentNode.insertBefore(live, place);
    else this.#of(parent).append(live);
    this.#changed = true;
    return shadow;
  }

  /** New style sheets take the place of others when they are loaded. */
  #styles(next) {
    const sheets = (d) => [...d.head.querySelectorAll("link[rel=stylesheet]")];
    const before = sheets(this.#root);
    const after = sheets(next);
    if (before.length !== after.length) throw new Lost("style sheets changed");
    before.forEach((shadow, i) => {
      const href = after[i].getAttribute("href");
      if (shadow.getAttribute("href") === href) return;
      const old = this.#of(shadow);
      const fresh = old.cloneNode();
      fresh.href = href;
      fresh.onload = () => old.remove();
      fresh.onerror = () => location.reload();
      old.after(fresh);
      this.#live.set(shadow, fresh);
      shadow.setAttribute("href", href);
    });
  }
}

/** Tells whether a node of the page may be what came of a node that was sent. */
function alike(sent, live) {
  if (sent.nodeName !== live.nodeName) return false;
  if (sent.nodeType !== Node.ELEMENT_NODE) return sent.nodeType !== Node.TEXT_NODE || sent.data === live.data || !sent.data.trim();
  if (sent.id && sent.id !== live.id) return false;
  return [...sent.classList].every((name) => live.classList.contains(name));
}

/** For nodes of a new version, those of the old one that they were: the same, with the same id, or of the same kind in the same order. */
function match(before, after) {
  const pairs = new Map();
  const free = new Set(before);
  const take = (next, old) => {
    pairs.set(next, old);
    free.delete(old);
  };
  // The longest run of equal ones, in order.
  const length = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const equal = before.map((x) => after.map((y) => x.isEqualNode(y)));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      length[i][j] = equal[i][j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const anchors = [];
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (equal[i][j]) anchors.push([i++, j++]);
    else if (length[i + 1][j] >= length[i][j + 1]) i++;
    else j++;
  }
  for (const [i, j] of anchors) take(after[j], before[i]);
  // Between them, what is of a kind.
  let i = 0;
  let j = 0;
  for (const [nextI, nextJ] of [...anchors, [before.length, after.length]]) {
    let from = i;
    for (; j < nextJ; j++) {
      for (let k = from; k < nextI; k++) {
        if (sameKind(before[k], after[j])) {
          take(after[j], before[k]);
          from = k + 1;
          break;
        }
      }
    }
    i = nextI + 1;
    j = nextJ + 1;
  }
  return pairs;
}

function sameKind(a, b) {
  if (a.nodeName !== b.nodeName) return false;
  if (a.nodeType !== Node.ELEMENT_NODE) return true;
  return a.id === b.id && !a.matches(whole);
}

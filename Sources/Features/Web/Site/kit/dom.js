// Building DOM without markup strings: h() makes elements, each() keyed lists, define() custom elements. Attributes and
// children that are functions follow the signals that they read.
import { batch, effect, scope, untracked } from "./signal.js";

/**
 * Makes an element. Attributes: `onclick` adds a listener, `.name` sets a property, `class` takes a text or a list,
 * true and false set and remove, a function is followed.
 * @param {string} tag @param {Record<string, any> | null} [attributes] @param {...any} kids
 * @returns {any}
 */
export function h(tag, attributes, ...kids) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith(".")) /** @type {any} */ (element)[name.slice(1)] = value;
    else if (typeof value === "function") effect(() => set(element, name, value()));
    else set(element, name, value);
  }
  append(element, kids);
  return element;
}

/** @param {Element} element @param {string} name @param {any} value */
function set(element, name, value) {
  if (name === "value" && element.tagName !== "OPTION") { if (/** @type {any} */ (element).value !== value) /** @type {any} */ (element).value = value; return; }
  if (name === "checked") { /** @type {any} */ (element).checked = value; return; }
  if (Array.isArray(value)) value = value.filter(Boolean).join(" ");
  if (value === false || value == null) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/**
 * Adds children: nodes, texts, lists, functions that are followed; null and false add nothing.
 * @param {Node} parent @param {any} kid
 */
export function append(parent, kid) {
  if (kid == null || kid === false || kid === true) return;
  if (Array.isArray(kid)) for (const one of kid) append(parent, one);
  else if (kid instanceof Node) parent.appendChild(kid);
  else if (typeof kid === "function") follow(parent, kid);
  else parent.appendChild(document.createTextNode(String(kid)));
}

/**
 * Shows what `make` returns between two marks and replaces it when its signals change.
 * @param {Node} parent @param {() => any} make
 */
function follow(parent, make) {
  const [start, end] = [document.createComment(""), document.createComment("")];
  parent.appendChild(start);
  parent.appendChild(end);
  effect(() => {
    const fresh = document.createDocumentFragment();
    append(fresh, make());
    let old = start.nextSibling;
    while (old && old !== end) {
      const next = old.nextSibling;
      /** @type {ChildNode} */ (old).remove();
      old = next;
    }
    end.parentNode?.insertBefore(fresh, end);
  });
}

/**
 * A list that keeps the element of each key: `render(item)` gets a function that returns the item of now. Moves only what
 * changed its place, so that focus stays.
 * @template T
 * @param {string} tag @param {Record<string, any>} attributes @param {() => T[]} items @param {(item: T) => string | number} key
 * @param {(item: () => T) => Element} render @returns {any}
 */
export function each(tag, attributes, items, key, render) {
  const parent = h(tag, attributes);
  /** @type {Map<string | number, { element: Element, item: T, listeners: Set<() => void>, end: () => void }>} */
  let rows = new Map();
  effect(() => {
    const now = items();
    untracked(() => batch(() => {
      const next = new Map();
      for (const item of now) {
        const id = key(item);
        let row = rows.get(id);
        if (!row) {
          const made = /** @type {any} */ ({ item });
          made.end = scope(() => { made.element = render(() => made.item); });
          row = made;
        } else if (row.item !== item) {
          row.item = item;
          row.element.dispatchEvent(new CustomEvent("update"));
        }
        next.set(id, row);
      }
      for (const [id, row] of rows) if (!next.has(id)) { row.element.remove(); row.end(); }
      let place = parent.firstChild;
      for (const { element } of next.values()) {
        if (element === place) place = place.nextSibling;
        else parent.insertBefore(element, place);
      }
      rows = next;
    }));
    return undefined;
  });
  return parent;
}

/**
 * Registers a custom element. `setup` runs when the element is connected and fills it; its effects end when the element
 * leaves the document.
 * @param {string} tag @param {(element: any) => void} setup
 */
export function define(tag, setup) {
  if (customElements.get(tag)) return;
  customElements.define(tag, class extends HTMLElement {
    /** @type {(() => void) | null} */
    ending = null;
    connectedCallback() { this.ending ??= scope(() => setup(this)); }
    disconnectedCallback() {
      queueMicrotask(() => {
        if (this.isConnected) return;
        this.ending?.();
        this.ending = null;
      });
    }
  });
}

/**
 * Replaces the children of an element.
 * @param {Element} element @param {...any} kids
 */
export function fill(element, ...kids) {
  element.replaceChildren();
  append(element, kids);
}

/**
 * Loads a style sheet of a part of the page, once. Resolves when it applies.
 * @param {string} address
 */
export function style(address) {
  const known = document.head.querySelector(`link[href="${CSS.escape(address)}"]`);
  if (known) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => resolve(undefined);
    document.head.append(h("link", { rel: "stylesheet", href: address, onload: done, onerror: done }));
  });
}

const paths = /** @type {Record<string, string>} */ ({
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  library: "M5 5.5A1.5 1.5 0 0 1 6.5 4H19v16H6.5A1.5 1.5 0 0 1 5 18.5zM5 17.5A1.5 1.5 0 0 1 6.5 16H19",
  today: "M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1",
  notes: "M6 4h9l4 4v12H6zM15 4v4h4M9 12h7M9 16h5",
  goals: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  before: "M15 5l-7 7 7 7",
  after: "M9 5l7 7-7 7",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.5 15.5 20 20",
  you: "M12 4.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5 20c.8-3.2 3.5-4.5 7-4.5s6.2 1.3 7 4.5",
  list: "M4 6h16M4 12h16M4 18h10",
  plus: "M12 5v14M5 12h14",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  mic: "M12 4a3 3 0 0 0-3 3v4a3 3 0 0 0 6 0V7a3 3 0 0 0-3-3zM6 11a6 6 0 0 0 12 0M12 17v3",
  close: "M6 6l12 12M18 6L6 18",
  moon: "M19 14.5A8 8 0 0 1 9.5 5 8 8 0 1 0 19 14.5z",
  down: "M12 5v14M6 13l6 6 6-6",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  terminal: "M5 7l5 5-5 5M12 18h7",
  filter: "M4 7h16M7 12h10M10 17h4",
  copy: "M9 9h10v10H9zM6 15H5V5h10v1",
  aloud: "M5 10v4h3l4 4V6l-4 4zM16 9a4.5 4.5 0 0 1 0 6",
  again: "M6.5 8A7 7 0 1 1 5 12.5M6 4v4.5h4.5",
  task: "M5 5h14v14H5zM8.5 12l2.5 2.5 4.5-5",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
});

/**
 * An icon of one line; hidden from screen readers, so it needs words beside it or a label.
 * @param {string} name
 */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const attributes = { viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": "1.8",
    "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", paths[name] ?? "");
  if (name === "stop") path.setAttribute("fill", "currentColor");
  if (name === "more") path.setAttribute("stroke-width", "3");
  svg.append(path);
  return svg;
}

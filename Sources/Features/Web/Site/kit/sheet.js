// A dialog: from below on a phone, in the middle on a wide screen. Escape and a press outside close it; focus goes back. It may
// hold a list to choose from by typing.
import { h, icon } from "./dom.js";
import { computed, effect, scope, signal } from "./signal.js";
import { t } from "./words.js";

/**
 * Opens a sheet and returns what closes it.
 * @param {string} title @param {any} content @param {{ class?: string, hasHead?: boolean, onclose?: () => void }} [options]
 */
export function sheet(title, content, options = {}) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const close = () => dialog.close();
  const dialog = h("dialog", { class: ["sheet", options.class], "aria-label": title,
    onclick: (/** @type {MouseEvent} */ event) => { if (event.target === dialog) close(); },
    onclose: () => {
      dialog.remove();
      if (before?.isConnected) before.focus();
      options.onclose?.();
    } },
    options.hasHead === false ? null : h("div", { class: "view-head" }, h("h1", {}, title),
      h("button", { class: "quiet", type: "button", onclick: close }, icon("close"), t("close"))),
    h("div", { class: "sheet-body" }, content));
  document.body.append(dialog);
  dialog.showModal();
  return close;
}

/** @typedef {{ label: string, run: () => void, to?: string, group?: string, more?: string, hint?: string, keys?: string }} Choice */

let isOpen = false;

/**
 * Says of a row whether its label holds every word of a text.
 * @param {string} text
 */
export function fits(text) {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return (/** @type {Choice} */ { label }) => words.every((word) => label.toLocaleLowerCase().includes(word));
}

/**
 * Opens a list to choose from by typing. `make` gets what is typed and gives the rows, a line about them, the names of their groups and
 * a foot. `left` gets what was typed when nothing is chosen.
 * @param {string} label @param {string} hint
 * @param {(query: import("./signal.js").Signal<string>) => { rows: () => Choice[], status: (count: number) => string, names?: Record<string, string>, foot?: any }} make
 * @param {{ typed?: string, left?: (typed: string) => void }} options
 */
export function openList(label, hint, make, { typed = "", left } = {}) {
  if (isOpen) return;
  isOpen = true;
  let content = null;
  const query = signal(typed);
  /** The row that was chosen by arrows; the first one while none was. */
  const chosen = signal(/** @type {Choice | null} */ (null));
  const end = scope(() => {
    const { rows: find, status, names = {}, foot } = make(query);
    const rows = computed(find);
    // A row that was made again is known by its address.
    const at = computed(() => Math.max(0, rows.value.findIndex((one) => one === chosen.value || (one.to && one.to === chosen.value?.to && one.group === chosen.value.group))));
    const run = (/** @type {Choice} */ one) => { left = undefined; close(); queueMicrotask(() => one.run()); };
    const input = h("input", { class: "input", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list",
      "aria-label": label, placeholder: hint, autocomplete: "off", autofocus: true, enterkeyhint: "go", value: typed, "aria-activedescendant": () => (rows.value.length ? `palette-${at.value}` : null),
      oninput: () => { query.value = input.value; chosen.value = null; },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const now = rows.peek();
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!step && event.key !== "Enter" || event.isComposing || now.length === 0) return;
        event.preventDefault();
        if (step) chosen.value = now[(at.peek() + step + now.length) % now.length];
        else run(now[at.peek()]);
      } });
    const option = (/** @type {Choice} */ one, /** @type {number} */ index) => h("div", { class: "choice", role: "option", id: `palette-${index}`, "aria-selected": () => String(at.value === index), onclick: () => run(one) },
      h("span", { dir: "auto" }, one.label, one.more ? h("span", { class: "hint" }, ` ${one.more}`) : null), one.keys ? h("kbd", {}, one.keys) : one.hint ? h("span", { class: "hint" }, one.hint) : null);
    const list = h("div", { id: "palette-list", role: "listbox", "aria-label": label, class: "palette-list" }, () => {
      const now = rows.value;
      return [...new Set(now.map((one) => one.group ?? ""))].map((group) => {
        const options = now.map((one, index) => ((one.group ?? "") === group ? option(one, index) : null));
        return names[group] ? h("div", { role: "group", "aria-label": names[group] }, h("p", { class: "label", "aria-hidden": "true" }, names[group]), options) : options;
      });
    });
    effect(() => { const now = at.value; queueMicrotask(() => list.querySelector(`#palette-${now}`)?.scrollIntoView({ block: "nearest" })); });
    content = h("div", { class: "stack" }, h("div", { class: "row" }, input, h("button", { class: "quiet only-narrow", type: "button", onclick: () => close() }, t("close"))), list,
      h("p", { class: "hint pad", role: "status" }, () => status(rows.value.length)), foot);
  });
  const close = sheet(label, content, { class: "palette", hasHead: false, onclose: () => { isOpen = false; end(); left?.(query.peek()); } });
}

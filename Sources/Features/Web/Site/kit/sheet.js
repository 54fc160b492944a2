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

let isOpen = false;

/**
 * Opens a list. `left` gets what was typed when nothing is chosen.
 * @param {string} label @param {string} hint @param {any[] | Promise<any[]>} rows @param {{ typed?: string, left?: (typed: string) => void, foot?: any }} options
 */
export function openList(label, hint, rows, { typed = "", left, foot }) {
  if (isOpen) return;
  isOpen = true;
  let content = null;
  const query = signal(typed);
  const place = signal(0);
  const all = signal(/** @type {any} */ (rows instanceof Promise ? null : rows));
  if (rows instanceof Promise) rows.catch((error) => error).then((found) => { all.value = found; });
  const end = scope(() => {
    const found = computed(() => {
      const words = query.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      return [all.value].flat().filter((one) => one?.run && words.every((word) => String(one.label).toLocaleLowerCase().includes(word))).slice(0, 30);
    });
    const run = (/** @type {any} */ one) => { left = undefined; close(); queueMicrotask(() => one.run()); };
    const input = h("input", { class: "input", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list",
      "aria-label": label, placeholder: hint, autocomplete: "off", value: typed, "aria-activedescendant": () => (found.value.length ? `palette-${place.value}` : null),
      oninput: () => { query.value = input.value; place.value = 0; },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) {
          event.preventDefault();
          place.value = (place.peek() + step + found.peek().length) % Math.max(1, found.peek().length);
        } else if (event.key === "Enter" && !event.isComposing) {
          event.preventDefault();
          const one = found.peek()[place.peek()];
          if (one) run(one);
        }
      } });
    const list = h("div", { id: "palette-list", role: "listbox", "aria-label": label, class: "palette-list" },
      () => found.value.map((one, index) => h("div", { class: "choice", role: "option", id: `palette-${index}`, "aria-selected": () => String(place.value === index),
        onclick: () => run(one) }, h("span", { dir: "auto" }, one.label), one.keys ? h("kbd", {}, one.keys) : one.hint ? h("span", { class: "hint" }, one.hint) : null)));
    effect(() => { const now = place.value; queueMicrotask(() => list.querySelector(`#palette-${now}`)?.scrollIntoView({ block: "nearest" })); });
    content = h("div", { class: "stack" }, input, list, () => (all.value && found.value.length === 0
      ? h("p", { class: "hint pad", role: "status" }, all.value instanceof Error ? all.value.message || t("offline") : t("palette.none")) : null), foot);
  });
  const close = sheet(label, content, { class: "palette", hasHead: false, onclose: () => { isOpen = false; end(); left?.(query.peek()); } });
}

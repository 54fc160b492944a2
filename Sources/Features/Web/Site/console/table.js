// A table that sorts by any column.
import { h } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { t } from "../kit/words.js";

/**
 * `value` is what a row sorts by, `show` what is seen. A plain column has a row's buttons and does not sort.
 * @typedef {{ name: string, value: (row: any) => string | number, isPlain?: boolean, show?: (row: any) => any, isNumber?: boolean }} Column
 */

/** A button of a row that is drawn again gets the focus back. */
function keepFocus() {
  const key = document.activeElement?.getAttribute("data-key");
  if (key) queueMicrotask(() => { if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus(); });
}

/**
 * The table stays while its rows change, and so do the focus and the order.
 * @param {string} name @param {() => any[]} rows @param {Column[]} columns
 */
export function table(name, rows, columns) {
  const order = signal(/** @type {{ column: number, isDown: boolean } | null} */ (null));
  const sorted = () => {
    const now = order.value;
    if (!now) return rows();
    const { value } = columns[now.column];
    const compare = (/** @type {any} */ a, /** @type {any} */ b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
    return [...rows()].sort((a, b) => (now.isDown ? -1 : 1) * compare(value(a), value(b)));
  };
  const press = (/** @type {number} */ column) => {
    const now = order.peek();
    order.value = { column, isDown: now?.column === column ? !now.isDown : columns[column].isNumber === true };
  };
  const head = columns.map((column, place) => h("th", { scope: "col", class: column.isNumber ? "to-right" : null,
    "aria-sort": () => (order.value?.column === place ? (order.value.isDown ? "descending" : "ascending") : null) },
  column.isPlain ? column.name : h("button", { type: "button", onclick: () => press(place) }, column.name, h("span", { "aria-hidden": "true" }, () => (order.value?.column === place ? (order.value.isDown ? " ↓" : " ↑") : "")))));
  const cell = (/** @type {Column} */ column, /** @type {any} */ row) => {
    const value = column.value(row);
    return h("td", { class: column.isNumber ? "to-right" : column.isPlain ? "acts" : null, dir: "auto" }, column.show ? column.show(row) : typeof value === "number" ? new Intl.NumberFormat(document.documentElement.lang).format(value) : value || "–");
  };
  return h("section", {}, h("h2", {}, name), () => (rows().length === 0 ? h("p", { class: "hint" }, t("console.none")) : null), h("div", { class: "sheet-table", hidden: () => rows().length === 0, tabindex: "0", role: "region", "aria-label": name },
    h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, () => { keepFocus(); return sorted().map((row) => h("tr", {}, columns.map((column) => cell(column, row)))); }))));
}

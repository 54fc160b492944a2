// A table that sorts by any column.
import { h } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { locale, t } from "../kit/words.js";
import { heading } from "./parts.js";

/**
 * `value` is what a row sorts by, `show` what is seen. A plain column has a row's buttons and does not sort; a spare one is left
 * out where columns have little room.
 * @typedef {{ name: string, value: (row: any) => string | number, isPlain?: boolean, show?: (row: any) => any, isNumber?: boolean, isSpare?: boolean }} Column
 */

/** A button of a row that is drawn again gets the focus back. */
function keepFocus() {
  const key = document.activeElement?.getAttribute("data-key");
  if (key) queueMicrotask(() => { if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus(); });
}

/**
 * The table stays while its rows change, and so do the focus and the order. A table that alone is its page has the page's title
 * for a heading: it is bare. `none` is what an empty one says, `parts` stand beside the heading.
 * @param {string} name @param {() => any[]} rows @param {Column[]} columns @param {{ isBare?: boolean, none?: string | (() => string), parts?: any }} [options]
 */
export function table(name, rows, columns, options = {}) {
  const { isBare = false, none = t("console.none"), parts } = options;
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
  const head = columns.map((column, place) => h("th", { scope: "col", role: "columnheader", class: [column.isNumber && "to-right", column.isSpare && "only-roomy"],
    "aria-sort": () => (order.value?.column === place ? (order.value.isDown ? "descending" : "ascending") : null) },
  column.isPlain ? h("span", { class: "unseen" }, column.name) : h("button", { type: "button", onclick: () => press(place) }, column.name, h("span", { "aria-hidden": "true" }, () => (order.value?.column === place ? (order.value.isDown ? " ↓" : " ↑") : "")))));
  const cell = (/** @type {Column} */ column, /** @type {any} */ row) => {
    const value = column.value(row);
    const shown = column.show ? column.show(row) : typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : value || "–";
    return h("td", { class: [column.isNumber && "to-right", column.isPlain && "acts", column.isSpare && "only-roomy", shown === "–" && "is-none"], role: "cell", "data-name": column.name, dir: "auto" }, shown);
  };
  return h("section", {}, isBare ? null : heading(name, parts), () => (rows().length === 0 ? h("p", { class: "hint" }, none) : null), h("div", { class: "sheet-table", hidden: () => rows().length === 0, tabindex: "0", role: "region", "aria-label": name },
    // The roles are said, since rows are laid out as blocks where there is little room.
    h("table", { role: "table" }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, head)), h("tbody", { role: "rowgroup" }, () => { keepFocus(); return sorted().map((row) => h("tr", { role: "row" }, columns.map((column) => cell(column, row)))); }))));
}

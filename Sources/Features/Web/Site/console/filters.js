// Filters of a list: those that are set are chips that one press takes away; all of them are in a form behind a button.
import { h, icon } from "../kit/dom.js";
import { form } from "../kit/form.js";
import { sheet } from "../kit/sheet.js";
import { scope } from "../kit/signal.js";
import { onDay, t } from "../kit/words.js";

/**
 * The button that opens the form, and the chips.
 * @param {() => import("../kit/form.js").Field[]} fields read when they are shown, so that choices may come later
 * @param {() => Record<string, string>} now what is set, without what is empty @param {(values: Record<string, string>) => void} set
 */
export function filters(fields, now, set) {
  const open = () => {
    /** @type {any} */
    let content = null;
    const end = scope(() => {
      const all = fields();
      const { values, parts } = form(all, { ...Object.fromEntries(all.map(({ name, type }) => [name, type === "choice" ? "" : null])), ...now() });
      const apply = (/** @type {Record<string, any>} */ chosen) => { close(); set(Object.fromEntries(Object.entries(chosen).filter(([, value]) => value))); };
      content = h("form", { class: "stack", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); apply(values.peek()); } }, h("div", { class: "filter-fields" }, parts),
        h("div", { class: "row" }, h("button", { class: "button primary", type: "submit" }, t("request.show")), Object.keys(now()).length > 0 ? h("button", { class: "quiet", type: "button", onclick: () => apply({}) }, t("console.filter.none")) : null));
    });
    const close = sheet(t("console.filter"), content, { onclose: end });
  };
  const said = (/** @type {import("../kit/form.js").Field} */ field, /** @type {string} */ value) => (field.type === "choice" ? field.choices?.find(([one]) => one === value)?.[1] : field.type === "date" ? onDay(value) : null) ?? value;
  // A chip that is gone leaves the focus to the button.
  const clear = (/** @type {Record<string, string>} */ rest) => { set(rest); queueMicrotask(() => { if (document.activeElement === document.body) button.focus(); }); };
  const chip = (/** @type {import("../kit/form.js").Field} */ field) => {
    const value = said(field, now()[field.name]);
    return h("button", { class: "chip", type: "button", "data-key": `filter-${field.name}`, "aria-label": t("console.filter.clear", { name: field.label, value }), onclick: () => { const { [field.name]: _, ...rest } = now(); clear(rest); } }, h("span", { dir: "auto" }, `${field.label}: ${value}`), icon("close"));
  };
  const button = h("button", { class: "button", type: "button", "data-key": "filter", onclick: open }, icon("filter"), t("console.filter"));
  const chips = () => {
    const list = fields().filter(({ name }) => now()[name]);
    return list.length === 0 ? null : h("div", { class: "row chips", role: "group", "aria-label": t("console.filter.set") }, list.map(chip), list.length > 1 ? h("button", { class: "quiet", type: "button", onclick: () => clear({}) }, t("console.filter.none")) : null);
  };
  return { button, chips };
}

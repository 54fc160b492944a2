// Units: what each one measures, and how it converts. Those of a dimension count for goals in any unit of it.
import { attempt, paged, query, write } from "../net/source.js";
import { h } from "../kit/dom.js";
import { editor } from "../kit/form.js";
import { t } from "../kit/words.js";
import { amount, undoable } from "./data.js";

/** @param {any} [one] */
function edit(one) {
  const before = { unit: one?.unit, title: one?.title, description: one?.description };
  editor(t(one ? "measures.edit" : "measures.new"), [{ name: "unit", label: t("goals.unit"), required: true, hint: t("measures.hint") }, { name: "title", label: t("goals.title") }, { name: "description", label: t("goals.about"), type: "long" }], before, async (values, differs) => {
    const change = Object.fromEntries(Object.entries(values).filter(([name]) => differs(name)));
    if (Object.keys(change).length === 0) return;
    const saved = await (one ? write("PATCH", `api/measures/${one.id}`, change) : write("POST", "api/measures", change));
    undoable(t("goals.saved", { title: saved.unit }), saved.id);
  }, one ? (/** @type {() => void} */ close) => h("button", { class: "button danger", type: "button", onclick: () => void attempt(async () => {
    close();
    await write("DELETE", `api/measures/${one.id}`);
    undoable(t("deleted", { title: one.unit }), one.id);
  }) }, t("delete")) : null);
}

/** @param {any} one what it is, and what one of it is in the unit that its dimension is counted in */
function about({ unit, title, kind, canonical_unit: canonical, conversion_factor: factor }) {
  const name = t(`measures.kind.${kind}`);
  return [title, name.startsWith("measures.kind.") ? kind : name, canonical && canonical !== unit ? `${amount(1, unit)} = ${amount(factor, canonical)}` : ""].filter(Boolean).join(" · ");
}

/** The view. */
export function measures() {
  const { view, more } = paged("measures", (cursor) => `api/measures?${query({ limit: 100, cursor })}`);
  return [h("div", { class: "row filters" }, h("button", { class: "button", type: "button", onclick: () => edit() }, t("measures.new"))),
    view((now) => (now.measures.length === 0 ? h("p", { class: "blank" }, t("measures.none")) : h("ul", { class: "rows", role: "list" }, now.measures.map((/** @type {any} */ one) => h("li", { class: "rule" },
      h("div", {}, h("p", { dir: "auto" }, one.unit), h("p", { class: "hint", dir: "auto" }, about(one)), one.description ? h("p", { class: "hint", dir: "auto" }, one.description) : null),
      h("button", { class: "quiet", type: "button", "data-key": `edit-${one.id}`, "aria-haspopup": "dialog", "aria-label": `${t("edit")}: ${one.unit}`, onclick: () => edit(one) }, t("edit"))))))), more];
}

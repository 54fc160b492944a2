// Which values a goal serves, and how well.
import { call } from "../net/api.js";
import { attempt, write } from "../net/source.js";
import { h } from "../kit/dom.js";
import { sheet } from "../kit/sheet.js";
import { t } from "../kit/words.js";
import { undoable } from "./data.js";

const usual = 5;

/**
 * Opens the choice. Why a value is served stays as it was.
 * @param {any} goal
 */
export const chooseValues = (goal) => attempt(async () => {
  const { values } = await call("GET", "api/values?limit=200");
  const chosen = new Map(goal.values.map((/** @type {any} */ link) => [link.value, link]));
  const save = () => attempt(async () => {
    close();
    await write("PATCH", `api/goals/${goal.id}`, { values: [...chosen.values()] });
    undoable(t("goals.saved", { title: goal.title }), goal.id);
  });
  const row = (/** @type {any} */ one) => {
    const old = chosen.get(one.id);
    const degree = h("input", { class: "input degree", type: "number", min: "1", max: "10", required: true, value: String(old?.alignment ?? usual), disabled: !old, "aria-label": t("links.degree", { title: one.title }), oninput: () => { chosen.set(one.id, { ...chosen.get(one.id), value: one.id, alignment: Number(degree.value) }); } });
    const box = h("input", { type: "checkbox", checked: Boolean(old), onchange: () => {
      degree.disabled = !box.checked;
      if (box.checked) chosen.set(one.id, { ...old, value: one.id, alignment: Number(degree.value) || usual });
      else chosen.delete(one.id);
    } });
    return h("li", { class: "rule" }, h("label", { class: "check" }, box, h("span", { dir: "auto" }, one.title)), degree);
  };
  const close = sheet(t("links.choose"), h("form", { class: "stack", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void save(); } },
    h("p", { class: "hint" }, values.length === 0 ? t("values.none") : t("links.hint")), h("ul", { class: "rows", role: "list" }, values.map(row)), h("div", { class: "row" }, h("button", { class: "button primary", type: "submit" }, t("save")))));
});

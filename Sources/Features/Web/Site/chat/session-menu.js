// What one may do with a session, as a sheet.
import { h } from "../kit/dom.js";
import { sheet } from "../kit/sheet.js";
import { t } from "../kit/words.js";

/** @param {any} session @param {boolean} isPinned @param {{ pin: () => void, rename: () => void, remove: () => void }} acts */
export function openMenu(session, isPinned, acts) {
  const choice = (/** @type {string} */ label, /** @type {() => void} */ run) => h("li", {}, h("button", { class: "choice", type: "button",
    onclick: () => { close(); queueMicrotask(run); } }, h("span", {}, label)));
  const close = sheet(session.title || t("untitled"), h("ul", { role: "list" }, choice(t(isPinned ? "unpin" : "pin"), acts.pin),
    choice(t("rename"), acts.rename), choice(t("delete"), acts.remove)));
}

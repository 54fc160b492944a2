// A dialog: from below on a phone, in the middle on a wide screen. Escape and a press outside close it; focus goes back.
import { h, icon } from "./dom.js";
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

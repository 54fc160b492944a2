// A panel beside the page on a wide screen, a sheet on a narrow one.
import { fill, h, icon } from "../kit/dom.js";
import { sheet } from "../kit/sheet.js";
import { scope } from "../kit/signal.js";
import { t } from "../kit/words.js";

const wide = matchMedia("(min-width: 1100px)");

/**
 * Opens a panel in `holder`, or a sheet, and returns what closes it. `make` gets the function that closes a sheet: a choice
 * leaves a panel open and closes a sheet.
 * @param {HTMLElement} holder @param {string} title @param {(chosen: () => void) => any} make @param {() => void} onclose
 */
export function openPanel(holder, title, make, onclose) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  let content = /** @type {any} */ (null);
  let close = () => {};
  const end = scope(() => { content = h("div", { class: "stack" }, make(() => { if (!wide.matches) close(); })); });
  if (!wide.matches) {
    close = sheet(title, content, { onclose: () => { end(); onclose(); } });
    return close;
  }
  let isOpen = true;
  const frame = h("aside", { class: "panel", "aria-label": title, onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") close(); } },
    h("div", { class: "view-head" }, h("h2", {}, title), h("button", { class: "quiet", type: "button", onclick: () => close() }, icon("close"), t("close"))),
    h("div", { class: "panel-body", tabindex: "-1" }, content));
  close = () => {
    if (!isOpen) return;
    isOpen = false;
    end();
    frame.remove();
    if (before?.isConnected) before.focus();
    onclose();
  };
  fill(holder, frame);
  requestAnimationFrame(() => /** @type {any} */ (frame.querySelector("input") ?? frame.querySelector(".panel-body"))?.focus());
  return close;
}

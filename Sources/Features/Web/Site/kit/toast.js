// Lines at the lower edge of the page, each with an optional button.
import { h } from "./dom.js";

/**
 * Shows a line at the lower edge, with an optional button.
 * @param {string} text @param {{ label: string, run: () => void }} [action] @param {number} [time] ms, 0 stays
 */
export function toast(text, action, time = 6000) {
  const holder = document.querySelector(".toasts");
  const end = () => { line.remove(); clearTimeout(timer); };
  const line = h("div", { class: "toast", role: "status" }, h("span", {}, text),
    action && h("button", { class: "quiet", type: "button", onclick: () => { end(); action.run(); } }, action.label));
  const timer = time > 0 ? setTimeout(end, time) : 0;
  holder?.append(line);
  return end;
}

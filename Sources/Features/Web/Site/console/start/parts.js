// What the steps are built of: a command to copy, a bar of progress, choices of which one is pressed.
import { h } from "../../kit/dom.js";
import { effect } from "../../kit/signal.js";
import { toast } from "../../kit/toast.js";
import { t } from "../../kit/words.js";

/**
 * A line for a terminal, with a button that copies it.
 * @param {string} line
 */
export const command = (line) => h("div", { class: "command" }, h("code", { dir: "ltr" }, line), h("button", { class: "quiet", type: "button", "aria-label": t("start.copy", { command: line }), onclick: async () => {
  try { await navigator.clipboard.writeText(line); toast(t("copied")); } catch { toast(t("copy.cannot")); }
} }, t("copy")));

/**
 * A bar of progress with its words. Without a total it only says that something is under way.
 * @param {string} label @param {() => number} done @param {() => number} total @param {() => string} words
 */
export function bar(label, done, total, words) {
  const progress = h("progress", { "aria-label": label });
  effect(() => {
    progress.max = Math.max(1, total());
    if (total() > 0) progress.value = done();
    else progress.removeAttribute("value");
  });
  return h("div", { class: "bar" }, progress, h("p", { class: "hint" }, words));
}

/**
 * Buttons of which one is pressed.
 * @param {string} label @param {[string, string][]} choices @param {import("../../kit/signal.js").Signal<string>} chosen
 */
export const choice = (label, choices, chosen) => h("div", { class: "choices", role: "group", "aria-label": label }, choices.map(([value, name]) => h("button", { class: "chip", type: "button", "aria-pressed": () => String(chosen.value === value), onclick: () => { chosen.value = value; } }, name)));

// The versions of a prompt, and what has changed between two of them, line by line.
import { call } from "../../net/api.js";
import { query, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { signal } from "../../kit/signal.js";
import { size, t } from "../../kit/words.js";
import { when } from "../parts.js";
import { table } from "../table.js";

const marks = { same: " ", added: "+", removed: "−" };

/** @param {any} found */
const lines = (found) => h("div", { class: "diff", tabindex: "0", role: "region", "aria-label": t("prompt.diff.of", { from: found.from.number, to: found.to.number }) },
  found.lines.map((/** @type {any} */ { change, text }) => h(change === "added" ? "ins" : change === "removed" ? "del" : "div", { class: `diff-line is-${change}`, dir: "auto" }, h("span", { class: "diff-mark", "aria-hidden": "true" }, marks[/** @type {"same"} */ (change)]), text || " ")));

/**
 * The history.
 * @param {any} prompt
 */
export function history(prompt) {
  const path = `api/prompts/${encodeURIComponent(prompt.id)}`;
  const { found, view } = source(() => call("GET", `${path}/versions`));
  const pair = signal(/** @type {{ from: string, to: string } | null} */ (null));
  const versions = () => found.value?.versions ?? [];
  const before = (/** @type {any} */ one) => versions()[versions().indexOf(one) + 1];
  const difference = () => (pair.value ? h("div", {}, source(() => call("GET", `${path}/diff?${query(pair.value ?? {})}`)).view(lines)) : null);
  return h("section", {}, view(() => null), h("div", { hidden: () => !found.value?.versions }, table(t("prompt.history"), versions, [
    { name: t("prompt.version"), value: (one) => one.number, show: (one) => [String(one.number), one.number === 0 ? h("span", { class: "hint" }, ` ${t("prompt.original")}`) : null], isNumber: true }, { name: t("console.name"), value: (one) => one.title },
    { name: t("models.size"), value: (one) => one.bytes, show: (one) => size(one.bytes), isNumber: true }, { name: t("time"), value: (one) => one.created_at ?? "", show: (one) => when(one.created_at) },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => (before(one) ? h("button", { class: "quiet", type: "button", "data-key": `diff-${one.number}`, "aria-label": t("prompt.diff.of", { from: before(one).number, to: one.number }), onclick: () => { pair.value = { from: String(before(one).number), to: String(one.number) }; } }, t("prompt.diff")) : null) }])), difference);
}

// Two reports of one collection: is the second better, for how many queries, and is it more than chance?
import { call } from "../../net/api.js";
import { query, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { svg } from "../charts/chart.js";
import { figure } from "../parts.js";
import { table } from "../table.js";
import { differencePaths, shared, verdict } from "./figures.js";
import { four } from "./report.js";

const [width, height] = [600, 120];

/** @param {number} value */
const signed = (value) => `${value > 0 ? "+" : ""}${four(value)}`;

/** @param {any} found */
function chart(found) {
  const { up, down } = differencePaths(found.differences, width, height);
  const says = t("eval.counts", { wins: found.wins, losses: found.losses, ties: found.ties });
  return h("figure", { class: "traffic differences" }, h("figcaption", { class: "label" }, t("eval.by.query")), svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": `${t("eval.by.query")}: ${says}` },
    svg("path", { class: "edge", d: `M0 ${height / 2}H${width}` }), svg("path", { class: "bars", d: up }), svg("path", { class: "bars failed", d: down })), h("p", { class: "hint" }, says));
}

/** @param {any} found */
function result(found) {
  const kind = verdict(found);
  const rows = (/** @type {string} */ name, /** @type {any[]} */ list) => (list.length === 0 ? null : table(t(name), () => list, [{ name: t("eval.query"), value: (one) => one.text || one.id }, { name: "A", value: (one) => one.before, show: (one) => four(one.before), isNumber: true }, { name: "B", value: (one) => one.after, show: (one) => four(one.after), isNumber: true }]));
  return [h("p", { role: "status" }, h("strong", { class: kind === "better" ? "is-good" : kind === "worse" ? "is-bad" : null }, t(`eval.is.${kind}`)), " ",
    t("eval.difference", { metric: found.metric, a: four(found.before.mean), b: four(found.after.mean), difference: signed(found.difference), low: signed(found.low), high: signed(found.high), p: found.p_value < 0.0001 ? "< 0.0001" : `= ${four(found.p_value)}`, n: figure(found.queries) })),
  found.warning ? h("p", { class: "hint", dir: "auto" }, found.warning) : null, chart(found), rows("eval.gains", found.gains), rows("eval.drops", found.drops)];
}

/**
 * The comparison of two reports.
 * @param {any} first @param {any} second
 */
export function compared(first, second) {
  if (first.collection !== second.collection) return h("p", { class: "notice warn" }, t("eval.others"));
  const { modes, metrics } = shared(first.means, second.means);
  const usual = (/** @type {string[]} */ names) => (names.includes("hybrid") ? "hybrid" : names[0]);
  const wish = signal({ metric: metrics.includes("ndcg@10") ? "ndcg@10" : metrics[0], before: usual(modes.before), after: usual(modes.after) });
  const { view } = source(() => call("GET", `api/admin/evaluations/${first.id}/compare/${second.id}?${query(wish.value)}`));
  const choice = (/** @type {"metric" | "before" | "after"} */ name, /** @type {string} */ label, /** @type {string[]} */ names, /** @type {(name: string) => string} */ write) => h("div", { class: "field" }, h("label", { for: `eval-${name}` }, label),
    h("select", { class: "input", id: `eval-${name}`, onchange: (/** @type {any} */ event) => { wish.value = { ...wish.peek(), [name]: event.target.value }; } }, names.map((one) => h("option", { value: one, selected: one === wish.peek()[name] }, write(one)))));
  const mode = (/** @type {string} */ name) => t(`search.mode.${name}`);
  return h("section", {}, h("h2", {}, t("bench.compared", { a: first.name, b: second.name })), h("div", { class: "triple filters" }, choice("metric", t("eval.metric"), metrics, (one) => one), choice("before", t("eval.mode", { which: "A" }), modes.before, mode), choice("after", t("eval.mode", { which: "B" }), modes.after, mode)), view(result));
}

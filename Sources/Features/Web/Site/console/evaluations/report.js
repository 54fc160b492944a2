// A report of retrieval: its figures as bars with their intervals, its latency, its remarks, and conditions that it must hold.
import { call } from "../../net/api.js";
import { attempt } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { signal } from "../../kit/signal.js";
import { locale, t } from "../../kit/words.js";
import { decimal } from "../parts.js";
import { metricsOf } from "./figures.js";

/** @param {number} value */
export const four = (value) => new Intl.NumberFormat(locale, { minimumFractionDigits: 4, maximumFractionDigits: 4 }).format(value);

/**
 * Bars of a metric, one for each mode.
 * @param {any} report @param {string} metric
 */
const bars = (report, metric) => h("figure", { class: "traffic" }, h("figcaption", { class: "label", dir: "ltr" }, metric), h("dl", { class: "bars-of" }, report.modes.filter((/** @type {any} */ mode) => typeof mode.metrics[metric] === "number").map((/** @type {any} */ mode) => {
  const range = mode.intervals?.[metric];
  return [h("dt", {}, t(`search.mode.${mode.mode}`)), h("dd", {}, h("progress", { max: "1", value: String(mode.metrics[metric]), "aria-label": `${metric}: ${t(`search.mode.${mode.mode}`)}` }), h("span", { title: range ? t("eval.range", { low: four(range.low), high: four(range.high) }) : null }, four(mode.metrics[metric])))];
})));

/** @param {any} report */
const latency = (report) => (report.modes.some((/** @type {any} */ mode) => mode.latency_ms) ? h("p", { class: "hint" }, t("eval.latency"), " ", report.modes.filter((/** @type {any} */ mode) => mode.latency_ms).map((/** @type {any} */ mode) => `${t(`search.mode.${mode.mode}`)} ${decimal(mode.latency_ms.p50)} / ${decimal(mode.latency_ms.p95)}`).join(" · ")) : null);

/**
 * The field for conditions, and what became of them.
 * @param {number} id
 */
function gates(id) {
  const found = signal(/** @type {any} */ (null));
  const input = h("input", { class: "input mono", id: `gates-${id}`, required: true, dir: "ltr", autocomplete: "off", placeholder: "hybrid.ndcg@10>=0.40" });
  const check = (/** @type {Event} */ event) => {
    event.preventDefault();
    void attempt(async () => { found.value = await call("POST", `api/admin/evaluations/${id}/gates`, { gates: input.value.split(",").map((/** @type {string} */ one) => one.trim()).filter(Boolean) }); });
  };
  return [h("form", { class: "row", onsubmit: check }, h("label", { class: "unseen", for: `gates-${id}` }, t("eval.gates")), input, h("button", { class: "button", type: "submit" }, t("eval.check"))),
    h("div", { role: "status" }, () => (found.value ? found.value.passed ? h("p", { class: "is-good" }, `✓ ${t("eval.passed")}`) : h("ul", { class: "is-bad" }, found.value.failures.map((/** @type {string} */ one) => h("li", { dir: "ltr" }, one))) : null))];
}

/**
 * A report.
 * @param {any} run
 */
export function shown(run) {
  const { report } = run;
  if (!Array.isArray(report?.modes)) return h("p", { class: "notice warn" }, t("bench.foreign"));
  return [h("p", { class: "hint" }, t("eval.size", { documents: report.documents ?? "–", queries: report.queries ?? "–" })), h("div", { class: "charts" }, metricsOf(report).map((metric) => bars(report, metric))), latency(report),
    (report.notes ?? []).map((/** @type {string} */ note) => h("p", { class: "hint", dir: "auto" }, note)), gates(run.id)];
}

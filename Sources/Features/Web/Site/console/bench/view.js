// Stored playground runs: their figures as bars, and two of them side by side.
import { call } from "../../net/api.js";
import { attempt, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { computed, signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { comparisonOf, measures } from "./figures.js";
import { decimal, twin, when } from "../parts.js";
import { table } from "../table.js";

/** @param {number | null} value @param {boolean} isShare */
const written = (value, isShare) => (value === null ? "–" : isShare ? `${decimal(value * 100)} %` : decimal(value));

/**
 * Bars of a figure, one for each model. The lengths are also said.
 * @param {any} report @param {import("./figures.js").Measure} measure
 */
function bars(report, { name, read, isShare }) {
  const values = report.models.map((/** @type {any} */ one) => [one.model, read(one)]).filter((/** @type {any} */ [, value]) => value !== null);
  const most = isShare ? 1 : Math.max(...values.map((/** @type {any} */ [, value]) => value), 0) || 1;
  return values.length === 0 ? null : h("figure", { class: "traffic" }, h("figcaption", { class: "label" }, t(`bench.${name}`)), h("dl", { class: "bars-of" }, values.map((/** @type {any} */ [model, value]) => [h("dt", { dir: "ltr" }, model), h("dd", {}, h("progress", { max: String(most), value: String(value), "aria-label": model }), h("span", {}, written(value, isShare === true)))])));
}

/** @param {any} run */
function shown(run) {
  const { report } = run;
  if (!Array.isArray(report?.models)) return h("p", { class: "notice warn" }, t("bench.foreign"));
  return [h("p", { class: "hint" }, t("bench.size", { prompts: report.subjects?.length ?? 0, runs: report.runs ?? 0, answers: report.samples?.length ?? 0 }), (report.samples?.length ?? 0) < (report.planned ?? 0) ? ` ${t("bench.partial")}` : ""), h("div", { class: "charts" }, measures.map((measure) => bars(report, measure))),
    h("details", { class: "why" }, h("summary", {}, t("bench.prompts")), h("dl", { class: "facts" }, (report.subjects ?? []).map((/** @type {any} */ one) => [h("dt", { dir: "auto" }, one.id), h("dd", { dir: "auto" }, one.text)])))];
}

/** @param {any} first @param {any} second */
const compared = (first, second) => table(t("bench.compared", { a: first.name, b: second.name }), () => comparisonOf(first.report, second.report), [
  { name: t("model"), value: (one) => one.model }, { name: t("bench.figure"), value: (one) => t(`bench.${one.name}`) },
  { name: "A", value: (one) => one.first ?? -1, show: (one) => written(one.first, one.isShare), isNumber: true }, { name: "B", value: (one) => one.second ?? -1, show: (one) => written(one.second, one.isShare), isNumber: true },
  { name: t("bench.change"), value: (one) => one.change ?? 0, show: (one) => (one.change === null ? "–" : h("span", { class: one.isNoise ? null : one.isBetter ? "is-good" : "is-bad" }, `${one.change > 0 ? "+" : ""}${decimal(one.change * 100)} %`, one.isNoise ? ` ${t("bench.noise")}` : "")), isNumber: true }]);

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function bench(head) {
  const list = source(() => call("GET", "api/bench"));
  const chosen = signal(/** @type {any[]} */ ([]));
  const sure = signal(0);
  const choose = (/** @type {any} */ run) => attempt(async () => {
    const others = () => chosen.peek().filter((one) => one.id !== run.id);
    if (others().length < chosen.peek().length) { chosen.value = others(); return; }
    const found = await call("GET", `api/bench/${run.id}`);
    // Another one may have come meanwhile.
    chosen.value = [...others().slice(-1), found];
  });
  const remove = (/** @type {any} */ run) => attempt(async () => {
    if (sure.peek() !== run.id) { sure.value = run.id; return; }
    await call("DELETE", `api/bench/${run.id}`);
    chosen.value = chosen.peek().filter((one) => one.id !== run.id);
    await list.load();
  });
  const isChosen = (/** @type {any} */ run) => chosen.value.some((one) => one.id === run.id);
  const both = computed(() => (chosen.value.length === 2 && chosen.value.every((one) => Array.isArray(one.report?.models)) ? chosen.value : null));
  head(twin("selene playground bench --model llama3.2"));
  return [list.view((data) => (data.runs.length === 0 ? h("p", { class: "hint" }, t("bench.none")) : h("p", { class: "hint" }, t("bench.hint")))), h("div", { hidden: () => !(list.found.value?.runs?.length > 0) }, table(t("bench"), () => list.found.value?.runs ?? [], [
    { name: t("console.name"), value: (one) => one.name }, { name: t("time"), value: (one) => one.created_at, show: (one) => when(one.created_at) },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => [h("button", { class: "quiet", type: "button", "data-key": `bench-${one.id}`, "aria-pressed": String(isChosen(one)), "aria-label": `${t("request.show")}: ${one.name}`, onclick: () => void choose(one) }, t("request.show")),
      h("button", { class: ["quiet", sure.value === one.id && "is-bad"], type: "button", "data-key": `drop-${one.id}`, "aria-label": `${t("delete")}: ${one.name}`, onclick: () => void remove(one) }, t(sure.value === one.id ? "models.delete.sure" : "delete"))] }])),
  () => (both.value ? compared(both.value[0], both.value[1]) : null),
  h("div", { class: "legs" }, () => chosen.value.map((run) => h("section", { class: "leg" }, h("h2", { dir: "auto" }, run.name), shown(run))))];
}

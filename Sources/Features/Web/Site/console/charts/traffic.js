// The traffic of the last hour or day, as the gateway keeps it: requests, first tokens, waits, tokens, memory. A chart without a
// value in this time is left out.
import { call } from "../../net/api.js";
import { source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { computed, signal } from "../../kit/signal.js";
import { inForm, size, t } from "../../kit/words.js";
import { chart } from "./chart.js";
import { figure, heading, twin } from "../parts.js";
import { merged, span } from "../reading.js";
import { live } from "../stream.js";

const spans = ["hour", "day"];

/** @param {any[]} points @param {string} name */
const total = (points, name) => points.reduce((sum, one) => sum + (one[name] ?? 0), 0);
/** @param {any[]} points @param {string} name @returns {number | null} */
const largest = (points, name) => points.reduce((most, one) => (one[name] != null && (most === null || one[name] > most) ? one[name] : most), null);
/** @param {any[]} points @param {string} name @returns {number | null} */
const latest = (points, name) => points.reduce((last, one) => one[name] ?? last, null);

/** @param {any[]} points */
function charts(points) {
  const clock = (/** @type {string} */ at) => inForm(at, { timeStyle: "short" });
  const edges = { from: clock(points[0].at), to: t("now") };
  const of = (/** @type {string} */ name) => points.map((/** @type {any} */ one) => one[name] ?? null);
  const time = (/** @type {string} */ label, /** @type {string} */ mean, /** @type {string} */ most) => {
    const [now, worst] = [latest(points, mean), largest(points, most)];
    return now === null || worst === null ? null : chart({ ...edges, name: label, form: "line", write: span, now: span(now), says: t("traffic.longest", { time: span(worst) }), series: [{ kind: "most", values: of(most) }, { kind: "", values: of(mean) }] });
  };
  const memory = latest(points, "resident_bytes");
  const [written, read] = [total(points, "generated_tokens"), total(points, "prompt_tokens")];
  return total(points, "requests") === 0 && memory === null ? h("p", { class: "hint" }, t("traffic.none")) : h("div", { class: "charts" },
    total(points, "requests") === 0 ? null : chart({ ...edges, name: t("traffic.requests"), form: "bars", write: figure, now: figure(total(points, "requests")), says: t("traffic.failed", { n: total(points, "failed") }), series: [{ kind: "", values: of("requests") }, { kind: "failed", values: of("failed") }] }),
    time(t("traffic.first"), "first_token_ms", "longest_first_token_ms"), time(t("traffic.queue"), "queue_ms", "longest_queue_ms"),
    written + read === 0 ? null : chart({ ...edges, name: t("traffic.tokens"), form: "bars", write: figure, now: figure(written), says: t("traffic.read", { n: read }), series: [{ kind: "", values: of("generated_tokens") }] }),
    memory === null ? null : chart({ ...edges, name: t("traffic.memory"), form: "line", write: size, now: size(memory), says: t("traffic.flight", { n: largest(points, "in_flight") ?? 0 }), series: [{ kind: "", values: of("resident_bytes") }] }));
}

/** The charts with their switch. */
export function traffic() {
  const shown = signal("hour");
  const last = live("traffic");
  // The hour goes on by the points of the stream; the day is asked again when a quarter of an hour is over.
  const quarter = computed(() => (shown.value === "day" && last.value ? Math.floor(Date.parse(last.value.at) / 900_000) : 0));
  const { found } = source(() => { void quarter.value; return call("GET", `api/admin/traffic?span=${shown.value}`); });
  const points = () => (shown.value === "hour" && found.value.span === "hour" ? merged(found.value.points, last.value) : found.value.points);
  const button = (/** @type {string} */ name) => h("button", { class: "quiet", type: "button", "aria-pressed": () => String(shown.value === name), onclick: () => { shown.value = name; } }, t(`traffic.${name}`));
  return h("section", { hidden: () => !found.value?.points }, heading(t("traffic"), h("div", { class: "row switch", role: "group", "aria-label": t("traffic") }, spans.map(button)), twin("selene requests traffic")),
    () => (found.value?.points ? charts(points()) : null));
}

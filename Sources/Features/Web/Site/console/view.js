// The console, read only: figures of now with their last minutes, upstreams, use of keys, jobs. Everything comes from public
// routes that need the scope admin.
import { call, session } from "../net/api.js";
import { define, fill, h, style } from "../kit/dom.js";
import { effect, signal } from "../kit/signal.js";
import { addWords, ago, exact, size, t } from "../kit/words.js";
import { sparkline } from "./sparkline.js";
import { table } from "./table.js";

/** What the view needs before it is shown. */
export const ready = Promise.all([style(new URL("../css/console.css", import.meta.url).href),
  addWords({ en: () => import("../words/console-en.js"), de: () => import("../words/console-de.js") })]);

const pause = 5000;
const mostKept = 120;

/** @typedef {{ at: number, stats: any }} Sample */

/**
 * A count's rise a second between two samples.
 * @param {Sample[]} samples @param {(stats: any) => number} read @returns {number[]}
 */
export function rates(samples, read) {
  return samples.slice(1).map((one, index) => Math.max(0, (read(one.stats) - read(samples[index].stats)) / Math.max(0.001, (one.at - samples[index].at) / 1000)));
}

/** @param {number} value */
const figure = (value) => new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);

/** @param {number} seconds */
function span(seconds) {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  return days > 0 ? t("console.days", { days, hours }) : t("console.hours", { hours, minutes });
}

/** @param {Sample[]} samples */
function overview(samples) {
  const { stats } = samples[samples.length - 1];
  const waiting = Object.values(stats.admission.waiting).reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one, 0);
  const requests = rates(samples, (one) => one.requests.total);
  const tokens = rates(samples, (one) => one.tokens.generated);
  const last = (/** @type {number[]} */ list) => figure(list[list.length - 1] ?? 0);
  const rows = [
    [t("console.requests"), last(requests), requests, t("console.requests.of", { total: stats.requests.total, failed: stats.requests.failed })],
    [t("console.tokens"), last(tokens), tokens, t("console.tokens.of", { n: stats.tokens.generated })],
    [t("console.queue"), figure(waiting), samples.map((one) => Object.values(one.stats.admission.waiting).reduce((/** @type {number} */ sum, /** @type {any} */ value) => sum + value, 0)),
      t("console.queue.of", { n: stats.admission.in_flight, of: stats.admission.max_in_flight })],
    [t("console.memory"), size(stats.process.resident_bytes ?? 0), samples.map((one) => one.stats.process.resident_bytes ?? 0), t("console.connections", { n: stats.connections.open, of: stats.connections.max })],
  ];
  return h("dl", { class: "figures" }, rows.map(([name, now, values, hint]) => h("div", {}, h("dt", { class: "label" }, name),
    h("dd", {}, h("span", { class: "figure" }, now), sparkline(/** @type {number[]} */ (values)), h("span", { class: "hint" }, hint)))));
}

/** @param {() => any[]} rows */
const upstreams = (rows) => table(t("console.upstreams"), rows, [
  { name: t("console.name"), value: (one) => one.name, show: (one) => h("span", { title: one.url }, one.name) },
  { name: t("console.state"), value: (one) => (one.in_order ? 0 : 1), show: (one) => h("span", { class: one.in_order ? "is-good" : "is-bad" }, one.in_order ? `✓ ${t("console.healthy")}` : `✗ ${t("console.unhealthy")}${one.reason ? `: ${one.reason}` : ""}`) },
  { name: t("console.running"), value: (one) => one.in_flight, isNumber: true },
  { name: t("console.models"), value: (one) => one.loaded.join(", ") },
]);

/** @param {() => any[]} rows */
const keys = (rows) => table(t("console.keys"), rows, [
  { name: t("console.name"), value: (one) => one.name },
  { name: t("console.requests.n"), value: (one) => one.requests, isNumber: true },
  { name: t("console.refused"), value: (one) => one.refused, isNumber: true },
  { name: t("console.tokens.n"), value: (one) => one.tokens, isNumber: true },
  { name: t("console.used"), value: (one) => one.last_used_at ?? "", show: (one) => (one.last_used_at ? h("time", { datetime: one.last_used_at, title: exact(one.last_used_at) }, ago(one.last_used_at)) : "–") },
]);

/** @param {() => any[]} rows */
const jobsTable = (rows) => table(t("console.jobs"), rows, [
  { name: t("console.kind"), value: (one) => one.kind },
  { name: t("console.state"), value: (one) => one.state, show: (one) => t(`job.${one.state}`) },
  { name: t("console.done"), value: (one) => (one.total ? one.done / one.total : 0), show: (one) => (one.total ? `${figure(one.done)} / ${figure(one.total)}` : "–"), isNumber: true },
  { name: t("console.begun"), value: (one) => one.created_at, show: (one) => h("time", { datetime: one.created_at, title: exact(one.created_at) }, ago(one.created_at)) },
  { name: t("console.message"), value: (one) => one.message ?? "" },
]);

define("selene-console", (element) => {
  element.className = "console";
  document.title = `${t("console")} – Selene`;
  const samples = signal(/** @type {Sample[]} */ ([]));
  const jobs = signal(/** @type {any[] | null} */ (null));
  const problem = signal(/** @type {any} */ (null));
  let timer = 0;
  let isOver = false;

  async function look() {
    clearTimeout(timer);
    try {
      const [stats, found] = await Promise.all([call("GET", "api/admin/stats"), call("GET", "api/jobs?limit=50").catch(() => null)]);
      if (isOver) return;
      samples.value = [...samples.peek(), { at: Date.now(), stats }].slice(-mostKept);
      jobs.value = found?.jobs ?? null;
      problem.value = null;
    } catch (error) { problem.value = error; }
    // A page that is not seen asks nothing.
    if (!isOver && document.visibilityState === "visible") timer = window.setTimeout(look, pause);
  }
  const seen = () => { if (document.visibilityState === "visible") void look(); };
  document.addEventListener("visibilitychange", seen);
  effect(() => () => { isOver = true; clearTimeout(timer); document.removeEventListener("visibilitychange", seen); });
  effect(() => { if (session.value?.needs_key && !session.value.signed_in) samples.value = []; });
  void look();
  const latest = () => samples.value[samples.value.length - 1]?.stats;
  fill(element, h("header", { class: "view-head" }, h("h1", {}, t("console")), () => (latest() ? h("span", { class: "hint pad" }, t("console.version", { version: latest().version, span: span(latest().uptime_seconds) })) : null)),
    h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("console") },
      () => (problem.value ? h("div", { class: "notice bad", role: "alert" }, h("p", {}, problem.value.status === 403 ? t("console.forbidden") : problem.value.status === 0 ? t("console.offline") : problem.value.message || t("error")),
        h("button", { class: "quiet", type: "button", onclick: () => void look() }, t("retry"))) : null),
      () => (samples.value.length === 0 && !problem.value ? h("div", { class: "bones", role: "status", "aria-label": t("loading") }, Array.from({ length: 6 }, () => h("i"))) : null),
      () => (samples.value.length > 0 ? overview(samples.value) : null),
      h("div", { hidden: () => !latest() }, upstreams(() => latest()?.upstreams ?? []), keys(() => latest()?.keys ?? [])),
      h("div", { hidden: () => !jobs.value }, jobsTable(() => jobs.value ?? []))));
});

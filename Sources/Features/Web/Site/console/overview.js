// Figures of now with their last minutes, upstreams and the use of keys. A figure that nothing has measured yet is not shown.
import { session } from "../net/api.js";
import { h } from "../kit/dom.js";
import { effect, signal, untracked } from "../kit/signal.js";
import { inForm, locale, t } from "../kit/words.js";
import { topic, twin, when } from "./parts.js";
import { missing } from "./start/steps.js";
import { link } from "./stream.js";
import { sparkline } from "./charts/sparkline.js";
import { table } from "./table.js";
import { traffic } from "./charts/traffic.js";

/** A sample every so many ms, also while nothing changes. */
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
const figure = (value) => new Intl.NumberFormat(locale, { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);

/** @param {number} seconds */
function span(seconds) {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  return days > 0 ? t("console.days", { days, hours }) : hours > 0 ? t("console.hours", { hours, minutes }) : t("console.minutes", { n: minutes });
}

/** @param {Sample[]} samples */
function figures(samples) {
  const { stats } = samples[samples.length - 1];
  const waiting = Object.values(stats.admission.waiting).reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one, 0);
  const requests = rates(samples, (one) => one.requests.total);
  const tokens = rates(samples, (one) => one.tokens.generated);
  const last = (/** @type {number[]} */ list) => figure(list[list.length - 1] ?? 0);
  const rows = [
    [t("console.requests"), last(requests), requests, t("console.requests.of", { total: stats.requests.total, failed: stats.requests.failed })],
    ...(stats.tokens.generated > 0 ? [[t("console.tokens"), last(tokens), tokens, t("console.tokens.of", { n: stats.tokens.generated })]] : []),
    [t("console.queue"), figure(waiting), samples.map((one) => Object.values(one.stats.admission.waiting).reduce((/** @type {number} */ sum, /** @type {any} */ value) => sum + value, 0)),
      t("console.queue.of", { n: stats.admission.in_flight, of: stats.admission.max_in_flight })],
    [t("console.connections"), figure(stats.connections.open), samples.map((one) => one.stats.connections.open), t("console.connections.of", { of: stats.connections.max })],
  ];
  return h("dl", { class: "figures" }, rows.map(([name, now, values, hint]) => h("div", {}, h("dt", { class: "label" }, name),
    h("dd", {}, h("span", { class: "figure" }, now), sparkline(/** @type {number[]} */ (values)), h("span", { class: "hint" }, hint)))));
}

/**
 * The circuit breaker: its state, since when, the failures, and when it tries next.
 * @param {any} one
 */
function breaker(one) {
  if (!one) return "–";
  const failures = [one.failed_requests ? t("console.breaker.requests", { n: one.failed_requests }) : "", one.failed_probes ? t("console.breaker.probes", { n: one.failed_probes }) : ""].filter(Boolean).join(", ");
  return [h("span", { class: one.state === "closed" ? null : "is-warn" }, t(`console.breaker.${one.state}`)), one.since ? h("p", { class: "hint" }, t("console.breaker.since"), " ", when(one.since)) : null,
    one.next_try ? h("p", { class: "hint" }, t("console.breaker.next"), " ", h("time", { datetime: one.next_try }, inForm(one.next_try, { timeStyle: "medium" }))) : null, failures ? h("p", { class: "hint" }, failures) : null];
}

/** @param {() => any[]} rows */
const upstreams = (rows) => table(t("console.upstreams"), rows, [
  { name: t("console.name"), value: (one) => one.name, show: (one) => h("span", { title: one.url }, one.name) },
  { name: t("console.state"), value: (one) => (one.in_order ? 0 : 1), show: (one) => h("span", { class: one.in_order ? "is-good" : "is-bad" }, one.in_order ? `✓ ${t("console.healthy")}` : `✗ ${t("console.unhealthy")}${one.reason ? `: ${one.reason}` : ""}`) },
  { name: t("console.breaker"), value: (one) => one.breaker?.state ?? "", show: (one) => breaker(one.breaker) },
  { name: t("console.running"), value: (one) => one.in_flight, isNumber: true },
  { name: t("console.models"), value: (one) => one.loaded.join(", ") },
]);

/** @param {() => any[]} rows */
const keys = (rows) => table(t("console.keys.today"), rows, [
  { name: t("console.name"), value: (one) => one.name },
  { name: t("console.requests.n"), value: (one) => one.requests, isNumber: true },
  { name: t("console.refused"), value: (one) => one.refused, isNumber: true },
  { name: t("console.tokens.n"), value: (one) => one.tokens, isNumber: true },
  { name: t("console.used"), value: (one) => one.last_used_at ?? "", show: (one) => when(one.last_used_at) },
]);

/**
 * The samples with the figures of now, unless the last sample is too young for a rate.
 * @param {Sample[]} samples @param {any} stats
 */
const withNow = (samples, stats) => (stats && Date.now() - samples[samples.length - 1].at >= 1000 ? [...samples, { at: Date.now(), stats }] : samples);

/**
 * The view.
 * @type {import("./view.js").Page}
 */
export function overview(head) {
  head(twin("selene watch"));
  const samples = signal(/** @type {Sample[]} */ ([]));
  const { found, state } = topic("figures");
  const machines = topic("upstreams").found;
  const sample = () => { const stats = found.peek(); if (stats && link.peek() === "up") samples.value = [...samples.peek(), { at: Date.now(), stats }].slice(-mostKept); };
  effect(() => { if (found.value && samples.peek().length === 0) untracked(sample); });
  effect(() => { const timer = setInterval(sample, pause); return () => clearInterval(timer); });
  effect(() => { if (session.value?.needs_key && !session.value.signed_in) samples.value = []; });
  return [state, missing, () => (found.value ? h("p", { class: "hint" }, t("console.version", { version: found.value.version, span: span(found.value.uptime_seconds) })) : null),
    () => (samples.value.length > 0 ? figures(withNow(samples.value, found.value)) : null), traffic(),
    h("div", { hidden: () => !found.value }, upstreams(() => machines.value?.upstreams ?? found.value?.upstreams ?? []), h("div", { hidden: () => !(found.value?.keys?.length > 0) }, keys(() => found.value?.keys ?? [])))];
}

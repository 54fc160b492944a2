// Background jobs: how far, how fast, how long still; cancelling and going on; starting the two that are started by hand.
import { call } from "../../net/api.js";
import { attempt } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { t } from "../../kit/words.js";
import { computed } from "../../kit/signal.js";
import { figure, topic, twin, when } from "../parts.js";
import { duration, pace } from "../reading.js";
import { table } from "../table.js";

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function jobs(head) {
  /** @type {Map<number, { at: number, done: number }>} */
  const seen = new Map();
  const { found: page, state } = topic("jobs");
  const found = computed(() => {
    const now = Date.now();
    return page.value?.jobs.map((/** @type {any} */ job) => {
      if (job.state !== "running") { seen.delete(job.id); return job; }
      const first = seen.get(job.id) ?? { at: now, done: job.done };
      seen.set(job.id, first);
      return { ...job, pace: pace(first, job, now) };
    }) ?? null;
  });
  const act = (/** @type {string} */ method, /** @type {string} */ path) => attempt(async () => { await call(method, path, method === "POST" && !path.endsWith("resume") ? {} : undefined); });
  const button = (/** @type {any} */ job) => {
    const name = t(`job.kind.${job.kind}`);
    if (job.state === "running") return h("button", { class: "quiet", type: "button", "data-key": `job-${job.id}`, "aria-label": t("job.cancel.long", { name }), onclick: () => void act("DELETE", `api/jobs/${job.id}`) }, t("cancel"));
    if (["failed", "cancelled", "interrupted"].includes(job.state)) return h("button", { class: "quiet", type: "button", "data-key": `job-${job.id}`, "aria-label": t("job.resume.long", { name }), onclick: () => void act("POST", `api/jobs/${job.id}/resume`) }, t("job.resume"));
    return null;
  };
  const progress = (/** @type {any} */ job) => (job.total ? [`${figure(job.done)} / ${figure(job.total)}`, job.failed ? h("span", { class: "is-bad" }, ` ${t("job.failed.n", { n: job.failed })}`) : null] : "–");
  head(h("button", { class: "button", type: "button", onclick: () => void act("POST", "api/jobs/backfill") }, t("job.start.backfill")),
    h("button", { class: "button", type: "button", onclick: () => void act("POST", "api/briefing/associations/compute") }, t("job.start.associations")), twin("selene backfill"));
  return [state, h("div", { hidden: () => found.value === null }, table(t("console.jobs"), () => found.value ?? [], [
    { name: t("console.kind"), value: (one) => t(`job.kind.${one.kind}`) },
    { name: t("console.state"), value: (one) => one.state, show: (one) => h("span", { class: ["state-of", `is-${one.state}`] }, t(`job.${one.state}`)) },
    { name: t("console.done"), value: (one) => (one.total ? one.done / one.total : 0), show: progress, isNumber: true },
    { name: t("job.rate"), value: (one) => one.pace?.rate ?? 0, show: (one) => (one.pace ? figure(one.pace.rate) : "–"), isNumber: true },
    { name: t("job.left"), value: (one) => one.pace?.left ?? 0, show: (one) => (one.pace ? duration(one.pace.left) : "–"), isNumber: true },
    { name: t("console.begun"), value: (one) => one.created_at, show: (one) => when(one.created_at) },
    { name: t("console.message"), value: (one) => one.message ?? "" },
    { name: t("console.do"), value: () => "", show: button, isPlain: true },
  ], { isBare: true, none: t("job.none") }))];
}

// The first run: what a gateway needs before it answers from notes, each step with its state, its button and its command.
import { call } from "../../net/api.js";
import { attempt, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { computed } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { twin } from "../parts.js";
import { live } from "../stream.js";
import { stepsOf } from "./needs.js";

/** The steps as they are now, a signal; null while nothing is known. */
export function steps() {
  const [figures, jobs, runs] = [live("figures"), live("jobs"), live("runs")];
  const machines = computed(() => JSON.stringify(live("upstreams").value?.upstreams.map((/** @type {any} */ one) => one.in_order) ?? []));
  const models = source(() => { void machines.value; return call("GET", "api/tags").then((list) => (list.models ?? []).map((/** @type {any} */ one) => one.name), () => null); });
  const settings = source(() => call("GET", "api/admin/config").then((report) => report.settings, () => []));
  const keys = source(() => call("GET", "api/admin/keys?limit=500").then((list) => list.keys.length, () => null));
  const now = computed(() => {
    const value = (/** @type {string} */ name) => (Array.isArray(settings.found.value) ? settings.found.value.find((/** @type {any} */ one) => one.key === name)?.value : null);
    const list = Array.isArray(models.found.value) ? models.found.value : null;
    const wanted = [...new Set([value("generate_model"), value("embed_model")].filter(Boolean))];
    return figures.value ? stepsOf({ figures: figures.value, jobs: jobs.value, runs: runs.value, models: list, wanted, keys: typeof keys.found.value === "number" ? keys.found.value : null, needsKey: (keys.found.value ?? 0) > 0 }) : null;
  });
  return { now, look: () => { void models.load(); void keys.load(); } };
}

/** The steps that are missing, above the figures; nothing when all are done. */
export function missing() {
  const { now } = steps();
  const open = computed(() => now.value?.filter((one) => one.isDone === false && !one.isOptional).map((one) => one.name).join(" ") ?? "");
  return () => (open.value ? h("div", { class: "notice warn", role: "status" }, h("p", {}, t("start.missing"), " ", open.value.split(" ").map((name) => t(`start.${name}`)).join(", ")), h("a", { class: "button", href: "#/console/start" }, t("start.open"))) : null);
}

/**
 * One step.
 * @param {import("./needs.js").Step} step @param {number} place @param {(name: string) => void} pull
 */
export const row = (step, place, pull) => h("li", { class: ["step", step.isDone && "is-done"] }, h("span", { class: ["step-mark", step.isDone ? "is-good" : step.isDone === false && !step.isOptional && "is-warn"], "aria-hidden": "true" }, step.isDone ? "✓" : String(place + 1)),
  h("div", {}, h("h2", {}, t(`start.${step.name}`), step.isOptional ? h("span", { class: "hint" }, ` ${t("start.optional")}`) : null), h("p", { dir: "auto" }, h("span", { class: "unseen" }, t(step.isDone ? "start.done" : step.isDone === null ? "start.unknown" : "start.open.state"), ". "), step.says),
    step.isDone ? null : [h("div", { class: "row" }, step.href ? h("a", { class: "button", href: step.href, "data-key": `step-${step.name}` }, step.label) : null, step.begins ? h("button", { class: "button", type: "button", "data-key": `step-${step.name}`, onclick: () => void attempt(() => call("POST", "api/jobs/backfill", {})) }, step.label) : null,
      step.pulls?.map((name) => h("button", { class: "button", type: "button", "data-key": `pull-${name}`, onclick: () => pull(name) }, t("start.pull", { model: name })))), twin(step.command)]));

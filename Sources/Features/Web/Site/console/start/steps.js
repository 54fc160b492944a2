// What is known of the first steps, as signals, and what the overview says of those that are missing.
import { call } from "../../net/api.js";
import { source } from "../../net/source.js";
import { options } from "../../chat/state.js";
import { h } from "../../kit/dom.js";
import { computed, signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { live } from "../stream.js";
import { stepsOf } from "./needs.js";

/**
 * The steps as they are now, a signal; null while nothing is known.
 * @param {() => string[]} [pulls] the models that this page is pulling @param {() => boolean} [isBringing] whether this page is bringing files
 */
export function steps(pulls = () => [], isBringing = () => false) {
  const [figures, jobs, runs] = [live("figures"), live("jobs"), live("runs")];
  const machines = computed(() => JSON.stringify([figures.value?.upstream.available, live("upstreams").value?.upstreams.map((/** @type {any} */ one) => one.in_order) ?? []]));
  const models = source(() => { void machines.value; return call("GET", "api/tags").then((list) => (list.models ?? []).map((/** @type {any} */ one) => one.name), () => null); });
  const settings = source(() => call("GET", "api/admin/config").then((report) => report.settings, () => []));
  const keys = source(() => call("GET", "api/admin/keys?limit=500").then((list) => list.keys.length, () => null));
  const setting = (/** @type {string} */ name) => (Array.isArray(settings.found.value) ? settings.found.value.find((/** @type {any} */ one) => one.key === name)?.value : null);
  const there = computed(() => (Array.isArray(models.found.value) ? /** @type {string[]} */ (models.found.value) : null));
  /** The model that answers, as this browser chose it or as the gateway is set, and the one that embeds. */
  const wanted = computed(() => ({ answers: options.value.model || setting("generate_model") || "", usual: setting("generate_model") || "", embeds: setting("embed_model") || "" }));
  const needsKey = computed(() => (keys.found.value ?? 0) > 0);
  const now = computed(() => (figures.value ? stepsOf({ figures: figures.value, jobs: jobs.value, runs: runs.value, models: there.value, wanted: [...new Set([wanted.value.answers, wanted.value.embeds].filter(Boolean))], pulls: pulls(), isBringing: isBringing(),
    embeds: setting("backfill") !== "off", keys: typeof keys.found.value === "number" ? keys.found.value : null, needsKey: needsKey.value }) : null));
  const isLooking = signal(false);
  const look = async () => {
    isLooking.value = true;
    try { figures.value = await call("GET", "api/admin/stats"); } catch { /* the stream says what is wrong */ }
    await Promise.all([models.load(), keys.load()]);
    isLooking.value = false;
  };
  return { now, look, isLooking, models: there, wanted, needsKey };
}

/** The steps that are missing, above the figures; nothing when all are done. */
export function missing() {
  const { now } = steps();
  const open = computed(() => now.value?.filter((one) => one.isDone === false && !one.isOptional).map((one) => one.name).join(" ") ?? "");
  return () => (open.value ? h("div", { class: "notice warn", role: "status" }, h("p", {}, t("start.missing"), " ", open.value.split(" ").map((name) => t(`start.${name}`)).join(", ")), h("a", { class: "button", href: "#/start" }, t("start.open"))) : null);
}

// All deliveries, newest first, by device, topic, status and words; each with its explanation; failed ones can be tried again.
import { call } from "../../net/api.js";
import { attempt, changed, paged, query, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { address, go, route } from "../../kit/router.js";
import { computed, effect, untracked } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { clock, explain, statusOf } from "../../push/explain.js";
import { filters } from "../filters.js";
import { twin } from "../parts.js";
import { live } from "../stream.js";
import { table } from "../table.js";

const states = ["queued", "sending", "sent", "merged", "dropped", "failed", "recalled"];
const names = ["device", "topic", "status", "q"];

/**
 * The view. The address holds what is asked for.
 * @type {import("../view.js").Page}
 */
export function log(head) {
  const wish = computed(() => { const { id, query: asked } = route.value; return JSON.stringify(id === "push/log" ? Object.fromEntries(names.map((name) => [name, asked.get(name)]).filter(([, value]) => value)) : {}); });
  const now = () => /** @type {Record<string, string>} */ (JSON.parse(wish.value));
  const pushes = live("pushes");
  const { found, view, more, load } = paged("log", (cursor) => `api/v1/log?${query({ ...now(), limit: 50, cursor })}`);
  let known = pushes.peek();
  effect(() => { const seen = pushes.value; if (seen !== known && known !== null) untracked(load); known = seen; });
  const devices = source(() => call("GET", "api/v1/devices?limit=200").then((page) => page.devices, () => []));
  const any = /** @type {[string, string]} */ (["", t("log.any")]);
  const { button, chips } = filters(() => [
    { name: "device", label: t("push.device"), type: "choice", choices: [any, ...(devices.found.value ?? []).map((/** @type {any} */ one) => /** @type {[string, string]} */ ([one.id, one.name]))] }, { name: "topic", label: t("push.topic") },
    { name: "status", label: t("console.state"), type: "choice", choices: [any, ...states.map((name) => /** @type {[string, string]} */ ([name, t(`push.status.${name}`)]))] }, { name: "q", label: t("log.search") },
  ], now, (chosen) => go(address("console", "push/log", chosen).replace("%2F", "/"), { replace: true }));
  const retry = (/** @type {() => void} */ close, /** @type {any} */ delivery) => (delivery.status === "failed" ? h("button", { class: "button", type: "button", onclick: () => void attempt(async () => { close(); await call("POST", `api/v1/deliveries/${encodeURIComponent(delivery.id)}/retry`); changed.value = changed.peek() + 1; }) }, t("log.retry")) : null);
  head(button, twin("selene push log"));
  return [chips, view(() => null), h("div", { hidden: () => !found.value?.log }, table(t("console.page.push/log"), () => found.value?.log ?? [], [
    { name: t("time"), value: (one) => one.createdAt, show: (one) => clock(one.createdAt) }, { name: t("compose.title"), value: (one) => one.title ?? "" }, { name: t("push.device"), value: (one) => one.deviceName ?? "" },
    { name: t("push.topic"), value: (one) => one.topic }, { name: t("console.state"), value: (one) => one.status, show: (one) => [statusOf(one.status), one.rule ? ` · ${one.rule}` : "", one.reason ? ` · ${one.reason}` : ""] },
    { name: t("push.attempts"), value: (one) => one.attempts, isNumber: true },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => h("button", { class: "quiet", type: "button", "data-key": `why-${one.id}`, "aria-label": `${t("push.why")} ${one.title ?? one.topic}`, onclick: () => explain(one.id, one.title ?? one.topic, retry) }, t("push.why")) },
  ], { isBare: true, none: t("push.log.none") }), more)];
}

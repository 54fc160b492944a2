// All deliveries, newest first, by device, topic, status and words; each with its explanation; failed ones can be tried again.
import { call } from "../../net/api.js";
import { attempt, changed, paged, query, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { address, go, route } from "../../kit/router.js";
import { computed, effect, untracked } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { clock, explain, statusOf } from "../../push/explain.js";
import { twin } from "../parts.js";
import { live } from "../stream.js";
import { table } from "../table.js";

const states = ["queued", "sending", "sent", "merged", "dropped", "failed", "recalled"];
const names = ["device", "topic", "status", "q"];

/** The view. The address holds what is asked for. */
export function log() {
  const wish = computed(() => { const { id, query: asked } = route.value; return JSON.stringify(id === "push/log" ? Object.fromEntries(names.map((name) => [name, asked.get(name) ?? ""])) : {}); });
  const pushes = live("pushes");
  const { found, view, more, load } = paged("log", (cursor) => `api/v1/log?${query({ ...JSON.parse(wish.value), limit: 50, cursor })}`);
  let known = pushes.peek();
  effect(() => { const now = pushes.value; if (now !== known && known !== null) untracked(load); known = now; });
  const devices = source(() => call("GET", "api/v1/devices?limit=200").then((page) => page.devices, () => []));
  const change = (/** @type {string} */ name, /** @type {string} */ value) => go(address("console", "push/log", Object.fromEntries(Object.entries({ ...JSON.parse(wish.peek()), [name]: value }).filter(([, one]) => one))).replace("%2F", "/"), { replace: true });
  const field = (/** @type {string} */ name, /** @type {any} */ control) => h("div", { class: "field" }, h("label", { for: `log-${name}` }, t(name === "status" ? "console.state" : name === "q" ? "log.search" : `push.${name}`)), control);
  const select = (/** @type {string} */ name, /** @type {() => [string, string][]} */ choices) => h("select", { class: "input", id: `log-${name}`, onchange: (/** @type {any} */ event) => change(name, event.target.value) }, h("option", { value: "" }, t("log.any")),
    () => choices().map(([value, label]) => h("option", { value, selected: JSON.parse(wish.value)[name] === value }, label)));
  const retry = (/** @type {() => void} */ close, /** @type {any} */ delivery) => (delivery.status === "failed" ? h("button", { class: "button", type: "button", onclick: () => void attempt(async () => { close(); await call("POST", `api/v1/deliveries/${encodeURIComponent(delivery.id)}/retry`); changed.value = changed.peek() + 1; }) }, t("log.retry")) : null);
  return [h("div", { class: "triple filters" }, field("device", select("device", () => (devices.found.value ?? []).map((/** @type {any} */ one) => [one.id, one.name]))),
    field("topic", h("input", { class: "input", id: "log-topic", autocomplete: "off", value: JSON.parse(wish.peek()).topic ?? "", onchange: (/** @type {any} */ event) => change("topic", event.target.value.trim()) })), field("status", select("status", () => states.map((name) => [name, t(`push.status.${name}`)]))),
    field("q", h("input", { class: "input", id: "log-q", type: "search", autocomplete: "off", value: JSON.parse(wish.peek()).q ?? "", onchange: (/** @type {any} */ event) => change("q", event.target.value.trim()) }))),
  view(() => null), h("div", { hidden: () => !found.value?.log }, table(t("console.page.push/log"), () => found.value?.log ?? [], [
    { name: t("time"), value: (one) => one.createdAt, show: (one) => clock(one.createdAt) }, { name: t("compose.title"), value: (one) => one.title ?? "" }, { name: t("push.device"), value: (one) => one.deviceName ?? "" },
    { name: t("push.topic"), value: (one) => one.topic }, { name: t("console.state"), value: (one) => one.status, show: (one) => [statusOf(one.status), one.rule ? ` · ${one.rule}` : "", one.reason ? ` · ${one.reason}` : ""] },
    { name: t("push.attempts"), value: (one) => one.attempts, isNumber: true },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => h("button", { class: "quiet", type: "button", "data-key": `why-${one.id}`, "aria-label": `${t("push.why")} ${one.title ?? one.topic}`, onclick: () => explain(one.id, one.title ?? one.topic, retry) }, t("push.why")) },
  ]), more), twin("selene push log")];
}

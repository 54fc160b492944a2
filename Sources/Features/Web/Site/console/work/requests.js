// Requests: those in flight with a button that cancels them, and those that ended, with filters in the address.
import { call } from "../../net/api.js";
import { remedy } from "../../net/remedy.js";
import { attempt, paged, query } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { address, go, route } from "../../kit/router.js";
import { sheet } from "../../kit/sheet.js";
import { computed, signal } from "../../kit/signal.js";
import { exact, inForm, size, t } from "../../kit/words.js";
import { filters } from "../filters.js";
import { figure, topic, twin } from "../parts.js";
import { span, tone } from "../reading.js";
import { table } from "../table.js";

const page = 50;
const names = ["status", "key", "model", "route", "text", "since", "until"];

/** @param {any} one */
const where = (one) => h("span", { class: "where", dir: "ltr", title: one.route }, h("code", {}, one.method), " ", one.path);
/** Of today the time alone; of another day with its date. */
const clock = (/** @type {string} */ at) => h("time", { datetime: at, title: exact(at) }, inForm(at, new Date(at).toDateString() === new Date().toDateString() ? { timeStyle: "medium" } : { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }));
const dash = (/** @type {any} */ value) => value ?? "–";
const error = (/** @type {any} */ one) => one.error ?? (one.cancelled ? t("request.left") : one.broken ? t("request.broken") : "");

/**
 * All that is known of a request that ended.
 * @param {any} one
 */
const open = (one) => sheet(`${one.method} ${one.path}`, h("dl", { class: "facts" }, [
  [t("request.status"), h("span", { class: tone(one.status) }, one.status)], [t("request.error"), error(one)], [t("request.at"), exact(one.at)], [t("request.route"), h("code", { dir: "ltr" }, one.route)], [t("request.key"), one.key], [t("model"), one.model], [t("request.upstream"), one.upstream],
  [t("request.took"), span(one.total_ms)], [t("request.wait"), one.queue_ms == null ? null : span(one.queue_ms)], [t("request.first"), one.first_token_ms == null ? null : span(one.first_token_ms)], [t("request.read"), one.prompt_tokens == null ? null : figure(one.prompt_tokens)], [t("request.tokens"), one.generated_tokens == null ? null : figure(one.generated_tokens)],
  [t("request.sent"), size(one.response_bytes)], [t("request.id"), h("code", { dir: "ltr" }, one.request_id)],
].filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)])));

/** The requests in flight. */
function live() {
  const { found, state } = topic("requests");
  const cancel = (/** @type {any} */ one) => attempt(async () => { await call("DELETE", `api/requests/live/${one.id}`); });
  const phase = (/** @type {any} */ one) => [t(`request.${one.phase}`), one.place ? ` · ${t("request.place", { n: one.place })}` : ""];
  const tokens = (/** @type {any} */ one) => (one.generated_tokens == null ? "–" : [figure(one.generated_tokens), one.tokens_per_second ? h("span", { class: "hint" }, ` ${t("request.rate", { n: one.tokens_per_second })}`) : null]);
  return [state, h("div", { hidden: () => found.value === null }, table(t("request.live"), () => found.value?.requests ?? [], [
    { name: t("request.path"), value: (one) => one.path, show: where },
    { name: t("console.state"), value: (one) => one.phase, show: phase },
    { name: t("request.key"), value: (one) => one.key ?? "" }, { name: t("model"), value: (one) => one.model ?? "" },
    { name: t("request.age"), value: (one) => one.age_ms, show: (one) => span(one.age_ms), isNumber: true },
    { name: t("request.tokens"), value: (one) => one.generated_tokens ?? 0, show: tokens, isNumber: true },
    { name: t("request.sent"), value: (one) => one.response_bytes, show: (one) => size(one.response_bytes), isNumber: true },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => h("button", { class: "quiet", type: "button", "data-key": `request-${one.id}`, "aria-label": t("request.cancel.long", { path: one.path }), onclick: () => void cancel(one) }, t("cancel")) },
  ], { none: t("request.live.none"), parts: twin("selene requests live") }), () => (found.value && found.value.total > found.value.requests.length ? h("p", { class: "hint" }, t("request.total", { n: found.value.total })) : null))];
}

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function requests(head) {
  const keys = signal(/** @type {any[]} */ ([]));
  void call("GET", "api/admin/keys?limit=100").then((list) => { keys.value = list.keys; }, () => { /* requests are filtered without names then */ });
  // As text, so that an address that asks for the same is no change.
  const asked = computed(() => { const { id, query: all } = route.value; return JSON.stringify(id === "requests" ? Object.fromEntries(names.map((name) => [name, all.get(name)]).filter(([, value]) => value)) : {}); });
  const now = () => /** @type {Record<string, string>} */ (JSON.parse(asked.value));
  const any = /** @type {[string, string]} */ (["", t("log.any")]);
  const { button, chips } = filters(() => [
    { name: "status", label: t("request.status"), type: "choice", choices: [any, ...["2xx", "3xx", "4xx", "5xx", "429", "499"].map((one) => /** @type {[string, string]} */ ([one, one]))] },
    { name: "key", label: t("request.key"), type: "choice", choices: [any, ...keys.value.map((one) => /** @type {[string, string]} */ ([String(one.id), one.name]))] },
    { name: "text", label: t("request.text"), hint: t("request.text.hint") }, { name: "model", label: t("model") },
    { name: "route", label: t("request.route"), hint: "/api/notes/{id}" }, { name: "since", label: t("request.since"), type: "date" }, { name: "until", label: t("request.until"), type: "date" },
  ], now, (chosen) => go(address("console", "requests", chosen), { replace: true }));
  const list = paged("requests", (cursor) => `api/requests?${query({ limit: page, ...now(), until: now().until ? `${now().until} 23:59:59` : null, cursor })}`);
  const hints = () => {
    const found = list.found.value;
    if (!found?.requests) return null;
    return h("p", { class: "hint" }, [t("request.days", { n: found.days }), found.dropped ? t("request.dropped", { n: found.dropped }) : "", found.next_cursor && found.requests.length < page ? t("request.short") : ""].filter(Boolean).join(" "));
  };
  const command = () => ["selene requests", ...names.filter((name) => now()[name]).map((name) => `--${name} ${/^[\w./:{}-]+$/.test(now()[name]) ? now()[name] : JSON.stringify(now()[name])}`)].join(" ");
  head(button, h("button", { class: "button", type: "button", onclick: () => void list.load() }, t("request.again")), twin(command));
  const failed = list.view(() => null);
  const state = () => (list.found.value?.code === "request_log_off" ? [h("p", {}, t("request.log.off")), remedy("request_log", (on) => (on === "on" ? null : "on"), t("request.log.switch"), () => void list.load())] : failed());
  return [chips, live(), state, h("div", { hidden: () => !list.found.value?.requests }, table(t("request.over"), () => list.found.value?.requests ?? [], [
    { name: t("request.at"), value: (one) => one.at, show: (one) => clock(one.at) },
    { name: t("request.status"), value: (one) => one.status, show: (one) => [h("span", { class: tone(one.status) }, one.status), error(one) ? h("p", { class: "hint" }, error(one).split("_").flatMap((/** @type {string} */ word, /** @type {number} */ place) => (place > 0 ? ["_", h("wbr", {}), word] : [word]))) : null] },
    { name: t("request.path"), value: (one) => one.path, show: (one) => h("button", { class: "cell-link", type: "button", "data-key": `open-${one.id}`, onclick: () => open(one) }, where(one)) }, { name: t("request.key"), value: (one) => one.key ?? "" }, { name: t("model"), value: (one) => one.model ?? "" },
    { name: t("request.took"), value: (one) => one.total_ms, show: (one) => span(one.total_ms), isNumber: true },
    { name: t("request.first"), value: (one) => one.first_token_ms ?? 0, show: (one) => (one.first_token_ms == null ? "–" : span(one.first_token_ms)), isNumber: true, isSpare: true },
    { name: t("request.tokens"), value: (one) => one.generated_tokens ?? 0, show: (one) => dash(one.generated_tokens == null ? null : figure(one.generated_tokens)), isNumber: true },
    { name: t("request.sent"), value: (one) => one.response_bytes, show: (one) => size(one.response_bytes), isNumber: true, isSpare: true },
  ], { none: () => t(Object.keys(now()).length > 0 ? "request.none" : "request.none.yet") }), list.more, hints)];
}

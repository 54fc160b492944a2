// Requests: those in flight with a button that cancels them, and the log of those that ended, with filters in the address.
import { call } from "../net/api.js";
import { attempt, paged, query } from "../net/source.js";
import { h } from "../kit/dom.js";
import { form } from "../kit/form.js";
import { address, go, route } from "../kit/router.js";
import { signal, untracked } from "../kit/signal.js";
import { exact, size, t } from "../kit/words.js";
import { figure, topic, twin } from "./parts.js";
import { span, tone } from "./reading.js";
import { table } from "./table.js";

const page = 50;
const names = ["status", "key", "model", "route", "text", "since", "until"];

/** @param {any} one */
const where = (one) => h("span", { class: "where", dir: "ltr", title: one.route }, h("code", {}, one.method), " ", one.path);
const clock = (/** @type {string} */ at) => h("time", { datetime: at, title: exact(at) }, new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "short", timeStyle: "medium" }).format(new Date(at)));
const dash = (/** @type {any} */ value) => value ?? "–";

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
  ]), () => (found.value && found.value.total > found.value.requests.length ? h("p", { class: "hint" }, t("request.total", { n: found.value.total })) : null)), twin("selene requests live")];
}

/** The view. */
export function requests() {
  const asked = untracked(() => Object.fromEntries(names.map((name) => [name, route.value.query.get(name)])));
  const keys = signal(/** @type {any[]} */ ([]));
  void call("GET", "api/admin/keys?limit=100").then((list) => { keys.value = list.keys; }, () => { /* requests are filtered without names then */ });
  const filter = signal(asked);
  const { values, parts } = form([
    { name: "status", label: t("request.status"), type: "choice", choices: [["", t("log.any")], ...["2xx", "3xx", "4xx", "5xx", "429", "499"].map((one) => /** @type {[string, string]} */ ([one, one]))] },
    { name: "text", label: t("request.text"), hint: t("request.text.hint") }, { name: "model", label: t("model") },
    { name: "route", label: t("request.route"), hint: "/api/notes/{id}" }, { name: "since", label: t("request.since"), type: "date" }, { name: "until", label: t("request.until"), type: "date" },
  ], { ...asked, status: asked.status ?? "" });
  // The keys come later than the form, so their field is its own.
  const key = signal(asked.key ?? "");
  const choice = h("div", { class: "field" }, h("label", { for: "field-key" }, t("request.key")),
    () => h("select", { id: "field-key", class: "input", onchange: (/** @type {any} */ event) => { key.value = event.target.value; } }, h("option", { value: "" }, t("log.any")), keys.value.map((one) => h("option", { value: String(one.id), selected: String(one.id) === key.peek() }, one.name))));
  const list = paged("requests", (cursor) => `api/requests?${query({ limit: page, ...filter.value, until: filter.value.until ? `${filter.value.until} 23:59:59` : null, cursor })}`);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const now = Object.fromEntries(Object.entries({ ...values.peek(), key: key.peek() }).filter(([, value]) => value));
    go(address("console", "requests", now), { replace: true });
    filter.value = /** @type {any} */ (now);
  };
  const hints = () => {
    const found = list.found.value;
    if (!found?.requests) return null;
    return h("p", { class: "hint" }, [t("request.days", { n: found.days }), found.dropped ? t("request.dropped", { n: found.dropped }) : "", found.next_cursor && found.requests.length < page ? t("request.short") : ""].filter(Boolean).join(" "));
  };
  const command = () => {
    const now = /** @type {Record<string, any>} */ (filter.value);
    return twin(["selene requests", ...names.filter((name) => now[name]).map((name) => `--${name} ${/^[\w./:{}-]+$/.test(now[name]) ? now[name] : JSON.stringify(now[name])}`)].join(" "));
  };
  const error = (/** @type {any} */ one) => (one.error ? h("span", { class: "is-bad" }, one.error) : one.cancelled ? t("request.left") : one.broken ? h("span", { class: "is-bad" }, t("request.broken")) : "–");
  return [live(), h("section", {}, h("h2", {}, t("request.log")),
    h("form", { class: "stack", onsubmit: submit }, h("div", { class: "triple" }, parts[0], choice, parts.slice(1)), h("div", { class: "row" }, h("button", { class: "button primary", type: "submit" }, t("request.show")), h("button", { class: "quiet", type: "button", onclick: () => void list.load() }, t("request.again")))), command),
  list.view(() => null), hints, h("div", { hidden: () => !list.found.value?.requests }, table(t("request.over"), () => list.found.value?.requests ?? [], [
    { name: t("request.at"), value: (one) => one.at, show: (one) => clock(one.at) },
    { name: t("request.status"), value: (one) => one.status, show: (one) => h("span", { class: tone(one.status) }, one.status), isNumber: true },
    { name: t("request.path"), value: (one) => one.path, show: where }, { name: t("request.key"), value: (one) => one.key ?? "" }, { name: t("model"), value: (one) => one.model ?? "" },
    { name: t("request.took"), value: (one) => one.total_ms, show: (one) => span(one.total_ms), isNumber: true },
    { name: t("request.first"), value: (one) => one.first_token_ms ?? 0, show: (one) => (one.first_token_ms == null ? "–" : span(one.first_token_ms)), isNumber: true },
    { name: t("request.tokens"), value: (one) => one.generated_tokens ?? 0, show: (one) => dash(one.generated_tokens == null ? null : figure(one.generated_tokens)), isNumber: true },
    { name: t("request.sent"), value: (one) => one.response_bytes, show: (one) => size(one.response_bytes), isNumber: true },
    { name: t("request.error"), value: (one) => one.error ?? "", show: error },
    { name: t("request.id"), value: (one) => one.request_id, show: (one) => h("code", { dir: "ltr" }, one.request_id) },
  ]), list.more)];
}

// Keys with their limits and what they use; making, changing and revoking them, and inviting a device.
import { call } from "../../net/api.js";
import { attempt, changed, paged } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { editor, form } from "../../kit/form.js";
import { sheet } from "../../kit/sheet.js";
import { computed, signal } from "../../kit/signal.js";
import { toast } from "../../kit/toast.js";
import { inForm, locale, t } from "../../kit/words.js";
import { bars } from "../charts/chart.js";
import { copy, figure, twin, when } from "../parts.js";
import { live } from "../stream.js";
import { table } from "../table.js";
import { maker, offering, scopes, terms } from "./offer.js";

/**
 * Times of the gateway have no zone: they are in UTC.
 * @param {string | undefined} text
 */
const utc = (text) => (text ? `${text.replace(" ", "T")}Z` : null);

/**
 * The fields of limits. The beginning of their names keeps those of two forms apart.
 * @param {string} start
 */
const limits = (start) => /** @type {import("../../kit/form.js").Field[]} */ ([{ name: "requests_per_minute", label: t("keys.rpm"), type: "number", min: 1, hint: t("keys.unlimited") }, { name: "tokens_per_day", label: t("keys.tpd"), type: "number", min: 1, hint: t("keys.unlimited") }, { name: "requests_at_once", label: t("keys.once.at"), type: "number", min: 1, hint: t("keys.unlimited") }, { name: "budget_per_month", label: t("keys.budget"), type: "number", min: 0, hint: t("keys.budget.hint") }, { name: "priority", label: t("keys.priority"), type: "choice", choices: ["low", "normal", "high"].map((one) => [one, t(`keys.priority.${one}`)]) }, { name: "models", label: t("keys.models"), type: "words", hint: t("keys.models.hint") }].map((one) => ({ ...one, name: start + one.name })));

/**
 * An amount of money, with its currency where the price list names one.
 * @param {number} number
 * @param {string} [currency]
 */
const amount = (number, currency = "") => `${new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: number < 1 ? 4 : 2 }).format(number)} ${currency}`.trim();

/**
 * The use of a key in 30 days, as bars and in words.
 * @param {any} key
 */
function use(key) {
  const days = Array.from({ length: 30 }, (_, place) => new Date(Date.now() - (29 - place) * 86_400_000).toISOString().slice(0, 10));
  const of = (/** @type {string} */ day) => key.usage.find((/** @type {any} */ one) => one.day === day);
  const sum = (/** @type {(day: any) => number} */ part) => key.usage.reduce((/** @type {number} */ all, /** @type {any} */ one) => all + part(one), 0);
  const money = (/** @type {string} */ name) => (key.usage.some((/** @type {any} */ one) => one[name] !== undefined) ? amount(sum((one) => one[name] ?? 0), key.currency) : null);
  const [cost, elsewhere] = [money("cost"), money("cost_elsewhere")];
  const requests = days.map((day) => of(day)?.requests ?? 0);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", bars(requests, Math.max(...requests, 1)));
  path.setAttribute("class", "bars");
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: "0 0 300 72", preserveAspectRatio: "none", "aria-hidden": "true" })) picture.setAttribute(name, value);
  picture.append(path);
  return h("figure", { class: "traffic" }, picture, h("p", { class: "hint" }, t("keys.use", { n: figure(requests.reduce((all, one) => all + one, 0)), refused: figure(sum((one) => one.refused)), tokens: figure(sum((one) => one.prompt_tokens + one.completion_tokens)) })), cost ? h("p", { class: "hint" }, t("keys.cost", { cost }), elsewhere ? [" ", t("keys.elsewhere", { cost: elsewhere })] : null) : null);
}

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function keys(head) {
  const { found, view, more } = paged("keys", (cursor) => `api/admin/keys?limit=100${cursor ? `&cursor=${cursor}` : ""}`);
  const figures = live("figures");
  const today = computed(() => new Map((figures.value?.keys ?? []).map((/** @type {any} */ one) => [one.id, one])));
  const fresh = signal(/** @type {any} */ (null));
  const sure = signal("");
  const offer = offering();
  const refresh = () => { changed.value = changed.peek() + 1; };
  const revoke = (/** @type {any} */ key) => attempt(async () => {
    if (sure.peek() !== `key-${key.id}`) { sure.value = `key-${key.id}`; return; }
    sure.value = "";
    await call("DELETE", `api/admin/keys/${key.id}`);
    toast(t("keys.revoked", { name: key.name }));
    refresh();
  });
  const edit = (/** @type {any} */ key) => editor(t("keys.edit", { name: key.name }), [...limits(""), { name: "scopes", label: t("keys.scopes"), type: "words", required: true, hint: scopes.join(", ") }, { name: "expires", label: t("keys.term"), type: "choice", choices: [["", t("keys.term.keep")], ...terms.map((one) => /** @type {[string, string]} */ ([one, t(`keys.term.${one}`)]))] }],
    { requests_per_minute: key.requests_per_minute ?? null, tokens_per_day: key.tokens_per_day ?? null, requests_at_once: key.requests_at_once ?? null, budget_per_month: key.budget_per_month ?? null, priority: key.priority, models: key.models, scopes: key.scopes, expires: "" }, async (values, isNew) => {
      await call("PATCH", `api/admin/keys/${key.id}`, Object.fromEntries(Object.entries(values).filter(([name]) => isNew(name))));
      refresh();
    });
  const make = () => {
    /** @type {any} */
    let values = null;
    const filled = () => {
      const { place, ...rest } = Object.fromEntries(Object.entries(values.peek()).filter(([, value]) => value !== null && value.length !== 0).map(([name, value]) => [name.slice(4), value]));
      if (place !== "signature") delete rest.public_key;
      if (rest.priority === "normal") delete rest.priority;
      return { ...rest, ...(place === "path" ? { in_path: true } : {}) };
    };
    maker("make", async (chosen) => { fresh.value = await call("POST", "api/admin/keys", { ...chosen, ...filled() }); refresh(); }, () => {
      const made = form([{ name: "new_place", label: t("keys.place"), type: "choice", choices: ["header", "path", "signature"].map((one) => [one, t(`keys.place.${one}`)]) },
        { name: "new_public_key", label: t("keys.public"), hint: t("keys.public.hint"), required: true, when: (held) => held.new_place === "signature" }, ...limits("new_")], { new_place: "header", new_public_key: null, new_requests_per_minute: null, new_tokens_per_day: null, new_requests_at_once: null, new_budget_per_month: null, new_priority: "normal", new_models: [] });
      values = made.values;
      return made.parts;
    });
  };
  const ends = (/** @type {any} */ key) => {
    const lines = [key.models.join(", "), key.requests_per_minute ? t("keys.rpm.n", { n: figure(key.requests_per_minute) }) : "", key.tokens_per_day ? t("keys.tpd.n", { n: figure(key.tokens_per_day) }) : "", key.requests_at_once ? t("keys.once.n", { n: figure(key.requests_at_once) }) : "", key.budget_per_month ? t("keys.budget.n", { cost: amount(key.budget_per_month, key.currency) }) : "", key.priority === "normal" ? "" : t(`keys.priority.${key.priority}.n`), key.expires_at ? t("keys.until", { time: inForm(utc(key.expires_at) ?? "", { dateStyle: "medium" }) }) : ""].filter(Boolean);
    return lines.length > 0 ? lines.map((line) => h("p", { class: "hint" }, line)) : "–";
  };
  const button = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ long, /** @type {() => void} */ act) => h("button", { class: "quiet", type: "button", "data-key": id, "aria-label": long, onclick: act }, label);
  const revoking = (/** @type {any} */ { id, name }) => { const isSure = sure.value === `key-${id}`; return h("button", { class: ["quiet", isSure && "is-bad"], type: "button", "data-key": `key-${id}`, "aria-label": t(`keys.revoke.${isSure ? "sure" : "long"}`, { name }), onclick: () => void revoke({ id, name }) }, t(isSure ? "keys.revoke.again" : "keys.revoke")); };
  const count = (/** @type {string} */ name) => (/** @type {any} */ one) => today.value.get(one.id)?.[name] ?? 0;
  const used = (/** @type {any} */ one) => [figure(count("requests")(one)), ...["refused", "tokens"].map((name) => (count(name)(one) > 0 ? h("p", { class: "hint" }, t(`keys.today.${name}`, { n: count(name)(one) })) : null))];
  const given = (/** @type {any} */ one) => (one.kind === "path" ? `${location.origin}/k/${one.key}` : one.key ?? `export OLLAMA_HOST=${location.origin} OLLAMA_AUTH=1`);
  head(h("button", { class: "button", type: "button", onclick: make }, t("keys.make")), offer.button, twin("selene keys list"));
  return [offer.shown, () => (fresh.value ? h("div", { class: "notice warn", role: "status" }, h("p", {}, t(`keys.once${fresh.value.kind === "header" ? "" : `.${fresh.value.kind}`}`, { name: fresh.value.name })), h("code", { class: "secret", dir: "ltr" }, given(fresh.value)),
    h("button", { class: "button", type: "button", onclick: () => void copy(given(fresh.value)) }, t("copy")), h("button", { class: "quiet", type: "button", onclick: () => { fresh.value = null; } }, t("keys.hide"))) : null),
  view(() => null), h("div", { hidden: () => !found.value?.keys }, table(t("console.keys"), () => found.value?.keys ?? [], [
    { name: t("console.name"), value: (one) => one.name, show: (one) => [one.name, h("p", { class: "hint" }, h("code", {}, one.prefix, "…")), ["path", "signature"].includes(one.kind) ? h("p", { class: "hint" }, t(`keys.sent.${one.kind}`)) : null, one.parent_name ? h("p", { class: "hint" }, t("keys.made.by", { name: one.parent_name })) : null] }, { name: t("keys.scopes"), value: (one) => one.scopes.join(", ") }, { name: t("keys.limits"), value: (one) => one.requests_per_minute ?? 0, show: ends },
    { name: t("keys.today"), value: count("requests"), show: used, isNumber: true },
    { name: t("console.used"), value: (one) => one.last_used_at ?? "", show: (one) => when(utc(one.last_used_at)) },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => [button(`use-${one.id}`, t("keys.days"), `${t("keys.days")}: ${one.name}`, () => void attempt(async () => { sheet(t("keys.use.of", { name: one.name }), use(await call("GET", `api/admin/keys/${one.id}`))); })), button(`edit-${one.id}`, t("edit"), t("keys.edit", { name: one.name }), () => edit(one)), revoking(one)] },
  ], { isBare: true, none: t("keys.none") }), more)];
}

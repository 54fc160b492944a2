// Keys and devices: inviting a device by a code, keys with limits, what keys use, changing, revoking; signed-in browsers.
import { call } from "../net/api.js";
import { attempt, paged, changed, source } from "../net/source.js";
import { h } from "../kit/dom.js";
import { editor, form } from "../kit/form.js";
import { computed, signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { exact, t } from "../kit/words.js";
import { authority } from "./authority.js";
import { bars } from "./charts/chart.js";
import { figure, paired, twin, when } from "./parts.js";
import { live } from "./stream.js";
import { table } from "./table.js";

const scopes = ["llm", "notes:read", "notes:write", "push:receive", "push:send", "push:admin", "admin"];
const ordinary = ["llm", "notes:read", "notes:write"];
const terms = ["never", "30d", "365d"];
/**
 * Times of the gateway have no zone: they are in UTC.
 * @param {string | undefined} text
 */
const utc = (text) => (text ? `${text.replace(" ", "T")}Z` : null);

/**
 * Boxes for scopes, and what is chosen.
 * @param {string[]} first
 */
function boxes(first) {
  const all = scopes.map((word) => h("input", { type: "checkbox", value: word, checked: first.includes(word) }));
  return { chosen: () => all.filter((box) => box.checked).map((box) => box.value), parts: h("fieldset", { class: "week" }, h("legend", { class: "label" }, t("keys.scopes")), scopes.map((word, place) => h("label", { class: "check" }, all[place], h("code", {}, word)))) };
}

/**
 * A form with a name, scopes and more.
 * @param {string} id @param {string} label @param {(name: string, chosen: string[]) => Promise<any>} act @param {any} more
 */
function maker(id, label, act, more) {
  const problem = signal("");
  const name = h("input", { class: "input", id: `${id}-name`, required: true, maxlength: "100", autocomplete: "off" });
  const { chosen, parts } = boxes(id === "offer" ? paired : ordinary);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    problem.value = "";
    try { await act(name.value.trim(), chosen()); name.value = ""; } catch (error) { problem.value = /** @type {Error} */ (error).message || t("library.offline"); }
  };
  return h("form", { class: "stack", onsubmit: submit }, h("h2", {}, t(`keys.${id}`)), h("p", { class: "hint" }, t(`keys.${id}.hint`)), h("div", { class: "field" }, h("label", { for: `${id}-name` }, t("console.name")), name), parts, more,
    () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null), h("div", { class: "row" }, h("button", { class: "button", type: "submit" }, label)));
}

/**
 * The fields of limits. The beginning of their names keeps those of two forms apart.
 * @param {string} start
 */
const limits = (start) => /** @type {import("../kit/form.js").Field[]} */ ([{ name: "requests_per_minute", label: t("keys.rpm"), type: "number", min: 1, hint: t("keys.unlimited") }, { name: "tokens_per_day", label: t("keys.tpd"), type: "number", min: 1, hint: t("keys.unlimited") }, { name: "models", label: t("keys.models"), type: "words", hint: t("keys.models.hint") }].map((one) => ({ ...one, name: start + one.name })));

/**
 * The use of a key in 30 days, as bars and in words.
 * @param {any} key
 */
function use(key) {
  const days = Array.from({ length: 30 }, (_, place) => new Date(Date.now() - (29 - place) * 86_400_000).toISOString().slice(0, 10));
  const of = (/** @type {string} */ day) => key.usage.find((/** @type {any} */ one) => one.day === day);
  const tokens = key.usage.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.prompt_tokens + one.completion_tokens, 0);
  const requests = days.map((day) => of(day)?.requests ?? 0);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", bars(requests, Math.max(...requests, 1)));
  path.setAttribute("class", "bars");
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: "0 0 300 72", preserveAspectRatio: "none", "aria-hidden": "true" })) picture.setAttribute(name, value);
  picture.append(path);
  return h("figure", { class: "traffic" }, h("figcaption", { class: "label" }, t("keys.use.of", { name: key.name })), picture, h("p", { class: "hint" }, t("keys.use", { n: figure(requests.reduce((sum, one) => sum + one, 0)), refused: figure(key.usage.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.refused, 0)), tokens: figure(tokens) })));
}

/** The view. */
export function keys() {
  const { found, view, more } = paged("keys", (cursor) => `api/admin/keys?limit=100${cursor ? `&cursor=${cursor}` : ""}`);
  const browsers = source(() => call("GET", "web/sessions"));
  const figures = live("figures");
  const today = computed(() => new Map((figures.value?.keys ?? []).map((/** @type {any} */ one) => [one.id, one])));
  const [fresh, offer, shown] = [signal(/** @type {any} */ (null)), signal(/** @type {any} */ (null)), signal(/** @type {any} */ (null))];
  const sure = signal("");
  const refresh = () => { changed.value = changed.peek() + 1; };
  const copy = async (/** @type {string} */ text) => { try { await navigator.clipboard.writeText(text); toast(t("copied")); } catch { toast(t("copy.cannot")); } };
  const twice = (/** @type {string} */ id, /** @type {() => Promise<any>} */ act) => attempt(async () => { if (sure.peek() !== id) { sure.value = id; return; } sure.value = ""; await act(); refresh(); });
  const revoke = (/** @type {any} */ key) => twice(`key-${key.id}`, async () => { await call("DELETE", `api/admin/keys/${key.id}`); toast(t("keys.revoked", { name: key.name })); });
  const end = (/** @type {any} */ one) => twice(`browser-${one.id}`, () => call("DELETE", `web/sessions/${one.id}`));
  const edit = (/** @type {any} */ key) => editor(t("keys.edit", { name: key.name }), [...limits(""), { name: "scopes", label: t("keys.scopes"), type: "words", required: true, hint: scopes.join(", ") }, { name: "expires", label: t("keys.term"), type: "choice", choices: [["", t("keys.term.keep")], ...terms.map((one) => /** @type {[string, string]} */ ([one, t(`keys.term.${one}`)]))] }],
    { requests_per_minute: key.requests_per_minute ?? null, tokens_per_day: key.tokens_per_day ?? null, models: key.models, scopes: key.scopes, expires: "" }, async (values, isNew) => {
      await call("PATCH", `api/admin/keys/${key.id}`, Object.fromEntries(Object.entries(values).filter(([name]) => isNew(name))));
      refresh();
    });
  const term = (/** @type {string} */ id) => h("select", { class: "input", id: `${id}-term` }, terms.map((one) => h("option", { value: one }, t(`keys.term.${one}`))));
  const [ofOffer, ofKey] = [term("offer"), term("make")];
  const { values, parts } = form(limits("new_"), { new_requests_per_minute: null, new_tokens_per_day: null, new_models: [] });
  const filled = () => Object.fromEntries(Object.entries(values.peek()).filter(([, value]) => value !== null && value.length !== 0).map(([name, value]) => [name.slice(4), value]));
  const field = (/** @type {string} */ id, /** @type {any} */ select) => h("div", { class: "field" }, h("label", { for: `${id}-term` }, t("keys.term")), select);
  const ends = (/** @type {any} */ key) => [key.models.length > 0 ? h("p", { class: "hint" }, key.models.join(", ")) : null, key.requests_per_minute ? h("p", { class: "hint" }, t("keys.rpm.n", { n: figure(key.requests_per_minute) })) : null, key.tokens_per_day ? h("p", { class: "hint" }, t("keys.tpd.n", { n: figure(key.tokens_per_day) })) : null,
    key.expires_at ? h("p", { class: "hint" }, t("keys.until", { time: exact(utc(key.expires_at) ?? "") })) : null, key.models.length + (key.requests_per_minute ?? 0) + (key.tokens_per_day ?? 0) + (key.expires_at ?? "").length === 0 ? "–" : null];
  const button = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ long, /** @type {() => void} */ act) => h("button", { class: "quiet", type: "button", "data-key": id, "aria-label": long, onclick: act }, label);
  const sureButton = (/** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ word, /** @type {() => void} */ act) => h("button", { class: ["quiet", sure.value === id && "is-bad"], type: "button", "data-key": id, "aria-label": t(`keys.${word}.${sure.value === id ? "sure" : "long"}`, { name }), onclick: act }, t(sure.value === id ? `keys.${word}.again` : `keys.${word}`));
  return [h("section", {}, maker("offer", t("keys.offer.make"), async (name, chosen) => { offer.value = await call("POST", "web/pairings", { name, scopes: chosen, expires: ofOffer.value }); }, field("offer", ofOffer)), twin("selene pair NAME"),
    () => (offer.value ? h("div", { class: "notice offer", role: "status" }, offer.value.qr ? h("img", { class: "qr", alt: t("keys.qr"), src: `data:image/svg+xml,${encodeURIComponent(offer.value.qr)}` }) : null,
      h("div", { class: "stack" }, h("p", { class: "code-shown" }, `${offer.value.code.slice(0, 4)}-${offer.value.code.slice(4)}`), h("p", { class: "hint" }, t("keys.offer.until", { time: exact(offer.value.expires_at) })), h("p", { class: "hint mono", dir: "ltr" }, offer.value.url))) : null)),
  authority,
  h("section", {}, maker("make", t("keys.make.make"), async (name, chosen) => { fresh.value = await call("POST", "api/admin/keys", { name, scopes: chosen, expires: ofKey.value, ...filled() }); refresh(); }, h("div", { class: "triple" }, field("make", ofKey), parts)), twin("selene keys create NAME --rpm 60 --tokens-per-day 100000"),
    () => (fresh.value ? h("div", { class: "notice warn", role: "status" }, h("p", {}, t("keys.once", { name: fresh.value.name })), h("code", { class: "secret", dir: "ltr" }, fresh.value.key),
      h("button", { class: "button", type: "button", onclick: () => void copy(fresh.value.key) }, t("copy")), h("button", { class: "quiet", type: "button", onclick: () => { fresh.value = null; } }, t("keys.hide"))) : null)),
  view(() => null), h("div", { hidden: () => !found.value?.keys }, table(t("console.keys"), () => found.value?.keys ?? [], [
    { name: t("console.name"), value: (one) => one.name, show: (one) => [one.name, h("p", { class: "hint" }, h("code", {}, one.prefix, "…")), one.parent_name ? h("p", { class: "hint" }, t("keys.made.by", { name: one.parent_name })) : null] }, { name: t("keys.scopes"), value: (one) => one.scopes.join(", ") }, { name: t("keys.limits"), value: (one) => one.requests_per_minute ?? 0, show: ends },
    { name: t("keys.today"), value: (one) => today.value.get(one.id)?.requests ?? 0, show: (one) => figure(today.value.get(one.id)?.requests ?? 0), isNumber: true }, { name: t("console.refused"), value: (one) => today.value.get(one.id)?.refused ?? 0, isNumber: true }, { name: t("console.tokens.n"), value: (one) => today.value.get(one.id)?.tokens ?? 0, isNumber: true },
    { name: t("console.used"), value: (one) => one.last_used_at ?? "", show: (one) => when(utc(one.last_used_at)) },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => [button(`use-${one.id}`, t("keys.days"), `${t("keys.days")}: ${one.name}`, () => void attempt(async () => { shown.value = await call("GET", `api/admin/keys/${one.id}`); })), button(`edit-${one.id}`, t("edit"), t("keys.edit", { name: one.name }), () => edit(one)), sureButton(`key-${one.id}`, one.name, "revoke", () => void revoke(one))] },
  ]), more), () => (shown.value ? use(shown.value) : null),
  browsers.view(() => null), h("div", { hidden: () => !browsers.found.value?.sessions }, table(t("keys.browsers"), () => browsers.found.value?.sessions ?? [], [
    { name: t("request.key"), value: (one) => one.name }, { name: t("keys.agent"), value: (one) => one.user_agent ?? "", show: (one) => [one.user_agent || "–", one.is_this ? h("span", { class: "is-good" }, ` ● ${t("keys.this")}`) : null] }, { name: t("console.used"), value: (one) => one.last_used_at, show: (one) => when(one.last_used_at) },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => (one.is_this ? null : sureButton(`browser-${one.id}`, one.name, "end", () => void end(one))) }])), twin("selene keys sessions")];
}

// Keys and devices: inviting a device by a code, keys of programs that notify, what keys use, revoking.
import { call } from "../net/api.js";
import { h } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { attempt, paged, changed } from "../kit/source.js";
import { exact, t } from "../kit/words.js";
import { toast } from "../app.js";
import { figure, twin, when } from "./parts.js";
import { table } from "./table.js";

const scopes = ["llm", "notes:read", "notes:write", "push:send", "push:admin", "admin"];
const terms = ["never", "30d", "365d"];

/**
 * A form with a name and boxes.
 * @param {string} id @param {string} title @param {string} hint @param {string[]} words @param {string[]} first @param {string} label @param {(name: string, chosen: string[], form: any) => Promise<any>} act @param {any} [more]
 */
function maker(id, title, hint, words, first, label, act, more) {
  const problem = signal("");
  const name = h("input", { class: "input", id: `${id}-name`, required: true, maxlength: "100", autocomplete: "off" });
  const boxes = words.map((word) => h("input", { type: "checkbox", value: word, checked: first.includes(word) }));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    problem.value = "";
    try { await act(name.value.trim(), boxes.filter((box) => box.checked).map((box) => box.value), event.target); name.value = ""; } catch (error) { problem.value = /** @type {Error} */ (error).message || t("library.offline"); }
  };
  return h("form", { class: "stack", onsubmit: submit }, h("h2", {}, title), h("p", { class: "hint" }, hint), h("div", { class: "field" }, h("label", { for: `${id}-name` }, t("console.name")), name),
    h("fieldset", { class: "week" }, h("legend", { class: "label" }, t("keys.scopes")), words.map((word, place) => h("label", { class: "check" }, boxes[place], h("code", {}, word)))), more,
    () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null), h("div", { class: "row" }, h("button", { class: "button", type: "submit" }, label)));
}

/** The view. */
export function keys() {
  const { found, view, more } = paged("apiKeys", (cursor) => `api/v1/api-keys?limit=100${cursor ? `&cursor=${cursor}` : ""}`);
  const usage = signal(/** @type {Map<number, any>} */ (new Map()));
  void call("GET", "api/admin/stats").then((stats) => { usage.value = new Map(stats.keys.map((/** @type {any} */ one) => [one.id, one])); }, () => { /* keys are shown without their use */ });
  const fresh = signal(/** @type {any} */ (null));
  const offer = signal(/** @type {any} */ (null));
  const sure = signal(0);
  const refresh = () => { changed.value = changed.peek() + 1; };
  const copy = async (/** @type {string} */ text) => { try { await navigator.clipboard.writeText(text); toast(t("copied")); } catch { toast(t("copy.cannot")); } };
  const revoke = (/** @type {any} */ key) => attempt(async () => {
    if (sure.peek() !== key.id) { sure.value = key.id; return; }
    await call("DELETE", `api/v1/api-keys/${key.id}`);
    toast(t("keys.revoked", { name: key.name }));
    refresh();
  });
  const used = (/** @type {any} */ key) => usage.value.get(key.id);
  const term = h("select", { class: "input", id: "offer-term" }, terms.map((one) => h("option", { value: one }, t(`keys.term.${one}`))));
  return [h("section", {}, maker("offer", t("keys.offer"), t("keys.offer.hint"), scopes, ["llm", "notes:read", "notes:write"], t("keys.offer.make"), async (name, chosen) => {
    offer.value = await call("POST", "web/pairings", { name, scopes: chosen, expires: term.value });
  }, h("div", { class: "field" }, h("label", { for: "offer-term" }, t("keys.term")), term)), twin("selene pair NAME"),
  () => (offer.value ? h("div", { class: "notice offer", role: "status" }, offer.value.qr ? h("img", { class: "qr", alt: t("keys.qr"), src: `data:image/svg+xml,${encodeURIComponent(offer.value.qr)}` }) : null,
    h("div", { class: "stack" }, h("p", { class: "code-shown" }, `${offer.value.code.slice(0, 4)}-${offer.value.code.slice(4)}`), h("p", { class: "hint" }, t("keys.offer.until", { time: exact(offer.value.expires_at) })), h("p", { class: "hint mono", dir: "ltr" }, offer.value.url))) : null)),
  h("section", {}, maker("key", t("keys.make"), t("keys.make.hint"), ["push:send", "push:admin"], ["push:send"], t("keys.make.make"), async (name, permissions) => {
    fresh.value = await call("POST", "api/v1/api-keys", { name, permissions });
    refresh();
  }), twin("selene keys create NAME --scope push:send"),
  () => (fresh.value ? h("div", { class: "notice warn", role: "status" }, h("p", {}, t("keys.once", { name: fresh.value.name })), h("code", { class: "secret", dir: "ltr" }, fresh.value.key),
    h("button", { class: "button", type: "button", onclick: () => void copy(fresh.value.key) }, t("copy")), h("button", { class: "quiet", type: "button", onclick: () => { fresh.value = null; } }, t("keys.hide"))) : null)),
  view(() => null), h("div", { hidden: () => !found.value?.apiKeys }, table(t("console.keys"), () => found.value?.apiKeys ?? [], [
    { name: t("console.name"), value: (one) => one.name }, { name: t("keys.begins"), value: (one) => one.prefix, show: (one) => h("code", {}, one.prefix, "…") },
    { name: t("keys.scopes"), value: (one) => one.permissions.join(", ") }, { name: t("console.requests.n"), value: (one) => used(one)?.requests ?? 0, show: (one) => figure(used(one)?.requests ?? 0), isNumber: true },
    { name: t("console.refused"), value: (one) => used(one)?.refused ?? 0, isNumber: true }, { name: t("console.tokens.n"), value: (one) => used(one)?.tokens ?? 0, isNumber: true },
    { name: t("console.used"), value: (one) => one.lastUsedAt ?? "", show: (one) => when(one.lastUsedAt) },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => h("button", { class: ["quiet", sure.value === one.id && "is-bad"], type: "button", "data-key": `revoke-${one.id}`, "aria-label": t(sure.value === one.id ? "keys.revoke.sure" : "keys.revoke.long", { name: one.name }), onclick: () => void revoke(one) }, t(sure.value === one.id ? "keys.revoke.again" : "keys.revoke")) },
  ]), more)];
}

// The audit: who changed what, the latest first, with filters in the address. It is only read.
import { call } from "../../net/api.js";
import { paged, query } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { address, go, route } from "../../kit/router.js";
import { computed, signal } from "../../kit/signal.js";
import { exact, inForm, t } from "../../kit/words.js";
import { filters } from "../filters.js";
import { twin } from "../parts.js";
import { table } from "../table.js";

const names = ["action", "key", "since"];
const actions = "key.create key.change key.revoke device.offer device.approve device.pair session.end model.pull model.push model.create model.copy model.delete model.upload model.sign_out setting.change setting.reload space.switch space.rollback space.drop job.start job.cancel job.resume request.stop evaluation.delete failed_note.retry failed_note.discard push_device.remove push_apns.change push_triggers.change source.add source.change source.remove".split(" ");

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function audit(head) {
  const keys = signal(/** @type {any[]} */ ([]));
  void call("GET", "api/admin/keys?limit=100").then((list) => { keys.value = list.keys; }, () => { /* the list says what is wrong */ });
  // As text, so that an address that asks for the same is no change.
  const asked = computed(() => { const { id, query: all } = route.value; return JSON.stringify(id === "audit" ? Object.fromEntries(names.map((name) => [name, all.get(name)]).filter(([, value]) => value)) : {}); });
  const now = () => /** @type {Record<string, string>} */ (JSON.parse(asked.value));
  const any = /** @type {[string, string]} */ (["", t("log.any")]);
  const { button, chips } = filters(() => [
    { name: "action", label: t("console.do"), type: "choice", choices: [any, ...actions.map((one) => /** @type {[string, string]} */ ([one, one]))] },
    { name: "key", label: t("request.key"), type: "choice", choices: [any, ...keys.value.map((one) => /** @type {[string, string]} */ ([String(one.id), one.name]))] },
    { name: "since", label: t("request.since"), type: "date" },
  ], now, (chosen) => go(address("console", "audit", chosen), { replace: true }));
  const list = paged("entries", (cursor) => `api/audit?${query({ limit: 50, ...now(), cursor })}`);
  head(button, h("button", { class: "button", type: "button", onclick: () => void list.load() }, t("request.again")), twin(() => ["selene audit", ...names.filter((name) => now()[name]).map((name) => `--${name} ${now()[name]}`)].join(" ")));
  return [h("p", { class: "hint" }, t("audit.hint")), chips, list.view(() => null), h("div", { hidden: () => !list.found.value?.entries }, table(t("console.page.audit"), () => list.found.value?.entries ?? [], [
    { name: t("time"), value: (one) => one.at, show: (one) => h("time", { datetime: one.at, title: exact(one.at) }, inForm(one.at, { dateStyle: "medium", timeStyle: "short" })) },
    { name: t("audit.by"), value: (one) => one.by },
    { name: t("console.do"), value: (one) => one.action, show: (one) => h("code", { dir: "ltr" }, one.action) },
    { name: t("audit.object"), value: (one) => one.object ?? one.object_id ?? "", show: (one) => [one.object ?? one.object_id ?? "–", one.object && one.object_id ? ` (${one.object_id})` : null, one.detail ? h("p", { class: "hint" }, one.detail) : null] },
    { name: t("audit.outcome"), value: (one) => one.outcome, show: (one) => h("span", { class: one.outcome === "done" ? null : "is-bad" }, [t(`audit.${one.outcome}`), one.outcome !== "done" && one.status ? ` (${one.status})` : null]) },
  ], { isBare: true, none: () => t(Object.keys(now()).length > 0 ? "audit.none.match" : "audit.none") }), list.more)];
}

// Why a delivery was sent, held, merged or dropped: what each rule said, and what happened since.
import { call } from "../net/api.js";
import { source } from "../net/source.js";
import { h } from "../kit/dom.js";
import { sheet } from "../kit/sheet.js";
import { scope } from "../kit/signal.js";
import { exact, inForm, t } from "../kit/words.js";

/** @param {string} time */
export const clock = (time) => h("time", { datetime: time, title: exact(time) }, inForm(time, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" }));

const marks = /** @type {Record<string, string>} */ ({ sent: "✓", failed: "✗", dropped: "✗", queued: "…", sending: "…", merged: "≡", recalled: "↩" });
/** @param {string} status */
export const statusOf = (status) => h("span", { class: ["state-of", `is-${status}`] }, h("span", { "aria-hidden": "true" }, marks[status] ?? "·"), ` ${t(`push.status.${status}`)}`);

/** @param {string} title @param {any[]} rows */
const part = (title, rows) => (rows.length === 0 ? null : h("section", {}, h("h2", {}, title), h("ul", { class: "plain" }, rows.map((row) => h("li", { dir: "auto" }, row)))));

/** @param {any} found */
const body = ({ delivery, summary, steps, now, events }) => {
  const facts = [["push.device", delivery.deviceName], ["push.topic", delivery.topic], ["push.priority", t(`push.priority.${delivery.priority}`)], ["push.rule", delivery.rule], ["push.attempts", delivery.attempts > 1 ? String(delivery.attempts) : ""],
    ...["nextAt", "deliveredAt", "openedAt", "acknowledgedAt"].map((name) => [`push.${name}`, delivery[name] ? clock(delivery[name]) : ""]), ["push.action", delivery.action]];
  return h("div", { class: "stack" }, h("p", {}, statusOf(delivery.status), ` ${summary}.`),
    h("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, t(name)), h("dd", { dir: "auto" }, value)])),
    part(t("push.why.steps"), steps), part(t("push.why.now"), now ?? []), part(t("push.why.events"), events.map((/** @type {any} */ one) => [clock(one.at), ` ${t(`push.event.${one.kind}`).replace(/^push\.event\./, "")}`, one.detail ? `: ${one.detail}` : ""])));
};

/**
 * Opens the explanation of a delivery.
 * @param {string} id @param {string} title @param {(close: () => void, delivery: any) => any} [buttons]
 */
export function explain(id, title, buttons) {
  /** @type {any} */
  let content = null;
  const end = scope(() => {
    const { view } = source(() => call("GET", `api/v1/deliveries/${encodeURIComponent(id)}/explain`));
    content = h("div", { class: "stack" }, h("p", { class: "entry-title", dir: "auto" }, title || t("untitled")), view((found) => [body(found), buttons?.(() => close(), found.delivery)]));
  });
  const close = sheet(t("push.why"), content, { onclose: end });
}

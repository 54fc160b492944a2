// What came to this browser, and why a delivery was sent, held, merged or dropped: what each rule said, and what happened since.
import { call } from "../net/api.js";
import { paged, query, source } from "../net/source.js";
import { h } from "../kit/dom.js";
import { sheet } from "../kit/sheet.js";
import { scope } from "../kit/signal.js";
import { ago, exact, inForm, t } from "../kit/words.js";
import { keptRows } from "../net/base.js";

// What came to this browser, kept by its worker; with the right to read the log, what was held, merged or dropped, too.

/** @param {string} id @param {string} title @param {any} more @param {string} at @param {boolean} isChosen */
const row = (id, title, more, at, isChosen) => h("li", { class: "rule", "aria-current": isChosen ? "true" : null }, h("div", {}, h("p", { dir: "auto" }, isChosen ? h("strong", {}, title || t("untitled")) : title || t("untitled")), h("p", { class: "hint", dir: "auto" }, more, " ", h("time", { datetime: at, title: exact(at) }, ago(at)))),
  h("button", { class: "quiet", type: "button", "data-key": `why-${id}`, "aria-label": `${t("push.why")} ${title}`, onclick: () => explain(id, title) }, t("push.why")));

/** @param {any} parts @param {any} [more] */
const section = (parts, more) => h("section", {}, h("h2", {}, t("push.came")), parts, more);
const none = () => h("p", { class: "hint" }, t("push.came.none"));

/** @param {string} chosen the delivery that was pressed */
export function came(chosen) {
  const { view } = source(() => keptRows("push"));
  const shown = view((rows) => [h("p", { class: "hint" }, t("push.came.hint")), rows.length === 0 ? none() : h("ul", { class: "rows", role: "list" }, rows.map((/** @type {any} */ { at, data }) => row(data.id, data.title, data.body, new Date(at).toISOString(), data.id === chosen)))]);
  // Workers keep what comes while the page is open.
  return section(shown, h("button", { class: "quiet", type: "button", onclick: () => explain(chosen, ""), hidden: !chosen }, t("push.came.why")));
}

/**
 * All deliveries to a device.
 * @param {string} device @param {string} chosen
 */
export function log(device, chosen) {
  const { view, more } = paged("log", (cursor) => `api/v1/log?${query({ device, limit: 20, cursor })}`);
  return section(view(({ log: rows }) => (rows.length === 0 ? none() : h("ul", { class: "rows", role: "list" }, rows.map((/** @type {any} */ one) => row(one.id, one.title ?? one.topic, [statusOf(one.status), one.rule ? ` · ${t("push.by", { rule: one.rule })}` : "", " ·"], one.createdAt, one.id === chosen))))), more);
}

/**
 * The state of a notification, asked until it is decided: `{ status, delivery }`.
 * @param {string} id
 */
export async function outcome(id) {
  for (let tries = 0; ; tries += 1) {
    const { deliveries: [delivery], status } = await call("GET", `api/v1/messages/${encodeURIComponent(id)}`);
    if (tries >= 10 || (status !== "queued" && status !== "sending")) return { status: delivery?.status ?? status, delivery: delivery?.id };
    await new Promise((resolve) => { setTimeout(resolve, 1000); });
  }
}

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

// What came to this browser, kept by its worker; with the right to read the log, what was held, merged or dropped, too.
import { call } from "../net/api.js";
import { keptRows } from "../net/base.js";
import { paged, query, source } from "../net/source.js";
import { h } from "../kit/dom.js";
import { ago, exact, t } from "../kit/words.js";
import { explain, statusOf } from "./explain.js";

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

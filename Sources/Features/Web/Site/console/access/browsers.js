// Devices that may use the gateway: signed-in browsers by what they are, inviting one, and trusting the certificate.
import { call } from "../../net/api.js";
import { attempt, changed, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { deviceName } from "../../kit/local.js";
import { signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { twin, when } from "../parts.js";
import { table } from "../table.js";
import { authority } from "./authority.js";
import { offering } from "./offer.js";

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function browsers(head) {
  const { found, view } = source(() => call("GET", "web/sessions"));
  const sure = signal(0);
  const offer = offering();
  const end = (/** @type {any} */ one) => attempt(async () => {
    if (sure.peek() !== one.id) { sure.value = one.id; return; }
    sure.value = 0;
    await call("DELETE", `web/sessions/${one.id}`);
    changed.value = changed.peek() + 1;
  });
  const name = (/** @type {any} */ one) => deviceName(one.user_agent);
  const button = (/** @type {any} */ one) => { const isSure = sure.value === one.id; return h("button", { class: ["quiet", isSure && "is-bad"], type: "button", "data-key": `browser-${one.id}`, "aria-label": t(`keys.end.${isSure ? "sure" : "long"}`, { name: name(one), key: one.name }), onclick: () => void end(one) }, t(isSure ? "keys.end.again" : "keys.end")); };
  head(offer.button, twin("selene keys sessions"));
  return [offer.shown, view(() => null), h("div", { hidden: () => !found.value?.sessions }, table(t("keys.browsers"), () => found.value?.sessions ?? [], [
    { name: t("keys.agent"), value: name, show: (one) => [h("span", { title: one.user_agent || null }, name(one)), one.is_this ? h("span", { class: "is-good" }, ` ● ${t("keys.this")}`) : null] }, { name: t("request.key"), value: (one) => one.name },
    { name: t("keys.signed"), value: (one) => one.created_at, show: (one) => when(one.created_at) }, { name: t("console.used"), value: (one) => one.last_used_at, show: (one) => when(one.last_used_at) },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => (one.is_this ? null : button(one)) }], { isBare: true, none: t("keys.browsers.none") })), authority()];
}

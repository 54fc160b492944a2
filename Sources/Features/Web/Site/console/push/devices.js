// Devices: which are online, when each was last seen, which no longer take anything. Rules are on a device's own page.
import { call } from "../../net/api.js";
import { h } from "../../kit/dom.js";
import { address } from "../../kit/router.js";
import { t } from "../../kit/words.js";
import { twin, watch, when } from "../parts.js";
import { table } from "../table.js";

const pause = 5000;

/** The view. */
export function devices() {
  const { found, state } = watch(async () => {
    const [{ devices: list }, apns] = await Promise.all([call("GET", "api/v1/devices?limit=200"), call("GET", "api/v1/config/apns").catch(() => null)]);
    return { list, apns };
  }, pause);
  const online = (/** @type {any} */ one) => (one.retired ? h("span", { class: "is-bad" }, t("push.retired", { reason: one.retired })) : one.isOnline ? h("span", { class: "is-good" }, `● ${t("push.online")}`) : "–");
  return [state, () => (found.value?.apns ? h("p", { class: "hint" }, "APNs: ", t(`apns.${found.value.apns.state.replace(" ", "-")}`), found.value.apns.reason ? `: ${found.value.apns.reason}` : "") : null),
    h("div", { hidden: () => found.value === null }, table(t("console.page.push/devices"), () => found.value?.list ?? [], [
      { name: t("console.name"), value: (one) => one.name, show: (one) => h("a", { class: "cell-link", href: address("notifications", one.id) }, one.name) }, { name: t("console.kind"), value: (one) => one.channel, show: (one) => t(`push.channel.${one.channel}`) },
      { name: t("console.state"), value: (one) => (one.retired ? 2 : one.isOnline ? 0 : 1), show: online }, { name: t("devices.address"), value: (one) => one.address, show: (one) => h("code", { dir: "ltr" }, one.address) },
      { name: t("devices.automation"), value: (one) => (one.isAutomationServer ? 0 : 1), show: (one) => (one.isAutomationServer ? "✓" : "–") }, { name: t("console.used"), value: (one) => one.lastSeenAt ?? "", show: (one) => when(one.lastSeenAt) },
    ])), twin("selene push devices")];
}

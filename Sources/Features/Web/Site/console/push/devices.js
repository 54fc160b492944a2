// Devices: which are online, when each was last seen, which no longer take anything. Rules are on a device's own page.
import { call } from "../../net/api.js";
import { source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { address } from "../../kit/router.js";
import { computed } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { twin, when } from "../parts.js";
import { live } from "../stream.js";
import { table } from "../table.js";

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function devices(head) {
  const [pushes, figures] = [live("pushes"), live("figures")];
  // A device that comes or goes is a connection more or less.
  const connections = computed(() => figures.value?.connections.open ?? 0);
  const { found, view } = source(async () => {
    void pushes.value;
    void connections.value;
    const [{ devices: list }, apns] = await Promise.all([call("GET", "api/v1/devices?limit=200"), call("GET", "api/v1/config/apns").catch(() => null)]);
    return { list, apns };
  });
  const online = (/** @type {any} */ one) => (one.retired ? h("span", { class: "is-bad" }, t("push.retired", { reason: one.retired })) : one.isOnline ? h("span", { class: "is-good" }, `● ${t("push.online")}`) : "–");
  head(twin("selene push devices"));
  return [view(() => null), () => (found.value?.apns ? h("p", { class: "hint" }, "APNs: ", t(`apns.${found.value.apns.state.replace(" ", "-")}`), found.value.apns.reason ? `: ${found.value.apns.reason}` : "") : null),
    h("div", { hidden: () => !found.value?.list }, table(t("console.page.push/devices"), () => found.value?.list ?? [], [
      { name: t("console.name"), value: (one) => one.name, show: (one) => h("a", { class: "cell-link", href: address("notifications", one.id) }, one.name) }, { name: t("console.kind"), value: (one) => one.channel, show: (one) => t(`push.channel.${one.channel}`) },
      { name: t("console.state"), value: (one) => (one.retired ? 2 : one.isOnline ? 0 : 1), show: online }, { name: t("devices.address"), value: (one) => one.address, show: (one) => h("code", { dir: "ltr" }, one.address) },
      { name: t("devices.automation"), value: (one) => (one.isAutomationServer ? 0 : 1), show: (one) => (one.isAutomationServer ? "✓" : "–") }, { name: t("console.used"), value: (one) => one.lastSeenAt ?? "", show: (one) => when(one.lastSeenAt) },
    ], { isBare: true, none: t("push.devices.none") }))];
}

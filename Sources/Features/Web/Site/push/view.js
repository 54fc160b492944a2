// Notifications: this browser as a device, when it may be disturbed, what came and why; other devices.
import { call, mayAdminister as mayConfigure } from "../net/api.js";
import { attempt, changed, source } from "../net/source.js";
import { define, h } from "../kit/dom.js";
import { failure, keepPlace, ready as shared, swap } from "../kit/library.js";
import { address, go, route } from "../kit/router.js";
import { computed, effect, signal, untracked } from "../kit/signal.js";
import { addWords, ago, exact, t } from "../kit/words.js";
import { deviceName } from "../kit/local.js";
import { deviceID, lacking, mayAdminister, mayRegister, maySend, turnOff, turnOn } from "./browser.js";
import { came, explain, log, outcome, statusOf } from "./explain.js";
import { rules } from "./rules.js";

/** What the view needs before it is shown. */
export const ready = Promise.all([shared, addWords({ en: () => import("../words/push-en.js"), de: () => import("../words/push-de.js") })]);

const mostDevices = 200;

/** What was pressed in a notification. */
const chosen = () => route.peek().query.get("came") ?? "";

/** @param {any} device */
export const channelOf = (device) => [t(`push.channel.${device.channel}`), device.platform && device.platform !== "web" ? device.platform : "", device.retired ? t("push.retired", { reason: device.retired }) : "",
  device.isOnline ? t("push.online") : ""].filter(Boolean).join(" · ");

/** @param {any} device */
const deviceRow = (device) => h("li", {}, h("a", { class: "item", href: address("notifications", device.id) }, h("span", { dir: "auto" }, device.name),
  h("span", { class: "hint" }, channelOf(device), device.lastSeenAt ? [" · ", h("time", { datetime: device.lastSeenAt, title: exact(device.lastSeenAt) }, t("used", { when: ago(device.lastSeenAt) }))] : "")));

/**
 * The button that sends a test, and what became of it.
 * @param {any} device @param {any} [beside]
 */
function test(device, beside) {
  if (!maySend()) return h("div", { class: "row" }, beside);
  const state = signal(/** @type {any} */ (null));
  const send = async () => {
    state.value = { status: "sending" };
    try {
      const sent = await call("POST", "api/v1/messages", { topic: "test", devices: [device.id], message: { title: t("push.test.title"), body: t("push.test.body", { name: device.name }), priority: "normal" } });
      state.value = await outcome(sent.id);
    } catch (error) { state.value = error; }
  };
  return h("div", { class: "stack" }, h("div", { class: "row" }, h("button", { class: "button", type: "button", onclick: () => void send() }, t("push.test")), beside),
    h("div", { role: "status" }, () => {
      const now = state.value;
      if (now === null) return null;
      if (now instanceof Error) return failure(now, () => void send());
      return h("p", {}, statusOf(now.status), " ", t(now.status === "sent" ? "push.test.sent" : now.status === "sending" ? "push.test.sending" : "push.test.held"), " ",
        now.delivery ? h("button", { class: "quiet", type: "button", onclick: () => explain(now.delivery, t("push.test.title")) }, t("push.why")) : null);
    }));
}

/**
 * What stands against it. The key of Web Push is a file of the gateway's machine.
 * @param {string} word
 */
const lacks = (word) => [t(`push.lacks.${word}`), word === "vapid" ? ` ${t(mayConfigure() ? "push.lacks.key" : "remedy.ask")}` : null];

/** @param {string} word */
const stands = (word) => h("div", { class: "notice warn" }, h("p", {}, lacks(word)));

/** Switching this browser on. */
function off() {
  const lack = lacking();
  if (lack) return stands(lack);
  if (!mayRegister()) return stands("scope");
  const problem = signal(/** @type {any} */ (null));
  const busy = signal(false);
  const name = h("input", { class: "input", id: "device-name", value: deviceName(), maxlength: "128", autocomplete: "off", required: true });
  const on = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (busy.peek()) return;
    busy.value = true;
    problem.value = null;
    try {
      const answer = await turnOn(name.value.trim() || deviceName());
      if (typeof answer === "string") problem.value = answer;
      else changed.value = changed.peek() + 1;
    } catch (/** @type {any} */ error) {
      // The gateway says what it lacks; a browser's refusal is of the browser.
      problem.value = error.name === "ApiError" ? error : "browser";
    }
    busy.value = false;
  };
  return h("form", { class: "stack", onsubmit: on }, h("p", {}, t("push.off")), h("div", { class: "field" }, h("label", { for: "device-name" }, t("push.name")), name),
    () => (problem.value === null ? null : h("p", { class: "notice bad", role: "alert" }, typeof problem.value === "string" ? lacks(problem.value) : problem.value.message || t("library.offline"))),
    h("div", { class: "row" }, h("button", { class: "button primary", type: "submit", disabled: () => busy.value }, t("push.on"))));
}

/** @param {any} device */
const on = (device) => h("div", { class: "stack" }, h("p", {}, h("span", { class: "state-of is-sent", "aria-hidden": "true" }, "✓ "), t("push.is-on", { name: device.name })), device.retired ? h("p", { class: "notice bad" }, t("push.retired", { reason: device.retired })) : null,
  test(device, h("button", { class: "button", type: "button", onclick: () => void attempt(async () => { await turnOff(); changed.value = changed.peek() + 1; }) }, t("push.turn-off"))));

/** This browser, what came, and the others. */
function overview() {
  document.title = `${t("notifications")} – Selene`;
  const { view } = source(async () => {
    if (!mayRegister()) return { devices: [], mine: null };
    const id = await deviceID();
    const { devices } = await call("GET", `api/v1/devices?limit=${mostDevices}`);
    return { devices, mine: devices.find((/** @type {any} */ one) => one.id === id) ?? null };
  });
  const scroller = h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("notifications") },
    view(({ devices, mine }) => {
      const others = devices.filter((/** @type {any} */ one) => one !== mine);
      return [h("section", {}, h("h2", {}, t("push.here")), mine ? on(mine) : off()), mine ? rules(mine) : null, mine && mayAdminister() ? log(mine.id, chosen()) : came(chosen()),
        others.length > 0 ? h("section", {}, h("h2", {}, t("push.others")), h("ul", { class: "rows", role: "list" }, others.map(deviceRow))) : null];
    }));
  keepPlace(scroller, "notifications");
  return [h("header", { class: "view-head" }, h("h1", {}, t("notifications")), h("a", { class: "quiet", href: "#/settings" }, t("nav.you"))), scroller];
}

/**
 * Another device.
 * @param {string} id
 */
function one(id) {
  const path = `api/v1/devices/${encodeURIComponent(id)}`;
  const { found, view } = source(() => call("GET", path));
  const isSure = signal(false);
  // The address of a device is a secret of its browser or app: deleting cannot be undone, so it takes two presses.
  const remove = () => attempt(async () => {
    if (!isSure.peek()) { isSure.value = true; return; }
    await call("DELETE", path);
    go("#/notifications");
  });
  effect(() => { document.title = `${found.value?.name ?? t("notifications")} – Selene`; });
  return [h("header", { class: "view-head" }, h("h1", { dir: "auto" }, () => found.value?.name ?? t("notifications")), h("a", { class: "quiet", href: "#/notifications" }, t("notifications"))),
    h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("push.device") }, view((device) => [h("section", { class: "stack" }, h("p", {}, channelOf(device), " ", h("span", { class: "hint mono", dir: "ltr" }, device.address)), test(device)), rules(device),
      // Above what came: a list that arrives later must not move this button under a finger.
      h("section", {}, h("p", { class: "hint" }, () => t(isSure.value ? "push.remove.sure" : "push.remove.hint", { name: device.name })), h("button", { class: "button danger", type: "button", onclick: () => void remove() }, t("push.remove"))), mayAdminister() ? log(device.id, "") : null]))];
}

define("selene-notifications", (element) => {
  element.className = "library push";
  const shown = computed(() => (route.value.view === "notifications" ? route.value.id ?? "" : null));
  effect(() => {
    const id = shown.value;
    if (id !== null) untracked(() => swap(element, id ? one(id) : overview()));
  });
});

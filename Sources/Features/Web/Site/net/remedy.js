// What an administrator can switch on, where a view is empty since a setting of the gateway is off.
import { call, mayAdminister } from "./api.js";
import { h } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { t } from "../kit/words.js";

/**
 * Where an administrator changes a setting, and whom others ask.
 * @param {string} key
 */
export const where = (key) => (mayAdminister() ? h("a", { href: `#/console/setup?find=${key}` }, t("remedy.configuration")) : t("remedy.ask"));

/**
 * A button that changes a setting, or what stands against it. Others than administrators see nothing.
 * @param {string} key of the setting @param {(now: string) => string | null} better the value that it should have; null when it has that
 * @param {string} label of the button @param {() => void} [done] called when a change is in force
 */
export function remedy(key, better, label, done = () => {}) {
  if (!mayAdminister()) return null;
  const found = signal(/** @type {any} */ (null));
  const problem = signal("");
  const [isBusy, isChanged] = [signal(false), signal(false)];
  const take = (/** @type {any} */ report) => { found.value = report.settings.find((/** @type {any} */ one) => one.key === key) ?? null; };
  call("GET", "api/admin/config").then(take, () => {});
  const change = async () => {
    isBusy.value = true;
    problem.value = "";
    try {
      const report = await call("PATCH", "api/admin/config", { key, value: better(found.peek().value ?? "") });
      isChanged.value = true;
      take(report);
      document.getElementById("main")?.focus();
      if (better(found.peek().value ?? "") === null) done();
    } catch (error) { problem.value = /** @type {any} */ (error).status === 0 ? t("library.offline") : /** @type {any} */ (error).message || t("error"); }
    isBusy.value = false;
  };
  const offer = (/** @type {any} */ one) => {
    if (better(one.value ?? "") === null) return isChanged.peek() ? h("p", { class: "notice", role: "status" }, t("remedy.done")) : null;
    if (one.next && better(one.next.value ?? "") === null) return h("p", { class: "notice", role: "status" }, t("remedy.waits"));
    if (one.editable) return h("div", { class: "row" }, h("button", { class: "button", type: "button", disabled: () => isBusy.value, onclick: () => void change() }, label), one.live ? null : h("span", { class: "hint" }, t("remedy.restart")));
    return h("p", { class: "hint" }, t("remedy.fixed"), " ", where(key));
  };
  return [() => (found.value ? offer(found.value) : null), () => (problem.value ? h("p", { class: "notice bad", role: "alert", dir: "auto" }, problem.value) : null)];
}

/**
 * Switches a workflow on that the gateway does not run.
 * @param {"actions" | "threads" | "briefing"} name
 */
export const workflow = (name) => remedy("workflows", (now) => {
  const list = now.split(/[,\s]+/).filter((one) => one && one !== "off");
  return list.includes(name) ? null : [...list, name].join(",");
}, t(`remedy.${name}`));

// The configuration in force, what a reload would change, and the findings of the doctor.
import { call } from "../net/api.js";
import { source } from "../net/source.js";
import { h } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { bones } from "../kit/library.js";
import { heading, refusal, twin } from "./parts.js";
import { table } from "./table.js";

const tones = { ok: "is-good", warning: "is-warn", problem: "is-bad" };
const marks = { ok: "✓", warning: "!", problem: "✗" };
/** @param {string | undefined} value */
const shown = (value) => (value == null ? h("span", { class: "hint" }, t("setup.unset")) : value === "" ? h("span", { class: "hint" }, t("setup.empty")) : h("code", { dir: "ltr" }, value));

/** The findings of the doctor, asked for by a button. */
function doctor() {
  const report = signal(/** @type {any} */ (null));
  const examine = async (/** @type {boolean} */ isDeep) => {
    report.value = "loading";
    report.value = await call("GET", `api/admin/doctor${isDeep ? "?deep=true" : ""}`).catch((/** @type {any} */ error) => error);
  };
  const button = (/** @type {string} */ label, /** @type {boolean} */ isDeep) => h("button", { class: "button", type: "button", disabled: () => report.value === "loading", onclick: () => void examine(isDeep) }, label);
  const result = () => {
    const now = report.value;
    if (now === null) return null;
    if (now === "loading") return bones();
    if (now instanceof Error) return refusal(now, () => void examine(false));
    return [h("p", { role: "status" }, now.problems + now.warnings === 0 ? t("doctor.well") : [t("doctor.problems", { n: now.problems }), ", ", t("doctor.warnings", { n: now.warnings })]),
      table(t("doctor.findings"), () => now.findings, [
        { name: t("doctor.check"), value: (one) => one.check },
        { name: t("console.state"), value: (one) => ["problem", "warning", "ok"].indexOf(one.severity), show: (one) => h("span", { class: tones[/** @type {"ok"} */ (one.severity)] }, `${marks[/** @type {"ok"} */ (one.severity)]} ${t(`doctor.${one.severity}`)}`) },
        { name: t("doctor.found"), value: (one) => one.message },
        { name: t("doctor.remedy"), value: (one) => one.remedy ?? "", show: (one) => (one.remedy ? [one.remedy, one.fixable ? h("p", { class: "hint" }, h("code", { dir: "ltr" }, "selene doctor --fix")) : null] : "–") },
      ])];
  };
  return h("section", {}, heading(t("doctor"), twin("selene doctor")), h("p", { class: "hint" }, t("doctor.hint")), h("div", { class: "row" }, button(t("doctor.run"), false), button(t("doctor.deep"), true)), result);
}

/**
 * The view.
 * @type {import("./view.js").Page}
 */
export function setup(head) {
  const isWhole = signal(false);
  const { found, view, load } = source(() => call("GET", "api/admin/config"));
  const rows = () => (found.value?.settings ?? []).filter((/** @type {any} */ one) => isWhole.value || one.origin !== "default" || one.next);
  const next = (/** @type {any} */ one) => (one.next ? [shown(one.next.value), h("p", { class: "hint" }, t(one.live ? "setup.live" : "setup.restart"))] : "–");
  head(h("button", { class: "button", type: "button", onclick: () => void load() }, t("request.again")), twin("selene config"));
  return [view((report) => [h("p", { class: "hint" }, report.file ? [t("setup.read"), " ", h("code", { dir: "ltr" }, report.file)] : t("setup.nofile")), report.problem ? h("div", { class: "notice bad", role: "alert" }, h("p", {}, t("setup.problem")), h("p", { dir: "auto" }, report.problem)) : null]),
  h("div", { hidden: () => !found.value?.settings }, table(t("setup.settings"), rows, [
    { name: t("setup.setting"), value: (one) => one.key, show: (one) => h("div", { class: "where" }, h("code", { dir: "ltr", title: one.environment }, one.key), h("p", { class: "hint" }, one.summary)) },
    { name: t("setup.value"), value: (one) => one.value ?? "", show: (one) => shown(one.value) },
    { name: t("setup.origin"), value: (one) => t(`setup.${one.origin}`) },
    { name: t("setup.next"), value: (one) => (one.next ? 0 : 1), show: next },
  ], { parts: h("label", { class: "check" }, h("input", { type: "checkbox", onchange: (/** @type {any} */ event) => { isWhole.value = event.target.checked; } }), h("span", {}, t("setup.whole"))) })), doctor()];
}

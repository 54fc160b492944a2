// The settings: those that are changed here, those that are changed elsewhere, and the findings of the doctor.
import { call } from "../../net/api.js";
import { source } from "../../net/source.js";
import { each, h } from "../../kit/dom.js";
import { route } from "../../kit/router.js";
import { signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { bones } from "../../kit/library.js";
import { heading, refusal, twin } from "../parts.js";
import { table } from "../table.js";
import { groupOf, groups, wanted } from "./kinds.js";
import { about, nameOf, reason, row, textOf } from "./row.js";

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
 * Whether a setting is listed with those that are changed here: also what flags and environment decide about.
 * @param {any} one
 */
const isHere = (one) => one.editable === true || (one.editable === false && groupOf(one.key) !== undefined && /^(flag|environment)$/.test(one.origin));

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function setup(head) {
  const isWhole = signal(false);
  // An address may name the setting that is looked for.
  const text = signal(route.peek().query.get("find") ?? "");
  const { found, view, load } = source(() => call("GET", "api/admin/config"));
  const all = () => /** @type {any[]} */ (found.value?.settings ?? []);
  const matches = (/** @type {any} */ one) => text.value.toLowerCase().split(/\s+/).every((word) => `${one.key} ${nameOf(one.key)} ${textOf(one)} ${wanted(one) ?? ""}`.toLowerCase().includes(word));
  const save = async (/** @type {string} */ key, /** @type {string | null} */ value) => {
    const report = await call("PATCH", "api/admin/config", { key, value });
    found.value = report;
    return report.settings.find((/** @type {any} */ one) => one.key === key);
  };
  const group = (/** @type {[string, string[]]} */ [name, keys]) => {
    const place = (/** @type {any} */ one) => { const at = keys.indexOf(one.key); return at < 0 ? keys.length : at; };
    const items = () => all().filter((one) => isHere(one) && (groupOf(one.key) ?? "rest") === name).sort((a, b) => place(a) - place(b));
    return h("section", { hidden: () => !items().some(matches) }, h("h2", {}, t(`setup.group.${name}`)),
      each("ul", { class: "rows", role: "list", "aria-label": t(`setup.group.${name}`) }, items, (/** @type {any} */ one) => `${one.key} ${one.editable}`, (/** @type {() => any} */ item) => row(item, save, matches)));
  };
  const rest = () => all().filter((one) => !isHere(one) && matches(one) && (isWhole.value || text.value || one.origin !== "default" || one.next));
  const next = (/** @type {any} */ one) => (one.next ? [shown(one.next.value), h("p", { class: "hint" }, t(one.live ? "setup.live" : "setup.restart"))] : "–");
  const filter = h("div", { class: "field" }, h("label", { for: "setup-filter" }, t("setup.filter")), h("input", { class: "input", id: "setup-filter", type: "search", autocomplete: "off", value: text.peek(), oninput: (/** @type {any} */ event) => { text.value = event.target.value.trim(); } }));
  head(h("button", { class: "button", type: "button", onclick: () => void load() }, t("request.again")), twin("selene config"));
  return [view((report) => [h("p", { class: "hint" }, report.file ? [t("setup.read"), " ", h("code", { dir: "ltr" }, report.file)] : t("setup.nofile")), report.problem ? h("div", { class: "notice bad", role: "alert" }, h("p", {}, t("setup.problem")), h("p", { dir: "auto" }, report.problem)) : null]),
  h("div", { hidden: () => !found.value?.settings }, h("div", { class: "setup-filter" }, filter), () => (text.value && !all().some(matches) ? h("p", { class: "hint", role: "status" }, t("setup.unfound")) : null), groups.map(group),
    h("div", { hidden: () => text.value !== "" && rest().length === 0 }, table(t("setup.settings"), rest, [
      { name: t("setup.setting"), value: (one) => one.key, show: (one) => h("div", { class: "where" }, h("code", { dir: "ltr", title: one.environment }, one.key), about(one)) },
      { name: t("setup.value"), value: (one) => one.value ?? "", show: (one) => shown(one.value) },
      { name: t("setup.origin"), value: (one) => t(`setup.${one.origin}`), show: (one) => (/^(flag|environment)$/.test(one.origin) ? reason(one) : t(`setup.${one.origin}`)) },
      { name: t("setup.next"), value: (one) => (one.next ? 0 : 1), show: next },
    ], { parts: h("label", { class: "check" }, h("input", { type: "checkbox", onchange: (/** @type {any} */ event) => { isWhole.value = event.target.checked; } }), h("span", {}, t("setup.whole"))) }))), doctor()];
}

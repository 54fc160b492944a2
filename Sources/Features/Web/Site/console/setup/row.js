// A setting that is changed in the page: what it does, its control, and what became of a change.
import { h } from "../../kit/dom.js";
import { signal } from "../../kit/signal.js";
import { toast } from "../../kit/toast.js";
import { language, t } from "../../kit/words.js";
import { twin } from "../parts.js";
import { boxes, wordOf } from "./boxes.js";
import { command, kindOf, listed, namesOf, wanted } from "./kinds.js";

/** @type {Record<string, string>} */
const german = language === "de" ? (await import("../../words/console-setup-de.js").catch(() => ({ summaries: {} }))).summaries : {};

/**
 * What a setting does.
 * @param {any} one @returns {string}
 */
export const textOf = (one) => german[one.key] ?? one.summary;

/**
 * The same as a line. What a newer gateway knows is in its English.
 * @param {any} one @param {string | null} [id]
 */
export const about = (one, id = null) => h("p", { class: "hint", id, lang: german[one.key] ? null : "en" }, textOf(one));

/** @param {string} key of a setting; those that a newer gateway has are shown by their key */
export const nameOf = (key) => wordOf(`setting.${key}`, key);
/** @param {string} value */
const code = (value) => h("code", { dir: "ltr" }, value);
/**
 * What decides about a value that the page cannot change.
 * @param {any} one
 */
export const reason = (one) => (one.origin === "environment" ? [t("setup.fixed.environment"), " ", code(one.environment)] : t(`setup.fixed.${one.origin === "flag" ? "flag" : "other"}`));

/** @param {any} error */
const said = (error) => (error.status === 0 ? t("library.offline") : error.status === 403 && error.scope ? t("console.scope", { scope: error.scope }) : error.message || t("error"));

/**
 * A row. `save` sends a value, null for the default, and resolves to the setting as it is then.
 * @param {() => any} item @param {(key: string, value: string | null) => Promise<any>} save @param {(one: any) => boolean} isShown
 */
export function row(item, save, isShown) {
  const { key } = item();
  const one = signal(item());
  const draft = signal(/** @type {string | null} */ (null));
  const problem = signal("");
  const isBusy = signal(false);
  const id = `setting-${key}`;
  const { type, values = [] } = kindOf(one.value);
  const now = () => { const value = wanted(one.value) ?? ""; return type === "time" && !/^\d\d:\d\d/.test(value) ? "" : type === "list" ? listed(namesOf(value), values) : value; };
  const isChanged = () => draft.value !== null && draft.value !== now();
  const isStored = () => (one.value.next ?? one.value).origin === "file";
  const name = nameOf(key);

  const send = async (/** @type {string | null} */ value) => {
    if (isBusy.peek()) return;
    const before = isStored() ? wanted(one.peek()) ?? null : null;
    isBusy.value = true;
    problem.value = "";
    try {
      const saved = await save(key, value);
      draft.value = null;
      toast(t(saved?.next ? "setup.saved.restart" : "setup.saved", { name }), { label: t("undo"), run: () => void send(before) });
    } catch (error) { problem.value = said(error); }
    // A field that was refused keeps what was typed, a switch goes back.
    if (type === "switch") input.checked = now() !== values[1];
    isBusy.value = false;
    if (!document.activeElement || document.activeElement === document.body) focus();
  };
  const focus = () => (type === "list" ? input.querySelector("input") : input).focus();
  const giveUp = () => { draft.value = null; problem.value = ""; if (type !== "list") input.value = now(); if (!input.contains(document.activeElement)) focus(); };
  const shared = { id, disabled: !one.value.editable, "aria-labelledby": `${id}-name`, "aria-describedby": `${id}-hint ${id}-state`, "aria-invalid": () => (problem.value ? "true" : null) };
  const take = () => { draft.value = input.value; };
  /** @type {any} */
  const input = type === "switch" ? h("input", { ...shared, type: "checkbox", role: "switch", checked: () => now() !== values[1], onchange: () => void send(values[input.checked ? 0 : 1]) })
    : type === "list" ? boxes(key, values, () => draft.value ?? now(), (text) => { draft.value = text; }, { id, "aria-labelledby": shared["aria-labelledby"], "aria-describedby": shared["aria-describedby"] })
    : type === "choice" ? h("select", { ...shared, class: "input", onchange: take }, values.map((value) => h("option", { value }, choiceOf(value))))
      : h("input", { ...shared, class: "input", type, step: type === "number" ? "any" : null, dir: type === "text" ? "auto" : null, autocomplete: "off", spellcheck: "false", autocapitalize: "off", value: () => draft.value ?? now(), oninput: take });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (input.validity?.badInput) { problem.value = t(type === "time" ? "setup.time" : "setup.number"); return; }
    if (isChanged()) void send((type === "list" ? draft.value : input.value.trim()) || null);
  };
  const escape = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || (!isChanged() && !problem.value)) return;
    event.preventDefault();
    event.stopPropagation();
    giveUp();
  };
  const next = () => (one.value.next ? h("p", { class: "hint is-warn" }, t(one.value.live ? "setup.waits.reload" : "setup.waits"), " ", shownValue(one.value.value), " → ", shownValue(one.value.next.value)) : null);
  const saving = h("button", { class: "button primary", type: "submit", hidden: () => !isChanged(), disabled: () => isBusy.value, "aria-label": `${t("save")}: ${name}` }, t("save"));
  const controls = type === "switch" ? h("label", { class: "check" }, input, h("span", {}, () => t(now() === values[1] ? "setup.off" : now() === "auto" ? "setup.auto" : "setup.on")))
    : type === "list" ? [input, saving] : h("div", { class: "row" }, input, saving);
  const isField = one.value.editable && type !== "list";
  const element = h("li", { class: "setting", hidden: () => !isShown(one.value) },
    h("div", {}, h("div", { class: "setting-name" }, h(isField ? "label" : "span", { for: isField ? id : null, id: `${id}-name` }, name), one.value.editable && twin(() => command(key, type === "switch" ? values[now() === values[1] ? 0 : 1] : (draft.value ?? now()) || null))),
      about(one.value, `${id}-hint`), h("p", { class: "hint" }, code(key), " · ", t("setup.default.is"), " ", shownValue(one.value.default))),
    one.value.editable ? h("form", { class: "setting-form", novalidate: true, onsubmit: submit, onkeydown: escape }, controls,
      h("button", { class: "quiet", type: "button", hidden: () => !isStored(), disabled: () => isBusy.value, "aria-label": `${t("setup.back")}: ${name}`, onclick: () => void send(null) }, t("setup.back")),
      h("div", { id: `${id}-state` }, next, () => (problem.value ? h("p", { class: "is-bad", role: "alert", dir: "auto" }, problem.value) : null)))
      : h("div", { class: "setting-form" }, h("p", {}, shownValue(one.value.value)), h("p", { class: "hint" }, reason(one.value)), next));
  if (type === "choice") input.value = now();
  element.addEventListener("update", () => { one.value = item(); if (type === "choice" && draft.peek() === null) input.value = now(); });
  return element;
}

/** @param {string} value */
const choiceOf = (value) => wordOf(`setting.is.${value}`, value);

/** @param {string | undefined} value */
export const shownValue = (value) => (value == null ? t("setup.unset") : value === "" ? t("setup.empty") : code(value));

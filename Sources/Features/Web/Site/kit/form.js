// Forms: fields with what they hold, and a form in a sheet that sends only what was changed.
import { h } from "./dom.js";
import { sheet } from "./sheet.js";
import { scope, signal, untracked } from "./signal.js";
import { language, t } from "./words.js";

/**
 * A field of a form. `words` is a list, with commas; `days` are weekdays from 0, Sunday; `when` says whether it is shown; `then`
 * is called with what a person put; `isMore` fields stand below a fold; `show` makes what is no field.
 * @typedef {{ name: string, label: string, type?: "text" | "number" | "date" | "time" | "choice" | "long" | "words" | "days" | "check", choices?: [string, string][], required?: boolean, hint?: string,
 *   min?: number, max?: number, when?: (values: Record<string, any>) => boolean, then?: (value: any, set: (name: string, value: any) => void) => void, isMore?: boolean, show?: (values: Record<string, any>) => any }} Field
 */

/**
 * The value that a field's text stands for; null for none.
 * @param {Field} field @param {string} text
 */
export function reading({ type }, text) {
  if (text.trim() === "") return type === "words" ? [] : null;
  if (type === "number") return Number(text);
  return type === "words" ? text.split(",").map((one) => one.trim()).filter(Boolean) : text.trim();
}

/**
 * Weekdays in words.
 * @param {number[]} list
 */
export const weekdayNames = (list) => weekdays().filter(([day]) => list.includes(day)).map(([, name]) => name).join(", ");

/** Names of the weekdays, from Monday. */
const weekdays = () => [1, 2, 3, 4, 5, 6, 0].map((day) => /** @type {[number, string]} */ ([day, new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" }).format(Date.UTC(2026, 10, 22 + day))]));

/**
 * The fields of a form and what they hold. Fields that do not apply hold what they held before.
 * @param {Field[]} fields @param {Record<string, any>} before
 */
export function form(fields, before) {
  const values = signal({ ...before });
  const put = (/** @type {string} */ name, /** @type {any} */ value) => { values.value = { ...values.peek(), [name]: value }; };
  /** @type {Record<string, any>} */
  const inputs = {};
  const set = (/** @type {string} */ name, /** @type {any} */ value) => { if (inputs[name]) inputs[name].value = value ?? ""; put(name, value); };
  const control = (/** @type {Field} */ field) => {
    const { name, type = "text" } = field;
    const id = `field-${name}`;
    const now = before[name];
    const shared = { id, class: "input", required: field.required, dir: "auto", disabled: () => field.when !== undefined && !field.when(values.value), "aria-describedby": field.hint ? `${id}-hint` : null, oninput: () => { put(name, reading(field, input.value)); field.then?.(values.peek()[name], set); } };
    /** @type {any} */
    const input = type === "choice" ? h("select", { ...shared, onchange: shared.oninput }, field.choices?.map(([value, label]) => h("option", { value, selected: value === now }, label)))
      : type === "long" ? h("textarea", { ...shared, rows: "4", value: now ?? "" })
        : h("input", { ...shared, type: type === "words" ? "text" : type, value: Array.isArray(now) ? now.join(", ") : now ?? "", min: field.min ?? null, max: field.max ?? null, step: type === "number" ? "any" : null });
    inputs[name] = input;
    return [h("label", { for: id }, field.label), input, field.hint ? h("p", { class: "hint", id: `${id}-hint` }, field.hint) : null];
  };
  const box = (/** @type {Field} */ { name, label }) => h("label", { class: "check" }, h("input", { type: "checkbox", checked: Boolean(before[name]), onchange: (/** @type {any} */ event) => put(name, event.target.checked) }), h("span", {}, label));
  const week = (/** @type {Field} */ { name, label }) => h("fieldset", { class: "week" }, h("legend", { class: "label" }, label), weekdays().map(([day, text]) => {
    const box = h("input", { type: "checkbox", checked: before[name].includes(day), onchange: () => put(name, [...values.peek()[name].filter((/** @type {number} */ one) => one !== day), ...(box.checked ? [day] : [])]) });
    return h("label", { class: "check" }, box, h("span", {}, text));
  }));
  const part = (/** @type {Field} */ field) => (field.show ? () => field.show?.(values.value) : h("div", { class: "field", hidden: () => field.when !== undefined && !field.when(values.value) }, untracked(() => (field.type === "days" ? week(field) : field.type === "check" ? box(field) : control(field)))));
  const more = fields.filter((one) => one.isMore);
  return { values, parts: [...fields.filter((one) => !one.isMore).map(part), more.length > 0 ? h("details", { class: "why" }, h("summary", {}, t("form.more")), h("div", { class: "stack" }, more.map(part))) : null] };
}

/** @type {any} */
let content = null;
const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/**
 * Opens a form. `save` gets the values that differ from before and sends them; its error stays in the form.
 * @param {string} title @param {Field[]} fields @param {Record<string, any>} before
 * @param {(values: Record<string, any>, isNew: (name: string) => boolean) => Promise<any>} save @param {any} [extra] @param {string} [label] of the button
 */
export function editor(title, fields, before, save, extra, label = "save") {
  const problem = signal("");
  let isBusy = false;
  const end = scope(() => {
    const { values, parts } = form(fields, before);
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (isBusy) return;
      isBusy = true;
      try {
        const now = values.peek();
        const shown = fields.filter((one) => !one.when || one.when(now));
        await save(Object.fromEntries(shown.map(({ name }) => [name, now[name]])), (name) => !same(now[name], before[name]));
        close();
      } catch (error) {
        problem.value = /** @type {Error} */ (error).message || t("library.offline");
      }
      isBusy = false;
    };
    content = h("form", { class: "stack", onsubmit: submit }, parts, () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null),
      h("div", { class: "row" }, h("button", { class: "button primary", type: "submit" }, t(label)), extra ? extra(() => close(), values) : null));
  });
  const close = sheet(title, content, { onclose: end });
}

/**
 * Times of day as people write them, such as "8:00, 18", as a list of HH:MM. Throws for what is no time of day.
 * @param {string[]} list
 */
export function times(list) {
  return list.map((text) => {
    const found = /^(\d{1,2})(?:[:.](\d{2}))?$/.exec(text);
    if (!found || Number(found[1]) > 23 || Number(found[2] ?? 0) > 59) throw new Error(t("rules.time.wrong", { text }));
    return `${found[1].padStart(2, "0")}:${found[2] ?? "00"}`;
  });
}

// What the pages of goals share: asking the gateway, figures with their units, what is done and undone, forms.
import { call } from "../net/api.js";
import { h } from "../kit/dom.js";
import { bones, failure } from "../kit/library.js";
import { effect, signal, untracked } from "../kit/signal.js";
import { language, t } from "../kit/words.js";
import { toast } from "../app.js";

/** Counts what this page changed; every view asks again then. */
export const changed = signal(0);
/** The zone that decides which day it is. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** @param {Record<string, any>} values those that are not empty, as a query */
export const query = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value != null).map(([name, value]) => [name, String(value)])).toString();

/**
 * What a route answers: null at first, then the answer or the error. Asked again when something has changed; a failure then keeps
 * what is shown.
 * @param {() => Promise<any>} ask reads the signals that it depends on before it waits
 */
export function source(ask) {
  const found = signal(/** @type {any} */ (null));
  let turn = 0;
  const load = async () => {
    const mine = (turn += 1);
    try {
      const answer = await ask();
      if (mine === turn) found.value = answer;
    } catch (error) {
      if (mine === turn && (found.peek() === null || found.peek() instanceof Error || /** @type {any} */ (error).status !== 0)) found.value = error;
    }
  };
  effect(() => { void changed.value; void load(); });
  const again = () => { found.value = null; void load(); };
  const view = (/** @type {(data: any) => any} */ render) => () => {
    const key = document.activeElement?.getAttribute("data-key");
    // What is drawn again gets the focus back.
    if (key) queueMicrotask(() => { if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? document.getElementById("main"))?.focus(); });
    return found.value === null ? bones() : found.value instanceof Error ? failure(found.value, again) : render(found.value);
  };
  return { found, view, load };
}

/**
 * A list in pages: `ask` gets the cursor of the page.
 * @param {string} name of the list in the answer @param {(cursor: string) => string} path
 */
export function paged(name, path) {
  const list = source(() => call("GET", path("")));
  const more = () => attempt(async () => {
    const old = list.found.peek();
    const page = await call("GET", path(old.next_cursor));
    if (list.found.peek() === old) list.found.value = { ...page, [name]: [...old[name], ...page[name]] };
  });
  return { ...list, more: () => (list.found.value?.next_cursor ? h("button", { class: "quiet", type: "button", onclick: () => void more() }, t("more")) : null) };
}

/**
 * Does something and tells when it fails.
 * @param {() => Promise<any>} act
 */
export async function attempt(act) {
  try {
    return await act();
  } catch (error) {
    toast(/** @type {Error} */ (error).message || t("library.offline"));
    return undefined;
  }
}

/**
 * Changes something; every view asks again.
 * @param {string} method @param {string} path @param {any} [body]
 */
export async function write(method, path, body) {
  const answer = await call(method, path, body);
  changed.value = changed.peek() + 1;
  return answer;
}

/**
 * Undoes a turn or one change; the toast can take that back.
 * @param {{ turn?: string, change?: number }} what
 */
export const undo = (what) => attempt(async () => {
  const { turn } = await write("POST", "api/goals/undo", what);
  toast(t("goals.undone"), { label: t("goals.redo"), run: () => void undo({ turn }) });
});

/**
 * Says what was done to a row, with the button that undoes it.
 * @param {string} text @param {string} id
 */
export const undoable = (text, id) => toast(text, { label: t("undo"), run: () => void attempt(async () => {
  const { changes: [last] } = await call("GET", `api/goals/history?id=${id}&limit=1`);
  if (last) await undo(last.turn ? { turn: last.turn } : { change: last.number });
}) });

/** @type {Record<string, Intl.NumberFormat>} */
const formats = {};
/** @param {number} value */
export const number = (value) => (formats[language] ??= new Intl.NumberFormat(language, { maximumFractionDigits: 2 })).format(value);
/** @param {number} value @param {string} [unit] */
export const amount = (value, unit) => (unit ? `${number(value)}\u00a0${unit}` : number(value));
/** @param {number} share */
export const percent = (share) => `${number(Math.floor(share * 100 + 1e-9))}\u00a0%`;
/** @param {number} minutes */
export const minutes = (minutes) => amount(minutes, "min");

/**
 * What was measured, in a line.
 * @param {any} action
 */
export const measured = (action) => [...action.amounts.map((/** @type {any} */ one) => amount(one.amount, one.unit)), ...(action.duration_minutes ? [minutes(action.duration_minutes)] : [])].join(" · ");
/** @param {any} action */
export const actionName = (action) => action.title || measured(action) || t("untitled");

/**
 * How far a goal is, in a line: "12.5 of 50 km".
 * @param {any} goal
 */
export function figure({ rule, progress }) {
  const { achieved, needed, unit } = progress;
  const key = rule.kind === "each" ? `each.${rule.window ?? "day"}` : rule.kind;
  return t(`goals.figure.${key}`, { done: number(achieved), of: amount(needed, unit) });
}

const marks = /** @type {Record<string, string>} */ ({ complete: "✓", overachieved: "✓", overdue: "!", behind: "▾", on_track: "●", not_started: "○" });
/** @param {string} status */
export const state = (status) => h("span", { class: ["state-of", `is-${status}`] }, h("span", { "aria-hidden": "true" }, marks[status] ?? "·"), ` ${t(`goals.status.${status}`)}`);

/**
 * Whether a goal is judged by the time that has passed: averages and streaks are not.
 * @param {any} goal
 */
export const isTimed = ({ rule, progress, target_date }) => rule.kind !== "average" && rule.kind !== "streak" && Boolean(target_date) && progress.start !== progress.end;

/**
 * How much is done, and how much time is over where that matters.
 * @param {any} goal
 */
export const share = (goal) => t(isTimed(goal) ? "goals.bar" : "goals.bar.open", { done: percent(goal.progress.fraction), time: percent(goal.progress.elapsed) });

/**
 * A bar with the mark of what is expected by now.
 * @param {any} goal
 */
export function bar(goal) {
  const { fraction, elapsed } = goal.progress;
  const filled = h("i");
  filled.style.setProperty("transform", `scaleX(${Math.max(0, Math.min(1, fraction || 0))})`);
  const mark = isTimed(goal) && elapsed > 0 && elapsed < 1 ? h("b") : null;
  mark?.style.setProperty("inset-inline-start", `${(elapsed * 100).toFixed(1)}%`);
  return h("div", { class: "goal-bar", role: "img", "aria-label": share(goal) }, filled, mark);
}

/**
 * A field of a form. `words` is a list, with commas; `days` are weekdays; `when` says whether it is shown.
 * @typedef {{ name: string, label: string, type?: "text" | "number" | "date" | "choice" | "long" | "words" | "days", choices?: [string, string][], required?: boolean, hint?: string,
 *   min?: number, max?: number, when?: (values: Record<string, any>) => boolean }} Field
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

/** Names of the weekdays, from Monday. */
const weekdays = () => [1, 2, 3, 4, 5, 6, 0].map((day) => /** @type {[number, string]} */ ([day, new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" }).format(Date.UTC(2026, 10, 22 + day))]));

/**
 * The fields of a form and what they hold. Fields that do not apply hold what they held before.
 * @param {Field[]} fields @param {Record<string, any>} before
 */
export function form(fields, before) {
  const values = signal({ ...before });
  const put = (/** @type {string} */ name, /** @type {any} */ value) => { values.value = { ...values.peek(), [name]: value }; };
  const control = (/** @type {Field} */ field) => {
    const { name, type = "text" } = field;
    const id = `goal-${name}`;
    const now = before[name];
    const shared = { id, class: "input", required: field.required, dir: "auto", disabled: () => field.when !== undefined && !field.when(values.value), "aria-describedby": field.hint ? `${id}-hint` : null, oninput: () => put(name, reading(field, input.value)) };
    /** @type {any} */
    const input = type === "choice" ? h("select", { ...shared, onchange: shared.oninput }, field.choices?.map(([value, label]) => h("option", { value, selected: value === now }, label)))
      : type === "long" ? h("textarea", { ...shared, rows: "4", value: now ?? "" })
        : h("input", { ...shared, type: type === "words" ? "text" : type, value: Array.isArray(now) ? now.join(", ") : now ?? "", min: field.min ?? null, max: field.max ?? null, step: type === "number" ? "any" : null });
    return [h("label", { for: id }, field.label), input, field.hint ? h("p", { class: "hint", id: `${id}-hint` }, field.hint) : null];
  };
  const week = (/** @type {Field} */ { name, label }) => h("fieldset", { class: "week" }, h("legend", { class: "label" }, label), weekdays().map(([day, text]) => {
    const box = h("input", { type: "checkbox", checked: before[name].includes(day), onchange: () => put(name, [...values.peek()[name].filter((/** @type {number} */ one) => one !== day), ...(box.checked ? [day] : [])]) });
    return h("label", { class: "check" }, box, h("span", {}, text));
  }));
  return { values, parts: fields.map((field) => h("div", { class: "field", hidden: () => field.when !== undefined && !field.when(values.value) }, untracked(() => (field.type === "days" ? week(field) : control(field))))) };
}

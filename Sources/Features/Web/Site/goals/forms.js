// The forms of goals, terms and values: adding one, or changing what is there. Only what was changed is sent.
import { call } from "../net/api.js";
import { attempt, write } from "../net/source.js";
import { h } from "../kit/dom.js";
import { editor } from "../kit/form.js";
import { sheet } from "../kit/sheet.js";
import { onDay, t } from "../kit/words.js";
import { amount, undoable } from "./data.js";
import { goalOf } from "./line.js";

/** @param {string[]} names @param {(name: string) => string} label @returns {[string, string][]} */
const choices = (names, label) => names.map((name) => [name, label(name)]);
/**
 * The fields that differ, for a change; all that are not empty, for a new row.
 * @param {Record<string, any>} values @param {(name: string) => boolean} differs
 */
const body = (values, differs) => Object.fromEntries(Object.entries(values).filter(([name]) => differs(name)));

/**
 * The button that deletes a row; deleting can be undone.
 * @param {string} path @param {string} id @param {string} name @param {() => void} [after]
 */
const remover = (path, id, name, after) => (/** @type {() => void} */ close) => h("button", { class: "button danger", type: "button", onclick: () => void attempt(async () => {
  close();
  await write("DELETE", `${path}/${id}`);
  undoable(t("deleted", { title: name }), id);
  after?.();
}) }, t("delete"));

const rules = ["sum", "count", "average at_least", "average at_most", "each day at_least", "each day at_most", "each week at_least", "each week at_most", "streak"];
/** @param {any} rule */
const ruleName = ({ kind, bound, window }) => (kind === "each" ? `each ${window ?? "day"} ${bound ?? "at_least"}` : kind === "average" ? `average ${bound ?? "at_least"}` : kind);

/**
 * The rule of a form. A change keeps what the form does not show.
 * @param {string} name @param {any} before @param {number | null} length
 */
export function ruleOf(name, before, length) {
  const [kind, first, second] = name.split(" ");
  const old = before && ruleName(before) === name ? before : {};
  if (kind === "each") return { ...old, kind, window: first, bound: second };
  if (kind === "average") return { ...old, kind, bound: first };
  return kind === "streak" ? { ...old, kind, length } : { kind };
}

/**
 * The due days of a form. Days are counted from the first one, today where there is none.
 * @param {{ due: string, weekdays?: number[], days?: number, from?: string | null }} values @param {Date} [now]
 */
export function scheduleOf({ due, weekdays = [], days = 1, from }, now = new Date()) {
  if (due === "every") return days === 1 ? { kind: "daily" } : { kind: "every", days, from: from ?? new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10) };
  return weekdays.length === 7 || weekdays.length === 0 ? { kind: "daily" } : { kind: "weekdays", weekdays };
}

/**
 * What a line was read as, before it counts.
 * @param {Record<string, any>} values
 */
const readAs = ({ line, title, amount: wanted, unit, rule, length, target_date: day }) => (line ? h("section", { class: "reading", "aria-label": t("log.read") }, h("dl", { class: "facts" },
  [[t("goals.title"), title], [t("goals.amount"), wanted == null ? "" : amount(wanted, unit ?? "")], [t("goals.rule"), rule === "sum" && wanted == null ? "" : rule === "streak" ? `${t("goals.length")}: ${length ?? ""}` : t(`goals.rule.${rule}`)], [t("until"), day ? onDay(day) : ""]]
    .filter(([, text]) => text).map(([name, text]) => [h("dt", {}, name), h("dd", { dir: "auto" }, text)]))) : null);

/**
 * Adds a goal, from one line, or changes one.
 * @param {any} [goal] @param {() => void} [removed]
 */
export function editGoal(goal, removed) {
  const before = { kind: goal?.kind ?? "goal", title: goal?.title, amount: goal?.target?.amount, unit: goal?.target?.unit, rule: ruleName(goal?.rule ?? { kind: "sum" }), length: goal?.rule.length,
    weekdays: goal?.schedule.kind === "weekdays" ? [...goal.schedule.weekdays] : [1, 2, 3, 4, 5, 6, 0], due: goal?.schedule.kind === "every" ? "every" : "weekdays", days: goal?.schedule.days ?? 2, from: goal?.schedule.from, start_date: goal?.start_date, target_date: goal?.target_date, keywords: goal?.keywords ?? [], units: goal?.units ?? [],
    relevance: goal?.relevance, description: goal?.description, expected_term_length: goal?.expected_term_length, requested_by: goal?.requested_by, consequence: goal?.consequence, remind: goal?.reminder?.at, remind_on: goal?.reminder?.weekdays ?? [1, 2, 3, 4, 5, 6, 0] };
  const is = (/** @type {string[]} */ ...kinds) => (/** @type {Record<string, any>} */ { kind }) => kinds.includes(kind);
  const counts = is("goal", "smart");
  /** What a person chose is not read from the line any more. */
  const own = new Set();
  const read = (/** @type {string | null} */ text, /** @type {(name: string, value: any) => void} */ set) => { for (const [name, value] of Object.entries(goalOf(text ?? ""))) if (!own.has(name)) set(name, value); };
  const fields = /** @type {import("../kit/form.js").Field[]} */ ([
    { name: "title", label: t("goals.title"), required: Boolean(goal) }, { name: "kind", label: t("goals.kind"), type: "choice", choices: choices(["goal", "smart", "milestone", "obligation"], (name) => t(`goals.kind.${name}`)), when: () => !goal },
    { name: "amount", label: t("goals.amount"), type: "number", min: 0, when: is("goal", "smart", "milestone"), hint: goal ? t("goals.amount.change") : undefined }, { name: "unit", label: t("goals.unit"), hint: t("goals.unit.hint"), when: is("goal", "smart", "milestone") },
    { name: "rule", label: t("goals.rule"), type: "choice", choices: choices(rules, (name) => t(`goals.rule.${name}`)), when: counts }, { name: "length", label: t("goals.length"), type: "number", min: 1, required: true, when: (values) => counts(values) && values.rule === "streak" },
    { name: "due", label: t("goals.due"), type: "choice", choices: choices(["weekdays", "every"], (name) => t(`goals.due.${name}`)), when: counts }, { name: "weekdays", label: t("goals.weekdays"), type: "days", when: (values) => counts(values) && values.due === "weekdays" },
    { name: "days", label: t("goals.every"), type: "number", min: 1, max: 36_525, required: true, when: (values) => counts(values) && values.due === "every" }, { name: "from", label: t("goals.from"), type: "date", hint: t("goals.from.hint"), when: (values) => counts(values) && values.due === "every" },
    { name: "start_date", label: t("since"), type: "date", when: counts }, { name: "target_date", label: t("until"), type: "date" },
    { name: "keywords", label: t("goals.keywords"), type: "words", hint: t("goals.keywords.hint"), when: counts }, { name: "units", label: t("goals.units"), type: "words", hint: t("goals.units.hint"), when: counts },
    { name: "relevance", label: t("goals.why"), type: "long" }, { name: "expected_term_length", label: t("goals.weeks"), type: "number", min: 1, max: 520, when: is("smart") },
    { name: "requested_by", label: t("goals.by"), when: is("obligation") }, { name: "consequence", label: t("goals.consequence"), type: "long", when: is("obligation") },
    { name: "description", label: t("goals.about"), type: "long" },
    { name: "remind", label: t("goals.remind"), type: "time", hint: t("goals.remind.hint") }, { name: "remind_on", label: t("goals.remind.on"), type: "days", when: ({ remind }) => Boolean(remind) },
  ]);
  const line = /** @type {import("../kit/form.js").Field[]} */ ([{ name: "line", label: t("goals.welcome"), hint: t("goals.line.hint"), then: read }, { name: "reading", label: "", show: readAs }]);
  editor(t(goal ? "goals.edit" : "goals.new"), goal ? fields : [...line, ...fields.map((one) => ({ ...one, isMore: true, then: () => void own.add(one.name) }))], before, async (values, differs) => {
    delete values.line;
    delete values.reading;
    if (!goal && !values.title) throw new Error(t("goals.line.none"));
    const { amount: wanted, unit, rule, length, due, weekdays, days, from, kind, remind, remind_on: on = [], ...rest } = values;
    const change = /** @type {Record<string, any>} */ ({ ...body(rest, differs), ...(goal ? {} : { kind }) });
    if (differs("amount") || differs("unit")) change.target = wanted == null ? null : { amount: wanted, unit: unit ?? "" };
    if (rule !== undefined && (differs("rule") || differs("length"))) change.rule = ruleOf(rule, goal?.rule, length ?? null);
    if (due !== undefined && ["due", "weekdays", "days", "from"].some(differs)) change.schedule = scheduleOf({ due, weekdays, days, from: from ?? values.start_date });
    if (differs("remind") || (remind && differs("remind_on"))) change.reminder = remind ? { at: remind.slice(0, 5), ...(on.length % 7 ? { weekdays: on } : {}) } : null;
    if (goal && Object.keys(change).length === 0) return;
    const saved = await (goal ? write("PATCH", `api/goals/${goal.id}`, change) : write("POST", "api/goals", change));
    undoable(t("goals.saved", { title: saved.title }), saved.id);
  }, goal ? remover("api/goals", goal.id, goal.title, removed) : null);
  document.getElementById("field-line")?.focus();
}

/** @param {any} [term] */
export function editTerm(term) {
  const before = { title: term?.title, theme: term?.theme, start_date: term?.start_date, target_date: term?.target_date, status: term?.status ?? "", reflection: term?.reflection };
  editor(t(term ? "terms.edit" : "terms.new"), [
    { name: "theme", label: t("terms.theme"), hint: t("terms.theme.hint") }, { name: "start_date", label: t("since"), type: "date", hint: term ? undefined : t("terms.start.hint") }, { name: "target_date", label: t("until"), type: "date", hint: term ? undefined : t("terms.end.hint") },
    { name: "status", label: t("terms.state"), type: "choice", choices: choices(["planned", "active", "completed", "delayed", "on_hold", "cancelled"], (name) => t(`terms.status.${name}`)), when: () => Boolean(term) },
    { name: "reflection", label: t("terms.reflection"), type: "long", when: () => Boolean(term) },
  ], before, async (values, differs) => {
    const saved = await (term ? write("PATCH", `api/terms/${term.id}`, body(values, differs)) : write("POST", "api/terms", body(values, differs)));
    undoable(t("goals.saved", { title: t("terms.number", { number: saved.number }) }), saved.id);
  }, term ? remover("api/terms", term.id, t("terms.number", { number: term.number })) : null);
}

/** @param {any} [value] */
export function editValue(value) {
  const before = { title: value?.title, kind: value?.kind ?? "general", priority: value?.priority ?? 50, life_domain: value?.life_domain, description: value?.description, alignment_guidance: value?.alignment_guidance };
  editor(t(value ? "values.edit" : "values.new"), [
    { name: "title", label: t("goals.title"), required: true }, { name: "kind", label: t("goals.kind"), type: "choice", choices: choices(["general", "major", "highest_order", "life_area"], (name) => t(`values.kind.${name}`)) },
    { name: "priority", label: t("values.priority"), type: "number", min: 1, max: 100, required: true, hint: t("values.priority.hint") }, { name: "life_domain", label: t("values.domain") },
    { name: "description", label: t("goals.about"), type: "long" }, { name: "alignment_guidance", label: t("values.guidance"), type: "long" },
  ], before, async (values, differs) => {
    const saved = await (value ? write("PATCH", `api/values/${value.id}`, body(values, differs)) : write("POST", "api/values", body({ ...values }, (name) => differs(name) || name === "title")));
    undoable(t("goals.saved", { title: saved.title }), saved.id);
  }, value ? remover("api/values", value.id, value.title) : null);
}

/**
 * Chooses the goals of a term.
 * @param {any} term
 */
export const chooseGoals = (term) => attempt(async () => {
  const { goals } = await call("GET", "api/goals?limit=200");
  const chosen = new Set(term.goals);
  const save = () => attempt(async () => {
    close();
    await write("PATCH", `api/terms/${term.id}`, { goals: [...chosen] });
    undoable(t("goals.saved", { title: t("terms.number", { number: term.number }) }), term.id);
  });
  const close = sheet(t("terms.choose"), h("form", { class: "stack", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void save(); } },
    goals.length === 0 ? h("p", { class: "hint" }, t("goals.none")) : null,
    h("ul", { class: "rows", role: "list" }, goals.map((/** @type {any} */ goal) => h("li", {}, h("label", { class: "check" }, h("input", { type: "checkbox", checked: chosen.has(goal.id), onchange: (/** @type {any} */ event) => { if (event.target.checked) chosen.add(goal.id); else chosen.delete(goal.id); } }),
      h("span", { dir: "auto" }, goal.title, goal.target ? h("span", { class: "hint" }, ` · ${amount(goal.target.amount, goal.target.unit)}`) : null))))),
    h("div", { class: "row" }, h("button", { class: "button primary", type: "submit" }, t("save")))));
});

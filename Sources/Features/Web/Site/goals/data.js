// What the pages of goals share: figures with their units, what is done and undone.
import { call } from "../net/api.js";
import { attempt, write } from "../net/source.js";
import { h } from "../kit/dom.js";
import { toast } from "../kit/toast.js";
import { language, t } from "../kit/words.js";

/** The zone that decides which day it is. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

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

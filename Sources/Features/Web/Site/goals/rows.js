// Rows that several pages of goals show: a goal with its bar, an action with what it counts for.
import { attempt, query, write } from "../net/source.js";
import { h } from "../kit/dom.js";
import { t } from "../kit/words.js";
import { actionName, amount, bar, figure, measured, state, undoable } from "./data.js";

/** @param {string} id @param {string} [day] the day as of which it is shown @param {number} [change] the change after which it is shown */
export const goalAddress = (id, day, change) => `#/goals/g/${encodeURIComponent(id)}${day ? `?${query({ day, change })}` : ""}`;

/**
 * How far it is from the last day, in words.
 * @param {string} day @param {string} end
 */
export function daysLeft(day, end) {
  const days = Math.round((Date.parse(end) - Date.parse(day)) / 86_400_000);
  return days < 0 ? t("goals.over", { n: -days }) : t("goals.left", { n: days });
}

/**
 * What is known of a goal's progress, in a line.
 * @param {any} goal
 */
export function facts(goal) {
  const { progress } = goal;
  return [figure(goal), goal.target_date ? daysLeft(progress.day, goal.target_date) : "",
    goal.rule.kind !== "each" && progress.pace?.required > 0 && progress.fraction < 1 ? t("goals.required", { amount: amount(progress.pace.required, progress.unit) }) : "",
    progress.current_streak !== undefined ? t("goals.streak", { n: progress.current_streak }) : ""].filter(Boolean).join(" · ");
}

/**
 * A goal in a list.
 * @param {any} goal @param {any} [buttons]
 */
export const goalRow = (goal, buttons) => h("li", { class: "goal" },
  h("div", { class: "goal-head" }, h("a", { class: "goal-title", href: goalAddress(goal.id), dir: "auto" }, goal.title || t("untitled")), goal.progress ? state(goal.progress.status) : null),
  goal.progress ? bar(goal) : null, h("div", { class: "goal-head" }, goal.progress ? h("p", { class: "hint" }, facts(goal)) : null, buttons));

/**
 * What an action counts for, as links.
 * @param {any[]} contributions
 */
const counted = (contributions) => contributions.map((one, index) => [index > 0 ? ", " : "", h("a", { href: goalAddress(one.goal), dir: "auto" }, one.title || t("untitled")), ` +${amount(one.amount, one.unit)}`]);

/**
 * An action in a list, with the button that deletes it.
 * @param {any} action @param {string} [day] shown when the list has several days
 */
export function actionRow(action, day) {
  const name = actionName(action);
  const facts = action.title ? measured(action) : "";
  const remove = () => attempt(async () => {
    await write("DELETE", `api/actions/${action.id}`);
    undoable(t("deleted", { title: name }), action.id);
  });
  return h("li", { class: "action" }, h("div", { class: "grow" }, h("p", {}, h("span", { dir: "auto" }, name), facts ? h("span", { class: "hint" }, ` ${facts}`) : null),
    h("p", { class: "hint" }, day ? [day, action.contributions ? " · " : ""] : null, action.contributions === undefined ? null : action.contributions.length > 0 ? [t("goals.counts"), " ", counted(action.contributions)] : t("goals.counts.none"))),
  h("button", { class: "quiet", type: "button", "data-key": `remove-${action.id}`, "aria-label": t("goals.remove", { title: name }), onclick: () => void remove() }, t("delete")));
}

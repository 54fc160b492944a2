// Today: one line to log with, what is due, what waits for a decision, what was logged.
import { call } from "../net/api.js";
import { attempt, source, write } from "../net/source.js";
import { h, icon } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { onDay, t } from "../kit/words.js";
import { actionName, amount, measured, percent } from "./data.js";
import { ask as now, isDue } from "./due.js";
import { editGoal } from "./forms.js";
import { logForm } from "./log.js";
import { openReview } from "./review.js";
import { actionRow, goalAddress, goalRow } from "./rows.js";

const waiting = 20;

/** Today with what waits, in two steps at most: what waits is asked for only where there is any. */
async function ask() {
  const today = await now();
  const [questions, proposals] = await Promise.all([
    today.questions > 0 ? call("GET", `api/goals/questions?limit=${waiting}`).then((page) => page.questions) : [],
    today.proposals > 0 ? call("GET", `api/goals/proposals?state=open&limit=${waiting}`).then((page) => page.proposals) : []]);
  return { ...today, asked: questions, proposed: proposals };
}

/** @param {any} goal @param {string} day */
const skip = (goal, day) => attempt(async () => {
  await write("PUT", `api/goals/${goal.id}/skips/${day}`);
  toast(t("goals.skipped", { title: goal.title }), { label: t("undo"), run: () => void attempt(() => write("DELETE", `api/goals/${goal.id}/skips/${day}`)) });
});

/** @param {any} one */
const question = ({ action, match }) => {
  const decide = (/** @type {string} */ answer) => attempt(async () => {
    const said = { action: action.id, goal: match.goal };
    await write("POST", "api/goals/decisions", { ...said, answer });
    toast(t(`ask.${answer}`, { title: match.title ?? "" }), { label: t("undo"), run: () => void attempt(() => write("POST", "api/goals/decisions", { ...said, answer: "open" })) });
  });
  const button = (/** @type {string} */ answer) => h("button", { class: "button", type: "button", "data-key": `${answer}-${action.id}-${match.goal}`, "aria-label": t(`ask.${answer}.long`, { action: actionName(action), goal: match.title ?? "" }), onclick: () => void decide(answer) }, t(`ask.${answer}.short`));
  return h("li", { class: "stack" }, h("p", {}, h("span", { dir: "auto" }, actionName(action)), h("span", { class: "hint" }, ` ${[action.title ? measured(action) : "", onDay(action.day)].filter(Boolean).join(" · ")}`)),
    h("p", {}, t("ask.does"), " ", h("a", { href: goalAddress(match.goal), dir: "auto" }, match.title || t("untitled")), match.amount != null ? ` (+${amount(match.amount, match.unit)})` : "", "?",
      h("span", { class: "hint" }, ` ${t("ask.sure", { share: percent(match.confidence) })}: ${match.shares.map((/** @type {any} */ one) => one.reason).join("; ")}`)),
    h("div", { class: "row" }, button("confirmed"), button("rejected")));
};

/** @param {any} one */
const proposal = (one) => {
  const act = (/** @type {string} */ method, /** @type {string} */ path) => attempt(() => write(method, `api/goals/proposals/${one.id}${path}`));
  return h("li", { class: "stack" }, h("p", { dir: "auto" }, one.summary), one.refusals.map((/** @type {string} */ text) => h("p", { class: "hint" }, text)),
    h("div", { class: "row" }, one.refusals.length === 0 ? h("button", { class: "button", type: "button", "data-key": `yes-${one.id}`, onclick: () => void act("POST", "/confirm") }, t("ask.confirm")) : null,
      h("button", { class: "button", type: "button", "data-key": `no-${one.id}`, onclick: () => void act("DELETE", "") }, t("ask.dismiss"))));
};

/** @param {string} title @param {any[]} rows @param {string} [name] */
const section = (title, rows, name = "goals-list") => (rows.length === 0 ? null : h("section", {}, h("h2", { tabindex: "-1" }, title), h("ul", { class: name, role: "list" }, rows)));

/** The view. */
export function today() {
  const day = signal(new Date().toISOString().slice(0, 10));
  const { view } = source(async () => {
    const answer = await ask();
    day.value = answer.day;
    return answer;
  });
  const skipButton = (/** @type {any} */ goal) => h("button", { class: "quiet skip-day", type: "button", "data-key": `skip-${goal.id}`, "aria-label": t("goals.skip.long", { title: goal.title }), onclick: () => void skip(goal, day.peek()) }, t("goals.skip"));
  const render = (/** @type {any} */ now) => {
    const goals = now.goals.filter((/** @type {any} */ one) => one.progress);
    const open = goals.filter(isDue);
    const done = goals.filter((/** @type {any} */ one) => one.progress.is_done);
    const rest = goals.filter((/** @type {any} */ one) => !isDue(one) && !one.progress.is_done);
    const waits = now.questions + now.proposals;
    return [
      h("p", { class: "hint" }, [onDay(now.day), ...now.terms.map((/** @type {any} */ one) => `${t("terms.number", { number: one.number })}${one.week ? `, ${t("terms.week", { week: one.week, weeks: one.weeks })}` : ""}`)].join(" · "), " ",
        waits > 0 ? h("button", { class: "quiet", type: "button", "data-key": "waiting", onclick: () => { const first = /** @type {HTMLElement | null} */ (document.querySelector(".waiting h2")); first?.scrollIntoView({ block: "start" }); first?.focus({ preventScroll: true }); } }, t("ask.waiting", { n: waits })) : null),
      now.goals.length === 0 && now.actions.length === 0 ? h("div", { class: "blank" }, h("h2", {}, t("goals.welcome")), h("p", {}, t("goals.welcome.text")),
        h("p", { class: "above" }, h("button", { class: "button primary", type: "button", onclick: () => editGoal() }, icon("plus"), t("goals.new")))) : null,
      section(t("today.due", { n: open.length }), open.map((/** @type {any} */ one) => goalRow(one, skipButton(one)))),
      h("div", { class: "waiting" }, section(t("ask.proposals"), now.proposed.map(proposal), "rows"), section(t("ask.questions", { n: now.questions }), now.asked.map(question), "rows")),
      open.length === 0 && done.length > 0 ? h("p", { class: "notice", role: "status" }, t("today.all")) : null,
      section(t("today.done"), done.map((/** @type {any} */ one) => goalRow(one))), section(t("today.rest"), rest.map((/** @type {any} */ one) => goalRow(one))),
      section(t("today.logged"), now.actions.map((/** @type {any} */ one) => actionRow(one)), "rows"),
      now.goals.length > 0 ? h("p", { class: "above" }, h("button", { class: "quiet", type: "button", onclick: () => void openReview({ kind: "week" }) }, t("review.week"))) : null,
    ];
  };
  return [logForm(() => day.value), view(render)];
}

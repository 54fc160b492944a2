// One goal: how far it is, its chart with the figures in a table, what counts for it, and all of that as of an earlier day.
import { call } from "../net/api.js";
import { attempt, paged, query, source, write } from "../net/source.js";
import { h, icon } from "../kit/dom.js";
import { weekdayNames } from "../kit/form.js";
import { go, route } from "../kit/router.js";
import { computed, effect } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { onDay, t } from "../kit/words.js";
import { amount, bar, number, percent, share, state, zone } from "./data.js";
import { chart, seriesOf } from "./chart.js";
import { editGoal } from "./forms.js";
import { chooseValues } from "./links.js";
import { actionRow, facts, goalAddress } from "./rows.js";

const mostRows = 60;
const mostWindows = 120;
const mostTitles = 200;

const marks = /** @type {Record<string, string>} */ ({ kept: "✓", failed: "✗", missing: "○", skipped: "–", open: "·" });

/**
 * How the latest windows came out, as signs; each has its words in the table.
 * @param {any[]} windows
 */
const strip = (windows) => h("p", { class: "strip", "aria-hidden": "true" }, windows.slice(-mostWindows).map((one) => h("i", { class: `is-${one.result}`, title: `${onDay(one.first)}: ${t(`window.${one.result}`)}` }, marks[one.result] ?? "·")));

/**
 * The figures of the chart, latest first.
 * @param {any} series @param {any[]} windows @param {string | undefined} unit
 */
function table(series, windows, unit) {
  let total = 0;
  const results = new Map(windows.map((one) => [one.first, one.result]));
  const rows = series.days.map((/** @type {any} */ one) => [one.day, amount(one.amount, unit), series.isTotal ? amount(total += one.amount, unit) : results.has(one.day) ? t(`window.${results.get(one.day)}`) : ""]);
  const known = new Set(series.days.map((/** @type {any} */ one) => one.day));
  for (const { first, result } of windows) if (!known.has(first)) rows.push([first, "–", t(`window.${result}`)]);
  rows.sort((/** @type {string[]} */ a, /** @type {string[]} */ b) => (a[0] < b[0] ? 1 : -1));
  const head = [t(series.step === 7 ? "table.week" : "log.day"), t("log.measured"), t(series.isTotal ? "table.total" : "table.result")];
  return h("details", { class: "figures-of" }, h("summary", {}, t("table.show")), h("div", { class: "table", tabindex: "0", role: "region", "aria-label": t("table.show") },
    h("table", {}, h("thead", {}, h("tr", {}, head.map((one) => h("th", { scope: "col" }, one)))), h("tbody", {}, rows.slice(0, mostRows).map((/** @type {string[]} */ row) => h("tr", {}, h("th", { scope: "row" }, onDay(row[0])), h("td", {}, row[1]), h("td", {}, row[2])))))),
  rows.length > mostRows ? h("p", { class: "hint" }, t("table.latest", { n: mostRows, of: rows.length })) : null);
}

/**
 * What the chart shows, in words.
 * @param {any} goal @param {any} progress
 */
function summary(goal, progress) {
  const { projection } = progress;
  const rows = [facts({ ...goal, progress }), share({ ...goal, progress })];
  if (projection && progress.fraction < 1) {
    const unit = progress.unit;
    // Without a last day there is no end to project to.
    if (goal.target_date) rows.push(projection.lower != null ? t("goals.projection.range", { n: amount(projection.estimate, unit), low: number(projection.lower), high: amount(projection.upper, unit) }) : t("goals.projection", { n: amount(projection.estimate, unit) }));
    if (projection.reached_on) rows.push(t("goals.reached", { day: onDay(projection.reached_on) }));
  }
  if (progress.score !== undefined) rows.push(t("goals.score", { share: percent(progress.score) }));
  return rows;
}

/** @param {any} series */
const legend = (series) => h("p", { class: "hint legend", "aria-hidden": "true" }, [["done", t("chart.done")], ["pace", t(series.isTotal && !series.isOpen ? "chart.pace" : "chart.target")], ...(series.projection ? [["ahead", t("chart.ahead")]] : [])].map(([name, text]) => h("span", {}, h("i", { class: `key-${name}` }), text)));

/** @param {any} schedule nothing for every day */
const dueText = ({ kind, days, weekdays }) => (kind === "every" ? t("goals.due.n", { n: days }) : kind === "weekdays" ? weekdayNames(weekdays) : "");

/** @param {any} goal @param {any} progress @param {Map<string, string>} values */
function body(goal, progress, values) {
  const series = seriesOf(goal, progress);
  const windows = progress.windows ?? [];
  const unit = progress.unit ?? goal.target?.unit;
  const lines = summary(goal, progress);
  const say = { number, day: onDay };
  const label = `${goal.title}: ${lines.map((line) => line.replace(/\.$/, "")).join(". ")}.`;
  const about = [[t("goals.why"), goal.relevance], [t("goals.about"), goal.description], [t("goals.by"), goal.requested_by], [t("goals.consequence"), goal.consequence], [t("goals.due"), dueText(goal.schedule)], [t("goals.remind"), goal.reminder && [goal.reminder.at, weekdayNames(goal.reminder.weekdays ?? [])].filter(Boolean).join(", ")], [t("goals.keywords"), goal.keywords.join(", ")], [t("goals.units"), goal.units.join(", ")]].filter(([, text]) => text);
  return [h("p", { class: "row" }, state(progress.status), h("span", { class: "hint" }, lines[0])), bar({ ...goal, progress }),
    h("ul", { class: "plain hint" }, lines.slice(1).map((line) => h("li", {}, line))),
    h("div", { class: "chart-and-table" }, h("figure", {}, series.days.length === 0 ? h("p", { class: "hint" }, t("chart.none")) : [chart(series, label, say), legend(series)], windows.length > 0 ? strip(windows) : null), table(series, windows, unit)),
    goal.values.length > 0 ? h("p", { class: "hint" }, t("goals.serves"), " ", goal.values.map((/** @type {any} */ one, /** @type {number} */ index) => [index > 0 ? ", " : "", h("a", { href: "#/goals/values", dir: "auto" }, values.get(one.value) ?? t("untitled")), ` (${one.alignment}/10)`])) : null,
    about.length > 0 ? h("dl", { class: "facts" }, about.map(([name, text]) => [h("dt", {}, name), h("dd", { dir: "auto" }, text)])) : null];
}

/**
 * The view.
 * @param {string} id
 */
export function goalView(id) {
  const path = `api/goals/${encodeURIComponent(id)}`;
  const day = computed(() => (route.value.view === "goals" ? route.value.query.get("day") ?? "" : ""));
  const change = computed(() => route.value.query.get("change") ?? "");
  const { found, view } = source(async () => {
    const past = day.value;
    // Before the history began there is no earlier row: it is shown as it is now, its figures as of the day.
    const earlier = (/** @type {string} */ moment) => call("GET", `${path}?${query({ as_of: moment })}`).catch((error) => { if (error.status !== 404) throw error; return call("GET", path).then((goal) => ({ ...goal, isNow: true })); });
    const [goal, progress] = await Promise.all([past ? earlier(change.value || past) : call("GET", path), call("GET", `${path}/progress?${query({ day: past, zone })}`)]);
    const values = goal.values.length > 0 ? (await call("GET", `api/values?limit=${mostTitles}`)).values : [];
    return { goal, progress, today: progress.day, past, values: new Map(values.map((/** @type {any} */ one) => [one.id, one.title])) };
  });
  const actions = paged("actions", (cursor) => `api/actions?${query({ goal: id, to: day.value, limit: 20, cursor })}`);
  effect(() => { document.title = `${found.value?.goal?.title || t("nav.goals")} – Selene`; });
  const asOf = h("input", { class: "input", id: "goal-day", type: "date", value: () => day.value, onchange: () => go(goalAddress(id, asOf.value), { replace: true }) });
  const skipped = (/** @type {any} */ now) => now.goal.skips.includes(now.today);
  const skip = (/** @type {any} */ now) => attempt(async () => {
    const isSkipped = skipped(now);
    await write(isSkipped ? "DELETE" : "PUT", `${path}/skips/${now.today}`);
    toast(t(isSkipped ? "goals.unskipped" : "goals.skipped", { title: now.goal.title }));
  });
  const tools = (/** @type {any} */ now) => h("div", { class: "row tools" }, h("div", { class: "row as-of" }, h("label", { class: "label", for: "goal-day" }, t("goals.as-of")), asOf, now.past ? h("a", { class: "quiet", href: goalAddress(id) }, t("goals.today")) : null),
    now.past ? null : h("button", { class: "quiet", type: "button", "data-key": "skip", onclick: () => void skip(now) }, t(skipped(now) ? "goals.unskip" : "goals.skip")),
    h("a", { class: "quiet", href: `#/goals/history?id=${encodeURIComponent(id)}` }, t("goals.history")),
    now.past ? null : h("button", { class: "quiet", type: "button", "data-key": "links", "aria-haspopup": "dialog", onclick: () => void chooseValues(now.goal) }, t("goals.values")),
    now.past ? null : h("button", { class: "quiet", type: "button", "data-key": "edit", "aria-haspopup": "dialog", onclick: () => editGoal(now.goal, () => go("#/goals/all")) }, t("edit")));
  return [h("header", { class: "view-head" }, h("a", { class: "quiet", href: "#/goals/all" }, icon("before"), t("nav.goals"))),
    h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("goals.one") },
      () => (found.value?.goal ? null : h("h1", { class: "unseen" }, t("goals.one"))),
      view((now) => [h("h1", { class: "title", dir: "auto" }, now.goal.title), now.past ? h("p", { class: "notice", role: "status" }, t(now.goal.isNow ? "goals.past.figures" : "goals.past", { day: onDay(now.past) })) : null,
        body(now.goal, now.progress, now.values), tools(now)]),
      h("section", { class: "near" }, h("h2", {}, t("goals.actions")), actions.view((now) => (now.actions.length === 0 ? h("p", { class: "hint" }, t("goals.actions.none"))
        : h("ul", { class: "rows", role: "list" }, now.actions.map((/** @type {any} */ one) => actionRow(one, onDay(one.day)))))), actions.more))];
}

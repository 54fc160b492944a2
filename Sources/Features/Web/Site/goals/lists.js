// All goals, the board of a term, and the values that goals serve.
import { call } from "../net/api.js";
import { paged, query, source } from "../net/source.js";
import { h, icon } from "../kit/dom.js";
import { address, go, route } from "../kit/router.js";
import { computed, signal } from "../kit/signal.js";
import { onDay, t } from "../kit/words.js";
import { bar, figure, state } from "./data.js";
import { chooseGoals, editGoal, editTerm, editValue } from "./forms.js";
import { openReview } from "./review.js";
import { goalAddress, goalRow } from "./rows.js";

const most = 200;
/** @param {string} title @param {string} text @param {any} button */
const blank = (title, text, button) => h("div", { class: "blank" }, h("h2", {}, title), h("p", {}, text), h("p", { class: "above" }, button));
/** @param {string} label @param {() => void} run @param {boolean} [isMain] */
const add = (label, run, isMain) => h("button", { class: ["button", isMain && "primary"], type: "button", "aria-haspopup": "dialog", onclick: run }, icon("plus"), label);

/** All goals, those that end first above. */
export function goalsList() {
  const words = signal("");
  let timer = 0;
  const { view, more } = paged("goals", (cursor) => `api/goals?${query({ progress: true, limit: 50, q: words.value, cursor })}`);
  const search = h("input", { class: "input", id: "goal-search", type: "search", placeholder: t("goals.search"), oninput: () => { clearTimeout(timer); timer = window.setTimeout(() => { words.value = search.value.trim(); }, 150); } });
  return [h("div", { class: "row filters" }, h("label", { class: "unseen", for: "goal-search" }, t("goals.search")), search, add(t("goals.new"), () => editGoal())),
    view((now) => (now.goals.length > 0 ? h("ul", { class: "goals-list", role: "list" }, now.goals.map((/** @type {any} */ one) => goalRow(one)))
      : words.peek() ? h("p", { class: "blank", role: "status" }, t("goals.unfound")) : blank(t("goals.welcome"), t("goals.welcome.text"), add(t("goals.new"), () => editGoal(), true)))), more];
}

const columns = /** @type {[string, string[]][]} */ ([["behind", ["behind", "overdue"]], ["to-begin", ["not_started"]], ["on-track", ["on_track"]], ["reached", ["complete", "overachieved"]]]);

/** @param {any} goal */
const card = (goal) => h("li", { class: "card-of" }, h("a", { class: "goal-title", href: goalAddress(goal.id), dir: "auto" }, goal.title || t("untitled")), goal.progress ? [bar(goal), h("p", { class: "hint" }, state(goal.progress.status), " · ", figure(goal))] : null);

/** @param {any} now */
function board({ term, goals, overlapping }) {
  const order = new Map(term.goals.map((/** @type {string} */ id, /** @type {number} */ index) => [id, index]));
  const sorted = [...goals].sort((a, b) => (order.get(a.id) ?? most) - (order.get(b.id) ?? most));
  const weeks = Array.from({ length: Math.min(term.weeks, 60) }, (_, index) => h("i", { class: term.week && index + 1 < term.week ? "is-over" : index + 1 === term.week ? "is-now" : null }));
  return [h("h2", { class: "title", dir: "auto" }, term.theme || term.title || t("terms.number", { number: term.number })),
    h("p", { class: "hint" }, [t(`terms.status.${term.status}`), `${onDay(term.start_date)} – ${onDay(term.target_date)}`, term.week ? t("terms.week", { week: term.week, weeks: term.weeks }) : t("terms.weeks", { n: term.weeks })].join(" · ")),
    h("p", { class: "weeks", "aria-hidden": "true" }, weeks),
    h("div", { class: "row tools" }, h("button", { class: "quiet", type: "button", "data-key": "choose", "aria-haspopup": "dialog", onclick: () => void chooseGoals(term) }, t("terms.choose")),
      h("button", { class: "quiet", type: "button", "data-key": "edit", "aria-haspopup": "dialog", onclick: () => editTerm(term) }, t("edit")), h("button", { class: "quiet", type: "button", "data-key": "review", "aria-haspopup": "dialog", onclick: () => void openReview({ kind: "term", term: term.id }) }, t("review.term"))),
    sorted.length === 0 ? h("p", { class: "blank" }, t("terms.empty")) : h("div", { class: "board" }, columns.map(([name, states]) => {
      const found = sorted.filter((one) => states.includes(one.progress?.status ?? "not_started"));
      return h("section", { class: "column" }, h("h3", {}, t(`board.${name}`), h("span", { class: "hint" }, ` ${found.length}`)), found.length > 0 ? h("ul", { role: "list" }, found.map(card)) : h("p", { class: "hint" }, t("board.none")));
    })),
    overlapping.length > 0 ? h("p", { class: "hint" }, t("terms.overlapping"), " ", overlapping.map((/** @type {any} */ one, /** @type {number} */ index) => [index > 0 ? ", " : "", h("a", { href: goalAddress(one.id), dir: "auto" }, one.title)])) : null,
    term.reflection ? h("section", { class: "near" }, h("h3", {}, t("terms.reflection")), h("p", { class: "lead", dir: "auto" }, term.reflection)) : null];
}

/** The board of the term that the address names, else of the one that runs. */
export function terms() {
  const chosen = computed(() => (route.value.view === "goals" ? route.value.query.get("term") : null));
  const { view } = source(async () => {
    const wanted = chosen.value;
    const { terms: all } = await call("GET", `api/terms?limit=${most}`);
    const id = wanted ?? (all.find((/** @type {any} */ one) => one.week) ?? all[0])?.id;
    if (!id) return { all, term: null };
    const [term, page] = await Promise.all([call("GET", `api/terms/${encodeURIComponent(id)}`), call("GET", `api/goals?${query({ term: id, progress: true, limit: most })}`)]);
    const others = term.overlapping?.length > 0 ? (await call("GET", `api/goals?limit=${most}`)).goals.filter((/** @type {any} */ one) => term.overlapping.includes(one.id)) : [];
    return { all, term, goals: page.goals, overlapping: others };
  });
  return [view((now) => {
    if (!now.term) return blank(t("terms.none"), t("terms.none.text"), add(t("terms.new"), () => editTerm(), true));
    const pick = h("select", { class: "input", id: "term", onchange: () => go(address("goals", "terms", { term: pick.value }), { replace: true }) },
      now.all.map((/** @type {any} */ one) => h("option", { value: one.id, selected: one.id === now.term.id }, [t("terms.number", { number: one.number }), one.theme].filter(Boolean).join(": "))));
    return [h("div", { class: "row filters" }, h("label", { class: "unseen", for: "term" }, t("terms.pick")), pick, add(t("terms.new"), () => editTerm())), board(now)];
  })];
}

/** The values, the first ones above, each with the goals that serve it. */
export function values() {
  const { view } = source(async () => {
    const { values: found } = await call("GET", `api/values?limit=${most}`);
    const goals = found.some((/** @type {any} */ one) => one.goals.length > 0) ? (await call("GET", `api/goals?limit=${most}`)).goals : [];
    return { values: found, titles: new Map(goals.map((/** @type {any} */ one) => [one.id, one.title])) };
  });
  const row = (/** @type {any} */ one, /** @type {Map<string, string>} */ titles) => h("li", { class: "value" },
    h("div", { class: "goal-head" }, h("h2", { dir: "auto" }, one.title), h("button", { class: "quiet", type: "button", "data-key": `edit-${one.id}`, "aria-haspopup": "dialog", "aria-label": t("actions.of", { title: one.title }), onclick: () => editValue(one) }, t("edit"))),
    h("p", { class: "hint" }, [t(`values.kind.${one.kind}`), t("values.priority.of", { n: one.priority }), one.life_domain].filter(Boolean).join(" · ")), one.description ? h("p", { class: "lead", dir: "auto" }, one.description) : null,
    h("p", { class: "hint" }, one.goals.length === 0 ? t("values.unserved") : [t("values.served"), " ", one.goals.map((/** @type {string} */ id, /** @type {number} */ index) => [index > 0 ? ", " : "", h("a", { href: goalAddress(id), dir: "auto" }, titles.get(id) ?? t("untitled"))])]));
  return [view((now) => (now.values.length === 0 ? blank(t("values.none"), t("values.none.text"), add(t("values.new"), () => editValue(), true))
    : [h("div", { class: "row filters" }, add(t("values.new"), () => editValue())), h("ul", { class: "rows", role: "list" }, now.values.map((/** @type {any} */ one) => row(one, now.titles)))]))];
}

// The goals: today, all goals, terms, values, history, or one goal, as the address says.
import { define, h } from "../kit/dom.js";
import { keepPlace, swap } from "../kit/library.js";
import { route } from "../kit/router.js";
import { computed, effect, untracked } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { goalView } from "./goal.js";
import { history } from "./history.js";
import { goalsList, terms, values } from "./lists.js";
import { measures } from "./measures.js";
import { today } from "./today.js";

export { ready } from "./due.js";

/** @type {Record<string, [string, () => any[]]>} */
const pages = { "": ["goals.today", today], all: ["goals.all", goalsList], terms: ["goals.terms", terms], values: ["goals.values", values], measures: ["goals.measures", measures], history: ["goals.history", history] };

/** @param {string} name */
function page(name) {
  const [title, parts] = pages[name] ?? pages[""];
  document.title = `${t(title)} – Selene`;
  const tabs = Object.entries(pages).map(([id, [label]]) => h("a", { class: "tab", href: id ? `#/goals/${id}` : "#/goals", "aria-current": id === name ? "page" : null }, t(label)));
  const scroller = h("div", { class: "page goals-page", tabindex: "0", role: "region", "aria-label": t(title) }, parts());
  keepPlace(scroller, `goals/${name}`);
  return [h("header", { class: "view-head" }, h("h1", { class: "unseen" }, t(title)), h("nav", { class: "tabs", "aria-label": t("nav.goals") }, tabs)), scroller];
}

define("selene-goals", (element) => {
  element.className = "library goals";
  const shown = computed(() => (route.value.view === "goals" ? route.value.id ?? "" : null));
  effect(() => {
    const name = shown.value;
    if (name === null) return;
    untracked(() => swap(element, name.startsWith("g/") ? goalView(name.slice(2)) : page(name)));
  });
});

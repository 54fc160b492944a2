// The goals: today, all goals, terms, values, history, or one goal, as the address says.
import { define, h, style } from "../kit/dom.js";
import { keepPlace, ready as shared, swap } from "../kit/library.js";
import { route } from "../kit/router.js";
import { computed, effect, untracked } from "../kit/signal.js";
import { addWords, t } from "../kit/words.js";
import { goalView } from "./goal.js";
import { history } from "./history.js";
import { goalsList, terms, values } from "./lists.js";
import { measures } from "./measures.js";
import { today } from "./today.js";

/** What the view needs before it is shown. */
export const ready = Promise.all([shared, style(new URL("../css/goals.css", import.meta.url).href),
  addWords({ en: () => import("../words/goals-en.js"), de: () => import("../words/goals-de.js") })]);

/** @type {Record<string, [string, () => any[]]>} */
const pages = { "": ["goals.today", today], all: ["goals.all", goalsList], terms: ["goals.terms", terms], values: ["goals.values", values], measures: ["goals.measures", measures], history: ["goals.history", history] };

/** @param {string} name */
function page(name) {
  const [title, parts] = pages[name] ?? pages[""];
  document.title = `${t(title)} – Selene`;
  const tabs = Object.entries(pages).map(([id, [label]]) => h("a", { class: "tab", href: id ? `#/goals/${id}` : "#/goals", "aria-current": id === name ? "page" : null }, t(label)));
  const scroller = h("div", { class: "page goals-page", tabindex: "0", role: "region", "aria-label": t(title) }, parts());
  keepPlace(scroller, `goals/${name}`);
  return [h("header", { class: "view-head" }, h("h1", {}, t(title))), h("nav", { class: "tabs", "aria-label": t("nav.goals") }, tabs), scroller];
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

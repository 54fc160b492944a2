// The tasks: those that notes speak of and that wait for a decision, and those of the threads.
import { call, forgets } from "../net/api.js";
import { workflow } from "../net/remedy.js";
import { define, h, icon } from "../kit/dom.js";
import { bones, failure, keepPlace, swap } from "../kit/library.js";
import { address, route } from "../kit/router.js";
import { computed, effect, signal, untracked } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { onDay, t } from "../kit/words.js";
export { ready } from "../kit/library.js";

const drafts = signal(/** @type {any} */ (null));
const tasks = signal(/** @type {any} */ (null));
/** The threads that a task may go to; read when a draft has none. */
const threads = signal(/** @type {any[]} */ ([]));
forgets(() => { drafts.value = tasks.value = null; threads.value = []; });

async function load() {
  try {
    const [found, open] = await Promise.all([call("GET", "api/tasks/drafts"), call("GET", "api/tasks")]);
    drafts.value = found.drafts;
    tasks.value = open.tasks;
    if (found.drafts.some((/** @type {any} */ one) => !one.thread)) threads.value = (await call("GET", "api/threads?limit=100")).threads;
  } catch (error) { drafts.value = error; }
}

/**
 * Sends a decision and shows what is left.
 * @param {string} method @param {string} path @param {any} [body]
 */
async function decide(method, path, body) {
  try { await call(method, path, body); } catch (error) { toast(/** @type {any} */ (error).message || t("error")); }
  await load();
  document.getElementById("tasks-title")?.focus();
}

/** @param {any} one */
const due = (one) => (one.due ? h("span", { class: "hint" }, t("briefing.due", { day: onDay(one.due) })) : null);

/** @param {any} one */
function draft(one) {
  const choice = one.thread ? null : h("select", { class: "input", "aria-label": t("task.thread", { title: one.title }) }, h("option", { value: "" }, t("task.choose")), () => threads.value.map((thread) => h("option", { value: thread.id }, thread.name)));
  const confirm = () => {
    const thread = one.thread ? undefined : Number(/** @type {any} */ (choice).value);
    if (thread === 0) { /** @type {any} */ (choice).focus(); return; }
    void decide("POST", `api/tasks/drafts/${one.id}/confirm`, thread ? { thread } : {});
  };
  return h("li", { class: "entry task" }, h("p", { dir: "auto" }, one.title, " ", due(one)),
    one.source.text.replace(/[.!]+$/, "") !== one.title ? h("p", { class: "snippet", dir: "auto" }, one.source.text) : null,
    one.thread ? h("p", { class: "hint", dir: "auto" }, one.thread.name) : null,
    h("div", { class: "row" }, choice, h("button", { class: "button", type: "button", "aria-label": t("task.confirm.long", { title: one.title }), onclick: confirm }, t("task.confirm")),
      h("button", { class: "quiet", type: "button", "aria-label": t("task.decline.long", { title: one.title }), onclick: () => void decide("DELETE", `api/tasks/drafts/${one.id}`) }, t("task.decline")),
      one.source.note_id ? h("a", { class: "quiet", href: address("notes", String(one.source.note_id)), dir: "auto" }, one.source.title || t("untitled"))
        : one.source.session ? h("a", { class: "quiet", href: address("chat", one.source.session) }, t("nav.chat")) : null));
}

/** @param {any} one @param {() => void} done */
export const taskRow = (one, done) => h("li", { class: "entry task" }, h("label", { class: "check" }, h("input", { type: "checkbox", onchange: done }), h("span", { dir: "auto" }, one.title || t("untitled")), due(one)),
  one.thread ? h("a", { class: "quiet", href: address("threads", String(one.thread.id)), dir: "auto" }, one.thread.name) : null);

function page() {
  document.title = `${t("tasks")} – Selene`;
  void load();
  const scroller = h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("tasks") },
    () => (drafts.value === null ? bones() : drafts.value instanceof Error ? failure(drafts.value, () => void load()) : null),
    () => (drafts.value?.length > 0 ? h("section", {}, h("h2", {}, t("task.drafts")), h("ul", { class: "entries", role: "list", "aria-label": t("task.drafts") }, drafts.value.map(draft))) : null),
    () => (tasks.value ? [h("h2", {}, t("task.open")), tasks.value.length > 0 ? h("ul", { class: "entries", role: "list", "aria-label": t("task.open") }, tasks.value.map((/** @type {any} */ one) => taskRow(one, () => void decide("PATCH", `api/tasks/${one.id}`, { done: true })))) : [h("p", { class: "hint" }, t("task.none")), drafts.value?.length === 0 ? workflow("actions") : null]] : null));
  keepPlace(scroller, "tasks");
  return [h("header", { class: "view-head" }, h("a", { class: "quiet", href: "#/today" }, icon("before"), t("nav.today")), h("h1", { id: "tasks-title", tabindex: "-1" }, t("tasks"))), scroller];
}

define("selene-tasks", (element) => {
  element.className = "library";
  const isHere = computed(() => route.value.view === "tasks");
  effect(() => { if (isHere.value) untracked(() => swap(element, page())); });
});

// Today on one page: the briefing, tasks and goals that are due, and what waits for a decision, each loaded on its own. And the briefing of
// an earlier day, with its cards. And all tasks: those that notes speak of and that wait for a decision, those of the threads, and the
// check boxes of notes.
import { choose, propose } from "../chat/state.js";
import { call, forgets } from "../net/api.js";
import { reading } from "../net/base.js";
import { workflow } from "../net/remedy.js";
import { define, h, icon } from "../kit/dom.js";
import { bones, failure, keepPlace, keptNotice, swap } from "../kit/library.js";
import { address, bookAddress, go, route } from "../kit/router.js";
import { computed, effect, signal, untracked } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { exact, inForm, onDay, t } from "../kit/words.js";
export { ready } from "../kit/library.js";

/**
 * What a question about a card may use: its book or its thread, else all notes.
 * @param {any} card
 */
function scopeOf({ book, thread }) {
  if (book) return { scope: { book: book.id }, names: [book.title], kind: "book" };
  return thread ? { scope: { thread: thread.id }, names: [thread.name], kind: "deep_dive" } : { scope: {}, names: [], kind: "ask" };
}

/**
 * The parts of the text: words, and numbers of cards.
 * @param {string} text @param {number} count of the cards
 */
function pieces(text, count) {
  return text.split(/(\[\d+\])/).filter(Boolean).map((part) => {
    const number = Number(/^\[(\d+)\]$/.exec(part)?.[1] ?? 0);
    return number >= 1 && number <= count ? number : part;
  });
}

/**
 * Opens a new chat with the card's question, ready to be sent or changed. What was being written can be brought back.
 * @param {any} card
 */
function ask(card) {
  choose(scopeOf(card));
  const before = propose(card.question);
  // The view takes the focus when it is shown, the question takes it after that.
  addEventListener("hashchange", () => requestAnimationFrame(() => document.getElementById("question")?.focus()), { once: true });
  go("#/chat");
  if (before && before !== card.question) toast(t("briefing.draft"), { label: t("undo"), run: () => void propose(before) });
}

/** @param {any} one */
const cardTask = (one) => h("li", { class: "row" }, h("span", { "aria-hidden": "true" }, one.completed_at ? "✓" : "○"), h("span", { class: "grow" }, h("span", { dir: "auto" }, one.title || t("untitled")), one.due ? h("span", { class: "hint" }, ` ${t("briefing.due", { day: onDay(one.due) })}`) : null));

/** @param {any} card */
const cardView = (card) => h("li", { class: "briefing-card", id: `card-${card.number}`, tabindex: "-1" }, h("p", { class: "label" }, `${card.number} · ${t(`briefing.kind.${card.kind}`).replace(/^briefing\.kind\./, "")}`), h("h2", { dir: "auto" }, card.title || t("untitled")),
  h("p", { dir: "auto" }, card.reason),
  card.notes.length > 0 ? h("ul", { class: "rows", role: "list", "aria-label": t("nav.notes") }, card.notes.map((/** @type {any} */ note) => h("li", {}, h("a", { class: "item", href: address("notes", String(note.id)) }, h("span", { dir: "auto" }, note.title || t("untitled")), h("time", { class: "hint", datetime: note.created_at, title: exact(note.created_at) }, onDay(note.created_at.slice(0, 10))))))) : null,
  card.tasks?.length > 0 ? h("ul", { class: "plain", "aria-label": t("tasks") }, card.tasks.map(cardTask)) : null,
  card.goals?.length > 0 ? h("ul", { class: "plain", "aria-label": t("nav.goals") }, card.goals.map((/** @type {any} */ one) => h("li", { class: "row" }, h("a", { class: "quiet", href: `#/goals/g/${encodeURIComponent(one.id)}`, dir: "auto" }, one.title || t("untitled")), h("span", { class: "hint" }, one.detail)))) : null,
  h("div", { class: "row" }, h("button", { class: "button", type: "button", onclick: () => ask(card), dir: "auto" }, card.question),
    card.tasks?.length > 0 ? h("a", { class: "quiet", href: "#/tasks" }, t("tasks")) : null,
    card.thread ? h("a", { class: "quiet", href: address("threads", String(card.thread.id)) }, t("thread")) : null,
    card.book ? h("a", { class: "quiet", href: bookAddress(card.book.id, card.book.page || 1) }, t("book.page", { page: card.book.page })) : null));

/** @param {any} briefing */
const words = (briefing) => h("p", { class: "lead", dir: "auto" }, pieces(briefing.text, briefing.cards.length).map((part) => (typeof part === "string" ? part
  : h("button", { class: "cite", type: "button", "aria-label": t("briefing.card", { n: part }), onclick: () => { const card = document.getElementById(`card-${part}`); card?.scrollIntoView({ block: "start" }); card?.focus(); } }, String(part)))));

const drafts = signal(/** @type {any} */ (null));
/** Tasks of threads, and drafts that are check boxes of notes. */
const tasks = signal(/** @type {any} */ (null));
/** The threads that a task may go to; read when a draft has none. */
const threads = signal(/** @type {any[]} */ ([]));
forgets(() => { drafts.value = tasks.value = null; threads.value = []; });

/** @param {any[]} [list] of drafts */
const boxes = (list = []) => list.filter((one) => one.box);
/**
 * How a task is done: a check box is ticked in its note.
 * @param {any} one @param {boolean} [done] @returns {[string, string, any?]}
 */
const finishing = (one, done = true) => (one.box ? ["POST", `api/tasks/drafts/${one.id}/done`] : ["PATCH", `api/tasks/${one.id}`, { done }]);

async function loadTasks() {
  try {
    const [found, open] = await Promise.all([call("GET", "api/tasks/drafts?limit=500"), call("GET", "api/tasks?limit=500")]);
    drafts.value = found.drafts.filter((/** @type {any} */ one) => !one.box);
    tasks.value = [...open.tasks, ...boxes(found.drafts)];
    if (drafts.value.some((/** @type {any} */ one) => !one.thread)) threads.value = (await call("GET", "api/threads?limit=100")).threads;
  } catch (error) { drafts.value = error; }
}

/**
 * Sends a decision and shows what is left.
 * @param {string} method @param {string} path @param {any} [body]
 */
async function decide(method, path, body) {
  try { await call(method, path, body); } catch (error) { toast(/** @type {any} */ (error).message || t("error")); }
  await loadTasks();
  document.getElementById("tasks-title")?.focus();
}

/** @param {any} one */
const dueHint = (one) => (one.due ? h("span", { class: "hint" }, t("briefing.due", { day: onDay(one.due) })) : null);

/** @param {any} one */
const noteLink = ({ source }) => h("a", { class: "quiet", href: address("notes", String(source.note_id)), dir: "auto" }, source.title || t("untitled"));

/** @param {any} one */
function draft(one) {
  const choice = one.thread ? null : h("select", { class: "input", "aria-label": t("task.thread", { title: one.title }) }, h("option", { value: "" }, t("task.choose")), () => threads.value.map((thread) => h("option", { value: thread.id }, thread.name)));
  const confirm = () => {
    const thread = one.thread ? undefined : Number(/** @type {any} */ (choice).value);
    if (thread === 0) { /** @type {any} */ (choice).focus(); return; }
    void decide("POST", `api/tasks/drafts/${one.id}/confirm`, thread ? { thread } : {});
  };
  return h("li", { class: "entry task" }, h("p", { dir: "auto" }, one.title, " ", dueHint(one)),
    one.source.text.replace(/[.!]+$/, "") !== one.title ? h("p", { class: "snippet", dir: "auto" }, one.source.text) : null,
    one.thread ? h("p", { class: "hint", dir: "auto" }, one.thread.name) : null,
    h("div", { class: "row" }, choice, h("button", { class: "button", type: "button", "aria-label": t("task.confirm.long", { title: one.title }), onclick: confirm }, t("task.confirm")),
      h("button", { class: "quiet", type: "button", "aria-label": t("task.decline.long", { title: one.title }), onclick: () => void decide("DELETE", `api/tasks/drafts/${one.id}`) }, t("task.decline")),
      one.source.note_id ? noteLink(one)
        : one.source.session ? h("a", { class: "quiet", href: address("chat", one.source.session) }, t("nav.chat")) : null));
}

/** @param {any} one @param {() => void} done */
const taskRow = (one, done) => h("li", { class: "entry task" }, h("label", { class: "check" }, h("input", { type: "checkbox", onchange: done }), h("span", { dir: "auto" }, one.title || t("untitled")), dueHint(one)),
  one.box ? noteLink(one) : one.thread ? h("a", { class: "quiet", href: address("threads", String(one.thread.id)), dir: "auto" }, one.thread.name) : null);

function tasksPage() {
  document.title = `${t("tasks")} – Selene`;
  void loadTasks();
  const scroller = h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("tasks") },
    () => (drafts.value === null ? bones() : drafts.value instanceof Error ? failure(drafts.value, () => void loadTasks()) : null),
    () => (drafts.value?.length > 0 ? h("section", {}, h("h2", {}, t("task.drafts")), h("ul", { class: "entries", role: "list", "aria-label": t("task.drafts") }, drafts.value.map(draft))) : null),
    () => (tasks.value ? [h("h2", {}, t("task.open")), tasks.value.length > 0 ? h("ul", { class: "entries", role: "list", "aria-label": t("task.open") }, tasks.value.map((/** @type {any} */ one) => taskRow(one, () => void decide(...finishing(one))))) : [h("p", { class: "hint" }, t("task.none")), drafts.value?.length === 0 ? workflow("actions") : null]] : null));
  keepPlace(scroller, "tasks");
  return [h("header", { class: "view-head" }, h("a", { class: "quiet", href: "#/today" }, icon("before"), t("nav.today")), h("h1", { id: "tasks-title", tabindex: "-1" }, t("tasks"))), scroller];
}

define("selene-tasks", (element) => {
  element.className = "library";
  const isHere = computed(() => route.value.view === "tasks");
  effect(() => { if (isHere.value) untracked(() => swap(element, tasksPage())); });
});

/** @param {string} day @param {number} step */
const shifted = (day, step) => new Date(Date.parse(`${day}T12:00:00Z`) + step * 86_400_000).toISOString().slice(0, 10);
const today = () => new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

/** So long, in ms, the parts wait for each other: one that comes later moves what is read. */
const patience = 600;
/** The day whose briefing is shown; none for today. */
let day = "";
/** @param {string} path */
const get = (path) => call("GET", `api/${path}`);
const asks = /** @type {Record<string, () => Promise<any>>} */ ({
  briefing: () => reading("briefing", day || "today", () => get(`briefing/${day || "today"}`)),
  tasks: () => get("tasks"), "task.drafts": () => get("tasks/drafts?limit=500"), proposals: () => get("threads/proposals"),
  goals: () => import("../goals/due.js").then(async (due) => { await due.ready; return { due, ...await due.ask() }; }),
});
/**
 * What each part got: nothing before, null where the gateway has no such thing, or an error.
 * @type {Record<string, import("../kit/signal.js").Signal<any>>}
 */
const found = Object.fromEntries(Object.keys(asks).map((name) => [name, signal(undefined)]));
forgets(() => { for (const one of Object.values(found)) one.value = undefined; });

/** @param {string} name */
async function load(name) {
  const asked = day;
  const value = await asks[name]().catch((error) => (error.status === 404 ? null : error));
  if (asked === day) found[name].value = value;
}

/** @param {any} one */
const isLost = (one) => one instanceof Error && !(/** @type {any} */ (one).status > 0);

/**
 * A part in its place. That the gateway cannot be reached is said once, above.
 * @param {string} name @param {(data: any) => any} show
 */
const part = (name, show) => () => {
  const now = found[name].value;
  if (!(now instanceof Error)) return now === undefined ? bones() : show(now);
  return isLost(now) ? null : h("section", {}, h("h2", {}, t(name === "tasks" || name === "proposals" || name === "task.drafts" ? name : `nav.${name}`)), failure(now, () => void load(name)));
};

/** @param {any} one @param {boolean} isDone */
async function finish(one, isDone) {
  try {
    await call(...finishing(one, isDone));
    if (isDone) toast(t("today.finished", { title: one.title }), one.box ? { label: t("task.show"), run: () => go(address("notes", String(one.source.note_id))) } : { label: t("undo"), run: () => void finish(one, false) });
  } catch (error) { toast(/** @type {any} */ (error).message || t("library.offline")); }
  await load(one.box ? "task.drafts" : "tasks");
  document.getElementById("main")?.focus();
}

const open = () => [...found.tasks.value?.tasks ?? [], ...boxes(found["task.drafts"].value?.drafts)];
/** The tasks whose day has come, the earliest first. */
const due = () => open().filter((/** @type {any} */ one) => one.due && one.due <= today()).sort((/** @type {any} */ a, /** @type {any} */ b) => (a.due < b.due ? -1 : 1));
const dueGoals = () => found.goals.value?.due?.rows(found.goals.value) ?? [];
/** What waits: how many, how that is said, and where. */
const waits = () => /** @type {[number, string, string][]} */ ([[found["task.drafts"].value?.drafts?.filter((/** @type {any} */ one) => !one.box).length, "today.drafts", "tasks"], [found.proposals.value?.proposals?.length, "today.proposals", "threads"],
  [found.goals.value?.questions + found.goals.value?.proposals, "ask.waiting", "goals"]]).filter(([n]) => n > 0);

/** @param {string} name @param {any} rows @param {string} to @param {string} more */
const section = (name, rows, to, more) => h("section", {}, h("div", { class: "row spread" }, h("h2", {}, t(name)), to ? h("a", { class: "quiet", href: to }, t(more)) : null),
  rows.length > 0 ? h("ul", { class: "rows", role: "list", "aria-label": t(name) }, rows) : h("p", { class: "hint" }, t("today.tasks.none")));

/** @param {any[]} list */
const cards = (list) => (list.length > 0 ? h("ol", { class: "cards", role: "list", "aria-label": t("briefing.cards") }, list.map(cardView)) : null);

function parts() {
  const values = () => Object.values(found).map((one) => one.value);
  const isPatient = signal(values().includes(undefined));
  setTimeout(() => { isPatient.value = false; }, patience);
  void Promise.all(Object.keys(asks).map(load)).then(() => { isPatient.value = false; });
  const isFree = () => values().every((one) => one !== undefined && !(one instanceof Error)) && due().length + dueGoals().length + waits().length + (found.briefing.value?.cards.length ?? 0) === 0;
  return [h("p", { class: "hint" }, inForm(Date.now(), { dateStyle: "full" })), () => (isPatient.value ? bones() : [
    () => (isFree() ? [h("p", { class: "lead" }, t("today.free")), workflow("briefing")] : null),
    part("briefing", (now) => (now?.cards.length > 0 ? words(now) : null)),
    part("tasks", () => (open().length > 0 ? section("today.tasks", due().map((/** @type {any} */ one) => taskRow({ ...one, thread: null }, () => void finish(one, true))), "#/tasks", "today.tasks.all") : null)),
    part("goals", () => (dueGoals().length > 0 ? section("today.goals", dueGoals(), "#/goals", "today.log") : null)),
    part("task.drafts", () => null), part("proposals", () => null),
    () => (waits().length > 0 ? section("today.waits", waits().map(([n, word, to]) => h("li", {}, h("a", { class: "more-link", href: address(to) }, t(word, { n }), icon("after")))), "", "") : null),
    // What is due is there already.
    () => cards((found.briefing.value?.cards ?? []).map((/** @type {any} */ one) => ({ ...one, tasks: [], goals: [] })))])];
}

/** The briefing of an earlier day. */
function past() {
  void load("briefing");
  return [h("p", { class: "hint" }, onDay(day)), part("briefing", (now) => (now ? [words(now), cards(now.cards)] : h("p", { class: "blank" }, t("briefing.none.day"))))];
}

/** @param {string} asked */
function page(asked) {
  if (asked !== day) found.briefing.value = undefined;
  day = asked;
  const now = day || today();
  const name = t(day ? "nav.briefing" : "nav.today");
  document.title = `${name} – Selene`;
  const again = () => { for (const one of day ? ["briefing"] : Object.keys(asks)) void load(one); };
  const link = (/** @type {number} */ step, /** @type {string} */ label) => h("a", { class: "quiet", href: shifted(now, step) === today() ? "#/today" : address("briefing", shifted(now, step)), "aria-label": t(label), title: t(label) }, icon(step < 0 ? "before" : "after"));
  const lost = computed(() => (day ? [found.briefing] : Object.values(found)).map((one) => one.value).find(isLost) ?? null);
  const kept = computed(() => found.briefing.value?.kept_at ?? 0);
  const scroller = h("div", { class: "page briefing", tabindex: "0", role: "region", "aria-label": name },
    () => (kept.value ? keptNotice(kept.value, again) : lost.value ? failure(lost.value, again) : null), day ? past() : parts());
  keepPlace(scroller, `today/${day}`);
  return [h("header", { class: "view-head" }, h("h1", {}, name), link(-1, "briefing.before"), now < today() ? link(1, "briefing.after") : null), scroller];
}

define("selene-today", (element) => {
  element.className = "library";
  const shown = computed(() => (route.value.view === "today" ? route.value.id ?? "" : null));
  effect(() => {
    const asked = shown.value;
    if (asked !== null) untracked(() => swap(element, page(/^\d{4}-\d\d-\d\d$/.test(asked) ? asked : "")));
  });
});

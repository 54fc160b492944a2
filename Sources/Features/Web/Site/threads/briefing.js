// The briefing of a day: its text, and cards with their notes, why each is there, and a question that begins a chat.
import { choose, propose } from "../chat/state.js";
import { call, forgets } from "../net/api.js";
import { reading } from "../net/base.js";
import { workflow } from "../net/remedy.js";
import { define, h, icon } from "../kit/dom.js";
import { bones, failure, keepPlace, keptNotice, swap } from "../kit/library.js";
import { address, bookAddress, go, route } from "../kit/router.js";
import { computed, effect, signal, untracked } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { exact, onDay, t } from "../kit/words.js";
export { ready } from "../kit/library.js";

/**
 * What a question about a card may use: its book or its thread, else all notes.
 * @param {any} card
 */
export function scopeOf({ book, thread }) {
  if (book) return { scope: { book: book.id }, names: [book.title], kind: "book" };
  return thread ? { scope: { thread: thread.id }, names: [thread.name], kind: "deep_dive" } : { scope: {}, names: [], kind: "ask" };
}

/**
 * The parts of the text: words, and numbers of cards.
 * @param {string} text @param {number} count of the cards
 */
export function parts(text, count) {
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
const task = (one) => h("li", { class: "row" }, h("span", { "aria-hidden": "true" }, one.completed_at ? "✓" : "○"), h("span", { class: "grow" }, h("span", { dir: "auto" }, one.title || t("untitled")), one.due ? h("span", { class: "hint" }, ` ${t("briefing.due", { day: onDay(one.due) })}`) : null));

/** @param {any} card */
const cardView = (card) => h("li", { class: "briefing-card", id: `card-${card.number}`, tabindex: "-1" }, h("p", { class: "label" }, `${card.number} · ${t(`briefing.kind.${card.kind}`).replace(/^briefing\.kind\./, "")}`), h("h2", { dir: "auto" }, card.title || t("untitled")),
  h("p", { dir: "auto" }, card.reason),
  card.notes.length > 0 ? h("ul", { class: "rows", role: "list", "aria-label": t("nav.notes") }, card.notes.map((/** @type {any} */ note) => h("li", {}, h("a", { class: "item", href: address("notes", String(note.id)) }, h("span", { dir: "auto" }, note.title || t("untitled")), h("time", { class: "hint", datetime: note.created_at, title: exact(note.created_at) }, onDay(note.created_at.slice(0, 10))))))) : null,
  card.tasks?.length > 0 ? h("ul", { class: "plain", "aria-label": t("tasks") }, card.tasks.map(task)) : null,
  card.goals?.length > 0 ? h("ul", { class: "plain", "aria-label": t("nav.goals") }, card.goals.map((/** @type {any} */ one) => h("li", { class: "row" }, h("a", { class: "quiet", href: `#/goals/g/${encodeURIComponent(one.id)}`, dir: "auto" }, one.title || t("untitled")), h("span", { class: "hint" }, one.detail)))) : null,
  h("div", { class: "row" }, h("button", { class: "button", type: "button", onclick: () => ask(card), dir: "auto" }, card.question),
    card.tasks?.length > 0 ? h("a", { class: "quiet", href: "#/tasks" }, t("tasks")) : null,
    card.thread ? h("a", { class: "quiet", href: address("threads", String(card.thread.id)) }, t("thread")) : null,
    card.book ? h("a", { class: "quiet", href: bookAddress(card.book.id, card.book.page || 1) }, t("book.page", { page: card.book.page })) : null));

/** @param {any} briefing */
const text = (briefing) => h("p", { class: "lead", dir: "auto" }, parts(briefing.text, briefing.cards.length).map((part) => (typeof part === "string" ? part
  : h("button", { class: "cite", type: "button", "aria-label": t("briefing.card", { n: part }), onclick: () => { const card = document.getElementById(`card-${part}`); card?.scrollIntoView({ block: "start" }); card?.focus(); } }, String(part)))));

/** @param {string} day @param {number} step */
const shifted = (day, step) => new Date(Date.parse(`${day}T12:00:00Z`) + step * 86_400_000).toISOString().slice(0, 10);

/** What was shown last; the list comes back to where it was. */
const found = signal(/** @type {any} */ (null));
/** The day of today as the gateway counts it. */
let today = "";
forgets(() => { found.value = null; });

/** @param {string} day empty for today */
function page(day) {
  document.title = `${t("nav.briefing")} – Selene`;
  let isOver = false;
  effect(() => () => { isOver = true; });
  const load = async () => {
    try {
      const answer = await reading("briefing", day || "today", () => call("GET", `api/briefing/${day || "today"}`));
      if (!day && !answer.kept_at) today = answer.date;
      if (!isOver) found.value = answer;
    } catch (error) { if (!isOver) found.value = error; }
  };
  if (found.peek()?.date !== (day || today) || !found.peek()?.date) found.value = null;
  void load();
  const again = () => { found.value = null; void load(); };
  const days = () => {
    const now = found.value?.date ?? day;
    if (!now) return null;
    const link = (/** @type {number} */ step, /** @type {string} */ name) => h("a", { class: "quiet", href: shifted(now, step) === today ? "#/briefing" : address("briefing", shifted(now, step)), "aria-label": t(name) }, icon(step < 0 ? "before" : "after"));
    return [link(-1, "briefing.before"), now < (today || now) ? link(1, "briefing.after") : null];
  };
  const scroller = h("div", { class: "page briefing", tabindex: "0", role: "region", "aria-label": t("nav.briefing") },
    () => (found.value === null ? bones() : !(found.value instanceof Error) ? null : /** @type {any} */ (found.value).status === 404 ? h("p", { class: "blank" }, t("briefing.none.day")) : failure(found.value, again)),
    () => (found.value?.kept_at ? keptNotice(found.value.kept_at, again) : null),
    () => (found.value?.cards ? [h("p", { class: "hint" }, onDay(found.value.date)), text(found.value),
      found.value.cards.length === 0 ? [h("p", { class: "hint" }, t("briefing.none")), found.value.kept_at ? null : workflow("briefing")] : h("ol", { class: "cards", role: "list", "aria-label": t("briefing.cards") }, found.value.cards.map(cardView))] : null));
  keepPlace(scroller, `briefing/${day}`);
  return [h("header", { class: "view-head" }, h("h1", {}, t("nav.briefing")), days), scroller];
}

define("selene-briefing", (element) => {
  element.className = "library";
  const day = computed(() => (route.value.view === "briefing" ? route.value.id ?? "" : null));
  effect(() => {
    const asked = day.value;
    if (asked !== null) untracked(() => swap(element, page(/^\d{4}-\d\d-\d\d$/.test(asked) ? asked : "")));
  });
});

// The threads: the list by momentum, or one thread: why it matters, what is in it, its tasks and notes, and the chats that can begin here.
import { choose } from "../chat/state.js";
import { call, forgets } from "../net/api.js";
import { saveText } from "../net/save.js";
import { define, each, h, icon } from "../kit/dom.js";
import { bones, failure, fileName, keepPlace, libraryHead, swap } from "../kit/library.js";
import { address, go, route } from "../kit/router.js";
import { computed, effect, signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { ago, exact, onDay, t } from "../kit/words.js";
import { noteRow } from "../notes/list.js";
import { markdown } from "../notes/note.js";
import { workflow } from "../net/remedy.js";

// Threads, those with the most momentum first; above them what is proposed: a name, why, the notes, and a person's decision.

const pageSize = 100;

/**
 * A thread as the gateway describes it.
 * @typedef {{ id: number, name: string, why?: string, summary?: string, note_count: number, last_activity_at?: string, momentum_score?: number, heat?: string }} Thread
 */

/** @type {import("../kit/signal.js").Signal<any>} */
const found = signal(/** @type {any} */ (null));
const query = signal("");

forgets(() => { found.value = null; });

async function load(more = false) {
  const old = more ? found.peek() : null;
  try {
    const page = await call("GET", `api/threads?limit=${pageSize}${old?.next ? `&cursor=${encodeURIComponent(old.next)}` : ""}`);
    found.value = { threads: [...(old?.threads ?? []), ...page.threads], next: page.next_cursor ?? null };
  } catch (error) {
    if (!found.peek()?.threads) found.value = error;
  }
}

/**
 * How much goes on in a thread, in a word.
 * @param {number | undefined} score
 */
export const momentum = (score) => (score == null ? "" : t(score >= 0.6 ? "momentum.high" : score >= 0.3 ? "momentum.some" : "momentum.low"));

/**
 * What is known of a thread, in a line.
 * @param {Thread} thread
 */
export const facts = (thread) => [t("notes.n", { n: thread.note_count }), thread.heat ? t(`heat.${thread.heat}`).replace(/^heat\./, "") : momentum(thread.momentum_score)].filter(Boolean).join(" · ");

/** @param {() => Thread} item */
function row(item) {
  const now = signal(item());
  return h("li", { class: "entry", onupdate: () => { now.value = item(); } }, () => h("a", { class: "item", href: address("threads", String(now.value.id)) },
    h("span", { class: "entry-title", dir: "auto" }, now.value.name),
    now.value.summary || now.value.why ? h("span", { class: "snippet", dir: "auto" }, now.value.summary || now.value.why) : null,
    h("span", { class: "hint" }, facts(now.value), now.value.last_activity_at ? [" · ", h("time", { datetime: now.value.last_activity_at, title: exact(now.value.last_activity_at) }, ago(now.value.last_activity_at))] : null)));
}

/** @type {import("../kit/signal.js").Signal<any>} */
const proposed = signal(/** @type {any} */ (null));

forgets(() => { proposed.value = null; });

async function loadProposals(more = false) {
  const old = more ? proposed.peek() : null;
  try {
    const page = await call("GET", `api/threads/proposals${old?.next ? `?cursor=${encodeURIComponent(old.next)}` : ""}`);
    proposed.value = { proposals: [...(old?.proposals ?? []), ...page.proposals], next: page.next_cursor ?? null };
  } catch {
    // The list of threads says what is wrong.
  }
}

/**
 * @param {any} proposal @param {"accept" | "decline"} decision
 * @param {() => void} changed
 */
async function decide(proposal, decision, changed) {
  try {
    await call("POST", `api/threads/proposals/${proposal.id}/${decision}`);
    toast(t(`proposal.${decision}.done`, { name: proposal.name }));
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error));
  }
  document.getElementById("proposals")?.focus();
  await loadProposals();
  changed();
}

/** @param {any} note */
const line = (note) => h("li", {}, h("a", { class: "item", href: address("notes", String(note.id)) }, h("span", { dir: "auto" }, note.title || t("untitled")), h("time", { class: "hint", datetime: note.created_at, title: exact(note.created_at) }, onDay(note.created_at.slice(0, 10)))));

/** @param {any} part @param {boolean} isNamed */
const partView = (part, isNamed) => h("details", {}, h("summary", { dir: "auto" }, isNamed ? `${part.name} · ` : "", t("notes.n", { n: part.count })), h("ul", { class: "rows", role: "list" }, part.notes.map(line)));

/**
 * What the notes say: a model's sentences with their notes, or the days of the notes.
 * @param {any} proposal
 */
function said(proposal) {
  const sentences = proposal.phrasing?.sentences ?? [];
  const notes = [...new Set(sentences.flatMap((/** @type {any} */ one) => one.notes))];
  const mark = (/** @type {number} */ id) => h("a", { href: address("notes", String(id)), "aria-label": t("proposal.source", { n: notes.indexOf(id) + 1 }) }, `[${notes.indexOf(id) + 1}]`);
  return h("p", { class: "said", dir: "auto" }, sentences.length > 0 ? sentences.map((/** @type {any} */ one) => [one.text, " ", one.notes.map(mark), " "]) : proposal.summary);
}

/** @param {any} proposal @param {() => void} changed */
function card(proposal, changed) {
  const press = (/** @type {"accept" | "decline"} */ decision) => h("button", {
    class: decision === "accept" ? "button" : "quiet", type: "button", "aria-label": `${t(`proposal.${decision}`)}: ${proposal.name}`,
    onclick: (/** @type {any} */ event) => { event.currentTarget.disabled = true; void decide(proposal, decision, changed); },
  }, t(`proposal.${decision}`));
  return h("li", { class: "briefing-card" }, h("p", { class: "label" }, t(`proposal.${proposal.kind}`)), h("h2", { dir: "auto" }, proposal.name || t("untitled")), said(proposal), h("p", { class: "hint", dir: "auto" }, proposal.why),
    proposal.phrasing?.withheld > 0 ? h("p", { class: "hint" }, t("proposal.withheld", { n: proposal.phrasing.withheld, model: proposal.phrasing.model })) : null,
    proposal.parts.map((/** @type {any} */ part) => partView(part, proposal.parts.length > 1)),
    h("div", { class: "row" }, press("accept"), press("decline")));
}

/**
 * The section of proposals, nothing while there are none.
 * @param {() => void} changed called after a decision
 */
function proposals(changed) {
  void loadProposals();
  return h("section", { id: "proposals", tabindex: "-1", "aria-label": t("proposals") },
    each("ul", { class: "rows", role: "list" }, () => proposed.value?.proposals ?? [], (one) => one.id, (item) => card(item(), changed)),
    () => (proposed.value?.next ? h("button", { class: "quiet", type: "button", onclick: () => void loadProposals(true) }, t("more")) : null));
}

/** The view. */
function threadsList() {
  document.title = `${t("nav.threads")} – Selene`;
  void load();
  const rows = computed(() => {
    const words = query.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    return (found.value?.threads ?? []).filter((/** @type {Thread} */ one) => words.every((word) => `${one.name} ${one.summary ?? ""} ${one.why ?? ""}`.toLocaleLowerCase().includes(word)));
  });
  const input = h("input", { class: "input", id: "thread-search", type: "search", placeholder: t("threads.search"), value: query.peek(), oninput: () => { query.value = input.value; } });
  const scroller = h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("nav.threads") },
    () => (found.value?.threads?.length > 5 ? h("div", { class: "field filters" }, h("label", { class: "unseen", for: "thread-search" }, t("threads.search")), input) : null),
    proposals(() => void load()),
    () => (found.value === null ? bones() : found.value instanceof Error ? failure(found.value, () => void load()) : null),
    each("ul", { class: "entries", role: "list", "aria-label": t("nav.threads") }, () => rows.value, (one) => one.id, row),
    () => (found.value?.threads && rows.value.length === 0 ? h("p", { class: "blank", role: "status" }, t(query.value ? "threads.unfound" : "threads.none")) : null),
    () => (found.value?.threads?.length === 0 ? workflow("threads") : null),
    () => (found.value?.next ? h("button", { class: "quiet", type: "button", onclick: () => void load(true) }, t("more")) : null));
  keepPlace(scroller, "threads");
  return [libraryHead("threads"), scroller];
}

export { ready } from "../kit/library.js";

const most = 50;
const largest = 500;

/** @param {number} id @param {number} limit @param {string | null} cursor */
const page = (id, limit, cursor) => call("GET", `api/threads/${id}?limit=${limit}&content=false${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);

/**
 * Saves a thread with all its notes as one file.
 * @param {any} thread
 */
async function save(thread) {
  try {
    const parts = [`# ${thread.name}`, ...[thread.why, thread.summary].filter(Boolean)];
    for (let cursor = /** @type {string | null} */ (null); ;) {
      const more = await page(thread.id, largest, cursor);
      parts.push(...more.notes.map((/** @type {any} */ one) => markdown(one).replace(/^# /, "## ").trim()));
      if (!more.next_cursor) break;
      cursor = more.next_cursor;
    }
    saveText(new Blob([`${parts.join("\n\n")}\n`], { type: "text/markdown" }), fileName(thread.name));
  } catch (error) {
    toast(/** @type {Error} */ (error).message || t("library.offline"));
  }
}

/** @param {any} thread @param {"deep_dive" | "thread_workspace"} kind */
function ask(thread, kind) {
  choose({ scope: { thread: thread.id }, names: [thread.name], kind });
  go("#/chat");
  requestAnimationFrame(() => document.getElementById("question")?.focus());
}

/** @param {number} id */
function threadView(id) {
  const thread = signal(/** @type {any} */ (null));
  const tasks = signal(/** @type {any[]} */ ([]));
  const load = async (more = false) => {
    const old = more ? thread.peek() : null;
    if (!more) thread.value = null;
    try {
      const fresh = await page(id, most, old?.next_cursor ?? null);
      thread.value = { ...fresh, notes: [...(old?.notes ?? []), ...fresh.notes] };
    } catch (error) {
      if (more) toast(/** @type {Error} */ (error).message || t("library.offline"));
      else thread.value = error;
    }
  };
  void load();
  call("GET", `api/threads/${id}/tasks?limit=100`).then((found) => { tasks.value = found.tasks; }, () => { /* the thread is shown without its tasks */ });
  effect(() => { document.title = `${thread.value?.name || t("nav.threads")} – Selene`; });
  const isThere = () => thread.value?.notes !== undefined;
  const start = (/** @type {"deep_dive" | "thread_workspace"} */ kind) => h("button", { class: ["button", kind === "deep_dive" && "primary"], type: "button", onclick: () => ask(thread.peek(), kind) }, t(`kind.${kind}`));
  return [
    h("header", { class: "view-head" }, h("a", { class: "quiet", href: "#/threads" }, icon("before"), t("nav.threads")), h("span", { class: "grow" }),
      () => (isThere() ? h("button", { class: "quiet", type: "button", onclick: () => void save(thread.peek()) }, t("note.file")) : null)),
    h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("thread") },
      () => (isThere() ? null : h("h1", { class: "unseen" }, t("thread"))),
      () => (thread.value === null ? bones() : thread.value instanceof Error ? failure(thread.value, () => void load()) : null),
      () => (isThere() ? [h("h1", { class: "title", dir: "auto" }, thread.value.name), h("p", { class: "hint" }, facts(thread.value)),
        thread.value.why ? h("p", { class: "lead", dir: "auto" }, thread.value.why) : null, thread.value.summary ? h("p", { class: "lead", dir: "auto" }, thread.value.summary) : null,
        h("div", { class: "row above" }, start("deep_dive"), start("thread_workspace"), h("a", { class: "quiet", href: address("notes", null, { thread: String(id) }) }, t("notes.search")))] : null),
      () => (tasks.value.length > 0 ? h("section", { class: "near" }, h("h2", {}, t("tasks")), h("ul", { class: "rows", role: "list" }, tasks.value.map((one) => h("li", { class: "row" },
        h("span", { "aria-hidden": "true" }, one.completed_at ? "✓" : "○"), h("span", { dir: "auto" }, one.title || t("untitled")), one.completed_at ? h("span", { class: "hint" }, t("task.done")) : null)))) : null),
      () => (isThere() ? h("h2", { class: "near" }, t("nav.notes")) : null),
      each("ul", { class: "entries", role: "list", "aria-label": t("nav.notes") }, () => thread.value?.notes ?? [], (one) => one.id, noteRow),
      () => (isThere() && thread.value.notes.length === 0 ? h("p", { class: "hint" }, t("thread.empty")) : null),
      () => (thread.value?.next_cursor ? h("button", { class: "quiet", type: "button", onclick: () => void load(true) }, t("more")) : null)),
  ];
}

define("selene-threads", (element) => {
  element.className = "library";
  const thread = computed(() => (route.value.view === "threads" ? Number(route.value.id ?? 0) || 0 : null));
  effect(() => {
    if (thread.value === null) return;
    swap(element, thread.value > 0 ? threadView(thread.value) : threadsList());
  });
});

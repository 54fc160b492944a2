// Threads, those with the most momentum first; above them what is proposed: a name, why, the notes, and a person's decision.
import { call, forgets } from "../net/api.js";
import { workflow } from "../net/remedy.js";
import { each, h } from "../kit/dom.js";
import { bones, failure, keepPlace, libraryHead } from "../kit/library.js";
import { address } from "../kit/router.js";
import { computed, signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { ago, exact, onDay, t } from "../kit/words.js";

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
export function threadsList() {
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

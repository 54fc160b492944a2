// Threads, those with the most momentum first.
import { call, forgets } from "../net/api.js";
import { workflow } from "../net/remedy.js";
import { each, h } from "../kit/dom.js";
import { bones, failure, keepPlace, libraryHead } from "../kit/library.js";
import { address } from "../kit/router.js";
import { computed, signal } from "../kit/signal.js";
import { ago, exact, t } from "../kit/words.js";
import { proposals } from "./proposals.js";

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

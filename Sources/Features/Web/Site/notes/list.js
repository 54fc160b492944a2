// Notes: the latest, or those that a search finds by meaning and words, narrowed by tag, thread and time. The address holds
// what is searched for.
import { call, forgets, mayAdminister } from "../net/api.js";
import { keptRows } from "../net/base.js";
import { each, h, icon } from "../kit/dom.js";
import { bones, failure, keepPlace, keptNotice, libraryHead } from "../kit/library.js";
import { address, go, route } from "../kit/router.js";
import { computed, effect, signal, untracked } from "../kit/signal.js";
import { waiting } from "../capture/outbox.js";
import { exact, onDay, t } from "../kit/words.js";

const pageSize = 50;
const spans = ["", "7", "30", "365"];
/** @type {import("../kit/signal.js").Signal<any>} */
const found = signal(/** @type {any} */ (null));
/** @type {import("../kit/signal.js").Signal<{ id: number, name: string }[]>} */
const threads = signal(/** @type {any[]} */ ([]));
/** Whether a search takes so long that one notices. */
const isBusy = signal(false);
/** Notes that are shown at once: of a search that someone types, more than a window shows; the rest comes with the next frame. */
const most = signal(/** @type {number | undefined} */ (undefined));
let asked = "";
let turn = 0;

forgets(() => { found.value = null; threads.value = []; });

/** What the address asks for. */
const wanted = () => {
  const { view, query } = route.value;
  return view === "notes" ? { q: query.get("q") ?? "", tag: query.get("tag") ?? "", thread: query.get("thread") ?? "", days: query.get("days") ?? "" } : null;
};

/**
 * The notes for a wish. Without words the latest are listed; a tag or thread alone needs a search for its notes.
 * @param {{ q: string, tag: string, thread: string, days: string }} wish @param {string} [cursor]
 */
async function ask(wish, cursor) {
  const after = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
  if (wish.q || wish.tag) {
    const scope = { ...(wish.tag ? { tag: wish.tag } : {}), ...(wish.thread ? { thread: wish.thread } : {}), ...(wish.days ? { timeScope: { days: Number(wish.days) } } : {}) };
    const page = await call("POST", "api/notes/retrieve", { ...(wish.q ? { query: wish.q } : { keywords: wish.tag, mode: "keyword" }), limit: pageSize, explain: true, snippet: true, content: false, ...scope });
    return { notes: page.results, source: page.source, reason: page.fallback_reason };
  }
  if (wish.thread) {
    const page = await call("GET", `api/threads/${encodeURIComponent(wish.thread)}?limit=${pageSize}&content=false${after}`);
    // A thread lists its notes newest first: older ones end the list.
    const since = wish.days ? Date.now() - Number(wish.days) * 86_400_000 : 0;
    const notes = page.notes.filter((/** @type {any} */ one) => Date.parse(one.created_at) >= since);
    return { notes, next_cursor: notes.length < page.notes.length ? null : page.next_cursor };
  }
  return call("GET", wish.days ? `api/notes/recent?days=${wish.days}&limit=${pageSize}&content=false${after}` : `api/notes?limit=${pageSize}&content=false${after}`);
}

/** @param {{ q: string, tag: string, thread: string, days: string }} wish @param {boolean} [more] */
async function load(wish, more = false) {
  turn += 1;
  const mine = turn;
  const key = JSON.stringify(wish);
  const old = more ? found.peek() : null;
  const timer = setTimeout(() => { isBusy.value = mine === turn && !more; }, 80);
  try {
    const page = await ask(wish, old?.next_cursor);
    if (mine !== turn) return;
    asked = key;
    if (document.activeElement?.id === "note-search") {
      most.value = 16;
      requestAnimationFrame(() => setTimeout(() => { most.value = undefined; }));
    }
    found.value = { ...page, notes: [...(old?.notes ?? []), ...page.notes] };
  } catch (error) {
    if (mine !== turn) return;
    asked = "";
    const rows = /** @type {any} */ (error).status === 0 ? await keptNotes(wish) : [];
    if (mine === turn) found.value = rows.length > 0 ? { notes: rows.map((row) => row.data), kept: rows[0].at } : error;
  } finally {
    clearTimeout(timer);
    if (mine === turn) isBusy.value = false;
  }
}

/**
 * Notes that were read in this browser and fit a wish: all of its words are in them.
 * @param {{ q: string, tag: string, thread: string, days: string }} wish
 */
async function keptNotes({ q, tag, thread, days }) {
  const words = q.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const since = days ? Date.now() - Number(days) * 86_400_000 : 0;
  return (await keptRows("note")).filter(({ data }) => words.every((word) => `${data.title} ${data.content}`.toLocaleLowerCase().includes(word)) && (!tag || data.tags?.includes(tag))
    && (!thread || data.threads?.some((/** @type {any} */ one) => String(one.id) === thread)) && Date.parse(data.created_at) >= since);
}

/**
 * The place that matched, as the gateway chose it; of a note that this browser kept, its beginning.
 * @param {import("./note.js").Note} note
 */
const snippet = (note) => plain(note.snippet ?? note.content.slice(0, 320).replace(/\*\*|__|~~|`+|^#+ /gm, ""));

/**
 * A text with links to notes as they are shown.
 * @param {string} text
 */
export const plain = (text) => text.replace(/!?\[\[(?:[^[\]|]*\|)?([^[\]]*)\]\]/g, "$1");

/** @param {string} text */
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * A text with marks on the words that a search found: those of its terms, also with another ending.
 * @param {string} text @param {string[]} [terms]
 */
export function marked(text, terms = []) {
  const all = terms.map(fold);
  const isFound = (/** @type {string} */ word) => all.some((term) => word === term || (term.length > 3 && word.startsWith(term.slice(0, Math.max(4, term.length - 2)))));
  return text.split(/([\p{L}\p{M}\p{N}]+)/u).map((part, index) => (index % 2 && isFound(fold(part)) ? h("mark", {}, part) : part));
}

/**
 * The address of a view of notes, with the search of now.
 * @param {string} to
 */
export function withQuery(to) {
  const { view, query } = route.peek();
  return `${to.split("?")[0]}${view === "notes" && `${query}` ? `?${query}` : ""}`;
}

/**
 * Shows in the list that a note was changed; null: deleted. One that came back needs the list anew.
 * @param {number} id @param {any} fresh
 */
export function noticed(id, fresh) {
  const { notes } = found.peek() ?? {};
  if (!notes) return;
  if (fresh && !notes.some((/** @type {any} */ one) => one.id === id)) { if (wanted()) void load(/** @type {any} */ (wanted())); return; }
  found.value = { ...found.peek(), notes: notes.flatMap((/** @type {any} */ one) => (one.id !== id ? [one] : fresh ? [{ ...one, ...fresh, snippet: undefined }] : [])) };
}

/**
 * A note in a list.
 * @param {() => import("./note.js").Note} item
 */
export function noteRow(item) {
  const note = item();
  const terms = note.explanation?.matched_terms;
  return h("li", { class: "entry" }, h("a", { class: "item", href: address("notes", String(note.id)), "aria-current": () => route.value.view === "notes" && route.value.id === String(note.id) && "true" },
    h("span", { class: "entry-title", dir: "auto" }, marked(note.title || t("untitled"), terms)),
    h("span", { class: "snippet", dir: "auto" }, marked(snippet(note), terms)),
    h("span", { class: "hint" }, h("time", { datetime: note.created_at, title: exact(note.created_at) }, onDay(note.created_at.slice(0, 10))), h("span", { dir: "auto" }, ` · #${note.id}${note.external_id ? ` ${note.external_id}` : ""}`),
      [...(note.threads ?? []).map((one) => one.name), ...(note.tags ?? []).map((tag) => `#${tag}`)].slice(0, 6).map((word) => ` · ${word}`))));
}

/** The view. */
export function notesList() {
  // What is there is shown until the list of now has come.
  asked = "";
  const wish = computed(() => JSON.stringify(wanted()));
  let timer = 0;
  const start = untracked(wanted) ?? { q: "", tag: "", thread: "", days: "" };
  const change = (/** @type {Record<string, string>} */ fresh) => {
    // What was typed a moment ago counts, too.
    clearTimeout(timer);
    const next = { ...(wanted() ?? start), q: query.value.trim(), ...fresh };
    go(address("notes", route.peek().id, Object.fromEntries(Object.entries(next).filter(([, value]) => value))), { replace: true });
  };
  const query = h("input", { class: "input", id: "note-search", type: "search", autocomplete: "off", "aria-label": t("notes.search"), placeholder: t("notes.search.hint"), value: start.q, oninput: () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => change({}), 120);
  } });
  const tag = h("input", { class: "input", id: "note-tag", autocomplete: "off", autocapitalize: "off", placeholder: "#", onchange: () => {
    tag.value = tag.value.trim().replace(/^#/, "");
    change({ tag: tag.value });
  } });
  const thread = h("select", { class: "input", id: "note-thread", onchange: () => change({ thread: thread.value }) }, h("option", { value: "" }, t("thread.all")),
    () => threads.value.map((one) => h("option", { value: String(one.id) }, one.name)));
  const days = h("select", { class: "input", id: "note-days", onchange: () => change({ days: days.value }) }, spans.map((one) => h("option", { value: one }, t(`span.${one || "all"}`))));
  effect(() => {
    const now = wanted();
    void threads.value;
    if (!now) return;
    // What a person types is theirs until they leave the field.
    if (document.activeElement !== query) query.value = now.q;
    if (document.activeElement !== tag) tag.value = now.tag;
    thread.value = now.thread;
    days.value = now.days;
  });
  effect(() => {
    if (wish.value === "null" || wish.value === asked) return;
    untracked(() => void load(JSON.parse(wish.value)));
  });
  const again = () => void load(wanted() ?? start);
  // After a failure the list stays without threads.
  if (threads.peek().length === 0) call("GET", "api/threads?limit=100").then((page) => { threads.value = page.threads ?? []; }, () => {});
  const isFiltered = () => Object.values(wanted() ?? {}).some(Boolean);
  /** Whether no note has any of the words. */
  const isNear = () => found.value?.notes?.length > 0 && found.value.notes.every((/** @type {any} */ { explanation }) => explanation && !explanation.keyword);
  const scroller = h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("nav.notes") },
    h("search", { class: "stack filters" }, query,
      h("div", { class: "triple" }, field("note-tag", t("tag"), tag), field("note-thread", t("thread"), thread), field("note-days", t("time"), days))),
    () => (found.value === null ? bones() : found.value instanceof Error ? failure(found.value, again) : null),
    // Beside a note that is kept, too, this is said there.
    () => (found.value?.kept && !route.value.id ? keptNotice(found.value.kept, again) : null),
    () => (found.value?.source === "keyword_fallback" ? h("p", { class: "notice warn" }, t("fallback"), found.value.reason ? ` ${found.value.reason}` : "") : null),
    h("p", { class: () => (isBusy.value || isNear() ? "hint" : "unseen"), role: "status" }, () => (isBusy.value ? t("state.searching") : isNear() ? t("notes.near") : found.value?.notes && t("notes.n", { n: found.value.notes.length }))),
    // The passage and the reasons may be others with the next search.
    each("ul", { class: "entries", role: "list", "aria-busy": () => isBusy.value && "true", "aria-label": t("nav.notes") }, () => (found.value?.notes ?? []).slice(0, most.value), (one) => JSON.stringify([one.id, one.revision, one.passage?.start, one.explanation]), noteRow),
    () => (found.value?.notes?.length === 0 ? h("div", { class: "blank" }, h("p", {}, t(isFiltered() ? "notes.unfound" : "notes.none")),
      !isFiltered() && mayAdminister() ? h("p", { class: "above" }, h("a", { class: "button", href: "#/start" }, t("empty.bring"))) : null) : null),
    () => (found.value?.next_cursor ? h("button", { class: "quiet", type: "button", onclick: () => void load(JSON.parse(wish.peek()), true) }, t("more")) : null),
    () => (found.value?.notes ? h("a", { class: "quiet", href: address("notes", "deleted") }, t("notes.deleted")) : null));
  keepPlace(scroller, "notes");
  return [libraryHead("notes", h("a", { class: "quiet", href: "#/capture" }, icon("plus"), t("capture"), () => (waiting.value.length > 0 ? ` · ${t("capture.n", { n: waiting.value.length })}` : ""))), scroller];
}

/** @param {string} id @param {string} label @param {any} control */
const field = (id, label, control) => h("div", { class: "field" }, h("label", { for: id }, label), control);

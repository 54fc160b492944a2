// The panels of a book: contents, highlights, and finding words in it. None tells what comes after the reading position unless it
// is asked to. A highlight is a note of the person, sent by the outbox; where it is, this browser keeps.
import { add, arrived } from "../capture/outbox.js";
import { call } from "../net/api.js";
import { owner } from "../net/base.js";
import { editor } from "../kit/form.js";
import { fill, h, icon } from "../kit/dom.js";
import { bones, failure } from "../kit/library.js";
import { address, bookAddress, go } from "../kit/router.js";
import { sheet } from "../kit/sheet.js";
import { cleanup, effect, scope, signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { t } from "../kit/words.js";
import { byteLength } from "../text/bytes.js";
import { pageName, path } from "./data.js";
import { folded, joined, placeOf } from "./text.js";

/**
 * A highlight. `at` is its index in the page's folded text; `key` is the note's name in the outbox, `note` its number on the gateway.
 * @typedef {{ book: string, page: number, label: string | null, from: number, to: number, at: number, text: string, key: string, note?: number }} Mark
 */

const marksName = "selene.marks";

/** @returns {Mark[]} */
function kept() { try { return JSON.parse(localStorage.getItem(marksName) ?? "[]"); } catch { return []; } }

const marks = signal(kept());

/** @param {(all: Mark[]) => Mark[]} act */
function change(act) {
  const next = act(kept()).slice(-500);
  try { localStorage.setItem(marksName, JSON.stringify(next)); } catch { /* storage is off or full */ }
  marks.value = next;
}

effect(() => {
  const now = arrived.value;
  if (now) change((all) => all.map((one) => (one.key === now.key ? { ...one, note: now.id } : one)));
});

/**
 * The name of a book among the highlights: another file has another one.
 * @param {any} book
 */
export const nameOf = (book) => `${owner()} ${book?.id} ${book?.bytes}`;

/**
 * A book's highlights in the order of its text.
 * @param {string} name
 */
export const marksOf = (name) => marks.value.filter((one) => one.book === name).sort((a, b) => a.from - b.from);

/**
 * What is selected of a page's text.
 * @param {HTMLElement} text @param {any} page
 */
function selected(text, page) {
  const chosen = /** @type {Selection} */ (getSelection());
  if (!page || chosen.isCollapsed || !text.contains(chosen.getRangeAt(0).commonAncestorContainer)) return null;
  const { startContainer, startOffset } = chosen.getRangeAt(0);
  const before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(startContainer, startOffset);
  const at = folded(String(before)).text.length;
  const place = placeOf(page.text, String(chosen), at);
  if (!place) return null;
  const [from, to] = place.map((index) => page.start + byteLength(page.text, 0, index));
  return { page: page.page, label: page.label, from, to, at, text: joined(page.text.slice(...place)).replaceAll("\u00ad", "") };
}

let draft = "";

/**
 * The bar that makes a highlight or a note of what is selected in a page's text.
 * @param {HTMLElement} text @param {() => any} book @param {() => any} page
 */
export function markBar(text, book, page) {
  const chosen = signal(/** @type {any} */ (null));
  let timer = 0;
  const watch = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => { if (!bar.contains(document.activeElement)) chosen.value = selected(text, page()); }, 150);
  };
  /** @param {any} one @param {string | null} words */
  const save = async (one, words) => {
    const title = `${book().title}, ${t("book.page", { page: pageName(one.page, one.label) })}`;
    const link = `[${title.replace(/[[\]\\]/g, "\\$&")}](${bookAddress(book().id, one.page, { from: one.from, to: one.to })})`;
    const key = await add({ title, content: [one.text.replace(/^/gm, "> "), words, link].filter(Boolean).join("\n\n"), tags: ["highlight", "book"] })
      .catch((error) => { throw new Error(t(error.code === "full" ? "capture.full" : "capture.unkept")); });
    change((all) => [...all, { ...one, key, book: nameOf(book()), text: one.text.slice(0, 2000) }]);
    getSelection()?.removeAllRanges();
    chosen.value = null;
    draft = "";
    requestAnimationFrame(() => text.parentElement?.focus({ preventScroll: true }));
    toast(t("mark.kept"));
  };
  const note = () => {
    const one = chosen.peek();
    editor(t("note"), [{ name: "words", label: one.text.slice(0, 200), type: "long" }], { words: draft }, ({ words }) => save(one, words));
    document.getElementById("field-words")?.addEventListener("input", (/** @type {any} */ { target }) => { draft = target.value; });
  };
  const button = (/** @type {string} */ label, /** @type {() => void} */ run) => h("button", { class: "quiet", type: "button", onclick: run }, label);
  const bar = h("div", { class: "mark-bar toast", role: "group", "aria-label": t("mark.chosen"), hidden: () => !chosen.value },
    button(t("mark.add"), () => void save(chosen.peek(), "").catch((error) => toast(error.message))), button(t("note"), note));
  document.addEventListener("selectionchange", watch);
  cleanup(() => { clearTimeout(timer); document.removeEventListener("selectionchange", watch); });
  return bar;
}

/**
 * A place in the book, to go to.
 * @param {any} book @param {any} one @param {any} query @param {any} text @param {() => void} chosen @param {any} [more]
 */
const place = (book, one, query, text, chosen, more) => h("a", { class: "choice", href: bookAddress(book.id, one.page, query), onclick: chosen, ...more },
  text, h("span", { class: "hint" }, pageName(one.page, one.label)));

/**
 * What a list may show: what is up to the reading position, until all is wanted.
 * @param {any} book
 */
function limit(book) {
  const isWhole = signal(false);
  return { isLimited: () => Boolean(book.position()) && !isWhole.value,
    notice: () => (book.position() ? h("div", { class: "notice" }, h("p", {}, t(isWhole.value ? "contents.whole" : "contents.to")),
      h("button", { class: "quiet", type: "button", onclick: () => { isWhole.value = !isWhole.peek(); } }, t(isWhole.value ? "contents.less" : "contents.all"))) : null) };
}

/**
 * @param {{ id: number, position: () => any, page: () => number, name: () => string }} book @param {() => void} chosen
 */
export function contents(book, chosen) {
  const { isLimited, notice } = limit(book);
  const found = signal(/** @type {any} */ (null));
  const load = async () => {
    found.value = null;
    try { found.value = (await call("GET", `${path(book.id)}/outline${isLimited() ? "?to_position=true" : ""}`)).headings; } catch (error) { found.value = error; }
  };
  effect(() => { void load(); });
  const row = (/** @type {any} */ one, /** @type {number} */ index, /** @type {any[]} */ all) => {
    const isHere = one.page <= book.page() && (all[index + 1]?.page ?? Infinity) > book.page();
    return h("li", {}, place(book, one, {}, h("span", { dir: "auto", class: `indent-${Math.min(4, Math.max(1, one.level))}` }, one.title), chosen, { "aria-current": isHere ? "true" : null }));
  };
  const markRow = (/** @type {Mark} */ one) => {
    const note = one.note ? address("notes", String(one.note)) : address("notes", null, { tag: "highlight" });
    const remove = () => {
      change((all) => all.filter((other) => other.key !== one.key));
      toast(t("mark.gone"), { label: t("note.open"), run: () => go(note) });
    };
    return h("li", {}, place(book, one, { from: one.from, to: one.to }, h("span", { dir: "auto", class: "snippet" }, one.text), chosen),
      h("a", { class: "quiet", href: note, onclick: chosen }, t("note.open")), h("button", { class: "quiet", type: "button", onclick: remove }, t("delete")));
  };
  const own = () => marksOf(book.name()).filter((one) => !isLimited() || one.to <= book.position().offset);
  return [() => (found.value === null ? bones() : found.value instanceof Error ? failure(found.value, () => void load())
    : found.value.length === 0 ? h("p", { class: "hint pad" }, t("contents.none")) : h("ul", { role: "list", class: "contents" }, found.value.map(row))),
  () => (own().length > 0 ? [h("h3", { class: "label" }, t("marks")), h("ul", { role: "list", class: "contents" }, own().map(markRow))] : null), notice];
}

/**
 * Goes to another match: the next one with 1, the one before with -1.
 * @param {{ id: number, found: import("../kit/signal.js").Signal<any> }} book @param {number} step @param {number} from where the present one begins
 */
export function leap({ id, found }, step, from) {
  const { hits } = found.peek() ?? {};
  if (!hits?.length) return;
  const at = hits.findIndex((/** @type {any} */ one) => one.start === from);
  const next = hits[(at + step + 2 * hits.length) % hits.length];
  go(bookAddress(id, next.page, { from: next.start, to: next.end }));
}

/**
 * @param {{ id: number, position: () => any, found: import("../kit/signal.js").Signal<any>, from: () => number }} book @param {() => void} chosen
 */
export function finder(book, chosen) {
  const { found } = book;
  const { isLimited, notice } = limit(book);
  let turn = 0;
  let timer = 0;
  const load = async () => {
    const mine = turn += 1;
    const query = input.value.trim();
    const address = `${path(book.id)}/find?q=${encodeURIComponent(query)}&limit=500${isLimited() ? "&to_position=true" : ""}`;
    found.value = query ? "busy" : null;
    let result = /** @type {any} */ (null);
    try { result = query && { ...await call("GET", address), query }; } catch (error) { result = error; }
    if (mine === turn) found.value = result || null;
  };
  const input = h("input", { class: "input", id: "find", type: "search", autocomplete: "off", placeholder: t("find.hint"), value: found.peek()?.query ?? "", oninput: () => {
    clearTimeout(timer);
    timer = window.setTimeout(load, 200);
  }, onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter") { leap(book, event.shiftKey ? -1 : 1, book.from()); chosen(); } } });
  const row = (/** @type {any} */ one) => h("li", {}, place(book, one, { from: one.start, to: one.end }, h("span", { dir: "auto" }, one.before, h("strong", {}, one.match), one.after), chosen,
    { class: "choice hit", "aria-current": () => (one.start === book.from() ? "true" : null) }));
  effect(() => { void load(); });
  return [h("div", { class: "field" }, h("label", { class: "unseen", for: "find" }, t("find")), input),
    h("p", { class: "hint", role: "status" }, () => (found.value?.hits ? found.value.total === 0 ? t("find.none") : t("find.n", { n: found.value.total }) : "")),
    () => (found.value === "busy" ? bones() : found.value instanceof Error ? failure(found.value, load) : h("ul", { role: "list", class: "contents" }, found.value?.hits.map(row))), notice];
}

/** From here on a panel is beside the page; else it is a sheet. */
const wide = matchMedia("(min-width: 1100px)");

/**
 * Opens a panel in `holder`, or a sheet, and returns what closes it. `make` gets the function that closes a sheet: a choice
 * leaves a panel open and closes a sheet.
 * @param {HTMLElement} holder @param {string} title @param {(chosen: () => void) => any} make @param {() => void} onclose
 */
export function openPanel(holder, title, make, onclose) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  let content = /** @type {any} */ (null);
  let close = () => {};
  const end = scope(() => { content = h("div", { class: "stack" }, make(() => { if (!wide.matches) close(); })); });
  if (!wide.matches) {
    close = sheet(title, content, { onclose: () => { end(); onclose(); } });
    return close;
  }
  let isOpen = true;
  const frame = h("aside", { class: "panel", "aria-label": title, onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") close(); } },
    h("div", { class: "view-head" }, h("h2", {}, title), h("button", { class: "quiet", type: "button", onclick: () => close() }, icon("close"), t("close"))),
    h("div", { class: "panel-body", tabindex: "-1" }, content));
  close = () => {
    if (!isOpen) return;
    isOpen = false;
    end();
    frame.remove();
    if (before?.isConnected) before.focus();
    onclose();
  };
  fill(holder, frame);
  requestAnimationFrame(() => /** @type {any} */ (frame.querySelector("input") ?? frame.querySelector(".panel-body"))?.focus());
  return close;
}

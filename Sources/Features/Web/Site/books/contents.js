// The contents of a book, and finding words in it. Neither tells what comes after the reading position unless it is asked to.
import { call } from "../net/api.js";
import { h } from "../kit/dom.js";
import { bones, failure } from "../kit/library.js";
import { bookAddress } from "../kit/router.js";
import { effect, signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { pageName, path } from "./data.js";

/**
 * @param {{ id: number, position: () => any, page: () => number }} book @param {() => void} chosen
 */
export function contents(book, chosen) {
  const isWhole = signal(false);
  const found = signal(/** @type {any} */ (null));
  const load = async () => {
    found.value = null;
    const isLimited = book.position() && !isWhole.peek();
    try { found.value = (await call("GET", `${path(book.id)}/outline${isLimited ? "?to_position=true" : ""}`)).headings; } catch (error) { found.value = error; }
  };
  effect(() => { void isWhole.value; void book.position(); void load(); });
  const row = (/** @type {any} */ one, /** @type {number} */ place, /** @type {any[]} */ all) => {
    const isHere = one.page <= book.page() && (all[place + 1]?.page ?? Infinity) > book.page();
    return h("li", {}, h("a", { class: "choice", href: bookAddress(book.id, one.page), "aria-current": isHere ? "true" : null, onclick: chosen },
      h("span", { dir: "auto", class: `indent-${Math.min(4, Math.max(1, one.level))}` }, one.title), h("span", { class: "hint" }, pageName(one.page, one.label))));
  };
  return [() => (found.value === null ? bones() : found.value instanceof Error ? failure(found.value, () => void load())
    : found.value.length === 0 ? h("p", { class: "hint pad" }, t("contents.none")) : h("ul", { role: "list", class: "contents" }, found.value.map(row))),
  () => (book.position() ? h("div", { class: "notice" }, h("p", {}, t(isWhole.value ? "contents.whole" : "contents.to")),
    h("button", { class: "quiet", type: "button", onclick: () => { isWhole.value = !isWhole.peek(); } }, t(isWhole.value ? "contents.less" : "contents.all"))) : null)];
}

/**
 * @param {{ id: number, position: () => any }} book @param {() => void} chosen
 */
export function finder(book, chosen) {
  const state = signal(/** @type {any} */ (null));
  const asked = signal("");
  const isWhole = signal(false);
  let turn = 0;
  let timer = 0;
  const load = async (/** @type {string} */ query, /** @type {string} */ cursor = "") => {
    turn += 1;
    const mine = turn;
    if (!query) { state.value = null; return; }
    const old = cursor ? state.peek().hits : [];
    try {
      const page = await call("GET", `${path(book.id)}/find?q=${encodeURIComponent(query)}&limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
      if (mine === turn) state.value = { ...page, hits: [...old, ...page.hits], query };
    } catch (error) { if (mine === turn) state.value = error; }
  };
  const input = h("input", { class: "input", id: "find", type: "search", autocomplete: "off", placeholder: t("find.hint"), oninput: () => {
    asked.value = input.value.trim();
    clearTimeout(timer);
    timer = window.setTimeout(() => void load(asked.peek()), 200);
  } });
  const row = (/** @type {any} */ one) => h("li", {}, h("a", { class: "choice hit", href: bookAddress(book.id, one.page, { from: one.start, to: one.end }), onclick: chosen },
    h("span", { dir: "auto" }, one.before, h("strong", {}, one.match), one.after), h("span", { class: "hint" }, pageName(one.page, one.label))));
  const results = () => {
    const now = state.value;
    if (now === null) return null;
    if (now instanceof Error) return failure(now, () => void load(asked.peek()));
    const limit = isWhole.value ? Infinity : book.position()?.offset ?? Infinity;
    const seen = now.hits.filter((/** @type {any} */ one) => one.start < limit);
    const later = now.hits.length - seen.length;
    return [h("p", { class: "hint", role: "status" }, now.hits.length === 0 ? t("find.none") : t("find.n", { n: now.total })),
      h("ul", { role: "list", class: "contents" }, seen.map(row)),
      later > 0 ? h("div", { class: "notice" }, h("p", {}, t("find.later", { n: later })), h("button", { class: "quiet", type: "button", onclick: () => { isWhole.value = true; } }, t("find.show"))) : null,
      now.next_cursor ? h("button", { class: "quiet", type: "button", onclick: () => void load(now.query, now.next_cursor) }, t("more")) : null];
  };
  return [h("div", { class: "field" }, h("label", { class: "unseen", for: "find" }, t("find")), input), results];
}

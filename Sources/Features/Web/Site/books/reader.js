// One book: its pages by keyboard, swipe and number, contents, finding, the reading position, asking. The address names the
// page; `from`, `to` and `quote` mark a passage, `chat` leads back to the conversation that cited it.
import { call, reachable } from "../net/api.js";
import { fill, h, icon } from "../kit/dom.js";
import { batch, cleanup, computed, effect, signal, untracked } from "../kit/signal.js";
import { address, bookAddress, go, parse, route } from "../kit/router.js";
import { toast } from "../kit/toast.js";
import { bones } from "../kit/library.js";
import { t } from "../kit/words.js";
import { ByteText } from "../text/bytes.js";
import { askBook, books, pageName, path } from "./data.js";
import { contents, finder, leap, markBar, marksOf, nameOf, openPanel } from "./contents.js";
import { look, lookOptions, markOf, pageElements, placeOf, printedPage, togglePrinted } from "./text.js";

const rightToLeft = /^(ar|fa|he|ur|yi|ps|sd|ug|dv)\b/;
const mostKept = 12;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @param {number} id */
const lastName = (id) => `selene.book.${id}`;
/** @param {number} id */
function lastPage(id) { try { return Number(localStorage.getItem(lastName(id))) || 0; } catch { return 0; } }
/** @param {number} id @param {number} page */
function keepPage(id, page) { try { localStorage.setItem(lastName(id), String(page)); } catch { /* storage is off */ } }

/**
 * The page that an address names; 0 when it names none.
 * @param {import("../kit/router.js").Route} place
 */
const pageOf = (place) => Number(/^\d+\/p\/(\d+)$/.exec(place.id ?? "")?.[1] ?? 0);

/**
 * The view of one book.
 * @param {number} id
 */
export function reader(id) {
  const book = signal(/** @type {import("./data.js").Book | null} */ (books.peek().find((one) => one.id === id) ?? null));
  const problem = signal(/** @type {any} */ (null));
  const page = signal(/** @type {any} */ (null));
  const where = computed(() => (route.value.view === "books" ? { page: pageOf(route.value), query: route.value.query } : { page: 0, query: new URLSearchParams() }));
  /** @type {Map<number, Promise<any>>} */
  const pages = new Map();
  const isMirrored = () => rightToLeft.test(book.value?.language ?? "");
  const total = () => book.value?.pages || page.value?.total || 0;
  const figure = signal(/** @type {HTMLElement | null} */ (null));
  const unprinted = signal("");
  const canPrint = () => book.value?.format === "pdf";
  // A change of the size asks for no other picture.
  const isPrinted = computed(() => look.value.isPrinted && canPrint());
  const text = h("article", { class: "book-page", hidden: () => figure.value !== null, lang: () => book.value?.language || null, dir: () => (isMirrored() ? "rtl" : "auto") });
  effect(() => text.style.setProperty("font-size", `calc(var(--t17) * ${look.value.size / 100 || 1})`));
  const scroller = h("div", { class: "page reader-page", tabindex: "0", role: "region", "aria-label": t("page") });
  const holder = h("div", { class: "panel-place" });
  let close = () => {};

  async function loadBook() {
    try {
      const found = await call("GET", path(id));
      batch(() => { book.value = found; problem.value = null; });
      // Whoever went elsewhere meanwhile stays there.
      const { view, id: place } = route.peek();
      if (view === "books" && place === String(id)) go(bookAddress(id, startOf(found)), { replace: true });
    } catch (error) { problem.value = error; }
  }

  /** @param {import("./data.js").Book} found */
  const startOf = (found) => Math.min(Math.max(1, lastPage(id) || found.position?.page || 1), Math.max(1, found.pages));

  /** @param {number} number */
  function fetchPage(number) {
    const known = pages.get(number);
    if (known) return known;
    const made = call("GET", `${path(id)}/pages/${number}`);
    made.catch(() => pages.delete(number));
    pages.set(number, made);
    if (pages.size > mostKept) pages.delete(/** @type {number} */ (pages.keys().next().value));
    return made;
  }

  /** What was found, with the words; null, "busy" or an error. */
  const found = signal(/** @type {any} */ (null));
  const target = signal(/** @type {any} */ (null));
  const name = computed(() => nameOf(book.value));
  // A note that arrives changes no place: the page, with what is selected on it, stays.
  const places = computed(() => JSON.stringify(marksOf(name.value).filter((one) => one.page === page.value?.page).map((one) => [one.text, one.at])));
  effect(() => {
    const now = page.value;
    if (!now) return;
    const own = JSON.parse(places.value).map((/** @type {[string, number]} */ [words, at]) => placeOf(now.text, words, at)).map((/** @type {any} */ one) => one && [...one, "own"]);
    const bytes = new ByteText(now.text);
    const hits = (found.value?.hits ?? []).map((/** @type {any} */ one) => markOf(now, bytes, { from: one.start, to: one.end })).map((/** @type {any} */ one) => one && [...one, "hit"]);
    fill(text, pageElements(now, { marks: [target.value, ...own, ...hits] }));
  });

  /** @param {number} number @param {URLSearchParams} query */
  async function show(number, query) {
    try {
      const found = await fetchPage(number);
      if (where.peek().page !== number) return;
      const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
      const mark = query.has("from") && to > from ? markOf(found, new ByteText(found.text), { from, to }, query.get("quote") ?? "") : null;
      batch(() => { page.value = found; problem.value = null; target.value = mark; });
      keepPage(id, number);
      scroller.scrollTop = isBackwards ? scroller.scrollHeight : 0;
      isBackwards = false;
      const marked = text.querySelector("#marked");
      if (marked) {
        marked.scrollIntoView({ block: "center" });
        marked.focus({ preventScroll: true });
      }
      if (number < found.total) fetchPage(number + 1).catch(() => {});
    } catch (error) {
      if (where.peek().page === number) problem.value = error;
    }
  }

  // The image replaces the text when it is there; a page that cannot be drawn stays a text, and says why.
  effect(() => {
    const [now, wants] = [page.value, isPrinted.value];
    const { page: number, query } = where.value;
    batch(() => { figure.value = null; unprinted.value = ""; });
    if (!now || !wants || now.page !== number) return;
    const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
    const over = new AbortController();
    printedPage(id, now, query.has("from") && to > from ? { from, to } : null, over.signal).then((made) => {
      if (over.signal.aborted) return;
      figure.value = made;
      made.querySelector(".printed-mark")?.scrollIntoView({ block: "center" });
    }, (error) => { if (!over.signal.aborted) unprinted.value = error.message || t("library.offline"); });
    cleanup(() => over.abort());
  });

  let isBackwards = false;
  /** @param {number} step @param {boolean} [toEnd] */
  function turn(step, toEnd = false) {
    const now = page.peek();
    // Two quick presses turn two pages: the address has changed at once, the route and the text follow.
    const next = pageOf(parse(location.hash)) + step;
    if (next < 1 || next > total()) return;
    isBackwards = toEnd;
    // A passage that goes on over the page stays marked.
    const { query } = where.peek();
    const goesOn = now && query.has("from") && (step > 0 ? Number(query.get("to")) > now.end : Number(query.get("from")) < now.start);
    const rest = goesOn ? Object.fromEntries(query) : query.has("chat") ? { chat: query.get("chat") ?? "" } : {};
    go(bookAddress(id, next, rest));
  }

  /** @param {string} words a page's printed number, else its place */
  async function jump(words) {
    const number = Number(words);
    const isPlace = Number.isInteger(number) && number >= 1 && number <= total();
    const hasLabels = book.peek()?.numbering === "labels" || book.peek()?.numbering === "running_heads" || !isPlace;
    try {
      if (hasLabels) {
        const found = await call("GET", `${path(id)}/page?label=${encodeURIComponent(words)}`);
        go(bookAddress(id, found.page));
        return;
      }
    } catch (error) {
      if (/** @type {any} */ (error).status !== 404) { toast(/** @type {Error} */ (error).message || t("library.offline")); return; }
    }
    if (isPlace) go(bookAddress(id, number));
    else toast(t("page.unknown", { page: words }));
  }

  /** @param {any} body null: no position @param {boolean} [isUndo] */
  async function setPosition(body, isUndo = false) {
    const before = book.peek()?.position ?? null;
    try {
      const now = body === null ? await call("DELETE", `${path(id)}/position`) : await call("PUT", `${path(id)}/position`, body);
      book.value = now;
      const said = now.position ? t("position.set", { page: pageName(now.position.page, now.position.label) }) : t("position.none");
      toast(said, isUndo ? undefined : { label: t("undo"), run: () => void setPosition(before ? { offset: before.offset } : null, true) });
    } catch (error) { toast(/** @type {Error} */ (error).message || t("library.offline")); }
  }

  const from = () => Number(where.value.query.get("from") ?? -1);
  const position = computed(() => book.value?.position ?? null);
  const about = { id, position: () => position.value, page: () => where.value.page, name: () => name.value, found, from };

  /** @param {"contents" | "find" | "look"} kind */
  function open(kind) {
    close();
    close = openPanel(holder, t(kind), (chosen) => (kind === "look" ? lookOptions() : kind === "contents" ? contents(about, chosen) : finder(about, chosen)), () => { close = () => {}; });
  }

  /**
   * The space key: on by a screen; at the end of the page, the next page. With Shift backwards, to the end of the page before.
   * @param {number} step @param {boolean} isHeld
   */
  function advance(step, isHeld) {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    if (step > 0 ? scrollTop + clientHeight < scrollHeight - 2 : scrollTop > 0) scroller.scrollBy({ top: 0.9 * step * clientHeight, behavior: calm.matches ? "auto" : "smooth" });
    else if (!isHeld && page.peek()?.page === where.peek().page) turn(step, step < 0);
  }

  function onKey(/** @type {KeyboardEvent} */ event) {
    const { key, shiftKey, target } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || (shiftKey && key !== " ") || document.querySelector("dialog[open]")) return;
    if (target instanceof Element && target.closest(`input, textarea, select, .panel${key === " " ? ", a, button" : ""}`)) return;
    const forward = isMirrored() ? "ArrowLeft" : "ArrowRight";
    const back = isMirrored() ? "ArrowRight" : "ArrowLeft";
    if (key === forward) turn(1);
    else if (key === back) turn(-1);
    else if (key === " ") advance(shiftKey ? -1 : 1, event.repeat);
    else if (key === "f") open("find");
    else if (key === "c") open("contents");
    else return;
    event.preventDefault();
  }
  addEventListener("keydown", onKey);
  cleanup(() => { removeEventListener("keydown", onKey); close(); });

  // A swipe turns the page, but none from the screen's edge, in a magnified page or over what scrolls sideways itself.
  let touch = /** @type {{ x: number, y: number } | null} */ (null);
  scroller.addEventListener("touchstart", (/** @type {TouchEvent} */ { touches: [{ clientX: x, clientY: y }, second], target }) => {
    const wide = /** @type {Element} */ (target).closest("pre");
    touch = second || x < 20 || x > innerWidth - 20 || /** @type {any} */ (visualViewport).scale > 1.1 || (wide && wide.scrollWidth > wide.clientWidth) ? null : { x, y };
  }, { passive: true });
  scroller.addEventListener("touchend", (/** @type {TouchEvent} */ event) => {
    const end = event.changedTouches[0];
    if (!touch || !end || String(getSelection()) !== "") return;
    const [x, y] = [end.clientX - touch.x, end.clientY - touch.y];
    if (Math.abs(x) > 60 && Math.abs(x) > 2 * Math.abs(y)) turn((x < 0) !== isMirrored() ? 1 : -1);
  }, { passive: true });

  void loadBook();
  effect(() => { if (where.value.page > 0) { const now = where.value; untracked(() => void show(now.page, now.query)); } });
  effect(() => { if (reachable.value && untracked(() => problem.value)) untracked(() => { void loadBook(); if (where.peek().page > 0) void show(where.peek().page, where.peek().query); }); });
  effect(() => { document.title = book.value ? `${book.value.title} – Selene` : "Selene"; });

  const tool = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ run, /** @type {string?} */ kind = null) => h("button", { class: "quiet", type: "button", "aria-label": label, onclick: run }, icon(name), h("span", { class: kind }, label));
  const number = h("input", { class: "input page-number", id: "page-number", "aria-label": t("page.go"), autocomplete: "off", enterkeyhint: "go", maxlength: "12" });
  effect(() => { number.value = page.value ? pageName(page.value.page, page.value.label) : ""; });
  const line = h("i");
  effect(() => line.style.setProperty("transform", `scaleX(${(page.value?.page ?? 0) / (total() || 1)})`));
  const again = () => { void loadBook(); if (where.peek().page > 0) void show(where.peek().page, where.peek().query); };

  fill(scroller,
    () => (problem.value ? h("div", { class: "notice bad", role: "alert" }, h("p", {}, problem.value.status === 0 ? t("library.offline") : problem.value.status === 404 ? t("book.gone") : problem.value.message || t("error")),
      problem.value.status === 404 ? h("a", { class: "button", href: "#/books" }, t("nav.books")) : h("button", { class: "quiet", type: "button", onclick: again }, t("retry"))) : null),
    () => (page.value || problem.value ? null : bones()),
    () => (book.value && book.value.state !== "ready" && book.value.pages === 0 ? h("p", { class: "blank" }, t(`book.state.${book.value.state}`)) : null),
    () => (unprinted.value ? h("p", { class: "notice", role: "status" }, unprinted.value) : null), () => figure.value,
    text, markBar(text, () => book.peek(), () => page.peek()), () => (page.value && book.value ? readTo(book.value, page.value, (body) => void setPosition(body)) : null));

  return h("div", { class: "library", "data-paper": () => look.value.paper || null },
    h("header", { class: "view-head" }, h("a", { class: "quiet", href: "#/books" }, icon("before"), t("nav.books")),
      h("h1", { dir: "auto" }, () => book.value?.title || t("page")),
      () => (where.value.query.get("chat") ? h("a", { class: "quiet", href: address("chat", where.value.query.get("chat")) }, t("chat.back")) : null),
      h("button", { class: "quiet aa", type: "button", "aria-label": t("look"), onclick: () => open("look") }, "Aa")),
    h("div", { class: "reader-tools", role: "group", "aria-label": t("book.tools") }, tool("list", t("contents"), () => open("contents")), tool("search", t("find"), () => open("find")),
      () => (canPrint() ? h("button", { class: "quiet", type: "button", "aria-pressed": () => String(isPrinted.value), onclick: togglePrinted }, icon("notes"), t("page.printed")) : null),
      () => (book.value && book.value.passages > 0 ? tool("chat", t("book.ask"), () => { if (book.value) askBook(book.value); }) : null)),
    h("div", { class: "reader" }, h("div", { class: "reader-main" }, scroller,
      () => (found.value?.hits?.length ? h("div", { class: "row found", role: "group", "aria-label": t("find") },
        h("span", { class: "hint", dir: "auto" }, found.value.query, " · ", () => `${found.value.hits.findIndex((/** @type {any} */ one) => one.start === from()) + 1} ${t("page.of", { of: found.value.total })}`),
        tool("before", t("find.before"), () => leap(about, -1, from()), "only-wide"), tool("after", t("find.after"), () => leap(about, 1, from()), "only-wide"), tool("close", t("close"), () => { close(); found.value = null; }, "only-wide")) : null),
      h("div", { class: "progress", role: "progressbar", "aria-label": t("pages"), "aria-valuenow": () => Math.round((100 * (page.value?.page ?? 0)) / (total() || 1)), "aria-valuetext": () => t("page.place", { n: page.value?.page ?? 0, of: total() }) }, line),
      h("nav", { class: "pager", "aria-label": t("pages") },
        h("button", { class: "quiet", type: "button", disabled: () => !page.value || page.value.page <= 1, onclick: () => turn(-1), "aria-label": t("page.before") }, icon("before"), h("span", { class: "only-wide" }, t("page.before"))),
        h("form", { class: "pager-place", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void jump(number.value.trim()); } }, number,
          h("span", { class: "hint", role: "status" }, () => (page.value ? placeWords(page.value, total()) : ""))),
        h("button", { class: "quiet", type: "button", disabled: () => !page.value || page.value.page >= total(), onclick: () => turn(1), "aria-label": t("page.after") }, h("span", { class: "only-wide" }, t("page.after")), icon("after")))), holder));
}

/**
 * Where a page is: "of 340", or "page 12 of 340" beside a printed number that differs.
 * @param {any} page @param {number} total
 */
function placeWords(page, total) {
  const differs = page.label && page.label !== String(page.page);
  return [t(differs ? "page.place" : "page.of", { n: page.page, of: total }), page.is_estimated ? t("page.estimated") : ""].filter(Boolean).join(", ");
}

/**
 * The reading position, below the page.
 * @param {import("./data.js").Book} book @param {any} page @param {(body: any) => void} set
 */
function readTo(book, page, set) {
  const now = book.position;
  const isHere = now && now.page === page.page;
  return h("section", { class: "position" }, h("h2", { class: "label" }, t("position")),
    h("p", { class: "hint" }, now ? t("position.at", { page: pageName(now.page, now.label), percent: Math.round(now.percent) }) : t("position.none")),
    h("div", { class: "row" }, isHere ? null : h("button", { class: "button", type: "button", onclick: () => set({ page: page.page }) }, t("position.here")),
      now ? h("button", { class: "quiet", type: "button", onclick: () => set(null) }, t("position.clear")) : null));
}

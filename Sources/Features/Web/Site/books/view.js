// The books: the library, or one book's page, as the address says. Loads the words and the style of the library first.
import { define, each, h, icon } from "../kit/dom.js";
import { cleanup, computed, effect, signal, untracked } from "../kit/signal.js";
import { bookAddress, go, route } from "../kit/router.js";
import { bones, failure, keepPlace, libraryHead, swap } from "../kit/library.js";
import { reader } from "./reader.js";
import { call, reachable, send } from "../net/api.js";
import { save } from "../net/save.js";
import { t } from "../kit/words.js";
import { sheet } from "../kit/sheet.js";
import { toast } from "../kit/toast.js";
import { askBook, books, comeBack, isImporting, leave, leaving, load, next, pageName, path, progress, put, state } from "./data.js";
import { addFiles, importError, importRow, imports, openAdd, shared } from "./imports.js";

// The shelf: books with their covers, state and menus, adding some by drop, picker, address or share, removing them with undo.

const undoTime = 6000;
const query = signal("");

/**
 * Takes a book from the shelf; the gateway removes it when the time to undo is over.
 * @param {import("./data.js").Book} book
 */
function remove(book) {
  const place = books.peek().findIndex((one) => one.id === book.id);
  leaving.add(book.id);
  books.value = books.peek().filter((one) => one.id !== book.id);
  const back = () => {
    leaving.delete(book.id);
    const now = books.peek().slice();
    now.splice(Math.min(place, now.length), 0, book);
    books.value = now;
  };
  const commit = () => {
    clearTimeout(timer);
    removeEventListener("pagehide", commit);
    if (!leaving.has(book.id)) return;
    call("DELETE", path(book.id), undefined, { keepalive: true }).then(() => leaving.delete(book.id), (error) => {
      if (error.status === 404) return;
      back();
      toast(error.message || t("library.offline"));
    });
  };
  const timer = setTimeout(commit, undoTime);
  addEventListener("pagehide", commit);
  toast(t("book.removed", { title: book.title }), { label: t("undo"), run: () => { clearTimeout(timer); removeEventListener("pagehide", commit); back(); } }, undoTime);
}

/** @param {import("./data.js").Book} book @param {any} fresh @param {() => Promise<any>} act */
async function optimistic(book, fresh, act) {
  put({ ...book, ...fresh });
  try {
    put(await act());
  } catch (error) {
    put(book);
    toast(/** @type {Error} */ (error).message || t("library.offline"));
  }
}

/** @param {import("./data.js").Book} book */
const retry = (book) => void optimistic(book, { state: "pending", error: null }, () => call("POST", `${path(book.id)}/retry`));

/**
 * How far a book's import is.
 * @param {import("./data.js").Book} book
 */
function importState(book) {
  const job = progress.value.get(book.id);
  const isEmbedding = book.state === "embedding" && book.passages > 0;
  const [done, total] = isEmbedding ? [book.embedded, book.passages] : [job?.done ?? 0, job?.total ?? 0];
  const words = total > 0 ? t(isEmbedding ? "book.embedding.of" : "book.parsing.of", { n: done, of: total }) : t(`book.state.${book.state}`);
  const moved = h("i");
  moved.style.setProperty("transform", `scaleX(${total > 0 ? Math.max(0.02, Math.min(1, done / total)) : 0.02})`);
  return [h("p", { class: "hint" }, words), h("div", { class: "progress", role: "progressbar", "aria-label": words, "aria-valuemin": "0", "aria-valuemax": String(total || 1), "aria-valuenow": String(done) }, moved)];
}

/** @param {() => import("./data.js").Book} item */
function row(item) {
  const now = signal(item());
  const menu = () => openBookMenu(now.peek(), {
    remove: () => remove(now.peek()),
    retry: () => retry(now.peek()),
    change: (fresh) => void optimistic(now.peek(), fresh, () => call("PATCH", path(now.peek().id), fresh)),
  });
  // Only what the cover shows makes it anew.
  const look = computed(() => `${now.value.has_cover}${now.value.title}`);
  return h("li", { class: "book", onupdate: () => { now.value = item(); } },
    () => { void look.value; return untracked(() => cover(now.peek())); },
    h("div", { class: "book-text" },
      h("p", { class: "book-title", dir: "auto" }, () => (now.value.pages > 0 ? h("a", { href: bookAddress(now.value.id) }, now.value.title || t("untitled")) : now.value.title || t("untitled"))),
      () => (now.value.authors?.length ? h("p", { class: "hint", dir: "auto" }, now.value.authors.join(", ")) : null),
      () => (isImporting(now.value) ? importState(now.value) : h("p", { class: "hint" }, facts(now.value).join(" · "))),
      () => (now.value.state === "failed" ? h("div", { class: "notice bad" }, h("p", {}, importError(now.value.error)),
        h("button", { class: "quiet", type: "button", onclick: () => retry(now.peek()) }, t("retry"))) : null),
      () => (now.value.position ? h("p", { class: "hint" }, t("position.short", { page: pageName(now.value.position.page, now.value.position.label), percent: Math.round(now.value.position.percent) })) : null)),
    h("button", { class: "quiet more", type: "button", "aria-haspopup": "dialog", "aria-label": () => t("actions.of", { title: now.value.title || t("untitled") }), onclick: menu }, icon("more")));
}

/** @param {import("./data.js").Book} book */
function facts(book) {
  return [book.format ? t(`format.${book.format}`) : "", book.pages > 0 ? t("pages.n", { n: book.pages }) : "", book.is_private ? t("book.private") : "",
    ...(book.notices ?? []).slice(0, 2).map((/** @type {any} */ one) => one.message)].filter(Boolean);
}

/** The view. */
export function library() {
  document.title = `${t("nav.books")} – Selene`;
  const isOver = signal(false);
  let depth = 0;
  const drag = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") === true;
  const drop = (/** @type {DragEvent} */ event) => {
    if (!drag(event)) return;
    event.preventDefault();
    depth = 0;
    isOver.value = false;
    addFiles(event.dataTransfer?.files ?? [], false);
  };
  comeBack();
  void load(query.peek());
  cleanup(leave);
  effect(() => { if (reachable.value && untracked(() => state.value) instanceof Error) untracked(() => void load(query.peek())); });
  const address = route.peek().query.get("add");
  if (address) {
    go("#/books", { replace: true });
    openAdd({ url: address });
  }
  if (route.peek().query.has("shared")) {
    go("#/books", { replace: true });
    void shared().then((one) => { if (one) openAdd(one); });
  }
  const search = h("input", { class: "input", id: "book-search", type: "search", placeholder: t("books.search"), value: query.peek(),
    oninput: () => { query.value = search.value; void load(search.value.trim()); } });
  const isEmpty = () => state.value === "ready" && books.value.length === 0 && imports.value.length === 0;
  const head = libraryHead("books", h("button", { class: "quiet", type: "button", "aria-haspopup": "dialog", onclick: () => openAdd() }, icon("plus"), t("import")));
  const shelf = h("div", { class: ["page", "shelf"], ondragenter: (/** @type {DragEvent} */ event) => { if (drag(event)) { depth += 1; isOver.value = true; } },
      ondragleave: (/** @type {DragEvent} */ event) => { if (drag(event)) { depth -= 1; isOver.value = depth > 0; } },
      ondragover: (/** @type {DragEvent} */ event) => { if (drag(event)) event.preventDefault(); }, ondrop: drop },
    () => (isOver.value ? h("div", { class: "drop" }, t("import.drop")) : null),
    () => (state.value === "loading" && books.value.length === 0 ? bones() : null),
    () => (state.value instanceof Error ? failure(state.value, () => void load(query.peek())) : null),
    computedField(search),
    each("ul", { class: "books", role: "list", "aria-label": t("import.running") }, () => imports.value, (one) => one.key, importRow),
    each("ul", { class: "books", role: "list", "aria-label": t("nav.books") }, () => books.value, (one) => one.id, row),
    () => (isEmpty() ? (query.peek() ? h("p", { class: "hint pad", role: "status" }, t("books.unfound")) : welcome()) : null),
    () => (next.value ? h("button", { class: "quiet", type: "button", onclick: () => void load(query.peek(), true) }, t("more")) : null));
  keepPlace(shelf, "books");
  return [head, shelf];
}

/** @param {any} search */
function computedField(search) {
  const isShown = computed(() => books.value.length > 5 || query.value !== "" || next.value !== null);
  return () => (isShown.value ? h("div", { class: "field" }, h("label", { class: "unseen", for: "book-search" }, t("books.search")), search) : null);
}

const welcome = () => h("div", { class: "blank" }, h("h2", {}, t("books.none")), h("p", {}, t("books.none.text")),
  h("p", { class: "above" }, h("button", { class: "button primary", type: "button", onclick: () => openAdd() }, icon("plus"), t("import"))));

/**
 * The cover, or the title's first letter. An image element cannot send the header that a page's requests need, so the picture is
 * fetched when it is about to be seen.
 * @param {import("./data.js").Book} book
 */
function cover(book) {
  const first = [...book.title.replace(/^\P{L}+/u, "")][0] ?? "·";
  const letter = h("span", {}, first.toLocaleUpperCase());
  const place = h("div", { class: "cover", "aria-hidden": "true" }, letter);
  if (!book.has_cover) return place;
  let address = "";
  let isOver = false;
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    send("GET", `${path(book.id)}/cover`, undefined, { headers: { Accept: "image/*" } }).then((response) => response.blob()).then((blob) => {
      if (isOver || !/^image\/(png|jpeg|webp|gif|svg\+xml)(;|$)/.test(blob.type)) return;
      address = URL.createObjectURL(blob);
      const image = h("img", { src: address, alt: "", onerror: () => image.replaceWith(letter) });
      place.replaceChildren(image);
    }, () => { /* the letter stays */ });
  }, { rootMargin: "200px" });
  seen.observe(place);
  cleanup(() => { isOver = true; seen.disconnect(); if (address) URL.revokeObjectURL(address); });
  return place;
}

/**
 * What one may do with a book, as a sheet.
 * @param {import("./data.js").Book} book @param {{ remove: () => void, retry: () => void, change: (fresh: any) => void }} acts
 */
function openBookMenu(book, acts) {
  const choice = (/** @type {string} */ label, /** @type {() => void} */ run) => h("li", {}, h("button", { class: "choice", type: "button",
    onclick: () => { close(); queueMicrotask(run); } }, h("span", {}, label)));
  const title = h("input", { class: "input", id: "book-title", value: book.title, maxlength: "500", dir: "auto" });
  const isPrivate = h("input", { type: "checkbox", checked: book.is_private, onchange: () => acts.change({ is_private: isPrivate.checked }) });
  const rename = (/** @type {Event} */ event) => {
    event.preventDefault();
    const now = title.value.trim();
    close();
    if (now && now !== book.title) acts.change({ title: now });
  };
  const close = sheet(book.title || t("untitled"), h("div", { class: "stack" },
    h("form", { class: "field", onsubmit: rename }, h("label", { for: "book-title" }, t("book.title")),
      h("div", { class: "row" }, title, h("button", { class: "button", type: "submit" }, t("rename")))),
    h("label", { class: "check" }, isPrivate, h("span", {}, t("book.private.help"))),
    book.source ? h("p", { class: "hint", dir: "auto" }, t("book.source", { source: book.source })) : null,
    book.notices?.length ? h("ul", { class: "plain hint" }, book.notices.map((one) => h("li", {}, one.message, one.pages?.length ? ` (${t("pages.list", { list: one.pages.slice(0, 20).join(", ") })})` : ""))) : null,
    h("ul", { role: "list" },
      book.passages > 0 ? choice(t("book.ask"), () => askBook(book)) : null,
      book.pages > 0 ? choice(t("book.export"), () => void save(`api/books/${book.id}/text`, `${book.title || "book"}.txt`)) : null,
      book.state === "failed" ? choice(t("retry"), acts.retry) : null,
      choice(t("book.remove"), acts.remove))));
}

export { ready } from "../kit/library.js";

define("selene-books", (element) => {
  element.className = "library";
  // The part of the address that says which book: turning pages keeps the reader.
  const book = computed(() => (route.value.view === "books" ? Number(/^\d+/.exec(route.value.id ?? "")?.[0] ?? 0) : null));
  effect(() => {
    if (book.value === null) return;
    swap(element, book.value > 0 ? reader(book.value) : library());
  });
});

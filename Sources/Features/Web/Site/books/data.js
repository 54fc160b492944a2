// The books that are known, and what becomes of those that are being imported.
import { call, forgets } from "../net/api.js";
import { follow } from "../net/stream.js";
import { signal } from "../kit/signal.js";
import { choose } from "../chat/state.js";
import { go } from "../kit/router.js";

// Opens a new chat whose questions are answered from one book.

/** @param {{ id: number, title: string }} book */
export function askBook(book) {
  choose({ scope: { book: book.id }, names: [book.title], kind: "book" });
  go("#/chat");
  requestAnimationFrame(() => document.getElementById("question")?.focus());
}

/**
 * A book as the gateway describes it.
 * @typedef {{ id: number, title: string, authors?: string[], language?: string, format?: string, source?: string, state: string, error?: any, bytes: number,
 *   pages: number, numbering?: string, passages: number, embedded: number, position?: any, is_private: boolean, has_cover: boolean, notices?: any[], job?: number, updated_at?: string }} Book
 */

/** @type {import("../kit/signal.js").Signal<Book[]>} */
export const books = signal(/** @type {any[]} */ ([]));
/** loading, ready or the error. */
export const state = signal(/** @type {any} */ ("loading"));
/** @type {import("../kit/signal.js").Signal<string | null>} */
export const next = signal(/** @type {any} */ (null));
/**
 * How far the job of a book is, by the book's id.
 * @type {import("../kit/signal.js").Signal<Map<number, { done: number, total: number, message?: string }>>}
 */
export const progress = signal(new Map());
/** Books that were removed on the page and not yet on the gateway. */
export const leaving = new Set();

const pageSize = 100;
// Browsers open six connections to an address; the chat needs some.
const mostFollowed = 2;
const pause = 3000;
const working = new Set(["pending", "parsing", "embedding"]);
/** @type {Map<number, () => void>} */
const followed = new Map();
let turn = 0;

/** @param {Book} book */
export const isImporting = (book) => working.has(book.state);
/**
 * A page as people name it: the printed number when there is one.
 * @param {number} page @param {string | null} [label]
 */
export const pageName = (page, label) => label || String(page);
/** @param {number} id */
export const path = (id) => `api/books/${id}`;

/**
 * Loads the list, or its next page.
 * @param {string} query @param {boolean} [more]
 */
export async function load(query, more = false) {
  turn += 1;
  const mine = turn;
  const search = query ? `&q=${encodeURIComponent(query)}` : "";
  const cursor = more && next.peek() ? `&cursor=${encodeURIComponent(next.peek() ?? "")}` : "";
  try {
    const page = await call("GET", `api/books?limit=${pageSize}${search}${cursor}`);
    if (mine !== turn) return;
    const old = more ? books.peek() : [];
    books.value = [...old, ...page.books.filter((/** @type {Book} */ one) => !leaving.has(one.id) && !old.some((had) => had.id === one.id))];
    next.value = page.next_cursor ?? null;
    state.value = "ready";
    watch();
  } catch (error) {
    if (mine === turn) state.value = error;
  }
}

/**
 * Puts a book of now into the list; a new one goes first.
 * @param {Book} book
 */
export function put(book) {
  if (leaving.has(book.id)) return;
  const has = books.peek().some((one) => one.id === book.id);
  books.value = has ? books.peek().map((one) => (one.id === book.id ? book : one)) : [book, ...books.peek()];
  watch();
}

/**
 * Reads a book again.
 * @param {number} id @returns {Promise<Book>}
 */
export async function refresh(id) {
  const book = await call("GET", path(id));
  put(book);
  return book;
}

/** Follows the jobs of books that are being imported. */
function watch() {
  for (const book of books.peek()) {
    if (followed.size >= mostFollowed) return;
    if (isImporting(book) && !followed.has(book.id)) followJob(book);
  }
}

/** @param {Book} book */
function followJob(book) {
  const { id, job } = book;
  let timer = 0;
  let last = 0;
  let isLate = false;
  let isOver = false;
  let stop = () => {};
  const end = () => { isOver = true; clearTimeout(timer); stop(); };
  // Without the right to follow jobs, or after a job that left the book unfinished, the book itself is asked now and then.
  const ask = () => { if (!isOver) timer = window.setTimeout(look, pause); };
  const look = () => refresh(id).then((now) => {
    if (isOver) return;
    if (isImporting(now)) { ask(); return; }
    end();
    followed.delete(id);
    watch();
  }, ask);
  // The job counts; the book says which part of the work it is at. It is read again at most each second.
  const peep = () => {
    if (isLate) return;
    isLate = true;
    timer = window.setTimeout(() => {
      isLate = false;
      last = Date.now();
      refresh(id).catch(() => { /* the next event asks again */ });
    }, Math.max(0, 1000 - (Date.now() - last)));
  };
  followed.set(id, end);
  if (job == null) ask();
  else {
    stop = follow(`api/jobs/${job}/events`, {
      onGone: ask,
      onEvent: (_, data) => {
        progress.value = new Map(progress.peek()).set(id, data);
        if (data.state && data.state !== "running") {
          clearTimeout(timer);
          void look();
          return "end";
        }
        peep();
        return undefined;
      },
    });
  }
}

forgets(() => { books.value = []; state.value = "loading"; progress.value = new Map(); });

/** Ends all following, when the view goes. */
export function leave() {
  for (const stop of followed.values()) stop();
  followed.clear();
}

/** Follows again, when the view comes back. */
export function comeBack() { watch(); }

// The address names the view: `#/chat/ID?note=3`. Other fragments (`#pair=CODE`) belong to the sign-in page.
import { signal } from "./signal.js";

/** @typedef {{ view: string, id: string | null, query: URLSearchParams }} Route */

/**
 * Reads a fragment; an unknown one is the chat.
 * @param {string} hash @returns {Route}
 */
export function parse(hash) {
  const found = /^#\/([a-z-]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(hash);
  if (!found) return { view: "chat", id: null, query: new URLSearchParams() };
  let id = null;
  try { id = found[2] ? decodeURIComponent(found[2]) : null; } catch { id = null; }
  // Briefings are a part of the page of today.
  return { view: found[1] === "briefing" ? "today" : found[1], id, query: new URLSearchParams(found[3] ?? "") };
}

/**
 * The address of a view.
 * @param {string} view @param {string | null} [id] @param {Record<string, string>} [query]
 */
export function address(view, id, query) {
  const search = new URLSearchParams(query ?? {}).toString();
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}${search ? `?${search}` : ""}`;
}

/**
 * The address of a book, or of one of its pages.
 * @param {number} id @param {number} [page] @param {Record<string, any>} [query]
 */
export function bookAddress(id, page, query) {
  const search = new URLSearchParams(query ?? {}).toString();
  return `#/books/${id}${page ? `/p/${page}` : ""}${search ? `?${search}` : ""}`;
}

/** The parts of the library. */
export const shelves = ["notes", "books", "threads"];

/** Where the page is. */
export const route = signal(parse(globalThis.location?.hash ?? ""));

globalThis.addEventListener?.("hashchange", () => { route.value = parse(location.hash); });

/**
 * Goes to an address. `replace` leaves no entry in the history.
 * @param {string} to @param {{ replace?: boolean }} [options]
 */
export function go(to, options) {
  if (options?.replace) {
    history.replaceState(null, "", to);
    route.value = parse(to);
  } else {
    location.hash = to;
  }
}

// A page of a PDF as it is printed: an image that the gateway draws, with the lines of a cited passage marked on it. An image
// element cannot send the header that a page's requests need, so the picture is fetched.
import { send } from "../net/api.js";
import { h } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { pageName, path } from "./data.js";

const name = "selene.books.printed";
/** The pixels of the image's longer side: a page on a screen with two pixels for one. */
const size = 1600;

function kept() { try { return localStorage.getItem(name) === "1"; } catch { return false; } }

/** Whether pages are shown as they are printed, in this browser. */
export const isPrinted = signal(kept());

/** Shows pages as text, or as they are printed. */
export function togglePrinted() {
  isPrinted.value = !isPrinted.peek();
  try { localStorage.setItem(name, isPrinted.peek() ? "1" : "0"); } catch { /* storage is off */ }
}

/**
 * The places of a passage on its page, in shares of the page's width and height.
 * @param {any} page @param {{ from: number, to: number } | null} range in bytes of the book's text
 * @returns {{ left: number, top: number, width: number, height: number }[]}
 */
export function placesOf(page, range) {
  if (!range || !(page.width > 0) || !(page.height > 0)) return [];
  return (page.lines ?? []).filter((/** @type {any} */ line) => line.start < range.to && line.end > range.from && line.box?.length === 4)
    .map((/** @type {any} */ { box: [x, y, width, height] }) => ({ left: x / page.width, top: y / page.height, width: width / page.width, height: height / page.height }));
}

/**
 * Fetches the image of a page.
 * @param {number} id @param {any} page @param {{ from: number, to: number } | null} range what is marked
 * @param {AbortSignal} until @returns {Promise<HTMLElement>}
 */
export async function printedPage(id, page, range, until) {
  const response = await send("GET", `${path(id)}/pages/${page.page}/image?size=${size}`, undefined, { headers: { Accept: "image/png" }, signal: until });
  const address = URL.createObjectURL(await response.blob());
  const image = h("img", { alt: t("page.printed.alt", { page: pageName(page.page, page.label) }), onload: () => URL.revokeObjectURL(address), onerror: () => URL.revokeObjectURL(address) });
  image.src = address;
  const marks = placesOf(page, range).map((place) => {
    const mark = h("i", { class: "printed-mark" });
    for (const [side, share] of Object.entries(place)) mark.style.setProperty(side, `${100 * share}%`);
    return mark;
  });
  return h("figure", { class: "printed" }, image, marks);
}

// How a book's pages look: the size of the text, the paper beside the colours of the page, and pages of a PDF as they are
// printed. Kept in this browser. An image element cannot send the header that a page's requests need, so the picture is fetched.
import { send } from "../net/api.js";
import { h } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { pageName, path } from "./data.js";

const name = "selene.books.look";
/** The pixels of the image's longer side: a page on a screen with two pixels for one. */
const pixels = 1600;

function kept() { try { return JSON.parse(localStorage.getItem(name) ?? "{}"); } catch { return {}; } }

/**
 * `size` is in percent of the usual one; `paper` is light, sepia, dark, or empty for the colours of the page.
 * @type {import("../kit/signal.js").Signal<{ size: number, paper: string, isPrinted: boolean }>}
 */
export const look = signal({ size: 100, paper: "", isPrinted: false, ...kept() });

/** @param {any} fresh */
function change(fresh) {
  look.value = { ...look.peek(), ...fresh };
  try { localStorage.setItem(name, JSON.stringify(look.peek())); } catch { /* storage is off */ }
}

/** Shows pages as text, or as they are printed. */
export const togglePrinted = () => change({ isPrinted: !look.peek().isPrinted });

/** The controls of text and paper. */
export function lookOptions() {
  const size = h("input", { id: "look-size", type: "range", min: "80", max: "200", step: "20", value: look.peek().size, "aria-valuetext": () => `${look.value.size}%`,
    oninput: () => change({ size: Number(size.value) }) });
  return [h("div", { class: "field" }, h("label", { for: "look-size" }, t("look.size")), size),
    h("fieldset", { class: "week" }, h("legend", { class: "label" }, t("look.paper")), ["", "light", "sepia", "dark"].map((paper) => h("label", { class: "check" },
      h("input", { type: "radio", name: "paper", checked: look.peek().paper === paper, onchange: () => change({ paper }) }), t(paper === "sepia" ? "look.sepia" : paper ? `theme.${paper}` : "look.page"))))];
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
  const response = await send("GET", `${path(id)}/pages/${page.page}/image?size=${pixels}`, undefined, { headers: { Accept: "image/png" }, signal: until });
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

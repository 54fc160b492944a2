// A page's text as elements, and how it looks. The gateway gives one canonical text and says by byte ranges what its blocks are; a quote is a
// byte range, too. Pure but for making nodes.
import { h } from "../kit/dom.js";
import { t } from "../kit/words.js";
import { ByteText } from "../text/bytes.js";
import { send } from "../net/api.js";
import { signal } from "../kit/signal.js";
import { pageName, path } from "./data.js";

// How a book's pages look: the size of the text, the paper beside the colours of the page, and pages of a PDF as they are
// printed. Kept in this browser. An image element cannot send the header that a page's requests need, so the picture is fetched.

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
function placesOf(page, range) {
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

/**
 * @typedef {{ start: number, end: number, text: string, blocks?: { kind: string, level?: number, start: number, end: number }[] }} Page
 * @typedef {{ from: number, to: number }} Range in bytes of the book's text
 */

/**
 * The blocks of a page as indexes of its text, in order, without gaps: text that no block covers is a paragraph.
 * @param {Page} page @param {ByteText} bytes @returns {{ kind: string, level?: number, from: number, to: number }[]}
 */
export function blocksOf(page, bytes) {
  const text = bytes.text;
  /** @type {{ kind: string, level?: number, from: number, to: number }[]} */
  const found = [];
  let at = 0;
  const between = (/** @type {number} */ to) => {
    // Blank lines part what no block covers.
    for (const part of text.slice(at, to).matchAll(/\S[^]*?(?=\s*\n\s*\n|\s*$)/g)) found.push({ kind: "paragraph", from: at + (part.index ?? 0), to: at + (part.index ?? 0) + part[0].length });
  };
  for (const block of [...(page.blocks ?? [])].sort((a, b) => a.start - b.start)) {
    const from = Math.max(at, bytes.index(block.start - page.start));
    const to = bytes.index(block.end - page.start);
    if (to <= from) continue;
    between(from);
    found.push({ kind: block.kind, level: block.level, from, to });
    at = to;
  }
  between(text.length);
  return found;
}

/**
 * A text without what pages add to it: folds white space, joins words that are parted at the end of a line.
 * @param {string} text @returns {{ text: string, places: number[] }} `places` are the indexes of the characters in `text`
 */
export function folded(text) {
  let out = "";
  let last = "";
  /** @type {number[]} */
  const places = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\u00ad") continue;
    if (/\s/.test(char)) {
      // A word that is parted: "mea-\nsure".
      if (/[-‐]/.test(last) && /^\s*\n/.test(text.slice(at)) && /^\s*\p{Ll}/u.test(text.slice(at)) && /\p{L}[-‐]$/u.test(out)) {
        out = out.slice(0, -1);
        places.pop();
        while (/\s/.test(text[at + 1] ?? "")) at += 1;
      }
      continue;
    }
    // Ligatures are letters in the reading view.
    for (const letter of char > "\u007f" ? char.normalize("NFKC") : char) {
      out += last = letter;
      places.push(...Array(letter.length).fill(at));
    }
  }
  return { text: out, places };
}

/**
 * Where a quote is in a text: the place that is nearest to an index of the folded text.
 * @param {string} text @param {string} quote @param {number} [near] @returns {[number, number] | null} indexes of the text
 */
export function placeOf(text, quote, near = 0) {
  const [whole, part] = [folded(text), folded(quote).text];
  let best = part ? whole.text.indexOf(part) : -1;
  if (best < 0) return null;
  for (let at = best; at >= 0; at = whole.text.indexOf(part, at + 1)) if (Math.abs(at - near) < Math.abs(best - near)) best = at;
  return [whole.places[best], whole.places[best + part.length - 1] + 1];
}

/**
 * Where a quote is in a page: a part of the range that holds it, else that whole range. The quote is of the reading view, in
 * which words are joined that the page parts.
 * @param {Page} page @param {ByteText} bytes @param {Range} range @param {string} [quote] @returns {[number, number] | null} indexes of the page's text
 */
export function markOf(page, bytes, range, quote) {
  if (range.to <= page.start || range.from >= page.end) return null;
  const from = bytes.index(Math.max(0, range.from - page.start));
  const to = bytes.index(Math.min(range.to, page.end) - page.start);
  const place = placeOf(bytes.text.slice(from, to), quote ?? "");
  if (place) return [from + place[0], from + place[1]];
  return to > from ? [from, to] : null;
}

/**
 * Words that a line's end parts are shown whole; a soft hyphen stays where they may be parted.
 * @param {string} text
 */
export const joined = (text) => text.replace(/(\p{L})[-‐][ \t]*\n[ \t]*(?=\p{Ll})/gu, "$1\u00ad");

const tags = /** @type {Record<string, string>} */ ({ quote: "blockquote", code: "pre", table: "pre", list_item: "li" });

/**
 * The elements of a page.
 * @param {Page} page @param {{ marks?: any[] }} [options] stretches of the text to mark: from, to, and the class of those that are not what one came for
 */
export function pageElements(page, options = {}) {
  const bytes = new ByteText(page.text);
  /** @type {[number, number, string?][]} */
  const marks = (options.marks ?? []).filter(Boolean);
  let isFirst = true;
  /** @param {number} from @param {number} to */
  const inside = (from, to) => {
    const edges = [...new Set([from, to, ...marks.flatMap(([low, high]) => [low, high])])].filter((at) => at >= from && at <= to).sort((a, b) => a - b);
    return edges.slice(1).map((high, index) => {
      const over = marks.filter((one) => one[0] < high && one[1] > edges[index]).map((one) => one[2]);
      const part = joined(page.text.slice(edges[index], high));
      if (over.length === 0) return part;
      const isTarget = isFirst && over.includes(undefined);
      if (isTarget) isFirst = false;
      return h("mark", { class: over.includes(undefined) ? null : over[0], tabindex: isTarget ? "-1" : null, id: isTarget ? "marked" : null }, isTarget ? h("span", { class: "unseen" }, `${t("mark")} `) : null, part);
    });
  };
  const result = [];
  let list = /** @type {any} */ (null);
  for (const { kind, level, from, to } of blocksOf(page, bytes)) {
    const kids = inside(from, to);
    if (kind === "list_item") {
      if (!list) result.push(list = h("ul", { class: "plain-list", role: "list" }));
      list.append(h("li", {}, kids));
      continue;
    }
    list = null;
    const tag = kind === "heading" ? `h${Math.min(6, Math.max(2, (level ?? 1) + 1))}` : tags[kind] ?? "p";
    result.push(h(tag, { class: `block-${kind}`, tabindex: tag === "pre" ? "0" : null }, kids));
  }
  return result;
}

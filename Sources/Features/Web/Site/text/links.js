// Links and images in square brackets. Brackets nest at most `deepest` deep; deeper ones are text.
import { escapeAddress, unescape } from "./spans.js";

const deepest = 24;
const longest = 2000;

/** @typedef {import("./inlines.js").InlineParser} InlineParser */

export const brackets = {
  /**
   * `[` or `![`
   * @param {InlineParser} parser @param {number} length
   */
  open(parser, length) {
    const node = parser.literal(parser.place + length);
    if (parser.brackets.length >= deepest) parser.brackets.shift();
    parser.brackets.push({ node, isImage: length === 2, isActive: true, bottom: parser.delimiters.length });
  },

  /**
   * `]`
   * @param {InlineParser} parser
   */
  close(parser) {
    const opener = parser.brackets.pop();
    const place = parser.place;
    const target = opener?.isActive ? destination(parser.text, place + 1) : null;
    if (!opener || !target) { parser.literal(place + 1); return; }
    parser.emphasis(Math.min(opener.bottom, parser.delimiters.length));
    const first = opener.node;
    const kids = parser.collect(first);
    const node = {
      kind: "link", href: target.href, title: target.title, isImage: opener.isImage,
      kids: opener.isImage ? [{ kind: "text", s: words(kids), at: parser.source.at(place), end: parser.source.at(place) }] : kids,
    };
    parser.tail = first.prev;
    parser.tail.next = null;
    const from = first.node.at;
    const made = parser.push(node, place, target.end);
    made.node.at = from;
    if (opener.isImage) return;
    // A link holds no other link.
    for (const other of parser.brackets) if (!other.isImage) other.isActive = false;
  },
};

/**
 * `(address "title")` from `at` on.
 * @param {string} text @param {number} at @returns {{ href: string, title: string, end: number } | null}
 */
function destination(text, at) {
  if (text[at] !== "(") return null;
  const part = text.slice(at + 1, at + 1 + longest);
  const lead = /^[ \t]*\n?[ \t]*/.exec(part)?.[0].length ?? 0;
  let place = lead;
  let href = "";
  if (part[place] === "<") {
    const found = /^<((?:[^<>\n\\]|\\.)*)>/.exec(part.slice(place));
    if (!found) return null;
    href = found[1];
    place += found[0].length;
  } else {
    let open = 0;
    const start = place;
    for (; place < part.length; place += 1) {
      const char = part[place];
      if (char === "\\" && /[!-/:-@[-`{-~]/.test(part[place + 1] ?? "")) place += 1;
      else if (char === "(") { open += 1; if (open > 32) return null; }
      else if (char === ")") { if (open === 0) break; open -= 1; }
      else if (/[\x00-\x20\x7f]/.test(char)) break;
    }
    if (open !== 0) return null;
    href = part.slice(start, place);
  }
  let title = "";
  const gap = /^[ \t]*\n?[ \t]*/.exec(part.slice(place))?.[0].length ?? 0;
  const quoted = gap > 0 ? /^(?:"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|\(((?:[^()\\]|\\[^])*)\))/.exec(part.slice(place + gap)) : null;
  if (quoted) {
    title = quoted[1] ?? quoted[2] ?? quoted[3] ?? "";
    place += gap + quoted[0].length;
    place += /^[ \t]*\n?[ \t]*/.exec(part.slice(place))?.[0].length ?? 0;
  } else place += gap;
  if (part[place] !== ")") return null;
  return { href: escapeAddress(unescape(href)), title: unescape(title), end: at + 1 + place + 1 };
}

/**
 * The text of nodes, for an image's description.
 * @param {import("./inlines.js").Inline[]} kids @returns {string}
 */
function words(kids) {
  return kids.map((kid) => (kid.kids ? words(kid.kids) : kid.kind === "soft" || kid.kind === "hard" ? "\n" : kid.s ?? "")).join("");
}

/**
 * The address that a link may open: http, https, mailto or relative; else null.
 * @param {string} href @returns {string | null}
 */
export function safeAddress(href) {
  const clean = href.replace(/[\x00-\x20\x7f]/g, "");
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(clean);
  if (scheme) return /^(?:https?|mailto)$/i.test(scheme[1]) ? clean : null;
  return /^[^/?#]*:/.test(clean) || clean.startsWith("\\") ? null : clean;
}

// Inline parts: code, addresses, entities, maths; links and images in square brackets, which nest at most `deepest` deep, deeper ones
// are text. Searches end after `longest` characters, those for a link's address after `farthest`.

const longest = 1000;
const farthest = 2000;
const deepest = 24;
const named = /** @type {Record<string, string>} */ ({
  amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™", hellip: "…", mdash: "—",
  ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", euro: "€", times: "×", divide: "÷", deg: "°",
  middot: "·", bull: "•", rarr: "→", larr: "←", auml: "ä", ouml: "ö", uuml: "ü", Auml: "Ä", Ouml: "Ö", Uuml: "Ü", szlig: "ß",
});

/** @typedef {import("./inlines.js").InlineParser} InlineParser */

/**
 * `code`
 * @param {InlineParser} parser
 */
export function codeSpan(parser) {
  const { text, place } = parser;
  let start = place;
  while (text[start] === "`") start += 1;
  const length = start - place;
  if (!parser.unclosed.has(length)) {
    for (let at = text.indexOf("`", start); at >= 0;) {
      let end = at;
      while (text[end] === "`") end += 1;
      if (end - at === length) {
        let s = text.slice(start, at).replace(/\n/g, " ");
        if (s.startsWith(" ") && s.endsWith(" ") && /[^ ]/.test(s)) s = s.slice(1, -1);
        parser.push({ kind: "code", s }, place, end);
        return;
      }
      at = text.indexOf("`", end);
    }
    parser.unclosed.add(length);
  }
  parser.literal(start);
}

/**
 * `<https://…>` and `<a@b>`; anything else in angle brackets is text.
 * @param {InlineParser} parser
 */
export function autolink(parser) {
  const { text, place } = parser;
  const part = text.slice(place, place + longest);
  const found = /^<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>/.exec(part);
  if (found) {
    const kids = [{ kind: "text", s: found[1], at: parser.source.at(place + 1), end: parser.source.at(place + 1 + found[1].length) }];
    parser.push({ kind: "link", href: escapeAddress(found[1]), kids }, place, place + found[0].length);
    return;
  }
  const mail = /^<([\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)>/.exec(part);
  if (!mail) { parser.literal(place + 1); return; }
  const kids = [{ kind: "text", s: mail[1], at: parser.source.at(place + 1), end: parser.source.at(place + 1 + mail[1].length) }];
  parser.push({ kind: "link", href: `mailto:${mail[1]}`, kids }, place, place + mail[0].length);
}

/**
 * A bare `https://…`: the colon is here, the scheme is in the text before.
 * @param {InlineParser} parser
 */
export function bareAddress(parser) {
  const { text, place } = parser;
  if (!text.startsWith("://", place)) return false;
  const before = parser.tail.node;
  const scheme = before?.kind === "text" ? /(?:^|[^A-Za-z0-9])(https?)$/i.exec(before.s)?.[1] : null;
  if (!scheme) return false;
  let rest = /^:\/\/[^\s<>[\]`"]+/.exec(text.slice(place, place + longest))?.[0] ?? "";
  rest = rest.replace(/[?!.,:;*_~')]+$/, (tail) => {
    const opened = rest.split("(").length - rest.split(")").length + (tail.match(/\)/g)?.length ?? 0);
    return tail.startsWith(")") && opened > 0 ? ")" : "";
  });
  if (!/^:\/\/[^\s/:?#]/.test(rest)) return false;
  before.s = before.s.slice(0, -scheme.length);
  before.end -= scheme.length;
  const [from, to] = [place - scheme.length, place + rest.length];
  const s = scheme + rest;
  const kids = [{ kind: "text", s, at: parser.source.at(from), end: parser.source.at(to) }];
  parser.push({ kind: "link", href: escapeAddress(s), kids }, from, to);
  return true;
}

/**
 * `&amp;`, `&#123;`, `&#x1f;`: the names of a short table.
 * @param {InlineParser} parser
 */
export function decodeEntity(parser) {
  const found = /^&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,8}));/.exec(parser.text.slice(parser.place, parser.place + 12));
  const s = found ? entity(found) : null;
  if (!found || s === null) parser.literal(parser.place + 1);
  else parser.literal(parser.place + found[0].length, s);
}

/** @param {RegExpExecArray | string[]} found */
function entity(found) {
  if (found[3]) return Object.hasOwn(named, found[3]) ? named[found[3]] : null;
  const code = found[1] ? parseInt(found[1], 10) : parseInt(found[2], 16);
  return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? "\ufffd" : String.fromCodePoint(code);
}

/**
 * Text without its escapes and entities, as in link destinations and info strings.
 * @param {string} text
 */
export function unescape(text) {
  return text.replace(/\\([!-/:-@[-`{-~])|&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,8}));/g,
    (all, mark, decimal, hex, name) => mark ?? entity([all, decimal, hex, name]) ?? all);
}

/**
 * `$x$`, `$$x$$`, `\(x\)`, `\[x\]`.
 * @param {InlineParser} parser
 */
export function maths(parser) {
  const { text, place } = parser;
  const open = text.startsWith("$$", place) ? "$$" : text[place] === "$" ? "$" : text.slice(place, place + 2);
  const close = /** @type {Record<string, string>} */ ({ "$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]" })[open];
  const start = place + open.length;
  const part = text.slice(start, start + longest);
  let end = part.indexOf(close);
  if (open === "$") {
    while (end > 0 && part[end - 1] === "\\") end = part.indexOf(close, end + 1);
    // Sums of money are no maths: "$5 and $6".
    if (end > 0 && (/\s/.test(part[0]) || /\s/.test(part[end - 1]) || /[0-9A-Za-z]/.test(part[end + 1] ?? ""))) return false;
  }
  if (end <= 0 || part.slice(0, end).trim() === "") return false;
  const to = start + end + close.length;
  parser.push({ kind: "math", s: part.slice(0, end), isBlock: open === "$$" || open === "\\[" }, place, to);
  return true;
}

/**
 * Percent-encodes what an address may not hold, and keeps what is encoded.
 * @param {string} address
 */
export function escapeAddress(address) {
  return address.replace(/[^\w\-.~:/?#@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/gu, (char) => {
    try { return encodeURIComponent(char); } catch { return "%EF%BF%BD"; }
  });
}

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
  const part = text.slice(at + 1, at + 1 + farthest);
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

const wiki = /!?\[\[([^[\]|`\n]{1,400})(?:\|([^[\]`\n]{0,400}))?\]\]/y;

/**
 * A link of Obsidian, in notes only: `[[Title]]`, `[[Title#Heading]]`, `[[Title|shown]]`, `![[picture.png]]`. True if there was one.
 * @param {InlineParser} parser
 */
export function wikilink(parser) {
  wiki.lastIndex = parser.place;
  const found = wiki.exec(parser.text);
  if (!found || found[1].trim() === "") return false;
  const [all, inside, shown] = found;
  const s = shown?.trim() || inside.trim().replace(/^#/, "").replace(/ *#\^? */g, " › ");
  parser.push({ kind: "wiki", s, href: inside.split("#")[0].trim(), isImage: all[0] === "!" }, parser.place, parser.place + all.length);
  return true;
}

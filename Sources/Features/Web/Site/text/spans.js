// Inline parts that hold no others: code, addresses, entities, maths. Searches end after `longest` characters.

const longest = 1000;
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

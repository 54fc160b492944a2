// What notes of Obsidian hold beside Markdown: `[[links]]`, callouts, check boxes. Only notes are read with these.

/** Kinds of callouts that are more than a note. */
const warnings = /^(question|help|faq|warning|caution|attention)$/;
const dangers = /^(failure|fail|missing|danger|error|bug)$/;
const link = /!?\[\[([^[\]|`\n]{1,400})(?:\|([^[\]`\n]{0,400}))?\]\]/y;
const mark = /^\[!([\w-]{1,40})\]([+-]?)[ \t]*/;
const box = /^\[([ xX])\](?=[ \t])[ \t]+/;

/** @typedef {import("./blocks.js").Block} Block */

/**
 * `[[Title]]`, `[[Title#Heading]]`, `[[Title|shown]]`, `![[picture.png]]`. True if there was one.
 * @param {import("./inlines.js").InlineParser} parser
 */
export function wikilink(parser) {
  link.lastIndex = parser.place;
  const found = link.exec(parser.text);
  if (!found || found[1].trim() === "") return false;
  const [all, inside, shown] = found;
  const s = shown?.trim() || inside.trim().replace(/^#/, "").replace(/ *#\^? */g, " › ");
  parser.push({ kind: "wiki", s, href: inside.split("#")[0].trim(), isImage: all[0] === "!" }, parser.place, parser.place + all.length);
  return true;
}

/**
 * The kind, title and rest of a callout; null for another quote.
 * @param {Block} quote
 */
export function callout(quote) {
  const [first, ...kids] = quote.kids;
  const found = first?.kind === "para" ? mark.exec(first.lines[0].text) : null;
  if (!found) return null;
  const [head, ...lines] = first.lines;
  const name = found[1].toLowerCase();
  return {
    look: warnings.test(name) ? " warn" : dangers.test(name) ? " bad" : "", name: name[0].toUpperCase() + name.slice(1), fold: found[2],
    title: rest(head, found[0].length), kids: lines.length > 0 ? [{ ...first, lines }, ...kids] : kids,
  };
}

/**
 * The check box of a list's item: whether it is ticked, the place of its mark in the source, the blocks without it; null for none.
 * @param {Block} item
 */
export function checkBox(item) {
  const [first, ...kids] = item.kids;
  const found = first?.kind === "para" ? box.exec(first.lines[0].text) : null;
  if (!found) return null;
  const [head, ...lines] = first.lines;
  return { isTicked: found[1] !== " ", at: head.at + 1, kids: [{ ...first, lines: [rest(head, found[0].length), ...lines] }, ...kids] };
}

/** @param {import("./blocks.js").Piece} line @param {number} from */
const rest = ({ text, at }, from) => ({ text: text.slice(from), at: at + from });

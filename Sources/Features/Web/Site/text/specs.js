// What to show for parsed Markdown, as plain trees: the renderer makes and changes nodes from them, tests compare them.
import { t } from "../kit/words.js";
import { parseInlines } from "./inlines.js";
import { safeAddress, unescape } from "./spans.js";

/**
 * @typedef {{ tag?: string, text?: string, at?: number, attributes?: Record<string, string>, kids?: Spec[], maths?: { s: string, isBlock: boolean } }} Spec
 * @typedef {{ from: number, to: number, verdict?: string, words?: string }} Mark a sentence with doubts, in characters of the source; without words one that is cited
 * @typedef {{ marks?: Mark[], cite?: (at: number, number: number) => { verdict: string, words: string } | null,
 *   headings?: number, isCited?: boolean, isMaths?: boolean, isBare?: boolean, isNote?: boolean, canTick?: boolean,
 *   links?: Map<string, number | null> | null }} ShowOptions `links`: notes by the names in `[[…]]`, null while they are not known
 */

/** @param {import("./blocks.js").Block} block @param {ShowOptions} options @returns {Spec} */
export function blockSpec(block, options) {
  switch (block.kind) {
    case "heading":
      return { tag: `h${headingLevel(block.level ?? 1, options.headings ?? 0)}`, kids: inlineSpecs(block.lines, options) };
    case "quote": return quoteSpec(block, options);
    case "list": return listSpec(block, options);
    case "rule": return { tag: "hr" };
    case "code": return codeSpec(block, options);
    case "table": return tableSpec(block, options);
    default: return { tag: "p", kids: inlineSpecs(block.lines, options) };
  }
}

/**
 * Headings of an answer go below the page's: with `below` 2 the first two levels become the third.
 * @param {number} level @param {number} below
 */
function headingLevel(level, below) {
  return below === 0 ? level : Math.min(6, Math.max(below + 1, level + below - 1));
}

/**
 * A check box that is called what its item says, with room to press around it.
 * @param {{ isTicked: boolean, at: number }} box @param {string} label @param {ShowOptions} options @returns {Spec}
 */
function boxSpec({ isTicked, at }, label, { canTick }) {
  return { tag: "label", kids: [{ tag: "input", attributes: { type: "checkbox", "data-at": String(at), "aria-label": label, ...(isTicked ? { checked: "" } : {}), ...(canTick ? {} : { disabled: "" }) } }] };
}

/** @param {Spec[]} specs @returns {string} */
const words = (specs) => specs.map((spec) => spec.text ?? words(spec.kids ?? [])).join("");

/** @param {import("./blocks.js").Block} block @param {ShowOptions} options @returns {Spec} */
function quoteSpec(block, options) {
  const found = options.isNote ? callout(block) : null;
  const kids = (found ?? block).kids.map((kid) => blockSpec(kid, options));
  if (!found) return { tag: "blockquote", kids };
  const { look, name, fold, title } = found;
  return { tag: fold ? "details" : "div", attributes: { class: `notice callout${look}`, ...(fold === "+" ? { open: "" } : {}) },
    kids: [{ tag: fold ? "summary" : "p", kids: [{ tag: "span", attributes: { class: "label" }, kids: [{ text: name }] }, { text: " " }, ...inlineSpecs([title], options)] }, ...kids] };
}

/** @param {import("./blocks.js").Block} list @param {ShowOptions} options @returns {Spec} */
function listSpec(list, options) {
  const kids = list.kids.map((item) => {
    const box = options.isNote ? checkBox(item) : null;
    const parts = (box ?? item).kids.map((kid) => (list.isTight && kid.kind === "para" ? inlineSpecs(kid.lines, options) : [blockSpec(kid, options)]));
    return box ? { tag: "li", attributes: { class: "todo" }, kids: [boxSpec(box, words(parts[0]), options), ...parts.flat()] } : { tag: "li", kids: parts.flat() };
  });
  if (list.start == null) return { tag: "ul", kids };
  return { tag: "ol", attributes: list.start === 1 ? {} : { start: String(list.start) }, kids };
}

/** @param {import("./blocks.js").Block} block @param {ShowOptions} options @returns {Spec} */
function codeSpec(block, options) {
  const language = /^\S+/.exec(unescape(block.info ?? ""))?.[0] ?? "";
  const text = block.lines.map((line) => `${line.text}\n`).join("");
  /** @type {Spec} */
  const code = { tag: "code", attributes: language ? { class: `language-${language}` } : {}, kids: text ? [{ text }] : [] };
  // Doubts leave code as it is: it may be copied.
  if (text && options.marks?.some((mark) => !mark.words)) code.kids = block.lines.flatMap((line) => marked({ text: `${line.text}\n` }, { kind: "text", at: line.at, end: line.at + line.text.length + 1 }, options));
  const copy = { tag: "button", attributes: { type: "button", class: "quiet copy" }, kids: [{ text: t("copy") }] };
  const label = language ? t("code.of", { language }) : t("code");
  return { tag: "div", attributes: { class: "code" },
    kids: [{ tag: "pre", attributes: { tabindex: "0", role: "region", "aria-label": label }, kids: [code] }, copy] };
}

/** @param {import("./blocks.js").Block} block @param {ShowOptions} options @returns {Spec} */
function tableSpec(block, options) {
  const aligns = block.aligns ?? [];
  const row = (/** @type {any[]} */ cells, /** @type {string} */ tag) => /** @type {Spec} */ ({
    tag: "tr",
    kids: aligns.map((align, index) => ({
      tag, attributes: align ? { class: `to-${align}` } : {}, kids: cells[index] ? inlineSpecs([cells[index]], options) : [],
    })),
  });
  const [head, ...rows] = block.rows ?? [];
  const kids = [{ tag: "thead", kids: [row(head, "th")] }];
  if (rows.length > 0) kids.push({ tag: "tbody", kids: rows.map((cells) => row(cells, "td")) });
  return { tag: "div", attributes: { class: "table", tabindex: "0", role: "region", "aria-label": t("table") }, kids: [{ tag: "table", kids }] };
}

/** @param {import("./blocks.js").Piece[]} lines @param {ShowOptions} options @returns {Spec[]} */
function inlineSpecs(lines, options) {
  return nodeSpecs(parseInlines(lines, options), options);
}

/**
 * A citation stands close to the word before it, and never at the start of a line.
 * @param {import("./inlines.js").Inline[]} nodes @param {ShowOptions} options @returns {Spec[]}
 */
function nodeSpecs(nodes, options) {
  return nodes.flatMap((node, index) => {
    const isBeforeCite = nodes[index + 1]?.kind === "cite";
    if (!isBeforeCite || node.kind !== "text" || !node.s?.endsWith(" ")) return inlineSpec(node, options);
    const s = node.s.replace(/ +$/, "");
    return s === "" ? [] : inlineSpec({ ...node, s, end: node.end - (node.s.length - s.length) }, options);
  });
}

/** @param {import("./inlines.js").Inline} node @param {ShowOptions} options @returns {Spec[]} */
function inlineSpec(node, options) {
  const kids = () => nodeSpecs(node.kids ?? [], options);
  switch (node.kind) {
    case "text": return marked({ text: node.s, at: node.at }, node, options);
    case "soft": return options.marks?.some((mark) => !mark.words) ? marked({ text: "\n" }, node, options) : [{ text: "\n" }];
    case "hard": return [{ tag: "br" }];
    case "code": return marked({ tag: "code", kids: [{ text: node.s }] }, node, options);
    case "cite": return [{ text: "\u2060" }, citeSpec(node, options)];
    case "math": return marked({ tag: "span", attributes: { class: node.isBlock ? "maths block" : "maths" },
      maths: { s: node.s ?? "", isBlock: node.isBlock ?? false } }, node, options);
    case "link": return [linkSpec(node, kids())];
    case "wiki": return [wikiSpec(node, options)];
    default: return [{ tag: node.kind, kids: kids() }];
  }
}

/** @param {import("./inlines.js").Inline} node @param {Spec[]} kids @returns {Spec} */
function linkSpec(node, kids) {
  const href = safeAddress(node.href ?? "");
  if (node.isImage) kids = [{ text: `${t("image")}: ` }, ...(kids.some((kid) => kid.text) ? kids : [{ text: node.href }])];
  if (href === null) return { tag: "span", attributes: { class: "dead-link", title: node.href ?? "" }, kids };
  /** @type {Record<string, string>} */
  const attributes = { href, rel: "noopener noreferrer nofollow ugc", target: "_blank" };
  if (node.title) attributes.title = node.title;
  if (node.isImage) attributes.class = "image-link";
  return { tag: "a", attributes, kids };
}

/** @param {import("./inlines.js").Inline} node @param {ShowOptions} options @returns {Spec} */
function wikiSpec({ href = "", s, isImage }, { links }) {
  const id = links?.get(href);
  if (id) return { tag: "a", attributes: { href: `#/notes/${id}` }, kids: [{ text: s }] };
  return id === null && !isImage ? { tag: "span", attributes: { class: "no-note", title: t("note.unknown") }, kids: [{ text: s }] } : { text: s };
}

/** @param {import("./inlines.js").Inline} node @param {ShowOptions} options @returns {Spec} */
function citeSpec(node, options) {
  const kids = (node.numbers ?? []).map((number) => {
    const found = options.cite?.(node.at, number);
    const verdict = found?.verdict ?? "open";
    const label = found?.words ? `${t("cite", { n: number })}: ${found.words}` : t("cite", { n: number });
    return { tag: "button", kids: [{ text: String(number) }],
      attributes: { type: "button", class: `cite ${verdict}`, "data-number": String(number), "data-at": String(node.at), "aria-label": label, title: label } };
  });
  return { tag: "sup", kids };
}

/**
 * Cuts a text where sentences with doubts begin and end, and wraps those.
 * @param {Spec} spec @param {import("./inlines.js").Inline} node @param {ShowOptions} options @returns {Spec[]}
 */
function marked(spec, node, options) {
  const marks = (options.marks ?? []).filter((mark) => mark.from < node.end && mark.to > node.at);
  if (marks.length === 0) return [spec];
  /** @type {Spec[]} */
  const list = [];
  let at = node.at;
  const isText = spec.text !== undefined && node.end - node.at === spec.text.length;
  for (const mark of marks) {
    const [from, to] = isText ? [Math.max(mark.from, at), Math.min(mark.to, node.end)] : [node.at, node.end];
    if (isText && from > at) list.push({ text: spec.text?.slice(at - node.at, from - node.at), at });
    const kids = [isText ? { text: spec.text?.slice(from - node.at, to - node.at), at: from } : spec];
    list.push(mark.words ? { tag: "span", attributes: { class: `doubt ${mark.verdict}`, title: mark.words }, kids } : { tag: "mark", kids });
    // Said once, where the sentence ends.
    if (mark.words && mark.to <= node.end) list.push({ tag: "span", attributes: { class: "unseen" }, kids: [{ text: ` (${mark.words}) ` }] });
    at = to;
    if (!isText) return list;
  }
  if (at < node.end) list.push({ text: spec.text?.slice(at - node.at), at });
  return list;
}

// What notes of Obsidian hold beside Markdown: callouts and check boxes. Only notes are read with these.

/** Kinds of callouts that are more than a note. */
const warnings = /^(question|help|faq|warning|caution|attention)$/;
const dangers = /^(failure|fail|missing|danger|error|bug)$/;
const calling = /^\[!([\w-]{1,40})\]([+-]?)[ \t]*/;
const ticking = /^\[([ xX])\](?=[ \t])[ \t]+/;

/**
 * The kind, title and rest of a callout; null for another quote.
 * @param {import("./blocks.js").Block} quote
 */
function callout(quote) {
  const [first, ...kids] = quote.kids;
  const found = first?.kind === "para" ? calling.exec(first.lines[0].text) : null;
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
 * @param {import("./blocks.js").Block} item
 */
function checkBox(item) {
  const [first, ...kids] = item.kids;
  const found = first?.kind === "para" ? ticking.exec(first.lines[0].text) : null;
  if (!found) return null;
  const [head, ...lines] = first.lines;
  return { isTicked: found[1] !== " ", at: head.at + 1, kids: [{ ...first, lines: [rest(head, found[0].length), ...lines] }, ...kids] };
}

/** @param {import("./blocks.js").Piece} line @param {number} from */
const rest = ({ text, at }, from) => ({ text: text.slice(from), at: at + from });

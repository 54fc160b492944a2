// Markdown's inline structure: CommonMark's delimiter algorithm with strikethrough, citations `[2]`, maths and bare
// addresses. Linear: every search is bounded by a length or remembers what it did not find. Nothing nests deeper than
// `deepest`. Images become links, raw HTML stays text.
import { autolink, bareAddress, brackets, codeSpan, decodeEntity, maths, wikilink } from "./spans.js";

/**
 * @typedef {{ kind: string, at: number, end: number, s?: string, kids?: Inline[], href?: string, title?: string, isImage?: boolean,
 *   numbers?: number[], isBlock?: boolean }} Inline
 * @typedef {{ text: string, at: number }} Piece
 * @typedef {{ isCited?: boolean, isMaths?: boolean, isBare?: boolean, links?: any }} InlineOptions
 * @typedef {{ node: any, prev: Node | null, next: Node | null }} Node
 */

const deepest = 24;
const plain = /[^\n`*_~[\]!<&\\$:]+/y;
const citation = /\[(\d{1,3}(?:[ ]?[,;–-][ ]?\d{1,3}){0,8})\](?![(:])/y;
const escapable = /[!-/:-@[-`{-~]/;
const space = /\s/u;
const punctuation = /[\p{P}\p{S}]/u;

/** Text of several lines with the place of each character in the source. */
export class Source {
  /** @param {Piece[]} lines */
  constructor(lines) {
    this.lines = lines;
    this.starts = [];
    let at = 0;
    for (const line of lines) {
      this.starts.push(at);
      at += line.text.length + 1;
    }
    this.text = lines.map((line) => line.text).join("\n").trimEnd();
  }

  /**
   * Where a character of the text is in the source.
   * @param {number} place
   */
  at(place) {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= place) low = middle;
      else high = middle - 1;
    }
    return this.lines.length === 0 ? 0 : this.lines[low].at + place - this.starts[low];
  }
}

/** @param {Piece[]} lines @param {InlineOptions} [options] @returns {Inline[]} */
export function parseInlines(lines, options = {}) {
  return new InlineParser(new Source(lines), options).parse();
}

/** The state of one run of text: a list of nodes, open delimiters and open brackets. */
export class InlineParser {
  place = 0;
  /** @type {Node} */
  head = { node: null, prev: null, next: null };
  tail = this.head;
  /** @type {any[]} */
  delimiters = [];
  /** @type {any[]} */
  brackets = [];
  /**
   * Lengths of backtick runs that nothing closes.
   * @type {Set<number>}
   */
  unclosed = new Set();

  /** @param {Source} source @param {InlineOptions} options */
  constructor(source, options) {
    this.source = source;
    this.text = source.text;
    this.options = options;
  }

  parse() {
    while (this.place < this.text.length) this.step();
    this.emphasis(0);
    return this.collect(this.head);
  }

  /**
   * Adds a node for the text from `from` to `to`.
   * @param {any} node @param {number} from @param {number} to
   */
  push(node, from, to) {
    node.at = this.source.at(from);
    node.end = this.source.at(to);
    /** @type {Node} */
    const made = { node, prev: this.tail, next: null };
    this.tail.next = made;
    this.tail = made;
    this.place = to;
    return made;
  }

  /** @param {number} to @param {string} [s] */
  literal(to, s) {
    return this.push({ kind: "text", s: s ?? this.text.slice(this.place, to) }, this.place, to);
  }

  step() {
    const { text, place } = this;
    const char = text[place];
    plain.lastIndex = place;
    const run = plain.exec(text);
    if (run) { this.literal(place + run[0].length); return; }
    if (char === "\n") this.newline();
    else if (char === "\\") this.backslash();
    else if (char === "*" || char === "_" || char === "~") this.delimiter(char);
    else if (char === "`") codeSpan(this);
    else if (char === "<") autolink(this);
    else if (char === "&") decodeEntity(this);
    else if (char === "$") { if (!this.options.isMaths || !maths(this)) this.literal(place + 1); }
    else if (char === ":") { if (!this.options.isBare || !bareAddress(this)) this.literal(place + 1); }
    else if ((char === "[" || char === "!") && this.options.links !== undefined && wikilink(this)) return;
    else if (char === "[") this.open();
    else if (char === "!" && text[place + 1] === "[") brackets.open(this, 2);
    else if (char === "]") brackets.close(this);
    else this.literal(place + 1);
  }

  newline() {
    const before = this.tail.node;
    const isText = before?.kind === "text" && before.s.endsWith(" ");
    const isHard = isText && before.s.endsWith("  ");
    if (isText) before.s = before.s.replace(/ +$/, "");
    this.push({ kind: isHard ? "hard" : "soft" }, this.place, this.place + 1);
  }

  backslash() {
    const next = this.text[this.place + 1];
    if (next === "\n") this.push({ kind: "hard" }, this.place, this.place + 2);
    else if (this.options.isMaths && (next === "(" || next === "[") && maths(this)) return;
    else if (next !== undefined && escapable.test(next)) this.literal(this.place + 2, next);
    else this.literal(this.place + 1);
  }

  open() {
    citation.lastIndex = this.place;
    const found = this.options.isCited ? citation.exec(this.text) : null;
    if (!found) { brackets.open(this, 1); return; }
    this.push({ kind: "cite", s: found[0], numbers: numbersOf(found[1]) }, this.place, this.place + found[0].length);
  }

  /**
   * A run of `*`, `_` or `~`.
   * @param {string} char
   */
  delimiter(char) {
    const { text, place } = this;
    let end = place;
    while (text[end] === char) end += 1;
    const count = end - place;
    const before = lastChar(text, place);
    const after = end < text.length ? String.fromCodePoint(text.codePointAt(end) ?? 32) : "\n";
    const [spaceAfter, spaceBefore] = [space.test(after), space.test(before)];
    const [markAfter, markBefore] = [punctuation.test(after), punctuation.test(before)];
    const left = !spaceAfter && (!markAfter || spaceBefore || markBefore);
    const right = !spaceBefore && (!markBefore || spaceAfter || markAfter);
    const isWordy = char === "_";
    const made = this.literal(end);
    if (char === "~" && count !== 2) return;
    this.delimiters.push({
      char, count, original: count, node: made, depth: 0,
      opens: isWordy ? left && (!right || markBefore) : left, closes: isWordy ? right && (!left || markAfter) : right,
    });
  }

  /**
   * Pairs the delimiters from `bottom` on.
   * @param {number} bottom
   */
  emphasis(bottom) {
    const all = this.delimiters;
    /**
     * Where a search for an opener may end, by kind of closer.
     * @type {Map<string, number>}
     */
    const floors = new Map();
    /**
     * Open delimiters below the closer.
     * @type {any[]}
     */
    const stack = [];
    for (let at = bottom; at < all.length; at += 1) {
      const closer = all[at];
      while (closer.closes && closer.count > 0) {
        const kind = `${closer.char}${closer.opens ? 1 : 0}${closer.original % 3}`;
        const floor = floors.get(kind) ?? 0;
        let found = -1;
        for (let place = stack.length - 1; place >= floor; place -= 1) {
          const opener = stack[place];
          const isOdd = (closer.opens || opener.closes) && closer.original % 3 !== 0 && (opener.original + closer.original) % 3 === 0;
          if (opener.char === closer.char && (closer.char === "~" || !isOdd)) { found = place; break; }
        }
        if (found < 0) { floors.set(kind, stack.length); break; }
        const opener = stack[found];
        for (const inner of stack.splice(found + 1)) opener.depth = Math.max(opener.depth, inner.depth);
        this.wrap(opener, closer);
        if (opener.count === 0) {
          stack.pop();
          const outer = stack[found - 1];
          if (outer) outer.depth = Math.max(outer.depth, opener.depth);
        }
        for (const [key, value] of floors) if (value > stack.length) floors.set(key, stack.length);
      }
      if (closer.opens && closer.count > 0) stack.push(closer);
    }
    all.length = bottom;
  }

  /**
   * Puts what is between two delimiters into one node.
   * @param {any} opener @param {any} closer
   */
  wrap(opener, closer) {
    const use = closer.char === "~" || (opener.count >= 2 && closer.count >= 2) ? 2 : 1;
    const [first, last] = [opener.node, closer.node];
    opener.count -= use;
    closer.count -= use;
    // Links hold no links: with emphasis outside and inside of one, trees are at most twice as deep.
    if (opener.depth >= deepest) return;
    opener.depth += 1;
    first.node.s = first.node.s.slice(0, -use);
    first.node.end -= use;
    last.node.s = last.node.s.slice(use);
    last.node.at += use;
    const kind = closer.char === "~" ? "del" : use === 2 ? "strong" : "em";
    const kids = first.next === last ? [] : this.collect(first, last);
    const node = { kind, kids, at: first.node.end, end: last.node.at };
    /** @type {Node} */
    const made = { node, prev: first, next: last };
    first.next = made;
    last.prev = made;
  }

  /**
   * The nodes after `head` up to `end` as a list; neighbouring texts become one.
   * @param {Node} head @param {Node | null} [end] @returns {Inline[]}
   */
  collect(head, end = null) {
    /** @type {Inline[]} */
    const list = [];
    for (let one = head.next; one !== end && one; one = one.next) {
      const { node } = one;
      const last = list[list.length - 1];
      if (node.kind === "text" && node.s === "") continue;
      const isExact = node.kind === "text" && last?.kind === "text" && last.end === node.at &&
        last.end - last.at === last.s?.length && node.end - node.at === node.s.length;
      if (isExact) {
        last.s += node.s;
        last.end = node.end;
      } else list.push(node);
    }
    return list;
  }
}

/** @param {string} text @param {number} place */
function lastChar(text, place) {
  if (place === 0) return "\n";
  const code = text.charCodeAt(place - 1);
  return code >= 0xdc00 && code <= 0xdfff && place > 1 ? text.slice(place - 2, place) : text[place - 1];
}

/**
 * The numbers of `1, 3-5`.
 * @param {string} inside
 */
function numbersOf(inside) {
  /** @type {number[]} */
  const numbers = [];
  for (const part of inside.split(/[,;]/)) {
    const [from, to] = part.split(/[–-]/).map(Number);
    if (to === undefined || to < from || to - from > 20) numbers.push(from, ...(to === undefined ? [] : [to]));
    else for (let n = from; n <= to; n += 1) numbers.push(n);
  }
  return numbers;
}

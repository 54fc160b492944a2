// Markdown into nodes while it grows. Closed blocks are made once, the open tail is changed where it differs, at most once
// a frame and for at most a quarter of the time, with the layout and the painting that a change causes.
import { mathML } from "./maths.js";
import { blockSpec } from "./specs.js";
import { parseBlocks } from "./blocks.js";

// Markdown that grows: top-level blocks that a later complete line has closed are parsed once; the open tail is parsed
// again. Any split of the text into pieces gives the same blocks.

/** @typedef {import("./blocks.js").Block} Block */

export class GrowingDocument {
  text = "";
  /**
   * Blocks that no later text changes.
   * @type {Block[]}
   */
  closed = [];
  /** @type {Block[]} */
  tail = [];
  #tailFrom = 0;

  /**
   * Starts again with another text.
   * @param {string} text
   */
  reset(text) {
    this.closed = [];
    this.#tailFrom = 0;
    this.#parse(text);
  }

  /**
   * Adds to the end.
   * @param {string} more
   */
  append(more) {
    this.#parse(this.text + more);
  }

  /** @param {string} text */
  #parse(text) {
    this.text = text;
    const blocks = parseBlocks(text, this.#tailFrom);
    const complete = text.lastIndexOf("\n") + 1;
    let done = 0;
    while (done + 1 < blocks.length && blocks[done + 1].from < complete) done += 1;
    if (done > 0) {
      this.closed.push(...blocks.slice(0, done));
      this.#tailFrom = blocks[done].from;
    }
    this.tail = blocks.slice(done);
  }
}

// Colours code by the Highlight API: ranges, no extra nodes. One tokenizer for all languages. Without the API code stays
// plain.

const token = /(\/\/[^\n]*|#(?![0-9a-fA-F]{3,8}\b)[^\n]*|--[ ][^\n]*|\/\*[^]*?\*\/)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\b\d[\w.]*\b)|\b(?:(abstract|and|as|async|await|break|case|catch|class|const|continue|def|default|defer|do|elif|else|end|enum|except|export|extends|false|finally|fn|for|from|func|function|guard|if|impl|import|in|interface|is|let|match|mut|new|nil|none|not|null|or|package|pass|private|protocol|pub|public|raise|return|self|static|struct|super|switch|this|throw|throws|trait|true|try|type|use|var|void|where|while|with|yield|select|insert|update|delete|create|table|join|on|group|order|by|then|fi|done|echo)\b)/gi;
const names = ["code-comment", "code-text", "code-number", "code-word"];
const mostColoured = 100_000;

/** @type {WeakMap<Element, { text: string, ranges: [any, Range][] }>} */
const done = new WeakMap();
/**
 * The elements with ranges, so that ranges of removed ones can be dropped.
 * @type {Set<WeakRef<Element>>}
 */
const kept = new Set();

/**
 * Colours a code element, again if its text changed.
 * @param {Element} code
 */
export function colour(code) {
  const registry = /** @type {any} */ (globalThis.CSS)?.highlights;
  const node = code.firstChild;
  if (!registry || !(node instanceof Text) || node.data.length > mostColoured || /language-(text|plain|txt)\b/.test(code.className)) return;
  const text = node.data;
  const old = done.get(code);
  if (old?.text === text) return;
  drop(old);
  sweep();
  /** @type {[any, Range][]} */
  const ranges = [];
  for (const match of text.matchAll(token)) {
    const kind = names[match.findIndex((part, index) => index > 0 && part !== undefined) - 1];
    if (!registry.has(kind)) registry.set(kind, new /** @type {any} */ (globalThis).Highlight());
    const range = new Range();
    range.setStart(node, match.index ?? 0);
    range.setEnd(node, (match.index ?? 0) + match[0].length);
    registry.get(kind).add(range);
    ranges.push([registry.get(kind), range]);
  }
  done.set(code, { text, ranges });
  kept.add(new WeakRef(code));
}

/** @param {{ ranges: [any, Range][] } | undefined} entry */
function drop(entry) { for (const [highlight, range] of entry?.ranges ?? []) highlight.delete(range); }

/** Drops the ranges of elements that left the page. */
function sweep() {
  for (const reference of kept) {
    const code = reference.deref();
    if (code?.isConnected) continue;
    if (code) {
      drop(done.get(code));
      done.delete(code);
    }
    kept.delete(reference);
  }
}

/** @typedef {import("./specs.js").Spec} Spec */

/** @param {Spec} spec @returns {Node} */
function make(spec) {
  if (spec.tag === undefined) return document.createTextNode(spec.text ?? "");
  const element = document.createElement(spec.tag);
  for (const [name, value] of Object.entries(spec.attributes ?? {})) element.setAttribute(name, value);
  if (spec.maths) element.append(mathML(spec.maths.s, spec.maths.isBlock));
  for (const kid of spec.kids ?? []) element.append(make(kid));
  return element;
}

/**
 * Changes a node that shows `old` so that it shows `next`. Returns the node to have in its place.
 * @param {Node} node @param {Spec} old @param {Spec} next @returns {Node}
 */
function patch(node, old, next) {
  if (old.tag !== next.tag || !sameMaths(old, next)) return make(next);
  if (next.tag === undefined) {
    if (old.text !== next.text) /** @type {Text} */ (node).data = next.text ?? "";
    return node;
  }
  const element = /** @type {Element} */ (node);
  const [before, after] = [old.attributes ?? {}, next.attributes ?? {}];
  for (const name of Object.keys(before)) if (!(name in after)) element.removeAttribute(name);
  for (const [name, value] of Object.entries(after)) if (before[name] !== value) element.setAttribute(name, value);
  if (!next.maths) patchKids(element, old.kids ?? [], next.kids ?? []);
  return node;
}

/** @param {Element} element @param {Spec[]} old @param {Spec[]} next */
function patchKids(element, old, next) {
  const nodes = [...element.childNodes];
  for (let index = 0; index < next.length; index += 1) {
    const node = nodes[index];
    if (!node) element.append(make(next[index]));
    else {
      const fresh = patch(node, old[index], next[index]);
      if (fresh !== node) node.replaceWith(fresh);
    }
  }
  for (const node of nodes.slice(next.length)) node.remove();
}

/** @param {Spec} a @param {Spec} b */
function sameMaths(a, b) { return a.maths?.s === b.maths?.s && a.maths?.isBlock === b.maths?.isBlock; }

/** A change may take one of so many parts of the time. */
const share = 4;
/** The longest pause between two changes, in ms. */
const longest = 250;
/** A frame is asked for so many ms before the pause ends: half of one. */
const early = 8;

/** @param {() => void} run */
function afterFrame(run) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { port1.close(); run(); };
  port2.postMessage(0);
}

/** Shows one text in one element. */
export class MarkdownView {
  /** @type {{ block: import("./blocks.js").Block, spec: Spec, node: Node, isClosed: boolean }[]} */
  #shown = [];
  #document = new GrowingDocument();
  #wanted = "";
  #frame = 0;
  #timer = /** @type {any} */ (0);
  #notBefore = 0;
  #isLast = false;

  /** @param {HTMLElement} element @param {import("./specs.js").ShowOptions} options */
  constructor(element, options) {
    this.element = element;
    this.options = options;
  }

  /**
   * Shows the text in the next frame. `isLast` says that no more follows: it is shown at once.
   * @param {string} text @param {boolean} [isLast]
   */
  set(text, isLast = false) {
    this.#wanted = text;
    this.#isLast = isLast;
    if (isLast) {
      this.stop();
      this.#show();
    } else if (this.#frame === 0 && this.#timer === 0) this.#later();
  }

  #later() {
    const pause = this.#notBefore - performance.now();
    const next = () => { this.#timer = 0; this.#frame = requestAnimationFrame(() => this.#turn()); };
    if (pause > early) this.#timer = setTimeout(next, pause - early);
    else next();
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = this.#timer = 0;
  }

  #turn() {
    const start = performance.now();
    this.#frame = 0;
    // What the last change cost may have become known after this turn was planned.
    if (start < this.#notBefore - early) {
      this.#later();
      return;
    }
    this.#show();
    const paid = () => { this.#notBefore = start + Math.min(share * (performance.now() - start), longest); };
    paid();
    // A task that is posted within a frame runs when that frame has been laid out and painted.
    afterFrame(paid);
  }

  #show() {
    const text = this.#wanted;
    const { text: old } = this.#document;
    if (text === old && !this.#isLast) return;
    const grows = text.length >= old.length && text.startsWith(old);
    if (grows) this.#document.append(text.slice(old.length));
    else this.#document.reset(text);
    const { closed, tail } = this.#document;
    let keep = 0;
    if (grows) while (keep < closed.length && this.#shown[keep]?.isClosed) keep += 1;
    const all = [...closed.slice(keep), ...tail];
    all.forEach((block, index) => this.#put(keep + index, block, keep + index < closed.length || this.#isLast));
    for (const extra of this.#shown.splice(keep + all.length)) /** @type {ChildNode} */ (extra.node).remove();
  }

  /** @param {number} index @param {import("./blocks.js").Block} block @param {boolean} isClosed */
  #put(index, block, isClosed) {
    const spec = blockSpec(block, this.options);
    const old = this.#shown[index];
    const node = old ? patch(old.node, old.spec, spec) : make(spec);
    if (!old) this.element.append(node);
    else if (node !== old.node) /** @type {ChildNode} */ (old.node).replaceWith(node);
    this.#shown[index] = { block, spec, node, isClosed };
    if (isClosed && node instanceof Element) for (const code of node.querySelectorAll("pre > code")) colour(code);
  }

  /**
   * Shows blocks again that overlap a stretch of the source, after verdicts came.
   * @param {number} from @param {number} to
   */
  refresh(from, to) {
    this.#shown.forEach(({ block, isClosed }, index) => {
      const end = this.#shown[index + 1]?.block.from ?? Infinity;
      if (block.from < to && end > from) this.#put(index, block, isClosed);
    });
  }
}

// Markdown into nodes while it grows. Closed blocks are made once, the open tail is changed where it differs, at most once
// a frame and for at most a quarter of the time, with the layout and the painting that a change causes.
import { GrowingDocument } from "./document.js";
import { colour } from "./highlight.js";
import { mathML } from "./maths.js";
import { blockSpec } from "./specs.js";

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

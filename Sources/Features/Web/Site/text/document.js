// Markdown that grows: top-level blocks that a later complete line has closed are parsed once; the open tail is parsed
// again. Any split of the text into pieces gives the same blocks.
import { parseBlocks } from "./blocks.js";

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

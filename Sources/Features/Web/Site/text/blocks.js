// Markdown's block structure: CommonMark's algorithm (containers matched line by line), with tables and without HTML
// blocks and link reference definitions, which stay text. Linear in the source; containers nest at most `deepest` deep.
import { canHold, heading, isTight, item, Line, splitRow, table } from "./starts.js";

/**
 * @typedef {{ text: string, at: number }} Piece a line of a leaf and where it begins in the source
 * @typedef {{ kind: string, from: number, kids: Block[], lines: Piece[], level?: number, info?: string, start?: number | null,
 *   isTight?: boolean, aligns?: string[], rows?: Piece[][], parent?: Block | null, isOpen?: boolean, endsBlank?: boolean,
 *   isChecked?: boolean, mark?: string, pad?: number, offset?: number, fence?: string, isFenced?: boolean, line?: number }} Block
 */

const deepest = 24;
const rule = /^(?:\*[ \t]*){3,}$|^(?:_[ \t]*){3,}$|^(?:-[ \t]*){3,}$/;
const headingStart = /^#{1,6}(?:[ \t]+|$)/;
const fenceStart = /^`{3,}(?!.*`)|^~{3,}/;
const setext = /^(?:=+|-+)[ \t]*$/;

/**
 * The top-level blocks of `source` from `from` on.
 * @param {string} source @param {number} [from] @returns {Block[]}
 */
export function parseBlocks(source, from = 0) {
  const parser = new Parser();
  for (let at = from; at < source.length;) {
    let end = source.indexOf("\n", at);
    const next = end < 0 ? source.length : end + 1;
    if (end < 0) end = source.length;
    const stop = end > at && source.charCodeAt(end - 1) === 13 ? end - 1 : end;
    parser.line(source.slice(at, stop), at);
    at = next;
  }
  return parser.end();
}

/** The blocks that are open while lines are read. */
export class Parser {
  root = this.make("document", 0, null);
  tip = this.root;
  number = 0;

  /** @param {string} kind @param {number} from @param {Block | null} parent @returns {Block} */
  make(kind, from, parent) { return { kind, from, kids: [], lines: [], parent, isOpen: true, line: this.number }; }

  /** @param {Block} block */
  close(block) {
    block.isOpen = false;
    if (block.kind === "list") block.isTight = isTight(block);
    if (block.kind === "code" && !block.isFenced) {
      while (block.lines.length > 0 && /^[ \t]*$/.test(block.lines[block.lines.length - 1].text)) block.lines.pop();
    }
    this.tip = block.parent ?? this.root;
  }

  /**
   * Adds a block below the deepest open one that may hold it.
   * @param {string} kind @param {Line} line
   */
  add(kind, line) {
    while (!canHold(this.tip.kind, kind)) this.close(this.tip);
    const block = this.make(kind, line.at, this.tip);
    this.tip.kids.push(block);
    this.tip = block;
    return block;
  }

  /** @param {string} text @param {number} at */
  line(text, at) {
    this.number += 1;
    const line = new Line(text, at);
    let container = this.root;
    let depth = 0;
    let allMatched = true;
    for (let last = lastOpen(container); last; last = lastOpen(container)) {
      const fit = this.matches(last, line);
      if (fit === "done") return;
      if (!fit) { allMatched = false; break; }
      container = last;
      depth += 1;
    }
    const oldTip = this.tip;
    const unmatched = allMatched ? null : container;
    const closeUnmatched = () => {
      if (unmatched) while (this.tip !== unmatched) this.close(this.tip);
    };
    let isLeaf = container.kind === "code" || container.kind === "table";
    let closed = false;
    while (!isLeaf) {
      if (depth > deepest && line.indent < 4 && /^[>*+\-\d]/.test(line.char) && !rule.test(line.rest)) break;
      const before = () => { if (!closed) { closeUnmatched(); closed = true; } };
      const started = this.start(line, container, before);
      if (started === null) break;
      container = started;
      depth += 1;
      if (container.kind !== "quote" && container.kind !== "item") isLeaf = true;
    }
    if (!closed && !allMatched && !line.isBlank && oldTip.kind === "para" && this.tip === oldTip) {
      this.text(this.tip, line);
      return;
    }
    if (!closed) closeUnmatched();
    this.blanks(container, line);
    if (container.kind === "code") {
      // The line of an opening fence holds no code.
      if (!(container.isFenced && container.line === this.number)) container.lines.push(line.take());
    } else if (container.kind === "para") {
      if (!line.isBlank) this.text(container, line);
    } else if (container.kind === "table") {
      if (container.line !== this.number) container.rows?.push(splitRow(line.rest, line.at + line.next));
    } else if (container.kind !== "heading" && container.kind !== "rule" && !line.isBlank) {
      this.text(this.add("para", line), line);
    }
  }

  /**
   * Remembers blank lines, which make lists loose.
   * @param {Block} container @param {Line} line
   */
  blanks(container, line) {
    const last = container.kids[container.kids.length - 1];
    if (line.isBlank && last) last.endsBlank = true;
    const isNewItem = container.kind === "item" && container.kids.length === 0 && container.line === this.number;
    const counts = line.isBlank && !(container.kind === "quote" || container.isFenced || isNewItem);
    for (let one = /** @type {Block | null | undefined} */ (container); one; one = one.parent) one.endsBlank = counts;
  }

  /** @param {Block} para @param {Line} line */
  text(para, line) {
    line.skipIndent();
    para.lines.push(line.take());
  }

  /**
   * Whether an open block goes on in this line.
   * @param {Block} block @param {Line} line @returns {boolean | "done"}
   */
  matches(block, line) {
    if (block.kind === "list" || block.kind === "document") return true;
    if (block.kind === "quote") {
      if (line.indent > 3 || line.char !== ">") return false;
      line.skipIndent();
      line.advance(1);
      if (line.isSpace) line.advance(1, true);
      return true;
    }
    if (block.kind === "item") {
      const needed = (block.offset ?? 0) + (block.pad ?? 0);
      if (line.isBlank) {
        if (block.kids.length === 0) return false;
        line.skipIndent();
      } else if (line.indent >= needed) line.advance(needed, true);
      else return false;
      return true;
    }
    if (block.kind === "code" && block.isFenced) {
      const fence = block.fence ?? "";
      const run = /^(`+|~+)[ \t]*$/.exec(line.rest);
      if (line.indent <= 3 && run && run[1][0] === fence[0] && run[1].length >= fence.length) {
        this.close(block);
        return "done";
      }
      for (let left = block.offset ?? 0; left > 0 && line.isSpace; left -= 1) line.advance(1, true);
      return true;
    }
    if (block.kind === "code") {
      if (line.indent >= 4) line.advance(4, true);
      else if (line.isBlank) line.skipIndent();
      else return false;
      return true;
    }
    if (block.kind === "para") return !line.isBlank;
    if (block.kind === "table") return !line.isBlank && !startsBlock(line);
    return false;
  }

  /**
   * Starts a block at the cursor, if one starts there.
   * @param {Line} line @param {Block} container @param {() => void} before @returns {Block | null}
   */
  start(line, container, before) {
    if (line.indent >= 4) {
      if (this.tip.kind === "para" || line.isBlank) return null;
      before();
      const code = this.add("code", line);
      line.advance(4, true);
      return code;
    }
    if (line.isBlank) return null;
    const rest = line.rest;
    if (line.char === ">") {
      before();
      line.skipIndent();
      line.advance(1);
      if (line.isSpace) line.advance(1, true);
      return this.add("quote", line);
    }
    if (headingStart.test(rest)) return heading(this, line, rest, before);
    const fence = fenceStart.exec(rest);
    if (fence) {
      before();
      const code = this.add("code", line);
      Object.assign(code, { isFenced: true, fence: fence[0], offset: line.indent, info: rest.slice(fence[0].length).trim() });
      return code;
    }
    if (container.kind === "para" && container.lines.length > 0) {
      if (setext.test(rest)) {
        before();
        Object.assign(container, { kind: "heading", level: rest[0] === "=" ? 1 : 2 });
        return container;
      }
      const found = table(this, line, container, before);
      if (found) return found;
    }
    if (rule.test(rest)) {
      before();
      return this.add("rule", line);
    }
    return item(this, line, container, before);
  }

  end() {
    while (this.tip !== this.root) this.close(this.tip);
    this.close(this.root);
    return this.root.kids;
  }
}

/** @param {Block} container @returns {Block | null} */
function lastOpen(container) {
  const last = container.kids[container.kids.length - 1];
  return last?.isOpen ? last : null;
}

/**
 * Whether the line starts a block that ends a table.
 * @param {Line} line
 */
function startsBlock(line) {
  const rest = line.rest;
  if (line.indent >= 4) return true;
  return line.char === ">" || headingStart.test(rest) || fenceStart.test(rest) || rule.test(rest) ||
    /^(?:[*+-]|\d{1,9}[.)])[ \t]+\S/.test(rest);
}

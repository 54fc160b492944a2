// Headings, tables and list items: how they begin, which block may hold which, rows of GitHub's tables, tight and loose lists.

// A line of Markdown with a cursor that counts columns, as CommonMark's tabs need it.

/** A cursor over one line. `offset` counts characters, `column` counts columns with tab stops of four. */
export class Line {
  /** @param {string} text @param {number} at where the line begins in the source */
  constructor(text, at) {
    this.text = text;
    this.at = at;
    this.offset = 0;
    this.column = 0;
    this.splitsTab = false;
    this.next = 0;
    this.nextColumn = 0;
    this.indent = 0;
    this.isBlank = false;
    this.look();
  }

  /** Finds the next character that is no space or tab. */
  look() {
    let [at, column] = [this.offset, this.column];
    for (; at < this.text.length; at += 1) {
      const code = this.text.charCodeAt(at);
      if (code === 32) column += 1;
      else if (code === 9) column += 4 - (column % 4);
      else break;
    }
    this.next = at;
    this.nextColumn = column;
    this.indent = column - this.column;
    this.isBlank = at === this.text.length;
  }

  /** The character after the indentation. */
  get char() { return this.text[this.next] ?? ""; }

  /** What follows the indentation. */
  get rest() { return this.text.slice(this.next); }

  /** @param {number} count @param {boolean} [isColumns] */
  advance(count, isColumns = false) {
    while (count > 0 && this.offset < this.text.length) {
      if (this.text.charCodeAt(this.offset) === 9) {
        const width = 4 - (this.column % 4);
        if (isColumns) {
          this.splitsTab = width > count;
          const step = Math.min(width, count);
          this.column += step;
          if (!this.splitsTab) this.offset += 1;
          count -= step;
        } else {
          this.splitsTab = false;
          this.column += width;
          this.offset += 1;
          count -= 1;
        }
      } else {
        this.splitsTab = false;
        this.offset += 1;
        this.column += 1;
        count -= 1;
      }
    }
    this.look();
  }

  /** Goes to the next character that is no space or tab. */
  skipIndent() {
    this.offset = this.next;
    this.column = this.nextColumn;
    this.splitsTab = false;
    this.look();
  }

  /** True for a space or tab at the cursor. */
  get isSpace() {
    const code = this.text.charCodeAt(this.offset);
    return code === 32 || code === 9;
  }

  /** What is left of the line, with the rest of a tab as spaces, and where it begins. */
  take() {
    if (!this.splitsTab) return { text: this.text.slice(this.offset), at: this.at + this.offset };
    const spaces = " ".repeat(4 - (this.column % 4));
    return { text: spaces + this.text.slice(this.offset + 1), at: this.at + this.offset };
  }
}

/** @typedef {import("./blocks.js").Block} Block */
/** @typedef {import("./blocks.js").Parser} Parser */

const bullet = /^[*+-]/;
const ordinal = /^(\d{1,9})([.)])/;

/**
 * Whether a block may be a child of another kind.
 * @param {string} holder @param {string} kind
 */
export function canHold(holder, kind) {
  if (holder === "list") return kind === "item";
  return (holder === "document" || holder === "quote" || holder === "item") && kind !== "item";
}

/** @param {Parser} parser @param {Line} line @param {string} rest @param {() => void} before */
export function heading(parser, line, rest, before) {
  before();
  const level = /^#+/.exec(rest)?.[0].length ?? 1;
  const block = parser.add("heading", line);
  block.level = level;
  const lead = /^#+[ \t]*/.exec(rest)?.[0].length ?? 0;
  let content = rest.slice(lead).trimEnd();
  const tail = /(^|[ \t])#+$/.exec(content);
  if (tail) content = content.slice(0, tail.index).trimEnd();
  block.lines.push({ text: content, at: line.at + line.next + lead });
  return block;
}

/**
 * A table whose head is the paragraph's last line.
 * @param {Parser} parser @param {Line} line @param {Block} para @param {() => void} before @returns {Block | null}
 */
export function table(parser, line, para, before) {
  const aligns = delimiterRow(line.rest);
  const head = para.lines[para.lines.length - 1];
  if (!aligns || !head.text.includes("|")) return null;
  const cells = splitRow(head.text, head.at);
  if (cells.length !== aligns.length) return null;
  before();
  if (para.lines.length > 1) {
    para.lines.pop();
    parser.close(para);
    const table = parser.add("table", line);
    Object.assign(table, { from: head.at, aligns, rows: [cells] });
    return table;
  }
  Object.assign(para, { kind: "table", lines: [], aligns, rows: [cells], line: parser.number });
  return para;
}

/** @param {Parser} parser @param {Line} line @param {Block} container @param {() => void} before @returns {Block | null} */
export function item(parser, line, container, before) {
  const rest = line.rest;
  const number = ordinal.exec(rest);
  const mark = bullet.exec(rest)?.[0] ?? number?.[0];
  if (!mark) return null;
  const after = rest[mark.length];
  if (after !== undefined && after !== " " && after !== "\t") return null;
  const isEmpty = rest.slice(mark.length).trim() === "";
  if (container.kind === "para" && (isEmpty || (number && Number(number[1]) !== 1))) return null;
  before();
  const offset = line.indent;
  line.skipIndent();
  line.advance(mark.length, true);
  const [column, position, splits] = [line.column, line.offset, line.splitsTab];
  do line.advance(1, true); while (line.column - column < 5 && line.isSpace);
  const blank = line.offset >= line.text.length;
  let pad = mark.length + line.column - column;
  if (pad - mark.length >= 5 || pad - mark.length < 1 || blank) {
    pad = mark.length + 1;
    Object.assign(line, { column, offset: position, splitsTab: splits });
    line.look();
    if (line.isSpace) line.advance(1, true);
  }
  const type = number ? number[2] : mark;
  // The item goes into the list of its kind that is open here, else into a new one.
  while (parser.tip.kind !== "list" && !canHold(parser.tip.kind, "list")) parser.close(parser.tip);
  if (parser.tip.kind !== "list" || parser.tip.mark !== type) {
    const list = parser.add("list", line);
    Object.assign(list, { mark: type, start: number ? Number(number[1]) : null });
  }
  return Object.assign(parser.add("item", line), { offset, pad });
}

/**
 * The alignments that a delimiter row gives, or null.
 * @param {string} row @returns {string[] | null}
 */
function delimiterRow(row) {
  if (!/^[|:\-][|:\- \t]*$/.test(row) || !row.includes("-")) return null;
  const cells = splitRow(row, 0).map((cell) => cell.text);
  if (cells.length === 0 || !cells.every((cell) => /^:?-+:?$/.test(cell))) return null;
  if (cells.length === 1 && !row.includes("|")) return null;
  return cells.map((cell) => {
    if (cell.startsWith(":")) return cell.endsWith(":") ? "center" : "left";
    return cell.endsWith(":") ? "right" : "";
  });
}

/**
 * The cells of a row and where each begins in the source. `\|` is a bar.
 * @param {string} row @param {number} at
 */
export function splitRow(row, at) {
  /** @type {{ text: string, at: number }[]} */
  const cells = [];
  let start = 0;
  const push = (/** @type {number} */ end) => {
    const raw = row.slice(start, end);
    const lead = raw.length - raw.trimStart().length;
    cells.push({ text: raw.trim().replace(/\\\|/g, "|"), at: at + start + lead });
  };
  const end = row.trimEnd().length;
  if (row[0] === "|") start = 1;
  for (let place = start; place < end; place += 1) {
    if (row[place] === "\\") place += 1;
    else if (row[place] === "|") {
      push(place);
      start = place + 1;
    }
  }
  if (start < end) push(end);
  return cells;
}

/**
 * Whether no blank line is between the items of a list or their parts.
 * @param {Block} list
 */
export function isTight(list) {
  return list.kids.every((item, index) => {
    const isLast = index === list.kids.length - 1;
    if (!isLast && endsBlank(item)) return false;
    return item.kids.every((kid, place) => (isLast && place === item.kids.length - 1) || !endsBlank(kid));
  });
}

/** @param {Block | undefined} block */
function endsBlank(block) {
  for (let one = block; one; one = one.kids[one.kids.length - 1]) {
    if (one.endsBlank) return true;
    if (one.isChecked || (one.kind !== "list" && one.kind !== "item")) break;
    one.isChecked = true;
  }
  return false;
}

// Headings, tables and list items: how they begin, which block may hold which, rows of GitHub's tables, tight and loose lists.

/** @typedef {import("./blocks.js").Block} Block */
/** @typedef {import("./lines.js").Line} Line */
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
export function delimiterRow(row) {
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

// Blocks that begin with more than one mark: headings, tables, list items; and which block may hold which.
import { delimiterRow, splitRow } from "./table.js";

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

// Rows of GitHub's tables.

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

// Files and folders that a person chose or dropped: which are notes, which are left out and why, and what is in them.

/** @typedef {{ path: string, file: () => Promise<File> }} Found */
/** @typedef {{ read: Found[], left: { path: string, why: string }[] }} Sorted */

/** Larger files are no notes. In bytes. */
export const largest = 4_000_000;
const endings = ["md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "txt", "text"];

/**
 * Why a file is not read, by its path: "hidden" or the ending of another kind; null for a note.
 * @param {string} path
 */
export function whyNot(path) {
  const parts = path.split("/");
  if (parts.some((one) => one.startsWith("."))) return "hidden";
  const name = parts[parts.length - 1];
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  return endings.includes(ending) ? null : `.${ending}`;
}

/**
 * Files in two heaps, by their paths.
 * @param {Found[]} found @returns {Sorted}
 */
export function sorted(found) {
  /** @type {Sorted} */
  const heaps = { read: [], left: [] };
  for (const one of [...found].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const why = whyNot(one.path);
    if (why === null) heaps.read.push(one);
    else heaps.left.push({ path: one.path, why });
  }
  return heaps;
}

/**
 * What was left out, in groups: by hidden folder, by ending, or by reason. The largest group comes first.
 * @param {{ path: string, why: string }[]} left
 * @returns {{ why: string, name: string, n: number }[]}
 */
export function groups(left) {
  const counts = new Map();
  for (const { path, why } of left) {
    const name = why === "hidden" ? path.split("/").find((one) => one.startsWith(".")) ?? path : why.startsWith(".") ? why : path;
    const key = `${why === "hidden" ? "hidden" : why.startsWith(".") ? "kind" : why} ${name}`;
    const row = counts.get(key) ?? { why: key.slice(0, key.indexOf(" ")), name, n: 0 };
    row.n += 1;
    counts.set(key, row);
  }
  return [...counts.values()].sort((a, b) => b.n - a.n || (a.name < b.name ? -1 : 1));
}

/**
 * Files of a file picker; those of a folder come with its name.
 * @param {Iterable<File>} files @returns {Found[]}
 */
export const chosen = (files) => [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file: async () => file }));

/**
 * What was dropped. Must be called while the event is handled; the rest of the reading may take its time.
 * @param {any} transfer of the event @returns {() => Promise<{ found: Found[], left: { path: string, why: string }[] }>}
 */
export function dropped(transfer) {
  const items = [...(transfer?.items ?? [])].filter((/** @type {any} */ one) => one.kind === "file");
  const entries = items.map((/** @type {any} */ one) => one.webkitGetAsEntry?.() ?? null);
  const files = [...(transfer?.files ?? [])];
  return async () => {
    if (entries.length === 0 || entries.some((one) => one === null)) return { found: chosen(files), left: [] };
    return walk(entries);
  };
}

/**
 * All files below some entries, without those of hidden folders.
 * @param {any[]} entries
 */
export async function walk(entries) {
  /** @type {Found[]} */
  const found = [];
  /** @type {{ path: string, why: string }[]} */
  const left = [];
  const due = [...entries];
  while (due.length > 0) {
    const entry = /** @type {any} */ (due.pop());
    const path = entry.fullPath.replace(/^\//, "");
    if (entry.isFile) found.push({ path, file: () => new Promise((resolve, reject) => entry.file(resolve, reject)) });
    else if (entry.name.startsWith(".")) left.push({ path, why: "hidden" });
    else {
      try {
        // A reader gives a part of a folder at a time, and nothing at the end.
        const reader = entry.createReader();
        for (;;) {
          /** @type {any[]} */
          const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
          if (part.length === 0) break;
          due.push(...part);
        }
      } catch { left.push({ path, why: "unreadable" }); }
    }
  }
  return { found, left };
}

/**
 * The text of a file: UTF-8, UTF-16 with its mark, else Windows-1252, which is a guess.
 * @param {ArrayBuffer} bytes @returns {{ text: string, isGuessed: boolean }}
 */
export function textOf(bytes) {
  const start = new Uint8Array(bytes.slice(0, 2));
  const wide = start[0] === 0xff && start[1] === 0xfe ? "utf-16le" : start[0] === 0xfe && start[1] === 0xff ? "utf-16be" : null;
  try {
    return { text: new TextDecoder(wide ?? "utf-8", { fatal: true }).decode(bytes), isGuessed: false };
  } catch { return { text: new TextDecoder("windows-1252").decode(bytes), isGuessed: true }; }
}

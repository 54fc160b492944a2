// Colours code by the Highlight API: ranges, no extra nodes. One tokenizer for all languages. Without the API code stays
// plain.

const token = /(\/\/[^\n]*|#(?![0-9a-fA-F]{3,8}\b)[^\n]*|--[ ][^\n]*|\/\*[^]*?\*\/)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\b\d[\w.]*\b)|\b(?:(abstract|and|as|async|await|break|case|catch|class|const|continue|def|default|defer|do|elif|else|end|enum|except|export|extends|false|finally|fn|for|from|func|function|guard|if|impl|import|in|interface|is|let|match|mut|new|nil|none|not|null|or|package|pass|private|protocol|pub|public|raise|return|self|static|struct|super|switch|this|throw|throws|trait|true|try|type|use|var|void|where|while|with|yield|select|insert|update|delete|create|table|join|on|group|order|by|then|fi|done|echo)\b)/gi;
const names = ["code-comment", "code-text", "code-number", "code-word"];
const longest = 100_000;

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
  if (!registry || !(node instanceof Text) || node.data.length > longest || /language-(text|plain|txt)\b/.test(code.className)) return;
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

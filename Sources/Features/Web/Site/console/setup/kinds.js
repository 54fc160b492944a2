// Which settings stand together, in which order, and the control that fits each.

/**
 * Groups in the order of what is changed first. Settings that are not here come last.
 * @type {[string, string[]][]}
 */
export const groups = [
  ["models", ["generate_model", "embed_model", "transcribe_model", "cloud", "model_aliases", "load_shield"]],
  ["chat", ["memories", "memories_model", "private", "citations_model", "chat_context", "chat_answer", "chat_compress", "chat_prefill", "run_patience"]],
  ["notes", ["workflows", "briefing_at", "threads_model", "backfill", "switch_share"]],
  ["goals", ["goals_nudge_at", "goals_model", "goals_confirm", "goals_day_start", "goals_zone"]],
  ["search", ["week_start", "rerank_model", "rerank_timeout", "rerank_candidates", "rerank_bytes", "fusion", "query_timeout"]],
  ["books", ["books_ocr", "books_ocr_languages"]],
  ["mcp", ["mcp", "mcp_private", "mcp_delete", "mcp_search"]],
  ["rest", ["push_keep_days", "push_pictures_mb", "request_log", "request_log_days", "log_level"]],
];

/** @type {Record<string, string[]>} */
const choices = { week_start: ["monday", "saturday", "sunday"], goals_confirm: ["ask", "at_once"], books_ocr: ["auto", "off"], log_level: ["trace", "debug", "info", "notice", "warning", "error"] };
/**
 * Settings that are lists of known names.
 * @type {Record<string, string[]>}
 */
export const lists = { workflows: ["briefing", "threads", "actions"] };
const known = new Map(groups.flatMap(([name, keys]) => keys.map((key) => [key, name])));

/** @param {string} key @returns {string | undefined} */
export const groupOf = (key) => known.get(key);

/**
 * What a setting has, or will have after a restart.
 * @param {any} one @returns {string | undefined}
 */
export const wanted = (one) => (one.next ?? one).value;

/**
 * The names of a list as the gateway reads it: with commas or blanks, `off` for none.
 * @param {string} text
 */
export const namesOf = (text) => text.split(/[,\s]+/).filter((one) => one && one !== "off");

/**
 * The same as text, in the order of all.
 * @param {string[]} names @param {string[]} all
 */
export const listed = (names, all) => all.filter((one) => names.includes(one)).join(",") || "off";

/**
 * The control of a setting: a switch with its two values, a choice, the names of a list, or the type of an input.
 * @param {any} one @returns {{ type: "switch" | "choice" | "list" | "time" | "number" | "text", values?: string[] }}
 */
export function kindOf(one) {
  const { key, summary = "" } = one;
  const [fallback, now] = [one.default ?? "", wanted(one) ?? ""];
  if (choices[key]) return { type: "choice", values: [...new Set([...choices[key], now])].filter(Boolean) };
  if (lists[key]) return { type: "list", values: [...new Set([...lists[key], ...namesOf(fallback), ...namesOf(now)])] };
  if (/_at$/.test(key) || /^\d\d:\d\d$/.test(fallback)) return { type: "time" };
  if (/^-?\d+(\.\d+)?$/.test(fallback)) return { type: "number" };
  const values = fallback === "on" || (fallback === "off" && /\bon: /.test(summary)) ? ["on", "off"] : /^(true|false)$/.test(fallback) ? ["true", "false"] : fallback === "auto" && /\bauto or off\b/.test(summary) ? ["auto", "off"] : [];
  return values.includes(now) ? { type: "switch", values } : { type: "text" };
}

/**
 * The command that does the same.
 * @param {string} key @param {string | null} value null for the default
 */
export function command(key, value) {
  const quoted = value === null ? "" : ` ${/^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`;
  return `selene config set ${key}${quoted}`;
}

// Reads a goal in one line, in English or German: "300 km by March", "Read 12 books by 31 December", "300 km bis März".

/** The months as they begin; "mai" and "may" are whole words. */
const months = ["jan", "feb", "mar|mär|mrz", "apr", "may|mai", "jun", "jul", "aug", "sep", "oct|okt", "nov", "dec|dez"];
const month = "(jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz?|mrz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)\\.?";
const end = "(?![\\p{L}\\d])";
/** A day after a word for "until": each form with what its groups are. */
const forms = /** @type {[string, string][]} */ ([["(\\d{4})-(\\d\\d)-(\\d\\d)", "ymd"], ["(\\d{1,2})\\.\\s?(\\d{1,2})\\.(?:\\s?(\\d{4}|\\d\\d))?", "dmy"], [`(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s+${month}(?:,?\\s+(\\d{4}))?`, "dMy"],
  [`${month}\\s+(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(\\d{4}))?`, "Mdy"], [`${month}(?:\\s+(\\d{4}))?`, "My"], ["(?:the\\s+)?(?:year|year[’']s end|jahr(?:es)?(?:ende)?)", ""], ["(\\d{4})", "y"]]);
const until = "(?<![\\p{L}\\d])(?:by|until|till|bis)\\s+(?:zum\\s+)?(?:(?:the\\s+)?end\\s+of\\s+|ende\\s+)?";

/** @param {number} year @param {number} month from 1 @param {number} day @returns {string | null} nothing for a day that does not exist */
function dayOf(year, month, day) {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.toISOString().slice(0, 10) : null;
}

/**
 * The day that a line names, and the line without it. A month alone is its last day; without a year it is the next such day.
 * @param {string} line @param {Date} now
 */
function due(line, now) {
  const today = dayOf(now.getFullYear(), now.getMonth() + 1, now.getDate()) ?? "";
  for (const [form, order] of forms) {
    const found = new RegExp(`${until}${form}${end}[.!]?`, "iu").exec(line);
    if (!found) continue;
    const part = (/** @type {string} */ name) => (order.includes(name) ? found[order.indexOf(name) + 1] : undefined);
    const name = part("M")?.toLowerCase();
    const monthOf = name ? months.findIndex((one) => new RegExp(`^(${one})`).test(name)) + 1 : Number(part("m") ?? 12);
    const year = Number(part("y") ?? 0);
    const at = (/** @type {number} */ year) => dayOf(year, monthOf, Number(part("d") ?? new Date(Date.UTC(year, monthOf, 0)).getUTCDate()));
    const full = year > 0 && year < 100 ? 2000 + year : year;
    const day = full ? at(full) : [0, 1].map((later) => at(now.getFullYear() + later)).find((one) => one !== null && one >= today) ?? null;
    if (day) return { day, rest: `${line.slice(0, found.index)} ${line.slice(found.index + found[0].length)}` };
  }
  return { day: null, rest: line };
}

/** @param {string} text "1,000", "1.000" and "2,5" */
const numberOf = (text) => Number(/^\d{1,3}([.,]\d{3})+$/.test(text) ? text.replace(/[.,]/g, "") : text.replace(",", "."));

const streak = /(\d+)\s+(?:days|tage)\s+(?:in a row|running|am stück|in folge|hintereinander)/iu;
const windows = /** @type {[string, RegExp][]} */ ([["day", /(?<!\p{L})(?:(?:a|per|each|every)\s+day|daily|am\s+tag|pro\s+tag|je\s+tag|jeden\s+tag|täglich)(?!\p{L})/iu], ["week", /(?<!\p{L})(?:(?:a|per|each|every)\s+week|weekly|(?:pro|je|jede|in\s+der)\s+woche|wöchentlich)(?!\p{L})/iu]]);
const bound = /(?<!\p{L})(?:at most|no more than|up to|höchstens|maximal)(?!\p{L})/iu;

/**
 * What a line says: absent fields are not in it.
 * @param {string} line @param {Date} [now]
 * @returns {{ title: string, amount: number | null, unit: string | null, rule: string, length: number | null, target_date: string | null }}
 */
export function goalOf(line, now = new Date()) {
  const { day, rest } = due(line.trim(), now);
  const text = rest.replace(/\s+/g, " ").trim().replace(/[,;.]$/, "");
  const title = text && text[0].toLocaleUpperCase() + text.slice(1);
  const run = streak.exec(text);
  if (run) return { title, amount: null, unit: null, rule: "streak", length: Number(run[1]), target_date: day };
  const each = windows.find(([, words]) => words.test(text));
  const found = /(?<![\p{L}\d])(\d+(?:[.,]\d+)*)\s*(\p{L}+|[€$£%])?/u.exec(each ? text.replace(each[1], "|") : text);
  const isTimes = /^(?:times|x|mal)$/i.test(found?.[2] ?? "");
  const rule = each && found ? `each ${each[0]} ${bound.test(text) ? "at_most" : "at_least"}` : isTimes ? "count" : "sum";
  return { title, amount: found ? numberOf(found[1]) : null, unit: isTimes ? null : found?.[2] ?? null, rule, length: null, target_date: day };
}

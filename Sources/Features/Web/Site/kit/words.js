// The words of the page in the reader's language: German and English, one file each.
/** @typedef {string | { one: string, other: string }} Word */

/** @type {Record<string, Word>} */
let table = {};
/** The language of the words, as in `lang`. */
export let language = "en";
/** The language with the reader's region, for dates and numbers. */
export let locale = "en";
/** Whether the reader's clock has 12 or 24 hours: as the browser has it, whatever the language of the words. */
const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions();
let formats = formatsOf(locale);

/**
 * What writes numbers and dates. Making one of these is slow, so each is made once.
 * @param {string} where
 */
function formatsOf(where) {
  return {
    numbers: new Intl.NumberFormat(where), plurals: new Intl.PluralRules(where), ago: new Intl.RelativeTimeFormat(where, { numeric: "auto" }),
    exact: new Intl.DateTimeFormat(where, { dateStyle: "full", timeStyle: "short", hourCycle }),
    day: new Intl.DateTimeFormat(where, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }),
  };
}

const kept = "selene.language";

/** The language to use: the one chosen in the settings, else the browser's. */
export function wanted() {
  let chosen = null;
  try { chosen = localStorage.getItem(kept); } catch { chosen = null; }
  const list = chosen ? [chosen] : navigator.languages ?? ["en"];
  return list.map((one) => one.slice(0, 2)).find((one) => one === "de" || one === "en") ?? "en";
}

/**
 * Loads the words of a language and marks the page with it.
 * @param {string} [which]
 */
export async function loadWords(which = wanted()) {
  const module = which === "de" ? await import("../words/de.js") : await import("../words/en.js");
  use(module.words, which);
  document.documentElement.lang = which;
}

/**
 * Adds the words of a part of the page that is loaded later.
 * @param {Record<"en" | "de", () => Promise<{ words: Record<string, Word> }>>} load
 */
export async function addWords(load) {
  const { words } = await load[language === "de" ? "de" : "en"]();
  table = { ...table, ...words };
}

/** @param {Record<string, Word>} words @param {string} which */
export function use(words, which) {
  table = words;
  language = which;
  locale = globalThis.navigator?.languages?.find((one) => one.startsWith(which)) ?? which;
  formats = formatsOf(locale);
}

/**
 * The text of a key. `{name}` is replaced; `n` chooses between one and other. An unknown key is shown as it is.
 * @param {string} key @param {Record<string, string | number>} [values] @returns {string}
 */
export function t(key, values) {
  let word = table[key] ?? key;
  if (typeof word !== "string") {
    word = formats.plurals.select(Number(values?.n ?? 0)) === "one" ? word.one : word.other;
  }
  return values ? word.replace(/\{(\w+)\}/g, (all, name) => (name in values ? say(values[name]) : all)) : word;
}

/** @param {string | number} value */
function say(value) { return typeof value === "number" ? formats.numbers.format(value) : value; }

/**
 * How long ago, in words: "3 hours ago".
 * @param {string | number | Date} time @param {number} [now]
 */
export function ago(time, now = Date.now()) {
  const seconds = (new Date(time).getTime() - now) / 1000;
  if (Number.isNaN(seconds)) return "";
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3600], ["minute", 60]];
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return formats.ago.format(Math.trunc(seconds / length), unit);
  }
  return t("now");
}

/**
 * A date and time in full.
 * @param {string | number | Date} time
 */
export function exact(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  return formats.exact.format(date);
}

/**
 * A time in the reader's own format, in a form such as `{ timeStyle: "short" }`: the only way in which times are written.
 * @param {string | number | Date} time @param {Intl.DateTimeFormatOptions} form
 */
export const inForm = (time, form) => new Intl.DateTimeFormat(locale, { hourCycle, ...form }).format(new Date(time));

/**
 * A number of bytes in words: "3.2 MB".
 * @param {number} bytes
 */
export function size(bytes) {
  const unit = bytes >= 1e9 ? "gigabyte" : bytes >= 1e6 ? "megabyte" : "kilobyte";
  const value = bytes / { gigabyte: 1e9, megabyte: 1e6, kilobyte: 1e3 }[unit];
  return new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/**
 * A calendar day: "14 Mar 2026".
 * @param {string} day
 */
export function onDay(day) {
  const date = new Date(day);
  if (Number.isNaN(date.getTime())) return day;
  return formats.day.format(date);
}

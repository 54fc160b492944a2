// What the console makes of lines and figures: a job's pace, streams of JSON, buttons, inputs, schedules. Nothing here needs a page.
import { locale, t } from "../kit/words.js";

const mostButtons = 4;
const types = ["string", "number", "boolean", "date", "choice"];
/** The forms of a schedule's time. */
export const kinds = ["at", "cron", "rrule"];
/** A rate is measured over this many ms at least. */
const least = 4000;

/**
 * Notes a second of a job since it was first seen here, and the seconds that are left; null while nobody can know.
 * @param {{ at: number, done: number }} first @param {{ done: number, total: number }} job @param {number} now ms
 */
export function pace(first, { done, total }, now) {
  const seconds = (now - first.at) / 1000;
  if (seconds * 1000 < least || done <= first.done) return null;
  const rate = (done - first.done) / seconds;
  return { rate, left: total > done ? (total - done) / rate : 0 };
}

/** @param {number} seconds */
export function duration(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.ceil((seconds % 3600) / 60)];
  return seconds < 60 ? t("console.seconds", { n: Math.ceil(seconds) }) : seconds < 3540 ? t("console.minutes", { n: Math.ceil(seconds / 60) }) : seconds < 86_400 ? t("console.hours", { hours, minutes }) : t("console.days", { days: Math.floor(seconds / 86_400), hours: hours % 24 });
}

/**
 * A time in milliseconds, in words: "12 ms", "1.4 s".
 * @param {number} time
 */
export function span(time) {
  const number = (/** @type {number} */ value, /** @type {number} */ digits) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value);
  return time < 1000 ? `${number(time, time < 10 ? 1 : 0)} ms` : time < 60_000 ? `${number(time / 1000, 1)} s` : duration(time / 1000);
}

/**
 * The points of an hour with its latest one: it replaces that of the same minute, or follows it.
 * @param {any[]} points @param {any} last
 */
export function merged(points, last) {
  const place = last ? points.findIndex(({ at }) => at === last.at) : -1;
  if (!last || (place < 0 && last.at < points[points.length - 1].at)) return points;
  return place < 0 ? [...points.slice(1), last] : points.map((one, at) => (at === place ? last : one));
}

/**
 * The class of a status.
 * @param {number} status
 */
export const tone = (status) => (status >= 500 ? "is-bad" : status >= 400 ? "is-warn" : "is-good");

/**
 * The lines of a stream of JSON values, as they come.
 * @param {ReadableStream<Uint8Array>} stream @param {(value: any) => void} take
 */
export async function lines(stream, take) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const parts = rest.split("\n");
    rest = done ? "" : parts.pop() ?? "";
    for (const part of parts) if (part.trim()) take(JSON.parse(part));
    if (done) return;
  }
}

/**
 * Buttons of lines such as "Chart = https://…"; a line without an address acknowledges. Throws for too many.
 * @param {string | null} text
 */
export function buttons(text) {
  const rows = (text ?? "").split("\n").map((line) => line.trim()).filter(Boolean);
  if (rows.length > mostButtons) throw new Error(t("compose.buttons.many", { n: mostButtons }));
  return rows.map((line, place) => {
    const [, title, url] = /^(.*?)\s*(?:=\s*(https?:\/\/\S+))?$/.exec(line) ?? [];
    return { id: `b${place + 1}`, title, ...(url ? { type: "open", url } : { type: "acknowledge" }) };
  });
}

/**
 * The message of a form, without what is empty.
 * @param {Record<string, any>} values
 */
export function messageOf({ title, subtitle, body, priority, url, image, collapse_id, actions }) {
  const message = { title, subtitle, body, priority: priority === "normal" ? null : priority, url, image, collapse_id };
  const list = buttons(actions);
  return { ...Object.fromEntries(Object.entries(message).filter(([, value]) => value)), ...(list.length > 0 ? { actions: list } : {}) };
}

/**
 * Inputs of lines such as "plant: string = fern". What a line does not say stays as it was.
 * @param {string | null} text @param {any[]} before
 */
export function inputsOf(text, before) {
  return (text ?? "").split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
    const [, name, type = "string", example] = /^([a-z][a-z0-9_]*)(?:\s*:\s*(\w+))?(?:\s*=\s*(.*))?$/.exec(line) ?? [];
    if (!name || !types.includes(type)) throw new Error(t("templates.input.wrong", { line }));
    const old = before.find((one) => one.name === name) ?? {};
    const value = example === undefined ? undefined : type === "number" ? Number(example) : type === "boolean" ? example === "true" : example;
    return { ...old, name, type, ...(value === undefined ? {} : { example: value }) };
  });
}

/** @param {any} schedule */
export const kindOf = (schedule) => kinds.find((name) => schedule[name]) ?? "cron";

/**
 * The request of a form. What the form does not show stays as it was.
 * @param {Record<string, any>} values @param {any} old
 */
export function requestOf(values, old) {
  const { kind, at, cron, rrule, start, message: text, template, ...rest } = values;
  const when = kind === "at" ? { at, cron: null, rrule: null, start: null } : kind === "cron" ? { at: null, cron, rrule: null, start: null } : { at: null, cron: null, rrule, start };
  const message = template ? null : { ...old.message, title: text };
  const all = { ...old, ...rest, ...when, template: template || null, inputs: template ? old.inputs ?? null : null, message };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined && value !== ""));
}

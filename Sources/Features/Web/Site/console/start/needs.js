// What a gateway needs before it answers from notes, out of what is known of it. Nothing here needs a page.
import { t } from "../../kit/words.js";

/** @typedef {{ name: string, isDone: boolean | null, says: string, isWorking?: boolean, isOptional?: boolean, isBad?: boolean, isWaiting?: boolean }} Step */
/**
 * What is known: `wanted` are the models for answers and for the search, `pulls` those that are being pulled, `isBringing` says that notes are on their
 * way, `embeds` that the gateway embeds new notes by itself.
 * @typedef {{ figures: any, jobs: any, runs: any, models: string[] | null, wanted: string[], pulls?: string[], isBringing?: boolean, embeds?: boolean, keys: number | null, needsKey: boolean }} Known
 */

/** @param {string} name */
const tagged = (name) => (/:[^/]*$/.test(name) ? name : `${name}:latest`);

/**
 * A model's name for people.
 * @param {string} name
 */
export const plain = (name) => name.replace(/:latest$/, "");
const names = (/** @type {string[]} */ list) => list.map(plain).join(", ");

/**
 * The models that are wanted and not there.
 * @param {string[]} wanted @param {string[] | null} models
 */
export const lackingOf = (wanted, models) => (models ? wanted.filter((name) => !models.map(tagged).includes(tagged(name))) : []);

/**
 * The steps of what is known; `isDone` is null while it is not known.
 * @param {Known} known @returns {Step[]}
 */
export function stepsOf({ figures, jobs, runs, models, wanted, pulls = [], isBringing = false, embeds = true, keys, needsKey }) {
  const { upstream, index } = figures;
  const lacking = lackingOf(wanted, models);
  const running = jobs?.jobs.find((/** @type {any} */ one) => one.kind === "backfill" && one.state === "running");
  const notes = index?.notes ?? 0;
  const embedded = index?.embedded_notes ?? 0;
  const areModelsThere = models ? lacking.length === 0 : null;
  const isAsked = runs ? runs.latest.some((/** @type {any} */ one) => one.state === "done") : null;
  return [
    { name: "upstream", isDone: upstream.available, isBad: !upstream.available, says: upstream.available ? t("start.upstream.ok", { url: upstream.url }) : t("start.upstream.no", { url: upstream.url, reason: (upstream.reason ?? "").replace(/^Ollama cannot be reached: /, "") }) },
    { name: "models", isDone: areModelsThere, isWorking: pulls.length > 0, isWaiting: models === null,
      says: models === null ? t("start.models.unknown", { models: names(wanted) }) : lacking.length > 0 ? t("start.models.no", { models: names(lacking) }) : t("start.models.ok", { models: names(wanted) }) },
    { name: "notes", isDone: notes > 0 && !isBringing, isWorking: isBringing, says: notes > 0 ? t("start.notes.ok", { n: notes }) : t("start.notes.no") },
    { name: "backfill", isDone: notes > 0 && embedded >= notes, isWorking: Boolean(running) || (embeds && upstream.available && areModelsThere === true && notes > embedded), isWaiting: notes === 0,
      says: notes === 0 ? t("start.backfill.none") : running && running.total > 0 ? t("start.backfill.runs", { done: running.done, total: running.total }) : embedded >= notes ? t("start.backfill.ok", { n: notes }) : t("start.backfill.n", { n: embedded, of: notes }) },
    { name: "question", isDone: isAsked, isWaiting: notes === 0 || areModelsThere !== true, says: isAsked ? t("start.question.ok") : t("start.question.says") },
    { name: "phone", isDone: keys === null ? null : keys > 1, isOptional: true, says: keys !== null && keys > 1 ? t("start.phone.ok", { n: keys }) : needsKey ? t("start.phone.says") : t("start.phone.nokey") },
  ];
}

/**
 * The steps that are open by themselves: the first one that is not done, and the next one while that one works.
 * @param {Step[]} steps
 */
export function openOf(steps) {
  /** @type {string[]} */
  const open = [];
  for (const { name, isDone, isWorking } of steps) {
    if (isDone) continue;
    open.push(name);
    if (!isWorking) break;
  }
  return open;
}

/**
 * First questions about the newest notes, made of their titles. Dates and file names that say nothing are left out.
 * @param {{ title?: string }[]} notes @param {number} [most]
 */
export function questionsOf(notes, most = 3) {
  /** @type {string[]} */
  const titles = [];
  for (const { title = "" } of notes) {
    const clean = title.replace(/[*_`#[\]|]+/g, " ").replace(/^\s*\d{4}-\d\d-\d\d\s*/, "").replace(/\s+/g, " ").trim();
    const words = clean.split(" ").slice(0, 9);
    const short = [...words.join(" ")].slice(0, 60).join("").trim();
    const isPlain = !/\p{L}{3}/u.test(short) || /^(untitled|unbenannt|readme|index|inbox|todo|notes?|notizen?)$/i.test(short);
    if (!isPlain && !titles.some((one) => one.toLocaleLowerCase() === short.toLocaleLowerCase())) titles.push(short);
  }
  return titles.slice(0, most).map((title) => t("start.ask", { title }));
}

/** @typedef {"linux" | "mac" | "windows"} System */

/**
 * The system of a browser.
 * @param {{ platform?: string, userAgent?: string }} browser @returns {System}
 */
export function systemOf({ platform = "", userAgent = "" }) {
  const text = `${platform} ${userAgent}`;
  return /iPhone|iPad|Mac/i.test(text) ? "mac" : /Win/i.test(text) ? "windows" : "linux";
}

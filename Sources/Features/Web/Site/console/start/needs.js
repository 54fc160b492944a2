// What a gateway needs before it answers from notes, out of what is known of it. Nothing here needs a page.
import { t } from "../../kit/words.js";

/** @typedef {{ name: string, isDone: boolean | null, says: string, command: string, isOptional?: boolean, href?: string, begins?: boolean, label?: string, pulls?: string[] }} Step */

const count = (/** @type {number} */ value) => new Intl.NumberFormat(globalThis.document?.documentElement.lang || "en").format(value);
/** @param {string} name */
const tagged = (name) => (/:[^/]*$/.test(name) ? name : `${name}:latest`);

/**
 * The steps of what is known; null while it is not known.
 * @param {{ figures: any, jobs: any, runs: any, models: string[] | null, wanted: string[], keys: number | null, needsKey: boolean }} known
 * @returns {Step[]}
 */
export function stepsOf({ figures, jobs, runs, models, wanted, keys, needsKey }) {
  const { upstream, index } = figures;
  const lacking = models ? wanted.filter((name) => !models.map(tagged).includes(tagged(name))) : [];
  const running = jobs?.jobs.find((/** @type {any} */ one) => one.kind === "backfill" && one.state === "running");
  const notes = index?.notes ?? 0;
  const embedded = index?.embedded_notes ?? 0;
  return [
    { name: "upstream", isDone: upstream.available, command: "ollama serve", says: upstream.available ? t("start.upstream.ok", { url: upstream.url }) : t("start.upstream.no", { url: upstream.url, reason: upstream.reason ?? "" }), href: "#/console/setup", label: t("console.page.setup") },
    { name: "models", isDone: models ? lacking.length === 0 : null, command: `ollama pull ${lacking[0] ?? wanted[0] ?? "llama3.2"}`, says: models === null ? t("start.models.unknown", { models: wanted.join(", ") }) : lacking.length > 0 ? t("start.models.no", { models: lacking.join(", ") }) : t("start.models.ok", { models: wanted.join(", ") }), pulls: lacking },
    { name: "notes", isDone: notes > 0, command: "selene ingest ~/notes", says: notes > 0 ? t("start.notes.ok", { n: notes }) : t("start.notes.no"), href: "#/capture", label: t("start.notes.do") },
    { name: "backfill", isDone: notes > 0 && embedded >= notes, command: "selene backfill", says: running ? t("start.backfill.runs", { done: count(running.done), total: count(running.total) }) : notes === 0 ? t("start.backfill.none") : t("start.backfill.n", { n: count(embedded), of: count(notes) }),
      ...(notes > 0 && !running ? { begins: true, label: t("job.start.backfill") } : {}) },
    { name: "question", isDone: runs ? runs.latest.some((/** @type {any} */ one) => one.state === "done") : null, command: "selene chat", says: t("start.question.says"), href: "#/chat", label: t("start.question.do") },
    { name: "phone", isDone: keys === null ? null : keys > 1, isOptional: true, command: needsKey ? "selene pair phone" : "selene keys create me", says: needsKey ? t("start.phone.says") : t("start.phone.nokey"), ...(needsKey ? { href: "#/console/keys", label: t("keys.offer") } : {}) },
  ];
}

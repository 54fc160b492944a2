// The steps after the notes: embedding with progress, a first question, a phone.
import { askNow } from "../../chat/state.js";
import { call } from "../../net/api.js";
import { attempt, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { go } from "../../kit/router.js";
import { computed, effect, signal } from "../../kit/signal.js";
import { exact, t } from "../../kit/words.js";
import { duration, pace } from "../reading.js";
import { paired } from "../parts.js";
import { live } from "../stream.js";
import { plain, questionsOf } from "./needs.js";
import { bar, command } from "./parts.js";

/**
 * How far the embedding is: of the job that runs, else of all notes.
 * @param {{ step: () => import("./needs.js").Step | undefined, embeds: () => string }} parts
 */
export function embedding({ step, embeds }) {
  const [figures, jobs] = [live("figures"), live("jobs")];
  const latest = computed(() => jobs.value?.jobs.find((/** @type {any} */ one) => one.kind === "backfill"));
  const running = computed(() => (latest.value?.state === "running" && latest.value.total > 0 ? latest.value : null));
  const now = computed(() => (running.value ? { done: running.value.done, total: running.value.total } : { done: Math.min(figures.value?.index?.embedded_notes ?? 0, figures.value?.index?.notes ?? 0), total: figures.value?.index?.notes ?? 0 }));
  const left = signal("");
  /** @type {{ at: number, done: number, total: number } | null} */
  let first = null;
  effect(() => {
    const { done, total } = now.value;
    if (!first || done < first.done || total !== first.total) first = { at: Date.now(), done, total };
    const found = pace(first, { done, total }, Date.now());
    left.value = found && done < total ? t("start.left.time", { time: duration(found.left) }) : "";
  });
  const isIdle = () => !step()?.isWorking && !step()?.isWaiting && step()?.isDone === false;
  const begin = () => void attempt(() => call("POST", "api/jobs/backfill", {}));
  return [h("div", { hidden: () => now.value.total === 0 }, bar(t("start.backfill.bar"), () => now.value.done, () => now.value.total, () => left.value)),
    () => (step()?.isWorking && !running.value ? h("p", { class: "hint" }, t("start.backfill.self", { model: plain(embeds()) })) : null),
    () => (latest.value?.state === "failed" && isIdle() ? h("p", { class: "notice bad", role: "alert" }, t("start.backfill.failed", { reason: latest.value.message ?? "" })) : null),
    () => (latest.value?.failed > 0 ? h("p", {}, h("a", { href: "#/console/failed" }, t("start.backfill.given", { n: latest.value.failed }))) : null),
    h("div", { class: "row", hidden: () => !isIdle() }, h("button", { class: "button primary", type: "button", onclick: begin }, t("start.backfill.do"))), h("div", { hidden: () => !isIdle() }, command("selene backfill"))];
}

/**
 * A few first questions about the newest notes; a press asks.
 * @param {() => number} count of notes: others may be the newest when it changes
 */
export function question(count) {
  const { found } = source(async () => { void count(); return (await call("GET", "api/notes?limit=30&content=false")).notes; });
  const questions = computed(() => (Array.isArray(found.value) ? questionsOf(found.value) : []));
  const ask = (/** @type {string} */ text) => { askNow(text); go("#/chat"); };
  return [() => h("ul", { class: "suggestions", role: "list" }, [...questions.value, ...(questions.value.length === 0 ? [t("start.ask.any")] : [])].map((one) => h("li", {}, h("button", { class: "button", type: "button", onclick: () => ask(one), dir: "auto" }, one)))),
    h("p", { class: "hint" }, t("start.ask.hint"))];
}

/**
 * A phone: a code as a picture; on a gateway without keys, how to open it to others.
 * @param {() => boolean} needsKey
 */
export function phone(needsKey) {
  const offer = signal(/** @type {any} */ (null));
  const problem = signal("");
  const invite = async () => {
    problem.value = "";
    try { offer.value = await call("POST", "web/pairings", { name: t("start.phone.name"), scopes: paired, expires: "never" }); } catch (error) { problem.value = /** @type {Error} */ (error).message || t("library.offline"); }
  };
  const shown = (/** @type {any} */ one) => h("div", { class: "offer", role: "status" }, one.qr ? h("img", { class: "qr", alt: t("start.phone.qr"), src: `data:image/svg+xml,${encodeURIComponent(one.qr)}` }) : null,
    h("div", { class: "stack" }, h("p", {}, t("start.phone.scan")), h("p", { class: "code-shown" }, `${one.code.slice(0, 4)}-${one.code.slice(4)}`), h("p", { class: "hint" }, t("start.phone.until", { time: exact(one.expires_at) })), h("p", { class: "hint mono", dir: "ltr" }, one.url)));
  const isLocal = () => /^https?:\/\/(localhost|127\.|\[::1\])/.test(offer.value?.url ?? "");
  return [() => (needsKey() ? [offer.value ? shown(offer.value) : null, problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null,
    isLocal() ? h("p", { class: "notice warn" }, t("start.phone.local")) : null, h("div", { class: "row" }, h("button", { class: ["button", offer.value ? "" : "primary"], type: "button", "data-key": "phone", onclick: () => void invite() }, t(offer.value ? "start.phone.again" : "start.phone.do")), h("a", { class: "quiet", href: "#/console/keys" }, t("start.phone.keys")))]
    : h("ol", { class: "how" }, h("li", {}, t("start.phone.key"), command("selene keys create admin --scope admin --scope llm --scope notes:read --scope notes:write")), h("li", {}, t("start.phone.open"), command("SELENE_HOST=0.0.0.0 selene serve")), h("li", {}, t("start.phone.back"))))];
}

// The search lab: both legs side by side, what fusion makes of them, and why each note is where it is.
import { call } from "../net/api.js";
import { h } from "../kit/dom.js";
import { form } from "../kit/form.js";
import { address, go, route } from "../kit/router.js";
import { signal, untracked } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { bones } from "../kit/library.js";
import { figure, refusal, twin } from "./parts.js";

const legs = ["hybrid", "vector", "keyword"];

/** @param {any} leg */
const legText = (leg) => (leg ? t("search.leg", { rank: leg.rank, score: figure(leg.score), normalised: figure(leg.normalised), weight: figure(leg.weight) }) : t("search.leg.none"));

/** @param {any} one @param {string} mode */
const hit = (one, mode) => {
  const why = one.explanation;
  const rows = why ? [[t("search.vector"), legText(why.vector)], [t("search.keyword"), legText(why.keyword)], [t("search.relevance"), figure(why.relevance)], [t("search.recency"), why.recency != null ? figure(why.recency) : ""],
    [t("search.similarity"), why.similarity != null ? figure(why.similarity) : ""], [t("search.terms"), why.matched_terms.join(", ")]] : [];
  return h("li", {}, h("p", {}, h("a", { class: "cell-link", href: address("notes", String(one.id)), dir: "auto" }, one.title || t("untitled")), h("span", { class: "hint" }, ` ${figure(one.score)}`)),
    mode === "hybrid" && why ? h("details", { class: "why" }, h("summary", { "aria-label": `${t("push.why")} ${one.title}` }, t("push.why")), h("dl", { class: "facts" }, rows.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)]))) : null);
};

/** @param {string} mode @param {any} answer */
const column = (mode, answer) => h("section", { class: "leg" }, h("h2", {}, t(`search.mode.${mode}`)),
  answer instanceof Error ? h("p", { class: "is-bad" }, answer.message || t("library.offline")) : [h("p", { class: "hint" }, [answer.source !== mode ? `${t(`search.source.${answer.source}`)}${answer.fallback_reason ? `: ${answer.fallback_reason}` : ""}` : "", ...Object.entries(answer.timings_ms ?? {}).map(([name, value]) => `${name} ${figure(Number(value))} ms`)].filter(Boolean).join(" · ")),
    answer.results.length === 0 ? h("p", { class: "hint" }, t("notes.unfound")) : h("ol", { class: "hits" }, answer.results.map((/** @type {any} */ one) => hit(one, mode)))]);

/** @param {any} summary */
const statistics = (summary) => h("details", { class: "why" }, h("summary", {}, t("search.statistics")), h("dl", { class: "facts" }, Object.entries(summary).map(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), h("dd", { dir: "ltr" }, Array.isArray(value) ? value.join(", ") : typeof value === "number" ? figure(value) : String(value))])));

/**
 * The view. The query is in the address.
 * @type {import("./view.js").Page}
 */
export function search(head) {
  const query = untracked(() => route.value.query.get("q") ?? "");
  const { values, parts } = form([
    { name: "query", label: t("search.query"), required: true }, { name: "limit", label: t("passages"), type: "number", min: 1, max: 100 },
    { name: "fusion", label: t("search.fusion"), type: "choice", choices: ["", "convex", "convex:0", "convex:1", "rrf", "dbsf"].map((name) => [name, name || t("search.default")]) },
    { name: "scorer", label: t("search.scorer"), type: "choice", choices: ["", "both", "bm25", "like"].map((name) => [name, name || t("search.default")]) },
    { name: "tag", label: t("tag") }, { name: "days", label: t("search.days"), type: "number", min: 1, max: 100_000 }, { name: "diversity", label: t("search.diversity"), type: "number", min: 0, max: 1, hint: "0 – 1" }, { name: "recency", label: t("search.recent"), type: "number", min: 0, max: 1, hint: "0 – 1" },
    { name: "exact", label: t("search.exact"), type: "check" },
  ], { query, limit: 10, fusion: "", scorer: "", tag: null, days: null, diversity: null, recency: null, exact: false });
  const answers = signal(/** @type {any} */ (null));
  let turn = 0;
  const run = async () => {
    const now = values.peek();
    if (!now.query) return;
    const mine = (turn += 1);
    answers.value = "loading";
    go(address("console", "search", { q: now.query }), { replace: true });
    const body = { query: now.query, limit: now.limit ?? 10, explain: true, content: false, ...(now.fusion ? { fusion: now.fusion } : {}), ...(now.scorer ? { scorer: now.scorer } : {}), ...(now.tag ? { tag: now.tag.replace(/^#/, "") } : {}), ...(now.days ? { timeScope: { days: now.days } } : {}),
      ...(now.diversity != null ? { diversity: now.diversity } : {}), ...(now.recency != null ? { recency: { weight: now.recency } } : {}), ...(now.exact ? { exact: true } : {}) };
    const found = await Promise.all(legs.map((mode) => call("POST", "api/notes/retrieve", { ...body, mode }).catch((/** @type {any} */ error) => error)));
    if (mine === turn) answers.value = found;
  };
  if (query) void run();
  head(twin(() => `selene search ${JSON.stringify(values.value.query || "…")} --explain`));
  return [h("form", { class: "stack", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void run(); } }, h("div", { class: "row ends" }, parts[0], h("button", { class: "button primary", type: "submit" }, t("search.run"))), h("details", { class: "why" }, h("summary", {}, t("search.options")), h("div", { class: "triple" }, parts.slice(1)))),
    () => (answers.value === null ? h("p", { class: "hint" }, t("search.hint")) : answers.value === "loading" ? bones() : answers.value.every((/** @type {any} */ one) => one instanceof Error) ? refusal(answers.value[0], () => void run())
      : h("div", { role: "region", "aria-label": t("search.found") }, h("div", { class: "legs" }, legs.map((mode, place) => column(mode, answers.value[place]))), answers.value[0].explanation ? statistics(answers.value[0].explanation) : null))];
}

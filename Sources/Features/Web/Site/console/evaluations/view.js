// Evaluations of retrieval: measuring a collection as a job, stored reports, two of them compared.
import { call } from "../../net/api.js";
import { attempt, paged, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { sheet } from "../../kit/sheet.js";
import { computed, effect, signal, untracked } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { figure, twin, when } from "../parts.js";
import { live } from "../stream.js";
import { table } from "../table.js";
import { compared } from "./compare.js";
import { four, shown } from "./report.js";

/** The means of a mode's first metric, for the list. */
const headline = (/** @type {any} */ run) => {
  const mode = run.means.hybrid ?? Object.values(run.means)[0] ?? {};
  const metric = "ndcg@10" in mode ? "ndcg@10" : Object.keys(mode)[0];
  return metric ? { metric, value: mode[metric] } : null;
};

/** The button of the form that begins a job, and the job's progress. */
function measuring(/** @type {() => void} */ after) {
  const jobs = live("jobs");
  const job = computed(() => jobs.value?.jobs.find((/** @type {any} */ one) => one.kind === "evaluation") ?? null);
  const running = () => job.value?.state === "running";
  let was = /** @type {string | null} */ (null);
  effect(() => {
    // A short job may be over before it is seen running.
    const state = jobs.value ? `${job.value?.id} ${job.value?.state}` : null;
    if (was !== null && was !== state) untracked(after);
    was = state;
  });
  const { found } = source(() => call("GET", "api/admin/evaluations/collections"));
  const open = () => {
    const collection = h("select", { class: "input", id: "eval-collection" }, found.peek().collections.map((/** @type {any} */ one) => h("option", { value: one.name }, `${one.name}${one.has_vectors ? "" : ` (${t("eval.embeds")})`}`)));
    const name = h("input", { class: "input", id: "eval-name", maxlength: "200", dir: "auto", autocomplete: "off" });
    const begin = (/** @type {Event} */ event) => { event.preventDefault(); close(); void attempt(() => call("POST", "api/jobs/evaluation", { collection: collection.value, ...(name.value.trim() ? { name: name.value.trim() } : {}) })); };
    const close = sheet(t("eval.measure"), h("form", { class: "stack", onsubmit: begin }, h("div", { class: "field" }, h("label", { for: "eval-collection" }, t("eval.collection")), collection), h("div", { class: "field" }, h("label", { for: "eval-name" }, t("eval.name")), name),
      h("div", { class: "row" }, h("button", { class: "button primary", type: "submit" }, t("eval.start")), twin("selene eval start COLLECTION"))));
  };
  const progress = () => {
    const now = job.value;
    if (!now) return null;
    if (now.state !== "running") return h("p", { class: "hint", role: "status", dir: "auto" }, t(`job.${now.state}`), now.message ? `: ${now.message}` : "");
    return h("div", { role: "status" }, h("p", { dir: "auto" }, now.message ?? t("job.running"), now.total ? ` · ${figure(now.done)} / ${figure(now.total)}` : ""), h("progress", { max: String(now.total || 1), value: String(now.done), "aria-label": t("job.kind.evaluation") }),
      h("button", { class: "quiet", type: "button", "data-key": "eval-cancel", onclick: () => void attempt(() => call("DELETE", `api/jobs/${now.id}`)) }, t("cancel")));
  };
  const lacks = () => (found.value?.collections?.length === 0 ? h("p", { class: "notice" }, t(found.value.is_set ? "eval.empty" : "eval.unset")) : null);
  const button = h("button", { class: "button", type: "button", disabled: () => running() || !(found.value?.collections?.length > 0), onclick: open }, t("eval.measure"));
  return { button, progress: [lacks, progress] };
}

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function evaluations(head) {
  const list = paged("evaluations", (cursor) => `api/admin/evaluations?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
  const chosen = signal(/** @type {any[]} */ ([]));
  const sure = signal(0);
  const choose = (/** @type {any} */ run) => attempt(async () => {
    const others = () => chosen.peek().filter((one) => one.id !== run.id);
    if (others().length < chosen.peek().length) { chosen.value = others(); return; }
    const found = await call("GET", `api/admin/evaluations/${run.id}`);
    // Another one may have come meanwhile.
    chosen.value = [...others().slice(-1), found];
  });
  const remove = (/** @type {any} */ run) => attempt(async () => {
    if (sure.peek() !== run.id) { sure.value = run.id; return; }
    await call("DELETE", `api/admin/evaluations/${run.id}`);
    chosen.value = chosen.peek().filter((one) => one.id !== run.id);
    await list.load();
  });
  const isChosen = (/** @type {any} */ run) => chosen.value.some((one) => one.id === run.id);
  // The older one is A.
  const pair = computed(() => (chosen.value.length === 2 ? [...chosen.value].sort((a, b) => a.id - b.id) : null));
  const { button, progress } = measuring(() => void list.load());
  head(button, twin("selene eval runs"));
  return [h("div", {}, progress), list.view((page) => (page.evaluations.length === 0 ? h("p", { class: "hint" }, t("eval.none")) : h("p", { class: "hint" }, t("bench.hint")))),
    h("div", { hidden: () => !(list.found.value?.evaluations?.length > 0) }, table(t("eval"), () => list.found.value?.evaluations ?? [], [
      { name: t("console.name"), value: (one) => one.name }, { name: t("eval.collection"), value: (one) => one.collection }, { name: t("eval.figure"), value: (one) => headline(one)?.value ?? 0, show: (one) => { const now = headline(one); return now ? `${now.metric} ${four(now.value)}` : "–"; }, isNumber: true },
      { name: t("time"), value: (one) => one.created_at, show: (one) => when(one.created_at) },
      { name: t("console.do"), value: () => "", isPlain: true, show: (one) => [h("button", { class: "quiet", type: "button", "data-key": `eval-${one.id}`, "aria-pressed": String(isChosen(one)), "aria-label": `${t("request.show")}: ${one.name}`, onclick: () => void choose(one) }, t("request.show")),
        h("button", { class: ["quiet", sure.value === one.id && "is-bad"], type: "button", "data-key": `eval-drop-${one.id}`, "aria-label": `${t("delete")}: ${one.name}`, onclick: () => void remove(one) }, t(sure.value === one.id ? "models.delete.sure" : "delete"))] }]), list.more),
    () => (pair.value ? compared(pair.value[0], pair.value[1]) : null),
    h("div", { class: "legs" }, () => [...chosen.value].sort((a, b) => a.id - b.id).map((run) => h("section", { class: "leg" }, h("h2", { dir: "auto" }, run.name), shown(run))))];
}

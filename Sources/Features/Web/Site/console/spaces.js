// The index of notes: what it holds, how it searches, measuring it; and the spaces of vectors with switch and rollback.
import { call } from "../net/api.js";
import { attempt, source } from "../net/source.js";
import { h } from "../kit/dom.js";
import { computed, signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { ago, exact, size, t } from "../kit/words.js";
import { decimal, figure, heading, twin, when } from "./parts.js";
import { live } from "./stream.js";
import { table } from "./table.js";

/** @param {any} status */
function facts(status) {
  const { tuning } = status;
  const rows = [[t("spaces.notes"), t("spaces.embedded", { n: figure(status.embedded_notes), of: figure(status.notes) })], [t("model"), status.model ? `${status.model} · ${t("spaces.dimensions", { n: status.dimensions })}` : t("spaces.none")],
    [t("spaces.vectors"), `${figure(status.vectors)} · ${size(status.matrix_bytes + status.code_bytes)}`], [t("spaces.text"), size(status.text_bytes)],
    [t("spaces.file"), status.file_bytes ? `${size(status.file_bytes)} · ${t("spaces.beyond", { n: status.notes_beyond_file })}` : t(status.file ? "spaces.unwritten" : "spaces.nofile")],
    [t("spaces.plan"), tuning ? t("spaces.tuned", { plan: status.plan, recall: decimal(tuning["recall@10"] * 100), sample: figure(tuning.sample), speed: figure(tuning.speedup) }) : t(`spaces.plan.${status.plan}`)],
    ...(tuning ? [[t("spaces.measured"), h("time", { title: exact(new Date(tuning.measured_at * 1000).toISOString()) }, ago(new Date(tuning.measured_at * 1000).toISOString()))]] : []), [t("spaces.machine"), `${status.kernel}; ${status.blas}`]];
  return h("dl", { class: "facts" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)]));
}

/** The view. */
export function spaces() {
  const jobs = live("jobs");
  const job = computed(() => jobs.value?.jobs.find((/** @type {any} */ one) => one.kind === "index.tune") ?? null);
  // Asked again when a job that changes the index or a space began or ended.
  const work = computed(() => JSON.stringify(jobs.value?.jobs.filter((/** @type {any} */ one) => ["index.tune", "backfill"].includes(one.kind)).map((/** @type {any} */ one) => [one.id, one.state]) ?? []));
  const index = source(() => { void work.value; return call("GET", "api/admin/index"); });
  const list = source(() => { void work.value; return call("GET", "api/admin/spaces"); });
  const sure = signal("");
  const problem = signal("");
  const tune = () => attempt(() => call("POST", "api/jobs/tune", {}));
  const change = async (/** @type {string} */ method, /** @type {string} */ path, /** @type {any} */ body, /** @type {string} */ said) => {
    problem.value = "";
    sure.value = "";
    try { list.found.value = await call(method, path, body); toast(said); void index.load(); } catch (error) { problem.value = /** @type {Error} */ (error).message || t("library.offline"); }
  };
  const twice = (/** @type {string} */ key, /** @type {string} */ label, /** @type {string} */ again, /** @type {string} */ long, /** @type {() => Promise<any>} */ act) => h("button", { class: ["quiet", sure.value === key && "is-bad"], type: "button", "data-key": key, "aria-label": `${sure.value === key ? again : label}: ${long}`,
    onclick: () => { if (sure.peek() === key) void act(); else sure.value = key; } }, sure.value === key ? again : label);
  const state = (/** @type {any} */ one) => (one.active ? h("span", { class: "is-good" }, `● ${t("spaces.active")}`) : one.previous ? t("spaces.previous") : one.filled ? t("spaces.filled") : "–");
  const actions = (/** @type {any} */ one) => (one.active ? null : [twice(`switch-${one.id}`, t("spaces.switch"), t("spaces.switch.again"), one.model, () => change("POST", `api/admin/spaces/${one.id}/switch`, {}, t("spaces.switched", { model: one.model }))),
    twice(`drop-${one.id}`, t("delete"), t("spaces.drop.again"), one.model, () => change("DELETE", `api/admin/spaces/${one.id}`, undefined, t("spaces.dropped", { model: one.model })))]);
  const rows = () => list.found.value?.spaces ?? [];
  const before = () => rows().find((/** @type {any} */ one) => one.previous);
  const running = () => job.value?.state === "running";
  return [h("section", {}, heading(t("spaces.index"), twin("selene index status")), index.view(facts), h("div", { class: "row" }, h("button", { class: "button", type: "button", disabled: running, onclick: () => void tune() }, t("spaces.tune"))),
    () => (job.value ? h("p", { class: "hint", role: "status", dir: "auto" }, t(`job.${job.value.state}`), job.value.message ? `: ${job.value.message}` : "") : h("p", { class: "hint" }, t("spaces.tune.hint")))),
  h("section", {}, list.view(() => null), () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null),
    h("div", { hidden: () => !list.found.value?.spaces }, table(t("spaces"), rows, [
      { name: t("model"), value: (one) => one.model, show: (one) => h("span", { title: one.digest }, one.model) }, { name: t("console.state"), value: (one) => (one.active ? 0 : one.previous ? 1 : 2), show: state },
      { name: t("spaces.notes"), value: (one) => one.embedded, show: (one) => t("spaces.of", { n: figure(one.embedded), of: figure(one.notes) }), isNumber: true }, { name: t("spaces.waiting"), value: (one) => one.waiting, isNumber: true },
      { name: t("spaces.failed"), value: (one) => one.failed, show: (one) => h("span", { class: one.failed > 0 ? "is-bad" : null }, figure(one.failed)), isNumber: true }, { name: t("spaces.long"), value: (one) => t(one.passages ? "spaces.passages" : "spaces.whole"), isSpare: true },
      { name: t("spaces.since"), value: (one) => one.activated_at ?? "", show: (one) => when(one.activated_at && `${one.activated_at.replace(" ", "T")}Z`) }, { name: t("console.do"), value: () => "", isPlain: true, show: actions },
    ], { parts: twin("selene spaces") })), () => (before() ? h("div", { class: "row" }, twice("rollback", t("spaces.rollback"), t("spaces.rollback.again"), before().model, () => change("POST", "api/admin/spaces/rollback", undefined, t("spaces.switched", { model: before().model })))) : null),
    h("div", { class: "row" }, h("p", { class: "hint" }, t("spaces.hint")), twin("selene backfill --model NAME")))];
}

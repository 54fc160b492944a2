// Answers that are being written, and the latest ones: state, place in the queue, model, stopping.
import { call } from "../../net/api.js";
import { attempt } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { address } from "../../kit/router.js";
import { t } from "../../kit/words.js";
import { topic, twin, when } from "../parts.js";
import { table } from "../table.js";

const isOver = (/** @type {any} */ run) => ["done", "failed", "stopped", "interrupted"].includes(run.state);

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function runs(head) {
  const { found, state } = topic("runs");
  const stop = (/** @type {any} */ run) => attempt(async () => { await call("DELETE", `api/chat/runs/${encodeURIComponent(run.id)}`); });
  const columns = [
    { name: t("question"), value: (/** @type {any} */ one) => one.question, show: (/** @type {any} */ one) => h("a", { class: "cell-link", href: address("chat", one.session), dir: "auto" }, one.question.slice(0, 120) || t("untitled")) },
    { name: t("console.state"), value: (/** @type {any} */ one) => one.state, show: (/** @type {any} */ one) => [t(isOver(one) ? `run.${one.state}` : `state.${one.state}`), one.place ? ` · ${t("state.place", { n: one.place })}` : "", one.error ? h("span", { class: "is-bad" }, `: ${one.error}`) : null] },
    { name: t("model"), value: (/** @type {any} */ one) => one.model ?? "" },
    { name: t("console.begun"), value: (/** @type {any} */ one) => one.created_at, show: (/** @type {any} */ one) => when(one.created_at) },
  ];
  head(twin("selene chat"));
  return [state, h("div", { hidden: () => found.value === null },
    table(t("run.live"), () => (found.value?.running ?? []).filter((/** @type {any} */ one) => !isOver(one)), [...columns, { name: t("console.do"), value: () => "", isPlain: true, show: (one) => h("button", { class: "quiet", type: "button", "data-key": `run-${one.id}`, "aria-label": t("run.stop.long", { question: one.question }), onclick: () => void stop(one) }, t("stop")) }], { none: t("run.live.none") }),
    table(t("run.over"), () => (found.value?.latest ?? []).filter(isOver), columns, { none: t("run.over.none") }))];
}

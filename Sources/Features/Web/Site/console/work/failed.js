// What failed and is not tried again by itself: notes that no model embedded, and deliveries of notifications; each with its reason, tried again or discarded.
import { call } from "../../net/api.js";
import { attempt, paged, query } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { address } from "../../kit/router.js";
import { signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { twin, when } from "../parts.js";
import { table } from "../table.js";

const page = 50;
const why = (/** @type {any} */ one) => h("span", { class: "where", dir: "auto" }, one.reason ?? "–");

/**
 * The two buttons of a row; discarding asks once more.
 * @param {string} key @param {string} name @param {import("../../kit/signal.js").Signal<string>} sure @param {(method: string, more: string) => Promise<any>} act
 */
const buttons = (key, name, sure, act) => [h("button", { class: "quiet", type: "button", "data-key": `retry-${key}`, "aria-label": `${t("log.retry")}: ${name}`, onclick: () => void act("POST", "/retry") }, t("log.retry")),
  h("button", { class: ["quiet", sure.value === key && "is-bad"], type: "button", "data-key": `drop-${key}`, "aria-label": `${t("failed.discard")}: ${name}`, onclick: () => { if (sure.peek() === key) void act("DELETE", ""); else sure.value = key; } }, t(sure.value === key ? "failed.discard.sure" : "failed.discard"))];

/** The view. */
export function failed() {
  const sure = signal("");
  const notes = paged("notes", (cursor) => `api/admin/failed-notes?${query({ limit: page, cursor })}`);
  const pushes = paged("log", (cursor) => `api/v1/log?${query({ status: "failed", limit: page, cursor })}`);
  const act = (/** @type {{ load: () => Promise<void> }} */ list, /** @type {string} */ path) => (/** @type {string} */ method, /** @type {string} */ more) => attempt(async () => {
    await call(method, `${path}${more}`);
    sure.value = "";
    await list.load();
  });
  const rows = (/** @type {any} */ list, /** @type {string} */ name) => list.found.value?.[name] ?? [];
  return [h("p", { class: "hint" }, t("failed.hint")), notes.view(() => null), h("div", { hidden: () => !notes.found.value?.notes }, table(t("failed.notes"), () => rows(notes, "notes"), [
    { name: t("failed.note"), value: (one) => one.title ?? "", show: (one) => (one.title === undefined ? t("failed.gone", { id: one.note }) : h("a", { class: "cell-link", href: address("notes", String(one.note)), dir: "auto" }, one.title || t("untitled"))) },
    { name: t("model"), value: (one) => one.model }, { name: t("failed.reason"), value: (one) => one.reason, show: why }, { name: t("push.attempts"), value: (one) => one.attempts, isNumber: true, isSpare: true },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => buttons(`note-${one.space}-${one.note}`, one.title ?? String(one.note), sure, act(notes, `api/admin/failed-notes/${one.space}/${one.note}`)) },
  ], { parts: twin("selene backfill status") }), notes.more), pushes.view(() => null), h("div", { hidden: () => !pushes.found.value?.log }, table(t("failed.pushes"), () => rows(pushes, "log"), [
    { name: t("compose.title"), value: (one) => one.title ?? one.topic }, { name: t("push.device"), value: (one) => one.deviceName ?? "" }, { name: t("failed.reason"), value: (one) => one.reason ?? "", show: why }, { name: t("push.attempts"), value: (one) => one.attempts, isNumber: true, isSpare: true },
    { name: t("time"), value: (one) => one.createdAt, show: (one) => when(one.createdAt) },
    { name: t("console.do"), value: () => "", isPlain: true, show: (one) => buttons(`push-${one.id}`, one.title ?? one.topic, sure, act(pushes, `api/v1/deliveries/${encodeURIComponent(one.id)}`)) },
  ], { parts: twin("selene push log --status failed") }), pushes.more)];
}

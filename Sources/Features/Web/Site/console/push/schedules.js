// Schedules: once, by cron or by an RRULE; the next five times are shown before anything is stored.
import { call } from "../../net/api.js";
import { attempt, paged, query, write } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { editor } from "../../kit/form.js";
import { effect, signal } from "../../kit/signal.js";
import { toast } from "../../kit/toast.js";
import { exact, inForm, t } from "../../kit/words.js";
import { twin, when } from "../parts.js";
import { kindOf, kinds, requestOf } from "../reading.js";

const path = "api/v1/schedules";
const pause = 400;

/**
 * The next times, as the clock of the schedule's zone has them.
 * @param {any[]} next
 */
const times = (next) => h("ol", { class: "times" }, next.map((one) => h("li", {}, h("time", { datetime: one.at, title: exact(one.at) }, inForm(`${one.local}Z`, { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZone: "UTC" })))));

/** @param {any} [stored] @param {any[]} [templates] */
function edit(stored, templates = []) {
  const old = stored?.schedule ?? {};
  const before = { name: old.name, kind: kindOf(old), at: old.at, cron: old.cron ?? "0 8 * * *", rrule: old.rrule, start: old.start, zone: old.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone, catchUp: old.catchUp ?? "latest", template: old.template ?? "", message: old.message?.title, topic: old.topic };
  const is = (/** @type {string} */ kind) => (/** @type {Record<string, any>} */ values) => values.kind === kind;
  editor(t(stored ? "schedules.edit" : "schedules.new"), [
    { name: "name", label: t("console.name"), required: true }, { name: "kind", label: t("console.kind"), type: "choice", choices: kinds.map((name) => [name, t(`schedules.kind.${name}`)]) },
    { name: "at", label: t("schedules.at"), type: /** @type {any} */ ("datetime-local"), required: true, when: is("at") }, { name: "cron", label: "cron", required: true, hint: t("schedules.cron.hint"), when: is("cron") },
    { name: "rrule", label: "RRULE", required: true, hint: "FREQ=WEEKLY;BYDAY=MO", when: is("rrule") }, { name: "start", label: t("schedules.start"), type: /** @type {any} */ ("datetime-local"), required: true, when: is("rrule") },
    { name: "zone", label: t("rules.zone"), required: true }, { name: "catchUp", label: t("schedules.missed"), type: "choice", choices: ["latest", "all", "none"].map((name) => [name, t(`schedules.missed.${name}`)]) },
    { name: "template", label: t("compose.template"), type: "choice", choices: [["", t("compose.own")], ...templates.map((one) => /** @type {[string, string]} */ ([one.name, one.name]))] },
    { name: "message", label: t("compose.title"), required: true, when: ({ template }) => !template }, { name: "topic", label: t("push.topic"), hint: t("compose.topic.hint") },
  ], before, async (values) => {
    const body = requestOf(values, old);
    const saved = await (stored ? write("PUT", `${path}/${encodeURIComponent(stored.id)}`, body) : write("POST", path, body));
    toast(t("templates.saved", { name: saved.schedule.name }));
  }, (/** @type {() => void} */ close, /** @type {any} */ values) => {
    const shown = signal(/** @type {any} */ (null));
    let timer = 0;
    effect(() => {
      const now = values.value;
      clearTimeout(timer);
      // Names and messages are not needed to know the times.
      timer = window.setTimeout(() => call("POST", `${path}/preview`, requestOf({ ...now, name: now.name || "-", message: now.message || "-" }, old)).then((answer) => { if (values.peek() === now) shown.value = answer.next; }, (error) => { if (values.peek() === now) shown.value = error; }), pause);
      return () => clearTimeout(timer);
    });
    return [h("div", { class: "wide", role: "status" }, h("p", { class: "label" }, t("schedules.next")), () => (shown.value === null ? null : shown.value instanceof Error ? h("p", { class: "is-bad" }, shown.value.message || t("library.offline")) : shown.value.length === 0 ? h("p", {}, t("schedules.never")) : times(shown.value))),
      stored ? h("button", { class: "button danger", type: "button", onclick: () => void attempt(async () => {
        close();
        await write("DELETE", `${path}/${encodeURIComponent(stored.id)}`);
        toast(t("deleted", { title: old.name }), { label: t("undo"), run: () => void attempt(() => write("POST", path, old)) });
      }) }, t("delete")) : null];
  });
}

/** @param {any} stored */
const toggle = (stored) => attempt(() => write("PUT", `${path}/${encodeURIComponent(stored.id)}`, { ...stored.schedule, enabled: !stored.enabled }));

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function schedules(head) {
  const { view, more } = paged("schedules", (cursor) => `${path}?${query({ limit: 50, cursor })}`);
  const open = (/** @type {any} */ stored) => attempt(async () => {
    const { definitions } = await call("GET", "api/v1/notifications/definitions?limit=200");
    edit(stored, definitions);
  });
  const row = (/** @type {any} */ stored) => {
    const { schedule } = stored;
    return h("li", { class: "stack" }, h("div", { class: "rule" }, h("div", {}, h("p", {}, h("strong", { dir: "auto" }, schedule.name), stored.enabled ? "" : ` · ${t("schedules.stopped")}`),
      h("p", { class: "hint", dir: "auto" }, h("code", { dir: "ltr" }, schedule[kindOf(schedule)]), ` · ${schedule.zone ?? "UTC"} · ${schedule.template ?? schedule.message?.title ?? ""}`), stored.lastRun ? h("p", { class: "hint" }, t("schedules.last"), " ", when(stored.lastRun)) : null, stored.missed ? h("p", { class: "hint is-bad" }, stored.missed) : null),
    h("div", { class: "row" }, h("button", { class: "quiet", type: "button", role: "switch", "aria-checked": String(stored.enabled), "data-key": `toggle-${stored.id}`, "aria-label": t("schedules.runs", { name: schedule.name }), onclick: () => void toggle(stored) }, t(stored.enabled ? "schedules.stop" : "schedules.go")),
      h("button", { class: "quiet", type: "button", "data-key": `edit-${stored.id}`, "aria-label": `${t("edit")}: ${schedule.name}`, onclick: () => void open(stored) }, t("edit")))), stored.enabled ? h("details", { class: "why" }, h("summary", {}, t("schedules.next")), times(stored.next)) : null);
  };
  head(h("button", { class: "button", type: "button", onclick: () => void open(null) }, t("schedules.new")), twin("selene push schedules"));
  return [view((page) => (page.schedules.length === 0 ? h("p", { class: "blank" }, t("schedules.none")) : h("ul", { class: "rows", role: "list", "aria-label": t("console.page.push/schedules") }, page.schedules.map(row)))), more];
}

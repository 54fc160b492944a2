// When a device may be disturbed: quiet hours, digests, a rate, muted topics. Each change is one request that can be undone.
import { attempt, write } from "../net/source.js";
import { h } from "../kit/dom.js";
import { editor, times, weekdayNames } from "../kit/form.js";
import { toast } from "../kit/toast.js";
import { exact, t } from "../kit/words.js";

/** From the least urgent on. */
export const priorities = ["minimum", "low", "normal", "high", "emergency"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const everyDay = [1, 2, 3, 4, 5, 6, 0];
const mostWindows = 32;
/** How long a topic may be muted, in hours; 0 until it is taken back. */
const spans = ["1", "8", "24", "168", "0"];

/** @param {string[] | null | undefined} names */
const numbers = (names) => (names ? names.map((name) => days.indexOf(name)) : everyDay);
/** @param {number[]} chosen null for every day */
const names = (chosen) => (chosen.length === 0 || chosen.length === 7 ? null : everyDay.filter((day) => chosen.includes(day)).map((day) => days[day]));
/** @param {string[] | null | undefined} list */
const spoken = (list) => (list ? weekdayNames(numbers(list)) : t("rules.daily"));

/**
 * What comes through a rule, in words. Without a word quiet hours let emergencies pass.
 * @param {string | null | undefined} word @param {string} [unsaid]
 */
const passes = (word, unsaid = "none") => t(`rules.through.${word ?? unsaid}`);
/** @param {string} unsaid @returns {[string, string][]} */
const through = (unsaid) => [...priorities.slice(2), "none"].map((name) => [name, passes(name, unsaid)]);

/** @param {any} window */
const windowText = ({ start, end, weekdays }) => `${start}–${end}, ${spoken(weekdays)}`;

/**
 * The rules of a device.
 * @param {any} device
 */
export function rules(device) {
  const now = device.settings ?? {};
  const path = `api/v1/devices/${encodeURIComponent(device.id)}`;
  const put = async (/** @type {any} */ settings, /** @type {string} */ said) => {
    await write("PUT", path, { settings });
    toast(said, { label: t("undo"), run: () => void attempt(() => write("PUT", path, { settings: now })) });
  };
  const saved = () => t("rules.saved");
  const button = (/** @type {string} */ label, /** @type {string} */ long, /** @type {() => void} */ run) => h("button", { class: "quiet", type: "button", "data-key": long, "aria-label": long, onclick: run }, label);
  const row = (/** @type {any} */ title, /** @type {any} */ text, /** @type {any} */ buttons) => h("li", { class: "rule" }, h("div", {}, h("p", {}, title), h("p", { class: "hint", dir: "auto" }, text)), buttons);

  const windows = now.quietHours?.windows ?? [];
  const editWindow = (/** @type {number} */ place) => {
    const old = windows[place];
    editor(t(old ? "rules.quiet.edit" : "rules.quiet.new"), [
      { name: "start", label: t("since"), type: "time", required: true }, { name: "end", label: t("until"), type: "time", required: true, hint: t("rules.quiet.hint") },
      { name: "weekdays", label: t("rules.days"), type: "days" }, { name: "breakThrough", label: t("rules.through"), type: "choice", choices: through("emergency") },
    ], { start: old?.start ?? "22:00", end: old ? old.end.replace("24:00", "00:00") : "07:00", weekdays: numbers(old?.weekdays), breakThrough: now.quietHours?.breakThrough ?? "emergency" }, async (values) => {
      const window = { start: values.start, end: values.end, weekdays: names(values.weekdays) };
      const list = old ? windows.map((/** @type {any} */ one) => (one === old ? window : one)) : [...windows, window];
      await put({ ...now, quietHours: { windows: list, breakThrough: values.breakThrough } }, saved());
    }, old ? (/** @type {() => void} */ close) => h("button", { class: "button danger", type: "button", onclick: () => void attempt(async () => {
      const rest = windows.filter((/** @type {any} */ one) => one !== old);
      close();
      await put({ ...now, quietHours: rest.length > 0 ? { ...now.quietHours, windows: rest } : null }, t("rules.removed"));
    }) }, t("delete")) : null);
  };
  const editDigest = () => editor(t("rules.digest"), [
    { name: "on", label: t("rules.digest.on"), type: "check" }, { name: "at", label: t("rules.digest.at"), type: "words", hint: t("rules.digest.hint"), when: ({ on }) => on },
    { name: "weekdays", label: t("rules.days"), type: "days", when: ({ on }) => on }, { name: "upTo", label: t("rules.digest.upTo"), type: "choice", choices: priorities.slice(0, 4).map((name) => [name, t(`push.priority.${name}`)]), when: ({ on }) => on },
  ], { on: Boolean(now.digest), at: now.digest?.at ?? ["08:00", "18:00"], weekdays: numbers(now.digest?.weekdays), upTo: now.digest?.upTo ?? "low" }, (values) => put({ ...now, digest: values.on ? { ...now.digest, at: times(values.at), weekdays: names(values.weekdays), upTo: values.upTo } : null }, saved()));
  const editRate = () => editor(t("rules.rate"), [
    { name: "on", label: t("rules.rate.on"), type: "check" }, { name: "burst", label: t("rules.rate.burst"), type: "number", min: 1, max: 10_000, required: true, when: ({ on }) => on },
    { name: "minutes", label: t("rules.rate.minutes"), type: "number", min: 0.1, max: 100_000, required: true, when: ({ on }) => on }, { name: "breakThrough", label: t("rules.through"), type: "choice", choices: through("none"), when: ({ on }) => on },
  ], { on: Boolean(now.rate), burst: now.rate?.burst ?? 5, minutes: (now.rate?.seconds ?? 600) / 60, breakThrough: now.rate?.breakThrough ?? "high" }, (values) => put({ ...now, rate: values.on ? { burst: values.burst, seconds: values.minutes * 60, breakThrough: values.breakThrough } : null }, saved()));
  const editZone = () => editor(t("rules.zone"), [{ name: "zone", label: t("rules.zone"), required: true, hint: "Europe/Berlin" }], { zone: now.zone ?? "UTC" }, (values) => put({ ...now, zone: values.zone }, saved()));
  const mutes = now.mutes ?? [];
  const mute = () => editor(t("rules.mute.new"), [
    { name: "topic", label: t("push.topic"), hint: t("rules.mute.hint") }, { name: "hours", label: t("rules.mute.span"), type: "choice", choices: spans.map((span) => [span, t(`rules.span.${span}`)]) },
    { name: "breakThrough", label: t("rules.through"), type: "choice", choices: through("none") },
  ], { topic: null, hours: "8", breakThrough: "none" }, ({ topic, hours, breakThrough }) => {
    const until = hours === "0" ? null : new Date(Math.ceil(Date.now() / 60_000) * 60_000 + Number(hours) * 3_600_000).toISOString().replace(/\.\d+/, "");
    return put({ ...now, mutes: [...mutes, { topic, until, breakThrough }] }, saved());
  });
  const muteRow = (/** @type {any} */ one) => {
    const title = one.topic ? t("rules.mute.topic", { topic: one.topic }) : t("rules.mute.all");
    const isOver = one.until && Date.parse(one.until) <= Date.now();
    return row(title, [one.until ? t(isOver ? "rules.mute.over" : "rules.mute.until", { time: exact(one.until) }) : t("rules.span.0"), ` · ${passes(one.breakThrough)}`],
      button(t("rules.unmute"), `${t("rules.unmute")}: ${title}`, () => void attempt(() => put({ ...now, mutes: mutes.filter((/** @type {any} */ other) => other !== one) }, t("rules.removed")))));
  };
  const change = t("rules.change");
  return h("section", {}, h("h2", {}, t("rules")), h("p", { class: "hint" }, t("rules.hint")), h("ul", { class: "rows", role: "list" },
    windows.map((/** @type {any} */ one, /** @type {number} */ place) => row(t("rules.quiet"), `${windowText(one)} · ${passes(now.quietHours.breakThrough, "emergency")}`, button(change, `${change}: ${t("rules.quiet")} ${windowText(one)}`, () => editWindow(place)))),
    windows.length < mostWindows ? row(t(windows.length === 0 ? "rules.quiet" : "rules.quiet.more"), t(windows.length === 0 ? "rules.quiet.none" : "rules.quiet.more.hint"), button(t("rules.add"), t("rules.quiet.new"), () => editWindow(windows.length))) : null,
    row(t("rules.digest"), now.digest ? t("rules.digest.is", { at: now.digest.at.join(", "), days: spoken(now.digest.weekdays), priority: t(`push.priority.${now.digest.upTo ?? "low"}`) }) : t("rules.off"), button(change, `${change}: ${t("rules.digest")}`, editDigest)),
    row(t("rules.rate"), now.rate ? `${t("rules.rate.is", { n: now.rate.burst, minutes: Math.round(now.rate.seconds / 6) / 10 })} · ${passes(now.rate.breakThrough)}` : t("rules.off"), button(change, `${change}: ${t("rules.rate")}`, editRate)),
    mutes.map(muteRow), row(t("rules.mute"), t("rules.mute.about"), button(t("rules.add"), t("rules.mute.new"), mute)),
    row(t("rules.zone"), now.zone ?? "UTC", button(change, `${change}: ${t("rules.zone")}`, editZone))));
}

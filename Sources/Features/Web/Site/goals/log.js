// Logging in one line: what the gateway reads in it is shown first, and counts only after a press.
import { call, forgets } from "../net/api.js";
import { write } from "../net/source.js";
import { newRunID } from "../chat/run.js";
import { h } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { onDay, t } from "../kit/words.js";
import { actionName, amount, measured, percent, undo, zone } from "./data.js";
import { goalAddress } from "./rows.js";

const longest = 4096;
/** The line that is being written, kept while other views are shown. */
let draft = "";
forgets(() => { draft = ""; });

/**
 * Whether a proposal may be logged as it was read.
 * @param {any} proposal
 */
const isClear = ({ refusals, action }) => refusals.length === 0 && action;

/**
 * The goals that an action would count for, those that a person has to decide after them.
 * @param {any} match
 */
const matchRow = (match) => h("li", {}, h("a", { href: goalAddress(match.goal), dir: "auto" }, match.title || t("untitled")), match.amount != null ? ` +${amount(match.amount, match.unit)}` : "",
  h("span", { class: "hint" }, ` ${t(match.verdict === "counts" ? "log.counts" : "log.asks", { share: percent(match.confidence) })}`),
  h("details", { class: "why" }, h("summary", {}, t("log.why")), h("ul", { class: "plain hint" }, match.shares.map((/** @type {any} */ one) => h("li", {}, `${t(`log.share.${one.component}`)} ${percent(one.points / 1000)}: ${one.reason}`)))));

const parts = /** @type {Record<string, string>} */ ({ activity: "log.what", amounts: "log.measured", minutes: "log.measured", day: "log.day", time: "log.time", goal: "goals.one" });

/**
 * What was read in a line, with its buttons.
 * @param {any} proposal @param {string} today @param {{ confirm: () => void, back: () => void }} acts
 */
function reading(proposal, today, acts) {
  const { action, matches = [] } = proposal;
  // What is refused counts for nothing, so its day and goals are not shown.
  const rows = isClear(proposal) ? [[t("log.what"), actionName(action)], [t("log.measured"), action.title ? measured(action) : ""],
    [t("log.day"), action.day === today ? t("goals.today") : onDay(action.day)],
    [t("log.time"), action.start_time ? /T(\d\d:\d\d)/.exec(action.start_time)?.[1] ?? action.start_time : ""],
    // A line with several deeds is several actions, logged together.
    ...(proposal.further_actions ?? []).map((/** @type {any} */ one) => [t("log.what"), [actionName(one), one.title ? measured(one) : "", one.day === action.day ? "" : onDay(one.day)].filter(Boolean).join(", ")])].filter(([, value]) => value) : [];
  const found = matches.filter((/** @type {any} */ one) => one.verdict !== "no");
  return h("section", { class: "reading", "aria-label": t("log.read") },
    proposal.refusals.length > 0 ? h("div", { class: "notice bad", role: "alert" }, h("div", {}, h("p", {}, t("log.refused")), h("ul", { class: "plain" }, proposal.refusals.map((/** @type {string} */ one) => h("li", {}, one))))) : null,
    !isClear(proposal) ? null : h("dl", { class: "facts" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)]),
      h("dt", {}, t("goals.counts")), h("dd", {}, found.length === 0 ? h("span", { class: "hint" }, t("log.none")) : h("ul", { class: "plain" }, found.map(matchRow)))),
    proposal.from_model ? h("p", { class: "hint" }, t("log.guessed", { what: [...new Set(proposal.from_model.map((/** @type {string} */ one) => t(parts[one])))].join(", ") })) : null,
    proposal.unread.length > 0 ? h("p", { class: "notice warn" }, t("log.unread", { words: proposal.unread.join(", ") })) : null,
    h("div", { class: "row" }, isClear(proposal) ? h("button", { class: "button primary", type: "button", onclick: acts.confirm }, t("log.confirm")) : null, h("button", { class: "button", type: "button", onclick: acts.back }, t("log.change"))));
}

/**
 * The form. `today` is the person's day.
 * @param {() => string} today
 */
export function logForm(today) {
  const proposal = signal(/** @type {any} */ (null));
  const problem = signal("");
  const isBusy = signal(false);
  let turn = "";
  const input = h("input", { class: "input", id: "log", autocomplete: "off", maxlength: String(longest), placeholder: t("log.hint"), dir: "auto", value: draft, oninput: () => {
    draft = input.value;
    if (proposal.peek()) drop();
  } });
  const holder = h("div", {}, () => (proposal.value ? reading(proposal.value, today(), { confirm, back }) : null));
  const work = async (/** @type {() => Promise<void>} */ act) => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    problem.value = "";
    try { await act(); } catch (error) { problem.value = /** @type {Error} */ (error).message || t("library.offline"); }
    isBusy.value = false;
    // The button that was pressed could not keep the focus while it was off.
    if (document.activeElement === document.body) input.focus();
  };
  /** A reading that is not wanted must not wait in the list of proposals. */
  function drop() {
    const old = proposal.peek();
    proposal.value = null;
    turn = "";
    if (old?.state === "open") call("DELETE", `api/goals/proposals/${old.id}`).catch(() => { /* it expires */ });
  }
  const read = (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) { input.focus(); return; }
    void work(async () => {
      // The same line sent twice is one proposal.
      turn ||= newRunID();
      const found = await call("POST", "api/actions/parse", { text, zone, turn });
      // A line that was changed in the meantime is read again.
      if (input.value.trim() !== text) { turn = ""; call("DELETE", `api/goals/proposals/${found.id}`).catch(() => {}); return; }
      if (found.state === "confirmed") { done(found); return; }
      proposal.value = found;
      holder.querySelector("button")?.focus();
    });
  };
  const done = (/** @type {any} */ confirmed) => {
    proposal.value = null;
    turn = draft = input.value = "";
    input.focus();
    toast(t("log.logged", { title: confirmed.action && !confirmed.further_actions ? [actionName(confirmed.action), confirmed.action.title ? measured(confirmed.action) : ""].filter(Boolean).join(", ") : confirmed.summary }),
      confirmed.turn ? { label: t("undo"), run: () => void undo({ turn: confirmed.turn }) } : undefined);
  };
  const confirm = () => void work(async () => done(await write("POST", `api/goals/proposals/${proposal.peek().id}/confirm`)));
  function back() {
    drop();
    input.focus();
  }
  return h("form", { class: "log", onsubmit: read }, h("label", { class: "label", for: "log" }, t("log.label")),
    h("div", { class: "row" }, input, h("button", { class: "button", type: "submit", disabled: () => isBusy.value }, t("log.send"))),
    () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null), holder);
}

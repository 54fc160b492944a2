// What the pages of the console share: what comes live, refusals, the twin on the command line.
import { h } from "../kit/dom.js";
import { bones } from "../kit/library.js";
import { exact, ago, t } from "../kit/words.js";
import { again, link, live, trouble } from "./stream.js";

/** The scopes of a device that is paired: those of an ordinary key, and its own notifications. */
export const paired = ["llm", "notes:read", "notes:write", "push:receive"];

/**
 * What went wrong, with the button that helps.
 * @param {any} error @param {() => void} again
 */
export const refusal = (error, again) => h("div", { class: "notice bad", role: "alert" }, h("p", {}, error.status === 403 ? error.scope ? t("console.scope", { scope: error.scope }) : t("console.forbidden") : error.status === 0 ? t("console.offline") : error.message || t("error")),
  h("button", { class: "quiet", type: "button", onclick: again }, t("retry")));

/**
 * The same on the command line.
 * @param {string} command
 */
export const twin = (command) => h("p", { class: "hint twin" }, t("console.twin"), " ", h("code", { dir: "ltr" }, command));

/** @param {string | null | undefined} time */
export const when = (time) => (time ? h("time", { datetime: time, title: exact(time) }, ago(time)) : "–");

/** @param {number} value */
export const figure = (value) => new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 }).format(value);

/**
 * A number with one decimal at most.
 * @param {number} value
 */
export const decimal = (value) => new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1 }).format(value);

/**
 * What a topic of the stream says: its state, and what is shown while there is none.
 * @param {import("./stream.js").Topic} name
 */
export function topic(name) {
  const found = live(name);
  const state = () => { const problem = trouble(name); return problem ? refusal(problem, again) : found.value === null ? bones() : null; };
  return { found, state };
}

/** Says that the connection broke off. */
export const lost = () => (link.value === "lost" ? h("p", { class: "notice warn", role: "status" }, t("console.lost")) : null);

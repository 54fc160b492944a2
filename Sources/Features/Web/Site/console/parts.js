// What the pages of the console share: what comes live, refusals, headings with their buttons, the twin on the command line.
import { h, icon } from "../kit/dom.js";
import { bones } from "../kit/library.js";
import { toast } from "../kit/toast.js";
import { ago, exact, locale, t } from "../kit/words.js";
import { again, link, live, trouble } from "./stream.js";

/** The scopes of a device that is paired: those of an ordinary key, and its own notifications. */
export const paired = ["llm", "notes:read", "notes:write", "push:receive"];

/**
 * What went wrong, with the button that helps.
 * @param {any} error @param {() => void} again
 */
export const refusal = (error, again) => h("div", { class: "notice bad", role: "alert" }, h("p", {}, error.status === 403 ? error.scope ? t("console.scope", { scope: error.scope }) : t("console.forbidden") : error.status === 0 ? t("console.offline") : error.message || t("error")),
  h("button", { class: "quiet", type: "button", onclick: again }, t("retry")));

/** @param {string} text */
export async function copy(text) {
  try { await navigator.clipboard.writeText(text); toast(t("copied")); } catch { toast(t("copy.cannot")); }
}

let twins = 0;

/**
 * The same on the command line: a small button that opens the command, to read and to copy.
 * @param {string | (() => string)} command
 */
export function twin(command) {
  const text = () => (typeof command === "function" ? command() : command);
  const id = `twin-${(twins += 1)}`;
  const button = h("button", { class: "quiet twin", type: "button", popovertarget: id, title: t("console.twin"), "aria-label": () => `${t("console.twin")}: ${text()}` }, icon("terminal"));
  const place = () => {
    const { left, right, bottom } = button.getBoundingClientRect();
    const [width, room] = [document.documentElement.clientWidth, 12];
    // At the side of the button that has more room.
    const isLeft = left + right < width;
    Object.assign(shown.style, { insetBlockStart: `${bottom + 4}px`, left: isLeft ? `${Math.max(room, left)}px` : "auto", right: isLeft ? "auto" : `${Math.max(room, width - right)}px`, maxInlineSize: `${isLeft ? width - room - Math.max(room, left) : Math.min(width, right) - room}px` });
    addEventListener("scroll", hide, { capture: true, once: true });
  };
  const copying = h("button", { class: "button", type: "button", onclick: () => void copy(text()).then(hide) }, t("copy"));
  const shown = h("div", { class: "twin-shown", id, popover: "auto", role: "group", "aria-label": t("console.twin"), onbeforetoggle: (/** @type {any} */ event) => { if (event.newState === "open") place(); else removeEventListener("scroll", hide, { capture: true }); },
    ontoggle: (/** @type {any} */ event) => { if (event.newState === "open") copying.focus(); } },
    h("p", { class: "label" }, t("console.twin")), h("div", { class: "row" }, h("code", { dir: "ltr" }, text), copying));
  const hide = () => { if (shown.isConnected) shown.hidePopover(); };
  return h("span", { class: "twin-of" }, button, shown);
}

/**
 * The heading of a block, with its buttons and its twin.
 * @param {any} title @param {...any} parts
 */
export const heading = (title, ...parts) => h("div", { class: "block-head" }, h("h2", { dir: "auto" }, title), parts);

/** @param {string | null | undefined} time */
export const when = (time) => (time ? h("time", { datetime: time, title: exact(time) }, ago(time)) : "–");

/** @param {number} value */
export const figure = (value) => new Intl.NumberFormat(locale, { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 }).format(value);

/**
 * A number with one decimal at most.
 * @param {number} value
 */
export const decimal = (value) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(value);

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

// What the pages of the console share: asking again and again, refusals, the twin on the command line.
import { h } from "../kit/dom.js";
import { bones } from "../kit/library.js";
import { effect, signal } from "../kit/signal.js";
import { exact, ago, t } from "../kit/words.js";

/**
 * What went wrong, with the button that helps.
 * @param {any} error @param {() => void} again
 */
export const refusal = (error, again) => h("div", { class: "notice bad", role: "alert" }, h("p", {}, error.status === 403 ? t("console.forbidden") : error.status === 0 ? t("console.offline") : error.message || t("error")),
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
 * What a route answers, asked again every `pause` ms while the page is seen. A failure keeps what is shown.
 * @param {() => Promise<any>} ask @param {number} pause
 */
export function watch(ask, pause) {
  const found = signal(/** @type {any} */ (null));
  const problem = signal(/** @type {any} */ (null));
  let timer = 0;
  let isOver = false;
  const look = async () => {
    clearTimeout(timer);
    try {
      const answer = await ask();
      if (isOver) return;
      found.value = answer;
      problem.value = null;
    } catch (error) { problem.value = error; }
    if (!isOver && document.visibilityState === "visible") timer = window.setTimeout(look, pause);
  };
  const seen = () => { if (document.visibilityState === "visible") void look(); };
  document.addEventListener("visibilitychange", seen);
  effect(() => () => { isOver = true; clearTimeout(timer); document.removeEventListener("visibilitychange", seen); });
  void look();
  const state = () => (problem.value ? refusal(problem.value, () => void look()) : found.value === null ? bones() : null);
  return { found, state, look };
}

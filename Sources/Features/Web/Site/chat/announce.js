// Tells screen readers what happens in an answer: its states, each sentence once it is whole, the end.
import { h } from "../kit/dom.js";
import { effect } from "../kit/signal.js";
import { t } from "../kit/words.js";

const pause = 2500;

export class Announcer {
  element = h("div", { class: "unseen", "aria-live": "polite", role: "log", "aria-label": t("announcements") });
  #end = () => {};
  #timer = 0;

  /**
   * Follows a run until it ends or another one is followed.
   * @param {import("./run.js").LiveRun | undefined} run
   */
  follow(run) {
    this.stop();
    if (!run) return;
    let said = run.reader.text.text.length;
    let state = "";
    const turn = (/** @type {boolean} */ isLast) => {
      this.#timer = 0;
      const fresh = run.reader.text.text.slice(said);
      const whole = isLast ? fresh : fresh.slice(0, (/^[^]*[.!?…:](?=["')\]*_]*\s)|^[^]*\n/.exec(fresh)?.[0].length ?? 0));
      said += whole.length;
      if (whole.trim()) this.say(spoken(whole));
    };
    this.#end = effect(() => {
      void run.changed.value;
      void run.grown.value;
      const now = run.reader.state;
      if (now !== state && now !== "answering" && run.reader.isWorking) this.say(t(`state.${now}`));
      state = now;
      if (run.reader.end) {
        clearTimeout(this.#timer);
        turn(true);
        this.say(t(now === "done" ? "answer.complete" : `ended.${now}`));
        queueMicrotask(() => this.stop());
      } else if (this.#timer === 0) this.#timer = window.setTimeout(() => turn(false), pause);
    });
  }

  /** @param {string} text */
  say(text) {
    this.element.append(h("p", {}, text));
    while (this.element.childElementCount > 4) this.element.firstElementChild?.remove();
  }

  stop() {
    this.#end();
    this.#end = () => {};
    clearTimeout(this.#timer);
    this.#timer = 0;
  }
}

/**
 * Markdown without its marks, as it is read aloud.
 * @param {string} text
 */
export function spoken(text) {
  return text.replace(/```[^]*?(?:```|$)/g, ` ${t("code")} `).replace(/\[(\d+)\](?!\()/g, (_, n) => ` (${t("cite", { n })})`)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*_`#>|~]+/g, "").replace(/\s+/g, " ").trim();
}

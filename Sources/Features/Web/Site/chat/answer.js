// An answer: its state while it is written, its text with citations, what it was made from, what one may do with it, and what
// screen readers are told of it.
import { define, fill, h, icon } from "../kit/dom.js";
import { effect, signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { call } from "../net/api.js";
import { go } from "../kit/router.js";
import { toast } from "../kit/toast.js";
import { MarkdownView } from "../text/render.js";
import { chat } from "./state.js";

/**
 * A button with an icon; its name is shown while the pointer rests on it.
 * @param {string} name @param {string} label @param {(event: Event) => void} run
 */
const drawn = (name, label, run) => h("button", { class: "quiet drawn", type: "button", title: label, "aria-label": label, onclick: run }, icon(name));
const quiet = (/** @type {string} */ label, /** @type {(event: Event) => void} */ run) => h("button", { class: "quiet", type: "button", onclick: run }, label);

/**
 * Properties: `.item` the step of the branch, `.acts` what the conversation offers: retry(item), resume(run), say(text).
 */
define("selene-answer", (element) => {
  const { item, acts } = element;
  /** @type {import("./run.js").LiveRun | null} */
  const run = item.run;
  const prose = h("div", { class: "prose", dir: "auto" });
  const error = signal(/** @type {any} */ (null));
  const options = { isCited: true, isMaths: true, isBare: true, headings: 2, marks: /** @type {any[]} */ ([]), cite: (/** @type {number} */ at, /** @type {number} */ n) => run?.cite(at, n) ?? null };
  const view = new MarkdownView(prose, options);

  if (!run) view.set(item.message.content, true);
  else {
    options.marks = run.marks();
    run.onVerdicts = (from, to) => {
      options.marks = run.marks();
      view.refresh(from, to);
    };
    effect(() => {
      void run.grown.value;
      const text = run.reader.text.text || (run.isFollowed ? "" : item.message.content);
      view.set(text, !run.reader.isWorking || !run.isFollowed);
    });
    effect(() => () => { view.stop(); run.onVerdicts = null; });
    if (!run.isFollowed && run.reader.text.bytes === 0) {
      view.set(item.message.content, true);
      const seen = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        seen.disconnect();
        // After a failure the text is there; its passages stay unknown.
        if (!run.isFollowed && run.reader.text.bytes === 0) run.load().catch(() => {});
      });
      seen.observe(element);
    }
  }

  /** @param {MouseEvent} event */
  function pressed(event) {
    const target = /** @type {Element} */ (event.target);
    const cite = target.closest("button.cite");
    if (cite instanceof HTMLElement && run) chat.passages.value = { run, number: Number(cite.dataset.number), at: Number(cite.dataset.at) };
    const copy = target.closest("button.copy");
    if (copy) void copied(copy.parentElement?.querySelector("code")?.textContent ?? "", copy);
  }

  /** @param {string} text @param {Element} button */
  async function copied(text, button) {
    const before = button.textContent;
    try { await navigator.clipboard.writeText(text); button.textContent = t("copied"); } catch { button.textContent = t("copy.cannot"); }
    setTimeout(() => { button.textContent = before; }, 1500);
  }

  const whole = (/** @type {string} */ text) => navigator.clipboard.writeText(text).then(() => toast(t("copied"))).catch(() => toast(t("copy.cannot")));

  const attempt = (/** @type {() => Promise<any>} */ act) => async () => {
    error.value = null;
    try { await act(); } catch (problem) { error.value = problem; }
  };

  const working = () => run !== null && (void run.changed.value, run.reader.isWorking && run.isFollowed);

  fill(element, h("h2", { class: "unseen" }, t("answer")),
    () => (run ? notices(run) : null),
    prose,
    () => (working() && run ? stateLine(run) : null),
    () => (run ? ending(run, attempt, acts, item) : null),
    () => (error.value ? h("p", { class: "notice bad", role: "alert" }, error.value.message || t("offline")) : null),
    () => (working() ? null : h("div", { class: "actions", role: "group", "aria-label": t("answer.actions") },
      () => (run && (void run.changed.value, run.reader.passages.size > 0) ? sources(run, prose) : null),
      h("div", { class: "drawn-row" }, drawn("copy", t("copy"), () => void whole(run?.reader.text.text || item.message.content)),
      globalThis.speechSynthesis ? aloud(() => run?.reader.text.text || item.message.content, error) : null,
      drawn("again", t("retry.answer"), () => acts.retry(item)),
      drawn("task", t("task.make"), attempt(async () => {
        await call("POST", "api/tasks/drafts", { message: run?.about.message ?? item.message.id });
        toast(t("task.made"), { label: t("task.show"), run: () => go("#/tasks") });
      }))))));
  prose.addEventListener("click", pressed);
});

/**
 * The button that reads an answer aloud and stops.
 * @param {() => string} text @param {any} error
 */
function aloud(text, error) {
  const name = signal("aloud");
  return h("button", { class: "quiet drawn", type: "button", title: () => t(name.value), "aria-label": () => t(name.value), onclick: async () => {
    error.value = null;
    const { reading, toggle } = await import("./voice/view.js");
    if (!await toggle(text())) error.value = { message: t("aloud.none") };
    effect(() => { name.value = reading.value === text() && reading.value ? "aloud.stop" : "aloud"; });
  } }, () => icon(name.value === "aloud" ? "aloud" : "stop"));
}

/**
 * The verdict, which leads to the sentences in doubt one by one, and the passages.
 * @param {import("./run.js").LiveRun} run @param {HTMLElement} prose
 */
function sources(run, prose) {
  const next = () => {
    const all = /** @type {HTMLElement[]} */ ([...prose.querySelectorAll(".doubt")]);
    // A press takes the focus from the sentence that the one before led to.
    const before = all.findIndex((each) => each.hasAttribute("tabindex"));
    const one = all[(before + 1) % Math.max(1, all.length)];
    all[before]?.removeAttribute("tabindex");
    one?.setAttribute("tabindex", "-1");
    one?.scrollIntoView({ block: "center" });
    one?.focus({ preventScroll: true });
  };
  const n = run.reader.passages.size;
  const tally = run.tally();
  const doubts = (tally.unsupported ?? 0) + (tally.altered ?? 0) + (tally.misattributed ?? 0) + (tally.invented ?? 0);
  return [doubts > 0 ? h("button", { class: "chip doubts", type: "button", onclick: next }, t("doubts.n", { n: doubts })) : null,
    quiet(t("passages.n", { n }), () => { chat.passages.value = { run, number: 0, at: -1 }; }),
    !doubts && tally.supported ? h("span", { class: "hint" }, t("supported.n", { n: tally.supported })) : null];
}

/**
 * What one must know before reading.
 * @param {import("./run.js").LiveRun} run
 */
function notices(run) {
  void run.changed.value;
  const { search, withheld } = run.reader;
  return [
    search?.source === "keyword" ? h("p", { class: "notice warn" }, h("span", {}, t("fallback"), search.fallback_reason ? ` ${search.fallback_reason}` : "")) : null,
    withheld.length > 0 ? h("p", { class: "notice" }, t("withheld", { n: withheld.length })) : null,
  ];
}

/**
 * The state and how far it is, with the tools that ran.
 * @param {import("./run.js").LiveRun} run
 */
function stateLine(run) {
  const { state, place, progress, tools } = run.reader;
  const bar = h("div", { class: "progress", "aria-hidden": "true" }, h("i"));
  bar.firstChild.style.setProperty("transform", `scaleX(${Math.max(0.02, Math.min(1, progress || 0))})`);
  const words = !run.isLinked.value ? t("state.unlinked") : place ? t("state.place", { n: place }) : t(`state.${state}`);
  return h("div", { class: "state" }, h("p", { class: "state-words" }, words), bar,
    tools.size > 0 ? h("ul", { class: "tools", role: "list" }, [...tools.values()].map((tool) => h("li", {}, h("code", {}, tool.name), " ",
      t(`tool.${tool.state}`), tool.summary ? ` – ${tool.summary}` : ""))) : null);
}

/**
 * How the answer ended, unless it ended well.
 * @param {import("./run.js").LiveRun} run @param {any} attempt @param {any} acts @param {any} item
 */
function ending(run, attempt, acts, item) {
  void run.changed.value;
  const { state, end } = run.reader;
  const button = (/** @type {string} */ label, /** @type {() => Promise<any>} */ act) => h("button", { class: "button", type: "button", onclick: attempt(act) }, label);
  if (run.refusal.value && !run.reader.end && run.reader.text.bytes === 0 && !item.message.content) {
    return h("div", { class: "notice bad" }, h("p", {}, run.refusal.value.message || t("error")), button(t("retry.answer"), async () => acts.retry(item)));
  }
  if (!end) return null;
  if (state === "interrupted") {
    return h("div", { class: "notice warn" }, h("p", {}, t("interrupted")), button(t("continue"), () => acts.resume(run)));
  }
  if (state === "failed") {
    return h("div", { class: "notice bad" }, h("p", {}, h("strong", {}, t("failed")), " ", end.error ?? ""), button(t("retry.answer"), async () => acts.retry(item)));
  }
  if (state === "stopped") return h("p", { class: "hint" }, t(end.stop_reason === "unread" ? "stopped.unread" : "stopped"));
  if (end.stop_reason === "length") return h("p", { class: "notice warn" }, t("stopped.length"));
  if (end.is_stored === false) return h("p", { class: "notice warn" }, t("unstored"));
  return null;
}

/** Between two things that are said, in ms. */
const pause = 2500;

/** Tells screen readers what happens in an answer: its states, each sentence once it is whole, the end. */
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
function spoken(text) {
  return text.replace(/```[^]*?(?:```|$)/g, ` ${t("code")} `).replace(/\[(\d+)\](?!\()/g, (_, n) => ` (${t("cite", { n })})`)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*_`#>|~]+/g, "").replace(/\s+/g, " ").trim();
}

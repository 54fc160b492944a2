// A conversation: questions and answers, scrolling that never moves what one reads, announcements for screen readers.
import { ApiError, call } from "../net/api.js";
import { define, each, fill, h, icon } from "../kit/dom.js";
import { effect, signal, untracked } from "../kit/signal.js";
import { address, go } from "../kit/router.js";
import { ago, exact, t } from "../kit/words.js";
import { chat, options, sends } from "./state.js";
import { Talk } from "./talk.js";
import { Announcer } from "./answer.js";

const page = 30;

/** What the API takes of the chosen options. */
function asked() {
  const { kind, model, strict, tools, limit, scope: chosen } = options.peek();
  const { thread, book, since, until, tags, types } = chosen;
  const time = { ...(since ? { since } : {}), ...(until ? { until } : {}) };
  const scope = book ? { book } : { ...(thread ? { thread: String(thread) } : {}), ...(tags ? { tag: tags } : {}), ...(types ? { noteType: types } : {}),
    ...(since || until ? { timeScope: time } : {}) };
  const hasScope = kind !== "plain" && Object.keys(scope).length > 0;
  return { kind, strict, tools, limit, ...(model ? { model } : {}), ...(hasScope ? { scope } : {}) };
}

/** Properties: `.composer`. Methods: `ask(question)`. */
define("selene-conversation", (element) => {
  const talk = signal(new Talk(null));
  const shown = signal(page);
  const problem = signal(/** @type {{ error: any, again: () => void } | null} */ (null));
  const isFar = signal(false);
  const announcer = new Announcer();
  const list = each("div", { class: "turns" }, () => talk.value.items.value.slice(-shown.value), (item) => item.key, (item) => turn(item));
  const inner = h("div", { class: "talk-inner" });
  const scroller = h("div", { class: "talk", tabindex: "0", role: "region", "aria-label": t("conversation"), onscroll: () => scrolled() }, inner);
  let isPinned = false;
  let touched = 0;
  let isLoading = false;
  const isStuck = signal(false);

  const acts = {
    turn: (/** @type {any} */ item, /** @type {number} */ step) => talk.peek().turn(item, step),
    edit: (/** @type {any} */ item, /** @type {string} */ text) => void send(text, { parent: parentOf(item) }),
    resume: (/** @type {any} */ run) => talk.peek().resume(run),
    retry(/** @type {any} */ item) {
      const items = talk.peek().items.peek();
      const question = items[items.findIndex((one) => one.key === item.key) - 1];
      if (question) void send(question.message.content, { parent: parentOf(question) });
    },
  };

  /**
   * The message below which a sibling of this question goes.
   * @param {any} item
   */
  function parentOf(item) {
    const step = talk.peek().items.peek().find((one) => one.key === item.key);
    const parent = step?.parent === "root" ? null : step?.parent;
    return typeof parent === "string" ? undefined : parent;
  }

  /** @param {() => any} item */
  function turn(item) {
    return item().message.role === "user"
      ? h("selene-question", { class: "turn question", ".item": item, ".acts": acts })
      : h("selene-answer", { class: "turn answer", role: "article", "aria-label": t("answer"), ".item": item(), ".acts": acts });
  }

  /**
   * Shows the session's title; without one, its first question.
   * @param {Talk} now
   */
  async function titled(now) {
    const id = now.session ?? "";
    const known = chat.sessions.get(id) ?? (now.hasOlder ? await call("GET", `api/sessions/${encodeURIComponent(id)}`).catch(() => null) : null);
    const title = known?.title ?? now.messages[0]?.content?.slice(0, 80);
    if (title && chat.session.peek() === id) chat.title.value = title;
  }

  /** @param {string} question @param {{ parent?: any }} [at] */
  async function send(question, at) {
    const { value: now } = talk;
    problem.value = null;
    isPinned = false;
    touched = 0;
    const asking = now.ask(question, asked(), at);
    requestAnimationFrame(() => showQuestion());
    try {
      const run = await asking;
      if (chat.session.peek() === null && talk.peek() === now) {
        chat.session.value = run.session;
        chat.title.value = question.slice(0, 80);
        go(address("chat", run.session), { replace: true });
      }
      chat.listed.value += 1;
      announcer.follow(now.runs.get(run.id));
      return true;
    } catch (error) {
      problem.value = { error, again: () => { problem.value = null; element.composer.put(""); void send(question, at); } };
      return false;
    }
  }
  element.ask = (/** @type {string} */ question) => send(question);
  element.isBlank = () => false;

  function showQuestion() {
    const questions = inner.querySelectorAll(".question");
    const last = questions[questions.length - 1];
    if (last) scrollTo(last.offsetTop - 12);
  }

  /** @param {number} top */
  function scrollTo(top) {
    scroller.scrollTop = top;
  }

  const toEnd = () => { isPinned = true; scrollTo(scroller.scrollHeight); };

  function scrolled() {
    // Only the reader's own scrolling pins the view to the end or frees it.
    if (Date.now() - touched < 1000) isPinned = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 4;
    const end = inner.querySelector(".turn:last-child")?.lastElementChild;
    const bottom = end ? end.getBoundingClientRect().bottom - scroller.getBoundingClientRect().bottom : 0;
    isFar.value = bottom > 40;
    if (scroller.scrollTop < scroller.clientHeight) more();
  }

  /** Shows older messages above, keeps what is read where it is, and loads more when few are left. */
  function more() {
    const now = talk.peek();
    if (now.state.peek() !== "ready" || scroller.clientHeight === 0) return;
    const isWaiting = shown.peek() < now.items.peek().length;
    if (isWaiting) still(() => { shown.value += page; });
    if (!now.hasOlder || isLoading || isStuck.peek() || now.items.peek().length > shown.peek() + page) return;
    isLoading = true;
    isStuck.value = false;
    void now.loadOlder().then((isDone) => {
      isLoading = false;
      isStuck.value = !isDone;
      if (isDone && talk.peek() === now) requestAnimationFrame(scrolled);
    });
  }

  /**
   * Changes what is above and keeps the first turn in view at its place.
   * @param {() => void} change
   */
  function still(change) {
    const top = scroller.getBoundingClientRect().top;
    const seen = [...list.children].find((one) => one.getBoundingClientRect().bottom > top);
    const before = seen?.getBoundingClientRect().top ?? 0;
    change();
    if (seen?.isConnected) scroller.scrollTop += seen.getBoundingClientRect().top - before;
  }

  for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) scroller.addEventListener(kind, () => { touched = Date.now(); }, { passive: true });

  const sizes = new ResizeObserver(() => {
    element.style.setProperty("--talk-height", `${scroller.clientHeight}px`);
    if (isPinned) scrollTo(scroller.scrollHeight);
    scrolled();
  });

  effect(() => {
    const session = chat.session.value;
    const now = untracked(() => talk.value);
    if (now.session === session && (session !== null || now.items.peek().length > 0)) return;
    // A session that this page began keeps its conversation.
    if (session !== null && now.session === null && now.busy.peek()) return;
    now.close();
    isStuck.value = isLoading = false;
    announcer.stop();
    problem.value = null;
    shown.value = page;
    isPinned = session !== null;
    const next = new Talk(session);
    talk.value = next;
    void next.open().then(() => {
      requestAnimationFrame(() => { if (isPinned) toEnd(); scrolled(); });
      const run = next.busy.peek();
      if (run) announcer.follow(run);
      void titled(next);
    });
  });
  effect(() => { chat.busy.value = talk.value.busy.value; });
  effect(() => { chat.hasProblem.value = problem.value !== null || talk.value.state.value instanceof Error || talk.value.keptAt.value > 0; });
  effect(() => {
    if (talk.value.busy.value === null) chat.listed.value = untracked(() => chat.listed.value) + 1;
  });
  effect(() => () => { talk.peek().close(); announcer.stop(); sizes.disconnect(); });

  fill(inner, () => (isStuck.value ? h("div", { class: "notice warn", role: "alert" }, h("p", {}, t("older.failed")),
    h("button", { class: "quiet", type: "button", onclick: () => { isStuck.value = false; more(); } }, t("retry"))) : null), list,
    () => (talk.value.state.value === "loading" ? h("div", { class: "bones", "aria-label": t("loading"), role: "status" }, Array.from({ length: 7 }, () => h("i"))) : null),
    () => (talk.value.state.value instanceof Error ? failure(talk.value.state.value, () => void talk.peek().open()) : null),
    () => (talk.value.state.value === "ready" && talk.value.session !== null && talk.value.items.value.length === 0 ? h("p", { class: "blank" }, t("empty.session")) : null),
    () => (problem.value ? failure(problem.value.error, problem.value.again) : null));
  fill(element, () => (talk.value.keptAt.value ? h("div", { class: "unreachable" }, h("div", { class: "notice warn", role: "status" }, h("p", {}, t("kept"), " ", h("time", { title: exact(talk.value.keptAt.value) }, ago(talk.value.keptAt.value))),
    h("button", { class: "quiet", type: "button", onclick: () => void talk.peek().open() }, t("retry")))) : null), scroller, () => (isFar.value ? h("button", { class: "button to-end", type: "button", onclick: toEnd }, icon("down"), t("to.end")) : null), announcer.element);
  sizes.observe(scroller);
  sizes.observe(inner);
});

/** @param {any} error @param {() => void} again */
function failure(error, again) {
  const busy = error instanceof ApiError && error.code === "session_busy";
  const wait = error.wait > 0 ? ` ${t("wait", { n: error.wait })}` : "";
  const gone = error.status === 404;
  return h("div", { class: ["notice", busy ? "warn" : "bad"], role: "alert" },
    h("p", {}, h("strong", {}, busy ? t("busy") : gone ? t("gone") : error.status === 0 ? t("unsent.offline") : t("unsent")), " ",
      busy || gone ? "" : error.message, wait),
    gone ? h("a", { class: "button", href: "#/chat" }, t("chat.new")) : h("button", { class: "button", type: "button", onclick: again }, t("retry")));
}

/** A question. Properties: `.item` gives the step of the branch of now, `.acts`: edit(item, text), turn(item, step). */
define("selene-question", (element) => {
  const { acts } = element;
  const item = signal(element.item());
  element.addEventListener("update", () => { item.value = element.item(); });
  const isEdited = signal(false);

  function editor() {
    const text = h("textarea", { class: "input", "aria-label": t("edit.label"), rows: "3", dir: "auto",
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Escape") { event.stopPropagation(); isEdited.value = false; back(); }
        if (sends(event)) send();
      } }, item.peek().message.content);
    const send = () => {
      const words = text.value.trim();
      isEdited.value = false;
      if (words !== "") acts.edit(item.peek(), words);
    };
    queueMicrotask(() => { text.focus(); text.setSelectionRange(text.value.length, text.value.length); });
    return h("div", { class: "stack" }, text, h("p", { class: "hint" }, t("edit.hint")), h("div", { class: "row" },
      h("button", { class: "button primary", type: "button", onclick: send }, t("send")),
      h("button", { class: "button", type: "button", onclick: () => { isEdited.value = false; back(); } }, t("cancel"))));
  }
  const back = () => queueMicrotask(() => element.querySelector(".edit")?.focus());

  function branches() {
    const { siblings, index } = item.value;
    if (siblings.length < 2) return null;
    const values = { n: index + 1, of: siblings.length };
    return h("span", { class: "branches", role: "group", "aria-label": t("branches") },
      h("button", { class: "quiet", type: "button", disabled: index === 0, "aria-label": t("branch.before"), onclick: () => acts.turn(item.peek(), -1) }, "‹"),
      h("span", { class: "hint", "aria-label": t("branch.of", values) }, `${values.n} / ${values.of}`),
      h("button", { class: "quiet", type: "button", disabled: index === siblings.length - 1, "aria-label": t("branch.after"), onclick: () => acts.turn(item.peek(), 1) }, "›"));
  }

  fill(element, h("h2", { class: "unseen" }, t("question")), () => (isEdited.value ? editor() : [
    h("p", { class: "question-text", dir: "auto" }, () => item.value.message.content),
    h("div", { class: "actions" }, branches,
      h("button", { class: "quiet edit", type: "button", onclick: () => { isEdited.value = true; } }, t("edit")),
      () => (item.value.message.created_at ? h("time", { class: "hint", datetime: item.value.message.created_at, title: exact(item.value.message.created_at) },
        ago(item.value.message.created_at), h("span", { class: "unseen" }, ` (${exact(item.value.message.created_at)})`)) : null))]));
});

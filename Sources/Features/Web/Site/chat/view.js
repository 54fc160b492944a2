// The chat's view: head, conversation, composer (text, kind, scope, model, strict), passages beside it. What is heavy is
// loaded when it is needed. The composer is no file of its own: the first load has 15 requests, the most that it may have.
import { define, fill, h, icon } from "../kit/dom.js";
import { computed, effect, signal } from "../kit/signal.js";
import { route } from "../kit/router.js";
import { t } from "../kit/words.js";
import { reachable } from "../net/api.js";
import { asking, chat, choose, draft, home, keepDraft, kindsFor, options, restore, restored, sends } from "./state.js";

/** Opens the list of sessions as a sheet. */
export async function openSessions() {
  const { sheet } = await import("../kit/sheet.js");
  await import("./sessions.js");
  const close = sheet(t("sessions"), h("selene-sessions", { ".onchoose": () => close() }));
}

/**
 * The button that records what is said and gives its text to `add`.
 * @param {HTMLElement} place where the recorder opens @param {HTMLElement} text gets the focus back @param {(said: string) => void} add
 */
export function microphone(place, text, add) {
  const speaking = signal(false);
  /**
   * A press begins at once, so that it can be held; a key or a tool of assistance only clicks.
   * @param {any} event
   */
  async function speak(event) {
    if (speaking.peek() || (event.type === "click" ? event.detail > 0 : event.button !== 0)) return;
    speaking.value = true;
    /** @type {Promise<number>} */
    const held = new Promise((resolve) => addEventListener("pointerup", (up) => resolve(up.timeStamp - event.timeStamp), { once: true }));
    const done = () => { speaking.value = false; text.focus(); };
    try { (await import("./voice/view.js")).speak(place, add, done, event.type === "click" ? null : held); } catch { done(); }
  }
  return h("button", { class: "round mic", type: "button", "aria-label": t("voice"), title: t("voice.hint"), disabled: () => speaking.value, onpointerdown: speak, onclick: speak, oncontextmenu: (/** @type {Event} */ event) => event.preventDefault() }, icon("mic"));
}

/**
 * Properties: `.session` (signal of an id or null), `.busy` (signal: an answer is being written), `.send(text)` returns
 * whether the text was taken, `.stop()`.
 */
define("selene-composer", (element) => {
  const { session, busy, send, stop } = element;
  const text = h("textarea", { id: "question", rows: "1", enterkeyhint: "send", autocomplete: "off", placeholder: t("composer.hint"),
    oninput: (/** @type {any} */ event) => { changed(); later(); if (event.data && "/@".includes(event.data)) help(event.data); }, onkeydown: (/** @type {KeyboardEvent} */ event) => { if (sends(event)) void submit(); } });
  const empty = signal(true);
  let timer = 0;
  let current = /** @type {string | null} */ (null);

  function changed() {
    empty.value = text.value.trim() === "";
    if (!globalThis.CSS?.supports("field-sizing", "content")) {
      text.style.setProperty("height", "auto");
      text.style.setProperty("height", `${text.scrollHeight}px`);
    }
  }
  const save = () => { clearTimeout(timer); timer = 0; keepDraft(current, text.value); };
  const later = () => { clearTimeout(timer); timer = setTimeout(save, 200); };

  /**
   * Signs open lists, files become text.
   * @param {any} what
   */
  const help = (what) => void import("./options.js").then((options) => options.help(what, text, put), () => { reachable.value = false; });

  /** @param {string} value */
  const put = (value) => { text.value = value; changed(); save(); };

  async function submit() {
    const question = text.value.trim();
    if (question === "" || busy.peek()) return;
    const from = current;
    put("");
    if (await send(question)) return;
    if (timer) save();
    // What was typed meanwhile stays. The composer may be another one by now, after signing in again.
    if (draft(from) === "") restore(from, question);
  }

  effect(() => {
    const next = session.value;
    void restored.value;
    if (timer) save();
    current = next;
    text.value = draft(next);
    changed();
  });
  const hide = () => { if (timer) save(); };
  addEventListener("pagehide", hide);

  /**
   * Puts a text into the composer.
   * @param {string} value
   */
  element.put = (/** @type {string} */ value) => { put(value); text.focus(); };
  element.focusText = () => text.focus();

  const kind = h("select", { class: "chip", "aria-label": t("kind"), onchange: (/** @type {any} */ event) => choose({ kind: event.target.value }) },
    () => kindsFor(options.value.scope).map((one) => h("option", { value: one, selected: options.peek().kind === one }, t(`kind.${one}`))));
  effect(() => { kind.value = options.value.kind; });
  const open = () => void import("./options.js").then((module) => module.openOptions());
  const scopeWords = () => (options.value.kind === "plain" ? t("scope.none") : options.value.names.join(", ") || t("scope.all"));

  const recorder = h("div", {});
  const add = (/** @type {string} */ said) => put(text.value.trim() ? `${text.value.trimEnd()} ${said}` : said);

  fill(element, h("form", { class: "composer", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void submit(); } },
    h("label", { class: "unseen", for: "question" }, t("composer.label")),
    recorder, h("div", { class: "composer-box" }, text,
      microphone(recorder, text, add),
      () => (busy.value
        ? h("button", { class: "round", type: "button", "aria-label": t("stop"), title: t("stop"), onclick: stop }, icon("stop"))
        : h("button", { class: "round", type: "submit", "aria-label": t("send"), title: t("send"), disabled: () => empty.value }, icon("send")))),
    h("div", { class: "composer-row", role: "group", "aria-label": t("options") }, kind,
      h("button", { class: "chip", type: "button", "aria-haspopup": "dialog", disabled: () => options.value.kind === "plain", onclick: open }, scopeWords),
      h("button", { class: "chip", type: "button", "aria-haspopup": "dialog", "aria-label": () => `${t("model")}: ${options.value.model || t("model.default")}`, onclick: open },
        () => options.value.model || t("model.default")),
      h("button", { class: "chip", type: "button", "aria-pressed": () => String(options.value.strict), title: t("strict.help"),
        onclick: () => choose({ strict: !options.peek().strict }) }, t("strict")))));
});

define("selene-chat", (element) => {
  element.className = "chat";
  const isEmpty = signal(chat.session.peek() === null);
  const place = h("div", { class: "talk-place" });
  const composer = h("selene-composer", {
    ".session": chat.session, ".busy": computed(() => chat.busy.value !== null), ".send": send, ".stop": () => chat.busy.peek()?.stop(),
  });
  const panel = h("div", { class: "panel-place" });
  let conversation = /** @type {any} */ (null);

  /** The element that shows the conversation; loads its code at the first use. */
  async function talk() {
    if (conversation) return conversation;
    await import("./conversation.js");
    conversation ??= h("selene-conversation", { ".composer": composer });
    return conversation;
  }

  /** @param {string} question */
  async function send(question) {
    const view = await talk().catch(() => null);
    if (!view) {
      reachable.value = false;
      return false;
    }
    isEmpty.value = false;
    await new Promise((resolve) => { requestAnimationFrame(resolve); setTimeout(resolve, 50); });
    const isTaken = await view.ask(question);
    if (!isTaken && view.isBlank?.()) isEmpty.value = true;
    return isTaken;
  }

  /** @param {string} text */
  const suggest = (text) => h("li", {}, h("button", { class: "button", type: "button", onclick: () => composer.put(text) }, text));
  const welcome = () => h("div", { class: "blank welcome" }, h("h2", {}, t("welcome")), h("p", {}, t("welcome.text")),
    h("ul", { class: "suggestions", role: "list" }, [1, 2, 3].map((n) => suggest(t(`suggest.${n}`)))));

  /** Sends a question of another view. The first steps are the home page again once it is on its way. */
  async function take(/** @type {string} */ question) {
    if (await send(question)) {
      if (home.peek() === "asking") home.value = "steps";
    } else composer.put(question);
  }

  effect(() => {
    const { view, id } = route.value;
    if (view !== "chat" || id === chat.session.peek()) return;
    chat.passages.value = null;
    chat.title.value = chat.sessions.get(id ?? "")?.title ?? "";
    chat.session.value = id;
    isEmpty.value = id === null;
  });
  effect(() => {
    if (isEmpty.value) {
      conversation = null;
      chat.busy.value = null;
      fill(place, welcome());
      // Before there are notes, the page says so instead.
      if (home.peek() !== "chat") void import("./empty.js").then(({ empty }) => empty(place, () => isEmpty.peek()), () => { /* the welcome stays */ });
      if (matchMedia("(pointer: fine)").matches) composer.focusText?.();
    } else void talk().then((view) => { if (!isEmpty.peek() && view.parentNode !== place) place.replaceChildren(view); }, () => { reachable.value = false; });
  });
  effect(() => {
    if (chat.passages.value) void import("./passages.js").then((module) => { if (!panel.firstChild) module.panel(panel); }, () => { reachable.value = false; });
  });
  effect(() => { document.title = chat.title.value ? `${chat.title.value} – Selene` : "Selene"; });

  fill(element, h("div", { class: "chat-main" },
    h("header", { class: "view-head" },
      h("button", { class: "quiet only-narrow", type: "button", onclick: () => void openSessions(), "aria-haspopup": "dialog" }, icon("list"), t("sessions.short")),
      h("h1", {}, () => chat.title.value || (chat.session.value === null ? t("chat.new") : t(chat.hasProblem.value ? "conversation" : "untitled"))),
      () => (chat.session.value === null ? null : h("a", { class: "quiet only-narrow", href: "#/chat" }, icon("plus"), t("new")))),
    place, () => (reachable.value || chat.hasProblem.value ? null : h("div", { class: "unreachable" }, h("div", { class: "notice warn", role: "status" }, h("p", {}, t("offline")),
      h("button", { class: "quiet", type: "button", onclick: () => { chat.listed.value += 1; } }, t("retry"))))), composer), panel);
  if (matchMedia("(pointer: fine)").matches && isEmpty.peek()) composer.focusText?.();
  effect(() => {
    const question = asking.value;
    asking.value = "";
    if (question) queueMicrotask(() => void take(question));
  });
});

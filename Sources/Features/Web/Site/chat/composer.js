// Where a question is written: text, kind, scope, model, strict; drafts are kept per session.
import { define, fill, h, icon } from "../kit/dom.js";
import { effect, signal } from "../kit/signal.js";
import { t } from "../kit/words.js";

/** The kinds of answers, in the order of the list. */
export const kinds = ["ask", "deep_dive", "synthesis", "thinking_partner", "briefing", "plain"];

/**
 * The kinds for a scope. Two of them need one.
 * @param {Record<string, any>} scope
 */
function kindsFor(scope) {
  return scope.book ? ["book"] : [...kinds, ...(scope.thread ? ["thread_workspace"] : [])];
}

/**
 * What a question is asked with. `scope` is what the API takes, `names` are the words for it.
 * @type {import("../kit/signal.js").Signal<{ kind: string, model: string, strict: boolean, tools: boolean, limit: number, scope: Record<string, any>, names: string[] }>}
 */
export const options = signal({ kind: "ask", model: "", strict: false, tools: true, limit: 6, scope: {}, names: [] });

/** @param {Record<string, any>} change */
export function choose(change) {
  const next = { ...options.peek(), ...change };
  if (!kindsFor(next.scope).includes(next.kind)) next.kind = next.scope.book ? "book" : "ask";
  options.value = next;
  // Scopes are not kept, so neither are the kinds that need one.
  const { kind, model, strict, tools, limit } = next;
  keep("selene.options", JSON.stringify({ kind: kinds.includes(kind) ? kind : "ask", model, strict, tools, limit }));
}

try { options.value = { ...options.peek(), ...JSON.parse(localStorage.getItem("selene.options") ?? "{}") }; } catch { /* storage is off */ }

/** @param {string} name @param {string} value */
function keep(name, value) {
  try {
    if (value) localStorage.setItem(name, value);
    else localStorage.removeItem(name);
  } catch { /* storage is off or full: nothing is kept */ }
}

/** Rises when a draft came back that was not sent. */
const restored = signal(0);

/** @param {string | null} session */
const draftName = (session) => `selene.draft.${session ?? "new"}`;

/**
 * The draft of a session.
 * @param {string | null} session
 */
export function draft(session) {
  try { return localStorage.getItem(draftName(session)) ?? ""; } catch { return ""; }
}

/**
 * Puts a question into the composer of a new chat. Returns what was being written there.
 * @param {string} question
 */
export function propose(question) {
  const before = draft(null);
  keep(draftName(null), question);
  restored.value += 1;
  return before;
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
    oninput: () => { changed(); later(); }, onkeydown: (/** @type {KeyboardEvent} */ event) => onKey(event) });
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
  const save = () => { clearTimeout(timer); timer = 0; keep(draftName(current), text.value); };
  const later = () => { clearTimeout(timer); timer = setTimeout(save, 200); };

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
    if (draft(from) === "") {
      keep(draftName(from), question);
      restored.value += 1;
    }
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
    // A phone's return key makes lines; its keyboard sends by the button.
    if (matchMedia("(pointer: coarse)").matches && !event.metaKey && !event.ctrlKey) return;
    event.preventDefault();
    void submit();
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

// What the parts of the chat share: the session on the page, what a question is asked with, the drafts. It shows nothing.
import { signal } from "../kit/signal.js";
import { route } from "../kit/router.js";

/** What is on the page. */
export const chat = {
  /**
   * The session on the page; null is a new one.
   * @type {import("../kit/signal.js").Signal<string | null>}
   */
  session: signal(/** @type {any} */ (route.peek().id)),
  /** Its title. */
  title: signal(""),
  /**
   * The run that is writing in this session.
   * @type {import("../kit/signal.js").Signal<any>}
   */
  busy: signal(/** @type {any} */ (null)),
  /**
   * The passages that are shown: a run and a number.
   * @type {import("../kit/signal.js").Signal<{ run: any, number: number, at: number } | null>}
   */
  passages: signal(/** @type {any} */ (null)),
  /** Whether the conversation shows why something failed. */
  hasProblem: signal(false),
  /** Rises when the list of sessions may have changed. */
  listed: signal(0),
  /**
   * The sessions that are known, by id.
   * @type {Map<string, any>}
   */
  sessions: new Map(),
};

/** The kinds of answers, in the order of the list. */
const kinds = ["ask", "deep_dive", "synthesis", "thinking_partner", "briefing", "plain"];

/**
 * The kinds for a scope. Two of them need one.
 * @param {Record<string, any>} scope
 */
export function kindsFor(scope) {
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
  if (change.scope) showChat();
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

const homeName = "selene.home";

/**
 * What the home page is: the first "steps" or the "chat", also after a person "left" the steps; "asking" while a question of the steps is asked.
 * Empty while it is not known whether there is anything to ask about.
 * @type {import("../kit/signal.js").Signal<string>}
 */
export const home = signal("");
try { home.value = localStorage.getItem(homeName) ?? ""; } catch { /* storage is off */ }

/**
 * Sets the home page and keeps it.
 * @param {"steps" | "chat" | "left"} state @param {boolean} [isLater] whether only the next visit gets it
 */
export function setHome(state, isLater) {
  keep(homeName, state);
  if (!isLater) home.value = state;
}

/** A question that the chat takes and sends at once. */
export const asking = signal("");

/**
 * Asks a question in a new chat, which the home page shows then.
 * @param {string} question
 */
export function askNow(question) {
  asking.value = question;
  showChat();
}

/** Makes the chat the home page while something is to be asked there, also before the first steps are done. */
function showChat() { if (home.peek() === "steps") home.value = "asking"; }

/** Rises when a draft came back that was not sent. */
export const restored = signal(0);

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
 * Keeps the draft of a session.
 * @param {string | null} session @param {string} text
 */
export const keepDraft = (session, text) => keep(draftName(session), text);

/**
 * Makes a question the draft of a session and shows it in the composer.
 * @param {string | null} session @param {string} question
 */
export function restore(session, question) {
  keepDraft(session, question);
  restored.value += 1;
}

/**
 * Puts a question into the composer of a new chat. Returns what was being written there.
 * @param {string} question
 */
export function propose(question) {
  const before = draft(null);
  restore(null, question);
  showChat();
  return before;
}

/**
 * Whether a key sends what is written, which it does then and not what it does by itself. A phone's return key makes lines; its
 * keyboard sends by the button. Safari ends a composition before the key that ended it.
 * @param {KeyboardEvent} event
 */
export function sends(event) {
  const isSent = event.key === "Enter" && !event.isComposing && event.keyCode !== 229 && !event.shiftKey && (!matchMedia("(pointer: coarse)").matches || event.metaKey || event.ctrlKey);
  if (isSent) event.preventDefault();
  return isSent;
}

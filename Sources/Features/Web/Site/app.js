// Starts the page: words, navigation, the view that the address names, the sign-in page when it is needed.
import { call, mayAdminister, session } from "./net/api.js";
import { define, fill, h, icon } from "./kit/dom.js";
import { computed, effect, scope, signal } from "./kit/signal.js";
import { address, go, route } from "./kit/router.js";
import { loadWords, t } from "./kit/words.js";
import { chat, home, setHome } from "./chat/state.js";
import "./chat/view.js";

/** The views in the order of the bar. Only what exists is listed. */
const views = [
  { id: "chat", label: "nav.chat", icon: "chat", tag: "selene-chat", load: null },
  { id: "books", label: "nav.books", icon: "books", tag: "selene-books", load: () => import("./books/view.js").then((module) => module.ready) },
  { id: "threads", label: "nav.threads", icon: "threads", tag: "selene-threads", load: () => import("./threads/view.js").then((module) => module.ready) },
  { id: "notes", label: "nav.notes", icon: "notes", tag: "selene-notes", load: () => import("./notes/view.js").then((module) => module.ready) },
  { id: "goals", label: "nav.goals", icon: "goals", tag: "selene-goals", load: () => import("./goals/view.js").then((module) => module.ready) },
  { id: "settings", label: "nav.settings", icon: "settings", tag: "selene-settings", load: () => import("./session/settings.js") },
];

/** Views that are reached from others. */
const hidden = [
  { id: "briefing", tag: "selene-briefing", load: () => import("./threads/briefing.js").then((module) => module.ready) },
  { id: "memories", tag: "selene-memories", load: () => import("./threads/memories.js").then((module) => module.ready) },
  { id: "tasks", tag: "selene-tasks", load: () => import("./threads/tasks.js").then((module) => module.ready) },
  { id: "notifications", tag: "selene-notifications", load: () => import("./push/view.js").then((module) => module.ready) },
  { id: "capture", tag: "selene-capture", load: () => import("./capture/view.js").then((module) => module.ready) },
  { id: "start", tag: "selene-start", load: () => import("./console/start/view.js").then((module) => module.ready) },
  { id: "console", tag: "selene-console", load: () => import("./console/view.js").then((module) => module.ready) },
];

const wide = matchMedia("(min-width: 900px)");
/** Whether there is room for a side bar. */
const isWide = signal(wide.matches);
wide.addEventListener("change", () => { isWide.value = wide.matches; });

/**
 * Coming back to the chat leads to the session that one left.
 * @param {string} id
 */
function addressOf(id) {
  return id === "chat" && route.value.view !== "chat" ? address("chat", chat.session.value) : address(id);
}

define("selene-shell", (/** @type {HTMLElement} */ shell) => {
  shell.className = "shell";
  const list = h("div", { class: "side-list" });
  const links = views.map((view) => h("li", {}, h("a", {
    class: "nav-link", href: () => addressOf(view.id), "aria-current": () => (route.value.view === view.id ? "page" : null),
  }, icon(view.icon), t(view.label))));
  const main = h("main", { id: "main", tabindex: "-1" });
  fill(shell, h("nav", { class: "side", "aria-label": t("nav") },
    h("a", { class: "brand", href: "#/chat" }, icon("moon"), "Selene"), h("ul", { class: "nav", role: "list" }, links), list), main);
  effect(() => {
    if (!isWide.value) list.replaceChildren();
    else whenIdle(() => void import("./chat/sessions.js").then(() => { if (isWide.peek()) list.replaceChildren(h("selene-sessions")); }, () => failed(list)));
  });
  const name = computed(() => {
    const { view, id } = route.value;
    const found = [...views, ...hidden].find((one) => one.id === view)?.id ?? "chat";
    return found === "chat" && id === null && home.value === "steps" && mayAdminister() ? "start" : found;
  });
  let isFirst = true;
  effect(() => {
    const view = [...views, ...hidden].find((one) => one.id === name.value) ?? views[0];
    const show = () => {
      if (name.peek() !== view.id) return;
      main.replaceChildren(document.createElement(view.tag));
      if (!isFirst) main.focus();
      isFirst = false;
    };
    // Shown from the moment on when loading takes longer than one notices.
    const word = "label" in view ? view.label : view.id;
    if (view.load) fill(main, h("header", { class: "view-head" }, t(word) === word ? null : h("h1", {}, t(word))), h("div", { class: "page" }, h("div", { class: "bones", role: "status", "aria-label": t("loading") }, Array.from({ length: 6 }, () => h("i")))));
    if (view.load) void view.load().then(show, () => failed(main));
    else show();
  });
});

/** @param {Element} main */
function failed(main) {
  fill(main, h("div", { class: "blank" }, h("p", {}, t("error.load")),
    h("button", { class: "button", type: "button", onclick: () => location.reload() }, t("reload"))));
}

const known = "selene.known";

/** Whether this browser was let in before. */
function remembers() { try { return localStorage.getItem(known) === "1"; } catch { return false; } }

/** Asks who is signed in; the page works on while the answer is on its way. */
async function findSession() {
  try {
    session.value = await call("GET", "web/session");
  } catch {
    // A gateway that does not answer is shown by the views; without a sign-in route the page works with what it may read.
    session.value ??= { signed_in: true, needs_key: false, key: null, secure: globalThis.isSecureContext, is_guess: true };
  }
}

/**
 * Asks whether there is anything to ask about. The home page of an administrator leads through the first steps while there are no notes, or
 * while the gateway should embed them and has embedded none.
 */
async function findHome() {
  if (home.peek() || !mayAdminister() || session.peek()?.is_guess) return;
  const ask = (/** @type {string} */ path) => call("GET", path).catch(() => null);
  const [found, figures] = await Promise.all([ask("api/notes?limit=1&content=false"), ask("api/admin/stats")]);
  if (!found || !figures) return;
  // The index follows the notes a moment later, so only the list says that there are none.
  const isBare = figures.index?.notes > 0 && figures.index.embedded_notes === 0;
  const settings = isBare ? (await ask("api/admin/config"))?.settings : null;
  setHome(found.notes.length === 0 || settings?.some((/** @type {any} */ one) => one.key === "backfill" && one.value !== "off") ? "steps" : "chat");
}

async function start() {
  try { document.documentElement.dataset.theme = localStorage.getItem("selene.theme") ?? ""; } catch { /* storage is off */ }
  const asked = findSession();
  await loadWords();
  // A browser that was signed in shows the page at once; another one waits for what it may see.
  if (location.hash.startsWith("#pair=") || !remembers() || home.peek() === "steps") await asked;
  // What the home page is, is asked once. A slow answer changes the page later.
  if (!home.peek()) await Promise.race([asked.then(findHome), new Promise((resolve) => { setTimeout(resolve, 150); })]);
  // A browser that shows notifications without the worker opens the page with what was pressed.
  if (location.search.includes("push=")) void import("./push/opened.js").then((opened) => asked.then(opened.report));
  document.body.append(h("a", { class: "skip", href: "#main", onclick: toMain }, t("skip")), h("div", { class: "root" }),
    h("div", { class: "toasts", popover: "manual" }));
  const root = /** @type {HTMLElement} */ (document.querySelector(".root"));
  let end = () => {};
  effect(() => {
    const now = session.value;
    try {
      if (now?.signed_in || now?.needs_key === false) localStorage.setItem(known, "1");
      else if (now) localStorage.removeItem(known);
    } catch { /* storage is off */ }
  });
  effect(() => { if (session.value?.signed_in) void findHome(); });
  const needsSignIn = computed(() => session.value !== null && session.value.needs_key && !session.value.signed_in);
  effect(() => {
    const isSignIn = needsSignIn.value;
    end();
    const show = (/** @type {string} */ tag) => { end = scope(() => fill(root, h(tag))); };
    if (isSignIn) void import("./session/sign-in.js").then(() => show("selene-sign-in"));
    else show("selene-shell");
  });
  /** @type {any} */ (document.querySelector(".toasts")).showPopover?.();
  whenIdle(() => {
    // What the first question needs, before it is asked. Parts that do not load now are asked for again when needed.
    const parts = [import("./shell/keys.js"), import("./shell/viewport.js").then((viewport) => viewport.watchViewport()), import("./shell/worker.js").then((worker) => worker.register()), import("./chat/conversation.js"), import("./capture/outbox.js").then((outbox) => outbox.start())];
    void Promise.allSettled(parts);
  });
}

/**
 * Runs a function after the first paint, when nothing else is to be done.
 * @param {() => void} run
 */
function whenIdle(run) {
  requestAnimationFrame(() => (globalThis.requestIdleCallback ?? setTimeout)(run));
}

/**
 * The skip link must not change the address.
 * @param {Event} event
 */
function toMain(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

addEventListener("hashchange", () => {
  if (location.hash.startsWith("#pair=")) go("#/chat", { replace: true });
});
void start();

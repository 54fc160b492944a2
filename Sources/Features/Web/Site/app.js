// Starts the page: words, navigation, the view that the address names, the sign-in page when it is needed.
import { call, mayAdminister, mayRead, session } from "./net/api.js";
import { define, fill, h, icon } from "./kit/dom.js";
import { computed, effect, scope, signal } from "./kit/signal.js";
import { address, go, route, shelves } from "./kit/router.js";
import { loadWords, t } from "./kit/words.js";
import { chat, home, setHome } from "./chat/state.js";
import "./chat/view.js";

/**
 * The views and their places in the bar. Chat is a part of the first load.
 * @type {Record<string, [string, (() => Promise<any>) | null]>}
 */
const views = {
  chat: ["chat", null],
  today: ["today", () => import("./threads/today.js").then((module) => module.ready)],
  tasks: ["today", () => import("./threads/today.js").then((module) => module.ready)],
  notes: ["library", () => import("./notes/view.js").then((module) => module.ready)],
  books: ["library", () => import("./books/view.js").then((module) => module.ready)],
  threads: ["library", () => import("./threads/view.js").then((module) => module.ready)],
  capture: ["library", () => import("./capture/view.js").then((module) => module.ready)],
  goals: ["goals", () => import("./goals/view.js").then((module) => module.ready)],
  settings: ["you", () => import("./session/settings.js").then((module) => module.ready)],
  memories: ["you", () => import("./threads/memories.js").then((module) => module.ready)],
  notifications: ["you", () => import("./push/view.js").then((module) => module.ready)],
  start: ["you", () => import("./console/start/view.js").then((module) => module.ready)],
  console: ["you", () => import("./console/view.js").then((module) => module.ready)],
};

/** The places of the bar, in their order. Each but the chat and one's own needs a key that may read. */
const places = ["today", "chat", "library", "goals", "you"];
const shelfKept = "selene.shelf";
/** The part of the library that was used last. */
const shelf = signal("notes");
try { shelf.value = localStorage.getItem(shelfKept) ?? "notes"; } catch { /* storage is off */ }

const wide = matchMedia("(min-width: 900px)");
/** Whether there is room for a side bar. */
const isWide = signal(wide.matches);
wide.addEventListener("change", () => { isWide.value = wide.matches; });

/**
 * Where a place leads: to the chat that one left, to the part of the library that was used last.
 * @param {string} place
 */
function addressOf(place) {
  if (place === "chat" && route.value.view !== "chat") return address("chat", chat.session.value);
  return address(place === "library" ? shelf.value : place === "you" ? "settings" : place);
}

define("selene-shell", (/** @type {HTMLElement} */ shell) => {
  shell.className = "shell";
  const list = h("div", { class: "side-list" });
  const name = computed(() => {
    const { view, id } = route.value;
    const found = Object.hasOwn(views, view) ? view : "chat";
    return found === "chat" && id === null && home.value === "steps" && mayAdminister() ? "start" : found;
  });
  const place = computed(() => (route.value.view === "chat" ? "chat" : views[name.value][0]));
  effect(() => {
    const { view } = route.value;
    if (!shelves.includes(view)) return;
    shelf.value = view;
    try { localStorage.setItem(shelfKept, view); } catch { /* storage is off */ }
  });
  const link = (/** @type {string} */ one) => h("li", { hidden: () => !mayRead() && one !== "chat" && one !== "you" }, h("a", {
    class: "nav-link", href: () => addressOf(one), "aria-current": () => (place.value === one ? "page" : null),
  }, icon(one), t(`nav.${one}`)));
  const main = h("main", { id: "main", tabindex: "-1" });
  fill(shell, h("nav", { class: "side", "aria-label": t("nav") },
    h("a", { class: "brand", href: "#/chat" }, icon("moon"), "Selene"), h("ul", { class: "nav", role: "list" }, places.map(link)),
    h("button", { class: "nav-link find", type: "button", title: t("palette"), "aria-haspopup": "dialog", onclick: () => void import("./shell/keys.js").then((keys) => keys.find(), () => { /* its parts do not load now */ }) }, icon("search"), h("span", {}, t("palette"))), list), main);
  effect(() => {
    if (!isWide.value) list.replaceChildren();
    else whenIdle(() => void import("./chat/sessions.js").then(() => { if (isWide.peek()) list.replaceChildren(h("selene-sessions")); }, () => failed(list)));
  });
  let isFirst = true;
  effect(() => {
    const view = name.value;
    const load = views[view][1];
    const show = () => {
      if (name.peek() !== view) return;
      main.replaceChildren(document.createElement(`selene-${view}`));
      if (!isFirst) main.focus();
      isFirst = false;
    };
    const word = t(`nav.${view}`);
    // Shown from the moment on when loading takes longer than one notices. The parts of the library have a strip of links for a title.
    if (load) fill(main, h("header", { class: "view-head" }, word === `nav.${view}` || shelves.includes(view) ? null : h("h1", {}, word)), h("div", { class: "page" }, h("div", { class: "bones", role: "status", "aria-label": t("loading") }, Array.from({ length: 6 }, () => h("i")))));
    if (load) void load().then(show, () => failed(main));
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
  if (location.search.includes("push=")) void import("./push/browser.js").then((opened) => asked.then(opened.report));
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
    const parts = [import("./shell/keys.js").then((shell) => shell.register()), import("./chat/conversation.js"), import("./capture/outbox.js").then((outbox) => outbox.start())];
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

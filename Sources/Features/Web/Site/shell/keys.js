// What the page does beside its views: keys, and the list of them, on "?"; room for a phone's keyboard; the service worker.
import { h } from "../kit/dom.js";
import { address, go, route } from "../kit/router.js";
import { fits, openList, sheet } from "../kit/sheet.js";
import { t } from "../kit/words.js";
import { chat } from "../chat/state.js";
import { openSessions } from "../chat/view.js";
import { toast } from "../kit/toast.js";
import { call, mayAdminister, mayRead } from "../net/api.js";
import { effect, signal } from "../kit/signal.js";

// One box to find anything, on Ctrl or Command K: commands, places and chats at once; notes, books, threads, goals and pages of the
// console as they come.

/** @typedef {import("../kit/sheet.js").Choice} Choice */

/** So long, in ms, a word may rest before notes are asked for it. */
const rest = 150;
const most = 6;

/** @param {string} group @param {string} label @param {string} to @returns {Choice} */
const place = (group, label, to, more = "") => ({ group, label: label || t("untitled"), to, more, run: () => go(to) });
/** @param {string} text a piece of a note, without marks */
const plain = (text) => text.replace(/[#*_`>|[\]\s]+/g, " ").trim();

/** What is asked for once, when something is typed. */
const lists = [
  () => call("GET", "api/sessions?limit=100").then(({ sessions }) => { for (const one of sessions) chat.sessions.set(one.id, one); return []; }),
  () => call("GET", "api/threads?limit=100").then(({ threads }) => threads.map((/** @type {any} */ one) => place("threads", one.name, `#/threads/${one.id}`))),
];
const pages = () => import("../console/menu.js").then(({ pages }) => pages()).then((all) => all.map(([label, to]) => place("console", label, to)));

/**
 * What a search finds on the gateway.
 * @param {string} text @param {AbortSignal} signal @returns {Promise<Choice[]>[]}
 */
const searches = (text, signal) => [
  call("POST", "api/notes/retrieve", { query: text, mode: "keyword", limit: most, snippet: true, content: false }, { signal })
    .then(({ results }) => results.map((/** @type {any} */ one) => place("notes", one.title, `#/notes/${one.id}`, plain(one.snippet ?? "")))),
  call("GET", `api/books?limit=${most}&q=${encodeURIComponent(text)}`, undefined, { signal })
    .then(({ books }) => books.map((/** @type {any} */ one) => place("books", one.title, `#/books/${one.id}`))),
  call("GET", `api/goals?limit=${most}&q=${encodeURIComponent(text)}`, undefined, { signal })
    .then(({ goals }) => goals.map((/** @type {any} */ one) => place("goals", one.title, `#/goals/g/${encodeURIComponent(one.id)}`))),
];

/** @param {Record<string, () => void>} commands @param {string} key that opens it */
function openPalette(commands, key) {
  const listed = signal(/** @type {Choice[]} */ ([]));
  const searched = signal(/** @type {Choice[]} */ ([]));
  /** How many answers are on their way, and whether one did not come. */
  const [waiting, isLost] = [signal(0), signal(false)];
  /** The groups in their order. */
  const names = /** @type {Record<string, string>} */ ({ commands: t("palette.commands"), places: t("palette.places"), chats: t("sessions"), ...Object.fromEntries(["notes", "books", "threads", "goals"].map((one) => [one, t(`nav.${one}`)])), console: t("console") });
  const keys = (/** @type {string} */ key) => `${t("key.alt")} ${key}`;
  const named = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ pressed) => ({ group: "commands", label, to: name, keys: pressed, run: commands[name] });
  const local = [named("new", t("command.new"), keys("N")), named("composer", t("command.composer"), "/"), named("capture", t("capture"), keys("C")), named("sessions", t("command.sessions"), keys("S")), named("shortcuts", t("command.shortcuts"), "?"),
    ...(chat.busy.peek() ? [named("stop", t("stop"), keys("."))] : []),
    ...(mayRead() ? ["today", "notes", "books", "threads", "goals", "memories"] : []).map((one) => place("places", t(one === "memories" ? one : `nav.${one}`), address(one))), place("places", t("notifications"), "#/notifications"), place("places", t("nav.you"), "#/settings")];
  /** @param {Promise<Choice[]>} ask @param {(rows: Choice[]) => void} take */
  const take = async (ask, take) => {
    waiting.value = waiting.peek() + 1;
    try { take(await ask); } catch (error) { if (!(/** @type {any} */ (error).status < 500) || /** @type {any} */ (error).status === 0) isLost.value = /** @type {any} */ (error).name !== "AbortError"; }
    waiting.value = waiting.peek() - 1;
  };
  openList(t("palette"), t("palette.hint"), (query) => {
    const left = new Set([...(mayRead() ? lists : []), ...(mayAdminister() ? [pages] : [])]);
    effect(() => {
      const text = query.value.trim();
      searched.value = [];
      if (!text) return undefined;
      isLost.value = false;
      // What did not come is asked for again with the next letter.
      for (const ask of left) {
        left.delete(ask);
        void take(ask().catch((error) => { left.add(ask); throw error; }), (rows) => { listed.value = [...listed.peek(), ...rows]; });
      }
      if (!mayRead()) return undefined;
      const stop = new AbortController();
      const timer = setTimeout(() => { for (const ask of searches(text, stop.signal)) void take(ask, (rows) => { if (!stop.signal.aborted) searched.value = [...searched.peek(), ...rows]; }); }, rest);
      return () => { clearTimeout(timer); stop.abort(); };
    });
    return {
      rows: () => {
        const text = query.value.trim();
        const chats = [...chat.sessions.values()].map((one) => place("chats", one.title, address("chat", one.id)));
        const all = [...[...local, ...chats, ...listed.value].filter(fits(text)), ...searched.value];
        const found = Object.keys(names).flatMap((group) => all.filter((one) => one.group === group).slice(0, group === "commands" || group === "places" ? undefined : most));
        return text && mayRead() ? [...found, place("all", t("palette.all", { query: text }), address("notes", null, { q: text }))] : found;
      },
      status: (count) => (count === 0 ? t("palette.none") : isLost.value ? t("palette.lost") : waiting.value > 0 ? t("state.searching") : ""),
      names, foot: h("p", { class: "hint pad only-wide" }, t("palette.keys", { keys: key })),
    };
  });
}

// Keeps the composer above a phone's keyboard where the browser does not do so itself (iOS).

const view = globalThis.visualViewport;
const root = document.documentElement;

/** A keyboard takes a third of the screen; bars of the browser take less. */
function changed() {
  if (!view) return;
  const isOpen = view.scale === 1 && view.height < globalThis.innerHeight * 0.75;
  root.classList.toggle("keyboard-open", isOpen);
  if (isOpen) root.style.setProperty("--view-height", `${view.height}px`);
  else root.style.removeProperty("--view-height");
  if (isOpen && view.offsetTop > 0) scrollTo(0, 0);
}

view?.addEventListener("resize", changed);
view?.addEventListener("scroll", changed);
changed();

// Registers the service worker, where the address is secure, and offers updates. Trusted Types: one policy, one script.

export async function register() {
  if (!navigator.serviceWorker || !globalThis.isSecureContext) return;
  const address = new URL("sw.js", document.baseURI);
  const types = /** @type {any} */ (globalThis).trustedTypes;
  const policy = types?.createPolicy("worker", { createScriptURL: (/** @type {string} */ url) => {
    if (url !== address.href) throw new TypeError("no other worker");
    return url;
  } });
  try {
    const registration = await navigator.serviceWorker.register(policy ? policy.createScriptURL(address.href) : address.href, { updateViaCache: "none" });
    const offer = () => {
      if (!registration.waiting || !navigator.serviceWorker.controller) return;
      toast(t("update"), { label: t("update.now"), run: () => registration.waiting?.postMessage("activate") }, 0);
    };
    offer();
    registration.addEventListener("updatefound", () => {
      const fresh = registration.installing;
      fresh?.addEventListener("statechange", () => { if (fresh.state === "installed") offer(); });
    });
    const hadOne = navigator.serviceWorker.controller !== null;
    let isReloading = false;
    navigator.serviceWorker.addEventListener("controllerchange", () => {
      if (!hadOne || isReloading) return;
      isReloading = true;
      location.reload();
    });
    void navigator.serviceWorker.ready.then(keepLoaded).catch(() => { /* no room: the page works online */ });
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") registration.update().catch(() => {}); });
  } catch {
    // A certificate that was clicked through has no workers; the page works without one.
  }
}

/** Gives the worker's cache the files that this page loaded before the worker could, such as words of a chosen language. */
async function keepLoaded() {
  const own = new URL("../", import.meta.url);
  const hash = own.pathname.split("/").at(-2);
  const name = `selene-shell-${hash}`;
  // A worker that was switched off has deleted it.
  if (!(await caches.has(name))) return;
  const cache = await caches.open(name);
  for (const { name: file } of performance.getEntriesByType("resource")) {
    if (file.startsWith(own.href) && !(await cache.match(file, { ignoreVary: true }))) await cache.add(file);
  }
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
/**
 * The words for Ctrl or Command with a key.
 * @param {string} key
 */
const withCommand = (key) => (isApple ? `⌘ ${key}` : `${t("key.ctrl")} ${key}`);

export function openShortcuts() {
  const rows = [
    [t("keys.palette"), withCommand("K")], [t("keys.new"), `${t("key.alt")} N`], [t("keys.search"), `${t("key.alt")} S`], [t("keys.composer"), "/"], [t("keys.capture"), `${t("key.alt")} C`],
    [t("keys.send"), "Enter"], [t("keys.line"), `${t("key.shift")} Enter`], [t("keys.stop"), `${t("key.alt")} .`], [t("keys.close"), "Esc"], [t("keys.pages"), "← →"], [t("keys.book"), "C, F"], [t("keys.list"), "?"],
  ];
  sheet(t("shortcuts"), h("dl", { class: "keys" }, rows.map(([what, keys]) => [h("dt", {}, what), h("dd", {}, h("kbd", {}, keys))])));
}

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** @type {Record<string, () => void>} */
const commands = {
  new: () => { go("#/chat"); requestAnimationFrame(() => document.getElementById("question")?.focus()); },
  composer: () => { if (route.peek().view !== "chat") go("#/chat"); requestAnimationFrame(() => document.getElementById("question")?.focus()); },
  sessions: () => {
    const field = /** @type {any} */ (document.querySelector(".side-list #session-search, .side-list a"));
    if (field?.checkVisibility?.()) field.focus();
    else void openSessions();
  },
  capture: () => go("#/capture"),
  stop: () => void chat.busy.peek()?.stop(),
  settings: () => go("#/settings"),
  shortcuts: openShortcuts,
};

/** Opens the box that finds anything. */
export const find = () => openPalette(commands, withCommand("K"));

addEventListener("keydown", (event) => {
  if (event.isComposing || event.defaultPrevented) return;
  const hasCommand = event.ctrlKey || event.metaKey;
  if (hasCommand && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    find();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  const name = event.altKey && !hasCommand ? { KeyN: "new", KeyS: "sessions", KeyC: "capture", Period: "stop" }[event.code] : null;
  const plain = !hasCommand && !event.altKey && !isField(event.target) ? { "?": "shortcuts", "/": "composer" }[event.key] : null;
  const command = commands[name ?? plain ?? ""];
  if (!command) return;
  event.preventDefault();
  command();
});

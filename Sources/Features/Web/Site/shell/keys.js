// What the page does beside its views: keys, and the list of them, on "?"; room for a phone's keyboard; the service worker.
import { h } from "../kit/dom.js";
import { go, route } from "../kit/router.js";
import { sheet } from "../kit/sheet.js";
import { t } from "../kit/words.js";
import { chat } from "../chat/state.js";
import { openSessions } from "../chat/view.js";
import { openPalette } from "./palette.js";
import { toast } from "../kit/toast.js";

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

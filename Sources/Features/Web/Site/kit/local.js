// What this browser is called, what its address lacks, what it keeps, and forgetting all of it.
import { h } from "./dom.js";
import { t } from "./words.js";

// What an address without TLS lacks, said where it is missed.

/** A notice, or null on a secure address. */
export function lacks() {
  if (globalThis.isSecureContext && (location.protocol === "https:" || /^(localhost|127\.|\[::1\])/.test(location.host))) return null;
  return h("details", { class: "notice warn lacks" }, h("summary", {}, t("insecure")), h("p", {}, t("insecure.text")),
    h("ul", { class: "plain" }, ["install", "offline", "microphone", "push"].map((name) => h("li", {}, t(`insecure.${name}`)))),
    h("p", {}, t("insecure.help"), " ", h("code", {}, "selene tls init")));
}

/** Deletes drafts, choices, caches and the worker of this address, then loads the page anew. */
export async function wipe() {
  try { localStorage.clear(); sessionStorage.clear(); } catch { /* storage is off */ }
  const caches = globalThis.caches ? await globalThis.caches.keys().catch(() => []) : [];
  await Promise.allSettled(caches.map((name) => globalThis.caches.delete(name)));
  const bases = await (globalThis.indexedDB?.databases?.() ?? Promise.resolve([{ name: "selene" }])).catch(() => []);
  await Promise.allSettled(bases.map(({ name }) => new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name ?? "");
    request.onsuccess = request.onerror = request.onblocked = resolve;
  })));
  // WebKit may never answer a question for all registrations.
  await navigator.serviceWorker?.getRegistration().then((worker) => worker?.unregister()).catch(() => {});
}

/**
 * Waits for a part of signing out, 5 s at most: some browsers leave a question of workers or databases without an answer.
 * @param {Promise<any>} part
 */
export const inTime = (part) => Promise.race([part, new Promise((resolve) => { setTimeout(resolve, 5000); })]);

/**
 * A name for a device, from what its browser says of itself; without an argument for this one.
 * @param {string} [agent]
 */
export function deviceName(agent = navigator.userAgent) {
  // Browsers name those that they resemble, too, so the more special ones come first.
  const first = (/** @type {[RegExp, string][]} */ list) => list.find(([sign]) => sign.test(agent))?.[1] ?? "";
  const browser = first([[/Firefox|FxiOS/, "Firefox"], [/Edg/, "Edge"], [/OPR\//, "Opera"], [/Chrom|CriOS/, "Chrome"], [/Safari/, "Safari"]]);
  const system = first([[/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, "Android"], [/Windows/, "Windows"], [/CrOS/, "ChromeOS"], [/Mac/, "Mac"], [/Linux/, "Linux"]]);
  return [browser, system].filter(Boolean).join(", ") || agent.slice(0, 40) || "Browser";
}

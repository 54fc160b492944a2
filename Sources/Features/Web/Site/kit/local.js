// What this browser is called, what it keeps, and forgetting all of it.

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

/** A name for this device, from what the browser says of itself. */
export function deviceName() {
  const agent = navigator.userAgent;
  const system = /iPhone|iPad|Android|Windows|Mac OS X|Linux/.exec(agent)?.[0] ?? "";
  const browser = /Firefox|Edg|Chrome|Safari/.exec(agent)?.[0] ?? "";
  return [browser === "Edg" ? "Edge" : browser, system === "Mac OS X" ? "Mac" : system].filter(Boolean).join(", ") || "Browser";
}

// Registers the service worker, where the address is secure, and offers updates. Trusted Types: one policy, one script.
import { toast } from "../kit/toast.js";
import { t } from "../kit/words.js";

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

// Registers the service worker, where the address is secure, and offers updates. Trusted Types: one policy, one script.
import { t } from "../kit/words.js";

/** @param {(text: string, action?: { label: string, run: () => void }, time?: number) => void} toast */
export async function register(toast) {
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
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") registration.update().catch(() => {}); });
  } catch {
    // A certificate that was clicked through has no workers; the page works without one.
  }
}

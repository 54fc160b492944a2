// This browser as a device that gets notifications: what it lacks, switching them on and off, a press on one.
import { call, session } from "../net/api.js";
import { owner } from "../net/base.js";
import { address, go } from "../kit/router.js";

// A notification that was pressed, in a browser that shows them without the worker: the address has its delivery and button.

/** Tells the gateway, then leads to the notification. */
export async function report() {
  const query = new URLSearchParams(location.search);
  const [id, action] = [query.get("push"), query.get("action")];
  history.replaceState(null, "", location.pathname + location.hash);
  if (!id || (session.peek()?.needs_key && !session.peek()?.signed_in)) return;
  go(address("notifications", null, { came: id }), { replace: true });
  await call("POST", `api/v1/deliveries/${encodeURIComponent(id)}/receipts`, action ? { event: "action", action } : { event: "opened" }).catch(() => {});
}

/** Where the device's id is kept: the worker reads it, too, and signing out deletes it. */
const cacheName = "selene-shared";
const place = new URL("push", globalThis.document?.baseURI ?? "http://localhost/").href;
const longestWait = 10_000;

/** What this browser lacks to get notifications: a word, null for nothing. */
export function lacking() {
  if (!globalThis.isSecureContext) return "insecure";
  if (!navigator.serviceWorker || !("PushManager" in globalThis) || !("Notification" in globalThis)) return /iPhone|iPad/.test(navigator.userAgent) ? "install" : "unsupported";
  return Notification.permission === "denied" ? "denied" : null;
}

/** @param {string} scope */
const has = (scope) => session.value?.needs_key === false || session.value?.key?.scopes?.includes(scope) === true;
/** Whether the key may send notifications. */
export const maySend = () => has("push:send");
/** Whether the key may register this browser. */
export const mayRegister = () => has("push:receive") || maySend();
/** Whether the key may read the log of all devices. */
export const mayAdminister = () => has("push:admin");

/** The id of this browser's device; null when there is none, or when it belongs to another key. */
export async function deviceID() {
  try {
    const kept = await (await caches.match(place, { cacheName }))?.json();
    return kept && kept.owner === owner() ? /** @type {string} */ (kept.device) : null;
  } catch { return null; }
}

/** @param {string | null} device */
async function keep(device) {
  const cache = await caches.open(cacheName);
  if (device) await cache.put(place, new Response(JSON.stringify({ device, owner: owner() })));
  else await cache.delete(place);
}

/** The worker that will get the messages. It may never come: browsers refuse one behind a certificate that was clicked through. */
async function worker() {
  const late = new Promise((resolve) => { setTimeout(() => resolve(null), longestWait); });
  return /** @type {ServiceWorkerRegistration | null} */ (await Promise.race([navigator.serviceWorker.ready, late]));
}

/** @param {string} text base64url */
function bytes(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
}

/**
 * Subscribes with the gateway's key. A subscription with another key is of another gateway, or of a key that was replaced.
 * @param {PushManager} manager @param {string} key
 */
async function subscribe(manager, key) {
  const options = { userVisibleOnly: true, applicationServerKey: bytes(key) };
  const old = await manager.getSubscription();
  try {
    return await manager.subscribe(options);
  } catch (error) {
    if (!old) throw error;
    await old.unsubscribe();
    return manager.subscribe(options);
  }
}

/**
 * Switches notifications on. Returns the device, or a word for what stands against it.
 * @param {string} name
 */
export async function turnOn(name) {
  // Browsers ask only right after a press.
  if (await Notification.requestPermission() !== "granted") return "denied";
  const registration = await worker();
  if (!registration) return "worker";
  const { publicKey } = await call("GET", "api/v1/web-push/key");
  if (!publicKey) return "vapid";
  let subscription = await subscribe(registration.pushManager, publicKey);
  const register = () => call("POST", "api/v1/devices", { name, platform: "web", webPush: subscription.toJSON() });
  let device = await register().catch(async (error) => {
    // The subscription is that of another key, which signed in here before: this key gets one of its own.
    if (error.status !== 409) throw error;
    await subscription.unsubscribe();
    subscription = await subscribe(registration.pushManager, publicKey);
    return register();
  });
  await keep(device.id);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (!device.settings.zone && timeZone) device = await call("PUT", `api/v1/devices/${device.id}`, { settings: { ...device.settings, zone: timeZone } });
  return device;
}

/** Switches them off, here and on the gateway. */
export async function turnOff() {
  const id = await deviceID();
  if (id) await call("DELETE", `api/v1/devices/${encodeURIComponent(id)}`).catch((error) => { if (error.status !== 404) throw error; });
  await keep(null);
  const registration = await navigator.serviceWorker?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

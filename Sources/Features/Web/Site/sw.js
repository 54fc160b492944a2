// The service worker: the page's shell from the network, after 2 s or offline from the cache. Of the API it uses only the
// routes of notifications, while it shows them.
// The kill switch: served with `"off"` below, it deletes its caches and itself.
"use strict";
const hash = "{{hash}}";
const isOff = hash === "off";
const shell = `selene-shell-${hash}`;
const sharedName = "selene-shared";
const pageWait = 2000;
const files = [
  "app.js", "kit/signal.js", "kit/dom.js", "kit/words.js", "kit/router.js", "kit/sheet.js", "kit/toast.js", "net/api.js", "net/stream.js",
  "chat/state.js", "chat/view.js", "chat/conversation.js", "chat/talk.js", "chat/run.js", "chat/tree.js", "chat/answer.js",
  "chat/empty.js", "chat/passages.js", "chat/sessions.js", "chat/options.js", "text/blocks.js",
  "text/bytes.js", "text/inlines.js", "text/maths.js", "text/render.js",
  "text/spans.js", "text/specs.js", "text/starts.js", "kit/local.js",
  "session/settings.js", "session/sign-in.js", "shell/keys.js", 
  "words/en.js", "words/de.js", "books/contents.js", "books/data.js", "books/imports.js",
  "books/reader.js", "books/text.js",
  "books/view.js", "chat/voice/view.js", 
  "chat/voice/worklet.js", "css/library.css", "words/library-en.js", "words/library-de.js", "css/tokens.css", "css/base.css",
  "css/components.css", "css/chat.css", "icons/icon.svg", "kit/library.js", "net/base.js", "kit/form.js", "net/source.js", "net/remedy.js", "net/save.js",
  "push/browser.js", "push/explain.js", "push/rules.js", "push/view.js", "words/push-de.js",
  "words/push-en.js", "capture/outbox.js", "capture/view.js", "notes/list.js", "notes/note.js", "notes/edit.js", "notes/view.js",
  "threads/view.js", "goals/chart.js",
  "goals/data.js", "goals/forms.js", "goals/goal.js", "goals/history.js", "goals/links.js", "goals/lists.js", "goals/measures.js", "goals/log.js",
  "goals/review.js", "goals/rows.js", "goals/today.js", "goals/view.js", "css/goals.css", "words/goals-de.js", "words/goals-en.js",
  "threads/memories.js", "threads/today.js", "goals/due.js", "goals/line.js"];
/** The browser's language. Words of another one, and the console's files, which are not listed, are kept once they were used. */
const tongue = (navigator.languages ?? []).map((one) => one.slice(0, 2)).find((one) => one === "de" || one === "en") ?? "en";
const isLater = (file) => file.startsWith("words/") && !file.endsWith(`${tongue}.js`);
const scope = new URL("./", self.location.href);
const own = (path) => new URL(path, scope).href;

self.addEventListener("install", (event) => {
  // The switch acts at once: work of the old worker may keep this one waiting for minutes.
  if (isOff) { event.waitUntil(Promise.all([self.skipWaiting(), leave()])); return; }
  // The root answers pages with the page and Ollama's clients with a line of text: the page must be asked for.
  const first = new Request(own("./"), { headers: { Accept: "text/html" }, cache: "no-store" });
  event.waitUntil(caches.open(shell).then((cache) => cache.addAll([first, own("app.webmanifest"), ...files.filter((file) => !isLater(file)).map((file) => own(`app/${hash}/${file}`))])));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(isOff ? leave() : clean([shell, sharedName]).then(() => self.clients.claim()));
});

/** Deletes the gateway's caches except those named. */
async function clean(kept = []) {
  for (const name of await caches.keys()) if (name.startsWith("selene-") && !kept.includes(name)) await caches.delete(name);
}

async function leave() {
  await clean();
  await self.registration.unregister();
}

self.addEventListener("message", (event) => { if (event.data === "activate") self.skipWaiting(); });

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (!isOff && request.method === "POST" && address.href === own("share")) event.respondWith(share(request));
  if (isOff || request.method !== "GET" || address.origin !== scope.origin || !address.pathname.startsWith(scope.pathname)) return;
  if (request.mode === "navigate" && address.pathname === scope.pathname) event.respondWith(page(request));
  else if (address.pathname.startsWith(`${scope.pathname}app/`)) event.respondWith(file(request));
});

/** The page: of the network if it answers in time, else the cached one. */
async function page(request) {
  const cached = caches.match(own("./"), { cacheName: shell, ignoreVary: true });
  const fresh = fetch(request);
  const late = new Promise((resolve) => { setTimeout(resolve, pageWait); }).then(() => cached);
  try {
    const answer = await Promise.race([fresh, late]);
    if (answer && answer.status < 500) return answer;
    return (await cached) ?? await fresh;
  } catch {
    return (await cached) ?? Response.error();
  }
}

/** A file whose address has its version's hash: the cached one is the right one. */
async function file(request) {
  const kept = await caches.match(request, { cacheName: shell, ignoreVary: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok && request.url.startsWith(own(`app/${hash}/`))) {
    const copy = answer.clone();
    // Never made anew here: the kill switch may have deleted it while this answer was on its way.
    if (await caches.has(shell)) await caches.open(shell).then((cache) => cache.put(request, copy)).catch(() => { /* no room: the page works online */ });
  }
  return answer;
}

/** What another app shares: kept until the page has asked whether to add it. Nothing goes to the gateway from here. */
async function share(request) {
  let view = "books";
  try {
    const form = await request.formData();
    const cache = await caches.open(sharedName);
    const file = form.get("book");
    if (!(file instanceof File && file.size > 0)) view = "capture";
    if (file instanceof File && file.size > 0) {
      await cache.put("file", new Response(file, { headers: { "Content-Type": file.type || "application/octet-stream", "X-Name": encodeURIComponent(file.name) } }));
    } else await cache.put("text", Response.json(Object.fromEntries(["title", "text", "url"].map((name) => [name, String(form.get(name) ?? "")]))));
  } catch { /* the page opens without it */ }
  return Response.redirect(own(`./#/${view}?shared=1`), 303);
}

const mostCame = 100;
/** Addresses that a press may open. */
const isWeb = (address) => /^https?:\/\//i.test(address ?? "");

self.addEventListener("push", (event) => { if (!isOff) event.waitUntil(arrive(event.data)); });

/** Shows what came; browsers end subscriptions that show nothing, so a message that cannot be read shows, too. */
async function arrive(data) {
  let message = {};
  try { message = data.json().notification ?? {}; } catch { /* not ours, or cut */ }
  const title = typeof message.title === "string" && message.title ? message.title : "Selene";
  const details = message.data ?? {};
  const links = Object.fromEntries((message.actions ?? []).map((one) => [one.action, one.navigate]));
  const shown = { body: message.body, silent: message.silent, requireInteraction: message.requireInteraction, image: message.image, icon: message.icon ?? own(`app/${hash}/icons/icon-192.png`), badge: own(`app/${hash}/icons/icon-192.png`),
    actions: (message.actions ?? []).map(({ action, title }) => ({ action, title })), data: { id: details.id, url: details.url, actions: details.actions, links } };
  // An emergency that repeats replaces itself and is heard again.
  if (message.tag) Object.assign(shown, { tag: message.tag, renotify: message.requireInteraction === true });
  await self.registration.showNotification(title, shown);
  const count = Number(message.app_badge);
  await Promise.allSettled([tell(details.id, { event: "delivered" }), keepPush(details.id, title, message.body), Number.isInteger(count) && navigator.setAppBadge ? navigator.setAppBadge(count) : null]);
}

/** Tells the gateway what happened to a delivery. */
async function tell(id, event) {
  if (id) await fetch(own(`api/v1/deliveries/${encodeURIComponent(id)}/receipts`), { method: "POST", headers: { "Content-Type": "application/json", "X-Selene": "1" }, credentials: "same-origin", body: JSON.stringify(event) });
}

/** What this browser is as a device: `{ device, owner }`. */
async function registered() { return (await caches.match(own("push"), { cacheName: sharedName }))?.json(); }

/** Keeps what came in the page's database, as `net/base.js` does, for the key that registered. */
async function keepPush(id, title, body) {
  const { owner } = await registered() ?? {};
  if (!id || owner === undefined) return;
  const base = await new Promise((resolve, reject) => {
    const request = indexedDB.open("selene", 1);
    // Only the page makes its database.
    request.onupgradeneeded = () => request.transaction.abort();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  try {
    await new Promise((resolve, reject) => {
      const job = base.transaction("read", "readwrite");
      const rows = job.objectStore("read");
      rows.put({ id: JSON.stringify([owner, "push", id]), owner, kind: "push", at: Date.now(), data: { id, title, body } });
      const keys = rows.index("age").getAllKeys(IDBKeyRange.bound(["push"], ["push", []]));
      keys.onsuccess = () => { for (const old of keys.result.slice(0, -mostCame)) rows.delete(old); };
      job.oncomplete = resolve;
      job.onabort = () => reject(job.error);
    });
  } finally { base.close(); }
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  if (!isOff) event.waitUntil(press(event.notification.data ?? {}, event.action));
});

/** A press on a notification, or on one of its buttons. Buttons without a page of their own are only reported. */
async function press({ id, url, actions = [], links = {} }, action) {
  const button = action ? actions.find((one) => one.id === action) ?? { id: action } : null;
  const event = !button ? { event: "opened" } : button.type === "acknowledge" ? { event: "acknowledged" } : { event: "action", action };
  const told = tell(id, event).catch(() => {});
  const target = button ? (button.type === "open" || !button.type ? links[action] ?? button.url : button.type === "reply" ? "" : null) : url;
  if (target !== null) await show(isWeb(target) ? target : own(`./#/notifications${id ? `?came=${encodeURIComponent(id)}` : ""}`));
  await told;
}

/** Opens an address; one of the page in a window of it, where there is one. */
async function show(address) {
  const windows = address.startsWith(scope.href) ? await self.clients.matchAll({ type: "window" }) : [];
  const [first] = windows;
  if (!first) { await self.clients.openWindow(address); return; }
  await first.focus().catch(() => {});
  await first.navigate(address).catch(() => self.clients.openWindow(address));
}

self.addEventListener("pushsubscriptionchange", (event) => { if (!isOff) event.waitUntil(renew(event)); });

/** The browser replaced its subscription: the device of the gateway gets the new one. */
async function renew({ oldSubscription, newSubscription }) {
  const { device } = await registered() ?? {};
  const fresh = newSubscription ?? (oldSubscription ? await self.registration.pushManager.subscribe(oldSubscription.options) : null);
  if (device && fresh) await fetch(own(`api/v1/devices/${encodeURIComponent(device)}`), { method: "PUT", headers: { "Content-Type": "application/json", "X-Selene": "1" }, credentials: "same-origin", body: JSON.stringify({ webPush: fresh.toJSON() }) });
}

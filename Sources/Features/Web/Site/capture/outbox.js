// Notes on their way: each waits in the browser's database until the gateway has it. A note's name goes with every try, so
// that a repeat after a lost reply makes no second note. One tab delivers at a time, where the browser has locks.
import { ApiError, call, reachable, session } from "../net/api.js";
import { owner, transact } from "../net/base.js";
import { effect, signal, untracked } from "../kit/signal.js";

/** The most notes that wait. */
const most = 500;
const [soon, late] = [3000, 300_000];

/** @typedef {{ title: string, content: string, tags?: string[], created_at?: string }} Text */
/**
 * A note that waits. `first` is what the first try sent: the gateway may have it, even without a reply.
 * @typedef {{ id: string, owner: string, at: number, body: Text, first: Text | null, refused: string }} Waiting
 */

/**
 * Those that wait, the oldest first.
 * @type {import("../kit/signal.js").Signal<Waiting[]>}
 */
export const waiting = signal(/** @type {any[]} */ ([]));
/**
 * The note that arrived last.
 * @type {import("../kit/signal.js").Signal<{ id: number, title: string, key: string } | null>}
 */
export const arrived = signal(/** @type {any} */ (null));

const channel = globalThis.BroadcastChannel ? new BroadcastChannel("selene.outbox") : null;
let [isBusy, isDue, timer, pause, latest] = [false, false, 0, soon, 0];

/** @returns {Promise<Waiting[]>} */
const rows = () => transact("outbox", "readonly", (store) => store.getAll()).then((all) => all.sort((/** @type {Waiting} */ a, /** @type {Waiting} */ b) => a.at - b.at));

/** Shows what waits, here and in other tabs. */
async function refresh(isOurs = true) {
  waiting.value = (await rows().catch(() => [])).filter((one) => one.owner === owner());
  if (isOurs) channel?.postMessage("changed");
}

const newID = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
/** @param {any} a @param {any} b */
const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Changes a row in one step. `change` returns the row to keep, or null to take it out. Returns whether the row was there.
 * @param {string} id @param {(row: Waiting) => Waiting | null} change
 */
async function update(id, change) {
  let isThere = false;
  await transact("outbox", "readwrite", (store) => {
    const found = store.get(id);
    found.onsuccess = () => {
      isThere = Boolean(found.result);
      const next = isThere ? change(found.result) : null;
      if (next) store.put(next);
      else if (isThere) store.delete(id);
      if (next && next.id !== id) store.delete(id);
    };
  });
  return isThere;
}

/**
 * Adds a note and returns its name here. Throws where this browser cannot keep it.
 * @param {Text} body
 */
export async function add(body) {
  if ((await rows()).length >= most) throw new ApiError(-1, "full", "");
  const at = latest = Math.max(Date.now(), latest + 1);
  const id = newID();
  await transact("outbox", "readwrite", (store) => store.put({ id, owner: owner(), at, body: { ...body, created_at: new Date(at).toISOString() }, first: null, refused: "" }));
  await refresh();
  void deliver();
  return id;
}

/**
 * Changes a note that waits. Returns false when it has arrived or was thrown away.
 * @param {string} id @param {Text} body
 */
export async function edit(id, body) {
  const isThere = await update(id, (row) => ({ ...row, body: { ...body, created_at: row.body.created_at }, refused: "" }));
  await refresh();
  void deliver();
  return isThere;
}

/**
 * Throws a note away, and returns what brings it back.
 * @param {Waiting} one
 */
export async function discard(one) {
  await update(one.id, () => null);
  await refresh();
  return async () => {
    await transact("outbox", "readwrite", (store) => store.put(one));
    await refresh();
    void deliver();
  };
}

/** Sends what waits. A call while it runs makes it look once more. */
export async function deliver() {
  clearTimeout(timer);
  isDue = true;
  if (isBusy) return;
  isBusy = true;
  try {
    while (isDue) {
      isDue = false;
      if (navigator.locks) await navigator.locks.request("selene.outbox", sendAll);
      else await sendAll();
    }
    pause = soon;
  } catch (/** @type {any} */ error) {
    // The gateway is away, full or slow: later.
    timer = window.setTimeout(() => void deliver(), Math.max(pause, 1000 * (error?.wait ?? 0)));
    pause = Math.min(2 * pause, late);
  }
  isBusy = false;
}

async function sendAll() {
  if (!(await rows().catch(() => [])).some((one) => !one.refused)) return;
  // Whose notes may go: the cookie may be another key's by now.
  const now = await call("GET", "web/session");
  if (!isSame(now, session.peek())) session.value = now;
  if (now.needs_key && !now.signed_in) return;
  for (const one of await rows()) {
    if (one.owner !== owner() || one.refused) continue;
    try {
      await send(one.id);
    } catch (/** @type {any} */ error) {
      if (!(error instanceof ApiError) || [0, 401, 408, 429].includes(error.status) || error.status >= 500) throw error;
      await update(one.id, (row) => ({ ...row, refused: error.message || error.code }));
    } finally {
      await refresh();
    }
  }
}

/** @param {string} id */
async function send(id) {
  let first = /** @type {Text | null} */ (null);
  // What is sent is written down before it is sent.
  await update(id, (row) => { first = row.first ?? row.body; return { ...row, first }; });
  if (!first) return;
  const name = id;
  const note = await call("POST", "api/notes", first, { headers: { "Idempotency-Key": name } })
    .catch((error) => { if (error.code === "duplicate") return null; throw error; });
  let sent = first;
  for (let isOver = false; !isOver;) {
    let next = /** @type {Text | null} */ (null);
    await update(id, (row) => {
      if (isSame(row.body, sent)) return null;
      next = row.body;
      // The text that was there before, or its note was deleted: what was written since is a note of its own.
      return note ? row : { ...row, id: newID(), first: null };
    });
    isOver = !next || !note;
    if (!note && next) isDue = true;
    if (isOver || !next) continue;
    const { title, content, tags = [] } = /** @type {Text} */ (next);
    await call("PATCH", `api/notes/${note.id}`, { title, content, tags });
    sent = next;
  }
  if (note) arrived.value = { id: note.id, title: sent.title, key: name };
}

/** Begins to deliver: now, when the gateway is there again, and when the page comes back. */
export function start() {
  channel?.addEventListener("message", () => void refresh(false));
  effect(() => {
    const isIn = session.value !== null && (session.value.signed_in || !session.value.needs_key);
    const isThere = reachable.value;
    untracked(() => {
      void refresh(false);
      if (isIn && isThere) void deliver();
    });
  });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") void deliver(); });
}

// The browser's own database: notes that wait for the gateway, and what was read, for the time without it. Rows belong to
// the key that was signed in. Without a database (storage is off) nothing is kept.
import { session } from "./api.js";
import { effect } from "../kit/signal.js";

/** How many of each kind are kept; those read longest ago go first. */
const limits = /** @type {Record<string, number>} */ ({ note: 200, session: 20, push: 100, briefing: 7 });
/** Larger ones are not kept, in characters of JSON. */
const largest = 1_000_000;
const ownerName = "selene.who";

/** @type {Promise<IDBDatabase> | null} */
let opened = null;

/** @returns {Promise<IDBDatabase>} */
function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("selene", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("outbox", { keyPath: "id" });
      request.result.createObjectStore("read", { keyPath: "id" }).createIndex("age", ["kind", "at"]);
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => {
        // Signing out, here or in another tab, deletes the database.
        request.result.close();
        opened = null;
        const now = session.peek();
        if (now?.needs_key) session.value = { ...now, signed_in: false };
      };
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
  opened.catch(() => { opened = null; });
  return opened;
}

/**
 * Runs one transaction and returns the result of the request that `act` returns. Throws where nothing can be kept.
 * @param {"outbox" | "read"} name @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest | void} act @returns {Promise<any>}
 */
export async function transact(name, mode, act) {
  const base = await open();
  return new Promise((resolve, reject) => {
    const job = base.transaction(name, mode);
    const request = act(job.objectStore(name));
    job.oncomplete = () => resolve(request?.result);
    job.onabort = () => reject(job.error);
  });
}

/** The key that rows belong to: its name, empty on a gateway without keys. Known offline, too. */
export function owner() {
  const now = session.peek();
  try { return now && !now.is_guess ? now.key?.name ?? "" : localStorage.getItem(ownerName) ?? ""; } catch { return ""; }
}

/** Settled when the gateway has said whose session it is: what is read before belongs to nobody yet. */
let isKnown = () => {};
const known = /** @type {Promise<void>} */ (new Promise((resolve) => { isKnown = resolve; }));

effect(() => {
  const now = session.value;
  if (!now || now.is_guess) return;
  isKnown();
  try {
    if (now.needs_key && !now.signed_in) void transact("read", "readwrite", (store) => store.clear()).catch(() => {});
    else localStorage.setItem(ownerName, now.key?.name ?? "");
  } catch { /* storage is off */ }
});

/** @param {string} kind @param {string | number} key */
const idOf = (kind, key) => JSON.stringify([owner(), kind, String(key)]);

/**
 * Forgets what was read.
 * @param {string} kind @param {string | number} key
 */
export const forget = (kind, key) => transact("read", "readwrite", (store) => store.delete(idOf(kind, key))).catch(() => {});

/**
 * Asks the gateway and keeps the answer. Without the gateway it is the kept answer, with its time in `kept_at`.
 * @param {string} kind @param {string | number} key @param {() => Promise<any>} ask @returns {Promise<any>}
 */
export async function reading(kind, key, ask) {
  try {
    const data = await ask();
    if (JSON.stringify(data).length <= largest) void known.then(() => keep(kind, key, data)).catch(() => {});
    return data;
  } catch (/** @type {any} */ error) {
    if (error?.status === 404) void forget(kind, key);
    if (error?.status !== 0 && !(error?.status >= 502)) throw error;
    const row = await transact("read", "readonly", (store) => store.get(idOf(kind, key))).catch(() => null);
    if (!row) throw error;
    return { ...row.data, kept_at: row.at };
  }
}

/** @param {string} kind @param {string | number} key @param {any} data */
const keep = (kind, key, data) => transact("read", "readwrite", (store) => {
  store.put({ id: idOf(kind, key), owner: owner(), kind, at: Date.now(), data });
  const keys = store.index("age").getAllKeys(IDBKeyRange.bound([kind], [kind, []]));
  keys.onsuccess = () => { for (const old of keys.result.slice(0, -limits[kind])) store.delete(old); };
});

/**
 * What is kept of a kind, the latest first.
 * @param {string} kind @returns {Promise<{ at: number, data: any }[]>}
 */
export async function keptRows(kind) {
  const rows = await transact("read", "readonly", (store) => store.index("age").getAll(IDBKeyRange.bound([kind], [kind, []]))).catch(() => []);
  return rows.reverse().filter((/** @type {any} */ row) => row.owner === owner());
}

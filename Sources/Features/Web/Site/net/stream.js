// Follows the events of a run or a job until it ends. The work belongs to the gateway: whatever happens to the connection,
// this reader attaches again and goes on after the last event that it read.
import { ApiError, send } from "./api.js";
import { EventReader } from "./events.js";

/** Silence after which a connection counts as dead. The gateway sends a comment every 10 s. */
export const silence = 25_000;
const stale = 11_000;
const pauses = [100, 300, 1000, 2000, 5000];

/**
 * Follows events.
 * @param {string} path
 * @param {{ onEvent: (kind: string, data: any) => "restart" | "end" | void, onLink?: (isUp: boolean) => void, onGone: (error: Error) => void }} handlers
 *   `onEvent` gets each event once, in order; it returns "restart" when it has a gap and needs everything again, "end" after
 *   the last event.
 *   `onLink` says whether events arrive. `onGone` ends the following: the gateway refused.
 * @returns {() => void} ends the following
 */
export function follow(path, handlers) {
  let last = /** @type {string | null} */ (null);
  let isOver = false;
  let heard = Date.now();
  let hasRead = false;
  let connection = new AbortController();
  let wake = () => {};

  async function once() {
    connection = new AbortController();
    const control = connection;
    heard = Date.now();
    const watch = setInterval(() => { if (Date.now() - heard > silence) control.abort(); }, 1000);
    try {
      const response = await send("GET", path, undefined, {
        signal: control.signal,
        headers: { Accept: "text/event-stream", ...(last === null ? {} : { "Last-Event-ID": last }) },
      });
      handlers.onLink?.(true);
      const bytes = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
      const reader = new EventReader();
      for (;;) {
        const { done, value } = await bytes.read();
        if (done || isOver) return false;
        heard = Date.now();
        hasRead = true;
        for (const event of reader.push(value)) {
          if (isOver) return true;
          if (event.id !== null) last = event.id;
          if (take(event)) return true;
        }
      }
    } finally {
      clearInterval(watch);
      control.abort();
    }
  }

  /**
   * True after the last event.
   * @param {import("./events.js").ServerEvent} event
   */
  function take(event) {
    let data;
    try { data = JSON.parse(event.data); } catch { return false; }
    const result = handlers.onEvent(event.event, data);
    if (result === "restart") {
      last = null;
      connection.abort();
    }
    return result === "end";
  }

  async function all() {
    for (let failures = 0; !isOver;) {
      let pause = 0;
      hasRead = false;
      try {
        if (await once()) break;
      } catch (error) {
        if (isOver) return;
        if (error instanceof ApiError && error.status > 0 && error.status !== 429 && error.status < 500) {
          finish();
          handlers.onGone(error);
          return;
        }
        if (error instanceof ApiError) pause = error.wait * 1000;
      }
      failures = hasRead ? 0 : failures + 1;
      handlers.onLink?.(false);
      pause = Math.max(pause, pauses[Math.min(failures, pauses.length - 1)]);
      await new Promise((resolve) => { wake = () => resolve(undefined); setTimeout(resolve, pause); });
    }
    finish();
  }

  /**
   * The page or the network came back: attaches at once unless bytes arrived just now.
   * @param {Event} event
   */
  const hurry = (event) => {
    if (event.type === "visibilitychange" && document.visibilityState !== "visible") return;
    const isSuspect = event.type === "online" || /** @type {PageTransitionEvent} */ (event).persisted;
    if (isSuspect || Date.now() - heard > stale) connection.abort();
    wake();
  };

  function finish() {
    isOver = true;
    document.removeEventListener("visibilitychange", hurry);
    removeEventListener("online", hurry);
    removeEventListener("pageshow", hurry);
  }

  document.addEventListener("visibilitychange", hurry);
  addEventListener("online", hurry);
  addEventListener("pageshow", hurry);
  void all();
  return () => { finish(); connection.abort(); wake(); };
}


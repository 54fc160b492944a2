// Follows the events of a run or a job until it ends. The work belongs to the gateway: whatever happens to the connection,
// this reader attaches again and goes on after the last event that it read.
import { ApiError, send } from "./api.js";

// Server-sent events out of bytes, however these are cut. A comment is an event without a kind, as a sign of life.

/** @typedef {{ id: string | null, event: string, data: string }} ServerEvent */

/** Reads a stream of server-sent events. Each byte is looked at once. */
export class EventReader {
  #decoder = new TextDecoder();
  #rest = "";
  #data = /** @type {string[]} */ ([]);
  #event = "";
  #id = /** @type {string | null} */ (null);
  #skipsNewline = false;

  /**
   * Takes the next bytes and returns the events that they complete.
   * @param {Uint8Array} bytes @returns {ServerEvent[]}
   */
  push(bytes) {
    let text = this.#decoder.decode(bytes, { stream: true });
    /** @type {ServerEvent[]} */
    const events = [];
    if (this.#skipsNewline && text.length > 0) {
      if (text[0] === "\n") text = text.slice(1);
      this.#skipsNewline = false;
    }
    let start = 0;
    for (let at = nextBreak(text, 0); at >= 0; at = nextBreak(text, start)) {
      this.#line(this.#rest + text.slice(start, at), events);
      this.#rest = "";
      start = at + 1;
      if (text[at] === "\r") {
        if (start === text.length) this.#skipsNewline = true;
        else if (text[start] === "\n") start += 1;
      }
    }
    this.#rest += text.slice(start);
    return events;
  }

  /** @param {string} line @param {ServerEvent[]} events */
  #line(line, events) {
    if (line === "") {
      if (this.#data.length > 0) {
        events.push({ id: this.#id, event: this.#event || "message", data: this.#data.join("\n") });
      }
      this.#data = [];
      this.#event = "";
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
  }
}

/** @param {string} text @param {number} from */
function nextBreak(text, from) {
  const newline = text.indexOf("\n", from);
  const end = newline < 0 ? text.length : newline;
  for (let at = from; at < end; at += 1) if (text.charCodeAt(at) === 13) return at;
  return newline;
}

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
   * @param {ServerEvent} event
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

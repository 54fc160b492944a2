// Calls to the gateway. Addresses are relative to the page, so that the gateway may be served below a path.
import { effect, signal, untracked } from "../kit/signal.js";

/** What the gateway, or the way to it, answered instead of a result. */
export class ApiError extends Error {
  /** @param {number} status 0: no answer @param {string} code @param {string} message @param {any} [data] @param {number} [wait] seconds */
  constructor(status, code, message, data = null, wait = 0) {
    super(message);
    this.name = "ApiError";
    Object.assign(this, { status, code, data, wait });
    this.status = status;
    this.code = code;
    this.data = data;
    this.wait = wait;
  }
}

/**
 * Whether this browser is signed in: null until known.
 * @type {import("../kit/signal.js").Signal<{ signed_in: boolean, needs_key: boolean, key: any, secure: boolean, has_authority?: boolean, expires_at?: string, is_guess?: boolean } | null>}
 */
export const session = signal(/** @type {any} */ (null));

/** Whether this browser may administer the gateway; one without keys is its owner's. */
export const mayAdminister = () => session.value?.needs_key === false || session.value?.key?.scopes?.includes("admin") === true;

/** Whether this browser may read notes, chats, books, goals and tasks; so it seems until the session is known. */
export const mayRead = () => session.value?.key?.scopes?.includes("notes:read") !== false;

/**
 * Calls `clear` when the session ends: another key may not see what this one saw.
 * @param {() => void} clear
 */
export function forgets(clear) {
  effect(() => { if (session.value?.needs_key && !session.value.signed_in) untracked(clear); });
}

/** False while the last call got no answer. */
export const reachable = signal(true);

const root = new URL(".", globalThis.document?.baseURI ?? "http://localhost/");

/**
 * The full address of a path such as `api/sessions`.
 * @param {string} path
 */
export function at(path) { return new URL(path, root).href; }

/**
 * Calls a route and returns its JSON, null for 204. Reads are tried again twice when the way there fails. A 401 marks the
 * page as signed out. Throws ApiError; an abort throws the browser's AbortError.
 * @param {string} method @param {string} path @param {any} [body]
 * @param {{ signal?: AbortSignal, keepalive?: boolean, headers?: Record<string, string>, isSignIn?: boolean }} [options] @returns {Promise<any>}
 */
export async function call(method, path, body, options = {}) {
  const tries = method === "GET" ? 3 : 1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await send(method, path, body, options);
      return response.status === 204 ? null : await response.json();
    } catch (error) {
      const isPassing = error instanceof ApiError && (error.status === 0 || error.status >= 502);
      if (!isPassing || attempt >= tries) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250 * attempt * attempt));
    }
  }
}

/**
 * Sends a request and returns the response of a success. Over plain http browsers say too little about where a request
 * comes from: the header X-Selene proves to the gateway that it is one of its own page.
 * @param {string} method @param {string} path @param {any} [body]
 * @param {{ signal?: AbortSignal, keepalive?: boolean, headers?: Record<string, string>, isSignIn?: boolean }} [options]
 */
export async function send(method, path, body, options = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json", "X-Selene": "1", ...options.headers };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const before = session.peek();
  let response;
  try {
    response = await fetch(at(path), {
      method, headers, signal: options.signal, keepalive: options.keepalive, credentials: "same-origin",
      cache: "no-store", body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    reachable.value = false;
    throw new ApiError(0, "unreachable", "");
  }
  reachable.value = true;
  if (response.ok) return response;
  const data = await response.json().catch(() => null);
  // An answer to a request from before the last sign-in says nothing about this one.
  if (response.status === 401 && !options.isSignIn && before?.signed_in && session.peek() === before) {
    session.value = { ...before, signed_in: false, needs_key: true };
  }
  const wait = Number(response.headers.get("Retry-After")) || 0;
  throw new ApiError(response.status, data?.code ?? `http_${response.status}`, data?.error ?? response.statusText, data, wait);
}

globalThis.addEventListener?.("offline", () => { reachable.value = false; });
globalThis.addEventListener?.("online", () => { reachable.value = true; });

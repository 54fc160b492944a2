// The console's one connection: the state of each topic as a signal, while the console is seen. It attaches again by itself.
import { session } from "../net/api.js";
import { follow } from "../net/stream.js";
import { cleanup, computed, effect, signal } from "../kit/signal.js";

/** @typedef {"figures" | "requests" | "jobs" | "runs" | "upstreams" | "pushes" | "traffic"} Topic */

/**
 * The scope that a topic needs besides admin.
 * @type {Record<string, string>}
 */
const needs = { jobs: "notes:write", runs: "notes:read", pushes: "push:admin" };

/** "opening", "up", "lost" while it tries again, "over" after a refusal. */
export const link = signal(/** @type {"opening" | "up" | "lost" | "over"} */ ("opening"));
/** Why the gateway refused; null without a refusal. */
export const refused = signal(/** @type {any} */ (null));
/** Why a topic cannot be read. */
const problems = signal(/** @type {Record<string, string>} */ ({}));
/** @type {Map<string, import("../kit/signal.js").Signal<any>>} */
const topics = new Map();
const isSeen = signal(globalThis.document?.visibilityState !== "hidden");
const turn = signal(0);

/**
 * The latest state of a topic; null until it is known.
 * @param {Topic} name
 */
export function live(name) {
  const found = topics.get(name) ?? signal(/** @type {any} */ (null));
  topics.set(name, found);
  return found;
}

/**
 * Why a topic has no state, as an error; null otherwise.
 * @param {Topic} name @returns {any}
 */
export function trouble(name) {
  if (refused.value) return refused.value;
  const scopes = session.value?.key?.scopes;
  if (needs[name] && scopes && !scopes.includes(needs[name])) return { status: 403, scope: needs[name] };
  return problems.value[name] ? { status: 503, message: problems.value[name] } : null;
}

/** Attaches again after a refusal. */
export const again = () => { refused.value = null; turn.value += 1; };

/**
 * Takes an event of the stream.
 * @param {string} event @param {any} data
 */
export function take(event, data) {
  const name = event === "unavailable" ? data.topic : event;
  const { [name]: before, ...rest } = problems.peek();
  if (event === "unavailable") problems.value = { ...rest, [name]: data.error };
  else {
    if (before) problems.value = rest;
    live(/** @type {Topic} */ (name)).value = data;
  }
}

/**
 * Keeps the connection open while `isOn`, the page is seen and the browser signed in.
 * @param {() => boolean} isOn
 */
export function connect(isOn) {
  const see = () => { isSeen.value = document.visibilityState !== "hidden"; };
  document.addEventListener("visibilitychange", see);
  cleanup(() => document.removeEventListener("visibilitychange", see));
  const mayAsk = computed(() => !session.value?.needs_key || session.value.signed_in);
  const isWanted = computed(() => isOn() && isSeen.value && mayAsk.value);
  // Another key may not see what this one saw.
  effect(() => { if (!mayAsk.value) for (const topic of topics.values()) topic.value = null; });
  effect(() => {
    void turn.value;
    if (!isWanted.value) return undefined;
    link.value = "opening";
    return follow("api/admin/events?topics=all", {
      onEvent: (event, data) => { link.value = "up"; take(event, data); },
      onLink: (isUp) => { link.value = isUp ? "up" : "lost"; },
      onGone: (error) => { refused.value = error; link.value = "over"; },
    });
  });
}

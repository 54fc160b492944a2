// Brings files to the gateway as notes: a few at a time, with progress, reasons and an end by the person. The same files again make no copies.
import { call } from "../../net/api.js";
import { signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { largest, sorted, textOf } from "./files.js";
import { opened } from "./zip.js";

/** @typedef {import("./files.js").Found} Found */
/**
 * How far it is: `failed` with the reasons, `left` what is no note, `kept` what a person should know of notes.
 * @typedef {{ phase: "idle" | "looking" | "sending" | "done" | "stopped", done: number, total: number, created: number, updated: number, unchanged: number,
 *   failed: { path: string, why: string, found: Found }[], left: { path: string, why: string }[], kept: { path: string, kind: string, message: string }[] }} Progress
 */

/** Files of a request, their bytes, and requests in flight. */
const limits = { files: 50, bytes: 600_000, flights: 2 };
/** Pauses before a request is sent again, in ms, where the gateway is away or busy. */
const pauses = [500, 2000, 6000];
/** @type {Progress} */
const nothing = { phase: "idle", done: 0, total: 0, created: 0, updated: 0, unchanged: 0, failed: [], left: [], kept: [] };

/** @typedef {{ found: Found, body: { path: string, content: string, modified_at: string } }} Loaded */

/**
 * Why a file was not stored, in words.
 * @param {any} error
 */
const reason = (error) => (error?.status === 0 ? t("library.offline") : error?.status === 413 ? t("start.file.large") : error?.status === 403 ? t("start.file.scope") : error?.message || t("error"));

/**
 * Makes what brings files.
 * @param {{ post?: (files: any[], signal: AbortSignal) => Promise<any>, wait?: (time: number) => Promise<void> }} [parts] for tests
 */
export function bringing(parts = {}) {
  const post = parts.post ?? ((files, end) => call("POST", "api/notes/import", { files }, { signal: end }));
  const wait = parts.wait ?? ((time) => new Promise((resolve) => { setTimeout(resolve, time); }));
  const now = signal(nothing);
  let end = new AbortController();
  const put = (/** @type {Partial<Progress>} */ change) => { now.value = { ...now.peek(), ...change }; };
  const fail = (/** @type {Found[]} */ found, /** @type {string} */ why) => put({ done: now.peek().done + found.length, failed: [...now.peek().failed, ...found.map((one) => ({ path: one.path, why, found: one }))] });
  const leave = (/** @type {string} */ path, /** @type {string} */ why) => put({ done: now.peek().done + 1, left: [...now.peek().left, { path, why }] });

  /** @param {Found} found @returns {Promise<Loaded | null>} */
  async function load(found) {
    try {
      const file = await found.file();
      if (file.size > largest) { leave(found.path, "large"); return null; }
      const { text, isGuessed } = textOf(await file.arrayBuffer());
      if (isGuessed) put({ kept: [...now.peek().kept, { path: found.path, kind: "guessed", message: "" }] });
      return { found, body: { path: found.path, content: text, modified_at: new Date(file.lastModified || Date.now()).toISOString() } };
    } catch {
      fail([found], t("start.file.unreadable"));
      return null;
    }
  }

  /**
   * Sends some files; a part that is too large goes in halves.
   * @param {Loaded[]} files
   */
  async function send(files) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const answer = await post(files.map((one) => one.body), end.signal);
        const { created, updated, unchanged, left, kept, done } = now.peek();
        put({ done: done + files.length, created: created + answer.created, updated: updated + answer.updated, unchanged: unchanged + answer.unchanged, kept: [...kept, ...answer.remarks], left: [...left, ...answer.empty.map((/** @type {string} */ path) => ({ path, why: "empty" }))] });
        return;
      } catch (/** @type {any} */ error) {
        if (end.signal.aborted) return;
        const { status } = error;
        if ((status === 413 || status === 400) && files.length > 1) {
          const half = Math.ceil(files.length / 2);
          await send(files.slice(0, half));
          if (!end.signal.aborted) await send(files.slice(half));
          return;
        }
        if (attempt < pauses.length && (status === 0 || status === 429 || status >= 500)) await wait(Math.max(pauses[attempt], (error.wait ?? 0) * 1000));
        else { fail(files.map((one) => one.found), reason(error)); return; }
        if (end.signal.aborted) return;
      }
    }
  }

  /** @param {Found[]} due */
  async function run(due) {
    const flight = async () => {
      while (due.length > 0 && !end.signal.aborted) {
        /** @type {Loaded[]} */
        const part = [];
        for (let bytes = 0; due.length > 0 && part.length < limits.files && bytes < limits.bytes && !end.signal.aborted;) {
          const one = await load(/** @type {Found} */ (due.shift()));
          if (one) { part.push(one); bytes += one.body.content.length; }
        }
        if (part.length > 0 && !end.signal.aborted) await send(part);
      }
    };
    await Promise.all(Array.from({ length: limits.flights }, flight));
    put({ phase: end.signal.aborted ? "stopped" : "done" });
  }

  return {
    now,
    isBusy: () => now.value.phase === "looking" || now.value.phase === "sending",
    /**
     * Brings what is found; one thing at a time.
     * @param {() => Promise<{ found: Found[], left: { path: string, why: string }[] }>} look
     */
    async start(look) {
      if (["looking", "sending"].includes(now.peek().phase)) return;
      end = new AbortController();
      now.value = { ...nothing, phase: "looking" };
      const { found, left } = await opened(await look());
      if (end.signal.aborted) { put({ phase: "stopped" }); return; }
      const heaps = sorted(found);
      put({ phase: "sending", total: heaps.read.length, left: [...left, ...heaps.left] });
      await run(heaps.read);
    },
    /** Sends those again that failed. */
    async again() {
      const due = now.peek().failed.map((one) => one.found);
      end = new AbortController();
      put({ phase: "sending", failed: [], done: now.peek().done - due.length });
      await run(due);
    },
    stop() { end.abort(); },
  };
}

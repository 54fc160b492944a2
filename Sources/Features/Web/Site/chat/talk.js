// The state of one conversation: its messages, its runs, the branch that is shown.
import { ApiError, call } from "../net/api.js";
import { reading } from "../net/base.js";
import { batch, signal } from "../kit/signal.js";
import { LiveRun, newRunID } from "./run.js";
import { branch } from "./tree.js";
import { chat } from "./state.js";

/** Messages of the first request; later ones get more, up to the gateway's limit. */
const firstPage = 100;
const mostAPage = 500;

/**
 * A step of the shown branch. `run` is there for answers of runs.
 * @typedef {import("./tree.js").Step & { key: string, run: LiveRun | null }} Item
 */

export class Talk {
  /** @type {import("../kit/signal.js").Signal<Item[]>} */
  items = signal(/** @type {Item[]} */ ([]));
  /**
   * loading, ready or the error.
   * @type {import("../kit/signal.js").Signal<any>}
   */
  state = signal(/** @type {any} */ ("ready"));
  /**
   * The run that works in this session.
   * @type {import("../kit/signal.js").Signal<LiveRun | null>}
   */
  busy = signal(/** @type {any} */ (null));
  /** When the messages were read, in ms, where the gateway cannot be reached; else 0. */
  keptAt = signal(0);
  /** @type {import("./tree.js").Message[]} */
  messages = [];
  /** @type {Map<string, LiveRun>} */
  runs = new Map();
  /** @type {Map<any, any>} */
  chosen = new Map();
  isOver = false;
  /** Where the older messages go on. */
  #older = /** @type {string | null} */ (null);
  #loading = /** @type {Promise<import("./tree.js").Message[]> | null} */ (null);

  /** @param {string | null} session */
  constructor(session) { this.session = session; }

  /** Loads the latest messages and the session's latest runs. */
  async open() {
    const { session } = this;
    if (session === null) return;
    this.state.value = "loading";
    try {
      const runs = call("GET", `api/chat/runs?session=${encodeURIComponent(session)}&limit=5`).catch(() => ({ runs: [] }));
      const page = await reading("session", session, async () => ({ messages: await this.#page(firstPage), session: { ...chat.sessions.get(session), id: session } }));
      this.messages = page.messages;
      this.keptAt.value = page.kept_at ?? 0;
      if (page.kept_at) chat.sessions.set(session, page.session);
      const named = (await runs).runs ?? [];
      if (this.isOver) return;
      for (const run of named) this.#meet(run);
      batch(() => { this.show(); this.state.value = "ready"; });
    } catch (error) {
      if (!this.isOver) this.state.value = error;
    }
  }

  /** Whether messages older than those here are on the gateway. */
  get hasOlder() { return this.#older !== null; }

  /** Loads older messages in front of those that are here. Returns false when that failed. */
  async loadOlder() {
    if (this.#older === null) return true;
    try {
      this.#loading ??= this.#page(Math.min(mostAPage, 2 * this.messages.length));
      const page = await this.#loading;
      if (this.isOver || this.#loading === null) return true;
      this.#loading = null;
      const known = new Set(this.messages.map((one) => one.id));
      this.messages = [...page.filter((one) => !known.has(one.id)), ...this.messages];
      this.show();
      return true;
    } catch {
      this.#loading = null;
      return false;
    }
  }

  /**
   * The next page of messages before those that were read, oldest first.
   * @param {number} limit @returns {Promise<import("./tree.js").Message[]>}
   */
  async #page(limit) {
    const cursor = this.#older ? `&cursor=${encodeURIComponent(this.#older)}` : "";
    const page = await call("GET", `api/sessions/${encodeURIComponent(this.session ?? "")}/messages?order=newest&limit=${limit}${cursor}`);
    this.#older = page.next_cursor ?? null;
    return page.messages.reverse();
  }

  /**
   * A run that the gateway named: one that works is followed, one without a stored answer is shown.
   * @param {any} run
   */
  #meet(run) {
    const known = this.runs.get(run.id);
    if (known?.isFollowed || (run.message != null && !["interrupted"].includes(run.state))) return;
    const latest = this.messages[this.messages.length - 1];
    const isRecent = !latest?.created_at || !run.updated_at || Date.parse(run.updated_at) >= Date.parse(latest.created_at) - 1000;
    const live = known ?? new LiveRun(run.id, run);
    live.reader.state = run.state;
    if (live.reader.isWorking) this.#begin(live);
    else if (isRecent || run.message != null) void live.load().catch(() => {});
    else return;
    this.runs.set(run.id, live);
  }

  /** @param {LiveRun} live */
  #begin(live) {
    this.runs.set(live.id, live);
    this.busy.value = live;
    live.follow(() => void this.#ended(live));
  }

  /** @param {LiveRun} live */
  async #ended(live) {
    if (this.busy.peek() === live) this.busy.value = null;
    try {
      // The run says under which ids its messages are stored, and its last verdicts.
      const run = await call("GET", `api/chat/runs/${encodeURIComponent(live.id)}`);
      live.take(run);
      this.store(run);
    } catch {
      // The text is on the page; the ids come with the next opening.
    }
  }

  /**
   * Adds a finished run's messages.
   * @param {any} run
   */
  store(run) {
    const time = run.created_at;
    const has = (/** @type {any} */ id) => this.messages.some((one) => one.id === id);
    if (run.user_message != null && !has(run.user_message)) {
      this.messages.push({ id: run.user_message, role: "user", content: run.question, created_at: time, parent_id: this.runs.get(run.id)?.about.parent ?? null, run: run.id });
    }
    if (run.message != null && !has(run.message)) {
      this.messages.push({ id: run.message, role: "assistant", content: run.text, created_at: run.updated_at, parent_id: run.user_message, run: run.id });
    }
    this.show();
  }

  /** Computes the shown branch. */
  show() {
    const stored = new Set(this.messages.map((one) => one.run).filter(Boolean));
    const all = [...this.messages];
    for (const run of this.runs.values()) {
      if (all.some((one) => one.role === "assistant" && (one.run === run.id || (run.about.message != null && one.id === run.about.message)))) continue;
      // The stored answer of an older run is among the messages that are not here yet.
      if (this.hasOlder && run.about.message != null) continue;
      let parent = run.about.user_message;
      if (parent == null || !all.some((one) => one.id === parent)) {
        parent = `q:${run.id}`;
        if (!stored.has(run.id) || run.isFollowed || run.about.user_message == null) {
          all.push({ id: parent, role: "user", content: run.about.question ?? "", parent_id: run.about.parent, run: run.id });
        }
      }
      all.push({ id: `a:${run.id}`, role: "assistant", content: "", parent_id: parent, run: run.id });
    }
    const steps = branch(all, this.chosen, !this.hasOlder);
    this.items.value = steps.map((step, place) => {
      const { message } = step;
      const answer = message.role === "user" ? steps[place + 1]?.message.run ?? message.run : message.run;
      return { ...step, key: answer ? `${message.role}:${answer}` : `m:${message.id}`, run: message.role === "assistant" ? this.#runOf(message) : null };
    });
  }

  /** @param {import("./tree.js").Message} message */
  #runOf(message) {
    if (!message.run) return null;
    const known = this.runs.get(message.run);
    if (known) return known;
    const made = new LiveRun(message.run, { message: message.id, user_message: message.parent_id });
    this.runs.set(message.run, made);
    return made;
  }

  /**
   * Shows another branch at a message.
   * @param {Item} item @param {number} step
   */
  turn(item, step) {
    const next = item.siblings[item.index + step];
    if (!next) return;
    this.chosen.set(item.parent, next.id);
    this.show();
  }

  /**
   * Starts a run. `at` is the message under which the question goes; absent: under the last one shown.
   * @param {string} question @param {Record<string, any>} options @param {{ parent?: any, id?: string }} [at]
   */
  async ask(question, options, at = {}) {
    const items = this.items.peek();
    const last = items[items.length - 1]?.message;
    let parent = "parent" in at ? at.parent : last?.id;
    if (typeof parent === "string") parent = undefined;
    const id = at.id ?? newRunID();
    const body = { ...options, id, question, ...(this.session === null ? {} : { session: this.session }), ...(parent === undefined ? {} : { parent }) };
    const live = new LiveRun(id, { question, parent: parent === undefined ? last?.id ?? null : parent });
    live.isNew = true;
    this.runs.set(id, live);
    this.busy.value = live;
    this.chosen.set(live.about.parent ?? "root", `q:${id}`);
    this.show();
    try {
      const run = await this.#post(body);
      this.session = run.session;
      Object.assign(live.about, { session: run.session, user_message: run.user_message, model: run.model });
      this.#begin(live);
      return run;
    } catch (error) {
      this.runs.delete(id);
      this.busy.value = null;
      this.chosen.delete(live.about.parent ?? "root");
      this.show();
      if (error instanceof ApiError && error.code === "session_busy" && error.data?.run) {
        this.#meet({ ...(await call("GET", `api/chat/runs/${encodeURIComponent(error.data.run)}`)), message: null });
        this.show();
      }
      throw error;
    }
  }

  /**
   * Posts a run; the id is the page's, so that a repeat never starts a second one.
   * @param {any} body
   */
  async #post(body) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call("POST", "api/chat/runs", body);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 0 || attempt >= 3) throw error;
        await new Promise((resolve) => setTimeout(resolve, 400 * attempt));
      }
    }
  }

  /**
   * Goes on with an interrupted answer.
   * @param {LiveRun} run
   */
  async resume(run) {
    this.busy.value = run;
    try {
      await run.resume(() => void this.#ended(run));
      this.runs.set(run.id, run);
    } catch (error) {
      this.busy.value = null;
      throw error;
    }
  }

  close() {
    this.isOver = true;
    for (const run of this.runs.values()) run.leave();
  }
}

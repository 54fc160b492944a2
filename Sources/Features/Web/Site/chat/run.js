// A run on the page: its reader, the connection that feeds it, and what one may do with it.
import { call } from "../net/api.js";
import { follow } from "../net/stream.js";
import { signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { RunReader } from "./reader.js";

/** Verdicts that raise doubts about a sentence. */
const doubtful = new Set(["unsupported", "altered", "misattributed", "invented"]);

/**
 * What raises the doubt about a sentence, in words.
 * @param {any} one
 */
function doubt(one) {
  const differences = /** @type {string[]} */ (one.differences ?? []);
  if (one.verdict === "altered" && differences.length > 0) return t("sentence.differs", { what: differences.map((word) => t(`differs.${word}`)).join(", ") });
  return t(differences.includes("judged") ? "sentence.judged" : `sentence.${one.verdict}`);
}

export class LiveRun {
  reader = new RunReader();
  /** Rises with each change other than text. */
  changed = signal(0);
  /** Rises with the text. */
  grown = signal(0);
  /** False while events do not arrive. */
  isLinked = signal(true);
  /**
   * Why the gateway refuses to say more, or null.
   * @type {import("../kit/signal.js").Signal<Error | null>}
   */
  refusal = signal(/** @type {any} */ (null));
  /** True until the gateway has taken the run. */
  isNew = false;
  /**
   * Called with the verdicts' stretch of the text.
   * @type {((from: number, to: number) => void) | null}
   */
  onVerdicts = null;
  /** @type {(() => void) | null} */
  #stop = null;
  #gaps = 0;
  #loading = /** @type {Promise<void> | null} */ (null);

  /** @param {string} id @param {{ question?: string, parent?: any, session?: string | null, user_message?: any, message?: any, model?: string }} [about] */
  constructor(id, about = {}) {
    this.id = id;
    this.about = about;
  }

  /**
   * Follows the events until the run ends. `onend` is called once.
   * @param {() => void} [onend]
   */
  follow(onend) {
    this.isNew = false;
    this.#stop?.();
    this.#stop = follow(`api/chat/runs/${encodeURIComponent(this.id)}/events`, {
      onLink: (isUp) => { this.isLinked.value = isUp; },
      onGone: (error) => { this.refusal.value = error; this.isLinked.value = true; this.#stop = null; onend?.(); },
      onEvent: (kind, data) => {
        const before = this.reader.state;
        const result = this.reader.apply(kind, data);
        if (result === "restart") {
          this.#gaps += 1;
          // Everything again has the same gap: the run itself has the text.
          if (this.#gaps > 1) void call("GET", `api/chat/runs/${encodeURIComponent(this.id)}`).then((run) => { if (this.isFollowed) this.take(run); }, () => {});
          return result;
        }
        if (kind === "delta") this.grown.value += 1;
        if (kind !== "delta" || this.reader.state !== before) this.changed.value += 1;
        if (kind === "snapshot") this.grown.value += 1;
        if (result === "verdicts") this.#tell(kind === "snapshot" ? null : data);
        if (this.reader.end) {
          this.#stop = null;
          this.grown.value += 1;
          onend?.();
        }
        return kind === "done" || kind === "failed" ? "end" : undefined;
      },
    });
  }

  get isFollowed() { return this.#stop !== null || this.isNew; }

  /** Ends the following; the run goes on. */
  leave() {
    this.#stop?.();
    this.#stop = null;
  }

  /** Reads the run once, for its passages and verdicts. */
  load() {
    this.#loading ??= call("GET", `api/chat/runs/${encodeURIComponent(this.id)}`).then((run) => this.take(run), (error) => {
      this.#loading = null;
      if (error.status === 404) this.refusal.value = error;
      else throw error;
    });
    return this.#loading;
  }

  /** @param {any} run */
  take(run) {
    this.reader.load(run);
    this.about = { ...this.about, question: run.question, session: run.session, user_message: run.user_message, message: run.message, model: run.model };
    this.changed.value += 1;
    this.grown.value += 1;
    this.#tell(null);
  }

  /** Stops the run on the gateway. */
  async stop() {
    const run = await call("DELETE", `api/chat/runs/${encodeURIComponent(this.id)}`);
    if (!this.isFollowed) this.take(run);
  }

  /**
   * Goes on with an interrupted run.
   * @param {() => void} [onend]
   */
  async resume(onend) {
    const run = await call("POST", `api/chat/runs/${encodeURIComponent(this.id)}/continue`);
    this.take(run);
    this.follow(onend);
  }

  /** @param {any} data */
  #tell(data) {
    const { text } = this.reader;
    const starts = [...(data?.citations ?? []).map((/** @type {any} */ one) => one.marker), ...(data?.sentences ?? []).map((/** @type {any} */ one) => one.range)];
    if (data === null) this.onVerdicts?.(0, Infinity);
    else if (starts.length > 0) {
      this.onVerdicts?.(text.index(Math.min(...starts.map((range) => range[0]))), text.index(Math.max(...starts.map((range) => range[1]))));
    }
  }

  /**
   * Sentences with doubts, in characters of the text.
   * @returns {import("../text/specs.js").Mark[]}
   */
  marks() {
    const { text, sentences } = this.reader;
    return [...sentences.values()].filter((one) => doubtful.has(one.verdict)).sort((a, b) => a.range[0] - b.range[0]).map((one) => ({
      from: text.index(one.range[0]), to: text.index(one.range[1]), verdict: one.verdict,
      words: doubt(one),
    }));
  }

  /**
   * What is known of a citation.
   * @param {number} at @param {number} number
   */
  cite(at, number) {
    const found = this.reader.verdict(at, number);
    if (!found) return null;
    const words = found.verdict === "misattributed" && found.belongs_to ? t("cite.belongs", { n: found.belongs_to }) : t(`cite.${found.verdict}`);
    return { verdict: found.verdict, words };
  }

  /** How many sentences have each verdict. */
  tally() {
    /** @type {Record<string, number>} */
    const counts = {};
    for (const { verdict } of this.reader.sentences.values()) counts[verdict] = (counts[verdict] ?? 0) + 1;
    return counts;
  }
}

/** An id for a new run. `randomUUID` is missing on insecure addresses, `getRandomValues` is not. */
export function newRunID() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `r-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

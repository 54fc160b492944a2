// A run on the page: its reader, the connection that feeds it, and what one may do with it.
import { call } from "../net/api.js";
import { follow } from "../net/stream.js";
import { signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { ByteText } from "../text/bytes.js";

// What is known of a run: made from its events, in order, or from the run itself. Pure: no page, no network.

/** States in which a run still works. */
export const working = new Set(["queued", "searching", "waiting", "loading_model", "thinking", "answering", "tools"]);

export class RunReader {
  text = new ByteText();
  state = "queued";
  progress = 0;
  /**
   * The place in the queue.
   * @type {number | null}
   */
  place = null;
  /** @type {any} */
  search = null;
  /** @type {Map<number, any>} */
  passages = new Map();
  /** @type {Map<string, any>} */
  tools = new Map();
  /**
   * By the marker's index in the text and the number.
   * @type {Map<string, any>}
   */
  citations = new Map();
  /** @type {Map<string, any>} */
  sentences = new Map();
  /** @type {any} */
  usage = null;
  /**
   * How the run ended.
   * @type {{ error?: string | null, stop_reason?: string | null, message?: number | null, is_stored?: boolean } | null}
   */
  end = null;
  /** @type {any[]} */
  leftOut = [];
  /** @type {any[]} */
  withheld = [];

  clear() { Object.assign(this, new RunReader()); }

  get isWorking() { return working.has(this.state); }

  /**
   * Takes an event. Returns "restart" when text is missing before it, "verdicts" when verdicts changed, else nothing.
   * @param {string} kind @param {any} data @returns {"restart" | "verdicts" | void}
   */
  apply(kind, data) {
    switch (kind) {
      case "state":
        this.state = String(data.state);
        this.progress = Number(data.progress ?? this.progress);
        this.place = data.place ?? null;
        if (this.isWorking) this.end = null;
        return;
      case "search": this.search = data; return;
      case "passages": for (const one of data.passages ?? []) this.passages.set(one.number, one); return;
      case "tool": this.tools.set(String(data.id), data); return;
      case "delta": return this.delta(data);
      case "citation":
        for (const one of data.citations ?? []) this.citations.set(`${this.text.index(one.marker[0])}:${one.number}`, one);
        for (const one of data.sentences ?? []) this.sentences.set(`${one.range[0]}:${one.range[1]}`, one);
        return "verdicts";
      case "usage": this.usage = data; return;
      case "snapshot":
        this.clear();
        this.state = "answering";
        this.text.append(String(data.text ?? ""));
        for (const one of data.events ?? []) if (one.event !== "delta") this.apply(one.event, one.data);
        return "verdicts";
      case "done": case "failed":
        this.state = String(data.state ?? kind);
        this.end = data;
        this.progress = 1;
        return;
    }
  }

  /** @param {{ at: number, text: string }} data */
  delta(data) {
    const at = Number(data.at);
    if (!(at <= this.text.bytes)) return "restart";
    if (at < this.text.bytes) this.text.cut(at);
    this.text.append(String(data.text));
    if (this.state !== "tools") this.state = "answering";
  }

  /**
   * Takes the run as the gateway stores it.
   * @param {any} run
   */
  load(run) {
    const record = run.record ?? {};
    this.clear();
    Object.assign(this, { state: run.state, progress: run.progress ?? 1, place: run.place ?? null, usage: record.usage ?? null,
      search: record.search ?? null, leftOut: record.left_out ?? [], withheld: record.withheld ?? [] });
    this.text.append(run.text ?? "");
    this.apply("passages", { passages: record.passages });
    for (const tool of record.tools ?? []) this.apply("tool", tool);
    this.apply("citation", record);
    if (!this.isWorking) this.end = { error: run.error, stop_reason: run.stop_reason, message: run.message, is_stored: run.message != null };
  }

  /**
   * The verdict on a number of the marker at an index of the text.
   * @param {number} index @param {number} number
   */
  verdict(index, number) { return this.citations.get(`${index}:${number}`) ?? null; }
}

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

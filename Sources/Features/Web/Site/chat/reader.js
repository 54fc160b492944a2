// What is known of a run: made from its events, in order, or from the run itself. Pure: no page, no network.
import { ByteText } from "../text/bytes.js";

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

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

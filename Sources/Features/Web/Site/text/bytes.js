// The gateway counts an answer's text in UTF-8 bytes, the page in UTF-16 units.

/**
 * Bytes of a text in UTF-8; a lone surrogate counts as the replacement character.
 * @param {string} text @param {number} [from] @param {number} [to]
 */
export function byteLength(text, from = 0, to = text.length) {
  let bytes = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      bytes += 4;
      at += 1;
    } else bytes += 3;
  }
  return bytes;
}

const step = 256;

/** A growing text that is addressed by bytes. */
export class ByteText {
  text = "";
  bytes = 0;
  /**
   * Byte and index of a place in each stretch of about `step` units.
   * @type {[number, number][]}
   */
  #marks = [[0, 0]];

  /** @param {string} [text] */
  constructor(text = "") { if (text) this.append(text); }

  /** @param {string} more */
  append(more) {
    const start = this.text.length;
    this.text += more;
    for (let from = start; from < this.text.length;) {
      let to = Math.min(from + step, this.text.length);
      if (to < this.text.length && (this.text.charCodeAt(to) & 0xfc00) === 0xdc00) to += 1;
      this.bytes += byteLength(this.text, from, to);
      if (to - this.#marks[this.#marks.length - 1][1] >= step) this.#marks.push([this.bytes, to]);
      from = to;
    }
  }

  /**
   * Leaves the first `bytes` bytes.
   * @param {number} bytes
   */
  cut(bytes) {
    if (bytes >= this.bytes) return;
    const index = this.index(bytes);
    this.text = this.text.slice(0, index);
    while (this.#marks.length > 1 && this.#marks[this.#marks.length - 1][1] > index) this.#marks.pop();
    const [from, at] = this.#marks[this.#marks.length - 1];
    this.bytes = from + byteLength(this.text, at);
  }

  /**
   * The index in the text of a byte; within a character, of its start.
   * @param {number} byte
   */
  index(byte) {
    let [low, high] = [0, this.#marks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#marks[middle][0] <= byte) low = middle;
      else high = middle - 1;
    }
    let [at, index] = this.#marks[low];
    while (index < this.text.length) {
      const isPair = (this.text.charCodeAt(index) & 0xfc00) === 0xd800 && (this.text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
      const width = isPair ? 2 : 1;
      const next = at + byteLength(this.text, index, Math.min(index + width, this.text.length));
      if (next > byte) break;
      at = next;
      index += width;
    }
    return Math.min(index, this.text.length);
  }
}

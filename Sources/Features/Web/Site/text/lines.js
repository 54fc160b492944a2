// A line of Markdown with a cursor that counts columns, as CommonMark's tabs need it.

/** A cursor over one line. `offset` counts characters, `column` counts columns with tab stops of four. */
export class Line {
  /** @param {string} text @param {number} at where the line begins in the source */
  constructor(text, at) {
    this.text = text;
    this.at = at;
    this.offset = 0;
    this.column = 0;
    this.splitsTab = false;
    this.next = 0;
    this.nextColumn = 0;
    this.indent = 0;
    this.isBlank = false;
    this.look();
  }

  /** Finds the next character that is no space or tab. */
  look() {
    let [at, column] = [this.offset, this.column];
    for (; at < this.text.length; at += 1) {
      const code = this.text.charCodeAt(at);
      if (code === 32) column += 1;
      else if (code === 9) column += 4 - (column % 4);
      else break;
    }
    this.next = at;
    this.nextColumn = column;
    this.indent = column - this.column;
    this.isBlank = at === this.text.length;
  }

  /** The character after the indentation. */
  get char() { return this.text[this.next] ?? ""; }

  /** What follows the indentation. */
  get rest() { return this.text.slice(this.next); }

  /** @param {number} count @param {boolean} [isColumns] */
  advance(count, isColumns = false) {
    while (count > 0 && this.offset < this.text.length) {
      if (this.text.charCodeAt(this.offset) === 9) {
        const width = 4 - (this.column % 4);
        if (isColumns) {
          this.splitsTab = width > count;
          const step = Math.min(width, count);
          this.column += step;
          if (!this.splitsTab) this.offset += 1;
          count -= step;
        } else {
          this.splitsTab = false;
          this.column += width;
          this.offset += 1;
          count -= 1;
        }
      } else {
        this.splitsTab = false;
        this.offset += 1;
        this.column += 1;
        count -= 1;
      }
    }
    this.look();
  }

  /** Goes to the next character that is no space or tab. */
  skipIndent() {
    this.offset = this.next;
    this.column = this.nextColumn;
    this.splitsTab = false;
    this.look();
  }

  /** True for a space or tab at the cursor. */
  get isSpace() {
    const code = this.text.charCodeAt(this.offset);
    return code === 32 || code === 9;
  }

  /** What is left of the line, with the rest of a tab as spaces, and where it begins. */
  take() {
    if (!this.splitsTab) return { text: this.text.slice(this.offset), at: this.at + this.offset };
    const spaces = " ".repeat(4 - (this.column % 4));
    return { text: spaces + this.text.slice(this.offset + 1), at: this.at + this.offset };
  }
}

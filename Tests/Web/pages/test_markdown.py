"""The renderer in a browser: text that grows piece by piece gives the same nodes as text that comes at once."""

import random
import unittest

from browser import PageTest, expect

PARTS = ["# Tides\n", "\n", "- a\n", "  - b\n", "- c\n\n", "1. x\n", "   y\n", "> q\n", ">> r\n", "```js\n", "let a = 1;\n", "```\n", "a | b\n", "-|-\n", "1 | 2\n", "---\n",
         "**bold** ", "*em", "* ", "`code`", " [1]", "[2, 3] ", "[a](b)", "![i](https://x.example/j)", "text. ", "\n\n", "    indented\n", "$x^2$ ", "\\[ \\frac{y}{2} \\]", "https://a.b/c. ",
         "&amp;", "word\n", "ü€😀", "~~s~~", "More words here. "]

COMPARE = """async ([path, cases]) => {
  const { MarkdownView } = await import(path);
  // Frames are at once, and each comes a second later.
  let now = 0;
  performance.now = () => (now += 1000);
  globalThis.requestAnimationFrame = run => { run(); return 0; };
  const marks = [{ from: 3, to: 25, verdict: 'altered', words: 'differs' }];
  const options = late => ({ isCited: true, isMaths: true, isBare: true, headings: 2, marks: late ? [] : marks, cite: (at, number) => ({ verdict: number === 2 ? 'invented' : 'supported', words: 'w' }) });
  const different = [];
  for (const pieces of cases) {
    const [grown, whole] = [document.createElement('div'), document.createElement('div')];
    const settings = options(true);
    const growing = new MarkdownView(grown, settings);
    let text = '';
    pieces.forEach((piece, index) => {
      text += piece;
      growing.set(text);
      if (index === pieces.length >> 1) { settings.marks = marks; growing.refresh(0, Infinity); }
    });
    settings.marks = marks;
    growing.refresh(0, Infinity);
    growing.set(text, true);
    new MarkdownView(whole, options(false)).set(text, true);
    if (grown.innerHTML !== whole.innerHTML) different.push([pieces, grown.innerHTML, whole.innerHTML]);
  }
  return different.slice(0, 1);
}"""


class Growing(PageTest):
    def test_pieces_and_whole_give_the_same_nodes(self):
        expect(self.page.get_by_label("Your question")).to_be_visible()
        pick = random.Random(7)
        cases = []
        for _ in range(1500):
            text = "".join(pick.choice(PARTS) for _ in range(pick.randrange(2, 16)))
            pieces, at = [], 0
            while at < len(text):
                size = 1 + pick.randrange(12)
                pieces.append(text[at:at + size])
                at += size
            cases.append(pieces)
        path = f"{self.gateway.url}app/{self.gateway.site.hash}/text/render.js"
        self.assertEqual(self.page.evaluate(COMPARE, [path, cases]), [])


if __name__ == "__main__":
    unittest.main()

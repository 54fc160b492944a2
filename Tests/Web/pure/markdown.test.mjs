import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./site.mjs";
import { treeOf, treeOfPieces } from "./trees.mjs";

const { parseInlines } = await load("text/inlines.js");
const { safeAddress } = await load("text/spans.js");
const { parseBlocks } = await load("text/blocks.js");
const { blockSpec } = await load("text/specs.js");
const all = { isCited: true, isMaths: true, isBare: true };

const parts = ["# Tides\n", "\n", "- a\n", "  - b\n", "- c\n\n", "1. x\n", "   y\n", "> q\n", ">> r\n", "```js\n", "let a = 1;\n", "```\n", "~~~\n",
  "a | b\n", "-|-\n", "1 | 2\n", "---\n", "===\n", "**bold** ", "*em", "* ", "`code`", "``", "[1]", "[2, 3]", "[a](b)", "![i](j)", "<http://x.y>",
  "text ", "\n\n", "    indented\n", "\t", "$x^2$", "\\[ y \\]", "https://a.b/c. ", "&amp;", "\\*", "  \n", "word\n", "-", "+ p\n", "ü€😀", "\r\n", "~~s~~", "_u_"];

function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("any split of a text gives the same tree", () => {
  for (let seed = 1; seed <= 4000; seed += 1) {
    const pick = random(seed);
    const text = Array.from({ length: 2 + pick(14) }, () => parts[pick(parts.length)]).join("");
    const pieces = [];
    for (let at = 0; at < text.length;) {
      const to = at + 1 + pick(1 + pick(20));
      pieces.push(text.slice(at, to));
      at = to;
    }
    assert.deepEqual(treeOfPieces(pieces, all), treeOf(text, all), `seed ${seed}: ${JSON.stringify(pieces)}`);
  }
});

test("hostile texts take time in proportion to their length", () => {
  const kinds = {
    strong: (n) => "**a**".repeat(n), open: (n) => "**a ".repeat(n), mixed: (n) => "*a_ ".repeat(n), closers: (n) => "a** ".repeat(n),
    nestedStars: (n) => "*a ".repeat(n) + "a* ".repeat(n), brackets: (n) => "[".repeat(n), links: (n) => "[a](".repeat(n), images: (n) => "![".repeat(n),
    closed: (n) => "[".repeat(n) + "]".repeat(n), angles: (n) => "<a ".repeat(n), ticks: (n) => Array.from({ length: Math.sqrt(n) * 2 }, (_, i) => "`".repeat(i + 1)).join(" "),
    quotes: (n) => ">".repeat(n) + "a", lists: (n) => Array.from({ length: 200 }, (_, i) => " ".repeat(i * 2) + "- a").join("\n").repeat(n / 4000),
    bullets: (n) => "- ".repeat(n), dollars: (n) => "$a ".repeat(n), entities: (n) => "&".repeat(n), pointed: (n) => "[a](<b".repeat(n),
    titles: (n) => "[a](b \"".repeat(n), bars: (n) => "|".repeat(n) + "\n" + "|-".repeat(n), cites: (n) => "[1]".repeat(n), rules: (n) => "* ".repeat(n) + "a",
    hashes: (n) => "# ".repeat(n), tildes: (n) => "~~a".repeat(n), heads: (n) => "#".repeat(n), setext: (n) => "a\n=\n".repeat(n / 2), colons: (n) => "http://".repeat(n),
  };
  for (const [name, make] of Object.entries(kinds)) {
    const time = (n) => {
      const text = make(n);
      const start = process.cpuUsage();
      treeOf(text, all);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1e3;
    };
    time(500);
    const least = (n) => Math.min(time(n), time(n), time(n));
    const [small, large] = [least(4000), least(16000)];
    // Four times the text: quadratic would be sixteen times the time. It is the processor's, so a busy machine does not count.
    assert.ok(large < 500 || large < small * 10, `${name}: ${small.toFixed(1)} ms, then ${large.toFixed(1)} ms`);
  }
});

test("nothing nests without bound", () => {
  const depth = (tree) => (Array.isArray(tree) ? 1 + Math.max(0, ...tree.map(depth)) : 0);
  for (const text of [">".repeat(3000) + "a", "- ".repeat(3000) + "a", "*a ".repeat(2000) + "a* ".repeat(2000), "[".repeat(2000) + "a" + "](b)".repeat(2000),
    "![".repeat(2000) + "a" + "](b)".repeat(2000), "**a _b ".repeat(900) + "c_ d** ".repeat(900)]) {
    assert.ok(depth(treeOf(text, all)) < 200, text.slice(0, 20));
  }
});

test("citations become buttons, with every number of a range", () => {
  const cites = (text) => parseInlines([{ text, at: 0 }], all).filter((node) => node.kind === "cite").map((node) => [node.at, node.end, ...node.numbers]);
  assert.deepEqual(cites("High tide [1], neap [2, 4] and [3-5]."), [[10, 13, 1], [20, 26, 2, 4], [31, 36, 3, 4, 5]]);
  assert.deepEqual(cites("[1](a) [x] [1234] `[1]` \\[1]"), []);
});

test("every text knows its place in the source", () => {
  const source = "> a *b* \\* [1]\n> c `d` &amp; e";
  const flat = (nodes) => nodes.flatMap((node) => (node.kids ? flat(node.kids) : [node]));
  const lines = [{ text: "a *b* \\* [1]", at: 2 }, { text: "c `d` &amp; e", at: 17 }];
  for (const node of flat(parseInlines(lines, all))) {
    if (node.kind === "text" && node.end - node.at === node.s.length && node.s !== "*" && node.s !== "&") {
      assert.equal(source.slice(node.at, node.end), node.s);
    }
  }
});

test("links open http, https, mailto and relative addresses only", () => {
  for (const good of ["https://a.b", "HTTP://a", "mailto:a@b", "/a", "a/b:c", "#/chat/1", "?x=1:2"]) assert.ok(safeAddress(good), good);
  for (const bad of ["javascript:alert(1)", "JaVa\tScript:x", " javascript:x", "data:text/html,x", "vbscript:x", "blob:x", "file:///etc", "\\\\a", "a:b", "\u0001javascript:x"]) {
    assert.equal(safeAddress(bad), null, bad);
  }
});

test("maths is maths, money is not", () => {
  const kinds = (text) => JSON.stringify(treeOf(text, all));
  assert.match(kinds("so $x^2$ is"), /"math"/);
  assert.match(kinds("\\[ a \\]"), /"math"/);
  assert.doesNotMatch(kinds("costs $5 and $6 more"), /"math"/);
  assert.doesNotMatch(kinds("$ a $"), /"math"/);
});

test("a cited stretch is marked wherever it is: across lines, in emphasis, in code, in cells", () => {
  const shown = (text, cited) => {
    const from = text.indexOf(cited[0]);
    const to = text.indexOf(cited[1], from) + cited[1].length;
    const out = { marked: "", all: "" };
    const walk = (spec, isMarked) => {
      if (spec.text !== undefined) { out.all += spec.text; if (isMarked) out.marked += spec.text; }
      assert.ok(!(spec.attributes?.class ?? "").startsWith("doubt"));
      (spec.kids ?? []).forEach((kid) => walk(kid, isMarked || spec.tag === "mark"));
    };
    for (const block of parseBlocks(text)) walk(blockSpec(block, { marks: [{ from, to }], headings: 3 }), false);
    return out.marked;
  };
  assert.equal(shown("One. Two is\nlong. Three.", ["Two", "long."]), "Two is\nlong.");
  assert.equal(shown("A **bold claim** and more.", ["bold", "and"]), "bold claim and");
  assert.equal(shown("- a\n- the float stuck\n", ["the", "stuck"]), "the float stuck");
  assert.equal(shown("```\nlet a = 1;\nlet b = 2;\n```\n", ["let b", "2;"]), "let b = 2;");
  assert.equal(shown("| a | b |\n|---|---|\n| x | 4.1 m |\n", ["4.1", "m"]), "4.1 m");
  assert.equal(shown("# Title\n\nText.", ["Text", "."]), "Text.");
});

// What only notes hold: links between them, callouts, check boxes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./site.mjs";
import { treeOf } from "./trees.mjs";

const { parseBlocks } = await load("text/blocks.js");
const { blockSpec } = await load("text/specs.js");

const links = new Map([["Kitchen", 12], ["A (b)", 13], ["Nowhere", null]]);
const note = { links, isNote: true, canTick: true };
const specs = (text, options = note) => parseBlocks(text).map((block) => blockSpec(block, options));
const line = (text, options = note) => specs(text, options)[0].kids;
const link = (id, text) => ({ tag: "a", attributes: { href: `#/notes/${id}` }, kids: [{ text }] });
const texts = (list) => list.map((one) => one.text ?? texts(one.kids ?? [])).join("");

test("links to notes, with another text or a heading", () => {
  assert.deepEqual(line("[[Kitchen]]"), [link(12, "Kitchen")]);
  assert.deepEqual(line("[[ Kitchen |the plan]]"), [link(12, "the plan")]);
  assert.deepEqual(line("[[Kitchen#Tiles]]"), [link(12, "Kitchen › Tiles")]);
  assert.deepEqual(line("[[Kitchen#^a1|x]]"), [link(12, "x")]);
  assert.deepEqual(line("[[A (b)]]"), [link(13, "A (b)")]);
  assert.deepEqual(line("[[#Tiles]]"), [{ text: "Tiles" }]);
  const table = specs("a | b\n-|-\n[[Kitchen\\|the plan]] | x")[0].kids[0].kids[1].kids[0].kids[0];
  assert.deepEqual(table.kids, [link(12, "the plan")]);
});

test("a link to nothing says so, an embedded file is its name, links are plain until they are known", () => {
  const [gone] = line("[[Nowhere#x|there]]");
  assert.deepEqual([gone.tag, gone.attributes.class, gone.kids], ["span", "no-note", [{ text: "there" }]]);
  assert.deepEqual(line("![[picture.png]]"), [{ text: "picture.png" }]);
  assert.deepEqual(line("![[Nowhere]]"), [{ text: "Nowhere" }]);
  assert.deepEqual(line("![[Kitchen]]"), [link(12, "Kitchen")]);
  assert.equal(texts(line("a [[Kitchen#Tiles|b]] c", { ...note, links: null })), "a b c");
});

test("code, escapes and what is no link stay", () => {
  for (const [text, shown] of [["`[[Kitchen]]`", "[[Kitchen]]"], ["\\[[Kitchen]]", "[[Kitchen]]"], ["[[a [b]]", "[[a [b]]"], ["[[]]", "[[]]"], ["[[ ]]", "[[ ]]"], ["[[a\nb]]", "[[a\nb]]"], ["[[a", "[[a"], ["![[a]", "![[a]"]]) {
    assert.equal(texts(line(text)), shown);
  }
  assert.deepEqual(treeOf("    [[Kitchen]]\n\n```\n- [ ] [[Kitchen]]\n```", note), treeOf("    [[Kitchen]]\n\n```\n- [ ] [[Kitchen]]\n```"));
  assert.equal(line("[[Kitchen]](x)")[1].text, "(x)");
});

test("without the options nothing is different", () => {
  for (const text of ["[[Kitchen]] ![[a.png]]", "- [ ] a\n- [x] b", "> [!note] a\n> b", "> [!tip]-\n> c"]) {
    assert.deepEqual(treeOf(text, { links: undefined }), treeOf(text));
    assert.doesNotMatch(JSON.stringify(specs(text, {})), /input|callout|#\/notes/);
  }
});

test("callouts: kinds, titles, folds", () => {
  const [warn] = specs("> [!WARNING] Mind the *gas*\n> off\n>\n> - first");
  assert.deepEqual([warn.tag, warn.attributes.class, texts(warn.kids[0].kids)], ["div", "notice callout warn", "Warning Mind the gas"]);
  assert.deepEqual(warn.kids.slice(1).map((one) => [one.tag, texts(one.kids)]), [["p", "off"], ["ul", "first"]]);
  const [tip] = specs("> [!tip]- How\n> twice");
  assert.deepEqual([tip.tag, tip.attributes, tip.kids[0].tag], ["details", { class: "notice callout" }, "summary"]);
  assert.equal(specs("> [!tip]+ How")[0].attributes.open, "");
  const [other] = specs("> [!constructor]\n> x");
  assert.deepEqual([other.attributes.class, texts(other.kids[0].kids).trim()], ["notice callout", "Constructor"]);
  assert.equal(specs("> x [!note]")[0].tag, "blockquote");
  assert.equal(specs("> [!note]\n> > [!bug] inner")[0].kids[1].attributes.class, "notice callout bad");
});

test("check boxes know their place in the source", () => {
  const boxes = (text) => {
    const found = [];
    const visit = (list) => list.forEach((one) => { if (one.tag === "input") found.push(one.attributes); visit(one.kids ?? []); });
    visit(specs(text));
    return found;
  };
  for (const text of ["- [ ] a **b** [[Kitchen#x]]\n- [x] c\n  - [X]   d\n- e [ ] f", "1. [ ] a b Kitchen › x\n\n\t- [x] c\r\n\r\n2) [X] d\r\n", "> - [ ] a b Kitchen › x\n>   more\n> * [x] c\n> + [X] d", "-\t[ ] a b Kitchen › x\n-\t[x] c\n\n\tmore\n- [X] d"]) {
    const all = boxes(text);
    assert.deepEqual(all.map((one) => text[Number(one["data-at"])]), [" ", "x", "X"], text);
    assert.deepEqual(all.map((one) => one["aria-label"].split("\n")[0]), ["a b Kitchen › x", "c", "d"]);
    assert.deepEqual(all.map((one) => "checked" in one), [false, true, true]);
  }
  assert.deepEqual(boxes("- [ ]\n- [-] a\n- [ ]a\n- \\[ ] b\n\n[ ] c"), []);
  assert.equal(line("- [ ] a", { isNote: true })[0].kids[0].kids[0].attributes.disabled, "");
});

test("hostile texts take time in proportion to their length", () => {
  const kinds = [(n) => "[[a".repeat(n), (n) => "[[".repeat(n), (n) => "![[a|".repeat(n), (n) => "> [!a] ".repeat(n), (n) => "- [ ] ".repeat(n), (n) => `[[${"a ".repeat(n)}`, (n) => `${"[[a#".repeat(n)}]]`];
  for (const make of kinds) {
    const time = (n) => {
      const text = make(n);
      const start = process.cpuUsage();
      specs(text);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1e3;
    };
    time(500);
    const least = (n) => Math.min(time(n), time(n), time(n));
    const [small, large] = [least(2000), least(8000)];
    assert.ok(large < 500 || large < small * 10, `${make}: ${small} ms, then ${large} ms`);
  }
});

// Pages of books: byte ranges of a text in any script become stretches of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { site } from "./site.mjs";

const load = (name) => import(new URL(name, site));
const { blocksOf, folded, markOf, placeOf } = await load("books/text.js");
const { ByteText } = await load("text/bytes.js");
const { parse, bookAddress } = await load("kit/router.js");

const size = (text) => Buffer.byteLength(text);

test("blocks cover the page's text in order, and nothing is lost between them", () => {
  const text = "Kopf\n\nÜber Gezeiten 🌊\n\nlose Zeile\n\nnoch eine\n\nFuß";
  const at = (part) => ({ start: 1000 + size(text.slice(0, text.indexOf(part))), end: 1000 + size(text.slice(0, text.indexOf(part))) + size(part) });
  const page = { start: 1000, end: 1000 + size(text), text, blocks: [{ kind: "footnote", ...at("Fuß") }, { kind: "heading", level: 1, ...at("Über Gezeiten 🌊") }] };
  const found = blocksOf(page, new ByteText(text)).map((one) => [one.kind, text.slice(one.from, one.to)]);
  assert.deepEqual(found, [["paragraph", "Kopf"], ["heading", "Über Gezeiten 🌊"], ["paragraph", "lose Zeile"], ["paragraph", "noch eine"], ["footnote", "Fuß"]]);
  assert.deepEqual(blocksOf({ start: 0, end: 0, text: "" }, new ByteText("")), []);
});

test("a range in bytes marks the same characters, for any script and any cut", () => {
  const text = "„4,1 m“ – Ødegård, 潮汐は月が決める 🌊🌊 und so weiter. ".repeat(40);
  const page = { start: 5000, end: 5000 + size(text), text };
  const bytes = new ByteText(text);
  const points = [...text].reduce((all, char) => [...all, all[all.length - 1] + char.length], [0]);
  for (let from = 0; from < points.length - 1; from += 7) {
    for (const length of [1, 5, 40]) {
      const [a, b] = [points[from], points[Math.min(points.length - 1, from + length)]];
      const range = { from: 5000 + size(text.slice(0, a)), to: 5000 + size(text.slice(0, b)) };
      assert.deepEqual(markOf(page, bytes, range), [a, b]);
    }
  }
});

test("a passage over two pages is marked on both, one of another page is not", () => {
  const page = { start: 100, end: 110, text: "0123456789" };
  const bytes = new ByteText(page.text);
  assert.deepEqual(markOf(page, bytes, { from: 90, to: 104 }), [0, 4]);
  assert.deepEqual(markOf(page, bytes, { from: 106, to: 130 }), [6, 10]);
  assert.equal(markOf(page, bytes, { from: 110, to: 130 }), null);
  assert.equal(markOf(page, bytes, { from: 10, to: 100 }), null);
});

test("a quote of the reading view is found where lines part its words", () => {
  const text = "Nobody knew the mea-\nsure of the ﬁne\nsea; a well-\nKnown fact, and the self-\nmade float.";
  const page = { start: 0, end: size(text), text };
  const find = (quote) => { const mark = markOf(page, new ByteText(text), { from: 0, to: size(text) }, quote); return text.slice(...mark); };
  assert.equal(find("the measure of the fine sea"), "the mea-\nsure of the ﬁne\nsea");
  assert.equal(find("a well-Known fact"), "a well-\nKnown fact");
  assert.equal(find("not there at all"), text, "the whole passage is marked");
});

test("a highlight finds its place again: the nearest of equal words, none when they are gone", () => {
  const text = "The tide.\nThe mea-\nsure. The tide.";
  assert.deepEqual(placeOf(text, "The tide"), [0, 8]);
  assert.deepEqual(placeOf(text, "The tide", folded(text.slice(0, 24)).text.length), [25, 33]);
  assert.deepEqual(placeOf(`New. ${text}`, "The tide", 22), [30, 38], "the text before it has grown");
  assert.equal(text.slice(...placeOf(text, "tide. The mea\u00adsure")), "tide.\nThe mea-\nsure");
  assert.equal(placeOf(text, "The moon"), null);
  assert.equal(placeOf(text, " "), null);
});

test("addresses of pages lead back to the same book and page", () => {
  const route = parse(bookAddress(12, 73, { from: 4, to: 9, quote: "a & b/ü" }));
  assert.deepEqual([route.view, route.id, route.query.get("quote")], ["books", "12/p/73", "a & b/ü"]);
});

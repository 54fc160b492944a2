// Figures of the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { site } from "./site.mjs";

const { points } = await import(new URL("console/sparkline.js", site));

test("a line runs from the lowest to the highest value", () => {
  assert.equal(points([0, 5, 10]), "0.0,22.0 48.0,12.0 96.0,2.0");
  assert.equal(points([]), "");
  assert.equal(points([3]), "0.0,22.0");
  for (const one of points([1e9, 1e9, 1e9]).split(" ")) assert.match(one, /^\d+\.\d,22\.0$/);
});

// Figures of the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load, site } from "./site.mjs";

const { points } = await import(new URL("console/charts/sparkline.js", site));
const { use } = await load("kit/words.js");
const { bars, ceiling, line } = await load("console/charts/chart.js");
const { buttons, duration, inputsOf, lines, messageOf, pace, requestOf, span, tone } = await load("console/reading.js");
const { times } = await load("kit/form.js");
const { words } = await load("words/console-en.js");
use({ ...words, ...(await load("words/push-en.js")).words }, "en");

test("a line runs from the lowest to the highest value", () => {
  assert.equal(points([0, 5, 10]), "0.0,22.0 48.0,12.0 96.0,2.0");
  assert.equal(points([]), "");
  assert.equal(points([3]), "0.0,22.0");
  for (const one of points([1e9, 1e9, 1e9]).split(" ")) assert.match(one, /^\d+\.\d,22\.0$/);
});

test("a job's pace needs a while and progress", () => {
  const first = { at: 0, done: 100 };
  assert.equal(pace(first, { done: 200, total: 1000 }, 3000), null);
  assert.equal(pace(first, { done: 100, total: 1000 }, 60_000), null);
  assert.deepEqual(pace(first, { done: 200, total: 1000 }, 10_000), { rate: 10, left: 80 });
  assert.deepEqual(pace(first, { done: 200, total: 0 }, 10_000), { rate: 10, left: 0 });
  assert.deepEqual([59, 61, 7200, 200_000].map(duration), ["59 s", "2 min", "2 h 0 min", "2 d 7 h"]);
});

test("lines of a stream are read however they are cut", async () => {
  const bytes = new TextEncoder().encode('{"status":"ä"}\n\n{"total":2,"completed":1}\n{"status":"success"}');
  for (const size of [1, 2, 3, 7, 100]) {
    const found = [];
    let at = 0;
    await lines(new ReadableStream({ pull(stream) { if (at >= bytes.length) stream.close(); else stream.enqueue(bytes.slice(at, at += size)); } }), (value) => found.push(value));
    assert.deepEqual(found, [{ status: "ä" }, { total: 2, completed: 1 }, { status: "success" }]);
  }
  await assert.rejects(lines(new ReadableStream({ start(stream) { stream.enqueue(new TextEncoder().encode("<html>\n")); stream.close(); } }), () => {}));
});

test("buttons, inputs and times are read from lines", () => {
  assert.deepEqual(buttons("Chart = https://a.example/?b=1\n\n Done "), [{ id: "b1", title: "Chart", type: "open", url: "https://a.example/?b=1" }, { id: "b2", title: "Done", type: "acknowledge" }]);
  assert.deepEqual(buttons("a = javascript:alert(1)"), [{ id: "b1", title: "a = javascript:alert(1)", type: "acknowledge" }]);
  assert.throws(() => buttons("a\nb\nc\nd\ne"), /At most 4/);
  assert.deepEqual(messageOf({ title: "A", body: "", priority: "normal", url: null, actions: null }), { title: "A" });
  assert.deepEqual(inputsOf("n: number = 3\nyes: boolean = true\nwho", [{ name: "who", type: "choice", choices: ["a"] }]), [{ name: "n", type: "number", example: 3 }, { name: "yes", type: "boolean", example: true }, { name: "who", type: "string", choices: ["a"] }]);
  assert.throws(() => inputsOf("9x", []), /9x/);
  assert.deepEqual(times(["8", "18.30", "00:00"]), ["08:00", "18:30", "00:00"]);
  for (const wrong of ["24:00", "8:5", "noon", "8:60", ""]) assert.throws(() => times([wrong]), /no time of day/);
});

test("a schedule's request has one kind of time, and keeps what its form does not show", () => {
  const old = { name: "a", cron: "0 8 * * *", overlap: "both", message: { title: "x", body: "y" }, template: null };
  assert.deepEqual(requestOf({ name: "b", kind: "at", at: "2026-12-24T18:00", message: "z", template: "", zone: "UTC" }, old), { name: "b", at: "2026-12-24T18:00", overlap: "both", message: { title: "z", body: "y" }, zone: "UTC" });
  assert.deepEqual(requestOf({ name: "b", kind: "cron", cron: "1 2 * * *", template: "t" }, { ...old, inputs: { n: 1 } }), { name: "b", cron: "1 2 * * *", overlap: "both", template: "t", inputs: { n: 1 } });
});

test("times and the classes of a status", () => {
  assert.deepEqual([0.25, 9.96, 312.4, 1400, 61_000].map(span), ["0.3 ms", "10 ms", "312 ms", "1.4 s", "2 min"]);
  assert.deepEqual([200, 304, 404, 503].map(tone), ["is-good", "is-good", "is-warn", "is-bad"]);
});

test("charts end at a round value and have gaps", () => {
  assert.deepEqual([0, -1, 1, 1.2, 7, 30, 1e9, Number.NaN].map(ceiling), [1, 1, 1, 2, 10, 50, 1e9, 1]);
  assert.equal(bars([0, 5, null, 10], 10), "M75.0 72v-34.0h60.0V72zM225.0 72v-68.0h60.0V72z");
  assert.equal(line([null, 10, 5, null, 0], 10), "M90.0 4.0L150.0 38.0M270.0 72.0h2");
  assert.equal(line([], 1), "");
});

const { merged } = await load("console/reading.js");
const { comparisonOf } = await load("console/bench/figures.js");

test("the latest point replaces that of its minute, or follows it", () => {
  const points = [{ at: "10:00", requests: 1 }, { at: "10:01", requests: 2 }];
  assert.deepEqual(merged(points, null), points);
  assert.deepEqual(merged(points, { at: "10:01", requests: 5 }), [points[0], { at: "10:01", requests: 5 }]);
  assert.deepEqual(merged(points, { at: "10:02", requests: 1 }), [points[1], { at: "10:02", requests: 1 }]);
  assert.deepEqual(merged(points, { at: "09:59", requests: 1 }), points);
});

test("a change within both deviations is noise, and less can be better", () => {
  const of = (mean, deviation, supported) => ({ models: [{ model: "a", first_token_ms: { mean, deviation }, supported }] });
  const [first, supported] = comparisonOf(of(100, 5, 0.5), of(108, 5, 0.6));
  assert.deepEqual([first.name, first.isNoise, first.isBetter], ["first_token_ms", true, false]);
  assert.deepEqual([supported.name, supported.isNoise, supported.isBetter, supported.change.toFixed(2)], ["supported", false, true, "0.20"]);
  assert.equal(comparisonOf(of(100, 5, 0.5), of(50, 5, 0.5))[0].isBetter, true);
  // A model of one report only has no change; damaged figures are left out.
  const rows = comparisonOf(of(100, 5, 0.5), { models: [{ model: "b", supported: "x" }] });
  assert.deepEqual(rows.map(({ model, change }) => [model, change]), [["a", null], ["a", null]]);
});

const { differencePaths, metricsOf, shared, verdict } = await load("console/evaluations/figures.js");

test("a difference counts only beyond chance", () => {
  assert.equal(verdict({ difference: 0.1, p_value: 0.01 }), "better");
  assert.equal(verdict({ difference: -0.1, p_value: 0.01 }), "worse");
  assert.equal(verdict({ difference: 0.1, p_value: 0.05 }), "chance");
  assert.equal(verdict({ difference: 0, p_value: 0 }), "chance");
});

test("metrics and modes of two reports", () => {
  const [first, second] = [{ vector: { map: 0.1, "ndcg@10": 0.2 } }, { hybrid: { "ndcg@10": 0.3, mrr: 0.4 } }];
  assert.deepEqual(shared(first, second), { modes: { before: ["vector"], after: ["hybrid"] }, metrics: ["ndcg@10"] });
  assert.deepEqual(metricsOf({ modes: [{ mode: "a", metrics: { map: 1 } }, { mode: "b", metrics: { mrr: 1, map: 0 } }] }), ["map", "mrr"]);
});

test("bars of differences stand above and below the middle", () => {
  const { up, down, most } = differencePaths([0.5, 0, -0.25], 30, 20);
  assert.equal(most, 0.5);
  assert.equal(up, "M0.0 10v-8.0h8.5V10z");
  assert.equal(down, "M20.0 10v4.0h8.5V10z");
  assert.deepEqual(differencePaths([], 30, 20), { up: "", down: "", most: 1 });
});

test("every page of the console is in one group, and has a name in both languages", async () => {
  const { groups, ofPush } = await load("console/menu.js");
  const names = groups.flatMap(([, pages]) => pages);
  assert.equal(new Set(names).size, names.length);
  const german = (await load("words/console-de.js")).words;
  for (const name of [...names, ...ofPush]) for (const table of [words, german]) assert.ok(table[`console.page.${name || "overview"}`], name);
  for (const [group] of groups) for (const table of [words, german]) assert.ok(table[`console.group.${group}`], group);
});

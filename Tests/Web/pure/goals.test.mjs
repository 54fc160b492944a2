// The chart of a goal: its scale, its running total, and which days it is made of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./site.mjs";

const { goalOf } = await load("goals/line.js");
const { course, dayNumber, seriesOf, ticks } = await load("goals/chart.js");

test("a scale has round steps, reaches the largest value and has few lines", () => {
  assert.deepEqual(ticks(400), [0, 100, 200, 300, 400]);
  assert.deepEqual(ticks(7.5), [0, 2, 4, 6, 8]);
  assert.deepEqual(ticks(0.3), [0, 0.1, 0.2, 0.3]);
  for (const odd of [0, -1, NaN, Infinity, undefined]) assert.deepEqual(ticks(odd), [0, 1]);
  for (let power = -6; power < 12; power += 1) {
    for (const digit of [1, 1.01, 2.3, 4.99, 7, 9.999]) {
      const most = digit * 10 ** power;
      const found = ticks(most);
      assert.ok(found[found.length - 1] >= most * 0.999, `${most}`);
      assert.ok(found.length >= 3 && found.length <= 6, `${most}: ${found}`);
    }
  }
});

test("the running total counts days from the start, over months, leap days and clock changes", () => {
  const days = [{ day: "2028-02-28", amount: 1 }, { day: "2028-02-29", amount: 2 }, { day: "2028-03-01", amount: 0 }, { day: "2028-03-27", amount: 4 }];
  assert.deepEqual(course({ start: "2028-02-27", days }).map((one) => [one.at, one.total]), [[1, 1], [2, 3], [3, 3], [29, 7]]);
  assert.equal(dayNumber("1970-01-02"), 1);
  assert.deepEqual(course({ start: "2028-01-01", days: [] }), []);
});

const progress = (more) => ({ start: "2026-11-02", end: "2026-12-06", day: "2026-11-22", needed: 5, unit: "km", days: [{ day: "2026-11-02", total: 3, count: 2 }, { day: "2026-11-08", total: 4, count: 1 }, { day: "2026-11-09", total: 5, count: 1 }], ...more });

test("totals use amounts, counts use entries, and windows the target of one window", () => {
  const sum = seriesOf({ rule: { kind: "sum" }, target: { amount: 50, unit: "km" }, target_date: "2026-12-06" }, progress({ projection: { estimate: 40 } }));
  const open = seriesOf({ rule: { kind: "sum" }, target: { amount: 50, unit: "km" } }, progress({ projection: { estimate: 40 } }));
  assert.ok(open.isOpen && open.projection === null, "without a last day there is no pace and no end");
  assert.ok(sum.isTotal && sum.needed === 5 && sum.projection.estimate === 40);
  assert.deepEqual(sum.days.map((one) => one.amount), [3, 4, 5]);
  const count = seriesOf({ rule: { kind: "count" } }, progress({ unit: undefined }));
  assert.deepEqual(count.days.map((one) => one.amount), [2, 1, 1]);
  const each = seriesOf({ rule: { kind: "each", window: "day" }, target: { amount: 4, unit: "km" } }, progress({ needed: 35, unit: undefined }));
  assert.ok(!each.isTotal && each.needed === 4 && each.step === 1);
  const streak = seriesOf({ rule: { kind: "streak", length: 30 } }, progress({ needed: 30, unit: undefined }));
  assert.equal(streak.needed, 1);
  assert.deepEqual(streak.days.map((one) => one.amount), [2, 1, 1], "without a target the entries are counted");
  const average = seriesOf({ rule: { kind: "average" }, target: { amount: 9, unit: "km" } }, progress({ needed: 9 }));
  assert.equal(average.needed, 9);
});

test("weeks are judged from the goal's start and drawn as one", () => {
  const week = seriesOf({ rule: { kind: "each", window: "week" }, target: { amount: 6, unit: "km" } }, progress({ needed: 5, unit: undefined }));
  assert.deepEqual(week.days, [{ day: "2026-11-02", amount: 7 }, { day: "2026-11-09", amount: 5 }]);
  assert.ok(week.step === 7 && week.needed === 6);
  assert.deepEqual(seriesOf({ rule: { kind: "sum" } }, progress({ days: undefined })).days, []);
});

test("a goal is read from one line in English and German", () => {
  const now = new Date(2026, 10, 29, 12);
  const read = (line) => { const { title, amount, unit, rule, length, target_date: day } = goalOf(line, now); return [title, amount, unit, rule, length, day]; };
  const cases = [
    ["300 km by March", "300 km", 300, "km", "sum", null, "2027-03-31"], ["Read 12 books by 31 December", "Read 12 books", 12, "books", "sum", null, "2026-12-31"], ["300 km bis März", "300 km", 300, "km", "sum", null, "2027-03-31"],
    ["12 Bücher lesen bis zum 31. Dezember", "12 Bücher lesen", 12, "Bücher", "sum", null, "2026-12-31"], ["bis Ende Februar 2028 2,5 kg abnehmen", "2,5 kg abnehmen", 2.5, "kg", "sum", null, "2028-02-29"], ["Save 1,500 € by March 1st, 2027.", "Save 1,500 €", 1500, "€", "sum", null, "2027-03-01"],
    ["swim 10 times until 2027-01-15", "Swim 10 times", 10, null, "count", null, "2027-01-15"], ["10 mal schwimmen bis 15.1.", "10 mal schwimmen", 10, null, "count", null, "2027-01-15"], ["Read 20 pages a day", "Read 20 pages a day", 20, "pages", "each day at_least", null, null],
    ["höchstens 60 min am Tag am Handy bis 1.2.27", "Höchstens 60 min am Tag am Handy", 60, "min", "each day at_most", null, "2027-02-01"], ["3 times a week", "3 times a week", 3, null, "each week at_least", null, null], ["Meditate 30 days in a row", "Meditate 30 days in a row", null, null, "streak", 30, null],
    ["by the end of the year 40 h of cello", "40 h of cello", 40, "h", "sum", null, "2026-12-31"], ["bis Jahresende 5km laufen", "5km laufen", 5, "km", "sum", null, "2026-12-31"], ["Run by 29 Nov", "Run", null, null, "sum", null, "2026-11-29"], ["Run by 28 Nov", "Run", null, null, "sum", null, "2027-11-28"],
    ["Learn to marble by marching", "Learn to marble by marching", null, null, "sum", null, null], ["Write by 31 February", "Write by 31 February", 31, "February", "sum", null, null], ["Mai ohne Zucker", "Mai ohne Zucker", null, null, "sum", null, null], ["", "", null, null, "sum", null, null],
  ];
  for (const [line, ...expected] of cases) assert.deepEqual(read(line), expected, line);
});

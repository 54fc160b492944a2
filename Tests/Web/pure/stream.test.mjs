// The reader of a run over a connection that is cut at any byte: nothing is lost, nothing doubled.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./site.mjs";

const { EventReader } = await load("net/stream.js");
const { RunReader } = await load("chat/run.js");

const encoder = new TextEncoder();
const answer = "Die Flut – am höchsten 🌊 – kam am **14. März** [1]. 水位は4.1 m [2]! \"Stau\"\n\n- a\r\n- b 👩‍🚀 [3]\n".repeat(3);

function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The events of a run, with ids and bytes. */
function script(pick) {
  const events = [["state", { state: "searching", progress: 0.1 }], ["passages", { passages: [{ number: 1 }, { number: 2 }] }]];
  let bytes = 0;
  for (const piece of answer.match(/[^]{1,9}/gu)) {
    events.push(["delta", { at: bytes, text: piece }]);
    bytes += encoder.encode(piece).length;
    if (pick(5) === 0) events.push(["citation", { citations: [{ marker: [0, 3], number: 1, verdict: "supported" }], sentences: [{ range: [0, 9], verdict: "supported" }] }]);
    if (pick(9) === 0) events.push(["state", { state: "answering", progress: bytes / 300 }]);
  }
  events.push(["usage", { prompt_tokens: 1, completion_tokens: 2 }], ["done", { state: "done", message: 9, is_stored: true }]);
  const newline = ["\n", "\r\n", "\r"][pick(3)];
  return events.map(([event, data], index) => ({
    id: `${index + 1}@0`, event, data,
    bytes: encoder.encode([pick(4) === 0 ? ": still here" + newline : "", `id: ${index + 1}@0`, newline, `event: ${event}`, newline, `data: ${JSON.stringify(data)}`, newline, newline].join("")),
  }));
}

const joined = (parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
};

test("10,000 connections cut at random bytes lose and double nothing", () => {
  let cuts = 0;
  for (let seed = 1; cuts < 10_000; seed += 1) {
    const pick = random(seed);
    const events = script(pick);
    const reader = new RunReader();
    let last = null;
    for (let connection = 0; !reader.end; connection += 1) {
      assert.ok(connection < 5000, `seed ${seed} makes no progress`);
      let first = last === null ? 0 : events.findIndex((one) => one.id === last) + 1;
      let sent = events.slice(first);
      if (last !== null && pick(12) === 0) {
        // The gateway no longer knows the id: a snapshot of what was read, or of some more, and the rest.
        first = Math.min(events.length - 1, first + pick(4));
        const text = events.slice(0, first).filter((one) => one.event === "delta").map((one) => one.data.text).join("");
        const known = events.slice(0, first).filter((one) => one.event === "passages").map((one) => ({ at: 0, event: one.event, data: one.data }));
        const data = JSON.stringify({ text, events: known });
        sent = [{ bytes: encoder.encode(`id: ${events[first - 1]?.id ?? "0"}\nevent: snapshot\ndata: ${data}\n\n`) }, ...events.slice(first)];
      }
      const bytes = joined(sent.map((one) => one.bytes));
      const end = pick(10) === 0 ? bytes.length : pick(Math.min(bytes.length + 1, 700));
      cuts += 1;
      const stream = new EventReader();
      for (let at = 0; at < end;) {
        const to = Math.min(end, at + 1 + pick(60));
        for (const event of stream.push(bytes.slice(at, to))) {
          last = event.id;
          assert.equal(reader.apply(event.event, JSON.parse(event.data)) === "restart", false, `seed ${seed} has a gap`);
        }
        at = to;
      }
    }
    assert.equal(reader.text.text, answer, `seed ${seed}`);
    assert.equal(reader.text.bytes, encoder.encode(answer).length);
    assert.equal(reader.state, "done");
    assert.equal(reader.passages.size, 2);
  }
});

test("events are read as the standard says", () => {
  const read = (text) => new EventReader().push(encoder.encode(text));
  assert.deepEqual(read("data: a\ndata:b\n\n"), [{ id: null, event: "message", data: "a\nb" }]);
  assert.deepEqual(read("id: 1\nevent: x\ndata\n\ndata: y\n\n"), [{ id: "1", event: "x", data: "" }, { id: "1", event: "message", data: "y" }]);
  assert.deepEqual(read(": comment\n\nevent: lost\n\n"), []);
  assert.deepEqual(read("\ufeffdata: a\r\rdata: b\r\n\r\n").map((one) => one.data), ["a", "b"]);
  assert.deepEqual(read("id: a\0b\ndata: x\n\n")[0].id, null);
});

test("a gap asks for everything again, a doubled delta changes nothing", () => {
  const reader = new RunReader();
  reader.apply("delta", { at: 0, text: "Größe " });
  reader.apply("delta", { at: 8, text: "4 m" });
  reader.apply("delta", { at: 8, text: "4 m" });
  assert.equal(reader.text.text, "Größe 4 m");
  assert.equal(reader.apply("delta", { at: 99, text: "x" }), "restart");
  reader.apply("delta", { at: 4, text: "ßer" });
  assert.equal(reader.text.text, "Größer");
});

test("verdicts are found by their place in the text, newer ones replace older ones", () => {
  const reader = new RunReader();
  reader.apply("delta", { at: 0, text: "Höhe [1]." });
  reader.apply("citation", { citations: [{ marker: [6, 9], number: 1, verdict: "supported" }], sentences: [{ range: [0, 10], verdict: "supported" }] });
  reader.apply("citation", { citations: [{ marker: [6, 9], number: 1, verdict: "altered" }], sentences: [{ range: [0, 10], verdict: "altered" }] });
  assert.equal(reader.verdict(5, 1).verdict, "altered");
  assert.equal(reader.sentences.size, 1);
  assert.equal(reader.verdict(5, 2), null);
});

test("a stored run gives the same reader as its events", () => {
  const reader = new RunReader();
  reader.load({ state: "interrupted", text: "half", record: { passages: [{ number: 1 }], citations: [], sentences: [], tools: [{ id: "t", name: "x", state: "done" }] }, message: null });
  assert.equal(reader.text.text, "half");
  assert.equal(reader.isWorking, false);
  assert.equal(reader.end.is_stored, false);
  reader.apply("state", { state: "answering", progress: 0.5 });
  assert.equal(reader.isWorking, true);
  assert.equal(reader.end, null);
});

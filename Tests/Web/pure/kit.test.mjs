import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { load, site } from "./site.mjs";

const { signal, computed, effect, batch, scope } = await load("kit/signal.js");
const { parse, address } = await load("kit/router.js");
const { t, use, ago } = await load("kit/words.js");
const { ByteText, byteLength } = await load("text/bytes.js");
const { branch } = await load("chat/tree.js");

test("effects run when what they read changes, once per batch", () => {
  const [a, b] = [signal(1), signal(2)];
  const seen = [];
  const end = effect(() => { seen.push(a.value + b.value); });
  batch(() => { a.value = 10; b.value = 20; });
  a.value = 10;
  end();
  a.value = 99;
  assert.deepEqual(seen, [3, 30]);
});

test("computed values follow, inner effects end with the outer one, scopes end all", () => {
  const a = signal(1);
  const twice = computed(() => a.value * 2);
  let [runs, ends] = [0, 0];
  const over = scope(() => effect(() => {
    void twice.value;
    effect(() => { runs += 1; return () => { ends += 1; }; });
  }));
  a.value = 2;
  assert.deepEqual([twice.value, runs, ends], [4, 2, 1]);
  over();
  a.value = 3;
  assert.deepEqual([runs, ends], [2, 2]);
});

test("an effect that changes what it reads is an error, not a frozen page", () => {
  const a = signal(0);
  assert.throws(() => effect(() => { if (a.value < 1e9) { a.value += 1; } }) && (a.value += 1), /effects change/);
});

test("addresses name views, whatever the id", () => {
  for (const id of ["chat-1", "a/b?c", "ü &", "100%"]) assert.equal(parse(address("chat", id, { note: "3" })).id, id);
  assert.deepEqual([parse("").view, parse("#pair=ABCD").view, parse("#/chat/%E0%A4%A").id], ["chat", "chat", null]);
  assert.equal(parse("#/chat/x?note=3").query.get("note"), "3");
});

test("bytes and characters agree", () => {
  const text = "aé€😀\ud800x".repeat(200);
  const bytes = new ByteText();
  for (const piece of text.match(/[^]{1,7}/gu)) bytes.append(piece);
  assert.equal(bytes.text, text);
  const encoder = new TextEncoder();
  for (let index = 0; index < text.length; index += 1) {
    const isInner = (text.charCodeAt(index) & 0xfc00) === 0xdc00;
    if (!isInner) assert.equal(bytes.index(encoder.encode(text.slice(0, index)).length), index);
  }
  bytes.cut(byteLength(text, 0, 103));
  assert.equal(bytes.text, text.slice(0, 103));
});

test("branches: the latest is shown unless another one was chosen", () => {
  const message = (id, role, parent_id) => ({ id, role, content: "", parent_id });
  const all = [message(1, "user", null), message(2, "assistant", 1), message(3, "user", 2), message(4, "assistant", 3), message(5, "user", 2), message(6, "assistant", 5), message(7, "user", null)];
  const ids = (chosen) => branch(all, new Map(chosen)).map((step) => step.message.id);
  assert.deepEqual(ids([]), [7]);
  assert.deepEqual(ids([["root", 1]]), [1, 2, 5, 6]);
  const below = [...all.slice(0, 6), message(8, "user", 4)];
  assert.deepEqual(branch(below).map((step) => step.message.id), [1, 2, 3, 4, 8], "the branch of the latest message");
  assert.deepEqual(ids([["root", 1], [2, 3]]), [1, 2, 3, 4]);
  assert.deepEqual(branch(all, new Map([["root", 1]]))[2].siblings.map((one) => one.id), [3, 5]);
});

test("older messages that come later change nothing behind them", () => {
  let seed = 3;
  const pick = (n) => { seed = (seed * 48271) % 2147483647; return seed % n; };
  for (let turn = 0; turn < 200; turn += 1) {
    const all = [];
    for (let id = 1; id < 40; id += 1) {
      const parent = all.length && pick(8) ? all[Math.max(0, all.length - 1 - pick(6))].id : null;
      all.push({ id, role: "user", content: "", parent_id: parent });
    }
    const whole = branch(all);
    for (let from = 0; from < all.length; from += 1) {
      // Messages without any parent are a session from before branches.
      if (all.slice(from).every((one) => one.parent_id === null)) continue;
      const part = branch(all.slice(from), new Map(), false).map((step) => step.message.id);
      assert.deepEqual(part, whole.map((step) => step.message.id).slice(-part.length));
      assert.ok(part.length > 0);
    }
  }
});

test("sessions from before branches are one line; circles end", () => {
  const line = [1, 2, 3, 4].map((id) => ({ id, role: id % 2 ? "user" : "assistant", content: "", parent_id: null }));
  assert.deepEqual(branch(line).map((step) => step.message.id), [1, 2, 3, 4]);
  const circle = [{ id: 1, role: "user", content: "", parent_id: 2 }, { id: 2, role: "assistant", content: "", parent_id: 1 }];
  assert.ok(branch(circle).length <= 2);
  assert.equal(branch([{ id: 5, role: "user", content: "", parent_id: 99 }])[0].parent, "root");
});

const parts = ["", "library-", "console-", "console-start-", "goals-", "push-"];
const both = async (language) => Object.assign({}, ...await Promise.all(parts.map(async (part) => (await load(`words/${part}${language}.js`)).words)));
const [en, de] = [await both("en"), await both("de")];

test("German and English have the same words with the same holes", () => {
  assert.deepEqual(Object.keys(de).sort(), Object.keys(en).sort());
  const holes = (word) => [...new Set((typeof word === "string" ? word : word.one + word.other).match(/\{\w+\}/g) ?? [])].sort();
  for (const key of Object.keys(en)) {
    assert.deepEqual(holes(de[key]), holes(en[key]), key);
    assert.equal(typeof de[key], typeof en[key], key);
  }
});

test("every word that the code asks for exists, and every word is asked for", () => {
  const files = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".js") && !name.startsWith("words/"));
  const code = files.map((name) => readFileSync(new URL(name, site), "utf8")).join("\n");
  for (const [, key] of code.matchAll(/\bt\(\s*"([^"]+)"/g)) assert.ok(key in en, key);
  const families = [...code.matchAll(/`([a-z.-]+\.)\$\{/g)].map((match) => match[1]);
  for (const key of Object.keys(en)) {
    const isUsed = families.some((family) => key.startsWith(family)) || code.includes(`"${key}"`);
    assert.ok(isUsed, `${key} is not used`);
  }
});

test("numbers choose one and other, times are relative", () => {
  use(en, "en");
  assert.equal(t("passages.n", { n: 1 }), "1 passage");
  assert.equal(t("passages.n", { n: 2000 }), "2,000 passages");
  const now = Date.parse("2026-11-22T12:00:00Z");
  assert.deepEqual(["2026-11-22T11:59:50Z", "2026-11-22T09:00:00Z", "2026-11-20T12:00:00Z"].map((time) => ago(time, now)), ["just now", "3 hours ago", "2 days ago"]);
  use(de, "de");
  assert.equal(t("passages.n", { n: 1 }), "1 Stelle");
  use(en, "en");
});

test("a browser's name is read from what it says of itself", async () => {
  const { deviceName } = await load("kit/local.js");
  const agents = {
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0": "Edge, Mac",
    "Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36": "Chrome, Android",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1": "Safari, iPhone",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/150.0 Mobile/15E148 Safari/605.1.15": "Firefox, iPhone",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": "Firefox, Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 OPR/120.0.0.0": "Opera, Windows",
    "Chrome, Linux": "Chrome, Linux", "curl/8.14": "curl/8.14", "": "Browser",
  };
  for (const [agent, name] of Object.entries(agents)) assert.equal(deviceName(agent), name);
});

test("times are written in the reader's format, with the browser's clock", async () => {
  const { inForm, exact } = await load("kit/words.js");
  const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions();
  const time = new Date(2026, 10, 27, 15, 2);
  assert.equal(inForm(time, { timeStyle: "short" }).includes("15"), hourCycle === "h23");
  assert.equal(exact(time).includes("15:02"), hourCycle === "h23");
  assert.equal(inForm("2026-11-23T08:00Z", { weekday: "short", hour: "2-digit", hour12: false, timeZone: "UTC" }).startsWith("Mon"), true);
});

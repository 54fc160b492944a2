// The first steps without a page: which step is open, first questions, which files are notes, how they are sent.
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { test } from "node:test";
import { load } from "./site.mjs";

const { use } = await load("kit/words.js");
use({ ...(await load("words/en.js")).words, ...(await load("words/library-en.js")).words, ...(await load("words/console-start-en.js")).words }, "en");
const { lackingOf, openOf, questionsOf, stepsOf, systemOf } = await load("console/start/needs.js");
const { chosen, dropped, groups, sorted, textOf, walk, whyNot } = await load("console/start/files.js");
const { opened, unzip } = await load("console/start/zip.js");
const { bringing } = await load("console/start/bring.js");

const figures = { upstream: { available: true, url: "u" }, index: { notes: 3, embedded_notes: 1 } };
const known = { figures, jobs: { jobs: [] }, runs: { running: [], latest: [] }, models: ["llama3.2:latest"], wanted: ["llama3.2", "nomic-embed-text"], keys: 1, needsKey: true };
const states = (more) => Object.fromEntries(stepsOf({ ...known, ...more }).map(({ name, isDone }) => [name, isDone]));
const step = (name, more) => stepsOf({ ...known, ...more }).find((one) => one.name === name);

test("a step is done only when it worked", () => {
  assert.deepEqual(states({}), { upstream: true, models: false, notes: true, backfill: false, question: false, phone: false });
  assert.deepEqual(lackingOf(known.wanted, known.models), ["nomic-embed-text"]);
  assert.equal(states({ models: ["llama3.2", "nomic-embed-text:latest"] }).models, true);
  assert.deepEqual(states({ models: null, runs: null, keys: null }), { upstream: true, models: null, notes: true, backfill: false, question: null, phone: null });
  assert.equal(states({ figures: { upstream: { available: false, url: "u" } } }).notes, false);
  assert.equal(states({ isBringing: true }).notes, false);
  // An answer that failed or was stopped is no first question; models are not there while nobody knows them.
  const runs = (...states) => ({ runs: { running: [{ state: "answering" }], latest: states.map((state) => ({ state })) } });
  assert.equal(states(runs("failed", "stopped")).question, false);
  assert.equal(states(runs("failed", "done")).question, true);
  assert.match(step("models", { models: null }).says, /^Not known/);
  assert.match(step("upstream", { figures: { upstream: { available: false, url: "http://h:1", reason: "refused" } } }).says, /http:\/\/h:1: refused/);
});

test("the first step that is not done is open, and the next one while that one works", () => {
  const all = { models: ["llama3.2", "nomic-embed-text"] };
  assert.deepEqual(openOf(stepsOf({ ...known, figures: { upstream: { available: false, url: "u" } }, models: null })), ["upstream"]);
  assert.deepEqual(openOf(stepsOf({ ...known, figures: { upstream: figures.upstream, index: { notes: 0, embedded_notes: 0 } } })), ["models"]);
  assert.deepEqual(openOf(stepsOf({ ...known, pulls: ["nomic-embed-text"], figures: { upstream: figures.upstream } })), ["models", "notes"]);
  // The gateway embeds by itself, so the question is open, too; where it does not, a press begins.
  assert.deepEqual(openOf(stepsOf({ ...known, ...all })), ["backfill", "question"]);
  assert.deepEqual(openOf(stepsOf({ ...known, ...all, embeds: false })), ["backfill"]);
  assert.deepEqual(openOf(stepsOf({ ...known, ...all, embeds: false, jobs: { jobs: [{ kind: "backfill", state: "running", done: 1, total: 3 }] } })), ["backfill", "question"]);
  assert.deepEqual(openOf([]), []);
});

test("first questions come of titles that say something", () => {
  const titles = (...list) => questionsOf(list.map((title) => ({ title })));
  assert.deepEqual(titles("Spring tide at the pier"), ["What do I know about “Spring tide at the pier”?"]);
  assert.deepEqual(titles("2026-08-16", "README", "Untitled", "ab", "", "Inbox", "12/3"), []);
  assert.deepEqual(titles("2026-08-16 **Walk** to [[the pier]]", "walk to the pier"), ["What do I know about “Walk to the pier”?"]);
  assert.equal(titles("Aaa one", "Bbb two", "Ccc three", "Ddd four").length, 3);
  assert.ok(titles(`${"long ".repeat(40)}`)[0].length < 100);
  assert.deepEqual(titles("潮の満ち引き表"), ["What do I know about “潮の満ち引き表”?"]);
  assert.deepEqual(questionsOf([{}]), []);
});

test("the system of a browser", () => {
  assert.equal(systemOf({ platform: "MacIntel" }), "mac");
  assert.equal(systemOf({ platform: "Win32", userAgent: "Windows NT 10.0" }), "windows");
  assert.equal(systemOf({ platform: "Linux x86_64" }), "linux");
  assert.equal(systemOf({ platform: "", userAgent: "X11; FreeBSD" }), "linux");
  assert.equal(systemOf({ userAgent: "iPhone" }), "mac");
});

const file = (text, name = "a.md", more = {}) => ({ name, size: text.length, lastModified: 86_400_000, arrayBuffer: async () => new TextEncoder().encode(text).buffer, ...more });
const found = (path, text = "text", more = {}) => ({ path, file: async () => file(text, path, more) });

test("Markdown and text are notes; hidden folders and other kinds are not", () => {
  assert.deepEqual(["a.md", "v/A.MARKDOWN", "v/b.txt"].map(whyNot), [null, null, null]);
  assert.deepEqual(["v/.obsidian/app.json", ".git/x.md", "v/.a.md"].map(whyNot), ["hidden", "hidden", "hidden"]);
  assert.deepEqual(["v/p.png", "v/Makefile", "v/md"].map(whyNot), [".png", ".", "."]);
  const { read, left } = sorted([found("v/b.md"), found("v/p.PNG"), found("v/.obsidian/a"), found("v/.obsidian/b"), found("v/a.txt")]);
  assert.deepEqual(read.map((one) => one.path), ["v/a.txt", "v/b.md"]);
  assert.deepEqual(groups(left), [{ why: "hidden", name: ".obsidian", n: 2 }, { why: "kind", name: ".png", n: 1 }]);
  assert.deepEqual(groups([{ path: "v/x.md", why: "empty" }, { path: "v/y.md", why: "empty" }]).map(({ name, n }) => [name, n]), [["v/x.md", 1], ["v/y.md", 1]]);
});

test("what was chosen and dropped has paths below the folder", async () => {
  assert.deepEqual(chosen([{ name: "a.md", webkitRelativePath: "v/a.md" }, { name: "b.md", webkitRelativePath: "" }]).map((one) => one.path), ["v/a.md", "b.md"]);
  const leaf = (fullPath) => ({ isFile: true, name: fullPath.split("/").pop(), fullPath, file: (done) => done(file("x")) });
  // A folder is read in parts.
  const folder = (fullPath, ...kids) => ({ isFile: false, name: fullPath.split("/").pop(), fullPath, createReader: () => { const parts = [kids.slice(0, 2), kids.slice(2), []]; return { readEntries: (done) => done(parts.shift()) }; } });
  const broken = { isFile: false, name: "b", fullPath: "/v/b", createReader: () => ({ readEntries: (_, fail) => fail(new Error()) }) };
  const tree = folder("/v", leaf("/v/a.md"), folder("/v/.obsidian", leaf("/v/.obsidian/x.md")), folder("/v/d", leaf("/v/d/c.md")), leaf("/v/e.md"), broken);
  const { found: all, left } = await walk([tree]);
  assert.deepEqual(all.map((one) => one.path).sort(), ["v/a.md", "v/d/c.md", "v/e.md"]);
  assert.deepEqual(left.sort((a, b) => (a.path < b.path ? -1 : 1)), [{ path: "v/.obsidian", why: "hidden" }, { path: "v/b", why: "unreadable" }]);
  assert.equal((await all[0].file()).name, "a.md");
  const transfer = { items: [{ kind: "string" }, { kind: "file", webkitGetAsEntry: () => leaf("/one.md") }], files: [file("x", "one.md")] };
  assert.deepEqual((await dropped(transfer)()).found.map((one) => one.path), ["one.md"]);
  // A browser without entries gives the files.
  assert.deepEqual((await dropped({ items: [{ kind: "file" }], files: [file("x", "one.md")] })()).found.map((one) => one.path), ["one.md"]);
});

test("files are read in their character set", () => {
  const bytes = (...list) => new Uint8Array(list).buffer;
  assert.deepEqual(textOf(new TextEncoder().encode("é 潮").buffer), { text: "é 潮", isGuessed: false });
  assert.deepEqual(textOf(bytes(0xef, 0xbb, 0xbf, 0x61)), { text: "a", isGuessed: false });
  assert.deepEqual(textOf(bytes(0xff, 0xfe, 0x61, 0)), { text: "a", isGuessed: false });
  assert.deepEqual(textOf(bytes(0xfe, 0xff, 0, 0x61)), { text: "a", isGuessed: false });
  assert.deepEqual(textOf(bytes(0x63, 0xe9)), { text: "cé", isGuessed: true });
});

const answer = (files, more = {}) => ({ created: files.length, updated: 0, unchanged: 0, empty: [], remarks: [], ...more });
const wait = async () => {};
const of = (count, name = (at) => `v/${String(at).padStart(4, "0")}.md`) => Array.from({ length: count }, (_, at) => found(name(at), `text ${at}`));
const looks = (list, left = []) => async () => ({ found: list, left });

test("files go a few at a time, each once, with progress", async () => {
  const sent = [];
  let [now, most] = [0, 0];
  const bring = bringing({ wait, post: async (files) => {
    most = Math.max(most, now += 1);
    await new Promise((resolve) => { setTimeout(resolve, 1); });
    now -= 1;
    sent.push(...files.map((one) => one.path));
    return answer(files, { empty: files.filter((one) => one.path === "v/0007.md").map((one) => one.path) });
  } });
  await bring.start(looks([...of(230), found("v/p.png")], [{ path: "v/.git", why: "hidden" }]));
  const { phase, done, total, created, left, failed } = bring.now.peek();
  assert.deepEqual([phase, done, total, created, failed.length], ["done", 230, 230, 230, 0]);
  assert.equal(new Set(sent).size, 230);
  assert.ok(most === 2, `${most} requests at once`);
  assert.deepEqual(left.map((one) => one.why).sort(), [".png", "empty", "hidden"]);
});

test("a busy gateway is asked again, a part that is too large is halved, the rest fails with its reason", async () => {
  let turn = 0;
  const busy = bringing({ wait, post: async (files) => { turn += 1; if (turn < 3) throw Object.assign(new Error("busy"), { status: 503 }); return answer(files); } });
  await busy.start(looks(of(3)));
  assert.deepEqual([busy.now.peek().phase, busy.now.peek().created, busy.now.peek().failed.length], ["done", 3, 0]);
  const picky = bringing({ wait, post: async (files) => { if (files.some((one) => one.path === "v/0002.md")) throw Object.assign(new Error("too large"), { status: 413 }); return answer(files); } });
  await picky.start(looks(of(5)));
  assert.deepEqual([picky.now.peek().done, picky.now.peek().created, picky.now.peek().failed.map((one) => one.path)], [5, 4, ["v/0002.md"]]);
  assert.match(picky.now.peek().failed[0].why, /larger than this gateway accepts/);
  let isDown = true;
  const gone = bringing({ wait, post: async (files) => { if (isDown) throw Object.assign(new Error(""), { status: 0 }); return answer(files); } });
  await gone.start(looks([...of(2), found("v/big.md", "x", { size: 5_000_000 }), { path: "v/lost.md", file: async () => { throw new Error(); } }]));
  assert.deepEqual(gone.now.peek().failed.map((one) => one.path).sort(), ["v/0000.md", "v/0001.md", "v/lost.md"]);
  assert.match(gone.now.peek().failed.find((one) => one.path === "v/0000.md").why, /cannot be reached/);
  assert.deepEqual(gone.now.peek().left, [{ path: "v/big.md", why: "large" }]);
  isDown = false;
  await gone.again();
  assert.deepEqual([gone.now.peek().phase, gone.now.peek().created, gone.now.peek().failed.map((one) => one.path)], ["done", 2, ["v/lost.md"]]);
});

test("a person can end it, and nothing begins while it runs", async () => {
  let begun = 0;
  const bring = bringing({ wait, post: (files, end) => new Promise((resolve, reject) => {
    begun += 1;
    if (begun === 1) resolve(answer(files));
    else end.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
  }) });
  const all = bring.start(looks(of(300)));
  await new Promise((resolve) => { setTimeout(resolve, 20); });
  await bring.start(looks(of(1)));
  bring.stop();
  await all;
  const { phase, done, total, failed } = bring.now.peek();
  assert.deepEqual([phase, done, total, failed.length], ["stopped", 50, 300, 0]);
  const early = bringing({ wait, post: async (files) => answer(files) });
  const looking = early.start(async () => { early.stop(); return { found: of(3), left: [] }; });
  await looking;
  assert.deepEqual([early.now.peek().phase, early.now.peek().created], ["stopped", 0]);
});

/** An archive as ZIP programs write it; entries are name, text and what is odd about them. */
function archive(entries, comment = "") {
  const [parts, list] = [[], []];
  let at = 0;
  for (const [name, text, { flags = 0, method = 8, whole } = {}] of entries) {
    const path = typeof name === "string" ? Buffer.from(name) : name;
    const data = method === 8 ? deflateRawSync(Buffer.from(text)) : Buffer.from(text);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(path.length, 26);
    head.writeUInt16LE(4, 28);
    const row = Buffer.alloc(46);
    row.writeUInt32LE(0x02014b50, 0);
    [flags, method, 0x8000, (46 << 9) | (3 << 5) | 14].forEach((value, place) => row.writeUInt16LE(value, 8 + 2 * place));
    row.writeUInt32LE(data.length, 20);
    row.writeUInt32LE(whole ?? Buffer.byteLength(text), 24);
    row.writeUInt16LE(path.length, 28);
    row.writeUInt32LE(at, 42);
    parts.push(head, path, Buffer.alloc(4), data);
    list.push(row, path);
    at += 34 + path.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(list).length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return new Blob([...parts, ...list, end, comment]);
}
const inside = async ({ found: all }) => Object.fromEntries(await Promise.all(all.map(async (one) => [one.path, new TextDecoder().decode(await (await one.file()).arrayBuffer())])));

test("the files of an archive are read one by one", async () => {
  const zip = archive([["vault/", ""], ["vault/é.md", "# One"], ["vault/two.txt", "two", { method: 0 }], ["../up/./three.md", "3"], [Buffer.from([0x63, 0xe9, 0x2e, 0x6d, 0x64]), "4"], ["vault/x.md", "5", { flags: 1 }], ["vault/y.md", "6", { method: 99 }]], "a comment");
  const { found: all, left } = await unzip(zip);
  assert.deepEqual(await inside({ found: all }), { "vault/é.md": "# One", "vault/two.txt": "two", "up/three.md": "3", "cé.md": "4" });
  assert.deepEqual(left.map(({ path, why }) => [path, why]), [["vault/x.md", "locked"], ["vault/y.md", "locked"]]);
  const day = new Date((await all[0].file()).lastModified);
  assert.deepEqual([day.getFullYear(), day.getMonth(), day.getDate(), day.getHours()], [2026, 2, 14, 16]);
  const mixed = await opened({ found: [found("a.md"), { path: "v.ZIP", file: async () => zip }, { path: "b.zip", file: async () => new Blob(["no archive at all, only text"]) }, { path: ".x/c.zip", file: async () => zip }], left: [] });
  assert.deepEqual(mixed.found.map((one) => one.path), ["a.md", ...all.map((one) => one.path), ".x/c.zip"]);
  assert.deepEqual(mixed.left.at(-1), { path: "b.zip", why: "zip" });
});

test("a hostile archive costs no memory and ends the others not", async () => {
  const bomb = archive([["bomb.md", "0".repeat(9_000_000), { whole: 10 }], ["good.md", "good"]]);
  const { found: all } = await unzip(bomb);
  await assert.rejects((await all[0].file()).arrayBuffer());
  const bring = bringing({ wait, post: async (files) => answer(files) });
  await bring.start(looks([{ path: "v.zip", file: async () => bomb }]));
  assert.deepEqual([bring.now.peek().created, bring.now.peek().failed.map((one) => one.path)], [1, ["bomb.md"]]);
  for (const [place, value] of [[10, 0xffff], [16, 0xffffffff], [12, 0xfffffff]]) {
    const bytes = Buffer.from(await archive([["a.md", "a"]]).arrayBuffer());
    bytes.writeUInt32LE(value, bytes.length - 22 + place);
    await assert.rejects(unzip(new Blob([bytes])), `${place}`);
  }
  // Cut anywhere, it throws or gives what is whole.
  const whole = Buffer.from(await archive([["a.md", "a text"], ["b.md", "b text"]]).arrayBuffer());
  for (let length = 0; length < whole.length; length += 1) {
    await unzip(new Blob([whole.subarray(0, length)])).then(inside).catch((error) => assert.ok(error instanceof Error));
  }
});

// Settings of the console against those of the gateway: every one has a name and a German sentence, lists have the gateway's names.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { load, site } from "./site.mjs";

const sources = new URL("../../../", site);
const swift = readdirSync(sources, { recursive: true }).filter((name) => name.endsWith(".swift")).map((name) => readFileSync(new URL(name, sources), "utf8"));
/** The keys that a pattern finds in the gateway's sources. */
const found = (pattern) => swift.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1])).sort();
// Apps name their environment themselves: it is no setting.
const keys = found(/\b(?:PushChannel)?Setting\(\s*(?:key: )?"([a-z0-9_]+)",(?! summary: "")/g);
const editable = found(/\bSetting\(\s*"([a-z0-9_]+)"[^)]*?editable: true/g);

const { groups, kindOf, listed, lists, namesOf } = await load("console/setup/kinds.js");
const { summaries } = await load("words/console-setup-de.js");
const [en, de] = [(await load("words/console-en.js")).words, (await load("words/console-de.js")).words];

test("every setting of the gateway has a German sentence, and no other one", () => {
  assert.ok(keys.length >= 99 && new Set(keys).size === keys.length, String(keys.length));
  assert.deepEqual(Object.keys(summaries).sort(), keys);
  for (const [key, text] of Object.entries(summaries)) assert.match(text, /^.{15,160}[.…]$/, key);
});

test("what administrators change has a place, and a name in both languages", () => {
  assert.ok(editable.length >= 40);
  assert.deepEqual(groups.flatMap(([, names]) => names).sort(), editable);
  for (const key of editable) for (const words of [en, de]) assert.ok(words[`setting.${key}`], key);
});

test("a list has the gateway's names, each with what it does", () => {
  const [body] = swift.flatMap((text) => text.match(/enum Workflow: String[^{]*\{([^}]*)\}/)?.[1] ?? []);
  assert.deepEqual(lists.workflows, [...body.matchAll(/^ *case (\w+)$/gm)].map((match) => match[1]));
  for (const [key, names] of Object.entries(lists)) for (const name of names) for (const words of [en, de]) for (const part of ["", ".does"]) assert.ok(words[`setting.${key}.${name}${part}`], name);
});

test("a list is read however it is written, and keeps names that the page does not know", () => {
  assert.deepEqual(namesOf("briefing, threads\nactions"), lists.workflows);
  for (const none of ["", "off", " "]) assert.deepEqual(namesOf(none), []);
  assert.equal(listed(["actions", "briefing"], lists.workflows), "briefing,actions");
  assert.equal(listed([], lists.workflows), "off");
  assert.deepEqual(kindOf({ key: "workflows", default: "briefing,later", value: "own" }), { type: "list", values: [...lists.workflows, "later", "own"] });
});

// What the files promise: sizes, borders, the first load, the worker's list.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { site } from "./site.mjs";

const all = readdirSync(site, { recursive: true }).filter((name) => statSync(new URL(name, site)).isFile());
const read = (name) => readFileSync(new URL(name, site), "utf8");
const code = all.filter((name) => /\.(js|css|html)$/.test(name));
const page = read("index.html");

/** The modules that a file imports at once. */
function imports(name) {
  return [...read(name).matchAll(/^import (?:[^"]*from )?"([^"]+)";/gm)].map((match) => new URL(match[1], `http://x/${name}`).pathname.slice(1));
}

function graph(start) {
  const seen = new Set();
  const visit = (name) => { if (!seen.has(name)) { seen.add(name); imports(name).forEach(visit); } };
  visit(start);
  return seen;
}

const styles = [...page.matchAll(/rel="stylesheet" href="app\/\{\{hash\}\}\/([^"]+)"/g)].map((match) => match[1]);
// The words of one language come with the first load, too.
const first = ["index.html", ...styles, ...graph("app.js"), "words/en.js"];
// A browser loads the words of one language, the longer ones here.
const ofOthers = code.filter((name) => /^words\/(en|.*-en)\.js$/.test(name));
const ofStart = code.filter((name) => /console.start/.test(name));
const ofConsole = code.filter((name) => /console/.test(name) && !ofStart.includes(name));
const ofGoals = code.filter((name) => /goals/.test(name));
/** What the gateway serves: scripts and styles without comments that begin a line, blank lines and indentation; scripts without types. */
const served = (name) => (/\.(js|css)$/.test(name) ? (name.endsWith(".js") ? untyped : String)(read(name).replace(/^[ \t]*\/\*[^]*?\*\/[ \t]*/gm, "").replace(/^[ \t]*(\/\/.*)?\n/gm, "").replace(/^[ \t]+/gm, "")) : read(name));
const untyped = (text) => text.replace(/\/\*\* @.*?\*\/ ?/g, "");
const packed = (names) => names.reduce((sum, name) => sum + gzipSync(served(name)).length, 0);

test("the first load of the chat is at most 15 requests and 25 kB", (context) => {
  const size = packed(first);
  context.diagnostic(`${first.length} requests, ${(size / 1000).toFixed(1)} kB; the whole client ${(packed(code) / 1000).toFixed(1)} kB, of it goals ${(packed(ofGoals) / 1000).toFixed(1)} kB, the console ${(packed(ofConsole) / 1000).toFixed(1)} kB`);
  assert.ok(first.length <= 15, first.join(" "));
  assert.ok(size <= 25_000, `${size} bytes`);
  const only = (names) => packed(names.filter((name) => !ofOthers.includes(name)));
  const rest = only(code) - only(ofConsole) - only(ofStart) - only(ofGoals);
  assert.ok(rest <= 150_000, `${rest} bytes`);
  assert.ok(only(ofGoals) <= 30_000);
  assert.ok(only(ofConsole) <= 80_000);
  assert.ok(only(ofStart) <= 20_000);
  context.diagnostic(`in one language: ${rest}, goals ${only(ofGoals)}, console ${only(ofConsole)}, first steps ${only(ofStart)}`);
});

test("the page preloads the modules of the first load and no others", () => {
  const preloaded = [...page.matchAll(/rel="modulepreload" href="app\/\{\{hash\}\}\/([^"]+)"/g)].map((match) => match[1]);
  assert.deepEqual([...preloaded, "app.js"].sort(), [...graph("app.js")].sort());
});

test("the worker keeps every file of the client but the console's", () => {
  const listed = [...read("sw.js").matchAll(/"([\w-]+(?:\/[\w.-]+)*\.(?:js|css|svg))"/g)].map((match) => match[1]).filter((name) => name !== "sw.js");
  assert.deepEqual(listed.sort(), all.filter((name) => /\.(js|css|svg)$/.test(name) && name !== "sw.js" && !name.includes("console")).sort());
});

test("files have at most 300 lines, folders at most 20 entries, one subject each", () => {
  for (const name of code) {
    assert.ok(read(name).split("\n").length <= 301, name);
    if (name.endsWith(".js")) assert.match(read(name), /^\/\//, `${name} does not say what it is`);
  }
  for (const folder of ["", ...all.map((name) => name.split("/").slice(0, -1).join("/"))]) {
    assert.ok(readdirSync(new URL(`${folder}/`.replace(/^\//, "./"), site)).length <= 20, folder);
  }
});

test("nothing needs inline script or style, markup strings or another host", () => {
  assert.doesNotMatch(page, /<script(?![^>]*src=)|<style|\son\w+=|style=/);
  for (const name of all.filter((one) => one.endsWith(".js"))) {
    assert.doesNotMatch(read(name), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\("style"|DOMParser/, name);
    assert.doesNotMatch(read(name).replace(/\/\/.*$/gm, "").replace(/http:\/\/(www\.w3\.org\/|localhost)/g, ""), /["'`]https?:\/\/[a-z]/i, name);
  }
});

// Comments, strings, regular expressions, templates: in this order, so that a mark inside of another one is not one.
const token = /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=[(,=:[!&|?{};\n]\s*|return )\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|`(?:[^`\\]|\\.)*`/g;

test("no text of several lines, in which a line could look like a comment", () => {
  assert.equal("a(`b\n// c`)".match(token)?.[0].includes("\n"), true);
  for (const name of all.filter((one) => one.endsWith(".js"))) {
    for (const [part] of read(name).matchAll(token)) if (part[0] === "`") assert.ok(!part.includes("\n"), `${name}: ${part}`);
  }
});

test("no string holds what looks like a type", () => {
  for (const name of all.filter((one) => one.endsWith(".js"))) {
    for (const line of read(name).split("\n")) {
      for (const { index } of line.matchAll(/\/\*\* @/g)) assert.equal((line.slice(0, index).match(/"/g) ?? []).length % 2, 0, `${name}: ${line}`);
    }
  }
});

test("colours, sizes of text and durations are in tokens.css only", () => {
  for (const name of all.filter((one) => one.endsWith(".css") && !one.endsWith("tokens.css"))) {
    assert.doesNotMatch(read(name), /oklch\(|rgba?\(|#[0-9a-f]{3,8}\b|hsl/i, name);
  }
});

test("every difference of a sentence has words", () => {
  const kinds = readFileSync(new URL("../../../Engines/Citations/Checking/Difference.swift", site), "utf8").matchAll(/^ {8}case (\w+)$/gm);
  const names = [...kinds].map((match) => match[1]);
  assert.ok(names.length >= 12);
  for (const language of ["en", "de"]) for (const name of names) assert.ok(read(`words/${language}.js`).includes(`"differs.${name}": "`), `${language} ${name}`);
});

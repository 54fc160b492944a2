// The check of borders that `make lint` runs: it passes the client as it is and finds each kind of fault in a copy.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { site } from "./site.mjs";

const script = fileURLToPath(new URL("../../Scripts/site_borders.py", import.meta.url));

/** What the check says of the client with other texts in some files: `change` gets a file's text, "" for a new file. */
function said(changes) {
  const folder = mkdtempSync(join(tmpdir(), "site-"));
  try {
    cpSync(site, folder, { recursive: true });
    for (const [name, change] of Object.entries(changes)) {
      let text = "";
      try { text = readFileSync(join(folder, name), "utf8"); } catch { /* a new file */ }
      writeFileSync(join(folder, name), change(text));
    }
    const { status, stderr } = spawnSync("python3", [script, folder], { encoding: "utf8" });
    assert.equal(status, stderr ? 1 : 0, stderr);
    return stderr.trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const add = (line) => (text) => `${text}\n${line}\n`;

test("the client as it is has no circles, no imports upwards and no unused file", () => {
  assert.equal(said({}), "");
});

test("an import upwards is named, at once or at run time, and one of app.js", () => {
  assert.equal(said({ "kit/sheet.js": add('import { call } from "../net/api.js";') }).split("\n")[0], "kit/sheet.js: kit may not import net (net/api.js)");
  assert.match(said({ "chat/tree.js": add('void import("../shell/keys.js");') }), /^chat\/tree\.js: chat may not import shell \(shell\/keys\.js\)$/m);
  assert.match(said({ "notes/edit.js": add("import '../app.js';") }), /^notes\/edit\.js: notes may not import app\.js \(app\.js\)$/m);
});

test("a circle is named, also one that closes at run time; a type is no import", () => {
  assert.equal(said({ "text/starts.js": add('export { parseBlocks } from "./blocks.js";') }), "circle of imports: text/blocks.js → text/starts.js → text/blocks.js");
  assert.equal(said({ "chat/empty.js": add('export const view = () => import("./view.js");') }), "circle of imports: chat/empty.js → chat/view.js → chat/empty.js");
  assert.equal(said({ "text/starts.js": add('/** @type {import("./blocks.js").Block | null} */\nlet block = null;') }), "");
});

test("files that nothing names, missing files, computed names and folders without a row are named", () => {
  assert.match(said({ "kit/spare.js": add("export const spare = 1;"), "sw.js": (text) => text.replace('"app.js"', '"app.js", "kit/spare.js"') }), /^kit\/spare\.js: nothing .* names it$/);
  assert.match(said({ "kit/sheet.js": add('import "./absent.js";') }), /^kit\/sheet\.js: imports \.\/absent\.js, which is no file/);
  assert.match(said({ "kit/sheet.js": add("void import(`./${location.hash}.js`);") }), /^kit\/sheet\.js: imports a computed name/);
  assert.match(said({ "other.js": add("export {};"), "index.html": add('<script src="other.js">') }), /^other\.js: no row of the table/);
});

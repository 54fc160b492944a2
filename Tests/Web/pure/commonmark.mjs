// Compares trees with those that commonmark.py prints on standard input. Exits with 1 if an example differs that the
// client supports.
import { createInterface } from "node:readline";
import { treeOf } from "./trees.mjs";

// What the client does not support, each with its reason.
const schemes = "links open only http, https and mailto addresses";
const known = new Map(Object.entries({
  "Links 500": "a relative address with a colon before its first slash is not opened",
  "Autolinks 596": schemes, "Autolinks 598": schemes, "Autolinks 599": schemes, "Autolinks 601": schemes,
}));
const names = "amp lt gt quot apos nbsp copy reg trade hellip mdash ndash auml ouml uuml Auml Ouml Uuml szlig".split(" ");

let [same, skipped, differ] = [0, 0, 0];
for await (const line of createInterface({ input: process.stdin })) {
  const { name, markdown, tree } = JSON.parse(line);
  const entities = [...markdown.matchAll(/&([A-Za-z]\w*);/g)].map((match) => match[1]);
  if (known.has(name) || entities.some((entity) => !names.includes(entity))) { skipped += 1; continue; }
  const [ours, theirs] = [JSON.stringify(treeOf(markdown)), JSON.stringify(tree)];
  if (ours === theirs) same += 1;
  else {
    differ += 1;
    console.log(`${name}: ${JSON.stringify(markdown)}\n  ours   ${ours}\n  theirs ${theirs}`);
  }
}
console.log(`markdown: ${same} examples the same, ${differ} different, ${skipped} skipped as not supported`);
process.exit(differ > 0 ? 1 : 0);

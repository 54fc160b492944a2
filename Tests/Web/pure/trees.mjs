// Markdown as plain trees, in the form of commonmark.py.
import { load } from "./site.mjs";

const { parseBlocks } = await load("text/blocks.js");
const { GrowingDocument } = await load("text/render.js");
const { blockSpec } = await load("text/specs.js");

/** The tree of a text that came in one piece. */
export const treeOf = (text, options = {}) => treesOf(parseBlocks(text), options);

/** The tree of a text that came in pieces. */
export function treeOfPieces(pieces, options = {}) {
  const growing = new GrowingDocument();
  for (const piece of pieces) growing.append(piece);
  return treesOf([...growing.closed, ...growing.tail], options);
}

const treesOf = (blocks, options) => join(blocks.flatMap((block) => plain(blockSpec(block, options))));

function plain(spec) {
  if (spec.tag === undefined) return [spec.text];
  const kids = join((spec.kids ?? []).flatMap(plain));
  const attributes = spec.attributes ?? {};
  const own = { ...(attributes.title ? { title: attributes.title } : {}) };
  if (attributes.class === "code") return kids.slice(0, 1);
  if (attributes.class === "table") return kids;
  if (spec.tag === "pre") {
    const [, inner, texts] = kids[0];
    return [["pre", inner.class ? { language: inner.class.slice("language-".length) } : {}, texts]];
  }
  if (spec.tag === "code" && attributes.class) return [["code", attributes, kids]];
  if (attributes.class === "image-link") {
    const alt = kids.join("").replace(/^[^:]*: /, "");
    return [["img", { src: attributes.href, ...own }, alt === attributes.href ? [] : [alt]]];
  }
  if (spec.tag === "a") return [["a", { href: attributes.href, ...own }, kids]];
  if (spec.tag === "ol") return [["ol", attributes, kids]];
  if (spec.tag === "th" || spec.tag === "td") return [[spec.tag, attributes.class ? { align: attributes.class.slice(3) } : {}, kids]];
  if (spec.maths) return [["math", {}, [spec.maths.s]]];
  if (attributes.class?.startsWith("cite")) return [["cite", {}, kids]];
  return [[spec.tag, {}, kids]];
}

function join(kids) {
  const list = [];
  for (const kid of kids) {
    if (kid === "") continue;
    if (typeof kid === "string" && typeof list[list.length - 1] === "string") list[list.length - 1] += kid;
    else list.push(kid);
  }
  return list;
}

"""Compares the web client's Markdown with markdown-it-py, as trees, over CommonMark's examples and this file's own.

Prints the trees of markdown-it-py as JSON lines for pure/commonmark.mjs:
    python commonmark.py [commonmark.json] | node pure/commonmark.mjs
markdown-it-py runs without raw HTML and link reference definitions, which the client does not support, and with tables and
strikethrough, which it does. The examples come from markdown-it-py's source archive (see run.sh).
"""

import json
import sys

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.tree import SyntaxTreeNode

OWN = [
    "| a | b |\n|---|:-:|\n| 1 | `x\\|y` |\n| **2** | |\n",
    "text\n| a | b |\n|---|---|\n",
    "| a |\n|---|\n| 1 | 2 |\n\nafter",
    "a ~~b~~ c ~d~ ~~~ e",
    "- a\n- b\n\n  c\n- d\n",
    "1. one\n2. two\n   - three\n\n     four\n",
    "> - a\n> - b\nlazy\n\n> c",
    "```swift\nlet a = 1\n",
    "**a *b `c` d* e** f",
    "***a** b*",
    "# T\ntext\n***\ntext\n===\n",
    "a  \nb\\\nc",
    "![alt *em*](https://x.example/i.png \"t\")",
    "- a\n\n\n- b\n",
    "-\n\n  a\n",
    "\t- a\n\n\t\tb",
    "1) a\n1. b\n",
    "* a\n  > b\n  ```\n  c\n  ```\n* d",
]


def tree(node: SyntaxTreeNode):
    kids = join([one for child in node.children for one in tree(child)])
    kind = node.type
    if kind == "root" or kind == "inline":
        return kids
    if kind == "text":
        return [node.content]
    if kind == "softbreak":
        return ["\n"]
    if kind == "hardbreak":
        return [["br", {}, []]]
    if kind == "code_inline":
        return [["code", {}, [node.content]]]
    if kind in ("fence", "code_block"):
        language = (node.info or "").split()[0] if kind == "fence" and node.info.split() else ""
        language = unescapeAll(node.info).split()[0] if language else ""
        return [["pre", {"language": language} if language else {}, [node.content] if node.content else []]]
    if kind == "hr":
        return [["hr", {}, []]]
    if kind == "image":
        return [["img", {"src": node.attrs["src"], **title(node)}, [alt(node)] if alt(node) else []]]
    if kind == "link":
        return [["a", {"href": node.attrs["href"], **title(node)}, kids]]
    if kind == "paragraph":
        return kids if node.hidden else [["p", {}, kids]]
    if kind == "ordered_list":
        start = node.attrs.get("start")
        return [["ol", {"start": str(start)} if start is not None else {}, kids]]
    if kind in ("th", "td"):
        style = node.attrs.get("style", "")
        return [[kind, {"align": style.split(":")[1]} if style else {}, kids]]
    names = {"bullet_list": "ul", "list_item": "li", "blockquote": "blockquote", "em": "em", "strong": "strong", "s": "del"}
    return [[names.get(kind, node.tag or kind), {}, kids]]


def join(kids):
    joined = []
    for kid in kids:
        if isinstance(kid, str) and joined and isinstance(joined[-1], str):
            joined[-1] += kid
        elif kid != "":
            joined.append(kid)
    return joined


def title(node):
    return {"title": node.attrs["title"]} if node.attrs.get("title") else {}


def alt(node):
    def words(children):
        return "".join(
            words(c.children) if c.children else "\n" if c.type in ("softbreak", "hardbreak") else c.content for c in children)
    return words(node.children)


def main():
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["reference"])
    examples = [(f"own {index}", text) for index, text in enumerate(OWN, 1)]
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            examples += [(f"{one['section']} {one['example']}", one["markdown"]) for one in json.load(file)]
    for name, text in examples:
        print(json.dumps({"name": name, "markdown": text, "tree": tree(SyntaxTreeNode(parser.parse(text)))}))


main()

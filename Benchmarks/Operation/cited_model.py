"""An upstream whose model answers at a steady rate with sentences of the passages that it was given, each with its number.

Answers `/api/tags`, `/api/show`, `/api/embed` and `/api/chat`. One process over asyncio:

    cited_model.py PORT RATE DIMENSIONS

An answer has no end: it lasts until the reader leaves. Its Markdown has paragraphs, lists, code and tables.
"""
import asyncio
import hashlib
import itertools
import json
import random
import re
import sys
import time

EMBED, CHAT = "nomic-embed-text:latest", "llama3.2:latest"
SHOW = {"capabilities": ["completion"], "model_info": {"general.architecture": "x", "x.context_length": 131072}}
# `… note 1: data, …` before the lines of each passage.
HEAD = re.compile(r"(?:note|passage) (\d+): data")
WORDS = 18
BLOCKS = ("text", "text", "list", "text", "code", "text", "text", "table")


def digest(name):
    return hashlib.sha256(name.encode()).hexdigest()


def tags():
    return {"models": [{"name": name, "model": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1, "digest": digest(name),
                        "details": {"family": "x"}} for name in (EMBED, CHAT)]}


def vector(text, dimensions):
    generator = random.Random(text)
    return [round(generator.gauss(0, 1), 4) for _ in range(dimensions)]


def passages(prompt):
    """The number and the words of each passage of a prompt: its longest line."""
    parts = HEAD.split(prompt)
    return [(int(number), max(text.splitlines(), key=len).split()) for number, text in zip(parts[1::2], parts[2::2])]


def sentences(found):
    for start in itertools.count(0, WORDS):
        for number, words in found:
            piece = words[start % max(1, len(words) - WORDS):][:WORDS]
            yield f"{' '.join(piece).capitalize()} [{number}]. "


def answer(prompt):
    """The pieces of an answer without an end, each about a word."""
    source = sentences(passages(prompt) or [(1, "the tide comes a day and a half after full moon at this pier".split())])
    for kind in itertools.cycle(BLOCKS):
        some = [next(source) for _ in range(3)]
        if kind == "list":
            text = "".join(f"- **{one.split()[0]}**: {one}\n" for one in some)
        elif kind == "code":
            text = "```python\n" + "".join(f"def {re.sub(r'[^a-z]', '', one.split()[1].lower()) or 'f'}(x):\n    return x + {len(one)}\n" for one in some) + "```\n"
        elif kind == "table":
            text = "| word | meaning |\n|---|---|\n" + "".join(f"| {one.split()[0]} | {' '.join(one.split()[1:5])} |\n" for one in some)
        else:
            text = "".join(some) + "\n"
        yield from re.findall(r"\s*\S+\s?", text)
        yield "\n"


def line(text):
    data = json.dumps({"model": CHAT, "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": text},
                       "done": False}).encode() + b"\n"
    return b"%x\r\n%s\r\n" % (len(data), data)


async def stream(writer, prompt, rate):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
    due = time.monotonic()
    for piece in answer(prompt):
        due += 1 / rate
        await asyncio.sleep(max(0, due - time.monotonic()))
        writer.write(line(piece))


async def client(reader, writer, rate, dimensions):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            size = int(found[1]) if (found := re.search(rb"(?i)content-length: (\d+)", head)) else 0
            body = json.loads(await reader.readexactly(size) or b"{}")
            if head.startswith(b"POST /api/chat"):
                task = asyncio.ensure_future(stream(writer, body["messages"][-1]["content"], rate))
                # The gateway closes the connection when the run is stopped.
                await asyncio.wait([task, asyncio.ensure_future(reader.read(1))], return_when=asyncio.FIRST_COMPLETED)
                task.cancel()
                return
            if head.startswith(b"POST /api/embed"):
                texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
                reply = {"model": EMBED, "embeddings": [vector(text, dimensions) for text in texts]}
            else:
                reply = SHOW if head.startswith(b"POST /api/show") else tags()
            data = json.dumps(reply).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(data), data))
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main(port, rate, dimensions):
    server = await asyncio.start_server(lambda r, w: client(r, w, rate, dimensions), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))

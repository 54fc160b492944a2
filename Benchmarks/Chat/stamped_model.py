"""An upstream whose model writes the time: each piece of an answer is a stamp, ` 0000001234567890123`.

Answers `/api/show` (a model without tools) and `/api/chat`. One process over asyncio. The last message of a request may
end with `count=N` (pieces, default endless) and `rate=N` (pieces per second, 0 for as fast as possible).
"""
import asyncio
import json
import re
import sys
import time

SHOW = json.dumps({"capabilities": ["completion"], "model_info": {"general.architecture": "x", "x.context_length": 131072}})


def line(text, done=False, **more):
    body = {"model": "llama3.2", "created_at": "2026-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": text}, "done": done, **more}
    data = json.dumps(body).encode() + b"\n"
    return b"%x\r\n%s\r\n" % (len(data), data)


async def answer(writer, question, phase):
    count = int((re.findall(r"count=(\d+)", question) or [1 << 60])[-1])
    rate = float((re.findall(r"rate=(\d+)", question) or [20])[-1])
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
    due = time.monotonic() + (phase / rate if rate else 0)
    sent = 0
    while sent < count:
        if rate:
            await asyncio.sleep(max(0, due - time.monotonic()))
            due += 1 / rate
        writer.write(line(" %019d" % time.monotonic_ns()))
        sent += 1
        if not rate and sent % 256 == 0:
            await writer.drain()
    writer.write(line("", True, done_reason="stop", prompt_eval_count=9, eval_count=sent) + b"0\r\n\r\n")
    await writer.drain()


async def client(reader, writer, phases):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            size = int(re.search(rb"(?i)content-length: (\d+)", head)[1]) if b"ontent-" in head else 0
            body = await reader.readexactly(size)
            if head.startswith(b"POST /api/chat"):
                phases[0] = (phases[0] + 0.6180339887) % 1
                task = asyncio.ensure_future(answer(writer, json.loads(body)["messages"][-1]["content"], phases[0]))
                gone = asyncio.ensure_future(reader.read(1)) if b"rate=0" not in body and b"count=" not in body else None
                await asyncio.wait([task] + ([gone] if gone else []), return_when=asyncio.FIRST_COMPLETED)
                if gone:
                    task.cancel()
                    return
            else:
                reply = SHOW.encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                             % (len(reply), reply))
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main(port):
    phases = [0.0]
    server = await asyncio.start_server(lambda r, w: client(r, w, phases), "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))

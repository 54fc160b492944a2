"""The checks with PyPI `mcp` 1, which begins with `initialize`. Run by mcp_tests.py."""
import asyncio
import contextlib
import json
import sys

import httpx
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

SETTING = json.loads(sys.argv[1])


@contextlib.asynccontextmanager
async def http():
    headers = {"Authorization": f"Bearer {SETTING['key']}"}
    async with httpx.AsyncClient(headers=headers, timeout=30) as client:
        async with streamable_http_client(SETTING["url"], http_client=client) as (read, write, session_id):
            yield read, write
            assert session_id() is None


def command(*arguments, **more):
    return stdio_client(StdioServerParameters(
        command=SETTING["program"], args=["mcp", *arguments], env={**SETTING["environment"], **more}))


async def check(streams, name):
    async with streams as (read, write), ClientSession(read, write) as session:
        begun = await session.initialize()
        assert begun.protocolVersion == "2025-11-25" and begun.serverInfo.name == "selene"
        await session.send_ping()
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert {"search_notes", "read_note", "capture_note"} <= set(names), names
        # This client validates structuredContent against outputSchema.
        found = await session.call_tool("search_notes", {"query": "flour and salt"})
        assert "Bread" in [result["title"] for result in found.structuredContent["results"]]
        wrong = await session.call_tool("search_notes", {})
        assert wrong.isError
        notes = (await session.list_resources()).resources
        read_note = await session.read_resource(notes[0].uri)
        assert read_note.contents[0].text
        assert len((await session.list_resource_templates()).resourceTemplates) == 3
        assert len((await session.list_prompts()).prompts) > 20
        got = await session.get_prompt("thread-summary", {"thread": "Gauge"})
        assert 'thread="Gauge"' in got.messages[0].content.text
        with contextlib.suppress(McpError):
            await session.subscribe_resource(notes[0].uri)
            raise AssertionError("a subscription of an old revision was accepted")
        results = await asyncio.gather(*[session.call_tool("read_note", {"note": 1}) for _ in range(50)])
        assert all(result.structuredContent["results"] for result in results)
    print(f"ok   {name}")


async def main():
    await check(http(), "http")
    await check(command(), "file")
    await check(command("--url", SETTING["gateway"], SELENE_KEY=SETTING["key"]), "bridge")


asyncio.run(main())

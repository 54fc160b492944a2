"""The checks with PyPI `fastmcp`, which hosts build upon. Run by mcp_tests.py."""
import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.exceptions import ToolError

SETTING = json.loads(sys.argv[1])


def transports():
    headers = {"Authorization": f"Bearer {SETTING['key']}"}
    yield "http", StreamableHttpTransport(SETTING["url"], headers=headers)
    yield "file", StdioTransport(SETTING["program"], ["mcp"], env=SETTING["environment"])
    yield "bridge", StdioTransport(
        SETTING["program"], ["mcp", "--url", SETTING["gateway"]],
        env={**SETTING["environment"], "SELENE_KEY": SETTING["key"]})


async def check(name, transport):
    async with Client(transport, timeout=30) as client:
        names = [tool.name for tool in await client.list_tools()]
        assert {"search_notes", "read_note", "capture_note"} <= set(names), names
        found = await client.call_tool("search_notes", {"query": "flour and salt"})
        assert "Bread" in [result["title"] for result in found.structured_content["results"]]
        try:
            await client.call_tool("read_note", {"note": "none"})
            raise AssertionError("wrong arguments were accepted")
        except ToolError as error:
            assert "note" in str(error)
        notes = await client.list_resources()
        assert (await client.read_resource(notes[0].uri))[0].text
        assert len(await client.list_resource_templates()) == 3 and len(await client.list_prompts()) > 20
        got = await client.get_prompt("ask", {"question": "Why salt?"})
        assert got.messages[0].content.text.startswith("Why salt?")
    print(f"ok   {name}")


async def main():
    for name, transport in transports():
        await check(name, transport)


asyncio.run(main())

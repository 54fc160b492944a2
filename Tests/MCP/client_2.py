"""The checks with PyPI `mcp` 2: both eras, three transports. Run by mcp_tests.py."""
import asyncio
import base64
import json
import sys
import time
import urllib.error
import urllib.request

import httpx2
import mcp_types._v2026_07_28 as wire
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

SETTING = json.loads(sys.argv[1])
MODES = ["auto", "legacy", "2026-07-28"]


def transports():
    """The name, the era and a maker of each transport."""
    def http(key):
        return lambda: streamable_http_client(
            SETTING["url"], http_client=httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=30))

    def command(*arguments, **more):
        return lambda: StdioServerParameters(
            command=SETTING["program"], args=["mcp", *arguments], env={**SETTING["environment"], **more})

    yield "http", http(SETTING["key"])
    yield "file", command()
    yield "bridge", command("--url", SETTING["gateway"], SELENE_KEY=SETTING["key"])


async def check_tools(client, mode):
    tools = (await client.list_tools()).tools
    names = [tool.name for tool in tools]
    wanted = ["search_notes", "read_note", "related_notes", "recent_notes", "find_text", "threads", "search_books",
              "read_pages", "capture_note", "update_note", "delete_note"]
    assert [name for name in names if name in wanted] == wanted, names
    assert all(tool.annotations and tool.output_schema and tool.description for tool in tools)
    found = await client.call_tool("search_notes", {"query": "high tide at full moon", "limit": 3})
    data = found.structured_content
    assert data["source"] in ("hybrid", "keyword_fallback") and data["results"], data
    assert all(len(result["text"]) <= 300 for result in data["results"]), data
    assert all(result["title"] != "Letter" for result in data["results"]), "a private note was found"
    links = [block.uri for block in found.content if block.type == "resource_link"]
    assert links == [result["uri"] for result in data["results"]] and found.content[0].type == "text"
    exact = await client.call_tool("find_text", {"text": "night of patience"})
    assert [r["title"] for r in exact.structured_content["results"]] == ["Bread"]
    nothing = await client.call_tool("find_text", {"text": "no such words anywhere"})
    assert nothing.structured_content["results"] == [] and not nothing.is_error
    wrong = await client.call_tool("read_note", {"noote": 1})
    assert wrong.is_error and "note" in wrong.content[0].text
    try:
        await client.call_tool("no_such_tool", {})
        raise AssertionError("an unknown tool was called")
    except MCPError as error:
        assert error.code == -32602, error


async def check_changes(client, name):
    text = f"# Note of {name}\nwritten at {time.time_ns()}"
    made = (await client.call_tool("capture_note", {"content": text, "tags": ["test"]})).structured_content
    assert made["status"] == "created", made
    note = (await client.call_tool("read_note", {"note": made["id"]})).structured_content
    assert note["results"][0]["text"] == text and note["revision"] == made["revision"]
    assert note["total_chars"] == len(text)
    late = await client.call_tool("update_note", {"note": made["id"], "revision": "0" * 12, "title": "x"})
    assert late.is_error and "changed" in late.content[0].text
    changed = (await client.call_tool(
        "update_note", {"note": made["id"], "revision": note["revision"], "content": "new"})).structured_content
    gone = await client.call_tool("delete_note", {"note": made["id"], "revision": changed["revision"]})
    assert gone.structured_content["status"] == "deleted"


async def check_resources(client, mode):
    listed = (await client.list_resources()).resources
    assert {resource.name for resource in listed} >= {"Spring tide", "Bread", "Grüße 🎻"}
    assert all(resource.name != "Letter" for resource in listed)
    templates = (await client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates][0] == "selene://note/{id}"
    bread = next(resource for resource in listed if resource.name == "Bread")
    read = await client.read_resource(bread.uri)
    assert "a night of patience" in read.contents[0].text
    try:
        await client.read_resource("selene://note/999999")
        raise AssertionError("a missing note was read")
    except MCPError as error:
        assert error.code == -32602, error
    completed = await client.complete(
        ref={"type": "ref/resource", "uri": "selene://note/{id}"}, argument={"name": "id", "value": "bre"})
    assert any("bread" in value for value in completed.completion.values), completed


async def check_prompts(client):
    prompts = (await client.list_prompts()).prompts
    names = {prompt.name for prompt in prompts}
    assert {"ask", "week-in-review", "thread-summary"} <= names, names
    got = await client.get_prompt("week-in-review", {"days": "3"})
    assert "last 3 days" in got.messages[0].content.text and "days=3" in got.messages[0].content.text


async def check_notices(client):
    made = (await client.call_tool("capture_note", {"content": f"to watch {time.time_ns()}"})).structured_content
    async with client.listen(resource_subscriptions=[made["uri"]], resources_list_changed=True) as subscription:
        began = time.monotonic()
        changed = (await client.call_tool(
            "update_note", {"note": made["id"], "revision": made["revision"], "content": "seen"})).structured_content
        seen = set()
        async with asyncio.timeout(20):
            async for event in subscription:
                seen.add(type(event).__name__)
                if len(seen) == 2:
                    break
        print(f"     both notices {1000 * (time.monotonic() - began):.0f} ms after the change was sent")
    assert seen == {"ResourceUpdated", "ResourcesListChanged"}, seen
    await client.call_tool("delete_note", {"note": made["id"], "revision": changed["revision"]})


async def check_concurrency(client, mode):
    count = 1000 if mode == "2026-07-28" else 50
    calls = [client.call_tool("read_note", {"note": 1 + number % 3}) for number in range(count)]
    results = await asyncio.gather(*calls)
    assert all(result.structured_content["results"] for result in results)


async def check_scopes():
    http_client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {SETTING['reader']}"}, timeout=30)
    async with Client(streamable_http_client(SETTING["url"], http_client=http_client)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "search_notes" in names and "capture_note" not in names, names


def check_wire():
    """Validates raw replies against the models of the revision's schema."""
    def post(method, params=None, name=None):
        params = {**(params or {}), "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"}}}
        headers = {"Authorization": f"Bearer {SETTING['key']}", "Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
                   "Mcp-Method": method}
        if name:
            plain = name.isascii()
            headers["Mcp-Name"] = name if plain else f"=?base64?{base64.b64encode(name.encode()).decode()}?="
        body = json.dumps({"jsonrpc": "2.0", "id": "w", "method": method, "params": params}).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(SETTING["url"], body, headers)) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    for method, params, name, model in [
            ("server/discover", None, None, wire.DiscoverResultResponse),
            ("tools/list", None, None, wire.ListToolsResultResponse),
            ("tools/call", {"name": "threads", "arguments": {}}, "threads", wire.CallToolResultResponse),
            ("resources/list", None, None, wire.ListResourcesResultResponse),
            ("resources/templates/list", None, None, wire.ListResourceTemplatesResultResponse),
            ("resources/read", {"uri": "selene://note/1"}, "selene://note/1", wire.ReadResourceResultResponse),
            ("prompts/list", None, None, wire.ListPromptsResultResponse),
            ("prompts/get", {"name": "ask", "arguments": {"question": "why?"}}, "ask", wire.GetPromptResultResponse)]:
        status, reply = post(method, params, name)
        assert status == 200, reply
        parsed = model.model_validate(reply)
        assert parsed.result.result_type == "complete", reply
    status, reply = post("no/such")
    wire.JSONRPCErrorResponse.model_validate(reply)
    assert status == 404 and reply["error"]["code"] == -32601
    status, reply = post("tools/call", {"name": "grüße"}, "grüße")
    assert status == 400 and reply["error"]["code"] == -32602, reply


async def main():
    check_wire()
    print("ok   wire messages against the schema of 2026-07-28")
    await check_scopes()
    print("ok   scopes")
    for name, transport in transports():
        for mode in MODES:
            began = time.monotonic()
            async with Client(transport(), mode=mode, read_timeout_seconds=30) as client:
                assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
                ready = time.monotonic() - began
                await check_tools(client, mode)
                await check_changes(client, f"{name} {mode}")
                await check_resources(client, mode)
                await check_prompts(client)
                await check_concurrency(client, mode)
                if mode != "legacy":
                    await check_notices(client)
            print(f"ok   {name}, {mode}: connected in {1000 * ready:.0f} ms")


asyncio.run(main())

"""Ollama's official Python client searches the web and reads a page through a gateway, with a synthetic SearXNG behind it: part of
`make test-clients`. SEARXNG_URL puts your own in its place.
"""
import asyncio
import http.server
import json
import os
import sys
import threading
import urllib.parse

import httpx
import ollama

import stand

QUERY = "tide tables & \"harbour\" öäü"
PAGE = """<html><head><title>Tide tables</title></head><body><nav><a href="/">Home</a></nav><article><h1>Tide tables</h1>
<p>The harbour has a gauge that shows the height of the water at any hour of the day, and a keeper who reads it.</p>
<p>Its lamp was lit at nine, when the boats came in. <a href="next.html">Next</a></p></article></body></html>"""


class Web(http.server.BaseHTTPRequestHandler):
    """A synthetic SearXNG at /search, and a page at every other path."""
    queries = []
    formats = ["json"]

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        if form["format"][0] not in self.formats:
            return self.answer(403, "text/html", "<html>Forbidden</html>")
        self.queries.append(form["q"][0])
        results = [{"url": f"https://a.example/{n}", "title": f"Page {n}", "content": f"About {n}", "engines": ["brave"]}
                   for n in range(20)]
        return self.answer(200, "application/json", json.dumps({
            "query": form["q"][0], "results": results, "answers": [], "unresponsive_engines": [["google", "timeout"]]}))

    def do_GET(self):
        self.answer(200, "text/html; charset=utf-8", PAGE)

    def answer(self, status, kind, body):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def to_gateway(request, url):
    """The client sends these two requests to ollama.com whatever host it has: turns one to the gateway."""
    request.url = request.url.copy_with(scheme=url.scheme, host=url.host, port=url.port)
    request.headers["Host"] = f"{url.host}:{url.port}"


class ToGateway(httpx.HTTPTransport):
    def __init__(self, url):
        super().__init__()
        self.gateway = httpx.URL(url)

    def handle_request(self, request):
        to_gateway(request, self.gateway)
        return super().handle_request(request)


class ToGatewayAsync(httpx.AsyncHTTPTransport):
    def __init__(self, url):
        super().__init__()
        self.gateway = httpx.URL(url)

    async def handle_async_request(self, request):
        to_gateway(request, self.gateway)
        return await super().handle_async_request(request)


class Checks:
    """The checks, with what they share."""

    def __init__(self, s, web, is_own):
        headers = {"Authorization": f"Bearer {s.key('phone', 'llm', options=['--model', 'llama3.2'])}"}
        self.stand, self.web, self.is_own = s, web, is_own
        self.client = ollama.Client(s.url, headers=headers, mounts={"https://ollama.com": ToGateway(s.url)})
        self.hurried = ollama.AsyncClient(s.url, headers=headers, mounts={"https://ollama.com": ToGatewayAsync(s.url)})
        self.plain = httpx.Client(base_url=s.url, headers=headers, timeout=60)

    def check_search(self):
        found = self.client.web_search(QUERY, max_results=4)
        assert len(found.results) == 4 or self.is_own, found
        assert all(r.url.startswith("http") and r.title is not None and r.content is not None for r in found.results), found
        if not self.is_own:
            assert found.results[0].title == "Page 0" and Web.queries[-1] == QUERY, (found, Web.queries)
            assert len(self.client.web_search(QUERY).results) == 3

    def check_fetch(self):
        page = self.client.web_fetch(f"{self.web}/tides/index.html")
        assert page.title == "Tide tables" and page.content.startswith("# Tide tables\n\nThe harbour"), page
        assert page.links == [f"{self.web}/", f"{self.web}/tides/next.html"], page.links

    def check_concurrently(self):
        async def all_at_once():
            try:
                return await asyncio.gather(
                    *(self.hurried.web_fetch(f"{self.web}/{n}") for n in range(12)),
                    *(self.hurried.web_search(f"tide {n}") for n in range(12)))
            finally:
                await self.hurried.close()
        assert len(asyncio.run(all_at_once())) == 24

    def check_the_paths_of_the_command_line(self):
        found = self.plain.post("/api/experimental/web_search", json={"query": "tide", "max_results": 5})
        assert found.status_code == 200 and set(found.json()) == {"results"}, found.text
        page = self.plain.post("/api/experimental/web_fetch", json={"url": f"{self.web}/"})
        assert page.status_code == 200 and set(page.json()) == {"title", "content", "links"}, page.text

    def check_errors(self):
        for call, status in [
                (lambda: self.client.web_search(""), 400), (lambda: self.client.web_search("x", max_results=11), 400),
                (lambda: self.client.web_fetch("ftp://a.example/"), 422)]:
            error = raised(ollama.ResponseError, call)
            assert error.status_code == status, error
        if not self.is_own:
            Web.formats = ["html"]
            error = raised(ollama.ResponseError, lambda: self.client.web_search("x"))
            Web.formats = ["json"]
            assert error.status_code == 502 and "search.formats" in str(error), error

    def check_the_log_has_no_query(self):
        log = self.stand.log()
        assert "/api/web_search" in log and "harbour" not in log and "tides" not in log, log[-2000:]


def raised(kind, call):
    """The error that a call raises."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    web = f"http://127.0.0.1:{server.server_port}"
    own = os.environ.get("SEARXNG_URL")
    failed = 0
    with stand.Stand(settings={"SELENE_WEB_SEARCH": own or web, "SELENE_WEB_FETCH": "all"}) as s:
        checks = Checks(s, web, own is not None)
        for name in [name for name in vars(Checks) if name.startswith("check_")]:
            try:
                getattr(checks, name)()
                print(f"ok      {name[6:]}")
            except Exception as error:  # Any failure of a client is one of the check.
                failed += 1
                print(f"FAILED  {name[6:]}: {error!r}")
    server.shutdown()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

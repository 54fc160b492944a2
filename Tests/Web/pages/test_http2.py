"""HTTP/2 in Chromium: the real gateway with a certificate of `selene tls init`. Skipped without a debug build."""

import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from playwright.sync_api import expect

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests" / "Scripts"))
import stand  # noqa: E402
from browser import PageTest  # noqa: E402

# More streams than a browser opens connections of HTTP/1.1 to one host.
STREAMS = 30
READ_AT_ONCE = """async ([count, body]) => {
  const readers = await Promise.all(Array.from({ length: count }, async () => {
    const reply = await fetch("/api/generate", { method: "POST", headers: { "content-type": "application/json", "x-selene": "1" }, body });
    const reader = reply.body.getReader();
    await reader.read();
    return reader;
  }));
  await Promise.all(readers.map((reader) => reader.cancel()));
  return readers.length;
}"""
PROTOCOLS = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter((one) => one.name.startsWith(location.origin) && one.transferSize > 0).map((one) => one.nextHopProtocol)"""


@unittest.skipUnless((stand.BIN / "selene").exists() and (stand.BIN / "fake-ollama").exists(),
                     "no build of selene and fake-ollama; `make test` makes one")
class OverHTTP2(PageTest):
    # A worker's script is not fetched from an address whose certificate is unknown.
    arguments = ["--ignore-certificate-errors"]

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="selene-tls-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        made = subprocess.run(
            [stand.BIN / "selene", "tls", "init", "--folder", folder], capture_output=True, text=True,
            env={**os.environ, "SELENE_DATABASE": f"{folder}/none.sqlite"})
        self.assertEqual(made.returncode, 0, made.stderr)
        self.stand = stand.Stand(
            fake=["--tokens-per-second", "20", "--tokens", "400"],
            settings={"SELENE_BACKFILL": "off", "SELENE_TLS_CERTIFICATE": f"{folder}/server.crt",
                      "SELENE_TLS_KEY": f"{folder}/server.key"})
        self.stand.__enter__()
        self.addCleanup(self.stand.__exit__)
        self.authority = f"{folder}/ca.crt"
        self.gateway = self
        self.url = self.stand.url + "/"
        self.complaints = []
        self.asked = {}
        self.context, self.page = self.open()
        self.page.get_by_label("Key", exact=True).fill(self.stand.token)
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.get_by_label("Your question")).to_be_visible()

    def metric(self, name):
        request = urllib.request.Request(
            self.stand.url + "/metrics", headers={"Authorization": f"Bearer {self.stand.token}"})
        context = ssl.create_default_context(cafile=self.authority)
        with urllib.request.urlopen(request, context=context) as reply:
            for line in reply.read().decode().splitlines():
                if line.startswith(name + " "):
                    return float(line.split()[1])
        return None

    def test_the_page_and_an_answer_come_over_h2(self):
        self.ask("Please say anything about whales")
        expect(self.page.locator(".turn.answer .prose").last).to_contain_text("the gateway passes")
        protocols = self.page.evaluate(PROTOCOLS)
        self.assertGreater(len(protocols), 5)
        self.assertEqual(set(protocols), {"h2"})
        self.page.get_by_role("button", name="Stop").click()
        expect(self.page.locator(".turn.answer").last).to_contain_text("Stopped")
        self.assertEqual(self.metric("selene_http2_failures_total"), 0)

    def test_many_streams_are_read_at_once_and_leaving_stops_them(self):
        body = '{"model":"llama3.2","prompt":"x"}'
        self.assertEqual(self.page.evaluate(READ_AT_ONCE, [STREAMS, body]), STREAMS)
        # The count's own request is over HTTP/1.1.
        self.assertEqual(self.metric("selene_http2_connections_open"), 1)
        self.assertEqual(self.metric("selene_http2_failures_total"), 0)

    def test_a_websocket_takes_a_connection_of_http_1(self):
        opened = self.page.evaluate("""() => new Promise((done) => {
          const socket = new WebSocket(location.origin.replace("https", "wss") + "/ws");
          socket.onopen = () => { socket.close(); done("open"); };
          socket.onclose = (event) => done(event.code);
          socket.onerror = () => {};
        })""")
        self.assertEqual(opened, "open")

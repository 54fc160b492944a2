"""Web Push the whole way in Firefox ESR: the page subscribes, the gateway encrypts, a small push service carries it, the worker shows it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "Tests" / "Scripts"), str(ROOT / "Tests" / "Web")]
import stand  # noqa: E402
from drivers.marionette import FIREFOX, Firefox  # noqa: E402
from .mozilla import Mozilla  # noqa: E402

# What the browser says of a message: delivered to the worker, or not to be decrypted.
DELIVERED, UNREADABLE = 100, 101


@unittest.skipUnless((stand.BIN / "selene").exists() and (stand.BIN / "fake-ollama").exists(),
                     "no build of selene and fake-ollama; `make test` makes one")
class WebPush(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not FIREFOX and os.environ.get("CI"):
            raise AssertionError("Firefox is missing (Debian: firefox-esr)")
        if not FIREFOX:
            raise unittest.SkipTest("Firefox is missing (Debian: firefox-esr)")

    def call(self, path):
        request = urllib.request.Request(self.gateway.url + path, headers={"Authorization": f"Bearer {self.gateway.token}"})
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.load(reply)

    def send(self, *words):
        """`selene push send`, as a person types it."""
        environment = {**self.gateway.environment, "SELENE_URL": self.gateway.url}
        done = subprocess.run([stand.BIN / "selene", "push", "send", *words, "--wait", "--json"], env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_message_reaches_the_worker_and_the_page_shows_it(self):
        service = self.enterContext(Mozilla())
        key = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "vapid.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key], check=True, capture_output=True)
        key.chmod(0o600)
        self.gateway = self.enterContext(stand.Stand(settings={
            "SELENE_PUSH_VAPID_KEY": str(key), "SELENE_PUSH_VAPID_SUBJECT": "mailto:tide@example.org", "SELENE_PUSH_SERVICES": f"http://{service.host}"}))
        browser = self.enterContext(Firefox(preferences=service.preferences))
        browser.go(self.gateway.url + "/")
        browser.fill("#secret", self.gateway.token)
        browser.press("selene-sign-in button[type=submit]")
        # Without notes that is where whoever administers begins.
        browser.shows("h1", "First steps")
        browser.go(self.gateway.url + "/#/notifications")
        browser.fill("#device-name", "fox")
        browser.press("selene-notifications form button[type=submit]")
        browser.shows("selene-notifications", "This browser is called “fox”.")
        # The browser gave the service the gateway's own key, so that nobody else can send.
        public = self.call("/api/v1/web-push/key")["publicKey"]
        self.assertEqual([one.rstrip("=") for one in service.channels.values()], [public])

        self.send("High water at 18:40 – bring the boat in", "--title", "Tide", "--topic", "sea")
        browser.until(lambda: service.acknowledged)
        self.assertEqual(service.acknowledged, [DELIVERED])
        body, headers = service.pushes[0]
        self.assertNotIn(b"water", body)
        self.assertEqual(headers["content-encoding"], "aes128gcm")
        self.assertTrue(headers["authorization"].startswith("vapid t="))
        # The worker reports that it has it, and keeps it for the page.
        line = browser.until(lambda: next((one for one in self.call("/api/v1/log?topic=sea")["log"] if one.get("deliveredAt")), None))
        self.assertEqual((line["status"], line["deviceName"], line["title"]), ("sent", "fox", "Tide"))
        kept = browser.until(lambda: self.kept(browser))
        self.assertEqual(kept, [{"id": line["id"], "title": "Tide", "body": "High water at 18:40 – bring the boat in"}])

        # What nobody encrypted for this browser does not reach the worker.
        channel = next(iter(service.channels))
        service.push(channel, os.urandom(150), {"content-encoding": "aes128gcm"})
        browser.until(lambda: len(service.acknowledged) == 2)
        self.assertEqual(service.acknowledged, [DELIVERED, UNREADABLE])
        self.assertEqual(self.kept(browser), kept)

        # Turned off, the subscription ends on both sides.
        browser.press("selene-notifications section .row button:nth-of-type(2)")
        browser.shows("selene-notifications form", "Turn on")
        browser.until(lambda: not service.channels)
        self.assertEqual(self.call("/api/v1/devices")["devices"], [])

    def kept(self, browser):
        return browser.run("""return new Promise(resolve => { const open = indexedDB.open('selene', 1); open.onsuccess = () => {
            const all = open.result.transaction('read').objectStore('read').getAll();
            all.onsuccess = () => { open.result.close(); resolve(all.result.filter(one => one.kind === 'push').map(one => one.data)); }; }; })""")


if __name__ == "__main__":
    unittest.main()

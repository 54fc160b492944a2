"""The whole way: the real gateway in front of the synthetic Ollama, in Chromium. Skipped without a debug build."""

import json
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
from browser import DROP, PHONE, WIDE, PageTest  # noqa: E402
from stand_in_site import Site  # noqa: E402

NOTES = {
    "Spring tide": "The greatest range of the tide comes a day and a half after full moon.",
    "Harbour gauge": "The harbour gauge was repaired in May by Anna Brandt and her sister.",
}
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
class GatewayTest(PageTest):
    """A gateway with two notes, and a page that is signed in."""

    fake: list = []
    settings: dict = {}
    stand_type = stand.Stand

    def setUp(self):
        self.stand = self.stand_type(fake=["--tokens-per-second", "40", "--tokens", "2000", *self.fake], settings={"SELENE_BACKFILL": "off", **self.settings})
        self.stand.__enter__()
        self.addCleanup(self.stand.__exit__)
        self.gateway = self
        self.url = self.stand.url + "/"
        for title, content in NOTES.items():
            self.call("POST", "/api/notes", {"title": title, "content": content})
        self.complaints = []
        self.asked = {}
        self.context, self.page = self.open()
        self.page.get_by_label("Key", exact=True).fill(self.stand.token)
        self.page.get_by_role("button", name="Sign in").click()

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.stand.url + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Authorization": f"Bearer {self.stand.token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)


class Gateway(GatewayTest):
    def passage_is_marked(self):
        answer = self.page.locator(".turn.answer").last
        expect(answer.locator("button.cite").first).to_be_visible()
        answer.locator("button.cite").first.click()
        panel = self.page.get_by_label("Passages")
        expect(panel.locator("mark").first).to_be_visible()
        expect(panel).to_contain_text("Spring tide")

    def test_an_answer_cites_a_note_that_opens_with_its_sentence_marked_and_still_does_after_a_reload(self):
        self.ask("When does the greatest range of the tide come?")
        self.answered()
        self.assertIn("greatest range of the tide", self.answer_text())
        self.passage_is_marked()
        self.page.reload()
        self.answered()
        self.passage_is_marked()
        self.assertEqual([one["role"] for one in self.messages()], ["user", "assistant"])

    def test_stop_keeps_the_text(self):
        self.ask("Please say anything about whales")
        expect(self.page.locator(".turn.answer .prose").last).to_contain_text("the gateway passes")
        self.page.get_by_role("button", name="Stop").click()
        expect(self.page.locator(".turn.answer").last).to_contain_text("Stopped")

    def test_files_that_are_dropped_become_notes_once(self):
        page = self.page
        expect(page.get_by_label("Your question")).to_be_visible()
        page.goto(self.url + "#/start")
        notes = page.locator(".step").nth(2)
        expect(notes).to_contain_text("2 notes.")
        vault = {"vault": {"Moon.md": "---\ntags: sky\n---\n# Full moon\npulls the sea", "deep": {"2026-01-31 walk.txt": "along the shore"}, "empty.md": "\n"}}
        page.evaluate(DROP, [".page", vault])
        expect(notes).to_contain_text("2 of 3 files are in. 2 new notes.")
        expect(notes).to_contain_text("4 notes.")
        page.evaluate(DROP, [".page", vault])
        expect(notes).to_contain_text("2 were there.")
        found = {one["external_id"]: one for one in self.call("GET", "/api/notes")["notes"] if "external_id" in one}
        self.assertEqual(sorted(found), ["upload:vault/Moon.md", "upload:vault/deep/2026-01-31 walk.txt"])
        moon = found["upload:vault/Moon.md"]
        self.assertEqual((moon["title"], moon["content"], moon["tags"]), ("Full moon", "# Full moon\npulls the sea", ["sky"]))
        self.assertTrue(found["upload:vault/deep/2026-01-31 walk.txt"]["created_at"].startswith("2026-01-31"))

    def test_a_line_is_logged_counts_for_a_goal_and_is_undone(self):
        page = self.page
        expect(page.get_by_label("Your question")).to_be_visible()
        page.goto(self.url + "#/goals")
        page.get_by_role("button", name="New goal").click()
        dialog = page.get_by_role("dialog", name="New goal")
        dialog.get_by_label("What do you want to reach?").fill("Run 100 km")
        dialog.get_by_text("More", exact=True).click()
        dialog.get_by_label("Words that count").fill("run, jog")
        dialog.get_by_role("button", name="Save").click()
        goal = page.locator(".goal").filter(has_text="Run 100 km")
        expect(goal).to_contain_text("0 of 100 km")
        page.get_by_label("What did you do?").fill("ran 5 km in 28 min")
        page.keyboard.press("Enter")
        expect(page.get_by_role("region", name="What was read")).to_contain_text("Run 100 km +5 km counts")
        self.assertEqual(self.call("GET", "/api/actions")["actions"], [])
        page.get_by_role("button", name="Log it").press("Enter")
        expect(goal).to_contain_text("5 of 100 km")
        goal.get_by_role("link", name="Run 100 km").click()
        expect(page.locator(".chart .done")).to_have_count(1)
        expect(page.get_by_role("img", name="Run 100 km: 5 of 100 km")).to_be_visible()
        page.get_by_role("button", name="Edit").click()
        page.get_by_role("dialog").get_by_label("How much").fill("50")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(page.get_by_role("img", name="Run 100 km: 5 of 50 km")).to_be_visible()
        page.get_by_role("button", name="Edit").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(goal).to_have_count(0)
        page.locator(".toast").last.get_by_role("button", name="Undo").click()
        expect(goal).to_contain_text("5 of 50 km")
        page.goto(self.url + "#/goals/history")
        expect(page.locator(".turn-of").first).to_be_visible()
        page.get_by_role("button", name="Undo: Added action Run").click()
        # The toast of the undo before this one may still be there.
        self.until(lambda: self.call("GET", "/api/actions")["actions"] == [])
        for address, there in (("terms", "No terms yet"), ("values", "No values yet")):
            page.goto(f"{self.url}#/goals/{address}")
            expect(page.get_by_role("heading", name=there)).to_be_visible()

    def test_the_gateway_serves_the_files_that_the_other_tests_load(self):
        served = self.page.evaluate("document.querySelector('script[type=module]').src").removesuffix("app.js")
        for name, body in Site().files.items():
            if name not in ("index.html", "sw.js", "app.webmanifest"):
                with urllib.request.urlopen(served + name) as reply:
                    self.assertEqual(reply.read(), body, name)

    def messages(self):
        session = self.call("GET", "/api/sessions")["sessions"][0]["id"]
        return self.call("GET", f"/api/sessions/{session}/messages")["messages"]

    def test_a_device_has_rules_and_a_message_is_written_sent_and_explained(self):
        page = self.page
        expect(page.get_by_label("Your question")).to_be_visible()
        device = self.call("POST", "/api/v1/devices", {"name": "desk", "stream": True})
        page.goto(f"{self.url}#/notifications/{device['id']}")
        rules = page.locator("section").filter(has=page.get_by_role("heading", name="When it may disturb"))
        page.get_by_role("button", name="Add quiet hours").click()
        page.get_by_role("dialog").get_by_label("Sun").uncheck()
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(rules).to_contain_text("22:00–07:00, Mon, Tue, Wed, Thu, Fri, Sat · emergencies come through")
        page.get_by_role("button", name="Change: Digest").click()
        page.get_by_label("Collect what is not urgent").check()
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(rules).to_contain_text("at 08:00, 18:00, every day, up to low")
        page.get_by_role("button", name="Mute something").click()
        page.get_by_role("dialog").get_by_label("Topic").fill("noise")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(rules).to_contain_text("Muted: noise")
        page.get_by_role("button", name="Change: Time zone").click()
        page.get_by_role("dialog").get_by_label("Time zone").fill("Atlantis/City")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("settings.zone")
        page.keyboard.press("Escape")
        settings = self.call("GET", f"/api/v1/devices/{device['id']}")["settings"]
        self.assertEqual((settings["quietHours"]["windows"][0]["start"], settings["digest"]["upTo"], settings["mutes"][0]["topic"]), ("22:00", "low", "noise"))

        page.goto(f"{self.url}#/console/push")
        page.get_by_label("Title").fill("High water")
        page.get_by_label("Topic").fill("noise")
        page.get_by_label("Buttons").fill("Chart = https://tides.example/chart\nDone")
        page.get_by_role("button", name="Send", exact=True).click()
        result = page.get_by_role("status").filter(has_text="What became of it")
        expect(result).to_contain_text("dropped desk")
        result.get_by_role("button", name="Why? desk").click()
        expect(page.get_by_role("dialog")).to_contain_text("mute")
        page.keyboard.press("Escape")
        page.goto(f"{self.url}#/console/push/log?status=dropped")
        expect(page.get_by_role("region", name="Log", exact=True)).to_contain_text("High water")

    def test_templates_schedules_and_triggers(self):
        page = self.page
        expect(page.get_by_label("Your question")).to_be_visible()
        page.goto(f"{self.url}#/console/push/templates")
        page.get_by_role("button", name="New template").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("high-water")
        dialog.get_by_label("Inputs").fill("hour: number = 8")
        dialog.get_by_label("Title").fill("High water at {{hour}}")
        dialog.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="Preview: high-water").click()
        expect(page.get_by_role("group", name="Preview")).to_contain_text("High water at 8")
        page.goto(f"{self.url}#/console/push/schedules")
        page.get_by_role("button", name="New schedule").click()
        expect(dialog.locator(".times li")).to_have_count(5)
        dialog.get_by_label("cron").fill("61 * * * *")
        expect(dialog.get_by_role("status")).to_contain_text("cron")
        dialog.get_by_label("Kind").select_option("rrule")
        dialog.get_by_label("RRULE").fill("FREQ=WEEKLY;BYDAY=MO")
        dialog.get_by_label("First time").fill("2026-11-23T08:00")
        expect(dialog.locator(".times li")).to_have_count(5)
        dialog.get_by_label("Name").fill("Monday")
        dialog.get_by_label("Template").select_option("high-water")
        dialog.get_by_role("button", name="Save").click()
        switch = page.get_by_role("switch", name="Runs: Monday")
        switch.click()
        expect(switch).to_have_attribute("aria-checked", "false")
        [stored] = self.call("GET", "/api/v1/schedules")["schedules"]
        self.assertEqual((stored["enabled"], stored["schedule"]["rrule"], stored["schedule"]["template"]), (False, "FREQ=WEEKLY;BYDAY=MO", "high-water"))
        page.goto(f"{self.url}#/console/push/triggers")
        page.get_by_role("switch", name="An answer is ready").check()
        self.until(lambda: self.call("GET", "/api/v1/triggers")["triggers"]["answerReady"]["enabled"])

    def test_the_pages_of_the_console(self):
        page = self.page
        expect(page.get_by_label("Your question")).to_be_visible()
        page.goto(f"{self.url}#/console")
        expect(page.locator(".figures")).to_be_visible()
        page.goto(f"{self.url}#/console/jobs")
        page.get_by_role("button", name="Embed new notes").click()
        expect(page.get_by_role("region", name="Jobs", exact=True)).to_contain_text("done")
        page.goto(f"{self.url}#/console/search?q=spring%20tide")
        expect(page.get_by_role("region", name="Results")).to_contain_text("Spring tide")
        page.get_by_role("region", name="Results").get_by_text("Why?").first.click()
        expect(page.get_by_role("region", name="Results")).to_contain_text("rank 1")
        page.goto(f"{self.url}#/console/models")
        expect(page.get_by_role("region", name="On disk")).to_be_visible()
        page.goto(f"{self.url}#/console/keys")
        page.get_by_role("button", name="Make a key").click()
        form = page.get_by_role("dialog", name="Make a key")
        form.get_by_label("Name", exact=True).fill("door bell")
        form.get_by_label("Requests a minute").fill("20")
        form.get_by_role("button", name="Make the key").click()
        expect(page.locator(".secret")).to_contain_text("slk_")
        expect(page.get_by_role("region", name="Keys", exact=True).last).to_contain_text("20 requests a minute")
        page.get_by_role("button", name="Revoke door bell").click()
        page.get_by_role("button", name="Revoke door bell for good").click()
        expect(page.get_by_role("button", name="Revoke door bell")).to_have_count(0)
        page.goto(f"{self.url}#/console/spaces")
        expect(page.get_by_role("region", name="Spaces of vectors")).to_contain_text("answers")
        page.get_by_role("button", name="Measure and choose").click()
        expect(page.get_by_role("status").filter(has_text="done: ")).to_be_visible()
        page.goto(f"{self.url}#/console/start")
        expect(page.locator(".step")).to_have_count(6)
        expect(page.locator(".step.is-done").filter(has_text="Embedding")).to_be_visible()
        page.goto(f"{self.url}#/goals/measures")
        page.get_by_role("button", name="New unit").click()
        page.get_by_role("dialog").get_by_label("Unit").fill("laps")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(page.get_by_text("laps", exact=True)).to_be_visible()


@unittest.skipUnless((stand.BIN / "selene").exists() and (stand.BIN / "fake-ollama").exists(),
                     "no build of selene and fake-ollama; `make test` makes one")
class OverHTTP2(PageTest):
    """HTTP/2 over TLS, with a certificate of `selene tls init`."""

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
        # Without notes the first steps are the home page.
        self.page.get_by_role("button", name="Not now").click()
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

    def test_a_page_without_sign_in_says_how_to_trust_the_authority(self):
        self.page.goto(f"{self.url}#/console/browsers")
        expect(self.page.get_by_role("img", name="The address of the page as a QR code")).to_be_visible()
        for viewport, scheme, locale, title in ((WIDE, "light", "en-GB", "Trust this gateway"), (PHONE, "dark", "de-DE", "Diesem Gateway vertrauen")):
            _, page = self.open("ca", viewport=viewport, color_scheme=scheme, locale=locale)
            expect(page.get_by_role("heading", level=1)).to_have_text(title)
            expect(page.locator("details[open]")).to_have_count(1)
            self.until(lambda: page.locator("img.qr").evaluate("one => one.complete && one.naturalWidth > 0"))
            page.locator("details").evaluate_all("all => { for (const one of all) one.open = true; }")
            self.check_axe(f"authority {scheme}", page)
            self.check_width(f"authority {scheme}", page)

    def test_a_websocket_takes_a_connection_of_http_1(self):
        opened = self.page.evaluate("""() => new Promise((done) => {
          const socket = new WebSocket(location.origin.replace("https", "wss") + "/ws");
          socket.onopen = () => { socket.close(); done("open"); };
          socket.onclose = (event) => done(event.code);
          socket.onerror = () => {};
        })""")
        self.assertEqual(opened, "open")


if __name__ == "__main__":
    unittest.main()

"""The whole way: the real gateway in front of the synthetic Ollama, in Chromium. Skipped without a debug build."""

import json
import pathlib
import sys
import unittest
import urllib.request

from playwright.sync_api import expect

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests" / "Scripts"))
import stand  # noqa: E402
from browser import PageTest  # noqa: E402
from stand_in_site import Site  # noqa: E402

NOTES = {
    "Spring tide": "The greatest range of the tide comes a day and a half after full moon.",
    "Harbour gauge": "The harbour gauge was repaired in May by Anna Brandt and her sister.",
}


@unittest.skipUnless((stand.BIN / "selene").exists() and (stand.BIN / "fake-ollama").exists(),
                     "no build of selene and fake-ollama; `make test` makes one")
class Gateway(PageTest):
    def setUp(self):
        self.stand = stand.Stand(fake=["--tokens-per-second", "40", "--tokens", "2000"], settings={"SELENE_BACKFILL": "off"})
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

    def test_a_line_is_logged_counts_for_a_goal_and_is_undone(self):
        page = self.page
        expect(page.get_by_label("Your question")).to_be_visible()
        page.goto(self.url + "#/goals")
        page.get_by_role("button", name="New goal").click()
        dialog = page.get_by_role("dialog", name="New goal")
        dialog.get_by_label("Title").fill("Run 100 km")
        dialog.get_by_label("How much").fill("100")
        dialog.get_by_label("Unit", exact=True).fill("km")
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
        expect(page.locator(".toast").last).to_contain_text("Undone")
        self.assertEqual(self.call("GET", "/api/actions")["actions"], [])
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


if __name__ == "__main__":
    unittest.main()

"""The newest pages of the console against the real gateway: evaluations, prompts with their history, what was given up, breakers, the live queue."""

import json
import pathlib
import shutil
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

from playwright.sync_api import expect
from test_gateway import GatewayTest

CORPUS = {"1": "Spring tides come after new and full moon.", "2": "Neap tides come after the quarters of the moon.", "3": "The harbour gauge was repaired in May.", "4": "Bread needs flour, water and salt."}
QUERIES = {"10": ("when do spring tides come", "1"), "11": ("what was repaired in the harbour", "3")}


class ConsoleTest(GatewayTest):
    def go(self, page=""):
        expect(self.page.get_by_label("Your question").or_(self.page.locator(".console")).first).to_be_visible()
        self.page.goto(f"{self.url}#/console{page and '/'}{page}")

    def region(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def faults(self, *texts):
        """What the upstream does wrong from now on."""
        request = urllib.request.Request(self.stand.upstream + "/_faults", method="POST", data=json.dumps(texts).encode(), headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            self.assertEqual(reply.status, 200)


class Evaluations(ConsoleTest):
    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="selene-collections-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "tides/qrels").mkdir(parents=True)
        lines = lambda rows: "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "tides/corpus.jsonl").write_text(lines({"_id": name, "title": "", "text": text} for name, text in CORPUS.items()))
        (folder / "tides/queries.jsonl").write_text(lines({"_id": name, "text": text} for name, (text, _) in QUERIES.items()))
        (folder / "tides/qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(f"{name}\t{right}\t1\n" for name, (_, right) in QUERIES.items()))
        self.settings = {"SELENE_EVALUATIONS": str(folder)}
        super().setUp()

    def measure(self, name):
        self.page.get_by_label("Collection", exact=True).select_option("tides")
        self.page.get_by_label("Name of the report").fill(name)
        self.page.get_by_role("button", name="Measure", exact=True).click()
        expect(self.region("Stored reports").locator("tbody tr").filter(has_text=name)).to_be_visible()

    def test_a_collection_is_measured_twice_compared_gated_and_deleted(self):
        page = self.page
        self.go("evaluations")
        self.measure("first")
        self.measure("second")
        page.get_by_role("button", name="Show: second").click()
        leg = page.locator(".leg")
        expect(leg).to_contain_text("4 documents, 2 judged queries.")
        leg.get_by_label("Conditions, with commas").fill("keyword.ndcg@10>=0.5")
        leg.get_by_role("button", name="Check").click()
        expect(leg.get_by_text("All conditions hold.")).to_be_visible()
        leg.get_by_label("Conditions, with commas").fill("keyword.ndcg@10>=1.5")
        leg.get_by_role("button", name="Check").click()
        expect(leg.get_by_text("All conditions hold.")).to_have_count(0)
        page.get_by_role("button", name="Show: first").click()
        expect(page.get_by_role("heading", name="A: first, B: second")).to_be_visible()
        expect(page.get_by_text("B is better for 0 queries, worse for 0, equal for 2.").first).to_be_attached()
        self.view("two reports of a real gateway")
        page.get_by_role("button", name="Delete: first").click()
        page.get_by_role("button", name="Delete: first").click()
        expect(self.region("Stored reports").locator("tbody tr")).to_have_count(1)
        self.assertEqual([one["name"] for one in self.call("GET", "/api/evaluations")["evaluations"]], ["second"])


class Prompts(ConsoleTest):
    def test_a_prompt_is_made_changed_compared_asked_and_deleted(self):
        page = self.page
        self.go("prompts")
        expect(self.region("All prompts").locator("tbody tr").first).to_be_visible()
        page.get_by_role("button", name="New prompt").click()
        sheet = page.get_by_role("dialog")
        sheet.get_by_label("Id").fill("tides")
        sheet.get_by_label("Title").fill("Tides")
        sheet.get_by_label("Template").fill("What do I know of {{what}}?")
        sheet.get_by_role("button", name="Save").click()
        expect(page.get_by_role("heading", name="Tides")).to_be_visible()
        page.get_by_role("button", name="Edit").click()
        sheet.get_by_label("Template").fill("What do I really know of {{what}}?")
        sheet.get_by_role("button", name="Save").click()
        expect(page.get_by_role("region", name="Template")).to_contain_text("really know")
        # Another device changes it while the form is open.
        page.get_by_role("button", name="Edit").click()
        known = self.call("GET", "/api/prompts/tides")
        self.call("PUT", "/api/prompts/tides", {**{name: known[name] for name in ("title", "kind", "chat")}, "text": "What is {{what}}?", "base": known["version"]})
        sheet.get_by_label("Template").fill("mine {{what}}")
        sheet.get_by_role("button", name="Save").click()
        expect(sheet.get_by_role("alert")).to_be_visible()
        sheet.get_by_role("button", name="Close").click()
        page.reload()
        expect(self.region("History").locator("tbody tr")).to_have_count(3)
        page.get_by_role("button", name="Changes from 1 to 2").click()
        expect(self.region("Changes from 1 to 2").locator("ins").first).to_contain_text("really know")
        self.view("a prompt of a real gateway")
        page.get_by_label("what", exact=True).fill("whales")
        page.get_by_role("checkbox").first.check()
        page.get_by_role("button", name="Ask the models").click()
        expect(page.locator(".leg .prose")).not_to_be_empty()
        page.locator(".leg").get_by_role("button", name="Stop").click()
        expect(page.locator(".leg")).to_contain_text("stopped")
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("button", name="Delete for good").click()
        expect(self.region("All prompts")).to_be_visible()
        self.assertNotIn("tides", [one["id"] for one in self.call("GET", "/api/prompts")["prompts"]])


class GivenUp(ConsoleTest):
    def test_notes_that_no_model_embedded_are_tried_again_and_discarded(self):
        page = self.page
        self.faults("status=400@/api/embed")
        self.go("jobs")
        page.get_by_role("button", name="Embed new notes").click()
        self.until(lambda: len(self.call("GET", "/api/admin/failed-notes")["notes"]) == 2)
        self.go("failed")
        notes = self.region("Notes without a vector")
        expect(notes.locator("tbody tr")).to_have_count(2)
        expect(notes).to_contain_text("400")
        self.view("what a real gateway gave up")
        self.faults()
        page.get_by_role("button", name="Try again: Spring tide").click()
        expect(notes.locator("tbody tr")).to_have_count(1)
        discard = page.get_by_role("button", name="Discard: Harbour gauge")
        discard.click()
        discard.click()
        expect(self.region("Notes without a vector")).to_have_count(0)
        self.assertEqual(self.call("GET", "/api/admin/failed-notes")["notes"], [])


class Breaker(ConsoleTest):
    def test_an_upstream_that_goes_opens_its_breaker_and_coming_back_closes_it(self):
        self.go()
        upstreams = self.region("Upstreams")
        expect(upstreams).to_contain_text("healthy")
        self.upstream_goes()
        expect(upstreams).to_contain_text("unhealthy")
        expect(upstreams).to_contain_text("next try at")
        self.view("an open breaker of a real gateway")
        self.stand.start_upstream(self.stand.upstream_port)
        expect(upstreams).not_to_contain_text("unhealthy")
        expect(upstreams).not_to_contain_text("next try at")

    def upstream_goes(self):
        self.stand.upstream_process.terminate()
        self.stand.upstream_process.wait()
        for _ in range(20):
            try:
                self.call("POST", "/api/generate", {"model": "llama3.2", "prompt": "x", "stream": False})
            except urllib.error.HTTPError as error:
                error.close()


class Queue(ConsoleTest):
    settings = {"SELENE_MAX_IN_FLIGHT": "1"}

    def generate(self, ends):
        try:
            self.call("POST", "/api/generate", {"model": "llama3.2", "prompt": "whales", "stream": False})
            ends.append("answered")
        except urllib.error.HTTPError as error:
            error.close()
            ends.append(error.code)

    def test_the_place_of_one_that_waits_and_its_cancelling(self):
        page, ends = self.page, []
        self.go("requests")
        readers = [threading.Thread(target=self.generate, args=[ends]) for _ in range(3)]
        for reader in readers:
            reader.start()
        flight = self.region("In flight")
        expect(flight.locator("tbody tr").filter(has_text="/api/generate")).to_have_count(3)
        expect(flight).to_contain_text("place 1")
        expect(flight).to_contain_text("place 2")
        for left in (2, 1, 0):
            page.get_by_role("button", name="Cancel /api/generate", exact=True).first.click()
            self.until(lambda: len(ends) >= 3 - left)
        for reader in readers:
            reader.join()
        self.assertEqual(ends, [403, 403, 403])
        expect(flight.locator("tbody tr").filter(has_text="/api/generate")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()

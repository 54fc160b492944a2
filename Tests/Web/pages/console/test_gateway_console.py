"""The console's workbench against the real gateway: evaluations, prompts, what was given up, breakers, requests in flight, keys, jobs."""

import http.server
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

from browser import expect
from test_gateway import GatewayTest, stand

DOCUMENTS = [
    "The greatest range of the tide comes a day and a half after full moon.", "A neap tide has the smallest range.",
    "The harbour gauge was repaired in May.", "Bread rises for twelve hours in the cold.",
    "A cello needs new strings every year.", "The petrel nests on islands far from the coast.",
]
QUERIES = {"tide after full moon": 0, "smallest range": 1, "repaired gauge": 2, "bread in the cold": 3, "strings of a cello": 4}


class ConsoleTest(GatewayTest):
    def setUp(self):
        super().setUp()
        expect(self.page.get_by_label("Your question")).to_be_visible()

    def go(self, page=""):
        self.page.goto(f"{self.url}#/console{page and '/'}{page}")

    def region(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def faults(self, *faults):
        """Switches faults of the synthetic Ollama on; none switches all off."""
        request = urllib.request.Request(f"{self.stand.upstream}/_faults", method="POST", data=json.dumps(faults).encode())
        urllib.request.urlopen(request).close()


class Evaluations(ConsoleTest):
    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="selene-collections-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        sea = folder / "sea"
        (sea / "qrels").mkdir(parents=True)
        (sea / "corpus.jsonl").write_text("".join(json.dumps({"_id": f"d{number}", "title": "", "text": text}) + "\n" for number, text in enumerate(DOCUMENTS)))
        (sea / "queries.jsonl").write_text("".join(json.dumps({"_id": f"q{number}", "text": text}) + "\n" for number, text in enumerate(QUERIES)))
        (sea / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(f"q{number}\td{right}\t1\n" for number, right in enumerate(QUERIES.values())))
        self.settings = {"SELENE_EVALUATIONS": str(folder)}
        super().setUp()

    def measure(self, name):
        self.page.get_by_role("button", name="Measure retrieval").click()
        self.page.get_by_label("Name of the report").fill(name)
        self.page.get_by_role("button", name="Measure", exact=True).click()
        expect(self.region("Stored reports").locator("tbody tr").filter(has_text=name)).to_have_count(1)

    def test_a_collection_is_measured_twice_and_the_reports_are_compared(self):
        page = self.page
        self.go("evaluations")
        expect(page.get_by_text("No reports yet.")).to_be_visible()
        page.get_by_role("button", name="Measure retrieval").click()
        expect(page.get_by_label("Collection", exact=True)).to_contain_text("sea (texts are embedded)")
        page.keyboard.press("Escape")
        self.measure("first")
        expect(page.get_by_role("status").filter(has_text="done: ")).to_be_visible()
        self.measure("second")
        page.get_by_role("button", name="Show: second").click()
        leg = page.locator(".leg")
        expect(leg).to_contain_text("6 documents, 5 judged queries.")
        expect(leg.get_by_role("progressbar", name="ndcg@10: Together")).to_be_visible()
        leg.get_by_label("Conditions, with commas").fill("keyword.ndcg@10>=0.5")
        leg.get_by_role("button", name="Check").click()
        expect(leg.get_by_text("All conditions hold.")).to_be_visible()
        leg.get_by_label("Conditions, with commas").fill("keyword.ndcg@10>=1.5")
        leg.get_by_role("button", name="Check").click()
        expect(leg.locator("li.is-bad, .is-bad li")).to_contain_text("keyword")
        page.get_by_role("button", name="Show: first").click()
        expect(page.get_by_role("heading", name="A: first, B: second")).to_be_visible()
        # The same search over the same collection.
        expect(page.get_by_text("The difference may be chance.")).to_be_visible()
        expect(page.get_by_role("img", name="B − A by query: B is better for 0 queries, worse for 0, equal for 5.")).to_be_visible()
        page.get_by_label("Search of A").select_option("vector")
        expect(page.get_by_role("status").filter(has_text="ndcg@10: A ")).to_be_visible()
        self.view("two reports of a real gateway")
        for _ in range(2):
            page.get_by_role("button", name="Delete: first").click()
        expect(self.region("Stored reports").locator("tbody tr")).to_have_count(1)
        self.assertEqual([one["name"] for one in self.call("GET", "/api/admin/evaluations")["evaluations"]], ["second"])


class Prompts(ConsoleTest):
    def test_a_prompt_is_changed_compared_asked_and_brought_back(self):
        page = self.page
        self.go("prompts")
        page.get_by_label("Find a prompt").fill("last-time")
        table = self.region("All prompts")
        expect(table.locator("tbody tr")).to_have_count(1)
        table.locator("tbody a").click()
        template = page.get_by_role("region", name="Template")
        expect(template).to_contain_text("{{what}}")
        page.get_by_role("button", name="Edit").click()
        sheet = page.get_by_role("dialog")
        sheet.get_by_label("Template").fill("Please say anything about {{what}}")
        sheet.get_by_role("button", name="Save").click()
        expect(template).to_have_text("Please say anything about {{what}}")
        history = self.region("History")
        expect(history.locator("tbody tr")).to_have_count(2)
        page.get_by_role("button", name="Changes from 0 to 1").click()
        changes = self.region("Changes from 0 to 1")
        expect(changes.locator("ins")).to_contain_text("Please say anything about {{what}}")
        expect(changes.locator("del").first).to_be_visible()

        page.get_by_label("what", exact=True).fill("whales")
        known = [one["name"] for one in self.call("GET", "/api/tags")["models"] if "embed" not in one["name"]]
        names = known[:2]
        self.assertEqual(len(names), 2, known)
        for name in names:
            page.get_by_label(name, exact=True).check()
        page.get_by_role("button", name="Ask the models").click()
        for name in names:
            expect(self.region(name).locator(".prose")).to_contain_text("the gateway passes")
            page.get_by_role("button", name=f"Stop: {name}").click()
            expect(self.region(name).get_by_role("status")).to_contain_text("stopped")
        page.get_by_role("link", name=f"Open the chat: {names[0]}").click()
        expect(page.locator(".question-text").last).to_have_text("Please say anything about whales")
        page.go_back()

        # Somebody else saves a version while the form is open.
        page.get_by_role("button", name="Edit").click()
        now = self.call("GET", "/api/prompts/last-time")
        self.call("PUT", "/api/prompts/last-time", {"title": now["title"], "kind": now["kind"], "text": "Theirs {{what}}", "base": now["version"]})
        sheet.get_by_label("Template").fill("Mine {{what}}")
        sheet.get_by_role("button", name="Save").click()
        expect(sheet.get_by_role("alert")).to_be_visible()
        expect(sheet.get_by_label("Template")).to_have_value("Mine {{what}}")
        sheet.get_by_role("button", name="Close").click()
        page.reload()
        expect(template).to_have_text("Theirs {{what}}")
        page.get_by_role("button", name="Back to the original").click()
        page.get_by_role("button", name="Drop all changes").click()
        expect(template).to_contain_text("last time")
        self.assertEqual(self.call("GET", "/api/prompts/last-time")["origin"], "curated")

    def test_a_prompt_of_ones_own_is_made_and_deleted(self):
        page = self.page
        self.go("prompts")
        page.get_by_role("button", name="New prompt").click()
        sheet = page.get_by_role("dialog")
        sheet.get_by_label("Id").fill("tides")
        sheet.get_by_label("Title").fill("Tides")
        sheet.get_by_label("Template").fill("{{> partial}}")
        sheet.get_by_role("button", name="Save").click()
        expect(sheet.get_by_role("alert")).to_contain_text("not allowed")
        sheet.get_by_label("Template").fill("What do I know of tides?")
        sheet.get_by_role("button", name="Save").click()
        expect(page.get_by_role("heading", name="Tides")).to_be_visible()
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("button", name="Delete for good").click()
        expect(self.region("All prompts")).to_be_visible()
        expect(self.region("All prompts").get_by_role("link", name="Tides")).to_have_count(0)


class Hook(http.server.BaseHTTPRequestHandler):
    """A webhook that answers with the server's status."""

    def do_POST(self):
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *_):
        pass


class GivenUp(ConsoleTest):
    settings = {"SELENE_PUSH_PRIVATE_URLS": "true"}

    def test_notes_that_the_model_refused_are_tried_again_and_discarded(self):
        page = self.page
        self.call("POST", "/api/jobs/backfill", {})
        self.until(lambda: self.call("GET", "/api/jobs")["jobs"][0]["state"] == "done")
        for title in ("Neap tide", "Low water"):
            self.call("POST", "/api/notes", {"title": title, "content": f"{title} is at half moon."})
        self.faults("status=400@/api/embed")
        self.call("POST", "/api/jobs/backfill", {})
        self.until(lambda: len(self.call("GET", "/api/admin/failed-notes")["notes"]) == 2)
        self.go("failed")
        notes = self.region("Notes without a vector")
        expect(notes.locator("tbody tr")).to_have_count(2)
        expect(notes.locator("tbody tr").first).to_contain_text("nomic-embed-text")
        self.view("notes that were given up")
        self.faults()
        page.get_by_role("button", name="Try again: Neap tide").click()
        expect(notes.locator("tbody tr")).to_have_count(1)
        page.get_by_role("button", name="Discard: Low water").click()
        expect(notes.locator("tbody tr")).to_have_count(1)
        page.get_by_role("button", name="Discard: Low water").click()
        expect(page.get_by_text("None.").first).to_be_visible()
        self.go("jobs")
        page.get_by_role("button", name="Embed new notes").click()
        expect(self.region("Jobs").locator("tbody tr").filter(has_text="done").first).to_be_visible()

        def counts():
            [space] = self.call("GET", "/api/admin/spaces")["spaces"]
            return space["embedded"], space["failed"]

        # Other jobs of the list are done already.
        self.until(lambda: counts() == (3, 0))

    def test_a_delivery_that_failed_is_tried_again_and_another_one_discarded(self):
        page = self.page
        hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
        hook.status, hook.bodies = 400, []
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        self.addCleanup(hook.server_close)
        self.addCleanup(hook.shutdown)
        self.call("POST", "/api/v1/devices", {"name": "hook", "webhook": {"url": f"http://127.0.0.1:{hook.server_port}/"}})
        for title in ("High water", "Low water"):
            self.call("POST", "/api/v1/messages", {"message": {"title": title, "body": "soon"}})
        self.until(lambda: len(self.call("GET", "/api/v1/log?status=failed")["log"]) == 2)
        self.go("failed")
        pushes = self.region("Notifications")
        expect(pushes.locator("tbody tr")).to_have_count(2)
        expect(pushes).to_contain_text("400")
        hook.status = 200
        before = len(hook.bodies)
        page.get_by_role("button", name="Try again: High water").click()
        expect(pushes.locator("tbody tr")).to_have_count(1)
        self.until(lambda: len(hook.bodies) == before + 1)
        for _ in range(2):
            page.get_by_role("button", name="Discard: Low water").click()
        expect(page.get_by_text("None.")).to_have_count(2)
        self.until(lambda: {one["title"]: one["status"] for one in self.call("GET", "/api/v1/log")["log"]} == {"High water": "sent", "Low water": "dropped"})


class TwoUpstreams(stand.Stand):
    """A second upstream is configured, but nothing listens there."""

    def start_gateway(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.attic = free.getsockname()[1]
        self.settings = {**self.settings, "SELENE_UPSTREAMS": f"near={self.upstream}, attic=http://127.0.0.1:{self.attic}"}
        super().start_gateway()


class Upstreams(ConsoleTest):
    stand_type = TwoUpstreams

    def test_the_breaker_of_an_upstream_that_is_down_and_comes_back(self):
        self.go()
        rows = self.region("Model servers").locator("tbody tr")
        expect(rows).to_have_count(2)
        attic = rows.filter(has_text="attic")
        expect(rows.filter(has_text="near")).to_contain_text("healthy")
        expect(attic).to_contain_text("unhealthy")
        expect(attic).to_contain_text("paused")
        expect(attic).to_contain_text("next try at")
        expect(attic).to_contain_text("probes failed")
        self.view("an upstream that is down")
        with (self.stand.folder / "attic.log").open("wb") as log:
            self.stand.processes.append(subprocess.Popen([stand.BIN / "fake-ollama", "--port", str(self.stand.attic)], stdout=log, stderr=log))
        self.until(lambda: "✓" in attic.inner_text())
        expect(attic).to_contain_text("none")
        expect(attic).not_to_contain_text("next try at")


class InFlight(ConsoleTest):
    settings = {"SELENE_MAX_IN_FLIGHT": "1"}
    # Minutes long, however busy the machine is.
    fake = ["--tokens", "20000"]

    def ask(self, name):
        """Begins an answer that goes on for longer than the test; what became of it is in `ended`."""
        def read():
            request = urllib.request.Request(
                f"{self.stand.url}/api/generate", method="POST", data=json.dumps({"model": "llama3.2", "prompt": name}).encode(),
                headers={"Authorization": f"Bearer {self.stand.token}"})
            try:
                with urllib.request.urlopen(request) as reply:
                    self.ended[name] = (reply.status, b'"done":true' in reply.read())
            except urllib.error.HTTPError as error:
                self.ended[name] = (error.code, json.load(error))
            except OSError as error:
                self.ended[name] = (0, str(error))
        thread = threading.Thread(target=read)
        thread.start()
        self.addCleanup(thread.join)

    def test_one_is_streaming_one_waits_and_both_are_cancelled(self):
        self.ended = {}
        self.go("requests")
        flight = self.region("In flight")
        rows = flight.locator("tbody tr")
        expect(self.page.get_by_text("No request is in flight.")).to_be_visible()
        self.ask("first")
        expect(rows).to_have_count(1)
        expect(rows.first).to_contain_text("streaming")
        expect(rows.first).to_contain_text("/s")
        self.ask("second")
        waiting = rows.filter(has_text="queued")
        expect(waiting).to_contain_text("place 1")
        self.view("a request that waits")
        waiting.get_by_role("button", name="Cancel /api/generate").click()
        expect(rows).to_have_count(1)
        self.until(lambda: "second" in self.ended)
        self.assertEqual(self.ended["second"][0], 403)
        self.assertNotIn("first", self.ended)
        rows.first.get_by_role("button", name="Cancel /api/generate").click()
        expect(rows).to_have_count(0)
        self.until(lambda: "first" in self.ended)
        self.assertNotEqual(self.ended["first"], (200, True))
        self.page.get_by_role("button", name="Look again").click()
        expect(self.region("Finished").locator("tbody tr").filter(has_text="/api/generate")).to_have_count(2)


class Keys(ConsoleTest):
    def status(self, key, path="/api/notes"):
        try:
            return len(self.stand.get(path, key)) and 200
        except urllib.error.HTTPError as error:
            return error.code

    def test_a_key_is_shown_once_works_is_changed_and_revoked(self):
        page = self.page
        self.go("keys")
        page.get_by_role("button", name="Make a key").click()
        form = page.get_by_role("dialog", name="Make a key")
        form.get_by_label("Name", exact=True).fill("door bell")
        form.get_by_role("button", name="Make the key").click()
        secret = page.locator(".secret").inner_text()
        self.assertTrue(secret.startswith("slk_"), secret)
        self.until(lambda: self.status(secret) == 200)
        self.assertEqual(self.status(secret, "/api/admin/stats"), 403)
        page.get_by_role("button", name="Hide").click()
        expect(page.locator(".secret")).to_have_count(0)
        page.reload()
        table = self.region("Keys").last
        row = table.locator("tbody tr").filter(has_text="door bell")
        expect(row).to_be_visible()
        self.assertNotIn(secret, page.content())
        page.get_by_role("button", name="Change door bell").click()
        sheet = page.get_by_role("dialog")
        sheet.get_by_label("Requests a minute").fill("60")
        sheet.get_by_role("button", name="Save").click()
        expect(row).to_contain_text("60 requests a minute")
        page.get_by_role("button", name="30 days: door bell").click()
        expect(page.get_by_role("dialog", name="door bell: requests of the last 30 days")).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Revoke door bell").click()
        self.assertEqual(self.status(secret), 200)
        page.get_by_role("button", name="Revoke door bell for good").click()
        expect(row).to_have_count(0)
        self.until(lambda: self.status(secret) == 403)
        # Each change is in the audit, without the key.
        self.go("audit")
        rows = self.region("Audit").locator("tbody tr")
        for place, action in enumerate(("key.revoke", "key.change", "key.create")):
            expect(rows.nth(place)).to_contain_text(action)
            expect(rows.nth(place)).to_contain_text("door bell")
            expect(rows.nth(place)).to_contain_text("done")
        self.assertNotIn(secret, page.content())


class Jobs(ConsoleTest):
    fake = ["--embed-cost", "0.05"]

    def test_a_job_is_cancelled_and_goes_on(self):
        page = self.page
        for number in range(60):
            self.call("POST", "/api/notes", {"title": f"note {number}", "content": f"The tide of day {number}."})
        self.go("jobs")
        page.get_by_role("button", name="Embed new notes").click()
        row = self.region("Jobs").locator("tbody tr").filter(has_text="Embedding of notes")
        expect(row).to_contain_text("/ 62")
        page.get_by_role("button", name="Cancel: Embedding of notes").click()
        expect(row).to_contain_text("cancelled")
        [job] = self.call("GET", "/api/jobs")["jobs"]
        self.assertLess(job["done"], 62)
        page.get_by_role("button", name="Go on: Embedding of notes").click()
        expect(row).to_contain_text("done")
        expect(row).to_contain_text("62")
        [space] = self.call("GET", "/api/admin/spaces")["spaces"]
        self.assertEqual(space["embedded"], 62)


if __name__ == "__main__":
    unittest.main()

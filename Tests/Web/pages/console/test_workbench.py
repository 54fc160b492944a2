"""The console's workbench: evaluations of retrieval, prompts asked of several models, what was given up, breakers of upstreams."""

import unittest

from browser import PHONE, expect, hold
from console.test_console import ConsoleTest
from stand_in_data import SAMPLE


class Evaluations(ConsoleTest):
    def test_a_collection_is_measured_and_cancelled(self):
        page, console = self.page, self.gateway.console
        self.go("evaluations")
        page.get_by_role("button", name="Measure retrieval").click()
        page.get_by_label("Collection", exact=True).select_option("my-notes")
        page.get_by_label("Name of the report").fill("today")
        page.get_by_role("button", name="Measure", exact=True).click()
        expect(page.get_by_role("progressbar", name="Evaluation")).to_be_visible()
        expect(page.get_by_role("button", name="Measure retrieval")).to_be_disabled()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("cancelled")).to_be_visible()
        number = next(one for one, job in console.jobs.items() if job["kind"] == "evaluation")
        # A report that a job stored is listed when the job ends.
        console.evaluations[3] = {**console.evaluations[2], "id": 3, "name": "today"}
        console.jobs[number].update(state="done", message="evaluation 3: ndcg@10 hybrid 0.46")
        expect(self.region("Stored reports").locator("tbody tr").first).to_contain_text("today")
        expect(page.get_by_text("done: evaluation 3")).to_be_visible()

    def test_reports_are_shown_checked_compared_and_deleted(self):
        page = self.page
        self.go("evaluations")
        page.get_by_role("button", name="Show: after the update").click()
        leg = page.locator(".leg")
        expect(leg).to_have_count(1)
        expect(leg).to_contain_text("1,400 documents, 225 judged queries.")
        expect(leg).to_contain_text("0.4600")
        expect(leg).to_contain_text("2 judged documents are missing")
        leg.get_by_label("Conditions, with commas").fill("hybrid.ndcg@10>=0.40")
        leg.get_by_role("button", name="Check").click()
        expect(leg.get_by_text("All conditions hold.")).to_be_visible()
        leg.get_by_label("Conditions, with commas").fill("hybrid.ndcg@10>=0.40, map>=0.9")
        leg.get_by_role("button", name="Check").click()
        expect(leg.get_by_text("map>=0.9: hybrid has")).to_be_visible()
        # The older one is A, in whatever order they are chosen.
        page.get_by_role("button", name="Show: before the update").click()
        expect(page.get_by_role("heading", name="A: before the update, B: after the update")).to_be_visible()
        expect(page.get_by_text("B is better.")).to_be_visible()
        expect(page.get_by_text("difference +0.0500 (95 % from +0.0300 to +0.0700, p = 0.0008, 225 queries)")).to_be_visible()
        expect(page.get_by_role("img", name="B − A by query: B is better for 120 queries, worse for 85, equal for 20.")).to_be_visible()
        expect(self.region("Gained most")).to_contain_text("internal slip flow")
        self.view("two reports")
        page.get_by_label("Measure").select_option("recall@100")
        expect(page.get_by_text("The difference may be chance.")).to_be_visible()
        expect(page.get_by_text("225 queries show a difference")).to_be_visible()
        page.get_by_role("button", name="Delete: before the update").click()
        page.get_by_role("button", name="Delete: before the update").click()
        expect(self.region("Stored reports").locator("tbody tr")).to_have_count(1)
        expect(page.locator(".leg")).to_have_count(1)

    def test_without_a_folder_and_without_reports(self):
        console = self.gateway.console
        console.collections = None
        console.evaluations.clear()
        self.go("evaluations")
        expect(self.page.get_by_text("selene config set evaluations FOLDER")).to_be_visible()
        expect(self.page.get_by_text("No reports yet.")).to_be_visible()
        self.view("no evaluations")
        console.collections = []
        self.page.reload()
        expect(self.page.get_by_text("The folder of collections has none.")).to_be_visible()


class Prompts(ConsoleTest):
    def test_list_filter_and_history(self):
        page = self.page
        self.go("prompts")
        table = self.region("All prompts")
        expect(table.locator("tbody tr")).to_have_count(3)
        page.get_by_label("Find a prompt").fill("last")
        expect(table.locator("tbody tr")).to_have_count(1)
        table.get_by_role("link", name="The last time").click()
        expect(page.get_by_role("heading", name="The last time")).to_be_visible()
        expect(page.get_by_role("region", name="Template")).to_contain_text("{{what}}")
        history = self.region("History")
        expect(history.locator("tbody tr")).to_have_count(3)
        page.get_by_role("button", name="Changes from 1 to 2").click()
        changes = self.region("Changes from 1 to 2")
        expect(changes.locator("ins").first).to_contain_text("When did I last write")
        expect(changes.locator("del")).to_contain_text("When did I write")
        self.view("a prompt with its history")
        page.go_back()
        expect(table.locator("tbody tr")).to_have_count(3)

    def test_a_prompt_is_made_changed_and_deleted(self):
        page, console = self.page, self.gateway.console
        self.go("prompts")
        page.get_by_role("button", name="New prompt").click()
        sheet = page.get_by_role("dialog")
        sheet.get_by_label("Id").fill("tides")
        sheet.get_by_label("Title").fill("Tides")
        sheet.get_by_label("Template").fill("What do I know of tides?")
        sheet.get_by_role("button", name="Save").click()
        expect(page.get_by_role("heading", name="Tides")).to_be_visible()
        page.get_by_role("button", name="Edit").click()
        sheet.get_by_label("Template").fill("What do I know of neap tides?")
        sheet.get_by_role("button", name="Save").click()
        expect(page.get_by_role("region", name="Template")).to_contain_text("neap tides")
        self.assertEqual(console.prompts["tides"]["number"], 2)
        # Somebody else changed it: the form stays and says so.
        page.get_by_role("button", name="Edit").click()
        console.prompts["tides"]["version"] = "other"
        sheet.get_by_label("Template").fill("mine")
        sheet.get_by_role("button", name="Save").click()
        expect(sheet.get_by_role("alert")).to_contain_text("changed meanwhile")
        sheet.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("button", name="Delete for good").click()
        expect(self.region("All prompts").locator("tbody tr")).to_have_count(3)
        self.assertNotIn("tides", console.prompts)

    def test_several_models_answer_side_by_side(self):
        page = self.page
        self.gateway.script = hold(SAMPLE, 20)
        page.goto(f"{self.gateway.url}#/console/prompts?p=last-time")
        ask = page.get_by_role("button", name="Ask the models")
        expect(ask).to_be_disabled()
        page.get_by_label("what", exact=True).fill("tides")
        names = [one for one in self.gateway.console.models][:2]
        for name in names:
            page.get_by_label(name).check()
        ask.click()
        expect(page.locator(".leg")).to_have_count(2)
        for name in names:
            expect(self.region(name).locator(".prose")).not_to_be_empty()
        runs = list(self.gateway.runs.values())
        self.assertEqual([(run.body["model"], run.body["question"]) for run in runs], [(name, "When did I last write about tides?\nName the notes.") for name in names])
        self.view("answers that grow")
        self.region(names[0]).get_by_role("button", name=f"Stop: {names[0]}").click()
        expect(self.region(names[0])).to_contain_text("stopped")
        runs[1].released.set()
        expect(self.region(names[1]).get_by_role("status")).to_contain_text("done")
        self.region(names[1]).get_by_role("link", name=f"Open the chat: {names[1]}").click()
        self.answered()


class GivenUp(ConsoleTest):
    def test_one_by_one(self):
        page, gateway = self.page, self.gateway
        gateway.push.deliveries.clear()
        for name, status in (("p-1", "failed"), ("p-2", "failed"), ("p-3", "sent")):
            gateway.push.delivery(name, "d-0", f"message {name}", status)
        self.go("failed")
        notes, pushes = self.region("Notes without a vector"), self.region("Notifications")
        expect(notes.locator("tbody tr")).to_have_count(3)
        expect(notes).to_contain_text("exceeds the context length")
        expect(notes).to_contain_text("note 23, gone")
        expect(pushes.locator("tbody tr")).to_have_count(2)
        expect(pushes).to_contain_text("410 Gone")
        self.view("what was given up")
        page.get_by_role("button", name="Try again: Tide tables of the whole year").click()
        expect(notes.locator("tbody tr")).to_have_count(2)
        discard = page.get_by_role("button", name="Discard: A very long letter")
        discard.click()
        expect(discard).to_have_text("Discard for good")
        expect(discard).to_be_focused()
        discard.click()
        expect(notes.locator("tbody tr")).to_have_count(1)
        page.get_by_role("button", name="Discard: message p-1").click()
        page.get_by_role("button", name="Discard: message p-1").click()
        expect(pushes.locator("tbody tr")).to_have_count(1)
        self.assertEqual(gateway.push.deliveries["p-1"]["status"], "dropped")
        page.get_by_role("button", name="Try again: message p-2").click()
        expect(pushes.locator("tbody tr")).to_have_count(0)

    def test_nothing(self):
        self.gateway.console.failed.clear()
        self.gateway.push.deliveries.clear()
        self.go("failed")
        expect(self.page.get_by_text("None.")).to_have_count(2)
        self.view("nothing given up")


class Audit(ConsoleTest):
    def test_who_changed_what_with_filters_in_the_address(self):
        page = self.page
        self.go("keys")
        self.choose("Audit")
        rows = self.region("Audit").locator("tbody tr")
        expect(rows).to_have_count(50)
        expect(rows.first).to_contain_text("key.revoke")
        expect(rows.first).to_contain_text("backfill of the desk (2)")
        expect(rows.nth(1)).to_contain_text("refused (403)")
        expect(rows.nth(3)).to_contain_text("failed (200)")
        # It is only read.
        expect(rows.get_by_role("button")).to_have_count(0)
        self.view("the audit")
        page.get_by_role("button", name="Show more").click()
        expect(rows).to_have_count(64)
        page.get_by_role("button", name="Filter").click()
        sheet = page.get_by_role("dialog", name="Filter")
        sheet.get_by_label("Action").select_option("key.create")
        sheet.get_by_label("Key").select_option("phone")
        sheet.get_by_role("button", name="Show", exact=True).click()
        expect(rows).to_have_count(1)
        expect(page).to_have_url(f"{self.gateway.url}#/console/audit?action=key.create&key=1")
        page.get_by_role("button", name="The same on the command line").click()
        expect(page.get_by_text("selene audit --action key.create --key 1")).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Clear all").click()
        expect(rows).to_have_count(50)

    def test_nothing_yet(self):
        self.gateway.console.audit.clear()
        self.go("audit")
        expect(self.page.get_by_text("No changes yet.")).to_be_visible()
        self.view("an empty audit")
        self.go("audit?action=job.start")
        expect(self.page.get_by_text("No changes that match.")).to_be_visible()


class Breakers(ConsoleTest):
    def test_what_is_known_of_a_breaker(self):
        self.go()
        row = self.region("Model servers").locator("tbody tr").filter(has_text="attic")
        expect(row).to_contain_text("paused")
        expect(row).to_contain_text("next try at")
        expect(row).to_contain_text("3 requests failed, 7 probes failed")


class PhoneDark(ConsoleTest):
    viewport, scheme = PHONE, "dark"

    def test_views(self):
        self.go("evaluations")
        self.page.get_by_role("button", name="Show: after the update").click()
        self.page.get_by_role("button", name="Show: before the update").click()
        expect(self.page.get_by_text("B is better.")).to_be_visible()
        self.view("two reports on a phone")
        self.page.goto(f"{self.gateway.url}#/console/prompts?p=last-time")
        self.page.get_by_role("button", name="Changes from 1 to 2").click()
        expect(self.page.locator(".diff")).to_be_visible()
        self.view("a prompt on a phone")
        self.go("failed")
        expect(self.region("Notes without a vector").locator("tbody tr")).to_have_count(3)
        self.view("what was given up on a phone")


if __name__ == "__main__":
    unittest.main()

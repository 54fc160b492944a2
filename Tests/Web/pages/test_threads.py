"""Threads: what is proposed, why, a person's decision, and how lively threads are."""

import unittest

from browser import PHONE, PageTest, expect


def proposal(number, kind, name, *parts, **more):
    return {"id": number, "kind": kind, "state": "open", "name": name, "summary": "Notes from 2026-02-09 to 2026-03-14.", "why": f"Why {name}.",
            "created_at": "2026-11-23T07:00:00Z", "updated_at": "2026-11-23T07:00:00Z", **more,
            "parts": [{"name": part, "count": 4, "notes": [{"id": 12, "title": "Spring tide at the pier", "created_at": "2026-03-14T18:00:00Z"}]} for part in parts or (name,)]}


class ThreadsTest(PageTest):
    def go(self):
        self.page.goto(f"{self.gateway.url}#/threads")
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Threads")

    def card(self, name):
        return self.page.locator("#proposals li.briefing-card").filter(has=self.page.get_by_role("heading", name=name, level=2))


class Proposals(ThreadsTest):
    def test_nothing_is_shown_without_proposals_and_threads_say_how_lively_they_are(self):
        self.go()
        expect(self.page.get_by_role("link", name="Tide gauge")).to_contain_text("heating up")
        expect(self.page.locator("#proposals li")).to_have_count(0)

    def test_accept_and_decline(self):
        self.gateway.proposals = [proposal(3, "new", "Roof, leak"), proposal(2, "join", "Tide gauge", thread={"id": 4, "name": "Tide gauge"}), proposal(1, "split", "House", "House", "Cello")]
        self.go()
        page = self.page
        expect(page.locator("#proposals li.briefing-card")).to_have_count(3)
        expect(self.card("Roof, leak")).to_contain_text("Why Roof, leak.")
        expect(self.card("House")).to_contain_text("Cello · 4 notes")
        self.card("Roof, leak").get_by_text("4 notes").click()
        expect(self.card("Roof, leak").get_by_role("link", name="Spring tide at the pier")).to_be_visible()
        page.get_by_role("button", name="Accept: Roof, leak").click()
        expect(page.locator(".toast")).to_contain_text("Accepted: Roof, leak")
        expect(page.locator("#proposals li.briefing-card")).to_have_count(2)
        expect(page.locator("#proposals")).to_be_focused()
        page.get_by_role("button", name="Decline: House").click()
        expect(page.locator("#proposals li.briefing-card")).to_have_count(1)
        self.assertEqual([one["state"] for one in self.gateway.proposals], ["accepted", "open", "declined"])

    def test_a_summary_by_a_model_has_its_notes(self):
        self.gateway.proposals = [proposal(3, "new", "The leaking roof", phrasing={
            "model": "away/small", "named": True, "withheld": 2,
            "sentences": [{"text": "The roof leaks.", "notes": [12, 13]}, {"text": "<b>Anna</b> came.", "notes": [13]}]})]
        self.go()
        said = self.card("The leaking roof").locator("p.said")
        expect(said).to_have_text("The roof leaks. [1][2] <b>Anna</b> came. [2] ")
        expect(said.get_by_role("link", name="Source 1")).to_have_attribute("href", "#/notes/12")
        expect(said.get_by_role("link", name="Source 2").last).to_have_attribute("href", "#/notes/13")
        expect(self.card("The leaking roof")).to_contain_text("2 private notes were withheld from away/small.")

    def test_without_a_model_the_days_of_the_notes_are_shown(self):
        self.gateway.proposals = [proposal(3, "new", "Roof, leak")]
        self.go()
        expect(self.card("Roof, leak").locator("p.said")).to_have_text("Notes from 2026-02-09 to 2026-03-14.")

    def test_a_decision_that_is_refused_says_why(self):
        self.gateway.proposals = [proposal(3, "new", "Roof, leak")]
        self.go()
        expect(self.card("Roof, leak")).to_be_visible()
        self.gateway.proposals[0]["state"] = "declined"
        self.page.get_by_role("button", name="Accept: Roof, leak").click()
        expect(self.page.locator(".toast")).to_contain_text("proposal 3 was declined")
        expect(self.page.locator("#proposals li.briefing-card")).to_have_count(0)


class Phone(ThreadsTest):
    viewport = PHONE

    def test_names_are_no_markup_and_fit_a_phone(self):
        self.gateway.proposals = [proposal(3, "new", "<img src=x onerror=alert(1)> " + "tide" * 40)]
        self.go()
        expect(self.page.locator("#proposals h2")).to_contain_text("<img src=x")
        self.assertEqual(self.page.locator("#proposals img").count(), 0)
        self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)


if __name__ == "__main__":
    unittest.main()

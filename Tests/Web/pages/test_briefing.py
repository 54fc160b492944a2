"""The briefing: text with its cards, notes, a question that begins a chat, other days, without the gateway."""

import unittest
from datetime import date, timedelta

from browser import PHONE, PageTest, expect
from stand_in_briefing import CARDS, TODAY
from test_capture import ROWS


class BriefingTest(PageTest):
    def go(self, address="briefing"):
        self.page.goto(f"{self.gateway.url}#/{address}")

    def card(self, title):
        return self.page.locator(".briefing-card").filter(has=self.page.get_by_role("heading", name=title, level=2))


class Briefing(BriefingTest):
    def test_from_the_chat_to_a_card_and_its_question(self):
        page = self.page
        page.get_by_role("link", name="Briefing of today").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Briefing")
        expect(page.locator(".briefing-card")).to_have_count(5)
        page.get_by_role("button", name="Card 2").click()
        expect(page.locator("#card-2")).to_be_focused()
        expect(self.card("2 goals due today").get_by_role("link", name="Run")).to_have_attribute("href", "#/goals/g/1")
        expect(self.card("Tide gauge")).to_contain_text("4 notes in the last 7 days, usually 1.")
        expect(self.card("2 open tasks")).to_contain_text("due 24 Nov 2026")
        self.card("Tide gauge").get_by_role("button").click()
        expect(page.get_by_label("Your question")).to_have_value("What is new in “Tide gauge”?")
        expect(page.get_by_label("Your question")).to_be_focused()
        expect(page.get_by_role("button", name="Tide gauge")).to_be_visible()
        self.assertEqual(self.gateway.runs, {}, "nothing is sent before a press")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.locator(".question-text").last).to_have_text("What is new in “Tide gauge”?")
        # The page shows the question before it sends it.
        self.until(lambda: self.gateway.runs)
        [run] = self.gateway.runs.values()
        self.assertEqual((run.body["scope"], run.body["kind"]), ({"thread": "4"}, "deep_dive"))

    def test_notes_threads_and_books_open_and_the_place_is_kept(self):
        page = self.page
        self.go()
        self.card("The Tides").get_by_role("link", name="p. 3").click()
        expect(page).to_have_url(self.gateway.url + "#/books/1/p/3")
        page.go_back()
        self.card("Tide gauge").get_by_role("link", name="Thread").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Tide gauge")
        page.go_back()
        self.card("Tide gauge").get_by_role("link", name="Neap tides").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Neap tides")

    def test_a_draft_comes_back(self):
        page = self.page
        page.get_by_label("Your question").fill("half a thought")
        page.wait_for_timeout(400)
        self.go()
        self.card("The Tides").get_by_role("button").click()
        expect(page.get_by_label("Your question")).to_have_value("Where was I in “The Tides”?")
        page.locator(".toast").get_by_role("button", name="Undo").click()
        expect(page.get_by_label("Your question")).to_have_value("half a thought")

    def test_other_days_by_keyboard(self):
        page = self.page
        before = str(date.fromisoformat(TODAY) - timedelta(days=1))
        self.gateway.briefings[before] = CARDS[:1]
        self.go()
        expect(page.get_by_role("link", name="The day after")).to_have_count(0)
        page.get_by_role("link", name="The day before").press("Enter")
        expect(page.locator(".briefing-card")).to_have_count(1)
        expect(page).to_have_url(f"{self.gateway.url}#/briefing/{before}")
        page.get_by_role("link", name="The day before").press("Enter")
        expect(page.get_by_text("There is no briefing of this day.")).to_be_visible()
        page.go_back()
        expect(page.locator(".briefing-card")).to_have_count(1)
        page.get_by_role("link", name="The day after").press("Enter")
        expect(page.locator(".briefing-card")).to_have_count(5)

    def test_without_the_gateway(self):
        page = self.page
        page.wait_for_load_state("networkidle")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.go()
        expect(page.locator(".briefing-card")).to_have_count(5)
        # The page is painted before its answer is kept.
        self.until(lambda: page.evaluate(ROWS, "read"))
        self.gateway.is_down = True
        page.reload()
        expect(page.get_by_text("This is as you read it")).to_be_visible()
        expect(page.locator(".briefing-card")).to_have_count(5)
        self.gateway.is_down = False
        page.get_by_role("region", name="Briefing").get_by_role("button", name="Try again").click()
        expect(page.get_by_text("This is as you read it")).to_have_count(0)

    def test_an_error(self):
        self.gateway.fail("/api/briefing/today", 503, error="the database is busy", times=9)
        self.go()
        expect(self.page.get_by_role("alert")).to_contain_text("the database is busy")
        self.gateway.status.clear()
        self.page.get_by_role("button", name="Try again").click()
        expect(self.page.locator(".briefing-card")).to_have_count(5)


class Looks:
    def test_views(self):
        page = self.page
        self.go()
        expect(page.locator(".briefing-card")).to_have_count(5)
        self.view("the briefing")
        page.evaluate("document.documentElement.dir = 'rtl'")
        self.view("the briefing, mirrored")

    def test_empty_and_long(self):
        self.gateway.briefings[TODAY] = []
        self.go()
        expect(self.page.get_by_text("Nothing new today. Write a note")).to_be_visible()
        self.view("an empty briefing")
        self.gateway.briefings[TODAY] = [{**CARDS[1], "title": "Verylongwordwithoutanyspace" * 8, "question": "What about " + "verylongword" * 20 + "?"}] * 30
        self.page.reload()
        expect(self.page.locator(".briefing-card")).to_have_count(30)
        self.view("a long briefing")


class Light(Looks, BriefingTest):
    pass


class PhoneDark(Looks, BriefingTest):
    viewport = PHONE
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()

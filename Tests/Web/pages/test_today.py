"""Today: tasks and goals that are due, what waits, the briefing with its cards and questions; each part on its own. And other days."""

import unittest
from datetime import date, timedelta

from browser import PHONE, PageTest, expect
from stand_in_briefing import CARDS, TODAY
from test_capture import ROWS


class TodayTest(PageTest):
    def go(self, address="today"):
        self.page.goto(f"{self.gateway.url}#/{address}")

    def card(self, title):
        return self.page.locator(".briefing-card").filter(has=self.page.get_by_role("heading", name=title, level=2))


class Today(TodayTest):
    def test_from_the_chat_to_a_card_and_its_question(self):
        page = self.page
        page.get_by_role("link", name="Today", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Today")
        expect(page.get_by_role("link", name="Today", exact=True)).to_have_attribute("aria-current", "page")
        expect(page.locator(".briefing-card")).to_have_count(5)
        page.get_by_role("button", name="Card 2").click()
        expect(page.locator("#card-2")).to_be_focused()
        expect(self.card("Tide gauge")).to_contain_text("4 notes in the last 7 days, usually 1.")
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

    def test_what_is_due_is_done_and_undone(self):
        page, tasks = self.page, self.gateway.tasks
        tasks["tasks"] += [{"id": 8, "title": "Pay the berth", "due": "2026-11-01"}, {"id": 9, "title": "Paint the hull", "due": "2999-01-01"}, {"id": 10, "title": "Some day"}]
        self.go()
        rows = page.get_by_role("list", name="Tasks that are due").get_by_role("listitem")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("Pay the berth")
        expect(page.get_by_role("link", name="All tasks")).to_have_attribute("href", "#/tasks")
        page.get_by_label("Clean the float").check()
        expect(rows).to_have_count(1)
        page.locator(".toast").get_by_role("button", name="Undo").click()
        self.until(lambda: tasks["asked"] == [("PATCH", "7", {"done": True}), ("PATCH", "7", {"done": False})])
        goals = page.get_by_role("list", name="Goals for today").get_by_role("listitem")
        expect(goals.first).to_contain_text("Run 300 km")
        expect(goals.filter(has_text="Meditate")).to_have_count(0)
        waits = page.get_by_role("list", name="Waiting for you")
        expect(waits.get_by_role("link", name="3 tasks found in your notes")).to_have_attribute("href", "#/tasks")
        expect(waits.get_by_role("link", name="2 things wait for your answer")).to_have_attribute("href", "#/goals")

    def test_old_addresses(self):
        page = self.page
        self.go("briefing")
        expect(page.get_by_role("heading", level=1)).to_have_text("Today")
        self.gateway.briefings["2026-03-14"] = CARDS[:2]
        self.go("briefing/2026-03-14")
        expect(page.get_by_role("heading", level=1)).to_have_text("Briefing")
        expect(self.card("2 goals due today").get_by_role("link", name="Run")).to_have_attribute("href", "#/goals/g/1")
        expect(self.card("2 open tasks")).to_contain_text("due 24 Nov 2026")
        expect(page.get_by_role("list", name="Goals for today")).to_have_count(0)
        self.go("tasks")
        expect(page.get_by_role("link", name="Today", exact=True).first).to_have_attribute("aria-current", "page")
        page.get_by_role("main").get_by_role("link", name="Today").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Today")

    def test_a_part_that_fails_says_so_in_its_place(self):
        page = self.page
        self.gateway.fail("/api/tasks", 500, error="the disk is full", times=9)
        self.gateway.fail("/api/goals/today", 404, times=9)
        self.gateway.fail("/api/briefing/today", 404, times=9)
        self.go()
        expect(page.get_by_role("alert")).to_have_count(1)
        expect(page.locator("section").filter(has=page.get_by_role("heading", name="Tasks", exact=True)).get_by_role("alert")).to_contain_text("the disk is full")
        expect(page.get_by_role("list", name="Waiting for you")).to_be_visible()
        expect(page.get_by_text("Nothing is due today")).to_have_count(0)
        self.gateway.status.clear()
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("list", name="Tasks that are due")).to_be_visible()

    def test_a_part_that_is_slow_keeps_no_other_waiting(self):
        page = self.page
        held = []
        page.route("**/api/goals/today*", lambda route: held.append(route))
        self.go()
        expect(page.get_by_role("list", name="Tasks that are due")).to_be_visible()
        expect(page.get_by_role("list", name="Goals for today")).to_have_count(0)
        held[0].continue_()
        expect(page.get_by_role("list", name="Goals for today")).to_be_visible()

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

    def test_who_goes_back_before_a_book_is_there_stays(self):
        page = self.page
        held = []
        page.route("**/api/books/1", lambda route: held.append(route))
        self.go()
        self.card("The Tides").get_by_role("link", name="p. 3").click()
        expect(page).to_have_url(self.gateway.url + "#/books/1/p/3")
        self.until(lambda: held)
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("Today")
        with page.expect_response("**/api/books/1"):
            held[0].continue_()
        page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
        expect(page).to_have_url(self.gateway.url + "#/today")
        expect(page.get_by_role("heading", level=1)).to_have_text("Today")

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
        page.get_by_role("region", name="Today").get_by_role("button", name="Try again").click()
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
        expect(self.page.get_by_role("list", name="Goals for today")).to_be_visible()
        self.view("a day without a briefing")
        self.gateway.briefings[TODAY] = [{**CARDS[1], "title": "Verylongwordwithoutanyspace" * 8, "question": "What about " + "verylongword" * 20 + "?"}] * 30
        self.page.reload()
        expect(self.page.locator(".briefing-card")).to_have_count(30)
        self.view("a long briefing")


class Nothing(TodayTest):
    options = {"has_samples": False}

    def test_a_free_day(self):
        self.go()
        expect(self.page.get_by_text("Nothing is due today, and nothing waits for you.")).to_be_visible()
        self.view("a free day")


class WithoutNotes(TodayTest):
    options = {"needs_key": True}

    def test_what_a_key_may_not_read_is_no_place(self):
        page = self.page
        self.gateway.cookies.add("c0")
        self.context.add_cookies([{"name": "selene", "value": "c0", "url": self.gateway.url}])
        page.route("**/web/session", lambda route: route.fulfill(json={"signed_in": True, "needs_key": True, "key": {"name": "guest", "scopes": ["llm"], "models": []}}))
        page.goto(self.gateway.url + "#/settings")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("You")
        bar = page.get_by_role("navigation", name="Main")
        expect(bar.get_by_role("list").first.get_by_role("link")).to_have_text(["Chat", "You"])
        expect(page.get_by_role("link", name="Memories")).to_have_count(0)


class Library(TodayTest):
    def test_the_library_remembers_its_part(self):
        page = self.page
        place = page.get_by_role("navigation", name="Main").get_by_role("link", name="Library")
        place.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Notes")
        page.get_by_role("navigation", name="Library").get_by_role("link", name="Books").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Books")
        expect(page.get_by_role("navigation", name="Library").get_by_role("link", name="Books")).to_have_attribute("aria-current", "page")
        page.get_by_role("link", name="The Tides").first.click()
        expect(place).to_have_attribute("aria-current", "page")
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Goals").click()
        expect(place).not_to_have_attribute("aria-current", "page")
        page.reload()
        place.click()
        expect(page).to_have_url(self.gateway.url + "#/books")
        for address in ("threads/4", "notes/12", "capture"):
            self.go(address)
            expect(place).to_have_attribute("aria-current", "page")


class Light(Looks, TodayTest):
    pass


class PhoneDark(Looks, TodayTest):
    viewport = PHONE
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()
